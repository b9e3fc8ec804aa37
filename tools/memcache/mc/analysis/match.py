# SPDX-License-Identifier: GPL-2.0-only
"""Pairs of records to compare. The partner of a record has the same keys of the request.

All keys count but `repeat`, which says how often and not what was measured, and `sched`, which says
what a process may do: it is compared with the facts of the machines. People want to compare
different values of `where` (kernel or user), `irq`, `cpu`, `page` and `disturbed`. So these may
differ if each of the two batches has a single value of the key.

If a record has several possible partners, one with the same `sched` whose memory was on the same
node is preferred.
Two records are refused if their memory was on different nodes, unless each had memory of the
node of its own CPUs.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import product
from operator import eq, itemgetter, xor

from mc import Failure, grouped
from mc.analysis.estimate import median_time, of_figure
from mc.analysis.judge import EMULATED, LIMIT, NO_TIME, Difference, Word, judge, unknown_difference
from mc.records import places, tests, units
from mc.records.fields import IGNORED, WHICH, request_keys
from mc.records.results import Run

FREE = ("irq", "cpu", "page", "disturbed", "memory_object")
PREFERRED = ("sched", "memory_node")    # of several partners, the one that has the same
STATE = "prefetch"                      # the state that was reached, not the one asked for


@dataclass(frozen=True)
class Batch:
    """The results of a file that come from one side of the system-call boundary."""
    file: str
    where: str
    machine: dict
    results: list[dict]

    @property
    def name(self) -> str:
        return f"{self.file}, {self.where}"

    @property
    def is_emulated(self) -> bool:
        return self.machine.get("hypervisor") == "tcg"

    @property
    def is_simulated(self) -> bool:
        return bool(self.machine.get("simulated"))

    @cached_property
    def is_imported(self) -> bool:
        """Whether another program measured all of it."""
        return all("tool" in result for result in self.results)

    def by_unknown_keys(self) -> dict[frozenset[str], list[dict]]:
        """The results by the keys of which another program does not say anything."""
        if not self.is_imported:
            return {frozenset(): self.results} if self.results else {}
        return grouped((frozenset(key for key, value in (
            {key: result.get(key) for key in WHICH} | _keys(result)).items() if value is None),
            result) for result in self.results)


@dataclass
class Pairing:
    """Two batches, and the pairs that their records make."""
    a: Batch
    b: Batch
    free: dict[str, tuple] = field(default_factory=dict)    # keys that may differ
    pairs: list[tuple[dict, dict]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)  # those of them whose data is wrong in B
    alone: dict[str, list[str]] = field(default_factory=lambda: {"A": [], "B": []})

    def judge(self, a: dict, b: dict, limit: float = LIMIT) -> Difference:
        """What is known of the difference between two of its records."""
        base, other = (of_figure(result) if "tool" in a or "tool" in b else
                       median_time(result, self.a.is_simulated and self.b.is_simulated)
                       for result in (a, b))
        if not base or not other:
            return Difference(Word.UNKNOWN, 0, why=NO_TIME)
        if self.a.is_emulated or self.b.is_emulated:
            return unknown_difference(base, other, EMULATED)
        return judge(base, other, limit)


def batches(files: dict[str, list[Run]]) -> list[Batch]:
    """The batches of these files, in the order of the files."""
    by_side = grouped(((name, result["where"]), (run, result)) for name, runs in files.items()
                      for run in runs for result in run.results)
    return [Batch(name, where, pairs[0][0].machine, [result for _, result in pairs])
            for (name, where), pairs in by_side.items()]


def plan(all_batches: list[Batch]) -> Iterator[tuple[Batch, Batch]]:
    """The pairs of batches to compare: kernel and user of each file, then the first file and
    each other file. Batches of two files are of the same side if both files have it."""
    files: dict[str, dict[str, Batch]] = {}
    for batch in all_batches:
        files.setdefault(batch.file, {})[batch.where] = batch
    for own in files.values():
        if {"kernel", "user"} <= own.keys():
            yield own["kernel"], own["user"]
    first, *others = files.values()
    for other in others:
        common = [where for where in first if where in other]
        for where in common:
            yield first[where], other[where]
        if not common:
            yield next(iter(first.values())), next(iter(other.values()))


def pair(a: Batch, b: Batch, mixed: bool) -> Pairing:
    """Find the partner of each record. `mixed` also takes records whose verdicts, nodes or
    prefetchers differ."""
    pairing = Pairing(a, b, _free_keys(a, b))
    if not mixed and a.is_simulated != b.is_simulated:
        pairing.refused.append("any of it: one machine is simulated, the other is not")
        return pairing
    imported = a.is_imported or b.is_imported
    groups = [batch.by_unknown_keys() for batch in (a, b)]
    everywhere = {key for some in groups if some for key in frozenset.intersection(*some)}
    pairing.free = {key: pair for key, pair in pairing.free.items() if key not in everywhere}
    skip = {*pairing.free, *IGNORED, *everywhere, *(() if imported else ("threads",))}
    paired: set[int] = set()
    # The records of which most is known choose their partners first.
    for of_a, of_b in sorted(product(*groups), key=lambda both: (len(both[0] | both[1]),
                                                                 *map(sorted, both))):
        _pair_equal(pairing, groups[0][of_a], groups[1][of_b], {*skip, *of_a, *of_b}, mixed,
                    paired)
    left, rest = ([result for result in batch.results if id(result) not in paired]
                  for batch in (a, b))
    _pair_states(pairing, left, rest, {*skip, STATE}, mixed)
    pairing.alone["A"] = _descriptions(left, b.results, skip, "B")
    pairing.alone["B"] = _descriptions(rest, a.results, skip, "A")
    return pairing


def _pair_equal(pairing: Pairing, left: list[dict], rest: list[dict], skip: set[str],
                mixed: bool, paired: set[int]) -> None:
    """Pair records that have the same keys but for some, unless they are paired already."""
    # The results of a key, by what is preferred, each with its place; the last place comes first.
    waiting: dict[tuple, dict[tuple, list[tuple[int, dict]]]] = {}
    for i, result in reversed([*enumerate(rest)]):
        if id(result) not in paired:
            waiting.setdefault(_key(result, skip), {}).setdefault(
                tuple(map(result.get, PREFERRED)), []).append((i, result))
    for result in left:
        if id(result) in paired or not (same := waiting.get(_key(result, skip))):
            continue
        near = [(sum(map(eq, state, map(result.get, PREFERRED))), -some[-1][0], state)
                for state, some in same.items()]
        state = max(near, key=itemgetter(0, 1))[-1]
        other = same[state].pop()[1]
        paired |= {id(result), id(other)}
        _take_pair(pairing, result, other, mixed)
        if not same[state]:
            del same[state]


def _key(result: dict, skip: Iterable[str]) -> tuple:
    """What a record and its partner have in common. A key that an older version did not have
    counts as its default."""
    request = tests.columns_with_presets(str(result["test"])) | _keys(result)
    keys = {key: value for key, value in request.items() if key not in skip}
    which = tuple(result.get(key) for key in WHICH if key not in skip)
    return result["test"], which, frozenset(keys.items())


def _keys(result: dict) -> dict:
    """The keys of the request, and the number of threads, by which imported results differ."""
    return request_keys(result) | {"threads": result.get("threads")}


def _pair_states(pairing: Pairing, left: list[dict], rest: list[dict], skip: set[str],
                 mixed: bool) -> None:
    """Refuse records that differ only in the state of the prefetchers; if `mixed`, take them."""
    waiting = grouped((_key(result, skip), result) for result in reversed(rest))
    paired = set()
    for result in left:
        if not (same := waiting.get(_key(result, skip))):
            continue
        other = same.pop()
        paired |= {id(result), id(other)}
        if mixed:
            _take_pair(pairing, result, other, mixed)
        else:
            pairing.refused.append(f"{describe(result, [STATE])}: prefetch={result.get(STATE)} "
                                   f"in A, {other.get(STATE)} in B")
    for some in (left, rest):
        some[:] = [result for result in some if id(result) not in paired]


def _free_keys(a: Batch, b: Batch) -> dict[str, tuple]:
    """The keys of which each batch has a single value, and these two values differ."""
    free: dict[str, tuple] = {}
    asked = [[request_keys(result) for result in batch.results] for batch in (a, b)]
    for key in FREE:
        values = [{keys.get(key) for keys in batch} for batch in asked]
        if all(len(own_values) == 1 for own_values in values) and values[0] != values[1]:
            free[key] = (values[0].pop(), values[1].pop())
    return free


def _take_pair(pairing: Pairing, a: dict, b: dict, mixed: bool) -> None:
    failed = [name for name, result in (("A", a), ("B", b)) if result.get("verified") == "failed"]
    empty = [name for name, result in (("A", a), ("B", b)) if not median_time(result)
             and not result.get("median_ns")]
    why = "; ".join(filter(None, [differences_of_verdicts(a, b),
                                  _difference_of_nodes(pairing, a, b)]))
    if failed:
        pairing.refused.append(f"{describe(a)}: data failed verification in {' and '.join(failed)}")
        if failed == ["B"]:
            pairing.wrong.append(pairing.refused[-1])
    elif empty:
        pairing.refused.append(f"{describe(a)}: nothing was measured in {' and '.join(empty)}")
    elif why and not mixed:
        pairing.refused.append(f"{describe(a)}: {why}")
    else:
        pairing.pairs.append((a, b))


def differences_of_verdicts(a: dict, b: dict) -> str:
    """How the verdicts on their memory differ; empty if they don't. User space does not know
    what the page tables say."""
    texts = []
    tables = [result.get("attribute") for result in (a, b)]
    if all(tables) and tables[0] != tables[1]:
        texts.append(f"page tables say {tables[0]} in A, {tables[1]} in B")
    effects = [result.get("effective") or "unknown" for result in (a, b)]
    if effects[0] != effects[1] and all("effective" in result for result in (a, b)):
        texts.append(f"effective={effects[0]} in A, {effects[1]} in B")
    return "; ".join(texts)


def _difference_of_nodes(pairing: Pairing, a: dict, b: dict) -> str:
    """How the nodes of their memory differ; empty if they don't, or if one is not known."""
    nodes = [result.get("memory_node") for result in (a, b)]
    if None in nodes or nodes[0] == nodes[1] or (
            places.is_local(pairing.a.machine, a) and places.is_local(pairing.b.machine, b)):
        return ""
    return f"memory of node {nodes[0]} in A, of node {nodes[1]} in B"


