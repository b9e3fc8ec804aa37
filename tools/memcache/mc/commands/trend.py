# SPDX-License-Identifier: GPL-2.0-only
"""`memcache trend`: results over time or kernel versions, and the runs that changed them."""

import argparse

from mc import Failure, emit, plural, say
from mc.analysis import trend
from mc.analysis.changes import LEAST
from mc.commands import options
from mc.output import draw, files, otava, terminal
from mc.output import trend as output
from mc.records.reader import Reader
from mc.status import DONE, FAILED

EPILOG = """\
WHAT is a directory with results files (*.jsonl), a store, some of its entries,
or a file; see memcache record. Each file is a run. A change is lasting if the
runs before and after it differ by 2 % at least, and by more than chance. Runs
far off their neighbours are left out.

A lasting change is confirmed from 16 runs on, which needs numpy. From 3 runs on
a step is hinted at.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="+", metavar="WHAT", help="DIR, STORE, STORE:WHICH or FILE")
    parser.add_argument("--over", choices=trend.ORDERS, default="time",
                        help="the order of the runs: when they were measured (default), or the "
                             "versions of their kernels")
    parser.add_argument("--only", action="append", default=[], metavar="WORD",
                        help="only results of this test or with this key, such as op=read; may be "
                             "given several times")
    parser.add_argument("-o", dest="output", metavar="OUT",
                        help="draw each result: .svg, .png or .pdf; this needs matplotlib")
    parser.add_argument("--otava", metavar="DIR",
                        help="write CSV and otava.yaml for Otava into this directory")
    options.add_units(parser)


def command(args: argparse.Namespace) -> int:
    kind = files.kind(args.output, draw.FORMATS) if args.output else ""
    if args.output:
        draw.matplotlib()
    reader = Reader(args.what)
    gathered = trend.gather(reader.files(), args.over, args.only)
    if not gathered.histories:
        left = "".join(f". {part.text}".removesuffix(".")
                       for part in output.sentences_on_left_out(gathered.left))
        raise Failure("no result to follow"
                      + (f": none has {' '.join(args.only)}" if args.only else "") + left)
    emit(terminal.lines(output.parts(gathered, args.over)), terminal.painter())
    if args.output:
        _draw(gathered, args.output, kind, args.over)
    if args.otava:
        say(f"for Otava: {', '.join(otava.write(gathered.histories, args.otava))}")
    enough = any(len(history.times) >= LEAST for history in gathered.histories)
    return DONE if enough and not reader.bad else FAILED


def _draw(gathered: trend.Gathered, path: str, kind: str, order: str) -> None:
    charts = output.charts(gathered, order)
    if not charts:
        raise Failure("nothing to draw: too few runs")
    files.write(path, draw.picture(charts, [output.CAPTION], kind))
    more = sum(history.is_long for history in gathered.histories) - len(charts)
    say(f"{path}: {plural(len(charts), 'chart')}" + (f", {more} more not drawn" if more else ""))
