# SPDX-License-Identifier: GPL-2.0-only
"""The parts of a report as HTML. Everything from a results file is text, never markup."""

import re
from collections.abc import Callable, Iterable, Iterator
from html import escape
from itertools import groupby

from mc.parts import Grid, Heading, Part, Picture, Sentence

STYLE = """\
:root { color-scheme: light dark; --paper: #fff; --ink: #222; --faint: #5c5c5c; --line: #d8d8d8;
        --loud: #a61b00; --behind: #fdf1ee; --faster: #00653e; --slower: #a61b00;
        --blue: #0072b2; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #16181b; --ink: #e4e4e4; --faint: #a3a3a3; --line: #3d4146;
          --loud: #ff8a70; --behind: #35201c; --faster: #5fd3a0; --slower: #ff8a70;
          --blue: #4ba3de; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 64rem; color: var(--ink);
       background: var(--paper); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; border-bottom: 1px solid var(--line); }
nav + h2, h1 + h2 { margin-top: 1rem; }
h3 { font-size: 1rem; margin: 1.75rem 0 .5rem; }
h2 a, h3 a { color: inherit; text-decoration: none; }
h2 a:hover, h3 a:hover { text-decoration: underline; }
nav ul { display: flex; flex-wrap: wrap; gap: 0 1.2rem; padding: 0; list-style: none; }
nav a { color: inherit; }
p { margin: .5rem 0; } ul { margin: .5rem 0; padding-left: 1.2rem; }
.faint, figcaption { color: var(--faint); font-size: .85rem; }
.loud { border-left: .3rem solid var(--loud); padding: .1rem .8rem; background: var(--behind); }
.scroll { overflow-x: auto; max-width: 100%; margin: .5rem 0; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .6rem; text-align: right; white-space: nowrap; overflow-wrap: normal; }
caption { text-align: left; }
th { vertical-align: bottom; font-weight: 600; border-bottom: 1px solid var(--faint); }
td, tbody th { border-bottom: 1px solid var(--line); }
tbody th { font-weight: inherit; }
.left { text-align: left; }
.faster { color: var(--faster); } .slower { color: var(--slower); }
.facts th { font-weight: 600; vertical-align: top; }
.facts td { white-space: normal; overflow-wrap: anywhere; }
.drawn { font-family: monospace; white-space: pre; text-align: left; }
code { font-size: .9em; }
.pictures { display: grid; gap: 1.5rem; margin: 1rem 0;
            grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); }
figure { margin: 0; min-width: 0; } figure svg { width: 100%; height: auto; display: block; }
figure:only-child svg { max-width: 27rem; }
@media print {
  nav { display: none; } body { max-width: none; padding: 0; font-size: 9.5pt; }
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
    """The HTML of these parts. Items in a row make a list, pictures in a row make a gallery.
    After the title of the page come links to its chapters."""
    parts = list(parts)
    anchors = _anchors(parts)
    about = ""
    for around, group in groupby(parts, key=_around):
        yield from [f"<{around}>"] if around else []
        for part in group:
            if isinstance(part, Heading):
                about = part.text
                yield from _heading(part, anchors.get(id(part), ""))
                yield from _contents(parts, anchors) if part.level == 1 else []
            elif isinstance(part, Grid):
                yield from _grid(part, about)
            else:
                yield from SHOWN[type(part)](part)
        yield from [f"</{around.split()[0]}>"] if around else []


def _anchors(parts: list[Part]) -> dict[int, str]:
    """A name for each heading below the title, by the identity of the heading."""
    found: dict[int, str] = {}
    for part in parts:
        if isinstance(part, Heading) and part.level > 1:
            words = re.sub("[^a-z0-9]+", "-", part.text.lower()).strip("-")
            name, count = f"s-{words}", 1
            while name in found.values():
                count += 1
                name = f"s-{words}-{count}"
            found[id(part)] = name
    return found


def _contents(parts: list[Part], anchors: dict[int, str]) -> Iterator[str]:
    chapters = [part for part in parts if isinstance(part, Heading) and part.level == 2]
    if len(chapters) > 1:
        yield '<nav aria-label="Contents"><ul>'
        yield from (f'<li><a href="#{anchors[id(part)]}">{escape(part.text)}</a></li>'
                    for part in chapters)
        yield "</ul></nav>"


def _around(part: Part) -> str:
    """The element around a row of such parts; empty if there is none."""
    if isinstance(part, Picture):
        return 'div class="pictures"'
    return "ul" if isinstance(part, Sentence) and part.bullet else ""


def _heading(part: Heading, anchor: str) -> Iterator[str]:
    tag, text = f"h{part.level}", escape(part.text)
    yield f'<{tag} id="{anchor}"><a href="#{anchor}">{text}</a></{tag}>' if anchor else \
        f"<{tag}>{text}</{tag}>"


def _with_code(text: str) -> str:
    """A text whose words in backticks are code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _sentence(part: Sentence) -> Iterator[str]:
    code = f"<code>{escape(part.code)}</code> " if part.code else ""
    tag = "li" if part.bullet else "p"
    yield f"<{tag}{_class('loud' if part.loud else '')}>{code}{_with_code(part.text)}</{tag}>"


def _grid(part: Grid, about: str) -> Iterator[str]:
    """A table, which can be scrolled, also by keys, if the page is too narrow for it. `about`
    names it for those who do not see it."""
    scrolled = f' tabindex="0" role="region" aria-label="{escape(part.title or about, True)}"' \
        if part.names else ""
    yield f'<div class="scroll"{scrolled}><table{_class("" if part.names else "facts")}>'
    if part.title:
        yield f"<caption>{escape(part.title)}</caption>"
    if part.names:
        yield f"<thead><tr>{_cells('th', part.names, part.left, 'col')}</tr></thead>"
    yield "<tbody>"
    yield from (f"<tr>{_cells('th', row[:1], 1, 'row')}"
                f"{_cells('td', row[1:], part.left - 1)}</tr>" for row in part.rows)
    yield "</tbody></table></div>"
    if part.note:
        yield f"<p>{_with_code(part.note)}</p>"


def _picture(part: Picture) -> Iterator[str]:
    yield f"<figure>{part.svg}<figcaption>"
    yield from (f"<p>{_with_code(text)}</p>" for text in part.captions)
    yield "</figcaption></figure>"


SHOWN: dict[type, Callable] = {Sentence: _sentence, Picture: _picture}
MARKS = {"↑": "faster", "↓": "slower"}


def _cells(tag: str, row: list[str], left: int, scope: str = "") -> str:
    """`scope`: what the cells are heads of, if they are: row or col."""
    of = f' scope="{scope}"' if scope else ""
    return "".join(
        f"<{tag}{of}{_class(_kind(cell, i < left))}>{_broken(scope, cell)}</{tag}>"
        for i, cell in enumerate(row))


def _kind(cell: str, left: bool) -> str:
    return "drawn" if cell.startswith("|") else MARKS.get(cell[-1:], "left" if left else "")


def _broken(scope: str, cell: str) -> str:
    """The text of a cell. The name of a column may be broken after `_`."""
    return escape(cell).replace("_", "_<wbr>") if scope == "col" else escape(cell)


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
