# SPDX-License-Identifier: GPL-2.0-only
"""The parts of a report as lines for a terminal. Text is wrapped and columns are aligned. A
table that is too wide is split into blocks, one below the other."""

from collections.abc import Iterable
from textwrap import wrap

from mc.parts import Grid, Heading, Part, Picture

WIDTH = 100
BETWEEN = "  "          # what separates columns
TALLEST = 3             # lines that the name of a column may have


def lines(parts: Iterable[Part]) -> list[str]:
    """All lines of these parts."""
    found: list[str] = []
    before: Part | None = None
    for part in parts:
        if found and _gap(before, part):
            found.append("")
        found += _shown(part)
        before = part
    return found


def _gap(before: Part | None, part: Part) -> bool:
    if part.gap is not None:
        return part.gap
    return isinstance(part, (Heading, Grid)) or isinstance(before, Grid)


def _shown(part: Part) -> list[str]:
    if isinstance(part, Grid):
        return [*([part.title] if part.title else []), *table(part),
                *(["", part.note] if part.note else [])]
    if isinstance(part, Heading):
        return wrapped(part.text)
    if isinstance(part, Picture):
        return [f"[{part.title}]", *(line for text in part.captions for line in wrapped(text))]
    text = " ".join(filter(None, [part.code, part.text]))
    return wrapped(text, part.bullet) if part.wrap else [part.bullet + text]


def wrapped(text: str, bullet: str = "") -> list[str]:
    """The text in lines; those after the first are indented as far as the bullet is wide."""
    return wrap(text, WIDTH, initial_indent=bullet, subsequent_indent=" " * len(bullet),
                break_on_hyphens=False)


def split(name: str, most: int) -> list[str]:
    """The name of a column in at most `most` lines that are as narrow as possible. It is cut
    after `_`, `-` and spaces."""
    words = name.replace("_", "_\0").replace("-", "-\0").replace(" ", " \0").split("\0")
    for width in range(max(map(len, words)), len(name)):
        filled = [""]
        for word in words:
            if filled[-1] and len(filled[-1] + word) > width:
                filled.append("")
            filled[-1] += word
        if len(filled) <= most:
            return filled
    return [name]


def table(grid: Grid) -> list[str]:
    """The column names, then the rows. Names are split to make the table fit. If it is still
    too wide, it is split into blocks, each of which repeats the first column."""
    names = grid.names or [""] * len(grid.rows[0])
    for height in range(1, TALLEST + 1):
        heads = [split(name, height) for name in names]
        widths = [max(map(len, head + [row[i] for row in grid.rows]))
                  for i, head in enumerate(heads)]
        if _total(widths) <= WIDTH:
            break
    found: list[str] = []
    for columns in _blocks(widths):
        if found:
            found.append("")
        tall = max(len(heads[i]) for i in columns) if grid.names else 0
        padded = [[""] * (tall - len(head)) + head for head in heads]
        for level in range(tall):
            found.append(_line([head[level] for head in padded], widths, columns, grid.left))
        found += [_line(row, widths, columns, grid.left) for row in grid.rows]
    return found


def _total(widths: list[int]) -> int:
    return sum(widths) + len(BETWEEN) * (len(widths) - 1)


def _blocks(widths: list[int]) -> list[list[int]]:
    """The columns of each block. Column 0 is in every block."""
    blocks, block = [], [0]
    for i in range(1, len(widths)):
        if len(block) > 1 and _total([widths[c] for c in block + [i]]) > WIDTH:
            blocks.append(block)
            block = [0]
        block.append(i)
    return blocks + [block]


def _line(cells: list[str], widths: list[int], columns: list[int], left: int) -> str:
    return BETWEEN.join(cells[i].rjust(widths[i]) if i >= left else cells[i].ljust(widths[i])
                        for i in columns).rstrip()
