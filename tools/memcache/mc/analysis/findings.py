# SPDX-License-Identifier: GPL-2.0-only
"""Findings: notable differences between results of `bandwidth`.

A rule compares two results that differ only in the keys of the rule. Both must be verified and of a
memory type that is real on this machine. What is said of their difference is what judge.py says.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from mc import grouped, join_words
from mc.analysis.estimate import Estimate, is_timed, median_time
from mc.analysis.judge import Difference, Word, count_words, doubts, judge
from mc.analysis.verdict import Verdict
from mc.analysis.words import Say, said
from mc.records import units
from mc.records.fields import request_keys
from mc.records.results import Run

EVEN = 0.03             # speeds that differ by less are even, whatever the fence
FEWEST = 3              # fences, at least, of which that is said
MANY = 3                # a clause lists no more values of a key than that
WIDTH_SHARE = 0.15      # a speed-up this near to the ratio of the widths is due to the widths


@dataclass(eq=False)
class Point:
    """A result that can be compared, and its speed in MB/s. Few results have a partner, so what
    only pairs need is made when it is asked for. `exact`: the machine is simulated."""
    result: dict
    exact: bool
    type: str
    op: str
    fence: str
    width: int
    speed: float

    @cached_property
    def keys(self) -> dict:
        """The keys of the request, and the side that measured."""
        return request_keys(self.result) | {"where": self.result["where"]}

    @cached_property
    def time(self) -> Estimate:
        time = median_time(self.result, self.exact)
        assert time
        return time

    def other_keys(self, varying: Iterable[str]) -> tuple:
        return tuple((k, v) for k, v in self.keys.items() if k not in varying)


@dataclass(frozen=True)
class Pair:
    this: Point
    that: Point

    @property
    def ratio(self) -> float:
        return self.this.speed / self.that.speed

    @cached_property
    def difference(self) -> Difference:
        return judge(self.that.time, self.this.time)

    @property
    def is_clear(self) -> bool:
        return self.difference.word in (Word.FASTER, Word.SLOWER)


@dataclass(frozen=True)
class Rule:
    """A comparison of results with the key and value `this` with those with `that`, which differ
    only in the keys `varying`."""
    title: str
    varying: tuple[str, ...]
    this: tuple[str, str | int]
    that: tuple[str, str | int]
    remark: Callable[[list[Pair]], str] = lambda pairs: ""


def _widths(pairs: list[Pair]) -> str:
    """A remark if wider accesses alone would give this speed-up."""
    wider = {pair.this.width / pair.that.width for pair in pairs}
    if len(wider) != 1:
        return ""
    factor = wider.pop()
    if factor > 1 and all(abs(pair.ratio / factor - 1) < WIDTH_SHARE for pair in pairs):
        return f" (as their width: {pairs[0].this.width} bytes against " \
               f"{pairs[0].that.width})"
    return ""


def _remark_on_uses(pairs: list[Pair]) -> str:
    """A remark on what the kernel's function is on this CPU."""
    uses = {str(pair.this.result.get("function_uses") or "") for pair in pairs}
    known = uses.pop() if len(uses) == 1 else ""
    return f" (on this CPU it uses {USES.get(known, known.replace('_', ' '))})" if known else \
        " (what it uses on this CPU is not known)"


USES = {"loop": "a loop", "streaming": "streaming stores"}
STRINGS = {"rep_movsb": ("memcpy", "memmove", "copy_page", "copy_from_user", "copy_to_user"),
           "rep_stosb": ("memset", "clear_page", "clear_pages", "clear_user")}
TYPES = ("wb", "uc", "wc")
FENCES = ("sfence", "mfence",
          *(f"dmb_{which}" for which in ("sy", "ish", "ishld", "ishst", "osh", "oshld", "oshst")),
          *(f"dsb_{which}" for which in ("sy", "ld", "st", "ish", "ishst")))
