# SPDX-License-Identifier: GPL-2.0-only
"""Names of results that are in a store: `runs.db:3` is the file that is entry 3, and
`runs.db:6.1.0-50-amd64` are those that were measured with this kernel. A store is opened by
database.py, which is imported only if there is one."""

import os
from collections.abc import Iterable

from mc import Failure, plural
from mc.status import WRONG

MAGIC = b"SQLite format 3\0"


def is_store(path: str) -> bool:
    """Whether the file at this path is an SQLite database."""
    try:
        if not os.path.isfile(path):    # a pipe can be read only once
            return False
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def parted(name: str) -> tuple[str, str] | None:
    """A name as a store and what is chosen of it, `runs.db:3`; None if it is no store."""
    if is_store(name):
        return name, ""
    path, colon, which = name.rpartition(":")
    if colon and not os.path.exists(name) and is_store(path):
        return path, which
    return None


def expanded(names: Iterable[str]) -> list[str]:
    """These names, with the names of its chosen entries in place of a store."""
    found = []
    for name in names:
        if there := parted(name):
            from mc.records import database
            path, which = there
            with database.opened(path) as store:
                found += [f"{path}:{entry.number}" for entry in store.chosen(which)]
        else:
            found.append(name)
    return found


def titles(names: Iterable[str]) -> dict[str, str]:
    """The names of the files that were recorded as these entries of stores."""
    stores = {there[0] for name in names if (there := parted(name))}
    found: dict[str, str] = {}
    for path in stores:
        from mc.records import database
        with database.opened(path) as store:
            found |= {f"{path}:{entry.number}": entry.name for entry in store.entries()}
    return found


def read(name: str) -> list[bytes] | None:
    """The lines of the entry that this name stands for; None if it is not one of a store."""
    there = parted(name)
    if not there:
        return None
    from mc.records import database
    path, which = there
    with database.opened(path) as store:
        chosen = store.chosen(which)
        if len(chosen) != 1:
            raise Failure(f"{name} stands for {plural(len(chosen), 'results file')}; name one, "
                          f"such as {path}:1. `memcache record {path}` lists them", WRONG)
        return store.proven(chosen[0])
