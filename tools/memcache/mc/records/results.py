# SPDX-License-Identifier: GPL-2.0-only
"""Results files: JSON Lines with one or more runs of one machine.

A run is a `machine` record, a `request` record, and as many `result` records as the request
says. The front end adds `label`, `suite`, `section` and `round` to a request, and
`job` if it is one of several: the place of the request among those of the run. The first request
has the names of all of them, `planned`.
"""

import io
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from sys import intern
from types import NoneType
from typing import TYPE_CHECKING

from mc import Failure, plural, quoted, say
from mc.records import derived, reading, schema, store, writing
from mc.records.fields import DISTURBED
from mc.records.tests import NUMBERS, WITH_WORDS
from mc.status import WRONG

SCHEMA = 1
SAME_MACHINE = ("kernel", "cpu", "hypervisor", "simulated")
UNITS = ("_ns", "_bytes", "_percent", "_per_s", "_mhz")     # keys that end so have numbers
MEASURED = ("ns_per_", "cycles_per_", "bytes_per_", "_mhz_")    # and so have keys with these
COUNTS = ("samples", "left_out", "threads")
HISTOGRAMS = ("histogram_ns_count", "tail")     # these have no single value
LIMIT = 1e30                # of all numbers
COMBINATIONS = 64           # of words, that are kept to be shared
WIDEST = 1 << 63            # of points in time, which stores and the C library keep in 64 bits
LINES = 10000               # of a list of lines
KEYS = 1000                 # that the results of a file may have together
HALF = re.compile("[\ud800-\udfff]")
FIRST = "record", "result"  # json takes a dictionary that has nothing for itself as empty
WORDS = {
    "machine": ("kernel", "cpu"),
    "request": ("test", "line", "state"),
    "result": ("test", "where"),
    "conclusion": ("id", "text"),       # of `show --json`
}

@dataclass
class Run:
    """A request and its results."""
    machine: dict
    request: dict
    results: list[dict] = field(default_factory=list)

    @property
    def label(self) -> str:
        return self.request.get("label") or self.request["line"]

    @property
    def where(self) -> str:
        """The side of the system-call boundary that measured: kernel or user."""
        return self.results[0]["where"] if self.results else self.request.get("where", "kernel")

    @property
    def suite(self) -> str | None:
        return self.request.get("suite")

    @property
    def section(self) -> str | None:
        return self.request.get("section")


def start_times(runs: Iterable[Run]) -> list[int]:
    """When the results were begun, of those of which it is known: ns since 1970."""
    return [start for run in runs for result in run.results
            if (start := result.get("started_unix_ns"))]


Pair = tuple[Run, dict]
Pairs = list[Pair]


class Cut(Failure):
    """The end of the data is missing, as after a full disk. `runs` has the complete lines."""

    def __init__(self, message: str, runs: list[Run]):
        super().__init__(message, WRONG)
        self.runs = runs


def load(path: str) -> list[Run]:
    """Read the runs of a file, or of an entry of a store; `-` is standard input. If only the
    end is missing, the results before it are used, with a warning."""
    try:
        return parse(read_lines(path), path)
    except Cut as cut:
        if not (count := sum(len(run.results) for run in cut.runs)):
            raise
        say(f"{cut}; the complete lines are used: {plural(count, 'result')}")
        return cut.runs


def read_lines(path: str) -> Iterable[bytes]:
    """The lines of a file, or of an entry of a store; `-` is standard input."""
    stored = store.read(path)
    return reading.lines(path, reading.ALIKE) if stored is None else stored


def create(path: str) -> io.FileIO:
    """Create a file for results, which must not exist yet; `-` is standard output. What root
    creates belongs to the owner of the directory, who may have called sudo."""
    try:
        if path == "-":
            return open(1, "wb", buffering=0, closefd=False)
        file, folder = writing.create(path)
        _hand_over(file.fileno(), folder)
        return file
    except FileNotFoundError:
        raise Failure(f"{path}: there is no directory {os.path.dirname(path)}", WRONG) from None
    except FileExistsError:
        raise Failure(f"{path} exists already and is not overwritten", WRONG) from None
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}", WRONG) from None


def write_all(file: io.FileIO, path: str, data: bytes) -> None:
    """Write all of this data to a file that create() made, and have it stored."""
    try:
        while data:
            data = data[file.write(data):]
        if path != "-":
            os.fsync(file.fileno())     # a power cut loses what the kernel still has
    except OSError as error:    # for example a full disk
        raise Failure(f"{'stdout' if path == '-' else path}: {error.strerror}") from None


def save(path: str, data: bytes) -> None:
    """Write a file for results, which must not exist yet."""
    with create(path) as file:
        write_all(file, path, data)


