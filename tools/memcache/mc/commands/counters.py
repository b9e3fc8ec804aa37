# SPDX-License-Identifier: GPL-2.0-only
"""`memcache counters`: list, set or clear the counters of DRAM traffic."""

import argparse

from mc import Failure, emit, say
from mc.running import plan
from mc.running.counting import absence
from mc.running.side import Side
from mc.status import DONE

EPILOG = """\
Prints a line for each event and package of the memory controllers' PMUs in
/sys/bus/event_source/devices. The module's file `counters` and memcache-user
--counters take these lines. `memcache run --counters` sets them for a run.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--set", action="store_true", help="set these counters in the module")
    group.add_argument("--clear", action="store_true", help="clear the counters of the module")


def command(args: argparse.Namespace) -> int:
    return counters(plan.sides()[0], args.set, args.clear)


def counters(side: Side, put: bool, clear: bool) -> int:
    if clear:
        side.count("")
        return DONE
    found = side.discover()
    if not found.counters:
        raise Failure(absence(found))
    if put:
        side.count(found.text)
        say(f"{found.title}: {len(found.counters)} counters set")
    else:
        emit(map(str, found.counters))
    for remark in found.remarks:
        say(f"not used: {remark}")
    return DONE
