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


def split_name(name: str) -> tuple[str, str] | None:
    """The path of a store, and which of its entries the name chooses: `runs.db` and `3` in
    `runs.db:3`. None if the name is not that of a store."""
    if is_store(name):
        return name, ""
    path, colon, which = name.rpartition(":")
    if colon and not os.path.exists(name) and is_store(path):
        return path, which
    return None


def with_store_entries(names: Iterable[str]) -> list[str]:
    """These names. In place of a store come the names of the entries that it chooses."""
    all_names = []
    for name in names:
        if parts := split_name(name):
            from mc.records import database
            path, which = parts
            with database.open_store(path) as store:
                all_names += [f"{path}:{entry.number}" for entry in store.choose_entries(which)]
        else:
            all_names.append(name)
    return all_names


def titles(names: Iterable[str]) -> dict[str, str]:
    """The names of the files that were recorded as these entries of stores."""
    stores = {parts[0] for name in names if (parts := split_name(name))}
    names_by_entry: dict[str, str] = {}
    for path in stores:
        from mc.records import database
        with database.open_store(path) as store:
            names_by_entry |= {f"{path}:{entry.number}": entry.name for entry in store.entries()}
    return names_by_entry


def read(name: str) -> list[bytes] | None:
    """The lines of the entry that this name stands for; None if it is not one of a store."""
    parts = split_name(name)
    if not parts:
        return None
    from mc.records import database
    path, which = parts
    with database.open_store(path) as store:
        chosen = store.choose_entries(which)
        if len(chosen) != 1:
            raise Failure(f"{name} stands for {plural(len(chosen), 'results file')}; name one, "
                          f"such as {path}:1. `memcache record {path}` lists them", WRONG)
        return store.recorded_lines(chosen[0])
