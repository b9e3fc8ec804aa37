# SPDX-License-Identifier: GPL-2.0-only
"""`memcache` without arguments measures this machine: what memcache-user shows of it, and what else
there is. `memcache list` lists what can be measured."""

import os
import subprocess
from collections.abc import Iterator
from tempfile import TemporaryDirectory

from mc import emit, say
from mc.commands import suites
from mc.output import normal, terminal
from mc.output.terminal import wrap_lines
from mc.records import results, tests
from mc.running import user
from mc.running.machine import platform
from mc.status import DONE

# Two lines: with them, the screen still fits a terminal of 24.
MORE = """\
More: memcache run (UC, WC and WB by the module), memcache doctor (what prevents
that), memcache list, memcache reference, memcache run mlc, memcache help
"""


def measure(usage: str, options: list[str]) -> int:
    """Measure this machine. Without memcache-user, or if another machine is meant, print the help.
    Returns an exit status."""
    program = user.find()
    if not program:
        say("memcache-user is not there, so nothing is measured")
        print(usage, end="")
        return DONE
    with TemporaryDirectory(prefix="memcache-") as scratch:
        kept = f"{scratch}/overview.jsonl"
        done = subprocess.run([program, "--save", kept, *options], check=False).returncode
        if done == DONE:
            _say_whether_normal(kept)
            print(MORE, end="")
    return done if done >= 0 else 128 - done


def _say_whether_normal(kept: str) -> None:
    """Print what is published of this CPU beside the results; nothing if nothing is."""
    if not os.path.exists(kept):    # nothing could be measured
        return
    runs = results.load(kept)
    for run in runs:
        run.machine.update(platform())
    if parts := normal.parts(runs, wide=False):
        emit(["", *terminal.lines(parts)], terminal.painter())


def listing() -> int:
    """Print all suites and tests."""
    emit(["Suites: memcache run SUITE", *suites.overview(), "",
          "Tests: memcache run 'TEST [key=value]...'; memcache-user list TEST explains its keys",
          *_tests()])
    return DONE


def _tests() -> Iterator[str]:
    wide = max(map(len, tests.TESTS))
    for test in tests.TESTS.values():
        yield from wrap_lines(test.help, f"{test.name:{wide}}  ")
