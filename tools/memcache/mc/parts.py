# SPDX-License-Identifier: GPL-2.0-only
"""What a report is made of: a list of parts, which say what is shown and not how.
output/terminal.py makes lines of them, output/page.py makes HTML.

`gap` is for a terminal: whether an empty line stands before the part. None leaves that to
the rule: one stands before a heading, before a grid and behind a grid.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Heading:
    """`level`: 1 is the title of a page."""
    text: str
    level: int = 3
    gap: bool | None = None


@dataclass(frozen=True)
class Sentence:
    """A paragraph of one sentence or more. With a bullet it is an item of a list.

    wrap: whether a terminal breaks it into lines
    loud: it warns the reader
    code: what somebody typed, which stands before the text
    """
    text: str
    bullet: str = ""
    gap: bool | None = None
    wrap: bool = True
    loud: bool = False
    code: str = ""


@dataclass(frozen=True)
class Grid:
    """A table: column names (none: each row is a name and its value) and rows of cells, of
    which the first `left` are aligned to the left.

    title: a line right above it
    note: a remark below it
    """
    names: list[str]
    rows: list[list[str]]
    left: int = 1
    title: str = ""
    note: str = ""
    gap: bool | None = None


@dataclass(frozen=True)
class Picture:
    """A drawing, as SVG, with a paragraph below it for each caption."""
    title: str
    svg: str
    captions: list[str] = field(default_factory=list)
    gap: bool | None = None


Part = Heading | Sentence | Grid | Picture


def bullets(texts: list[str], gap: bool | None = None) -> list[Part]:
    """The items of a list. `gap` is that of the first item."""
    return [Sentence(text, "- ", None if number else gap) for number, text in enumerate(texts)]
