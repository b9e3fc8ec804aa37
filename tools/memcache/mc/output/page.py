# SPDX-License-Identifier: GPL-2.0-only
"""The parts of a report as HTML. Everything from a results file is text, never markup."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from html import escape
from itertools import groupby

from mc.parts import Drawn, Grid, Heading, Part, Picture, Sentence

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
.long { overflow-y: auto; max-height: 80vh; }
thead th { position: sticky; top: 0; background: var(--paper); }
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
code { font-size: .9em; }
details { border: 1px solid var(--line); border-radius: .4rem; padding: 0 .8rem; margin: .75rem 0; }
summary { cursor: pointer; padding: .5rem 0; }
summary h2, summary h3 { display: inline; border: 0; font-size: 1rem; }
.large { width: 100%; font-size: 1rem; }
.large th, .large td { padding: .35rem .6rem .35rem 0; vertical-align: top; text-align: left; }
.large th { white-space: normal; } .large small { display: block; color: var(--faint); }
.large .strong { font-size: 1.2rem; font-weight: 600; }
.speeds tr > :first-child { position: sticky; left: 0; z-index: 1; background: var(--paper); }
.pictures { display: grid; gap: 1.5rem; margin: 1rem 0;
            grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); }
.across { grid-column: 1 / -1; } .across .wide { display: none; }
@media (max-width: 45rem) {
  .large tr { display: flex; flex-wrap: wrap; }
  .large tbody th { flex: 0 0 100%; border: 0; } .large thead th:first-child { display: none; }
  .large td, .large thead th { flex: 1 1 0; white-space: normal; }
  .large .strong { font-size: 1rem; }
}
@media (min-width: 45rem) { .across .narrow { display: none; } .across .wide { display: block; } }
figure { margin: 0; min-width: 0; } figure svg { width: 100%; height: auto; display: block; }
.histogram { display: block; fill: var(--blue); }
.histogram text { font-size: 11px; fill: var(--ink); }
.histogram rect:hover { fill: var(--loud); }
@media print {
  nav { display: none; } body { max-width: none; padding: 0; font-size: 9.5pt; }
  .scroll, .long { overflow: visible; max-height: none; } table { font-size: 7pt; }
  th, td { white-space: normal; padding: .1rem .3rem; } .histogram { width: 8rem; height: .7rem; }
  details::details-content { content-visibility: visible; display: block; }
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
    Before the first chapter come links to all of them."""
    parts = list(parts)
    anchors = _anchors(parts)
    about, folded = "", False
    chapters = [part for part in parts if isinstance(part, Heading) and part.level == 2]
    for around, group in groupby(parts, key=_element_around):
        yield from [f"<{around}>"] if around else []
        for part in group:
            if isinstance(part, Heading):
                yield from ["</details>"] if folded else []
                yield from _contents(chapters, anchors) if part in chapters[:1] else []
                about, folded = part.text, part.folded
                yield from _heading(part, anchors.get(id(part), ""))
            elif isinstance(part, Grid):
                yield from _grid(part, about)
            else:
                yield from SHOWN[type(part)](part)
        yield from [f"</{around.split()[0]}>"] if around else []
    yield from ["</details>"] if folded else []


def _anchors(parts: list[Part]) -> dict[int, str]:
    """A name for each heading below the title, by the identity of the heading."""
    anchors: dict[int, str] = {}
    for part in parts:
        if isinstance(part, Heading) and part.level > 1:
            words = re.sub("[^a-z0-9]+", "-", part.text.lower()).strip("-")
            name, count = f"s-{words}", 1
            while name in anchors.values():
                count += 1
                name = f"s-{words}-{count}"
            anchors[id(part)] = name
    return anchors


def _contents(chapters: list[Heading], anchors: dict[int, str]) -> Iterator[str]:
    if len(chapters) > 1:
        yield '<nav aria-label="Contents"><ul>'
        yield from (f'<li><a href="#{anchors[id(part)]}">{escape(part.text)}</a></li>'
                    for part in chapters)
        yield "</ul></nav>"


def _element_around(part: Part) -> str:
    """The element around a row of such parts; empty if there is none."""
    if isinstance(part, Picture):
        return 'div class="pictures"'
    return "ul" if isinstance(part, Sentence) and part.bullet else ""


def _heading(part: Heading, anchor: str) -> Iterator[str]:
    tag, text = f"h{part.level}", escape(part.text)
    if part.folded:     # a link in it would not unfold it
        yield f'<details><summary><{tag} id="{anchor}">{text}</{tag}></summary>'
        return
    yield f'<{tag} id="{anchor}"><a href="#{anchor}">{text}</a></{tag}>' if anchor else \
        f"<{tag}>{text}</{tag}>"


