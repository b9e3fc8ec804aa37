# SPDX-License-Identifier: GPL-2.0-only
"""Many results files: those of directories, of stores, and those that are named."""

import os
from collections.abc import Iterable, Iterator
from itertools import islice

from mc import Failure, say
from mc.records import reading, rounds, store
from mc.records.results import Run
from mc.status import WRONG

KIND = ".jsonl"


class Reader:
    """The runs of all files, one file at a time. A file that can't be read is said and left
    out."""

    def __init__(self, what: list[str]) -> None:
        self.names = results_files(what)
        self.bad = 0

    def files(self) -> Iterator[tuple[str, list[Run]]]:
        for name in self.names:
            try:
                with reading.of(name):
                    runs = rounds.load(name)
            except Failure as failure:
                self.bad += 1
                say(f"{failure}; left out")
            else:
                yield name, runs


def results_files(what: Iterable[str], deep: bool = False) -> list[str]:
    """The results files that these directories, stores and files stand for. `deep` also looks
    into the directories of a directory."""
    return list(dict.fromkeys(store.with_store_entries(
        name for one in what for name in _files_of(one, deep))))


def _files_of(name: str, deep: bool) -> list[str]:
    """The results files of a directory; else the name itself."""
    if not os.path.isdir(name):
        return [name]
    folders = islice(os.walk(name), None if deep else 1)
    paths = sorted(os.path.join(folder, file) for folder, _, files in folders
                   for file in files if file.endswith(KIND))
    for path in paths:
        if not os.path.isfile(path):    # a pipe would be waited for, and a device never end
            say(f"{path}: no regular file; left out")
    paths = list(filter(os.path.isfile, paths))
    if not paths:
        raise Failure(f"{name}: no results files (*{KIND}) in this directory", WRONG)
    return paths


def host(runs: list[Run]) -> str:
    """The host that these records name; empty if they name none."""
    name = runs[0].machine.get("host")
    return name if isinstance(name, str) else ""


def hosts(names: Iterable[str]) -> dict[str, str]:
    """The host of each of these files: the name of the file without its end. An entry of a store
    has the name of the file that was recorded."""
    recorded = store.titles(names)
    return {name: os.path.basename(recorded.get(name, name)).removesuffix(KIND) for name in names}
