# SPDX-License-Identifier: GPL-2.0-only
"""The samples of pcm-memory -csv, joined to the records of a run by time.

The file has two rows of names, the first with sockets and System, then a row for each
interval, which is written at the end of the interval and in local time. Fields are padded;
those of channels without memory are empty. Commas separate them, semicolons before 2019, and
some headers have both.
"""

import re
import time
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from statistics import median

from mc import Failure, say
from mc.analysis import traffic
from mc.records.results import Run

CUT = re.compile(r"[,;]")
SECOND = 10**9
# Reads and writes of the whole system in MB/s. The first pair that the file has counts, since
# Read and Write include persistent memory.
SYSTEM = (("DRAMRead", "DRAMWrite"), ("Read", "Write"))
SOCKET = ("Mem Read (MB/s)", "Mem Write (MB/s)")


@dataclass(frozen=True)
class Sample:
    """A row of the file: its number from 1, its interval in ns since 1970, and MB/s (None: not
    in the file)."""
    number: int
    start: int
    end: int
    read: float | None
    write: float | None


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
        told = [s for s in self.samples if getattr(s, name) is not None]
        return mean(told, name) if told else None

    def amplification(self, name: str) -> float | None:
        """The bytes of traffic for each byte of payload during the record; None if unknown."""
        moved, payload = self.rate(name), traffic.payload_rate(self.result)
        return moved / payload if moved is not None and payload else None


def mean(samples: list[Sample], name: str) -> float:
    total = sum(s.end - s.start for s in samples)
    return sum(getattr(s, name) * (s.end - s.start) for s in samples) / total


def load(path: str) -> list[Sample]:
    """Read the samples of a file. A Failure names the line that is wrong."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
    except UnicodeDecodeError:
        raise Failure(f"{path}: not text", 2) from None
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}", 2) from None
    rows = [[cell.strip() for cell in CUT.split(line)] for line in text.split("\n")]
    head = next((i for i, row in enumerate(rows) if row[:2] == ["Date", "Time"]), 0)
    if not head:
        raise Failure(f"{path}:1: not of pcm-memory -csv: no two rows of names, of which the "
                      "second begins with Date,Time", 2)
    try:
        columns = _columns(rows[head - 1], rows[head])
    except ValueError as error:
        raise Failure(f"{path}:{head + 1}: {error}", 2) from None
    if len(rows[-1]) < len(rows[head]) and rows.pop() != [""]:
        say(f"{path}: ends in the middle of a row, which is ignored")
    found: list[tuple] = []
    other = 0
    for number, row in enumerate(rows[head + 1:], head + 2):
        if row in ([""], rows[head - 1], rows[head]):
            continue
        # Old versions leave out columns if channels come and go.
        fits = len(row) == len(rows[head])
        other += not fits
        try:
            found.append(_row(row, columns if fits else ([], []), found[-1][0] if found else 0))
        except ValueError as error:
            raise Failure(f"{path}:{number}: {error}", 2) from None
    if not found:
        raise Failure(f"{path}:{head + 2}: no samples in this file", 2)
    if other:
        say(f"{path}: {other} of {len(found)} rows have another number of columns than names, "
            "and are not used")
    return _samples(found)


def _columns(groups: list[str], names: list[str]) -> tuple[list[int], list[int]]:
    """The columns of reads and those of writes, which are to be summed. A group's name counts
    for all columns up to the next name."""
    filled: list[str] = []
    for group in groups:
        filled.append(group or (filled[-1] if filled else ""))
    filled += filled[-1:] * (len(names) - len(filled))
    places: dict[tuple[bool, str], list[int]] = {}
    for column, (group, name) in enumerate(zip(filled, names)):
        places.setdefault((group == "System", name), []).append(column)
    for system, pair in ((True, SYSTEM[0]), (True, SYSTEM[1]), (False, SOCKET)):
        read, write = (places.get((system, name), []) for name in pair)
        if read and len(read) == len(write):
            return read, write
    raise ValueError("neither System's Read and Write nor a socket's Mem Read (MB/s) and Mem "
                     "Write (MB/s)")


def _row(row: list[str], columns: tuple[list[int], list[int]], before: int) -> tuple:
    """The end of the interval, the width of its last digit (both in ns), MB/s read and
    written."""
    end, grain = _time(row[0], "".join(row[1:2]), before)
    return end, grain, *(_sum([row[column] for column in side]) for side in columns)


def _sum(cells: list[str]) -> float | None:
    """The sum of these cells; None if one is empty, or if there are none."""
    for cell in cells:
        if cell and not re.fullmatch(r"-?\d{1,15}(\.\d*)?", cell):
            raise ValueError(f"{cell!r} is not a number of MB/s")
    values = [float(cell) for cell in cells if cell]
    # A channel that does not work is -1 in some versions.
    return sum(values) if values and len(values) == len(cells) and min(values) >= 0 else None


def _time(date: str, clock: str, before: int) -> tuple[int, int]:
    """2026-11-20, or 2026-1-5 before 2020; 12:30:00.250, or without a fraction."""
    match = re.fullmatch(r"(\d{1,2}:\d{1,2}:\d{1,2})(?:\.(\d{1,9}))?", clock)
    try:
        if not match:
            raise ValueError
        fields = time.strptime(f"{date} {match[1]}", "%Y-%m-%d %H:%M:%S")
        guesses = [int(time.mktime(fields[:8] + (summer,))) for summer in (1, 0, -1)]
    except (ValueError, OverflowError):
        raise ValueError(f"{date},{clock} is not a date and time") from None
    fraction = int((match[2] or "").ljust(9, "0"))
    # An hour comes twice when summer time ends: time does not go back.
    ends = [guess * SECOND + fraction for guess in sorted(set(guesses))
            if time.localtime(guess)[:6] == fields[:6]] or [guesses[-1] * SECOND + fraction]
    return next((end for end in ends if end > before), ends[0]), 1 if match[2] else SECOND


def _samples(found: list[tuple]) -> list[Sample]:
    """The samples for these rows. An interval begins at the end of the one before, unless that
    was long ago."""
    steps = [b[0] - a[0] for a, b in zip(found, found[1:]) if b[0] > a[0]]
    usual = int(median(steps)) if steps else SECOND
    samples = []
    for number, (end, grain, read, write) in enumerate(found, 1):
        before = found[number - 2][0] if number > 1 else end - usual
        start = before if 0 < end - before <= 2 * usual else end - usual
        # Whole seconds are cut off, so the interval ended within the second that follows.
        samples.append(Sample(number, start, end + (grain if grain > 1 else 0), read, write))
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
