# SPDX-License-Identifier: GPL-2.0-only
"""A store: many results files in one SQLite database.

Each file is an entry. Its lines are kept as they are, so that the file comes out again byte for
byte; the digest of the file proves that.

A file goes in as a whole, in one transaction that begins with the lock for writing. So several
programs may record at once, and one that is killed leaves nothing half done. The store has a
rollback journal: it is one file, which needs no shared memory and can be read by users who may
not write it. A reader takes one entry at a time, so that no writer waits long.
"""

import hashlib
import os
import sqlite3
import struct
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass

from mc import Failure, grouped, hint, quoted
from mc.records import reading, writing
from mc.records.shape import numbers
from mc.status import WRONG

APPLICATION = 0x6D656D63        # `memc` in the header of the database
FORMAT = 1                      # of the tables
PAGE = 4096                     # bytes; recovery relies on it
WAIT_S = 60                     # how long a program waits for others that write

# Lines are text, so that SQL can look into them: `text ->> '$.mb_per_s'`. The runs of an entry,
# and the results of a run, follow each other. No row is ever changed or deleted.
TABLES = """
CREATE TABLE entry (entry INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, name TEXT NOT NULL,
    added_unix_ns INTEGER NOT NULL, started_unix_ns INTEGER, records INTEGER NOT NULL,
    kernel TEXT NOT NULL, cpu TEXT NOT NULL, version TEXT);
CREATE TABLE machine (machine INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE,
    text TEXT NOT NULL);
CREATE TABLE run (run INTEGER PRIMARY KEY, entry INTEGER NOT NULL, machine INTEGER NOT NULL,
    first INTEGER NOT NULL, records INTEGER NOT NULL, digest BLOB NOT NULL, text TEXT NOT NULL);
CREATE TABLE result (result INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE INDEX run_of_entry ON run (entry);
CREATE VIEW measured AS SELECT entry, run, result, kernel, version, run.text AS request,
    result.text AS text FROM entry JOIN run USING (entry)
    JOIN result ON result BETWEEN first AND first + run.records - 1;
"""

# What the columns of an entry hold. SQLite takes a value of any type in any column.
TYPES = (int, bytes, str, int, int | None, int, str, str, str | None)


@dataclass(frozen=True)
class Entry:
    """A file in the store. `started` is when its first result was measured."""
    number: int
    digest: bytes
    name: str
    added: int
    started: int | None
    records: int
    kernel: str
    cpu: str
    version: str | None


@dataclass(frozen=True)
class Lines:
    """The lines of a run, without their ends: its machine, its request, its results."""
    machine: str
    request: str
    results: list[str]

    @property
    def whole(self) -> list[bytes]:
        return [f"{text}\n".encode() for text in (self.machine, self.request, *self.results)]

    @property
    def digest(self) -> bytes:
        return digest(self.whole)


