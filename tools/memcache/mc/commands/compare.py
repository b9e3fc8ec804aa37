# SPDX-License-Identifier: GPL-2.0-only
"""`memcache compare`: compare results files, or published figures, with each other."""

import argparse

from mc import Failure, emit
from mc.analysis.normal import reason_for_no_comparison, results_with_references
from mc.commands import options
from mc.output import comparison, normal, terminal
from mc.parts import Sentence
from mc.records import rounds
from mc.status import DONE, FAILED

EPILOG = """\
Each record of the first file is compared with the record of every other file
that has the same keys. Within a file, records of the kernel are compared with
those of user space (run --where both). 0.40x means 40 % of the speed of the
first file, so 60 % less. Results of random accesses (run os-overhead) also make
four tables: write against read, and the cost of the OS, of a hypervisor and of
interrupts. On a terminal, faster and slower are coloured, unless NO_COLOR is
set.

--reference compares each file with what is published of its CPU, see memcache
reference.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--mixed-verdicts", action="store_true",
                        help="also compare records whose memory-type verdicts, memory nodes or "
                             "prefetcher states differ")
    parser.add_argument("--reference", action="store_true",
                        help="compare with what is published of the CPU of each file")
    parser.add_argument("--tables", action="store_true",
                        help="print only the four tables of random accesses")
    options.add_units(parser)
    options.add_wide(parser)
    parser.add_argument("file", nargs="+", metavar="FILE",
                        help="results of memcache run, or published figures (.csv)")


def command(args: argparse.Namespace) -> int:
    if args.reference:
        return _with_reference(args.file)
    lines, status = compare(args.file, args.mixed_verdicts, args.wide, args.tables)
    emit(lines, terminal.painter())
    return status


def _with_reference(files: list[str]) -> int:
    """Print each file's figures beside those that are published. Return an exit status."""
    status = DONE
    for name in files:
        runs = rounds.load(name)
        parts = normal.parts(runs)
        if not results_with_references(runs):
            status = FAILED
            if not reason_for_no_comparison(runs):
                parts.append(Sentence("Nothing is published of this CPU that memcache knows and "
                                      "these results have.", gap=bool(parts)))
        emit(([f"=== {name}", ""] if len(files) > 1 else []) + terminal.lines(parts),
             terminal.painter())
    return status


def compare(files: list[str], mixed: bool = False, wide: bool = False,
            tables: bool = False) -> tuple[list[str], int]:
    """The lines to print, and the exit status: 1 if nothing could be compared,
    or something was refused."""
    if len(set(files)) < len(files):
        raise Failure("a file is named twice: nothing differs from itself", 2)
    figures = [name for name in files if name.endswith(".csv")]
    if figures:
        if len(figures) < len(files):
            raise Failure("published figures (.csv) have no keys that records could match: "
                          "compare them by themselves", 2)
        return terminal.lines(comparison.report_on_published(figures)), 0
    parts, status = comparison.parts({name: rounds.load(name) for name in files},
                                     mixed, wide, tables)
    return terminal.lines(parts), status