def describe(result: dict, without: Iterable[str] = ()) -> str:
    """`bandwidth op=read width=8 …`"""
    own = {key: value for key, value in request_keys(result).items()
           if key not in (*without, *IGNORED)}
    own |= {key: result[key] for key in WHICH if key in result}
    return f"{result['test']} {settings(own)}"


def settings(keys: dict) -> str:
    """`op=read width=8 size=16K`"""
    return " ".join(f"{units.name(key)}={units.text(key, value)}"
                    for key, value in keys.items() if value is not None)


def _descriptions(lonely: list[dict], others: list[dict], skip: set[str], side: str) -> list[str]:
    """A description of each record without a partner, with the first other record that differs in
    one key only."""
    names: set[str] = set()
    near: dict[int, tuple[int, dict]] = {}
    for i, other in enumerate(others if lonely else ()):
        keys = _asked(other, skip)
        names |= keys.keys()
        for _, rest in _without_each(other, keys, keys):
            near.setdefault(rest, (i, keys))
    described = []
    for result in lonely:
        keys = _asked(result, skip)
        found = [(*near[rest], key)
                 for key, rest in _without_each(result, keys, names | keys.keys()) if rest in near]
        text = ""
        if found:
            _, other, key = min(found, key=itemgetter(0))
            text = f" ({side} has {units.name(key)}={units.text(key, other.get(key))})"
        described.append(describe(result) + text)
    return described


def _asked(result: dict, skip: set[str]) -> dict:
    return {key: value for key, value in request_keys(result).items()
            if key not in skip and value is not None}


def _without_each(result: dict, keys: dict, names: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Each of these names, and a hash of that name, of the other keys and of what the record is of:
    equal for two records that differ in this key alone."""
    hashes = {key: hash((key, value)) for key, value in keys.items()}
    whole = reduce(xor, hashes.values(), hash((result["test"], *map(result.get, WHICH))))
    for name in names:
        yield name, hash((name, whole ^ hashes.get(name, 0)))


def comparable_batches(files: dict[str, list[Run]]) -> list[Batch]:
    """The batches of these files. There must be two at least."""
    all_batches = batches(files)
    if len(all_batches) < 2:
        raise Failure("nothing to compare: give two results files, or one that was measured "
                      "with --where both", 2)
    return all_batches
