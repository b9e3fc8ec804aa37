# SPDX-License-Identifier: GPL-2.0-only
"""`memcache show`: print the report on results files again."""

import argparse

from mc import emit
from mc.commands import options
from mc.status import DONE


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="+", metavar="FILE",
                        help="results of memcache run; `-`: standard input")
    options.add_units(parser)
    parser.add_argument("--json", action="store_true",
                        help="print the records (JSON Lines), and its conclusions as records, in "
                             "place of the report")
    options.add_wide(parser)


def command(args: argparse.Namespace) -> int:
    # All files are read first, so that nothing is shown if one of them is bad.
    from mc.output import report
    from mc.records import results
    loaded = [(name, results.load(name)) for name in args.file]
    if args.json:
        from mc.analysis import normal
        emit(line for _, runs in loaded for line in results.json_lines(
            normal.with_expected(runs), report.conclusions(runs)))
        return DONE
    for number, (name, runs) in enumerate(loaded):
        if len(loaded) > 1:
            emit(([""] if number else []) + [f"=== {name}", ""])
        emit(report.lines(runs, args.wide))
    return DONE