STREAMING = ("op", "width_bytes")
RULES = [
    Rule("UC against WB", ("type",), ("type", "uc"), ("type", "wb")),
    Rule("WC against WB", ("type",), ("type", "wc"), ("type", "wb")),
    Rule("WC against UC", ("type",), ("type", "wc"), ("type", "uc")),
    Rule("Streaming stores against ordinary ones", STREAMING,
         ("op", "ntwrite"), ("op", "write"), _widths),
    Rule("Streaming loads against ordinary ones", STREAMING,
         ("op", "ntread"), ("op", "read"), _widths),
    Rule("Streaming copy against ordinary copy", STREAMING,
         ("op", "ntcopy"), ("op", "copy"), _widths),
    Rule("UC fence against none", ("fence",), ("fence", "uc"), ("fence", "none")),
    *(Rule(f"{fence} against none", ("fence",), ("fence", fence), ("fence", "none"))
      for fence in FENCES),
    Rule("Checking once against after each round", ("verify",),
         ("verify", "deferred"), ("verify", "each")),
    Rule("Zeros against a counter", ("data",), ("data", "zero"), ("data", "counter")),
    Rule("Random words against a counter", ("data",), ("data", "random"), ("data", "counter")),
    *(Rule(f"The kernel's {name} against {string}", (*STREAMING, "where", "page"), ("op", name),
           ("op", string), _remark_on_uses) for string, names in STRINGS.items() for name in names),
    *(Rule(f"{hint} for each line against none", ("op",), ("op", hinted), ("op", bare))
      for hint, hinted, bare in (("prefetchnta", "read_prefetchnta", "read"),
                                 ("MOVRS", "read_movrs", "read"),
                                 ("prefetchw", "write_prefetchw", "write"),
                                 ("cldemote", "write_cldemote", "write"))),
    Rule("An odd address against a line's", ("align_bytes",), ("align_bytes", 1),
         ("align_bytes", 0)),
    Rule("Loads with the lowest bits of the last stores against others", ("distance_bytes",),
         ("distance_bytes", 4032), ("distance_bytes", 2048)),
    Rule("A copy from an odd distance against an even one", ("distance_bytes",),
         ("distance_bytes", 2049), ("distance_bytes", 2048)),
]
COMPARED = tuple(dict.fromkeys(rule.this[0] for rule in RULES))


def points(runs: list[Run]) -> Iterator[Point]:
    """The results of `bandwidth` that can be compared."""
    return (point for run in runs for result in run.results
            if (point := _point(result, bool(run.machine.get("simulated")))))


def _point(result: dict, exact: bool) -> Point | None:
    speed, memory, width = map(result.get, ("mb_per_s", "type", "width_bytes"))
    if result["test"] != "bandwidth" or memory not in TYPES or not width or not speed:
        return None
    if result.get("verified") == "failed" or not is_timed(result):
        return None
    return Point(result, exact, memory, str(result.get("op")), str(result.get("fence")), width,
                 speed)


def lines(runs: list[Run], verdict: Verdict, wide: bool = True) -> list[Say]:
    """A sentence for each finding, then sentences on speeds that are even, differences that nobody
    can tell, results that were not compared and, if `wide`, those that are the same."""
    if verdict.is_emulated:
        return []
    real = {name for name in TYPES if verdict.is_comparable(name)}
    trusted = [p for p in points(runs) if p.type in real and (p.fence != "uc" or verdict.uc_works)]
    by_value: dict[tuple, list[Point]] = {}
    for key in COMPARED:
        values = [point.result.get(key) for point in trusted]
        if len(set(values)) > 1:
            for value, point in zip(values, trusted):
                by_value.setdefault((key, value), []).append(point)
    found: list[Say] = []
    alike: dict[Word, list[str]] = {Word.SAME: [], Word.UNKNOWN: []}
    differences: list[Difference] = []
    for rule in RULES:
        pairs = list(_pairs(rule, by_value))
        differences += (pair.difference for pair in pairs)
        if clear := [pair for pair in pairs if pair.is_clear]:
            found.append(Say("finding", what=rule.title, changes=_clauses(rule, clear)))
        for word, names in alike.items():
            if like := [pair for pair in pairs if pair.difference.word == word]:
                names.append(f"{rule.title} ({_operations_by_type(like)})")
    even = _even_speeds_whatever_the_fence(trusted)
    same, unknown = alike.values()
    return [*found, *said((even, "even", {"speeds": even}),
                          (wide and same, "same", {"pairs": same}),
                          (wide and unknown, "unknown", {"pairs": unknown}),
                          (differences, "differences", {
                              "n": len(differences),
                              "words": count_words(one.word for one in differences)})),
            *doubts(differences)]


