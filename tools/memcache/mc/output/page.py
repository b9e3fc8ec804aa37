# SPDX-License-Identifier: GPL-2.0-only
"""The lines of a report as HTML: tables become tables again, sentences become
paragraphs. Whatever a results file says is text, never markup."""

from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby

from mc.table import Grid, Part, Said

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


def document(title: str, body: Iterable[str]) -> str:
    """A page that stands alone; nothing in it may load anything."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return "\n".join([
        "<!DOCTYPE html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        f"<title>{escape(title)}</title>", f"<style>\n{STYLE}</style>", "</head>", "<body>",
        *body, "</body>", "</html>", ""])


def heading(level: int, text: str) -> str:
    return f"<h{level}>{escape(text)}</h{level}>"


def paragraph(text: str, kind: str = "") -> str:
    return f"<p{_class(kind)}>{escape(text)}</p>"


def part(lines: list[str], level: int = 3) -> Iterator[str]:
    """A part of a report under its heading, which is what it begins with."""
    groups = list(_groups(lines))
    if groups and not isinstance(groups[0][0], Grid):
        title, own = groups.pop(0)
        if isinstance(title, Said):
            yield heading(level, title.text)
        else:
            yield heading(level, own[0])
            if own[1:]:
                groups.insert(0, (None, own[1:]))
    yield from _body(groups)


def text(lines: list[str]) -> Iterator[str]:
    """Lines without a heading."""
    yield from _body(list(_groups(lines)))


def _groups(lines: list[str]) -> Iterator[tuple[Grid | Said | None, list[str]]]:
    """Lines of one table or sentence together; plain lines by themselves, until
    an empty one."""
    for (whole, blank), own in groupby(lines, key=lambda line: (
            getattr(line, "whole", None) if isinstance(line, Part) else None, line == "")):
        if whole or not blank:
            yield whole, list(own)


def _body(groups: list[tuple]) -> Iterator[str]:
    listed = False
    seen: list[Grid] = []
    for whole, own in groups:
        bullet = isinstance(whole, Said) and bool(whole.bullet)
        if bullet != listed:
            yield "<ul>" if bullet else "</ul>"
        listed = bullet
        if bullet:
            yield f"<li>{escape(whole.text)}</li>"
        elif isinstance(whole, Said):
            yield paragraph(whole.text)
        elif isinstance(whole, Grid):
            if all(whole is not grid for grid in seen):     # in blocks, where it was too wide
                yield from grid(whole)
            seen.append(whole)
        else:
            yield from (paragraph(line) for line in own)
    if listed:
        yield "</ul>"


def grid(made: Grid) -> Iterator[str]:
    """A table that scrolls by itself where the page is narrow."""
    yield '<div class="scroll"><table>'
    yield f"<thead><tr>{_cells('th', made.names, made.left)}</tr></thead>"
    yield "<tbody>"
    yield from (f"<tr>{_cells('td', row, made.left)}</tr>" for row in made.rows)
    yield "</tbody></table></div>"


def facts(rows: list[tuple[str, str]]) -> Iterator[str]:
    """Names and what they are."""
    yield '<div class="scroll"><table class="facts"><tbody>'
    for name, value in rows:
        yield f'<tr><th class="left">{escape(name)}</th><td class="left">{escape(value)}</td></tr>'
    yield "</tbody></table></div>"


def _cells(tag: str, row: list[str], left: int) -> str:
    return "".join(f"<{tag}{_class(_kind(cell, i < left))}>{_broken(tag, cell)}</{tag}>"
                   for i, cell in enumerate(row))


def _kind(cell: str, left: bool) -> str:
    return "drawn" if cell.startswith("|") else "left" if left else ""


def _broken(tag: str, cell: str) -> str:
    """Names may be broken behind `_`."""
    return escape(cell).replace("_", "_<wbr>") if tag == "th" else escape(cell)


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
