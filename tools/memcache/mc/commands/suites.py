# SPDX-License-Identifier: GPL-2.0-only
"""`memcache suites`: list the suites, or the requests of one."""

import argparse
from collections.abc import Iterator

from mc import emit
from mc.output.terminal import wrapped
from mc.records import keys, shape, suite
from mc.running.plan import Place, duration, sides
from mc.status import DONE

EPILOG = """\
The time is an estimate for `run SUITE` on this machine; an emulator takes
longer. `run --dry-run SUITE` prints the request lines for this machine.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", nargs="?", metavar="SUITE", help="the suite to print")


def command(args: argparse.Namespace) -> int:
    emit(suite_lines(args.suite) if args.suite else overview())
    return DONE


def overview() -> list[str]:
    """A line for each suite: its name, an estimate of its time, its title."""
    place = Place(sides())
    tests: keys.Tests = next(filter(None, place.tests.values()), {})
    rows = [(found.name, _time(found, place.shape, tests), found.title)
            for found in map(suite.load, suite.names())]
    widths = [max((len(row[i]) for row in rows), default=0) for i in (0, 1)]
    return [f"{name:{widths[0]}}  {time:>{widths[1]}}  {title}" for name, time, title in rows]


def _time(found: suite.Suite, machine: shape.Shape, tests: keys.Tests) -> str:
    if not found.record_s:
        return ""
    requests, _ = found.expanded(machine)
    records = sum(keys.records(request.line, machine, tests) for request in requests)
    often = 2 * found.rounds if found.where == "both" else 1
    return duration(records * often * found.record_s) if records else "-"


def suite_lines(name: str) -> Iterator[str]:
    """The lines of a suite as its file has them, under the titles of their sections."""
    found = suite.load(name)
    yield found.title
    section = None
    for request in found.requests:
        if request.section != section:
            section = request.section
            needed = found.needs(section)
            needs = f" (needs {', '.join(needed)})" if needed else ""
            yield ""
            yield from wrapped(f"{section}{needs}")
        yield f"  {request.label + ': ' if request.label else ''}{request.line}"