class Store:
    """An open store."""

    def __init__(self, path: str, base: sqlite3.Connection):
        self.path = path
        self.base = base

    def add(self, about: Entry, runs: Iterable[Lines]) -> tuple[int, bool]:
        """Keep a file. Returns the number of its entry, and whether the file is new."""
        with _write_transaction(self.base):
            row = self.base.execute("SELECT entry FROM entry WHERE digest = ?",
                                    (about.digest,)).fetchone()
            if row:
                return row[0], False
            number = self._insert(about, runs)
        return number, True

    def _insert(self, about: Entry, runs: Iterable[Lines]) -> int:
        """`about.number` is the number of the entry; 0 is the next free one."""
        number = self.base.execute(
            "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (about.number or None, about.digest, about.name, about.added, about.started,
             about.records, about.kernel, about.cpu, about.version)).lastrowid
        assert number
        first, = self.base.execute("SELECT ifnull(max(result), 0) + 1 FROM result").fetchone()
        for lines in runs:
            machine = digest([lines.machine.encode()])
            self.base.execute("INSERT OR IGNORE INTO machine (digest, text) VALUES (?, ?)",
                              (machine, lines.machine))
            self.base.execute(
                "INSERT INTO run (entry, machine, first, records, digest, text) "
                "SELECT ?, machine, ?, ?, ?, ? FROM machine WHERE digest = ?",
                (number, first, len(lines.results), lines.digest, lines.request, machine))
            self.base.executemany("INSERT INTO result VALUES (?, ?)",
                                  enumerate(lines.results, first))
            first += len(lines.results)
        return number

    def entries(self) -> list[Entry]:
        """All entries, the first measured first."""
        rows = self.base.execute("SELECT * FROM entry ORDER BY started_unix_ns, entry").fetchall()
        return [_entry_of(row) for row in rows]

    def _entry(self, number: int) -> Entry:
        row = self.base.execute("SELECT * FROM entry WHERE entry = ?", (number,)).fetchone()
        if not row:
            raise Failure(f"{self.path} has no entry {number}", WRONG)
        return _entry_of(row)

    def choose_entries(self, which: str) -> list[Entry]:
        """The entries with these numbers (`3`, `1-4,7`), or of this kernel. All if empty."""
        if wanted := numbers(which, most=10**6):
            return [self._entry(number) for number in dict.fromkeys(wanted)]
        entries = self.entries()
        if not which:
            return entries
        kernels = list(dict.fromkeys(entry.kernel for entry in entries))
        if which not in kernels:
            raise Failure(f"{self.path} has no entry of kernel {which}.{hint(which, kernels)} "
                          f"`memcache record {self.path}` lists its entries", WRONG)
        return [entry for entry in entries if entry.kernel == which]

    def runs(self, number: int) -> Iterator[Lines]:
        for machine, request, first, records in self.base.execute(
                "SELECT machine.text, run.text, first, records FROM run JOIN machine "
                "USING (machine) WHERE entry = ? ORDER BY run", (number,)).fetchall():
            _check_types((machine, request, first, records), (str, str, int, int))
            yield Lines(machine, request, self.results(first, records))

    def results(self, first: int, records: int) -> list[str]:
        """`records` results in a row. The result with the number `first` is the first of them."""
        rows = self.base.execute(
            "SELECT text FROM result WHERE result BETWEEN ? AND ? ORDER BY result",
            (first, first + records - 1)).fetchall()
        for row in rows:
            _check_types(row, (str,))
        return [text for text, in rows]

    def lines(self, number: int) -> list[bytes]:
        """The lines of the file that is this entry. Runs of a damaged store may share results."""
        return list(reading.bounded(line for run in self.runs(number) for line in run.whole))

    def recorded_lines(self, entry: Entry) -> list[bytes]:
        """The lines of an entry, which are those that were recorded."""
        lines = self.lines(entry.number)
        if digest(lines) != entry.digest:
            raise sqlite3.DatabaseError(f"entry {entry.number} is not what was recorded")
        return lines


def _entry_of(row: tuple) -> Entry:
    _check_types(row, TYPES)
    if any(isinstance(value, str) and len(value) > reading.TEXT for value in row):
        raise sqlite3.DatabaseError("a name is too long")
    return Entry(*row)


def _has_types(row: tuple, types: tuple) -> bool:
    return len(row) == len(types) and all(map(isinstance, row, types))


def _check_types(row: tuple, types: tuple) -> None:
    if not _has_types(row, types):
        raise sqlite3.DatabaseError("a value is of another type than its column")


def digest(lines: Iterable[bytes]) -> bytes:
    """The SHA-256 sum of these lines. Other lines have another one."""
    return hashlib.sha256(b"".join(lines)).digest()


@contextmanager
def open_store(path: str, new: bool = False) -> Iterator[Store]:
    """The store at this path. `new` makes it if nothing is there. If SQLite finds damage, a
    Failure says what to do."""
    try:
        if new and not os.path.exists(path):
            try:
                _make_store(path)
            except OSError as error:
                raise Failure(f"{path}: {error.strerror}", WRONG) from None
        with closing(_connect(path, "rw" if new else "ro")) as base:
            yield Store(path, base)
    except (Failure, OSError):      # of what is done with the store
        raise
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise Failure(f"{path}: other programs wrote to it for {WAIT_S} s; nothing was "
                          "recorded, try again") from None
        why = quoted(error) if new or os.path.exists(path) else \
            "there is no such store; `memcache record STORE FILE` makes one"
        raise Failure(f"{path}: {why}", WRONG) from None
    except Exception as error:      # nobody can list what damage leads to
        raise Failure(f"{path} is damaged: {quoted(error)}. `memcache record NEW --recover {path}` "
                      "puts what can be read into a new store", WRONG) from None


