# SPDX-License-Identifier: GPL-2.0-only
"""The samples of pcm-memory -csv, joined to the records of a run by time.

The file has two rows of names, the first with sockets and System, then a row for each
interval, which is written at the end of the interval and in local time. Fields are padded;
those of channels without memory are empty. Commas separate them, semicolons before 2019, and
some headers have both. pcm's own messages can stand anywhere in it.
"""

import re
import time
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from mc import Failure, grouped, out_of, plural, quoted, say
from mc.analysis import traffic
from mc.analysis.steps import median
from mc.records import reading
from mc.records.results import Run

CUT = re.compile(r"[,;]")
DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
CLOCK = re.compile(r"(\d{1,2}:\d{1,2}:\d{1,2})(?:\.(\d{1,9}))?")
SECOND = 10**9
WAYS = "read", "write"
# Reads and writes of the whole system in MB/s. The first pair that the file has counts, since
# Read and Write include persistent memory.
SYSTEM = (("DRAMRead", "DRAMWrite"), ("Read", "Write"))
SOCKET = ("Mem Read (MB/s)", "Mem Write (MB/s)")
# Memory that has columns of its own: CXL, persistent memory, HBM, whose channels are the EDC's.
OTHER = re.compile(r"(?:Ch\d+)?(CXL|PMM|PMEM|HBM|EDC|MCDRAM)(?!\.cache)[\w. ]*?(Read|Write)", re.I)
KINDS = {"pmem": "pmm", "edc": "hbm", "mcdram": "hbm"}
# The kinds that are part of these reads and writes.
INCLUDED = {SYSTEM[0]: ("hbm",), SYSTEM[1]: ("hbm", "pmm"), SOCKET: ()}


@dataclass(frozen=True)
class Sample:
    """A row of the file: its number from 1, its interval in ns since 1970, and MB/s (None: not
    in the file). `others` has those of memory with columns of its own, by kind and way
    (cxl_read), and `within` those that are part of `read` and `write`."""
    number: int
    start: int
    end: int
    read: float | None
    write: float | None
    others: dict[str, float | None] = field(default_factory=dict)
    within: dict[str, float | None] = field(default_factory=dict)

    def rate(self, name: str) -> float | None:
        """`read`, `write`, or one of the others."""
        every = {"read": self.read, "write": self.write} | self.others | self.within
        return every.get(name)


@dataclass
class Joined:
    """A record, its time, and the samples that lie within that time."""
    run: Run
    result: dict
    start: int
    end: int
    samples: list[Sample]

    def rate(self, name: str) -> float | None:
        """The mean rate in MB/s, weighted by the length of the samples; None if unknown."""
        return mean(self.samples, name)

    def others(self) -> dict[str, float | None]:
        """The rates of the memory that `read` and `write` do not include."""
        names = dict.fromkeys(name for sample in self.samples for name in sample.others)
        return {name: self.rate(name) for name in names}

    def amplification(self, name: str) -> float | None:
        """The bytes of traffic for each byte of payload during the record; None if unknown, or if
        other memory may have moved a part of them."""
        moved, payload = self.rate(name), traffic.payload_rate(self.result)
        other = sum(rate or 0 for rate in self.others().values())
        counted = sum(self.rate(way) or 0 for way in WAYS)
        if other > traffic.QUIET * counted or self._is_unseen():
            return None
        return moved / payload if moved is not None and payload else None

    def _is_unseen(self) -> bool:
        """Whether the record is of a node without CPUs, and pcm has no figures of such memory."""
        return any(traffic.has_no_cpus(self.run.machine, node)
                   for node in traffic.used_nodes(self.result)) and \
            not any(sample.within for sample in self.samples)


def mean(samples: list[Sample], name: str) -> float | None:
    """The mean rate, weighted by the length of the samples; None if none of them has it."""
    weighted = [(rate, s.end - s.start) for s in samples if (rate := s.rate(name)) is not None]
    return sum(rate * length for rate, length in weighted) / sum(length for _, length in weighted) \
        if weighted else None


