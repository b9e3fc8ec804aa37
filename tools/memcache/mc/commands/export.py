# SPDX-License-Identifier: GPL-2.0-only
"""`memcache export`: print results for other programs."""

import argparse
import os
import re
import sys

from mc import Failure
from mc.output import captions, files
from mc.output.export import FORMS, ORIGIN
from mc.records import results, rounds
from mc.status import DONE, WRONG

EPILOG = """\
csv: a row for each record. prometheus: a file for the node exporter's textfile
collector. kcidb: a report with `tests[].number`, and with a build for each
kernel unless --build-id names a build. lkp: lines of `key: value`.
lava: the output of lava-test-case. In all but csv, one result stands for all
rounds of a request: the one in the middle. The keys of the request, the memory
type, its verdict and the result of verification become labels or parts of
names. markdown: the finding, the comparison and the tables of a report, for a
comment; several FILEs are compared as by memcache report. In the other
forms, results of several FILEs have the name of theirs.
"""
MARKDOWN = "markdown"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", required=True, choices=(*FORMS, MARKDOWN),
                        help="the format of the other program")
    parser.add_argument("--origin", type=_origin, metavar="NAME",
                        help="kcidb: the CI system that submits the report "
                             f"(default: {ORIGIN})")
    parser.add_argument("--build-id", type=_build_id, metavar="ORIGIN:ID",
                        help="kcidb: the build in KCIDB that was measured")
    parser.add_argument("file", nargs="+", metavar="FILE", help="results of memcache run")
    parser.add_argument("-o", dest="output", metavar="OUT",
                        help="write to this file, which is replaced as a whole (`-`: standard "
                             "output, as without -o)")


def _origin(text: str) -> str:
    if not re.fullmatch("[a-z0-9_]+", text):
        raise argparse.ArgumentTypeError(f"'{text}' has more than small letters, digits and _")
    return text


def _build_id(text: str) -> str:
    if not re.fullmatch("[a-z0-9_]+:.+", text):
        raise argparse.ArgumentTypeError(f"'{text}' is not ORIGIN:ID, such as maestro:1234")
    return text


def command(args: argparse.Namespace) -> int:
    options = {name: value for name in ("origin", "build_id") if (value := getattr(args, name))}
    if options and args.format != "kcidb":
        raise Failure("--origin and --build-id belong to --format kcidb", WRONG)
    return export(args.format, args.file, args.output, **options)


def export(form: str, names: list[str], output: str | None, **options: str) -> int:
    for name in names:
        if output and os.path.isfile(output) and os.path.exists(name) \
                and os.path.samefile(name, output):
            raise Failure(f"-o {output}: these are the results themselves", WRONG)
    loaded = {name: results.load(name) for name in names}
    called = captions.without_directories(loaded)
    for name, runs in loaded.items():
        if not any(run.results for run in runs):
            raise Failure(f"{name}: no results to export")
        for run in runs if len(loaded) > 1 else ():
            run.request["file"] = called[name]
    if form != "csv":
        loaded = {name: rounds.with_merged_rounds(runs) for name, runs in loaded.items()}
    if form == MARKDOWN:
        from mc.output import markdown  # only this form needs all that a page has
        text = markdown.text(loaded)
    else:
        text = FORMS[form]([run for runs in loaded.values() for run in runs], **options)
    if output:
        files.write(output, text.encode(errors="replace"))
    else:
        sys.stdout.write(text)
    return DONE
