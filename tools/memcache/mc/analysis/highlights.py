# SPDX-License-Identifier: GPL-2.0-only
"""The figures of a file that people ask for first, and what each is compared with: the same result
of another file or of the other side, or another result of the same file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from mc.analysis.holds import CACHES
from mc.analysis.steps import median
from mc.records import tests, units
from mc.records.fields import request_keys
from mc.records.results import Pair, Pairs, Run

MOST = 5
DONE = {"read": "Reading", "write": "Writing", "ntwrite": "Writing past the caches",
        "copy": "Copying"}
TYPES = {"wc": "write-combining memory", "uc": "uncached memory"}


@dataclass(frozen=True)
class Highlight:
    """A figure: its name in words, its result, and one of the same file to set it beside, if there
    is one, with the name of that."""
    name: str
    run: Run
    result: dict
    beside: str = ""
    other: Pair | None = None


def highlights(runs: list[Run]) -> list[Highlight]:
    """At most MOST figures of these runs, which are of one side."""
    good = [(run, result) for run in runs for result in run.results
            if result.get("verified") != "failed" and result.get(_main_figure(result)) is not None]
    chosen = [one for rule in RULES for one in rule(good)]
    shown = {one.result["test"] for one in chosen}
    chosen += _one_of_each_kind([pair for pair in good if pair[1]["test"] not in shown])
    return [_with_object(one) for one in chosen[:MOST]]


def _with_object(one: Highlight) -> Highlight:
    """With the object in its name, if its memory is that of an object and not of this machine."""
    what = one.result.get("memory_object")
    return replace(one, name=f"{one.name}, {what}") if what else one


def _main_figure(result: dict) -> str:
    return tests.test_of(result["test"]).main() or "median_ns"


def _results_of(pairs: Pairs, test: str, **wanted: object) -> Pairs:
    return [pair for pair in pairs if pair[1]["test"] == test
            and all(pair[1].get(key) == value for key, value in wanted.items())]


def _size_of(pair: Pair) -> int:
    return pair[1].get("size_bytes") or 0


def _place(result: dict) -> str:
    """The level that served a result if times showed it, else its size."""
    level = result.get("level") if result["test"] == "latency" else None
    if level == "memory" or level in CACHES:
        return "memory" if level == "memory" else f"the {level.upper()} cache"
    return units.text("size_bytes", result.get("size_bytes"))


def _latency_of_memory(pairs: Pairs) -> Iterator[Highlight]:
    """The latency of the largest set, beside that of the smallest."""
    latencies = _results_of(pairs, "latency", type="wb")
    latencies = [pair for pair in latencies if pair[1].get("pattern") == "random"] or latencies
    if latencies:
        last, first = max(latencies, key=_size_of), min(latencies, key=_size_of)
        yield Highlight(f"Latency of {_place(last[1])}", *last, _place(first[1]),
                        first if _size_of(last) > _size_of(first) else None)


def _best_rates(ops: tuple[str, ...], pairs: Pairs) -> Iterator[Highlight]:
    """The best rate of each of these operations in the largest set."""
    for op in ops:
        if of_op := _results_of(pairs, "bandwidth", type="wb", op=op):
            largest = max(map(_size_of, of_op))
            best = max((pair for pair in of_op if _size_of(pair) == largest), key=_rate_of)
            yield Highlight(f"{DONE[op]}, {_place(best[1])}", *best)


def _rate_of(pair: Pair) -> float:
    return pair[1]["mb_per_s"]


def _types_beside_wb(pairs: Pairs) -> Iterator[Highlight]:
    """Writes to WC memory, reads of UC memory and the reverse, each beside the same of WB. Memory
    whose type is real goes before other memory, and only it is called by its type."""
    for memory, op in (("wc", "write"), ("uc", "read"), ("wc", "read"), ("uc", "write")):
        if of_type := _results_of(pairs, "bandwidth", type=memory, op=op):
            best = max(of_type, key=lambda pair: (pair[1].get("effective") == "yes", _size_of(pair),
                                                  _rate_of(pair)))
            keys = request_keys(best[1]) | {"type": "wb"}
            same = next((pair for pair in _results_of(pairs, "bandwidth", type="wb", op=op)
                         if request_keys(pair[1]) == keys), None)
            real = best[1].get("effective") == "yes"
            name = TYPES[memory] if real else f"memory asked for as {memory.upper()}"
            yield Highlight(f"{DONE[op]}, {name}", *best, "write-back", same)


def _changed_lines(pairs: Pairs) -> Iterator[Highlight]:
    """The median pair of CPUs, whose line one has changed and the other loads."""
    transfers = _results_of(pairs, "c2c", state="hitm", mb_per_s=None)
    if transfers:
        middle = median(pair[1]["ns_per_line"] for pair in transfers)
        mine = min(transfers, key=lambda pair: abs(pair[1]["ns_per_line"] - middle))
        which = "" if len(transfers) == 1 else ", median pair of CPUs"
        clean = _results_of(pairs, "c2c", state="hit", mb_per_s=None, **{
            key: mine[1].get(key) for key in ("writer_cpu", "reader_cpu")})
        yield Highlight(f"A line that another CPU has changed{which}", *mine, "unchanged",
                        next(iter(clean), None))


def _latency_under_load(pairs: Pairs) -> Iterator[Highlight]:
    """The latency under the heaviest load, beside that under the lightest."""
    of_load = [pair for pair in _results_of(pairs, "loaded")
               if pair[1].get("delay_cycles") is not None]
    if of_load:
        heavy, light = (choose(of_load, key=lambda pair: pair[1]["delay_cycles"])
                        for choose in (min, max))
        yield Highlight("Latency under load", *heavy, "hardly any load",
                        light if light is not heavy else None)


def _one_of_each_kind(pairs: Pairs) -> Iterator[Highlight]:
    """The first result of each other kind."""
    kinds: dict[tuple, Pair] = {}
    for pair in pairs:
        kinds.setdefault((pair[1]["test"], pair[1].get("item") or pair[1].get("op")), pair)
    for (test, kind), pair in kinds.items():
        words = pair[0].request.get("label") or " ".join(filter(None, [test, str(kind or "")]))
        yield Highlight(words[:1].upper() + words[1:].replace("_", " "), *pair)


RULES: tuple[Callable[[Pairs], Iterator[Highlight]], ...] = (
    _latency_of_memory, partial(_best_rates, ("read", "write")), _types_beside_wb,
    _latency_under_load, _changed_lines, partial(_best_rates, ("ntwrite", "copy")))
