# SPDX-License-Identifier: GPL-2.0-only
"""Plain tables: right-aligned columns, names wrapped to make them fit."""

from collections.abc import Iterable
from dataclasses import dataclass

WIDTH = 100
GAP = "  "


@dataclass(frozen=True)
class Grid:
    """A table before it is lines: so many columns are aligned to the left."""
    names: list[str]
    rows: list[list[str]]
    left: int


@dataclass(frozen=True)
class Said:
    """A sentence or more before they are lines."""
    text: str
    bullet: str


class Part(str):
    """A line that remembers what it is part of, for those who lay it out anew."""
    whole: Grid | Said

    def __new__(cls, text: str, whole: Grid | Said) -> "Part":
        made = super().__new__(cls, text)
        made.whole = whole
        return made


def split(name: str, lines: int) -> list[str]:
    """A name in at most so many lines, as narrow as can be; cut behind `_`, `-` and spaces."""
    words = name.replace("_", "_\0").replace("-", "-\0").replace(" ", " \0").split("\0")
    for width in range(max(map(len, words)), len(name)):
        filled = [""]
        for word in words:
            if filled[-1] and len(filled[-1] + word) > width:
                filled.append("")
            filled[-1] += word
        if len(filled) <= lines:
            return filled
    return [name]


def table(names: list[str], rows: list[list[str]], left: int = 1) -> list[str]:
    """Lines: the column names, then the rows. So many columns are aligned to the
    left; the first is repeated in each block when the table is too wide for one."""
    for height in (1, 2, 3):
        heads = [split(name, height) for name in names]
        widths = [max(map(len, head + [row[i] for row in rows])) for i, head in enumerate(heads)]
        if _total(widths) <= WIDTH:
            break
    lines: list[str] = []
    for columns in _blocks(widths):
        if lines:
            lines.append("")
        tall = max(len(heads[i]) for i in columns)
        padded = [[""] * (tall - len(head)) + head for head in heads]
        for level in range(tall):
            lines.append(_line([head[level] for head in padded], widths, columns, left))
        lines += [_line(row, widths, columns, left) for row in rows]
    grid = Grid(names, rows, left)
    return [Part(line, grid) for line in lines]


def _total(widths: list[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _blocks(widths: list[int]) -> list[list[int]]:
    """Which columns stand side by side; column 0 is in each block."""
    blocks, block = [], [0]
    for i in range(1, len(widths)):
        if len(block) > 1 and _total([widths[c] for c in block + [i]]) > WIDTH:
            blocks.append(block)
            block = [0]
        block.append(i)
    return blocks + [block]


def _line(cells: list[str], widths: list[int], columns: list[int], left: int) -> str:
    return GAP.join(cells[i].rjust(widths[i]) if i >= left else cells[i].ljust(widths[i])
                    for i in columns).rstrip()


def bullets(texts: Iterable[str], bullet: str = "- ") -> list[str]:
    return [line for text in texts for line in wrapped(text, bullet)]


def wrapped(text: str, bullet: str = "") -> list[str]:
    from textwrap import wrap
    said = Said(text, bullet)
    return [Part(line, said) for line in wrap(
        text, WIDTH, initial_indent=bullet, subsequent_indent=" " * len(bullet),
        break_on_hyphens=False)]