def as_text(record: dict) -> str:
    """The line of a record."""
    return json.dumps(record, separators=(",", ":"))


def with_more(line: str, more: dict) -> str:
    """The line of a record with more at its end. Its numbers keep their digits."""
    return f"{line.rstrip().removesuffix('}')},{as_text(more)[1:]}"


def as_data(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode(errors="replace")


def json_lines(runs: list[Run], more: Iterable[dict] = ()) -> Iterator[str]:
    """The records of these runs, and more. Each request says how many results there are, also if
    the file was cut short."""
    for run in runs:
        for record in (run.machine, run.request | {"records": len(run.results)}, *run.results):
            yield as_text(record)
    yield from map(as_text, more)


def missing_requests(runs: list[Run]) -> list[str]:
    """The names of the requests that were planned and of which the file has nothing."""
    awaited: list[dict[int, str]] = []
    for run in runs:
        if "planned" in run.request:
            awaited.append(dict(enumerate(run.request["planned"], 1)))
        if awaited:
            awaited[-1].pop(run.request.get("job", 0), None)
    return [name for names in awaited for name in names.values()]


def create_directory(path: str) -> None:
    """Create a directory for results unless it exists. It belongs to the owner of the one that it
    is in."""
    try:
        os.mkdir(path)
    except FileExistsError:
        return
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}", WRONG) from None
    directory = os.open(path, os.O_DIRECTORY | os.O_NOFOLLOW)
    _hand_over(directory, os.stat(os.path.dirname(path) or "."))
    os.close(directory)


def _hand_over(file: int, owner: os.stat_result) -> None:
    if os.geteuid() == 0 != owner.st_uid:
        with suppress(OSError):     # some filesystems have one owner for everything
            os.fchown(file, owner.st_uid, owner.st_gid)


def parse(lines: Iterable[bytes], name: str) -> list[Run]:
    """The runs in these lines. A Failure names the line that is wrong."""
    reader = _Reader()
    number = 0
    try:
        for line in lines:
            number += 1
            if not line.endswith(b"\n"):
                raise Cut(f"{name}:{number}: cut short in the middle of a line", reader.all_runs())
            reader.take(line)
    except Exception as error:
        where = name if isinstance(error, OSError) else f"{name}:{number}"
        raise reading.failure(where, error) from None
    if missing := reader.end():
        raise Cut(f"{name}:{number + 1}: {missing}", reader.all_runs())
    return reader.all_runs()


class _Reader:
    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.first: dict | None = None      # the first machine of the file
        self.machine: dict | None = None    # the machine of the next requests
        self.without_request = False        # no request has followed it yet
        self.keys: set[str] = set()         # of all results
        self.missing = 0                    # how many results of the last request are still to come
        self.left = reading.MOST            # bytes of lines that share nothing with others

    def take(self, line: bytes) -> None:
        record = _record(line)
        if type(record) is not Alike or dict.__len__(record) == 1:
            self.left -= len(line)
            if self.left < 0:
                raise ValueError(f"more than {reading.MOST >> 20} MiB")
        kind = record["record"]
        if self.missing and kind != "result":
            raise ValueError(self._message_on_missing_results())
        getattr(self, "_" + kind)(record)

    def all_runs(self) -> list[Run]:
        """The runs, with all that follows from their results."""
        for run in self.runs:
            derived.add_figures(run.results)
        return self.runs

    def end(self) -> str:
        """A sentence about records that are missing after the last line; empty if none are."""
        if self.missing:
            return self._message_on_missing_results()
        if self.without_request:
            return "cut short: no request follows the machine"
        return "" if self.runs else "empty: no results in this file"

    def _message_on_missing_results(self) -> str:
        return f"cut short: {plural(self.missing, 'more result')} " \
               f"{'belongs' if self.missing == 1 else 'belong'} to the request before"

    def _machine(self, record: dict) -> None:
        number = record.get("schema")
        if not isinstance(number, int) or not _is_count(number):
            raise ValueError("a machine record without `schema`")
        if number > SCHEMA:
            raise ValueError(f"schema {quoted(number)} is newer than this program, which knows "
                             f"{SCHEMA}")
        if self.without_request:
            raise ValueError("cut short: no request follows the machine before")
        self.first = self.first or record
        for key in SAME_MACHINE:
            if record.get(key) != self.first.get(key):
                raise ValueError(f"mixed: {key} is {quoted(repr(record.get(key)))} here, but "
                                 f"{quoted(repr(self.first.get(key)))} in line 1")
        if (place := schema.wrong_place(record)) is not None:
            raise ValueError(f"`{quoted(place.lstrip('.'))}` of the machine has a value that can't "
                             "be")
        if record.get("hypervisor", "") == "":  # "": an older version, of one without a name
            record["hypervisor"] = "unknown"
        self.machine, self.without_request = record, True

    def _request(self, record: dict) -> None:
        if not self.machine:
            raise ValueError("a request, but no machine before it")
        if not _is_count(record.get("records")):
            raise ValueError("a request record without the number of its `records`")
        self.runs.append(Run(self.machine, record))
        self.missing, self.without_request = record["records"], False

    def _result(self, record: dict) -> None:
        if not self.missing:
            raise ValueError("a result that belongs to no request before it")
        run = self.runs[-1]
        if record["test"] != run.request["test"]:
            raise ValueError(f"mixed: a result of {quoted(record['test'])} after a request for "
                             f"{quoted(run.request['test'])}")
        self.keys |= getattr(record, "shared", record).keys()
        if len(self.keys) > KEYS:
            raise ValueError(f"results with more than {KEYS} keys")
        run.results.append(record)
        self.missing -= 1

    def _conclusion(self, _record: dict) -> None:
        """A report draws its own from the results."""


