# SPDX-License-Identifier: GPL-2.0-only
"""What stands out in results of `bandwidth`, computed from their numbers.

Two results are compared when they differ in nothing but what a rule is about,
and only when both are what they claim to be: verified, and of a memory type
that is real here. A difference that the spread of the samples can explain is
said to be noise.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import hypot

from mc.analysis.verdict import Verdict, listed
from mc.records.fields import asked
from mc.records.results import Run

MIN_SAMPLES = 5         # with fewer, the spread is not known
FLOOR = 0.02            # less than this, another run may turn round
SIGMAS = 2.0
EVEN = 0.03             # all within this: the same, whatever the fence
WIDTH_SHARE = 0.15      # so near to the ratio of widths, a speed-up is due to it


@dataclass(frozen=True)
class Point:
    """A result, as far as comparing it goes: what was asked, and speeds in MB/s."""
    keys: dict
    type: str
    op: str
    fence: str
    width: int
    speed: float
    fastest: float
    sd: float

    def rest(self, varying: Iterable[str]) -> tuple:
        return tuple((k, v) for k, v in self.keys.items() if k not in varying)


@dataclass(frozen=True)
class Pair:
    this: Point
    that: Point

    @property
    def ratio(self) -> float:
        return self.this.speed / self.that.speed

    @property
    def noise(self) -> bool:
        """Can the spread of the samples explain the difference?"""
        slow, fast = sorted((self.this, self.that), key=lambda p: p.speed)
        difference = fast.speed - slow.speed
        if difference < FLOOR * slow.speed:
            return True
        # Interruptions only ever slow a sample down, and make the deviation
        # large: all samples of one below half of the other's is clear as well.
        return slow.fastest > fast.speed and difference < SIGMAS * hypot(slow.sd, fast.sd)


@dataclass(frozen=True)
class Rule:
    """Compares results that differ in `varying` only: `this` with `that`."""
    title: str
    varying: tuple[str, ...]
    this: dict
    that: dict
    remark: Callable[[list[Pair]], str] = lambda pairs: ""


def _widths(pairs: list[Pair]) -> str:
    """Is a speed-up what the wider stores alone would give?"""
    wider = {pair.this.width / pair.that.width for pair in pairs}
    if len(wider) != 1:
        return ""
    factor = wider.pop()
    if factor > 1 and all(abs(pair.ratio / factor - 1) < WIDTH_SHARE for pair in pairs):
        return f" (as their width: {pairs[0].this.width} bytes against " \
               f"{pairs[0].that.width})"
    return ""


TYPES = ("wb", "uc", "wc")
STREAMING = ("op", "width_bytes")
RULES = [
    Rule("UC against WB", ("type",), {"type": "uc"}, {"type": "wb"}),
    Rule("WC against WB", ("type",), {"type": "wc"}, {"type": "wb"}),
    Rule("WC against UC", ("type",), {"type": "wc"}, {"type": "uc"}),
    Rule("Streaming stores against ordinary ones", STREAMING,
         {"op": "ntwrite"}, {"op": "write"}, _widths),
    Rule("Streaming loads against ordinary ones", STREAMING,
         {"op": "ntread"}, {"op": "read"}, _widths),
    Rule("Streaming copy against ordinary copy", STREAMING,
         {"op": "ntcopy"}, {"op": "copy"}, _widths),
    Rule("UC fence against none", ("fence",), {"fence": "uc"}, {"fence": "none"}),
    Rule("sfence against none", ("fence",), {"fence": "sfence"}, {"fence": "none"}),
    Rule("mfence against none", ("fence",), {"fence": "mfence"}, {"fence": "none"}),
    Rule("Checking once against after each round", ("verify",),
         {"verify": "deferred"}, {"verify": "each"}),
]


def points(runs: list[Run]) -> list[Point]:
    """The results of `bandwidth` that can be compared at all."""
    return [point for run in runs for result in run.results if (point := _point(result))]


def _point(result: dict) -> Point | None:
    keys = asked(result) | {"where": result["where"]}
    speed, median = result.get("mb_per_s"), result.get("median_ns")
    memory, width = keys.get("type"), keys.get("width_bytes")
    if result["test"] != "bandwidth" or memory not in TYPES or not width:
        return None
    if not speed or not median or result.get("verified") == "failed" or not spread_known(result):
        return None
    return Point(keys, memory, str(keys.get("op")), str(keys.get("fence")), width, speed,
                 speed * median / (result.get("min_ns") or median),
                 speed * result["cv_percent"] / 100)


def spread_known(result: dict) -> bool:
    return result.get("samples", 0) >= MIN_SAMPLES and result.get("cv_percent") is not None


def lines(runs: list[Run], verdict: Verdict) -> list[str]:
    """A line each for what stands out; then what does not, and what can't be told."""
    if verdict.emulated:
        return []
    trusted = [p for p in points(runs) if verdict.comparable(p.type)
               and (p.fence != "uc" or verdict.uc_works)]
    found, noise = [], []
    for rule in RULES:
        pairs = list(_pairs(rule, trusted))
        clear = [pair for pair in pairs if not pair.noise]
        if clear:
            found.append(f"{rule.title}: {_told(rule, clear)}.")
        quiet = [pair for pair in pairs if pair.noise]
        if quiet:
            noise.append(f"{rule.title} ({_names(quiet)})")
    even = _even(trusted)
    if even:
        found.append(f"Even, whatever the fence: {'; '.join(even)}.")
    few = sum(not spread_known(result) for run in runs for result in run.results)
    if few:
        found.append(f"Not compared: {few} results of fewer than {MIN_SAMPLES} samples "
                     "(`repeat=`): their spread is not known.")
    if noise:
        found.append("Within the noise, so no finding: " + "; ".join(noise) + ".")
    return found


