# SPDX-License-Identifier: GPL-2.0-only
"""`memcache export`: print results for other programs."""

import argparse
import sys

from mc import Failure
from mc.output import files
from mc.output.export import FORMS
from mc.records import results
from mc.status import DONE

EPILOG = """\
csv: a row for each record. prometheus: a file for the node exporter's textfile
collector. kcidb: a report with `tests[].number`. lkp: lines of `key: value`.
lava: the output of lava-test-case. The keys of the request, the memory type,
its verdict and whether the data were verified become labels or parts of names.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", required=True, choices=tuple(FORMS),
                        help="the format of the other program")
    parser.add_argument("file", metavar="FILE", help="results of memcache run")
    parser.add_argument("-o", dest="output", metavar="OUT",
                        help="write to this file, which is replaced as a whole (`-`: standard "
                             "output, as without -o)")


def command(args: argparse.Namespace) -> int:
    return export(args.format, args.file, args.output)


def export(form: str, file: str, output: str | None) -> int:
    runs = results.load(file)
    if not any(run.results for run in runs):
        raise Failure(f"{file}: no results to export")
    text = FORMS[form](runs)
    if output:
        files.write(output, text.encode(errors="replace"))
    else:
        sys.stdout.write(text)
    return DONE
