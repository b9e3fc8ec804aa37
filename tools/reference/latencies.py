# SPDX-License-Identifier: GPL-2.0-only
"""Latency files of InstLatx64: cycles of a load, for sets of many sizes and several orders.

The newer kind (NewMemLat) sums each level up in ns and in cycles. The older kind has only tables of
whole cycles; there the row in the middle of a level counts. Cycles are those of the TSC, and the
author switches turbo off, so they are mostly those of the core, too; ns always follow from them.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import cpuid
from machines import Measured, parsed

from mc.analysis.reference import model_key

NAME = re.compile(r"(?P<vendor>\D+|.{12})(?P<eax>[0-9A-F]{7})_(?P<rest>.*?)_"
                  r"(?P<kind>New)?MemLat(X\d\d)?")
SIDES = {"_LC": "efficiency", "_BC": "performance"}     # little and big cores
FREQUENCY = re.compile(r"Freq(?:uency)?: *([\d.]+)MHz")
CACHE = re.compile(r"CPU#0+ (L\dD?) +cache: *(\d+)KB")
TLB = re.compile(r"CPU#0+ (L[012])(?:I\+)?D 4K[^:]*TLB(?:\(loads\))?: *(\d+) entries")
YEAR = re.compile(r"build:.*?\b((?:19|20)\d\d)\b")
BEST = re.compile(r"^M\d+ (\w+) +([\d.]+) nsec +([\d.]+) clks", re.M)
BLOCK = re.compile(r"\bB: *(\d+)")
PAGE = 4096
ORDER = ("Old X86", "Old X64", "New")
EARLY = 1.5         # misses of TLBs cost less, beside a load from memory
DISTINCT = 0.5      # the share of the time of memory that a cache takes at most
BIG = 3             # a set of so many times the level before hardly hits it


class Table(dict[float, dict[str, float]]):
    """Cycles by the KiB of a set, and by the name of a column: a stride, or a block."""

    def cycles(self, kib: float, *columns: str) -> float | None:
        found = [self[kib][one] for one in columns if one in self.get(kib, {})]
        return median(found) if found else None

    def middle(self, low: float, high: float, *columns: str) -> float | None:
        """The row nearest to half of `high`, above `low`."""
        rows = [kib for kib in self if low <= kib <= high * 0.75 and self.cycles(kib, *columns)]
        return self.cycles(min(rows, key=lambda kib: abs(kib - high / 2)), *columns) \
            if rows else None


def read(top: Path) -> Iterator[Measured]:
    """The machines of a snapshot. Of several files of one machine the newest kind counts."""
    best: dict[tuple[str, str], tuple[int, Path]] = {}
    for path in sorted(top.glob("*/*MemLat*.txt")):
        if match := NAME.match(path.name):
            rank = ORDER.index("New" if match["kind"] else f"Old {match[5] or 'X86'}")
            key = (match["eax"], match["rest"])
            if rank >= best.get(key, (0, path))[0]:
                best[key] = (rank, path)
    for _, path in best.values():
        if one := parsed(path, lambda file: machine(file.name, file.read_text(encoding="latin-1"))):
            yield one


def machine(name: str, text: str) -> Measured | None:
    """The figures of a file; None if it is not of this form."""
    match, frequency = NAME.match(name), FREQUENCY.search(text)
    if not match or not frequency:
        return None
    family, model, stepping = cpuid.signature(int(match["eax"], 16))
    core = next((core for side, core in SIDES.items() if side in match["rest"] + "_"), "")
    found = Measured(model_key(match["vendor"].strip(), family, model, stepping, core),
                     f"{match['eax']} {match['rest']}", "instlatx64")
    if year := YEAR.search(text):
        found.year = int(year[1])
    mhz = float(frequency[1])
    caches: dict[str, int] = {}
    for level, kib in CACHE.findall(text):
        caches.setdefault(level, int(kib))
    if match["kind"]:
        _summed_up(found, text)
    else:
        _tables(found, text, caches, mhz)
    _stride(found, text, mhz)
    _tlbs(found, text, caches)
    for figure in _doubtful_figures(found, text, mhz):
        found.figures.pop(figure, None)
    return found if found.figures else None


def _doubtful_figures(found: Measured, text: str, mhz: float) -> list[str]:
    """Figures that show something else. Loads within blocks below a page are next to each other.
    Where loads in any order take far longer than those within pages, a prefetcher loads pages. A
    cache that is hardly faster than memory was in use by others."""
    in_pages = _section(text, "Best Page_Random")
    beyond_l1 = ["l2_cycles", "l3_cycles", "l3_ns", "memory_ns"]
    if any(int(size) < PAGE for size in BLOCK.findall(in_pages)):
        return beyond_l1
    ns, any_order = (dict((level, float(time)) for level, time, _ in BEST.findall(body)).get("Mem")
                     for body in (in_pages, _section(text, "Best Random_Full")))
    if ns and any_order and any_order > EARLY * ns:
        return beyond_l1[1:]
    memory = found.figures.get("memory_ns", float("inf")) * mhz / 1000
    slow = {figure for figure in beyond_l1[:2] if found.figures.get(figure, 0) > DISTINCT * memory}
    return [*slow, *(["l3_ns"] if "l3_cycles" in slow else [])]


def _summed_up(found: Measured, text: str) -> None:
    """The summary of loads in random order within pages. `L0D` is the first of two parts of L1."""
    levels = {level: (float(ns), float(clocks)) for level, ns, clocks in
              BEST.findall(_section(text, "Best Page_Random"))}
    if "L0D" in levels:
        levels["L1D"] = levels["L0D"]
    for level, figure in (("L1D", "l1_cycles"), ("L2", "l2_cycles"), ("L3", "l3_cycles")):
        if level in levels:
            found.add(figure, levels[level][1])
    for level, figure in (("L3", "l3_ns"), ("Mem", "memory_ns")):
        if level in levels:
            found.add(figure, levels[level][0])


def _tables(found: Measured, text: str, caches: dict[str, int], mhz: float) -> None:
    random, blocks = _table(text, "Random Read"), _table(text, "BlockRandom")
    l1, l2, l3 = (caches.get(level, 0) for level in ("L1D", "L2", "L3"))
    last, pages = max(l1, l2, l3), ("4K", "8K", "16K")
    if l1:
        found.add("l1_cycles", random.middle(0, l1, "64"))
    if l2 and l1:
        found.add("l2_cycles", blocks.middle(1.5 * l1, l2, *pages))
    if l3 and l2 and (cycles := blocks.middle(BIG * l2, l3, *pages)):
        found.add("l3_cycles", cycles)
        found.add("l3_ns", 1000 * cycles / mhz)
    if blocks and max(blocks) >= 4 * last:
        found.add("memory_ns", 1000 * (blocks.cycles(max(blocks), *pages) or 0) / mhz)


def _stride(found: Measured, text: str, mhz: float) -> None:
    """Lines of the largest set one after another, which prefetchers load early."""
    table = _table(text, "Linear Read") or _table(text, "Linear_Forward Tests")
    if table and "memory_ns" in found.figures:
        found.add("memory_stride_ns", 1000 * (table.cycles(max(table), "64") or 0) / mhz)


def _tlbs(found: Measured, text: str, caches: dict[str, int]) -> None:
    """Entries for pages of 4 KiB, and what a load costs more if it misses the first of two TLBs
    and finds its line in L2, as it does without the miss: a line of each page is in one set of
    L1."""
    entries = {level: int(count) for level, count in reversed(TLB.findall(text))}
    first, second = entries.get("L1") or entries.get("L0"), entries.get("L2")
    found.add("dtlb_entries", first)
    found.add("stlb_entries", second)
    if not first or not second or "L2" not in caches:
        return
    table = _table(text, "Linear_Forward Tests")
    hit = table.cycles(max((kib for kib in table if caches.get("L1D", 0) < kib <= 2 * first),
                           default=0), "4K")
    miss = table.cycles(max((kib for kib in table if 8 * first <= kib <= caches["L2"] / 2
                             and kib <= 2 * second), default=0), "4K")
    if hit and miss and miss > hit:
        found.add("dtlb_miss_cycles", miss - hit)


def _section(text: str, title: str) -> str:
    """The lines after a title, up to the next title."""
    _, _, after = text.partition(f"\n{title}" if f"\n{title}" in text else f"*** {title}")
    body = after.partition("\n")[2]
    end = re.search(r"^(?:\*\*\*|Best |.* Tests *$|Bench)", body, re.M)
    return body[:end.start()] if end else body


def _table(text: str, title: str) -> Table:
    """A table of the first thread: columns, then rows of a size and cycles. A row may be cut short
    on the right."""
    found, names = Table(), []
    for line in _section(text, title).splitlines():
        first, *cells = line.replace(",", " ").replace("KB", "K").split()or [""]
        if first.rstrip(":") in ("Stride", "Block"):
            names = cells
        elif names and (size := re.fullmatch(r"([\d.]+)K?", first)):
            cells = cells[1:] if cells[:1] == ["K"] else cells
            found[float(size[1])] = {name: float(cell) for name, cell in zip(names, cells)
                                     if re.fullmatch(r"[\d.]+", cell)}
    return found
