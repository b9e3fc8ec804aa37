# SPDX-License-Identifier: GPL-2.0-only
"""`memcache show`: the report on results files once more."""

import argparse

from mc import emit
from mc.output import report
from mc.records import rounds


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="+", metavar="FILE", help="results of memcache run")


def command(args: argparse.Namespace) -> int:
    loaded = [(name, rounds.load(name)) for name in args.file]  # a bad one: nothing is shown
    for number, (name, runs) in enumerate(loaded):
        if len(loaded) > 1:
            emit(([""] if number else []) + [f"=== {name}", ""])
        emit(report.lines(runs))
    return 0