def _with_code(text: str) -> str:
    """A text whose words in backticks are code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _sentence(part: Sentence) -> Iterator[str]:
    code = f"<code>{escape(part.code)}</code> " if part.code else ""
    tag = "li" if part.bullet else "p"
    kind = _class_attribute("loud" if part.loud else "")
    yield f"<{tag}{kind}>{code}{_with_code(part.text)}</{tag}>"


def _grid(part: Grid, about: str) -> Iterator[str]:
    """A table, which can be scrolled, also by keys, if the page is too narrow for it. `about`
    names it for those who do not see it. Columns of speeds stand before all others, and the first
    of them stays where it is: so a phone shows it."""
    speeds = [i for i, name in enumerate(part.names) if name.startswith(SPEED)]
    if part.strong:
        speeds = []
    order = [*speeds, *(i for i in range(len(part.names or part.rows[0])) if i not in speeds)]
    part = replace(part, names=part.names and [part.names[i] for i in order],
                   rows=[[row[i] for i in order] for row in part.rows])
    first = len(speeds)     # the column that names the row
    left = range(first, first + part.left)
    kind = "large" if part.strong else "facts" if not part.names else "speeds" if speeds else ""
    scrolled = f' tabindex="0" role="region" aria-label="{escape(part.title or about, True)}"' \
        if part.names else ""
    long = " long" if len(part.rows) > LONG else ""
    yield f'<div class="scroll{long}"{scrolled}><table{_class_attribute(kind)}>'
    if part.title:
        yield f"<caption>{escape(part.title)}</caption>"
    if part.names:
        heads = "".join(_cell("th", name, [] if i not in left else ["left"], "col")
                        for i, name in enumerate(part.names))
        yield f"<thead><tr>{heads}</tr></thead>"
    yield "<tbody>"
    for row in part.rows:
        cells = "".join(
            _cell("th" if i == first else "td", cell,
                  [MARKS.get(cell[-1:], "left" if i in left else ""),
                   "strong" if i in part.strong else ""], "row" if i == first else "")
            for i, cell in enumerate(row))
        yield f"<tr>{cells}</tr>"
    yield "</tbody></table></div>"
    if part.note:
        yield f"<p>{_with_code(part.note)}</p>"


def _picture(part: Picture) -> Iterator[str]:
    if part.wide:
        yield f'<figure class="across"><div class="narrow">{part.svg}</div>' \
              f'<div class="wide">{part.wide}</div><figcaption>'
    else:
        yield f"<figure>{part.svg or '<h3>' + escape(part.title) + '</h3>'}<figcaption>"
    yield from (f"<p>{_with_code(text)}</p>" for text in part.captions)
    yield "</figcaption></figure>"


SHOWN: dict[type, Callable] = {Sentence: _sentence, Picture: _picture}
SPEED = "speed"             # the begin of the names of such columns
MARKS = {"↑": "faster", "↓": "slower"}
COLUMN, TALL = 6, 24        # of a histogram, in its own units
LONG = 30                   # rows; a longer table is scrolled in itself
KEY = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)+|verified|effective|attribute")
RATE = re.compile(r"\b([kmg]i?)b per s\b")
UNITS = {"ns": "ns", "us": "us", "mib": "MiB", "kib": "KiB", "mhz": "MHz", "percent": "%"}
WORDS = {"cv_percent": "spread, %", "verified": "data", "effective": "type is real",
         "attribute": "page tables"}


def _cell(tag: str, cell: str, kinds: Collection[str], scope: str) -> str:
    """`scope`: what the cell is the head of, if it is: row or col."""
    of = f' scope="{scope}"' if scope else ""
    return f"<{tag}{of}{_class_attribute(' '.join(filter(None, kinds)))}>" \
           f"{_histogram(cell) if isinstance(cell, Drawn) else _text(cell, scope)}</{tag}>"


def _text(cell: str, scope: str) -> str:
    """The text of a cell; a second line is small."""
    first, _, second = cell.partition("\n")
    small = f"<small>{escape(second)}</small>" if second else ""
    return escape(column_words(first) if scope == "col" else first) + small


def column_words(name: str) -> str:
    """The name of a column in words, if it is a key of the records: `median, ns`."""
    if not KEY.fullmatch(name) or name in WORDS:
        return WORDS.get(name, name)
    text = RATE.sub(lambda match: f"{match[1].capitalize()}B/s", name.replace("_", " "))
    before, _, unit = text.rpartition(" ")
    return f"{before}, {UNITS[unit]}" if unit in UNITS else text


def _histogram(cell: Drawn) -> str:
    """A drawing in a cell: bars that say their values, or the names of places."""
    bars = "".join(
        f'<rect x="{COLUMN * place}" y="{TALL * (1 - high):.1f}" width="{COLUMN - 1}" '
        f'height="{max(TALL * high, 1):.1f}"><title>{escape(text)}</title></rect>'
        for place, high, text in cell.bars)
    names = "".join(f'<text x="{COLUMN * place}" y="{TALL - 4}">{escape(text)}</text>'
                    for place, text in cell.names)
    wide = COLUMN * cell.width
    return f'<svg class="histogram" viewBox="0 0 {wide} {TALL}" width="{wide}" height="{TALL}" ' \
           f'aria-hidden="true" preserveAspectRatio="none">{bars}{names}</svg>'


def _class_attribute(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
