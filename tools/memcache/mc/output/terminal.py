# SPDX-License-Identifier: GPL-2.0-only
"""The parts of a report as lines for a terminal. Text is wrapped and columns are aligned. A
table that is too wide is split into blocks, one below the other."""

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable
from textwrap import wrap

from mc.parts import Grid, Heading, Part, Picture, turn_matrix

NARROWEST, WIDEST = 40, 200
USUAL = 80              # the width of files and pipes, unless COLUMNS is set
CHANGE = r"([\d.]+x)?( *[+-][\d.]+ %)? ([↑↓])"
COLOURS = {"↑": 32, "↓": 31}        # green, red
BETWEEN = "  "          # what separates columns
DRAWN = "|"             # a cell that is a drawing begins so
TALLEST = 3             # lines that the name of a column may have


def width() -> int:
    """The largest width of a line, in columns."""
    return min(max(shutil.get_terminal_size((USUAL, 24)).columns, NARROWEST), WIDEST)


def painter() -> Callable[[str], str]:
    """A function that colours lines, if standard output shows colours: https://no-color.org"""
    shown = sys.stdout.isatty() and not os.environ.get("NO_COLOR") \
        and os.environ.get("TERM", "dumb") != "dumb"
    if shown:
        return colour_changes
    return str


def colour_changes(line: str) -> str:
    """The line, with colours where a change is marked as faster or slower."""
    return re.sub(CHANGE, lambda match: f"\033[{COLOURS[match[3]]}m{match[0]}\033[0m", line)


def lines(parts: Iterable[Part]) -> list[str]:
    """All lines of these parts."""
    text_lines: list[str] = []
    before: Part | None = None
    for part in parts:
        if text_lines and _has_gap(before, part):
            text_lines.append("")
        text_lines += _lines_of(part)
        before = part
    return text_lines


def _has_gap(before: Part | None, part: Part) -> bool:
    if part.gap is not None:
        return part.gap
    return isinstance(part, (Heading, Grid)) or isinstance(before, Grid)


def _lines_of(part: Part) -> list[str]:
    if isinstance(part, Grid):
        return [*wrap_lines(part.title), *table(part),
                *(["", *wrap_lines(part.note)] if part.note else [])]
    if isinstance(part, Heading):
        return wrap_lines(part.text)
    if isinstance(part, Picture):
        return [f"[{part.title}]", *(line for text in part.captions for line in wrap_lines(text))]
    text = " ".join(filter(None, [part.code, part.text]))
    return wrap_lines(text, part.bullet) if part.wrap else [part.bullet + text]


def wrap_lines(text: str, bullet: str = "") -> list[str]:
    """The text in lines; those after the first are indented as far as the bullet is wide. No word
    is torn: a name that is wider than the screen could not be copied."""
    return wrap(text, width(), initial_indent=bullet, subsequent_indent=" " * len(bullet),
                break_on_hyphens=False, break_long_words=False)


def split(name: str, most: int) -> list[str]:
    """The name of a column in at most `most` lines that are as narrow as possible. Words are
    not torn, and names of keys and figures are words."""
    words = [name] if name.startswith(DRAWN) else name.split(" ")
    for widest in range(max(map(len, words)), len(name)):
        filled = wrap(name, widest, break_on_hyphens=False)
        if len(filled) <= most:
            return filled
    return [name]


def table(grid: Grid) -> list[str]:
    """The column names, then the rows. Names of several words are split to make the table fit.
    If it is still too wide, a matrix is turned. Other tables are split into blocks, each of
    which repeats the columns that tell rows apart. If those alone are too wide, each row
    becomes a list."""
    heads, widths = _columns(grid)
    if grid.matrix and _total_width(widths) > width():
        other = turn_matrix(grid)
        if _total_width(_columns(other)[1]) < _total_width(widths):
            grid, (heads, widths) = other, _columns(other)
    names = grid.names or [""] * len(widths)
    first = max(grid.left, grid.keys)
    kept = [i for i, name in enumerate(names) if not name.startswith(DRAWN)
            or _total_width([*widths[:first], widths[i]]) <= width()]
    table_lines: list[str] = []
    blocks = _blocks(widths, first, kept)
    if grid.names and any(_total_width([widths[i] for i in block]) > width() for block in blocks):
        return _rows_as_lists(grid, first, kept)
    for columns in blocks:
        if table_lines:
            table_lines.append("")
        tall = max(len(heads[i]) for i in columns) if grid.names else 0
        padded = [[""] * (tall - len(head)) + head for head in heads]
        for level in range(tall):
            cells = [head[level] for head in padded]
            table_lines.append(_table_line(cells, widths, columns, grid.left))
        table_lines += [_table_line(row, widths, columns, grid.left) for row in grid.rows]
    return table_lines


def _columns(grid: Grid) -> tuple[list[list[str]], list[int]]:
    """The lines of the name of each column, and how wide each column is."""
    names = grid.names or [""] * len(grid.rows[0])
    for height in range(1, TALLEST + 1):
        heads = [split(name, height) for name in names]
        widths = [max(map(len, head + [row[i] for row in grid.rows]))
                  for i, head in enumerate(heads)]
        if _total_width(widths) <= width():
            break
    return heads, widths


def _rows_as_lists(grid: Grid, first: int, kept: list[int]) -> list[str]:
    """Each row as the keys that tell it apart and that it has, with its figures below."""
    text_lines = []
    for row in grid.rows:
        text_lines += wrap_lines(", ".join(f"{name} {cell}" for name, cell in
                                           zip(grid.names[:first], row) if cell != "na"))
        text_lines += [line for i in kept[first:]
                       for line in wrap_lines(f"{grid.names[i]} {row[i]}", "  ")]
    return text_lines


def _total_width(widths: list[int]) -> int:
    return sum(widths) + len(BETWEEN) * (len(widths) - 1)


def room(names: list[str], rows: list[list[str]]) -> int:
    """How wide one more column of this table may be."""
    return width() - _total_width([*(max(map(len, column)) for column in zip(names, *rows)), 0])


def _blocks(widths: list[int], first: int, kept: list[int]) -> list[list[int]]:
    """The columns of each block. The `first` columns are in every block."""
    blocks, block = [], kept[:first]
    for i in kept[first:]:
        if len(block) > first and _total_width([widths[c] for c in block + [i]]) > width():
            blocks.append(block)
            block = kept[:first]
        block = [*block, i]
    return [*blocks, block]


def _table_line(cells: list[str], widths: list[int], columns: list[int], left: int) -> str:
    return BETWEEN.join(cells[i].rjust(widths[i]) if i >= left else cells[i].ljust(widths[i])
                        for i in columns).rstrip()
