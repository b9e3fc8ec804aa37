# SPDX-License-Identifier: GPL-2.0-only
"""`memcache counters`: list, set or clear the counters of DRAM traffic, or count that of a
command."""

import argparse
import signal
import subprocess
from tempfile import NamedTemporaryFile

from mc import Failure, emit, plural, say
from mc.running import plan
from mc.running.counting import absence
from mc.running.side import Side
from mc.running.user import User
from mc.status import DONE, WRONG

EPILOG = """\
Prints a line for each event and package of the memory controllers' PMUs in
/sys/bus/event_source/devices. The module's file `counters` and memcache-user
--counters take these lines. `memcache run --counters` sets them for a run.
With a COMMAND, they count the traffic of all programs while it runs, in user
space and without the module; the exit status is that of the command. Memory
of nodes without CPUs, such as CXL and HBM, has other controllers and is not
counted.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--set", action="store_true", help="set these counters in the module")
    group.add_argument("--clear", action="store_true", help="clear the counters of the module")
    parser.add_argument("run", nargs=argparse.REMAINDER, metavar="-- COMMAND",
                        help="run this command, and print the DRAM traffic while it ran")


def command(args: argparse.Namespace) -> int:
    words = args.run[args.run[:1] == ["--"]:]
    if words and (args.set or args.clear):
        raise Failure("--set and --clear take no command", WRONG)
    if words:
        return count(words)
    return counters(plan.sides()[0], args.set, args.clear)


def count(words: list[str], program: str | None = None) -> int:
    """Count while a command runs. Returns its exit status."""
    side = User(program)
    side.check()
    discovered = side.discover()
    if not discovered.counters:
        raise Failure(absence(discovered))
    if discovered.uncounted_text:
        say(discovered.uncounted_text)
    with NamedTemporaryFile("w", prefix="memcache-counters-") as file:
        file.write(discovered.text)
        file.flush()
        # Ctrl-C is for the command. memcache-user reports what was counted until then.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            return subprocess.run([side.source, "--counters", file.name, "--count", *words],
                                  check=False).returncode
        finally:
            signal.signal(signal.SIGINT, before)


def counters(side: Side, put: bool, clear: bool) -> int:
    if clear:
        side.count("")
        return DONE
    discovered = side.discover()
    if not discovered.counters:
        raise Failure(absence(discovered))
    if put:
        side.count(discovered.text)
        say(f"{discovered.title}: {plural(len(discovered.counters), 'counter')} set")
    else:
        emit(map(str, discovered.counters))
    for remark in discovered.remarks:
        say(f"not used: {remark}")
    if discovered.uncounted_text:
        say(discovered.uncounted_text)
    return DONE
