# SPDX-License-Identifier: GPL-2.0-only
"""Whether caches hold a working set, in the words of a report.

The record's `level` of most tests is the cache that holds the working set by the sizes that the
CPU reports, which a virtual machine may not get. Where `latency` was measured as well, its times
tell more: memory that serves the loads of a set serves those of a larger one, and a cache that
serves the loads of a set holds a smaller one."""

from collections import Counter

from mc import grouped
from mc.analysis.words import Say, said
from mc.records.places import value
from mc.records.results import Pair, Pairs, Run
from mc.records.shape import data_caches, numbers

CACHES = ("l1", "l2", "l3", "l4")
# `level` of these is the cache that holds the working set, or a thread's share of it.
TESTS = ("bandwidth", "random", "loaded")
WHOLE = ("random",)     # all threads go through the whole set
LINE = 64


def loads(runs: list[Run]) -> Pairs:
    """The results of `latency` whose times tell a level: loads of cached memory in an order
    that prefetchers do not guess."""
    return [(run, result) for run in runs for result in run.results
            if result["test"] == "latency" and result.get("level") and result.get("size_bytes")
            and result.get("pattern", "random") != "stride"
            and (result.get("type") == "wb" or result.get("effective") == "no")]


def sentences(pairs: Pairs, measured: Pairs, matrix: bool) -> list[Say]:
    """Sentences on caches that hold the working sets of these results, or may hold them. Those on
    what the column `level` of a list says are for a matrix only, which has no such column."""
    caches = _sentences_on_caches(pairs, measured, matrix) if pairs[0][1]["test"] in TESTS else []
    return [*caches, *_sentences_on_last_cache(pairs), *_sentences_on_memory_side(pairs),
            *_sentence_on_no_caches(pairs)]


def _sentences_on_last_cache(pairs: Pairs) -> list[Say]:
    """Why sets are between caches and memory, and whether `memory` is by reported sizes alone."""
    known = [_last_cache(run) for run, _ in pairs]
    between = [one for one, (_, result) in zip(known, pairs) if result.get("level") == "between"]
    more: dict = next((one for one in between if one.get("by") in ("memory_side", "search")), {})
    unsure = sum(result.get("level") == "memory" and one.get("searched", 0) is None
                 for one, (_, result) in zip(known, pairs))
    by = {"search": f"found on {more.get('searched')}", "memory_side": "the kernel lists it"}
    return said((between, "between", {"count": (len(between), len(pairs)),
                                      "by": by.get(str(more.get("by")), ""),
                                      "size": more.get("size_bytes")}),
                (unsure, "memory_by_report", {"count": (unsure, len(pairs))}))


def _last_cache(run: Run) -> dict:
    known = run.machine.get("last_cache")
    return known if isinstance(known, dict) else {}


def _sentences_on_caches(pairs: Pairs, measured: Pairs, matrix: bool) -> list[Say]:
    judged = grouped(       # whether memory serves it: the levels
        (_is_memory_by_latency(pair, measured) if measured else None, str(pair[1]["level"]))
        for pair in pairs if pair[1].get("level") in CACHES and pair[1].get("size_bytes"))
    return [Say("memory_by_latency" if memory else "fits_caches",
                count=(len(judged[memory]), len(pairs)), levels=sorted(set(judged[memory])),
                load=pairs[0][1]["test"] == "loaded", guess=memory is None)
            for memory in (False, None, True) if memory in judged and (memory or matrix)]


def _is_memory_by_latency(pair: Pair, measured: Pairs) -> bool | None:
    """Whether `latency` shows that memory serves a working set of this size; None: it does not
    tell. A cache that holds a set of one thread may not hold those of several."""
    run, result = pair
    share = _bytes_of_thread(result)
    same = [(_bytes_of_loads(other), other["level"]) for its, other in measured
            if its.where == run.where and _have_same_caches(its, other, run, result)]
    if any(level == "memory" and size <= share for size, level in same):
        return True
    alone = result["test"] in WHOLE or result.get("threads") == 1
    held = any(level in CACHES and size >= share for size, level in same)
    return False if alone and held else None


def _have_same_caches(a: Run, one: dict, b: Run, other: dict) -> bool:
    """Whether two results are of CPUs with the same caches."""
    cpus, others = (numbers(str(result.get("cpu"))) for result in (one, other))
    caches = data_caches(a.machine, str(one.get("cpu")))
    return bool(set(cpus) & set(others)) or \
        bool(caches) and caches == data_caches(b.machine, str(other.get("cpu")))


def _bytes_of_thread(result: dict) -> float:
    """The bytes that a thread goes through."""
    threads = 1 if result["test"] in WHOLE else result.get("threads") or 1
    return result["size_bytes"] / threads


def _bytes_of_loads(result: dict) -> float:
    """The bytes of the lines that loads go through."""
    stride = result.get("stride_bytes") or LINE
    return result["size_bytes"] / stride * min(stride, LINE)


def _sentences_on_memory_side(pairs: Pairs) -> list[Say]:
    """A sentence for each node whose memory-side cache may have served what counts as memory."""
    if not any(run.machine.get("tiers") for run, _ in pairs):
        return []
    counts = Counter(
        (value(run, result, "memory_node"), size) for run, result in pairs
        if isinstance(size := value(run, result, "memory_side_cache_bytes"), int)
        and isinstance(result.get("size_bytes"), int) and result["size_bytes"] <= size
        and result.get("level", "memory") in ("memory", "between"))
    return [Say("memory_side", count=(count, len(pairs)), node=node, size=size)
            for (node, size), count in counts.items()]


def _sentence_on_no_caches(pairs: Pairs) -> list[Say]:
    """A sentence if nobody knows what caches hold, as the CPU reports none."""
    count = sum(run.machine.get("caches") == [] and "level" in result and
                not result["level"] for run, result in pairs)
    return said((count, "no_caches", {"count": (count, len(pairs))}))
