# SPDX-License-Identifier: GPL-2.0-only
"""Reads of files, from results of `file op=read`: their rates, the bytes that memory reads for
each byte of the file, and the cost of the VFS of the kernel, of comparing each byte, and of more
readers."""

from collections.abc import Iterator
from dataclasses import dataclass

from mc import grouped, plural
from mc.analysis.steps import median
from mc.analysis.traffic import AMPLIFIED, WHY, allows_conclusions, amplification
from mc.analysis.words import Say, said
from mc.parts import Heading, Part, bullets
from mc.records import units
from mc.records.results import Pairs, Run

SAME = 0.1              # amplifications that differ by this or less count as the same
CACHED = 99.0           # percent of a file that count as all of it

# How the file was read: number of readers, bytes of a transfer, cache=, direct=.
Setting = tuple[int, int, str, str]
# Who read the file: where, check=.
PLAIN, VFS, CHECKED = ("user", "off"), ("kernel", "off"), ("kernel", "on")
CHECKED_PLAIN = ("user", "on")
NAMES = {PLAIN: "plain", VFS: "in the kernel", CHECKED: "checked",
         CHECKED_PLAIN: "checked in user space"}


@dataclass(frozen=True)
class Read:
    """The rate in MB/s; the bytes of memory read and written for each byte (None: not counted);
    the percentage of the file in the page cache."""
    rate: float
    read: float | None
    written: float | None
    cached: float | None


Reads = dict[Setting, dict[tuple[str, str], Read]]


def parts(runs: list[Run], emulated: bool) -> list[Part]:
    """A heading and a list; empty if no files were read."""
    by_setting = reads(runs)
    if not by_setting:
        return []
    counted = [pair for pair in _pairs(runs) if amplification(*pair, AMPLIFIED[0]) is not None]
    doubtful = [pair for pair in counted if not allows_conclusions(*pair)]
    texts = [*(_setting_in_words(setting, by, emulated) for setting, by in by_setting.items()),
             *([] if doubtful else [*_sentences_on_checking(by_setting),
                                    *_sentences_on_readers(by_setting),
                                    *_sentence_on_vfs(by_setting)]),
             *_sentence_on_uncached(by_setting), *_sentence_on_uncounted(runs),
             *said((doubtful, "reads_doubtful", {"count": (len(doubtful), len(counted))}),
                   (emulated, "rates_left_out", {}))]
    return [Heading("Reads of files"), *bullets(texts)]


def reads(runs: list[Run]) -> Reads:
    """The reads by setting and reader; several of one kind become their median."""
    groups: dict[Setting, dict[tuple[str, str], Pairs]] = {}
    for run, result in _pairs(runs):
        setting = (result.get("readers", 0), result.get("transfer_bytes", 0),
                   result.get("cache", ""), result.get("direct", ""))
        who = result["where"], result.get("check", "")
        groups.setdefault(setting, {}).setdefault(who, []).append((run, result))
    return {setting: {who: Read(median(r["mb_per_s"] for _, r in pairs), *(
        _median(pairs, key) for key in (*AMPLIFIED, "cached_percent")))
        for who, pairs in by.items()} for setting, by in groups.items()}


def _pairs(runs: list[Run]) -> Pairs:
    """The results that are reads of files, and not of wrong data."""
    return [(run, result) for run in runs for result in run.results
            if result["test"] == "file" and result.get("op") == "read"
            and result.get("mb_per_s") and result.get("verified") != "failed"]


def _median(pairs: Pairs, key: str) -> float | None:
    values = [value for pair in pairs
              if isinstance(value := amplification(*pair, key), (int, float))]
    return median(values) if values else None


def _name(setting: Setting) -> str:
    readers, transfer, cache, direct = setting
    return f"{plural(readers, 'reader')}, {units.size(transfer)}" + (
        ", dropped from the cache" if cache == "drop" else "") + (
        ", direct" if direct == "on" else "")


