# SPDX-License-Identifier: GPL-2.0-only
"""The levels in a sweep: caches in `latency` over size, compared with the caches that the CPU
reports, and TLBs in `tlb` over reach."""

from dataclasses import dataclass
from itertools import combinations
from math import log

from mc import grouped
from mc.analysis import steps
from mc.analysis.marks import MEANS, join_marks, mark
from mc.analysis.steps import Level, median
from mc.analysis.words import Say, said
from mc.parts import Grid, Heading, Part, Sentence, bullets
from mc.records import units
from mc.records.fields import DISTURBED, request_keys
from mc.records.results import Pairs, Run
from mc.records.shape import data_caches, numbers

MIN_POINTS = 6      # fewer points make no curve
CLEARLY = 1.05      # of a load: less is the noise of both figures
APART = 1.7         # sizes that differ by this factor are not the same cache
PATTERNS = (None, "random", "page")     # in other patterns prefetchers would hide levels


def parts(pairs: Pairs) -> list[Part]:
    """A heading, a table and remarks for each curve in these results."""
    by_keys = curves(pairs)
    report: list[Part] = []
    for keys, curve in by_keys.items():
        if len(curve) < MIN_POINTS:
            continue
        if curve[0][0].machine.get("hypervisor") == "tcg":
            return [Sentence(Say("no_levels"), gap=True)]
        own = [f"{units.name(key)}={units.text(key, value)}" for key, value in keys
               if any((key, value) not in other for other in by_keys)]
        title, body = DRAWN[curve[0][1]["test"]](curve)
        report += [Heading(f"{title}{': ' if own else ''}{' '.join(own)}"), *body]
    return report


def curves(pairs: Pairs) -> dict[tuple, Pairs]:
    """The curves in these results: results that differ only in size."""
    return grouped((tuple((key, value) for key, value in request_keys(result).items()
                          if key not in ("size_bytes", "repeat", "warmup")), (run, result))
                   for run, result in pairs
                   if result["test"] in DRAWN and result.get("pattern") in PATTERNS
                   and result.get("size_bytes") is not None
                   and (result.get("type") == "wb" or result.get("effective") == "no"))


def load_ns(result: dict) -> float | None:
    """The time of a load without disturbances, which is that of the fastest pass. If 99 of
    100 loads took less, something slowed every pass down, and the median load counts."""
    fastest, most = result.get("ns_per_load_min"), result.get("p99_ns_per_load")
    if fastest and most and fastest > most:
        return result.get("p50_ns_per_load")
    return fastest or result.get("ns_per_load")


def slower_passes(pairs: Pairs) -> list[Say]:
    """Sentences on results whose loads took longer on average than 99 of 100 loads did in batches,
    with the reason where the records show one."""
    by_reason = grouped(
        (_why_slower(run, result), result["p50_ns_per_load"]) for run, result in pairs
        if result.get("p99_ns_per_load") and result.get("p50_ns_per_load") is not None
        and (result.get("ns_per_load") or 0) > CLEARLY * result["p99_ns_per_load"])
    return [Say("slow_loads", n=len(medians), reason=why, medians=medians)
            for why, medians in by_reason.items()]


def _why_slower(run: Run, result: dict) -> str:
    """Samples that were interrupted and count, or more lines in a set of L1 than it can keep."""
    disturbed = max(result.get(cause) or 0 for cause in DISTURBED)
    # What was left out, a sample or windows of one, is not in the time.
    counted = disturbed - (result.get("left_out") or 0) - (result.get("windows_left_out") or 0)
    if counted > 0 and 2 * counted >= (result.get("samples") or 0):
        return Say("passes_interrupted")
    return _conflict_in_words(run, result)