def _record(line: bytes) -> dict:
    """The JSON object of a line, checked as far as a single line can be."""
    try:
        record = DECODER.decode(line.decode())
        bounded = (len(line) <= reading.TEXT and b"\\u" not in line) or _is_bounded(record)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON ({error})") from None
    if not bounded:
        raise ValueError("a text or a list that is too long, or a text that is not Unicode")
    if not isinstance(record, dict) or record.get("record") not in [*WORDS]:
        raise ValueError("not a record of memcache: no machine, request or result")
    kind = record["record"]
    types = tuple(map(type, record.values()))
    if kind == "result" and (alike := _alike_results(tuple(record), types)) and \
            (shared := alike.record(record)) is not None:
        return shared
    for key in WORDS[kind]:
        if not isinstance(record.get(key), str):
            raise ValueError(f"a {kind} record without `{key}`")
    for key, value in record.items():
        if not _check(kind, key)(value):
            raise ValueError(f"`{quoted(key)}` can't be {quoted(json.dumps(value))}")
    if kind in ("machine", "request") and not _is_bounded(list(record.values()), numbers=True):
        raise ValueError(f"a {kind} record with a number that is too large")
    return record


if TYPE_CHECKING:
    Whole = dict
else:
    class Whole(MutableMapping, dict):
        """A dictionary all of whose methods go through those that Alike has."""
        __slots__ = ()


class Alike(Whole):
    """A result that has for itself only what differs from another one, which many results share:
    a file of all pairs of many CPUs has too many for a whole dictionary each."""
    __slots__ = ("shared",)

    def __init__(self, shared: dict, own: Iterable[tuple[str, object]]) -> None:
        dict.__init__(self, own)
        self.shared = shared

    def __missing__(self, key: str) -> object:
        return self.shared[key]

    def __iter__(self) -> Iterator[str]:
        return iter([*self.shared, *self._added()])

    def __len__(self) -> int:
        return len(self.shared) + len(self._added())

    def _added(self) -> list[str]:
        return [key for key in dict.keys(self) if key not in self.shared]

    def __delitem__(self, key: str) -> None:
        self.shared = {name: value for name, value in self.shared.items() if name != key}
        dict.pop(self, key, None)

    def __or__(self, other: dict) -> dict:      # type: ignore[override]
        return {**self, **other}

    def __ne__(self, other: object) -> bool:
        return not self == other

    __getitem__, __setitem__ = dict.__getitem__, dict.__setitem__


class _Alike:
    """Results with the same keys, whose values have the same types and are possible if no number
    is negative or too large. Most results of a file are alike."""
    def __init__(self, keys: tuple[str, ...], numbers: list[str]) -> None:
        self.numbers = numbers
        self.take_numbers = itemgetter(*numbers)
        self.take_words = itemgetter(*(key for key in keys if key not in numbers))
        self.keys = keys
        # A record for each combination of words, and its numbers.
        self.with_words: dict[object, tuple[dict, tuple]] = {}

    def record(self, record: dict) -> dict | None:
        """A record that is equal to this one; None if a number may be impossible."""
        numbers = self.take_numbers(record)
        if min(numbers) < 0 or max(numbers) >= WIDEST or \
                min(filter(None, numbers), default=1) <= 1 / LIMIT:
            return None
        words = self.take_words(record)
        if words not in self.with_words:
            if len(self.with_words) >= COMBINATIONS:
                self.with_words.clear()
            self.with_words[words] = dict(zip(self.keys, record.values())), numbers
        shared, others = self.with_words[words]
        return Alike(shared, [FIRST, *((key, number) for key, number, other in zip(
            self.numbers, numbers, others) if number != other)])


