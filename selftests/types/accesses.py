# SPDX-License-Identifier: GPL-2.0-only
"""The loads and stores of a result's payload, and their cost at the prices of a machine.
The tests compute these from the manual's definitions of the operations, without code of
the module or of the machine."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import room

LINE = 64

# The share of the payload that is loaded; the rest is stored.
LOADED = {
    "read": Fraction(1), "ntread": Fraction(1), "write": Fraction(0), "ntwrite": Fraction(0),
    "copy": Fraction(1, 2), "ntcopy": Fraction(1, 2), "rmw": Fraction(1, 2),
    "triad": Fraction(2, 3), "rw31": Fraction(3, 4), "rw21": Fraction(2, 3),
    "rw11": Fraction(1, 2), "rw32": Fraction(3, 5),
    "rep_movsb": Fraction(1, 2), "rep_stosb": Fraction(0),
    "memcpy_toio": Fraction(1, 2), "memcpy_fromio": Fraction(1, 2), "memset_io": Fraction(0),
    "__iowrite64_copy": Fraction(1, 2), "memcpy_flushcache": Fraction(1, 2),
}
STREAMING = ("ntwrite", "ntcopy")
# They have no accesses of 8 bytes.
WIDE = ("ntread", "rw32")


@dataclass(frozen=True)
class Accesses:
    """loads, stores: numbers of accesses of the operation's width. words: the number of
    loads, and also of stores, of 8 bytes on uncached memory, which fence=uc does."""
    op: str
    width: int
    loads: int
    stores: int
    fence: str
    words: int

    @property
    def stored(self) -> int:
        return self.stores * self.width


def of(result: dict) -> Accesses:
    """The accesses in a sample of a result."""
    passes, width = result["passes_per_sample"], result["width_bytes"]
    payload = result["payload_bytes"] * passes
    loaded = payload * LOADED[result["op"]]
    assert loaded % width == 0 and (payload - loaded) % width == 0
    return Accesses(result["op"], width, int(loaded) // width, int(payload - loaded) // width,
                    result["fence"], passes if result["fence"] == "uc" else 0)


def cost_ns(done: Accesses, kind: str, cost: dict[str, int]) -> int:
    """Their cost in nanoseconds, without the time of the instructions themselves."""
    fences = done.words * (cost["uc_store_ns"] + cost["uc_load_ns"])
    if kind == "uc":
        return done.loads * cost["uc_load_ns"] + done.stores * cost["uc_store_ns"] + fences
    return done.loads * cost["wc_load_ns"] + _combined_ns(done, cost) + fences


def _combined_ns(done: Accesses, cost: dict[str, int]) -> int:
    """The cost of combined stores. A line that is written from its start to its end is sent
    whole. If each word is read before it is written, the next load of the line sends the
    part that was written."""
    if done.op == "rmw" and done.width < LINE:
        return done.stored // 8 * cost["wc_word_ns"]
    return done.stored // LINE * cost["wc_line_ns"]


def sample(result: dict, windows: list[dict]) -> list[dict]:
    """The windows of a result's last sample: the last windows that together moved as many
    bytes as a sample does. If a loop moves other bytes, they moved at least as many."""
    done = of(result)
    fences = 16 * done.words if result["type"] == "uc" else 0
    bytes_ = (done.loads + done.stores) * done.width + fences
    return last(windows, bytes_, lambda window: room.moved([window], result["type"]))


def differences(result: dict, windows: list[dict]) -> list[str]:
    """Differences between what the machine saw in the windows of a sample and the payload."""
    done, kind = of(result), result["type"]
    found = {access: room.count(windows, kind, access)
             for access in ("load", "store", "rmw", "streaming")}
    together = found.pop("rmw")
    found["load"] = _sum(found["load"], together)
    found["store"] = _sum(found["store"], together)
    want = {
        "load": {done.width: done.loads}, "store": {done.width: done.stores},
        "streaming": {done.width: done.stores if done.op in STREAMING else 0}}
    fences = {8: done.words}
    if kind == "uc":
        for access in ("load", "store"):
            want[access] = _sum(want[access], fences)
    wrong = [f"{access}: {_some(found[access])} instead of {_some(want[access])}"
             for access in found if _some(found[access]) != _some(want[access])]
    if kind != "uc":
        wrong += [f"{access} of uc: {_some(seen)} instead of {_some(fences)}"
                  for access in ("load", "store")
                  if _some(seen := room.count(windows, "uc", access)) != _some(fences)]
    seen = done.fence.partition("_")[0]
    fenced = room.total(windows, seen) if seen in ("sfence", "mfence", "dsb") else None
    if fenced is not None and fenced < result["passes_per_sample"]:
        wrong.append(f"{done.fence}: {fenced}")
    return wrong


def _sum(*parts: dict[int, int]) -> dict[int, int]:
    return {width: sum(part.get(width, 0) for part in parts)
            for width in {width for part in parts for width in part}}


def _some(counts: dict[int, int]) -> dict[int, int]:
    return {width: n for width, n in sorted(counts.items()) if n}


def last(items: list, wanted: int, amount: Callable[[Any], int] = int) -> list:
    """The fewest last items whose amounts add up to at least `wanted`, or all items."""
    found = 0
    for n, item in enumerate(reversed(items), 1):
        found += amount(item)
        if found >= wanted:
            return items[-n:]
    return items
