# SPDX-License-Identifier: GPL-2.0-only
"""The list of the entries of a store."""

import time

from mc import plural
from mc.parts import Grid, Part, Sentence
from mc.records.database import Entry

SECOND = 10 ** 9


def listing(path: str, entries: list[Entry]) -> list[Part]:
    """All that `memcache record STORE` prints."""
    rows = [[str(one.number), when(one.started), one.kernel, one.version or "-",
             str(one.records), one.name] for one in entries]
    total = sum(entry.records for entry in entries)
    said = Sentence(f"{path}: {plural(len(entries), 'file')}, {plural(total, 'result')}", gap=True)
    return [Grid(["entry", "measured, UTC", "kernel", "version", "results", "file"], rows, left=4),
            said] if rows else [said]


def when(started: int | None) -> str:
    """A time as `2026-11-23 06:10`; `-` if it is not known."""
    if started is None:
        return "-"
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(started // SECOND))
