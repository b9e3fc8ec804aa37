# SPDX-License-Identifier: GPL-2.0-only
"""The finding, the comparison and the tables of a report as Markdown, in GitHub's form of it, for
a comment or a wiki. Everything from a results file is text, never markup."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from mc.output import document
from mc.parts import Grid, Heading, Part, Picture, Sentence
from mc.records.results import Run

SPECIAL = re.compile(r"([\\|<>*_\[\]#~&!`])")
CODE = re.compile(r"(`[^`]+`)")


def text(files: dict[str, list[Run]]) -> str:
    """These files, whose rounds are merged."""
    parts = chain(document.beginning(files, wide=False), document.results(files, wide=False))
    return "\n".join(lines(parts)) + "\n"


def lines(parts: Iterable[Part]) -> Iterator[str]:
    """The lines of these parts, without pictures. Items of a list stand together."""
    listed = False
    for part in parts:
        if isinstance(part, Picture):
            continue
        bullet = isinstance(part, Sentence) and bool(part.bullet)
        yield from [""] if listed and not bullet else []
        listed = bullet
        if isinstance(part, Heading):
            yield from [f"{'#' * part.level} {_plain(part.text)}", ""]
        elif isinstance(part, Grid):
            yield from _table(part)
        else:
            words = " ".join(filter(None, [part.code and f"`{part.code}`", _sentence(part.text)]))
            yield ("- " if bullet else "") + (f"**{words}**" if part.loud else words)
            yield from [] if bullet else [""]
    yield from [""] if listed else []


def _table(grid: Grid) -> Iterator[str]:
    """A table, which has names of columns in Markdown, if only empty ones."""
    yield from [_sentence(grid.title), ""] if grid.title else []
    names = grid.names or [""] * len(grid.rows[0])
    yield _row(names)
    yield _row(["---" if i < grid.left else "---:" for i in range(len(names))])
    for row in grid.rows:
        yield _row([f"**{_plain(cell)}**" if i in grid.strong else _plain(cell)
                    for i, cell in enumerate(row)])
    yield from ["", _sentence(grid.note), ""] if grid.note else [""]


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _sentence(words: str) -> str:
    """A sentence, in which words in backticks are code."""
    return "".join(part if CODE.fullmatch(part) else _plain(part) for part in CODE.split(words))


def _plain(words: str) -> str:
    """A text in which nothing is markup. A second line of a cell stays one."""
    return SPECIAL.sub(r"\\\1", words).replace("\n", "<br>")
