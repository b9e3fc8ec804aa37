# SPDX-License-Identifier: GPL-2.0-only
"""`memcache show`: print the report on results files again."""

import argparse
import json
from collections.abc import Iterator

from mc import emit
from mc.output import report
from mc.records import results
from mc.status import DONE


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="+", metavar="FILE",
                        help="results of memcache run; `-`: standard input")
    report.units_argument(parser)
    parser.add_argument("--json", action="store_true",
                        help="print the records (JSON Lines) in place of the report")
    report.arguments(parser)


def command(args: argparse.Namespace) -> int:
    if args.json:
        emit(line for runs in [results.load(name) for name in args.file] for line in _json(runs))
        return DONE
    # All files are read first, so that nothing is shown if one of them is bad.
    loaded = [(name, results.load(name)) for name in args.file]
    for number, (name, runs) in enumerate(loaded):
        if len(loaded) > 1:
            emit(([""] if number else []) + [f"=== {name}", ""])
        emit(report.lines(runs, args.wide))
    return DONE


def _json(runs: list[results.Run]) -> Iterator[str]:
    """The records of these runs. Each request says how many results there are, also if the
    file was cut short."""
    for run in runs:
        for record in (run.machine, run.request | {"records": len(run.results)}, *run.results):
            yield json.dumps(record, separators=(",", ":"))