def load(path: str) -> list[Sample]:
    """Read the samples of a file. A Failure names the line that is wrong."""
    text = reading.text(path).replace("\r\n", "\n").replace("\r", "\n")
    rows = [[cell.strip() for cell in CUT.split(line)] for line in text.split("\n")]
    head = next((i for i, row in enumerate(rows) if row[:2] == ["Date", "Time"]), 0)
    if not head:
        raise Failure(f"{path}:1: not of pcm-memory -csv: no two rows of names, of which the "
                      "second begins with Date,Time", 2)
    groups = next((row for row in reversed(rows[:head]) if row[:2] == ["", ""]), rows[head - 1])
    try:
        columns, included = _columns(groups, rows[head])
    except ValueError as error:
        raise Failure(f"{path}:{head + 1}: {error}", 2) from None
    if DATE.fullmatch(rows[-1][0]) and len(rows[-1]) < len(rows[head]):
        rows.pop()
        say(f"{path}: ends in the middle of a row, which is ignored")
    intervals: list[tuple] = []
    other, messages = 0, []
    for number, row in enumerate(rows[head + 1:], head + 2):
        if row in ([""], groups, rows[head]):
            continue
        # Old versions leave out columns if channels come and go.
        fits = len(row) == len(rows[head])
        if not DATE.fullmatch(row[0]) or (not fits and row[1:] and not CLOCK.fullmatch(row[1])):
            messages.append((number, row))
            continue
        other += not fits
        try:
            intervals.append(_row(row, columns if fits else {},
                                  intervals[-1][0] if intervals else 0))
        except ValueError as error:
            raise Failure(f"{path}:{number}: {error}", 2) from None
    if not intervals:
        raise Failure(f"{path}:{head + 2}: no samples in this file", 2)
    if other:
        say(f"{path}: {out_of(other, len(intervals), 'row')} have another number of columns than "
            "names, and are not used")
    if messages:
        number, row = messages[0]
        say(f"{path}: {plural(len(messages), 'line')} of other text, the first is {number}: "
            f"{quoted(', '.join(row))}")
    return _samples(intervals, included)


def _columns(groups: list[str], names: list[str]) -> tuple[dict[str, list[int]], tuple[str, ...]]:
    """The columns that are to be summed for each figure, and the kinds of other memory that are
    part of `read` and `write`. A group's name counts for all columns up to the next name."""
    filled: list[str] = []
    for group in groups:
        filled.append(group or (filled[-1] if filled else ""))
    filled += filled[-1:] * (len(names) - len(filled))
    places = grouped(((group == "System", name), column)
                     for column, (group, name) in enumerate(zip(filled, names)))
    for system, pair in ((True, SYSTEM[0]), (True, SYSTEM[1]), (False, SOCKET)):
        read, write = (places.get((system, name), []) for name in pair)
        if read and len(read) == len(write):
            return {"read": read, "write": write} | _columns_of_kinds(filled, names), INCLUDED[pair]
    raise ValueError("neither System's Read and Write nor a socket's Mem Read (MB/s) and Mem "
                     "Write (MB/s)")


def _columns_of_kinds(groups: list[str], names: list[str]) -> dict[str, list[int]]:
    """For each kind of memory: the system's columns, else the sockets', else the channels'."""
    places: dict[str, dict[int, list[int]]] = {}
    for column, (group, name) in enumerate(zip(groups, names)):
        if match := OTHER.match(name):
            kind, way = (part.lower() for part in match.groups())
            sort = 0 if group == "System" else 2 if re.search(r"Ch\d", name) else 1
            places.setdefault(f"{KINDS.get(kind, kind)}_{way}", {}).setdefault(sort, []).append(
                column)
    return {name: columns[min(columns)] for name, columns in places.items()}


