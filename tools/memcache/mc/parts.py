# SPDX-License-Identifier: GPL-2.0-only
"""The parts of a report. They say what is shown, not how: output/terminal.py turns them into
lines of text, output/page.py into HTML.

`gap` says whether a terminal prints an empty line before the part. None means the usual rule:
an empty line stands before a heading, before a grid and after a grid.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace


class Drawn(str):
    """A cell that is a drawing: its text is for terminals. A page draws `bars`, each with its
    place, its height up to 1 and its value in words, and writes `names` at their places; places
    are columns of `width`."""
    width: int
    bars: list[tuple[int, float, str]]
    names: list[tuple[int, str]]

    @classmethod
    def create(cls, text: str, width: int, bars: Iterable[tuple[int, float, str]] = (),
               names: Iterable[tuple[int, str]] = ()) -> "Drawn":
        cell = cls(text)
        cell.width, cell.bars, cell.names = width, list(bars), list(names)
        return cell


@dataclass(frozen=True)
class Heading:
    """A title. Level 1 is the title of a page, level 3 that of a section. What follows a folded
    one, up to the next heading, a page shows only when asked to."""
    text: str
    level: int = 3
    gap: bool | None = None
    folded: bool = False


@dataclass(frozen=True)
class Sentence:
    """A paragraph of one sentence or more. With a bullet it is an item of a list.

    wrap: whether a terminal breaks the text into lines
    loud: whether it is a warning that must not be missed
    code: what the user typed; it stands before the text
    """
    text: str
    bullet: str = ""
    gap: bool | None = None
    wrap: bool = True
    loud: bool = False
    code: str = ""


@dataclass(frozen=True)
class Grid:
    """A table. Without column names each row is a name and its value.

    left: how many columns are aligned to the left
    keys: how many columns tell the rows apart, if these are more than the ones to the left
    matrix: whether rows and columns may change places
    title: a line directly above the table
    note: a remark below the table
    strong: the columns of the figures that matter most; a table that has some is large
    """
    names: list[str]
    rows: list[list[str]]
    left: int = 1
    keys: int = 1
    matrix: bool = False
    title: str = ""
    note: str = ""
    gap: bool | None = None
    strong: tuple[int, ...] = ()


@dataclass(frozen=True)
class Picture:
    """A drawing in SVG; empty: it can't be drawn. Each caption is a paragraph below it. `wide` is
    the same for wide screens, across the page."""
    title: str
    svg: str
    captions: list[str] = field(default_factory=list)
    gap: bool | None = None
    wide: str = ""


def turn_matrix(grid: Grid) -> Grid:
    """A matrix whose rows have become columns."""
    down, _, across = grid.names[0].partition(" / ")
    return replace(grid, names=[" / ".join(filter(None, [across, down if across else ""])),
                                *(row[0] for row in grid.rows)],
                   rows=[[name, *(row[i] for row in grid.rows)]
                         for i, name in enumerate(grid.names) if i])


Part = Heading | Sentence | Grid | Picture


def bullets(texts: Sequence[str], gap: bool | None = None, most: int = 0) -> list[Part]:
    """The items of a list, or the first `most` of them and how many more there are. `gap` applies
    to the first item."""
    if most and len(texts) > most:
        texts = [*texts[:most], f"... and {len(texts) - most} more"]
    return [Sentence(text, "- ", None if number else gap) for number, text in enumerate(texts)]
