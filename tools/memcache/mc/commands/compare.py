# SPDX-License-Identifier: GPL-2.0-only
"""`memcache compare`: compare results files, or published figures, with each other."""

import argparse

from mc import Failure, emit
from mc.output import comparison, terminal
from mc.records import rounds

EPILOG = """\
Each record of the first file is compared with the record of every other file
that has the same keys. Within a file, records of the kernel are compared with
those of user space (run --where both). A change is (A - B) / A of the median
times, so a positive change means less time: faster. Results of random accesses
(run os-overhead) also make four tables: write against read, and the cost of the
OS, of a hypervisor and of interrupts.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--mixed-verdicts", action="store_true",
                        help="also compare records whose memory-type verdicts, memory nodes or "
                             "prefetcher states differ")
    parser.add_argument("file", nargs="+", metavar="FILE",
                        help="results of memcache run, or published figures (.csv)")


def command(args: argparse.Namespace) -> int:
    lines, status = compare(args.file, args.mixed_verdicts)
    emit(lines)
    return status


def compare(files: list[str], mixed: bool = False) -> tuple[list[str], int]:
    """The lines to print, and the exit status: 1 if nothing could be compared,
    or something was refused."""
    if len(set(files)) < len(files):
        raise Failure("a file is named twice: nothing differs from itself", 2)
    tables = [name for name in files if name.endswith(".csv")]
    if tables:
        if len(tables) < len(files):
            raise Failure("published figures (.csv) have no keys that records could match: "
                          "compare them by themselves", 2)
        return terminal.lines(comparison.published(tables)), 0
    parts, status = comparison.parts({name: rounds.load(name) for name in files}, mixed)
    return terminal.lines(parts), status