def _pairs(rule: Rule, by_value: dict[tuple, list[Point]]) -> Iterator[Pair]:
    these, those = by_value.get(rule.this), by_value.get(rule.that)
    if not these or not those:
        return
    # A process has the same instruction beside the kernel's function.
    partners = {point.other_keys(rule.varying): point
                for point in sorted(those, key=lambda point: point.keys["where"] == "user")}
    for point in these:
        partner = partners.get(point.other_keys(rule.varying))
        if partner:
            yield Pair(point, partner)


def _clauses(rule: Rule, pairs: list[Pair]) -> list[str]:
    """`WB write 6 % slower, WB ntwrite 33 % slower`: a clause for each type, operation and
    direction, without the keys that the rule varies."""
    told = [key for key in ("type", "op") if key not in rule.varying]
    ordered = sorted(pairs, key=lambda pair: TYPES.index(pair.this.type))
    clauses = grouped(((" ".join(_title(pair.this.keys[key]) for key in told), pair.ratio > 1),
                       pair) for pair in ordered)
    return [f"{name}{_settings(group, clauses.get((name, not faster), []))} {_change(group)}"
            f"{rule.remark(group)}" for (name, faster), group in clauses.items()]


def _settings(pairs: list[Pair], others: list[Pair]) -> str:
    """The key whose values tell these pairs from those that changed in the other direction,
    and its values here. Empty if there are no others."""
    if not others:
        return ""
    for key in ("fence", *pairs[0].this.keys):
        mine, theirs = (list(dict.fromkeys(pair.this.keys.get(key) for pair in group))
                        for group in (pairs, others))
        if not set(mine) & set(theirs):
            return f" ({units.name(key)}={_values(key, mine, theirs)})"
    return " (with some settings)"


def _values(key: str, mine: list, theirs: list) -> str:
    """These values of a key; many numbers are a range if none of the others lies in it."""
    if len(mine) > MANY and all(isinstance(value, int) for value in (*mine, *theirs)):
        first, last = min(mine), max(mine)
        if not any(first < value < last for value in theirs):
            return f"{units.text(key, first)} to {units.text(key, last)}"
    return ",".join(units.text(key, value) for value in mine)


def _title(word: str) -> str:
    return word.upper() if word in ("wb", "wc", "uc") else word


def _change(pairs: list[Pair]) -> str:
    """How much faster or slower these pairs are, which all have the same direction:
    `2 to 7 % slower`."""
    faster = pairs[0].ratio > 1
    factors = sorted(p.ratio if faster else 1 / p.ratio for p in pairs)
    word = "faster" if faster else "slower"
    if factors[-1] >= 2:
        digits = 0 if factors[0] >= 10 else 1
        return f"{_range(factors, digits)} times {'as fast' if faster else 'slower'}"
    if not faster:      # the share of the bandwidth that is lost, as the table shows it
        factors = [2 - 1 / f for f in factors]
    return f"{_range([100 * (f - 1) for f in factors], 0)} % {word}"


def _range(values: list[float], digits: int) -> str:
    return " to ".join(dict.fromkeys(f"{v:.{digits}f}" for v in (values[0], values[-1])))


def _operations_by_type(pairs: list[Pair]) -> str:
    groups: dict[str, dict[str, None]] = {}
    for pair in pairs:
        groups.setdefault(_title(pair.this.type), {})[pair.this.op] = None
    return "; ".join(f"{name} {join_words(ops)}" for name, ops in groups.items())


def _even_speeds_whatever_the_fence(trusted: list[Point]) -> list[str]:
    """A text for each type and operation that has nearly the same speed with FEWEST or more
    fences."""
    if len({point.fence for point in trusted}) < FEWEST:
        return []
    groups = grouped((point.other_keys(("fence", "verify")), point) for point in trusted)
    texts = []
    for group in groups.values():
        if len({p.fence for p in group}) < FEWEST:
            continue
        slow, *_, fast = sorted(group, key=lambda point: point.speed)
        if judge(slow.time, fast.time, EVEN).word == Word.SAME:
            ends = dict.fromkeys(units.rate(one.speed, coarse=True) for one in (slow, fast))
            texts.append(f"{_title(group[0].type)} {group[0].op} {' to '.join(ends)} "
                         f"{units.rates().name}")
    return texts
