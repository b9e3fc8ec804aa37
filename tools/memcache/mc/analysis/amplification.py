# SPDX-License-Identifier: GPL-2.0-only
"""Reads of files, from results of `file op=read`: their rates, the bytes that memory reads for
each byte of the file, and the cost of the VFS of the kernel, of comparing each byte, and of more
readers."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mc import out_of
from mc.analysis.steps import median
from mc.analysis.traffic import AMPLIFIED, WHY, Pairs, allows_conclusions, amplification
from mc.parts import Heading, Part, bullets
from mc.records import units
from mc.records.results import Run

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
             *_sentence_on_uncached(by_setting), *_sentence_on_uncounted(runs)]
    if doubtful:
        texts.append("No conclusion is drawn from the counters: in "
                     f"{out_of(len(doubtful), len(counted), 'result')} it is not known that they "
                     "count all of the memory that can hold the file (`memcache run --counters` "
                     "keeps which they count), or "
                     "they claim more than it can move.")
    if emulated:
        texts.append("Rates are left out: on an emulated machine no difference between them "
                     "means anything.")
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
    return f"{readers} reader{'' if readers == 1 else 's'}, {units.size(transfer)}" + (
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


def _sentences_on_checking(all_reads: Reads) -> Iterator[str]:
    """Sentences on how much more the memory reads if each byte is compared."""
    extra = {}
    for setting, by in all_reads.items():
        pairs = [(by[on].read, by[off].read) for on, off in ((CHECKED, VFS), (CHECKED_PLAIN, PLAIN))
                 if on in by and off in by]
        differences = [on - off for on, off in pairs if on is not None and off is not None]
        if differences:
            extra[setting] = differences[0]
    few = [s for s, more in extra.items() if more <= SAME]
    many = {s: more for s, more in extra.items() if more > SAME}
    if few:
        yield f"Comparing each byte reads next to nothing more from memory ({_names(few)}): what " \
              "was just read is still in the caches."
    if many:
        values = list(dict.fromkeys(f"{v:.2f}" for v in (min(many.values()), max(many.values()))))
        yield f"Comparing each byte costs {' to '.join(values)} more reads of it from memory " \
              f"({_names(many)}): the caches no longer hold what was just read."


def _sentences_on_readers(all_reads: Reads) -> Iterator[str]:
    """Sentences on what more readers change if all else is equal."""
    same: dict[tuple[int, int], list[str]] = {}
    for who in (PLAIN, VFS, CHECKED):
        groups: dict[tuple, list[tuple[int, float]]] = {}
        for setting, by in all_reads.items():
            if who in by and (read := by[who].read) is not None:
                groups.setdefault(setting[1:], []).append((setting[0], read))
        for rest, points in groups.items():
            (few, low), (many, high) = min(points), max(points)
            if few == many:
                continue
            what = f"{NAMES[who]}, {units.size(rest[0])}"
            if abs(high - low) <= SAME:
                same.setdefault((few, many), []).append(f"{what}: {high:.2f}")
            else:
                yield f"From {few} to {many} readers the memory is read {low:.2f}, then " \
                      f"{high:.2f} times for each byte ({what})."
    for (few, many), names in same.items():
        yield f"From {few} to {many} readers nothing changes ({'; '.join(names)})."


def _sentence_on_vfs(all_reads: Reads) -> Iterator[str]:
    """A sentence that compares the memory traffic of reads in the kernel with that of system
    calls."""
    pairs = [(by[VFS].read, by[PLAIN].read) for by in all_reads.values()
             if VFS in by and PLAIN in by]
    differ = [kernel - plain for kernel, plain in pairs if kernel is not None and plain is not None]
    if differ and max(abs(value) for value in differ) <= SAME:
        yield "The kernel reads as plainly as a system call: the same traffic for the same bytes."
    elif differ:
        yield "Against the plain reader the kernel's reads moved " + " to ".join(dict.fromkeys(
            f"{value:+.2f}" for value in (min(differ), max(differ)))) + " bytes for each byte."


def _sentence_on_uncached(all_reads: Reads) -> Iterator[str]:
    """A sentence if a file was partly read from disk, though the page cache should have held
    all of it."""
    low = [setting for setting, by in all_reads.items()
           if setting[2] == "keep" and setting[3] == "off"
           and any(one.cached is not None and one.cached < CACHED for one in by.values())]
    if low:
        yield f"Not all of the file was in the page cache ({_names(low)}): a disk is in the rates."


def _sentence_on_uncounted(runs: list[Run]) -> Iterator[str]:
    """A sentence that says why there is no amplification."""
    whys = {result.get("dram_why") for run in runs for result in run.results
            if result["test"] == "file" and result.get("op") == "read"
            and amplification(run, result, AMPLIFIED[0]) is None}
    if whys:
        yield "No amplification (na) where " + "; or ".join(
            WHY.get(why, str(why)) for why in sorted(map(str, whys))) + "."


def _names(settings: Iterable[Setting]) -> str:
    return "; ".join(map(_name, settings))
