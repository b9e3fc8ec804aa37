# SPDX-License-Identifier: GPL-2.0-only
"""What a result's payload comes to: so many loads and stores, and what they cost at a
machine's prices. This is the tests' own arithmetic, from the manual's definitions of
the operations; nothing here is the module's or the witness's."""

from dataclasses import dataclass
from fractions import Fraction

LINE = 64

# Of the payload, the share that is loaded; the rest is stored.
LOADED = {
    "read": Fraction(1), "ntread": Fraction(1), "write": Fraction(0), "ntwrite": Fraction(0),
    "copy": Fraction(1, 2), "ntcopy": Fraction(1, 2), "rmw": Fraction(1, 2),
    "triad": Fraction(2, 3), "nttriad": Fraction(2, 3),
    "rw31": Fraction(3, 4), "rw21": Fraction(2, 3), "rw11": Fraction(1, 2),
    "write_clflushopt": Fraction(0), "write_clwb": Fraction(0),
    "rep_movsb": Fraction(1, 2), "rep_stosb": Fraction(0),
    "memcpy_toio": Fraction(1, 2), "memcpy_fromio": Fraction(1, 2), "memset_io": Fraction(0),
    "__iowrite64_copy": Fraction(1, 2), "memcpy_flushcache": Fraction(1, 2),
}
STREAMING = ("ntwrite", "ntcopy", "nttriad")


@dataclass(frozen=True)
class Accesses:
    """loads, stores: of the operation's width. words: loads and as many stores of 8 bytes
    to uncached memory, of fence=uc."""
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
    """In a sample of a result."""
    passes, width = result["passes_per_sample"], result["width_bytes"]
    payload = result["payload_bytes"] * passes
    loaded = payload * LOADED[result["op"]]
    assert loaded % width == 0 and (payload - loaded) % width == 0
    return Accesses(result["op"], width, int(loaded) // width, int(payload - loaded) // width,
                    result["fence"], passes if result["fence"] == "uc" else 0)


def cost_ns(done: Accesses, kind: str, cost: dict[str, int]) -> int:
    """What they cost, in nanoseconds, beside the instructions' own time."""
    fences = done.words * (cost["uc_store_ns"] + cost["uc_load_ns"])
    if kind == "uc":
        return done.loads * cost["uc_load_ns"] + done.stores * cost["uc_store_ns"] + fences
    return done.loads * cost["wc_load_ns"] + _combined_ns(done, cost) + fences


def _combined_ns(done: Accesses, cost: dict[str, int]) -> int:
    """A line that is written from its start to its end goes out whole. Where each word is
    read before it is written, the next load of the line sends what is there."""
    if done.op == "rmw" and done.width < LINE:
        return done.stored // 8 * cost["wc_word_ns"]
    return done.stored // LINE * cost["wc_line_ns"]
