# SPDX-License-Identifier: GPL-2.0-only
"""The list of the entries of a store."""

import time

from mc import plural, quoted
from mc.output import terminal
from mc.parts import Grid, Part, Sentence
from mc.records.database import Entry

SECOND = 10 ** 9
LEAST_NAME = 20     # columns for the name of a file


def listing(path: str, entries: list[Entry]) -> list[Part]:
    """All that `memcache record STORE` prints: one table. On a narrow terminal it has no version
    and no kernel, and cuts names of files."""
    rows = [[str(one.number), time_text(one.started), one.kernel, one.version or "-",
             str(one.records)] for one in entries]
    total = sum(entry.records for entry in entries)
    summary = Sentence(f"{path}: {plural(len(entries), 'file')}, {plural(total, 'result')}",
                       gap=True)
    if not rows:
        return [summary]
    names = ["entry", "measured, UTC", "kernel", "version", "results"]
    for less in ("version", "kernel"):
        if terminal.room(names, rows) < min(LEAST_NAME, max(len(one.name) for one in entries)):
            at = names.index(less)
            names, rows = names[:at] + names[at + 1:], [row[:at] + row[at + 1:] for row in rows]
    room = max(terminal.room(names, rows), len("x..."))
    whole = [[*row, quoted(one.name, room)] for row, one in zip(rows, entries)]
    return [Grid([*names, "file"], whole, left=len(names) - 1), summary]


def time_text(started: int | None) -> str:
    """A time as `2026-11-23 06:10`; `-` if it is not known."""
    if started is None:
        return "-"
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(started // SECOND))
