# SPDX-License-Identifier: GPL-2.0-only
"""`memcache report`: write a page of results that needs no other file."""

import argparse

from mc import plural, say
from mc.commands import options
from mc.output import files
from mc.records import rounds
from mc.status import DONE

EPILOG = """\
The page needs no other file and loads nothing from the network. It can be read
on a phone and printed. It has no pictures where this Python has no matplotlib.

--contribute writes the model of the CPU, the year and figures that memcache
reference has, as one file for all FILEs, which are of one machine.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="+", metavar="FILE", help="results of memcache run")
    parser.add_argument("-o", dest="output", metavar="OUT.html",
                        help="the page (default: the first FILE's name with .html); `-`: standard "
                             "output")
    parser.add_argument("--contribute", metavar="OUT.json",
                        help="write no page, but the figures of this CPU model alone, to give "
                             "them to others; without any name or address")
    options.add_units(parser)


def command(args: argparse.Namespace) -> int:
    if args.contribute:
        return contribute(args.file, args.contribute)
    return report(args.file, args.output)


def contribute(names: list[str], output: str) -> int:
    """Write what a person may send. Return an exit status."""
    import json

    from mc.analysis.contribution import contribution
    told = contribution([run for name in names for run in rounds.load(name)])
    files.write(output, (json.dumps(told, indent=1) + "\n").encode())
    say(f"{output}: {plural(len(told['figures']), 'figure')} of {told['model']}. Read it, then add "
        "it to tools/reference/contributed")
    return DONE


def report(names: list[str], output: str | None) -> int:
    output = output or files.path_beside(names[0], "html")
    files.kind(output, ("", "html"))        # such as /dev/null, but no page.pdf
    from mc.output import document, draw, page
    loaded = rounds.load_all(names)
    html = page.document(document.title(loaded), document.parts(loaded))
    files.write(output, html.encode(errors="replace"))
    count = sum(len(run.results) for runs in loaded.values() for run in runs)
    say(f"{output}: {plural(count, 'record')}{draw.without_pictures()}")
    return DONE
