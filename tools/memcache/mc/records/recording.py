# SPDX-License-Identifier: GPL-2.0-only
"""Results files into a store, and out of it."""

import json
import os
import time
from collections.abc import Iterable, Iterator
from itertools import takewhile

from mc import Failure, say
from mc.records import database, reading, results
from mc.records.database import Entry, Lines, Store, digest
from mc.records.results import Cut, Run
from mc.status import WRONG


def keep(path: str, files: list[str]) -> Iterator[tuple[str, int, bool]]:
    """Keep these files in the store at this path. Yields each file, the number of its entry, and
    whether it is new."""
    with database.open_store(path, new=True) as store:
        for file in files:
            yield file, *take(store, file)


def take(store: Store, path: str) -> tuple[int, bool]:
    """Keep a results file. Returns the number of its entry, and whether it is new. If the end of
    the file is missing, its complete lines are kept, with a warning."""
    with reading.of(path):
        lines = list(reading.lines(path))
    try:
        runs = results.parse(lines, path)
    except Cut as cut:
        runs = cut.runs
        lines = list(_repeat_machine(takewhile(lambda line: line.endswith(b"\n"), lines)))
        lines = lines[:sum(2 + len(run.results) for run in runs)]
        if not lines:
            raise
        say(f"{cut}; the complete lines are kept")
    if len(lines) < sum(2 + len(run.results) for run in runs):
        lines = list(_repeat_machine(lines))
    return store.add(_entry(path, lines, runs), _split_lines(lines, runs))


def _repeat_machine(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines with the machine before each request: memcache-user -j has it once."""
    machine, before = b"", ""
    for line in lines:
        kind = json.loads(line)["record"]
        if kind == "machine":
            machine = line
        elif kind == "request" and before != "machine":
            yield machine
        before = kind
        yield line


def _entry(path: str, lines: list[bytes], runs: list[Run]) -> Entry:
    machine = runs[0].machine
    version = machine.get("version")
    return Entry(0, digest(lines), os.path.basename(path), time.time_ns(),
                 min(results.start_times(runs), default=None),
                 sum(len(run.results) for run in runs), machine["kernel"], machine["cpu"],
                 version if isinstance(version, str) else None)


def _split_lines(lines: list[bytes], runs: list[Run]) -> list[Lines]:
    """The lines of each run: the machine, the request, the results."""
    texts = (line[:-1].decode() for line in lines)
    return [Lines(next(texts), next(texts), [next(texts) for _ in run.results]) for run in runs]


def put(store: Store, entry: Entry, folder: str) -> str:
    """Write the file of an entry into a folder, byte for byte. A file of the same name is not
    overwritten: if its contents are different, the number of the entry becomes part of the
    name. A store may come from anywhere, so a name that is a path counts by its last word."""
    data = b"".join(store.recorded_lines(entry))
    named = os.path.basename(entry.name)
    if named in ("", ".", "..") or not named.isprintable():
        named = f"entry-{entry.number}.jsonl"
    stem, kind = os.path.splitext(named)
    for name in (named, f"{stem}-{entry.number}{kind}"):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, "rb") as file:
                if file.read() == data:
                    return path
            continue
        results.save(path, data)
        return path
    raise Failure(f"{path} exists already and is not overwritten", WRONG)