def _conflict_in_words(run: Run, result: dict) -> str:
    """Lines that lie so far apart that they share few sets of L1, and fill them."""
    stride = result.get("stride_bytes") or 0
    for cache in run.machine.get("caches") or []:
        line, ways = cache.get("line_bytes"), cache.get("ways")
        mine = not numbers(str(result.get("cpu"))) or \
            set(numbers(str(cache.get("cpus") or result.get("cpu")))) & \
            set(numbers(str(result.get("cpu"))))
        if cache.get("level") != 1 or cache.get("kind") == "code" or not (line and ways and mine):
            continue
        sets = cache["size_bytes"] // line // ways
        lines = result["size_bytes"] // stride if stride > line else 0
        used = len({i * stride // line % sets for i in range(min(lines, sets))}) if sets else 0
        if 0 < used < min(lines, sets) and lines >= used * ways:
            return Say("lines_compete", lines=lines, sets=used, ways=ways)
    return ""


# --------------------------------------------------------------------- caches

@dataclass(frozen=True)
class Named:
    """A level, its name, and the cache (level, bytes) of the CPU that it belongs to."""
    level: Level
    name: str
    cache: tuple[int, int] | None = None


def named_levels(curve: Pairs) -> list[Named]:
    """The levels of a curve of `latency` with their names."""
    results = [result for _, result in curve]
    flat = steps.levels([(r["size_bytes"], load_ns(r) or 0) for r in results])
    caches = data_caches(curve[0][0].machine, results[0]["cpu"])
    memory = [_is_memory_level(level, results, caches) for level in flat]
    cached = [level for level, beyond in zip(flat, memory) if level.limit and not beyond]
    matched = match([level.limit for level in cached if level.limit], [size for _, size in caches])
    cache_of = {level: caches[j] for level, j in zip(cached, matched) if j is not None}
    return [Named(level, "memory" if memory[i] else f"L{cache_of[level][0]}"
                  if level in cache_of else _name_of_unknown_level(i, caches, level is flat[-1]),
                  cache_of.get(level)) for i, level in enumerate(flat)]


def _caches(curve: Pairs) -> tuple[str, list[Part]]:
    results = [result for _, result in curve]
    machine = curve[0][0].machine
    named = named_levels(curve)
    rows: list[list[str]] = []
    notes: list[str] = []
    doubts: set[str] = set()
    for one in named:
        level, cache = one.level, one.cache
        doubt = join_marks(mark(run, result) for run, result in curve
                           if level.first <= result["size_bytes"] <= level.last)
        doubts |= set(doubt)
        rows.append([doubt + one.name, units.size(int(level.first)), units.size(int(level.last)),
                     _rough_size(level.limit), f"{level.time:.2f}", _cycles_text(level, results),
                     units.size(cache[1]) if cache else "" if one.name == "memory" else "na"])
        if cache and level.limit and not 1 / APART < level.limit / cache[1] < APART:
            notes.append(Say("level_larger" if level.limit > cache[1] else "level_smaller",
                             level=one.name, about=_rough_size(level.limit), told=cache[1],
                             guest=bool(machine.get("hypervisor"))))
    memory = sum(one.name == "memory" for one in named)
    if memory:
        notes += _missed_remarks(named, results, data_caches(machine, results[0]["cpu"]))
    told = data_caches(machine, results[0]["cpu"])
    notes += said((memory > 1, "several_steps", {}),
                  (not memory and not told, "memory_unknown", {}),
                  (not memory and told and results[-1].get("level") != "memory",
                   "memory_not_reached", {}), (doubts & set(MEANS), "marked_levels", {}))
    return "Levels in this curve", [
        Grid(["level", "flat from", "to", "ends at about", "fastest ns", "fastest cycles",
              "CPU says"], rows), *bullets(notes)]


def _missed_remarks(named: list[Named], results: list[dict],
                    caches: list[tuple[int, int]]) -> list[Say]:
    """Sentences on caches that the CPU reports and the curve does not show. One that climbs passes
    sizes between two levels; without such sizes nobody can tell, and a flat one has no levels."""
    missed: dict[str, list[str]] = {}
    for number, size in caches:
        if (number, size) in [one.cache for one in named]:
            continue
        below = [i for i, one in enumerate(named) if one.cache and one.cache[0] < number]
        if not below:
            why = "the curve is flat" if len(named) == 1 else \
                f"the first level of the curve is {named[0].name}"
        else:
            low, high = named[below[-1]].level.last, named[below[-1] + 1].level.first
            why = "the curve climbs from the level before to the next without a stop" \
                if any(low < result["size_bytes"] < high for result in results) else \
                f"no size between {units.size(int(low))} and {units.size(int(high))} was measured"
        missed.setdefault(why, []).append(f"L{number}")
    return [Say("no_step", levels=names, reason=why) for why, names in missed.items()]


def _is_memory_level(level: Level, results: list[dict], caches: list[tuple[int, int]]) -> bool:
    """Whether a level is memory: the records of its sizes say so, or no cache is so large."""
    names = [r.get("level") for r in results if level.first <= r["size_bytes"] <= level.last]
    if any(names):
        return names.count("memory") * 2 > len(names) - names.count("between")
    return bool(caches) and not level.limit and level.last >= 2 * caches[-1][1]


def match(limits: list[float], sizes: list[int]) -> list[int | None]:
    """The index of the cache for each level, so that their sizes fit best in this order."""
    def cost(pairs: list[tuple[int, int]]) -> float:
        return sum(abs(log(limits[i] / sizes[j])) for i, j in pairs)

    few = min(len(limits), len(sizes))
    best = min((list(zip(a, b)) for a in combinations(range(len(limits)), few)
                for b in combinations(range(len(sizes)), few)), key=cost)
    caches: list[int | None] = [None] * len(limits)
    for i, j in best:
        caches[i] = j
    return caches


def _name_of_unknown_level(index: int, caches: list[tuple[int, int]], last: bool) -> str:
    """Name a level that is no reported cache: by its number if there are none, or if it is the
    last level and no further than the caches; else "between"."""
    if not caches or last and index < len(caches):
        return f"L{index + 1}"
    return "between"


def _cycles_text(level: Level, results: list[dict]) -> str:
    clocks = [r["core_mhz"] for r in results if r.get("core_mhz")]
    return f"{level.time * median(clocks) / 1000:.1f}" if clocks else "na"


def _rough_size(size: float | None) -> str:
    """A size with two digits: 1.2M."""
    if not size:
        return ""
    unit = 0
    while size >= 1000 and unit < 3:
        size, unit = size / 1024, unit + 1
    return f"{size:.1f}{' KMG'[unit]}".replace(".0", "") if size < 10 else \
        f"{size:.0f}{' KMG'[unit]}"


# ----------------------------------------------------------------------- TLBs

TLBS = ("L1 TLB", "L2 TLB")
WALK = "page walk"
NEAR = 6.0      # ns beyond a hit: no L2 TLB takes longer, and a page walk may
MOST = 0.75     # of a step: at twice the entries so many loads miss, even in random order


def _tlbs(curve: Pairs) -> tuple[str, list[Part]]:
    """The levels of a curve of `tlb`. Its times are those beyond a load of lines that lie
    close together. The time of such a load is added, so that ratios have a meaning."""
    results = [result for _, result in curve if result.get("tlb_ns") is not None]
    title = f"TLBs in this curve, pages of {units.text('_bytes', curve[0][1].get('page_bytes'))}"
    base = min((r["packed_ns_per_load"] for r in results if r.get("packed_ns_per_load")),
               default=1.0)
    points = [(r["pages"], base + r["tlb_ns"]) for r in results]
    flat = steps.levels(points)
    if len(flat) < 2:
        return title, [Sentence(Say("no_tlb_step"), gap=True)]
    names = {id(level): _tlb_name(i, level, base) for i, level in enumerate(flat)}
    with_climbs = _with_climbs(flat, steps.envelope(points))
    rows = []
    for level, above in zip(with_climbs, [*with_climbs[1:], None]):
        name = names.get(id(level), "between")
        beyond = min((r["pages"] for r in results if r["pages"] > level.last), default=0)
        # A page walk has no entries, and is not missed.
        held = None if WALK in name else above
        rows.append([name, f"{level.first:.0f}", f"{level.last:.0f}",
                     f"{level.last:.0f}..{beyond - 1}" if held else "",
                     f"{max(level.time - base, 0):.2f}",
                     f"{held.time - level.time:.2f}" if held else ""])
    notes = said((len(with_climbs) > len(flat), "long_climb", {}))
    return title, [Grid(["level", "flat from pages", "to", "entries", "ns beyond a hit",
                         "ns that a miss adds"], rows), *bullets(notes)]


def _tlb_name(index: int, level: Level, base: float) -> str:
    if index == 0 and level.limit:
        return TLBS[0]
    if index == 1:
        return TLBS[1] if level.limit and level.time - base <= NEAR else f"{TLBS[1]} or {WALK}"
    return WALK


def _with_climbs(flat: list[Level], points: list[tuple[float, float]]) -> list[Level]:
    """These levels, and the points between two of them if the climb is more than one step.
    A single step has nearly ended at twice the reach that its TLB can have."""
    all_levels = []
    for level, above in zip(flat, [*flat[1:], None]):
        all_levels.append(level)
        between = [(pages, time) for pages, time in points
                   if above and level.last < pages < above.first]
        enough = level.time + MOST * (above.time - level.time) if above else 0
        if any(pages >= 2 * between[0][0] and time < enough for pages, time in between):
            all_levels += [Level(pages, pages, time, pages) for pages, time in between]
    return all_levels


DRAWN = {"latency": _caches, "tlb": _tlbs}