def _row(row: list[str], columns: dict[str, list[int]], before: int) -> tuple:
    """The end of the interval, the width of its last digit (both in ns), and MB/s by figure."""
    end, grain = _time(row[0], "".join(row[1:2]), before)
    return end, grain, {name: _sum([row[column] for column in places])
                        for name, places in columns.items()}


def _sum(cells: list[str]) -> float | None:
    """The sum of these cells; None if one is empty, or if there are none."""
    for cell in cells:
        if cell and not re.fullmatch(r"-?\d{1,15}(\.\d*)?", cell):
            raise ValueError(f"{quoted(repr(cell))} is not a number of MB/s")
    values = [float(cell) for cell in cells if cell]
    # A channel that does not work is -1 in some versions.
    return sum(values) if values and len(values) == len(cells) and min(values) >= 0 else None


def _time(date: str, clock: str, before: int) -> tuple[int, int]:
    """2026-11-20, or 2026-1-5 before 2020; 12:30:00.250, or without a fraction."""
    match = CLOCK.fullmatch(clock)
    try:
        if not match:
            raise ValueError
        fields = time.strptime(f"{date} {match[1]}", "%Y-%m-%d %H:%M:%S")
        guesses = [int(time.mktime(fields[:8] + (summer,))) for summer in (1, 0, -1)]
    except (ValueError, OverflowError):
        raise ValueError(f"{quoted(f'{date},{clock}')} is not a date and time") from None
    fraction = int((match[2] or "").ljust(9, "0"))
    # An hour comes twice when summer time ends: time does not go back.
    ends = [guess * SECOND + fraction for guess in sorted(set(guesses))
            if time.localtime(guess)[:6] == fields[:6]] or [guesses[-1] * SECOND + fraction]
    return next((end for end in ends if end > before), ends[0]), 1 if match[2] else SECOND


def _samples(rows: list[tuple], included: tuple[str, ...]) -> list[Sample]:
    """The samples for these rows. An interval begins at the end of the one before, unless that
    was long ago."""
    steps = [b[0] - a[0] for a, b in zip(rows, rows[1:]) if b[0] > a[0]]
    usual = int(median(steps)) if steps else SECOND
    samples = []
    for number, (end, grain, rates) in enumerate(rows, 1):
        before = rows[number - 2][0] if number > 1 else end - usual
        start = before if 0 < end - before <= 2 * usual else end - usual
        # Whole seconds are cut off, so the interval ended within the second that follows.
        others: dict[bool, dict] = {False: {}, True: {}}
        for name, rate in rates.items():
            if name not in WAYS:
                others[name.startswith(included)][name] = rate
        samples.append(Sample(number, start, end + (grain if grain > 1 else 0), rates.get("read"),
                              rates.get("write"), others[False], others[True]))
    return samples


def join(runs: list[Run], samples: list[Sample]) -> list[Joined]:
    """Join each record to the samples that lie within its time."""
    joined = [Joined(run, result, *_span(result), []) for run in runs for result in run.results]
    order = sorted(joined, key=lambda one: one.start)
    for one, after in zip(order, order[1:]):
        if after.start > one.start:
            one.end = min(one.end, after.start)
    ordered = sorted(samples, key=lambda sample: sample.start)
    starts = [sample.start for sample in ordered]
    for one in order:
        inside = ordered[bisect_left(starts, one.start):bisect_right(starts, one.end)]
        one.samples = [sample for sample in inside if sample.end <= one.end]
    return joined


def _span(result: dict) -> tuple[int, int]:
    """The start and the end of a record in ns. The end is never too late."""
    start = result.get("started_unix_ns") or 0
    passes = sum(result.get(key) or 0 for key in ("samples", "left_out", "warmup"))
    each = (result.get("mean_ns") or 0) * (result.get("passes_per_sample") or 1)
    return start, start + int(passes * each)
