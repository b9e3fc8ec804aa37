# SPDX-License-Identifier: GPL-2.0-only
"""`memcache compare`: results files, or published figures, against each other."""

import argparse

from mc import Failure, emit
from mc.output import comparison, terminal
from mc.records import rounds

EPILOG = """\
Each record of the first file is compared with the one in each other file of
which the same was asked; in one file, those of the kernel with those of user
space (run --where both). Changes are (A - B) / A of the median times:
positive is less time, faster. Of random accesses (run os-overhead) four tables follow:
write against read, and the cost of the OS, of a hypervisor, of interrupts.

Exit status: 0 compared; 1 nothing could be, or records were refused because
their memory-type verdicts, the nodes of their memory, or the prefetchers' state,
differ; 2 a file can't be read.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--mixed-verdicts", action="store_true",
                        help="compare records even if their memory types were not equally real, "
                             "their memory was not of the same node, or their prefetchers were "
                             "not in the same state")
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
            raise Failure("published figures (.csv) have no request that a record could match: "
                          "compare them by themselves", 2)
        return terminal.lines(comparison.published(tables)), 0
    parts, status = comparison.parts({name: rounds.load(name) for name in files}, mixed)
    return terminal.lines(parts), status