def _pairs(rule: Rule, trusted: list[Point]) -> Iterator[Pair]:
    partners = {p.rest(rule.varying): p for p in trusted if _fits(p, rule.that)}
    for point in trusted:
        partner = partners.get(point.rest(rule.varying))
        if partner and _fits(point, rule.this):
            yield Pair(point, partner)


def _fits(point: Point, wanted: dict) -> bool:
    return all(point.keys.get(key) == value for key, value in wanted.items())


def _told(rule: Rule, pairs: list[Pair]) -> str:
    """`WB write 6 % slower, WB ntwrite 33 % slower`: a clause for each type and
    operation, of which a rule keeps one or both, and each direction."""
    clauses: dict[tuple, list[Pair]] = {}
    for pair in sorted(pairs, key=lambda pair: TYPES.index(pair.this.type)):
        names = [_title(pair.this.keys[key]) for key in ("type", "op") if key not in rule.varying]
        clauses.setdefault((" ".join(names), pair.ratio > 1), []).append(pair)
    return ", ".join(
        name + (_fences(group) if (name, not faster) in clauses else "") + f" {_change(group)}"
        + rule.remark(group) for (name, faster), group in clauses.items())


def _fences(pairs: list[Pair]) -> str:
    """Where one operation is both faster and slower: after which fences."""
    return f" (fence={','.join(dict.fromkeys(pair.this.fence for pair in pairs))})"


def _title(word: str) -> str:
    return word.upper() if word in ("wb", "wc", "uc") else word


def _change(pairs: list[Pair]) -> str:
    """How much faster or slower, all in the same direction: `2 to 7 % slower`."""
    faster = pairs[0].ratio > 1
    factors = sorted(p.ratio if faster else 1 / p.ratio for p in pairs)
    word = "faster" if faster else "slower"
    if factors[-1] >= 2:
        digits = 0 if factors[0] >= 10 else 1
        return f"{_range(factors, digits)} times {'as fast' if faster else 'slower'}"
    if not faster:      # what is lost of the bandwidth, as read off the table
        factors = [2 - 1 / f for f in factors]
    return f"{_range([100 * (f - 1) for f in factors], 0)} % {word}"


def _range(values: list[float], digits: int) -> str:
    return " to ".join(dict.fromkeys(f"{v:.{digits}f}" for v in (values[0], values[-1])))


def _names(pairs: list[Pair]) -> str:
    """Which results these are: by type, the operations."""
    groups: dict[str, dict[str, None]] = {}
    for pair in pairs:
        groups.setdefault(_title(pair.this.type), {})[pair.this.op] = None
    return "; ".join(f"{name} {listed(ops)}" for name, ops in groups.items())


def _even(trusted: list[Point]) -> list[str]:
    """Type and operation of which three and more results differ in the fence
    and the checking, and hardly in speed."""
    groups: dict[tuple, list[Point]] = {}
    for point in trusted:
        groups.setdefault(point.rest(("fence", "verify")), []).append(point)
    said = []
    for group in groups.values():
        speeds = sorted(p.speed for p in group)
        if len({p.fence for p in group}) >= 3 and speeds[-1] <= speeds[0] * (1 + EVEN):
            said.append(f"{_title(group[0].type)} {group[0].op} {_range(speeds, 0)} MB/s")
    return said
