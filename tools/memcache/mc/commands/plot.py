# SPDX-License-Identifier: GPL-2.0-only
"""`memcache plot`: draw results, with their machine and verdict."""

import argparse

from mc import Failure, plural, say
from mc.commands import options
from mc.output import charts, draw, files
from mc.output.captions import captions, warnings
from mc.records import rounds
from mc.status import DONE

EPILOG = """\
The results decide what is drawn: latency over size with its levels marked,
bandwidth over size, latency over bandwidth under load, heat maps of matrices,
and bars of everything else. Results of the same section share a picture.
This command needs matplotlib.
"""
KINDS = (*draw.FORMATS, "html")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="+", metavar="FILE", help="results of memcache run")
    parser.add_argument("-o", dest="output", metavar="OUT",
                        help="the picture: .svg, .png, .pdf or .html (default: the first FILE's "
                             "name with .svg); `-`: SVG on standard output")
    options.add_units(parser)


def command(args: argparse.Namespace) -> int:
    return plot(args.file, args.output)


def plot(names: list[str], output: str | None) -> int:
    output = output or files.path_beside(names[0], "svg")
    kind = "svg" if output == "-" else files.kind(output, KINDS)
    loaded = rounds.load_all(names)
    drawn = charts.charts(loaded)
    if not drawn:
        raise Failure("nothing to draw: no curve of three points, no two figures to compare")
    if kind == "html":
        from mc.output import document  # not needed for a picture alone
        files.write(output, document.gallery(loaded, drawn).encode(errors="replace"))
    else:
        files.write(output, draw.picture(drawn, captions(loaded), kind, warnings(loaded)))
    say(f"{output}: {plural(len(drawn), 'chart')}")
    return DONE
