# SPDX-License-Identifier: GPL-2.0-only
"""`memcache show`: print the report on results files again."""

import argparse

from mc import emit
from mc.output import report
from mc.records import rounds
from mc.status import DONE


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="+", metavar="FILE", help="results of memcache run")


def command(args: argparse.Namespace) -> int:
    # All files are read first, so that nothing is shown if one of them is bad.
    loaded = [(name, rounds.load(name)) for name in args.file]
    for number, (name, runs) in enumerate(loaded):
        if len(loaded) > 1:
            emit(([""] if number else []) + [f"=== {name}", ""])
        emit(report.lines(runs))
    return DONE
