# SPDX-License-Identifier: GPL-2.0-only
"""`memcache counters`: the counters of DRAM traffic that there are, set or taken away."""

import argparse

from mc import Failure, emit, say
from mc.running import plan
from mc.running.counting import none
from mc.running.side import Side

EPILOG = """\
Memory controllers' PMUs in /sys/bus/event_source/devices, a line for each event
and package, as the module's file `counters` and memcache-user --counters take
them. `memcache run --counters` sets them for a run.

Exit status: 0 there are some; 1 there are none, or they could not be set.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--set", action="store_true", help="give them to the module")
    group.add_argument("--clear", action="store_true", help="take them from the module")


def command(args: argparse.Namespace) -> int:
    return counters(plan.sides()[0], args.set, args.clear)


def counters(side: Side, put: bool, clear: bool) -> int:
    if clear:
        side.count("")
        return 0
    found = side.discover()
    if not found.counters:
        raise Failure(none(found))
    if put:
        side.count(found.text)
        say(f"{found.title}: {len(found.counters)} counters set")
    else:
        emit(map(str, found.counters))
    for remark in found.remarks:
        say(f"not used: {remark}")
    return 0
