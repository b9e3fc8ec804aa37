# SPDX-License-Identifier: GPL-2.0-only
"""`memcache report`: write a page of results that needs no other file."""

import argparse

from mc import plural, say
from mc.commands import options
from mc.output import document, files, page
from mc.records import rounds
from mc.status import DONE

EPILOG = """\
The page needs no other file and loads nothing from the network. It can be read
on a phone and printed. This command needs matplotlib (Debian:
python3-matplotlib).
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="+", metavar="FILE", help="results of memcache run")
    parser.add_argument("-o", dest="output", metavar="OUT.html",
                        help="the page (default: the first FILE's name with .html); `-`: standard "
                             "output")
    options.add_units(parser)


def command(args: argparse.Namespace) -> int:
    return report(args.file, args.output)


def report(names: list[str], output: str | None) -> int:
    output = output or files.path_beside(names[0], "html")
    files.kind(output, ("", "html"))        # such as /dev/null, but no page.pdf
    loaded = rounds.load_all(names)
    html = page.document(document.title(loaded), document.parts(loaded))
    files.write(output, html.encode(errors="replace"))
    count = sum(len(run.results) for runs in loaded.values() for run in runs)
    say(f"{output}: {plural(count, 'record')}")
    return DONE
