# SPDX-License-Identifier: GPL-2.0-only
"""What a machine record says about its machine, and what differs between two of them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from mc import join_words
from mc.analysis import hardware, refresh
from mc.analysis.steps import median
from mc.records import prices, units

AT = " at "         # stands before the place of a memory module
Value = str | float | tuple[str, ...] | None
Facts = dict[str, Value]


@dataclass(frozen=True)
class Fact:
    """Something about a machine. `groups`: equal machines have the same. `alike`: machines that
    differ in it are never compared. Numbers count as the same if they differ by less than
    `near`."""
    name: str
    of: Callable[[dict, Iterable[dict]], Value]
    groups: bool = False
    alike: bool = False
    near: float = 0.0

    def is_same(self, one: Value, other: Value) -> bool:
        if isinstance(one, float) and isinstance(other, float):
            return abs(one - other) <= self.near * max(one, other)
        return one == other


def _fact_of(key: str) -> Callable[[dict, Iterable[dict]], Value]:
    def value(machine: dict, _results: Iterable[dict]) -> Value:
        raw = machine.get(key)
        return None if raw is None else str(raw)
    return value


def _nodes(machine: dict, _results: Iterable[dict]) -> Value:
    """The CPUs of each node that are online."""
    lists = [node.get("cpus") or "" for node in machine.get("nodes") or []] or \
        [machine.get("cpus_online") or ""]
    return "; ".join(f"CPUs {cpus}" for cpus in lists if cpus or len(lists) > 1) or None


def _memory(machine: dict, _results: Iterable[dict]) -> Value:
    """The memory of all nodes. That of a guest is no fact about it: its host takes memory and
    gives it back."""
    sizes = [node.get("memory_bytes") for node in machine.get("nodes") or []]
    bare = machine.get("hypervisor") is None
    return float(sum(sizes)) if bare and sizes and all(sizes) else None


def _modules(machine: dict, _results: Iterable[dict]) -> Value:
    """Each memory module as `16G 3200 MT/s at DIMM_A1`; if several slots have this name, with the
    channel."""
    slots = hardware.slots_of(machine)
    names = Counter(slot["slot"] for slot in slots)
    return tuple(sorted(f"{units.size(one['size_bytes'])}{_speed(one)}{AT}{one['slot']}"
                        + (f" ({one['channel']})" if names[one["slot"]] > 1 and one["channel"]
                           else "")
                        for one in hardware.filled_slots(slots))) or None


def _speed(module: dict) -> str:
    return f" {module['mt_per_s']} MT/s" if module.get("mt_per_s") else ""


def _clock(_machine: dict, results: Iterable[dict]) -> Value:
    clocks = [result["core_mhz"] for result in results if result.get("core_mhz")]
    return float(median(clocks)) if clocks else None


def _sched(_machine: dict, results: Iterable[dict]) -> Value:
    """How the threads were scheduled. Older results do not have it: their threads kept it."""
    return "/".join(sorted({str(result.get("sched", "keep")) for result in results})) or None


FACTS = (
    Fact("cpu", _fact_of("cpu"), groups=True, alike=True),
    Fact("hypervisor", lambda machine, _: prices.layer_below(machine), groups=True, alike=True),
    Fact("kernel", _fact_of("kernel"), groups=True),
    Fact("microcode", _fact_of("microcode"), groups=True),
    Fact("nodes", _nodes, groups=True),
    Fact("modules", _modules, groups=True),
    Fact("prefetch", lambda machine, _: (machine.get("prefetch") or {}).get("state")),
    Fact("sched", _sched),
    Fact("memory", _memory, near=0.03),
    Fact("core clock", _clock, near=0.05),
    Fact("refresh", lambda _, results: refresh.period(results), near=refresh.NEAR),
    Fact("kernel_version", _fact_of("kernel_version")),
    Fact("clock", _fact_of("clock")),
    Fact("lockdown", _fact_of("lockdown")),
    Fact("version", _fact_of("version")),
)


NUMBERS: dict[str, Callable[[float], str]] = {
    "memory": lambda value: f"{value / (1 << 30):.1f} GiB",
    "core clock": lambda value: f"{value:.0f} MHz",
    "refresh": lambda value: f"every {units.duration(value)}",
}


def facts(machine: dict, results: Iterable[dict]) -> Facts:
    """What is known of the machine on which these results were measured."""
    results = list(results)
    return {fact.name: fact.of(machine, results) for fact in FACTS}


def differences(one: Facts, other: Facts) -> Iterator[Fact]:
    """The facts in which two machines differ, also those that only one of them tells."""
    return (fact for fact in FACTS if not fact.is_same(one[fact.name], other[fact.name]))


def changes(before: Facts, after: Facts) -> list[str]:
    """What became different about a machine: `kernel 6.1 -> 6.2`. What is not known of one of the
    two may have been the same."""
    pairs = ((fact, before[fact.name], after[fact.name]) for fact in differences(before, after))
    return [_exchanged_modules(old, new) or f"{fact.name} {text(fact, old)} -> {text(fact, new)}"
            for fact, old, new in pairs if old is not None and new is not None]


def differences_in_words(mine: Facts, usual: Facts) -> str:
    """What is different about a machine: `kernel 6.2 instead of 6.1`; empty if nothing is known to
    be, or if they are machines of two kinds."""
    differing = [(fact, mine[fact.name], usual[fact.name]) for fact in differences(mine, usual)]
    if any(fact.alike for fact, _, _ in differing):
        return ""
    return "; ".join(difference(*one) for one in differing if None not in one)


def difference(fact: Fact, mine: Value, usual: Value) -> str:
    """`kernel 6.2 instead of 6.1`"""
    return _exchanged_modules(usual, mine) or \
        f"{fact.name} {text(fact, mine)} instead of {text(fact, usual)}"


def _exchanged_modules(before: Value, after: Value) -> str:
    """Which modules are missing and which are new, unless most of them are others."""
    if not isinstance(before, tuple) or not isinstance(after, tuple):
        return ""
    missing, new = Counter(before), Counter(after)
    missing, new = missing - new, new - missing
    # If one record does not list the empty slots, a name is there only once.
    for name in list(new):
        if same := next((one for one in missing if one.startswith(f"{name} (")), None):
            missing -= Counter([same])
            new -= Counter([name])
    if 2 * missing.total() > len(before) and _kinds_in_words(before) != _kinds_in_words(after):
        return ""
    return ", ".join(f"{join_words(sorted(modules.elements()))} {verb}" for modules, verb in (
        (missing, "missing"), (new, "more")) if modules)



def _kinds_in_words(modules: Iterable[str]) -> str:
    """`8 x 16G 3200 MT/s`"""
    kinds = Counter(module.partition(AT)[0] for module in modules)
    return ", ".join(f"{count} x {kind}" for kind, count in kinds.items())


def text(fact: Fact, value: Value) -> str:
    """A fact in words."""
    if value is None:
        return "na"
    if isinstance(value, tuple):
        return _kinds_in_words(value)
    if isinstance(value, float):
        return NUMBERS[fact.name](value)
    return value
