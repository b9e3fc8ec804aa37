# SPDX-License-Identifier: GPL-2.0-only
"""The parts of a report as HTML. Everything from a results file is text, never markup."""

from collections.abc import Callable, Iterable, Iterator
from html import escape
from itertools import groupby

from mc.parts import Grid, Heading, Part, Picture, Sentence

STYLE = """\
:root { color-scheme: light; --ink: #222; --faint: #5c5c5c; --line: #d8d8d8; --loud: #a61b00; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 64rem; color: var(--ink); background: #fff;
       font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.75rem 0 .5rem; }
p { margin: .5rem 0; } ul { margin: .5rem 0; padding-left: 1.2rem; }
.faint, figcaption { color: var(--faint); font-size: .85rem; }
.loud { border-left: .3rem solid var(--loud); padding: .1rem .8rem; background: #fdf1ee; }
.scroll { overflow-x: auto; max-width: 100%; margin: .5rem 0; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .6rem; text-align: right; white-space: nowrap; overflow-wrap: normal; }
caption { text-align: left; }
th { vertical-align: bottom; font-weight: 600; border-bottom: 1px solid #888; }
td { border-bottom: 1px solid var(--line); }
.left { text-align: left; }
.facts th { border: 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.facts td { white-space: normal; overflow-wrap: anywhere; }
.drawn { font-family: monospace; white-space: pre; text-align: left; }
code { font-size: .9em; }
.pictures { display: grid; gap: 1.5rem; margin: 1rem 0;
            grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); }
figure { margin: 0; min-width: 0; } figure svg { width: 100%; height: auto; display: block; }
@media print {
  body { max-width: none; padding: 0; font-size: 9.5pt; }
  .scroll { overflow: visible; } table { font-size: 7pt; }
  th, td { white-space: normal; padding: .1rem .3rem; } .drawn { white-space: pre; font-size: 5pt; }
  h2, h3 { break-after: avoid; } figure, tr, .loud { break-inside: avoid; }
  .pictures { grid-template-columns: 1fr 1fr; }
}
"""


def document(title: str, parts: Iterable[Part]) -> str:
    """A page that needs no other file. Its policy forbids it to load anything."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return "\n".join([
        "<!DOCTYPE html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        f"<title>{escape(title)}</title>", f"<style>\n{STYLE}</style>", "</head>", "<body>",
        *body(parts), "</body>", "</html>", ""])


def body(parts: Iterable[Part]) -> Iterator[str]:
    """The HTML of these parts. Items in a row make a list, pictures in a row make a gallery."""
    for around, group in groupby(parts, key=_around):
        yield from [f"<{around}>"] if around else []
        for part in group:
            yield from SHOWN[type(part)](part)
        yield from [f"</{around.split()[0]}>"] if around else []


def _around(part: Part) -> str:
    """The element around a row of such parts; empty if there is none."""
    if isinstance(part, Picture):
        return 'div class="pictures"'
    return "ul" if isinstance(part, Sentence) and part.bullet else ""


def _heading(part: Heading) -> Iterator[str]:
    yield f"<h{part.level}>{escape(part.text)}</h{part.level}>"


def _sentence(part: Sentence) -> Iterator[str]:
    code = f"<code>{escape(part.code)}</code> " if part.code else ""
    tag = "li" if part.bullet else "p"
    yield f"<{tag}{_class('loud' if part.loud else '')}>{code}{escape(part.text)}</{tag}>"


def _grid(part: Grid) -> Iterator[str]:
    """A table that can be scrolled if the page is too narrow for it."""
    yield f'<div class="scroll"><table{_class("" if part.names else "facts")}>'
    if part.title:
        yield f"<caption>{escape(part.title)}</caption>"
    if part.names:
        yield f"<thead><tr>{_cells('th', part.names, part.left)}</tr></thead>"
    yield "<tbody>"
    yield from (f"<tr>{_cells('td', row, part.left)}</tr>" if part.names else
                f"<tr>{_cells('th', row[:1], 1)}{_cells('td', row[1:], 1)}</tr>"
                for row in part.rows)
    yield "</tbody></table></div>"
    if part.note:
        yield f"<p>{escape(part.note)}</p>"


def _picture(part: Picture) -> Iterator[str]:
    yield f"<figure>{part.svg}<figcaption>"
    yield from (f"<p>{escape(text)}</p>" for text in part.captions)
    yield "</figcaption></figure>"


SHOWN: dict[type, Callable] = {Heading: _heading, Sentence: _sentence, Grid: _grid,
                               Picture: _picture}


def _cells(tag: str, row: list[str], left: int) -> str:
    return "".join(f"<{tag}{_class(_kind(cell, i < left))}>{_broken(tag, cell)}</{tag}>"
                   for i, cell in enumerate(row))


def _kind(cell: str, left: bool) -> str:
    return "drawn" if cell.startswith("|") else "left" if left else ""


def _broken(tag: str, cell: str) -> str:
    """The text of a cell. A name may be broken after `_`."""
    return escape(cell).replace("_", "_<wbr>") if tag == "th" else escape(cell)


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
