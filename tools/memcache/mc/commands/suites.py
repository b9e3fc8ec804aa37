# SPDX-License-Identifier: GPL-2.0-only
"""`memcache suites`: list the suites, or the requests of one."""

import argparse
from collections.abc import Iterator

from mc import emit
from mc.output.terminal import wrap_lines
from mc.records import shape, suite
from mc.running.plan import Place, duration, rounds_that_fit, seconds, sides
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
    rows = [(one.name, _time_text(one, place.shape), one.title + _remark_on_quick(one, place))
            for one in map(suite.load, suite.names_offered())]
    widths = [max((len(row[i]) for row in rows), default=0) for i in (0, 1)]
    return [f"{name:{widths[0]}}  {time:>{widths[1]}}  {title}" for name, time, title in rows]


def _remark_on_quick(one: suite.Suite, place: Place) -> str:
    """A remark that a suite has a quick form, with its time; empty if it has none."""
    if not suite.exists(short := one.name + suite.QUICK):
        return ""
    time = _time_text(suite.load(short), place.shape)
    return f" (--quick: {time})" if time else " (--quick)"


def _time_text(one: suite.Suite, machine: shape.Shape) -> str:
    if not one.record_s:
        return ""
    requests, _ = one.requests_for(machine)
    took = seconds(requests) if requests else None
    both = 2 if one.where == "both" else 1
    return duration(took * both * rounds_that_fit(one.rounds, took * both)) if took else "-"


def suite_lines(name: str) -> Iterator[str]:
    """The lines of a suite as its file has them, under the titles of their sections."""
    one = suite.load(name)
    yield one.title
    for section in one.sections:
        own = [request for request in one.requests if request.section == section.title]
        if own and section.title:
            needs = f" (needs {', '.join(section.needs)})" if section.needs else ""
            yield ""
            yield from wrap_lines(f"{section.title}{needs}")
        if own and section.search:
            yield f"  the best of: {' '.join(section.search)}"
        for request in own:
            yield f"  {request.label + ': ' if request.label else ''}{request.line}"