def _inode(file: str) -> tuple[int, int]:
    """Of an open file, by its number."""
    with suppress(OSError):
        status = os.fstat(int(file))
        return status.st_dev, status.st_ino
    return 0, 0


def _connect(path: str, mode: str) -> sqlite3.Connection:
    from urllib.parse import quote
    with ExitStack() as held:
        file = writing.find(path, held).file if mode == "rw" else None
        base = sqlite3.connect(f"file:{quote(path)}?mode={mode}", uri=True, timeout=WAIT_S,
                               isolation_level=None)
        # Besides us, SQLite must have it open: the owner of a directory can change it at any time.
        if file is not None and [_inode(one) for one in os.listdir("/proc/self/fd")].count(
                _inode(str(file))) < 2:
            base.close()
            raise Failure(f"{path}: is a link of another user", WRONG)
    try:
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * reading.LINE)     # of a row
        base.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, len(TABLES))
        base.execute("PRAGMA trusted_schema=0")
        application, = base.execute("PRAGMA application_id").fetchone()
        version, = base.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION:
            raise Failure(f"{path} is a database, but no store of memcache", WRONG)
        if version > FORMAT:
            raise Failure(f"{path} has format {version}, which is newer than this program, "
                          f"which knows {FORMAT}", WRONG)
        _check_tables(base, path)
    except BaseException:
        base.close()
        raise
    return base


def _check_tables(base: sqlite3.Connection, path: str) -> None:
    """A view in the place of a table could run for ever, a column that is computed take all
    memory, and a trigger do anything to the store."""
    found = base.execute("SELECT sql FROM sqlite_master WHERE type <> 'view' AND sql NOT NULL "
                         "AND name NOT GLOB 'sqlite_*' LIMIT 9")
    if sorted(text for text, in found) != sorted(
            text.strip() for text in TABLES.split(";") if "CREATE VIEW" not in text and text.strip()
    ):
        raise Failure(f"{path}: its tables are not those of a store of memcache", WRONG)


def _make_store(path: str) -> None:
    """An empty store. It gets its name when it is complete; the first of several wins."""
    import tempfile
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise Failure(f"{path}: there is no directory {folder}", WRONG)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".memcache-") as temporary:
        empty = os.path.join(temporary, "store")
        with closing(sqlite3.connect(empty, isolation_level=None)) as base:
            base.executescript(f"PRAGMA page_size={PAGE}; PRAGMA application_id={APPLICATION}; "
                               f"PRAGMA user_version={FORMAT}; {TABLES}")
        with suppress(FileExistsError):
            os.link(empty, path)


@contextmanager
def _write_transaction(base: sqlite3.Connection) -> Iterator[None]:
    """A transaction that begins with the lock for writing, so that two never wait for each
    other."""
    base.execute("BEGIN IMMEDIATE")
    try:
        yield
        base.execute("COMMIT")
    finally:
        if base.in_transaction:
            base.execute("ROLLBACK")


# ------------------------------------------------------------------- recovery

@dataclass
class Recovered:
    """What came out of a damaged store: entries as they were, entries of which a part is
    missing, and entries of which nothing could be read."""
    whole: int = 0
    part: int = 0
    lost: int = 0
    results: int = 0


def recover(damaged: str, path: str) -> Recovered:
    """Put everything that can be read of a damaged store into a new one. Entries keep their
    numbers. Of an entry that is not whole, the runs that are complete are kept."""
    import tempfile
    if os.path.exists(path):
        raise Failure(f"{path} exists already and is not overwritten", WRONG)
    with tempfile.TemporaryDirectory(prefix="memcache-") as folder:
        copy = os.path.join(folder, "copy")
        _copy(damaged, copy, os.path.join(folder, "empty"))
        with open_store(path, new=True) as store, closing(_connect(copy, "rw")) as base:
            base.text_factory = lambda data: data.decode(errors="replace")
            return _move_entries(Store(copy, base), store)