@lru_cache
def _alike_results(keys: tuple[str, ...], types: tuple[type, ...]) -> _Alike | None:
    """The results with these keys and types of values; None if those do not tell whether the
    values are possible."""
    keys = tuple(map(intern, keys))     # those are looked up without comparing letters
    samples = {str: "", NoneType: None, int: 0, float: 0.0}
    of = dict(zip(keys, types))
    numbers = [key for key in keys if of[key] in (int, float)]
    if len(numbers) < 2 or any(of.get(key) is not str for key in WORDS["result"]) or not all(
            of[key] in samples and _check("result", key)(samples[of[key]]) for key in keys):
        return None
    return _Alike(keys, numbers)


@lru_cache
def _check(kind: str, key: str) -> Callable[[object], bool]:
    if key in ("label", "suite", "section"):
        return _allow_none(lambda value: isinstance(value, str))
    if key in ("directives", "planned"):
        return _are_lines
    if kind == "request" and key in ("round", "job"):
        return _is_count
    if kind == "request" and key == "line":
        return lambda value: bool(str(value).split())
    if kind == "request" and key == "where":
        return lambda value: isinstance(value, str)
    if kind != "result":
        return lambda value: True
    if key in COUNTS:
        return _is_count
    if key == "started_unix_ns":
        return _allow_none(_is_count)
    if key in DISTURBED:
        return _allow_none(_is_count)
    if key in HISTOGRAMS:
        return _allow_none(_is_tail if key == "tail" else _is_histogram)
    if key not in WITH_WORDS and (key in NUMBERS or key.endswith(UNITS) or any(
            word in key for word in MEASURED)):
        return lambda value: value is None or _is_number(value, least=0)
    return lambda value: value is None or isinstance(value, str) or _is_number(value)


def _allow_none(check: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: value is None or check(value)


def _are_lines(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(line, str) for line in value)


def _is_number(value: object, least: float = -LIMIT) -> bool:
    # Infinity and NaN are excluded, so arithmetic can't fail.
    return isinstance(value, (int, float)) and not isinstance(value, bool) \
        and least <= value < LIMIT and (not value or abs(value) > 1 / LIMIT)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < WIDEST


def _is_bounded(value: object, numbers: bool = False) -> bool:
    """Whether all texts in this value, and with `numbers` all numbers, are what a report can
    show."""
    if isinstance(value, str):
        return len(value) <= reading.TEXT and not HALF.search(value)
    if isinstance(value, dict):
        return all(_is_bounded(one, numbers) for pair in value.items() for one in pair)
    if isinstance(value, list):
        return len(value) <= LINES and all(_is_bounded(one, numbers) for one in value)
    return not numbers or value is None or isinstance(value, bool) or _is_number(value)


def _is_histogram(value: object) -> bool:
    """Whether it is [[from, count], ...] with rising values of `from`."""
    if not isinstance(value, list) or not all(
            isinstance(pair, list) and len(pair) == 2 and _is_number(pair[0])
            and _is_count(pair[1]) for pair in value):
        return False
    starts = [start for start, _ in value]
    return all(a < b for a, b in zip([-1, *starts], starts))


def _is_tail(value: object) -> bool:
    """Whether it has the causes of spikes, and spikes: [[at, ns, cause], ...]."""
    if not isinstance(value, dict) or not all(
            isinstance(value.get(key), list) for key in ("causes", "worst", "spikes")):
        return False
    return all(isinstance(one, list) and len(one) == 3 and _is_number(one[0], least=0)
               and _is_number(one[1], least=0) and isinstance(one[2], str)
               for one in value["worst"] + value["spikes"]) \
        and all(map(_is_cause, value["causes"])) \
        and ("trace_ns" not in value or _is_trace(value["trace_ns"]))


def _is_trace(value: object) -> bool:
    """Whether it has spikes one by one: of each window when it began, then pairs of times."""
    return isinstance(value, dict) and _is_count(value.get("unknown")) and all(
        isinstance(value.get(key), list) and all(
            isinstance(window, list) and len(window) % 2 and len(window) > 1
            and all(map(_is_count, window)) for window in value[key])
        for key in ("before", "during"))


def _is_cause(value: object) -> bool:
    """Whether it is the sum of all spikes of a cause, of which all is known, or nothing."""
    if not isinstance(value, dict) or not isinstance(value.get("cause"), str):
        return False
    count, times = value.get("count"), [value.get(key) for key in ("excess_ns", "longest_ns")]
    if not count:
        return count in (None, 0)
    return _is_count(count) and all(_is_number(time, least=0) for time in times)


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not a number in JSON")


DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