def _setting_in_words(setting: Setting, by: dict[tuple[str, str], Read], emulated: bool) -> str:
    """`1 reader, 512K: 3962 MB/s plain, 3900 in the kernel, 3100 checked; …`"""
    texts = []
    readers = [(NAMES[who], by[who]) for who in NAMES if who in by]
    if not emulated:
        texts.append(f"{units.rates().name}: " + ", ".join(
            f"{units.rate(one.rate, coarse=True)} {name}" for name, one in readers))
    for title, values in (("read", [(name, one.read) for name, one in readers]),
                          ("written", [(name, one.written) for name, one in readers])):
        counted = [f"{value:.2f} {name}" for name, value in values if value is not None]
        if counted:
            texts.append(f"memory {title} for each byte: {', '.join(counted)}")
    return f"{_name(setting)}: {'; '.join(texts) or 'measured'}."


def _sentences_on_checking(all_reads: Reads) -> list[Say]:
    """Sentences on how much more the memory reads if each byte is compared."""
    extra = {}
    for setting, by in all_reads.items():
        pairs = [(by[on].read, by[off].read) for on, off in ((CHECKED, VFS), (CHECKED_PLAIN, PLAIN))
                 if on in by and off in by]
        differences = [on - off for on, off in pairs if on is not None and off is not None]
        if differences:
            extra[setting] = differences[0]
    few = [_name(s) for s, more in extra.items() if more <= SAME]
    many = {_name(s): more for s, more in extra.items() if more > SAME}
    return said((few, "checks_cached", {"settings": few}),
                (many, "checks_cost", {"settings": [*many], "bytes": [*many.values()]}))


def _sentences_on_readers(all_reads: Reads) -> Iterator[Say]:
    """Sentences on what more readers change if all else is equal."""
    same: dict[tuple[int, int], list[str]] = {}
    for who in (PLAIN, VFS, CHECKED):
        groups = grouped((setting[1:], (setting[0], read)) for setting, by in all_reads.items()
                         if who in by and (read := by[who].read) is not None)
        for rest, points in groups.items():
            (few, low), (many, high) = min(points), max(points)
            what = f"{NAMES[who]}, {units.size(rest[0])}"
            if few < many and abs(high - low) <= SAME:
                same.setdefault((few, many), []).append(f"{what}: {high:.2f}")
            elif few < many:
                yield Say("readers_cost", few=few, many=many, low=low, high=high, what=what)
    for (few, many), names in same.items():
        yield Say("readers_same", few=few, many=many, settings=names)


def _sentence_on_vfs(all_reads: Reads) -> list[Say]:
    """A sentence that compares the memory traffic of reads in the kernel with that of system
    calls."""
    pairs = [(by[VFS].read, by[PLAIN].read) for by in all_reads.values()
             if VFS in by and PLAIN in by]
    differ = [kernel - plain for kernel, plain in pairs if kernel is not None and plain is not None]
    alike = max((abs(value) for value in differ), default=0) <= SAME
    return said((differ and alike, "vfs_plain", {}),
                (differ and not alike, "vfs_moves", {"change": " to ".join(dict.fromkeys(
                    f"{value:+.2f}" for value in sorted(differ)[::max(len(differ) - 1, 1)]))}))


def _sentence_on_uncached(all_reads: Reads) -> list[Say]:
    """A sentence if a file was partly read from disk, though the page cache should have held
    all of it."""
    low = [_name(setting) for setting, by in all_reads.items()
           if setting[2] == "keep" and setting[3] == "off"
           and any(one.cached is not None and one.cached < CACHED for one in by.values())]
    return said((low, "disk_in_rates", {"settings": low}))


def _sentence_on_uncounted(runs: list[Run]) -> list[Say]:
    """A sentence that says why there is no amplification."""
    whys = sorted({str(result.get("dram_why")) for run in runs for result in run.results
                   if result["test"] == "file" and result.get("op") == "read"
                   and amplification(run, result, AMPLIFIED[0]) is None})
    return said((whys, "reads_not_counted", {"why": [WHY.get(why, why) for why in whys]}))