def _copy(damaged: str, copy: str, empty: str) -> None:
    """Copy a store and, as SQLite does, its journal. If its first page, which says what is
    where, is destroyed, it gets that of an empty store: the tables of all stores begin on the
    same pages."""
    import shutil
    try:
        shutil.copyfile(damaged, copy)
        if os.path.exists(damaged + "-journal"):
            shutil.copyfile(damaged + "-journal", copy + "-journal")
    except OSError as error:
        raise Failure(f"{error.filename}: {error.strerror}", WRONG) from None
    try:
        with closing(_connect(copy, "rw")) as base:
            for table in ("entry", "machine", "run", "result"):
                base.execute(f"SELECT 1 FROM {table} LIMIT 0")
            return
    except (sqlite3.DatabaseError, Failure):
        pass
    _make_store(empty)
    with open(empty, "rb") as file, open(copy, "r+b") as copied:
        first = bytearray(file.read(PAGE))
        pages = os.path.getsize(copy) // PAGE
        if pages < 2:
            raise Failure(f"{damaged}: nothing can be read", WRONG)
        first[28:32] = struct.pack(">I", pages)     # the size of the database, in pages
        copied.write(first)


def _move_entries(old: Store, new: Store) -> Recovered:
    """Move all entries. The digest of a run proves its lines, that of an entry its runs."""
    recovered = Recovered()
    about = {row[0]: Entry(*row) for row in _readable_rows(old, "entry") if _has_types(row, TYPES)}
    runs = grouped((row[1], row) for row in _readable_rows(old, "run"))
    for number in range(1, max([*about, *runs], default=0) + 1):
        lines = list(_proven_runs(old, runs.get(number, [])))
        entry = about.get(number)
        if not lines:
            recovered.lost += 1
            continue
        whole = entry is not None and digest(
            line for run in lines for line in run.whole) == entry.digest
        with _write_transaction(new.base):
            new._insert(entry if entry and whole else _entry_of_part(entry, number, lines), lines)
        recovered.whole += whole
        recovered.part += not whole
        recovered.results += sum(len(run.results) for run in lines)
    return recovered


def _readable_rows(old: Store, table: str) -> Iterator[tuple]:
    """All rows of a table that can be read. Where a page is destroyed, each number is tried; a
    row has 32 bytes at least, so the size of the file says how many there may be."""
    number, most = 0, os.path.getsize(old.path) // 32
    with suppress(sqlite3.DatabaseError):
        most = old.base.execute(f"SELECT ifnull(max({table}), 0) FROM {table}").fetchone()[0]
    while number < most:
        try:
            for row in old.base.execute(f"SELECT * FROM {table} NOT INDEXED WHERE {table} > ? "
                                        f"ORDER BY {table}", (number,)):
                number = row[0]
                yield row
            return
        except sqlite3.DatabaseError:
            number += 1     # the next one is lost, and perhaps others after it


def _proven_runs(old: Store, rows: list[tuple]) -> Iterator[Lines]:
    """The runs of these rows that are as they were recorded."""
    for _, _, machine, first, records, wanted, request in rows:
        with suppress(sqlite3.DatabaseError, TypeError, OverflowError):
            text = old.base.execute("SELECT text FROM machine WHERE machine = ?",
                                    (machine,)).fetchone()
            if text and (lines := Lines(text[0], request,
                                        old.results(first, records))).digest == wanted:
                yield lines


def _entry_of_part(about: Entry | None, number: int, lines: list[Lines]) -> Entry:
    """An entry for the complete runs of a damaged one. Its kernel, its CPU and its times come from
    these runs."""
    import json
    machine = json.loads(lines[0].machine)
    times = [json.loads(text).get("started_unix_ns") for run in lines for text in run.results]
    return Entry(number, digest(line for run in lines for line in run.whole),
                 about.name if about else f"recovered-{number}.jsonl",
                 about.added if about else time.time_ns(), min(filter(None, times), default=None),
                 sum(len(run.results) for run in lines), machine["kernel"], machine["cpu"],
                 machine.get("version"))
