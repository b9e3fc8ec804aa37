# SPDX-License-Identifier: GPL-2.0-only
"""The verdict on memory types: the requested type, the type in the page tables, the effect on
the hardware, and conclusions for the results."""

from collections.abc import Iterable
from dataclasses import dataclass

from mc.parts import Grid
from mc.records import units
from mc.records.results import Run

# The attributes in page tables that fit a type: set_memory_uc() sets UC-. The last of WC, UC and NP
# are those of arm64.
FITS = {"wb": ("wb",), "wc": ("wc", "nc"), "uc": ("uc", "uc-", "nGnRE"), "wt": ("wt",),
        "np": ("uc", "nGnRnE")}


@dataclass(frozen=True)
class Type:
    """A memory type in the results. Values that differ between results are joined by a slash."""
    name: str
    attribute: str
    effective: str
    reload_ns: float | None = None
    whole: tuple[float, ...] | None = None  # percent of bursts that leave whole; its interval
    is_of_bar: bool = False

    @property
    def is_partial(self) -> bool:
        """Write combining of which too few bursts leave whole, in some results at least."""
        return "partly" in self.effects <= {"partly", "yes"}

    @property
    def effects(self) -> set[str]:
        return set(self.effective.split("/"))

    @property
    def real(self) -> bool:
        return self.effective == "yes" and self.is_as_asked

    @property
    def is_as_asked(self) -> bool:
        return self.attribute == "na" or self.attribute in FITS.get(self.name, (self.attribute,))


@dataclass(frozen=True)
class Verdict:
    types: dict[str, Type]
    hypervisor: str | None
    uc_works: bool      # also if no result is of type UC, because the UC fence needs it
    simulated: bool = False

    @property
    def is_emulated(self) -> bool:
        return self.hypervisor == "tcg"

    def is_comparable(self, name: str) -> bool:
        """Whether results of this type really are of this type."""
        return name in self.types and self.types[name].real


def judge(runs: list[Run]) -> Verdict:
    machine = runs[0].machine
    by_type: dict[str, list[dict]] = {}
    for run in runs:
        for result in run.results:
            # A result without memory of its own still has page=auto.
            if isinstance(result.get("type"), str) and result.get("page") != "auto":
                by_type.setdefault(result["type"], []).append(result)
    bars = {name for name, results in by_type.items()
            if all(str(one.get("target")).startswith("pci:") for one in results)}
    shown = _types_that_a_bar_shows(by_type) if machine.get("hypervisor") != "tcg" else set()
    types = {name: Type(name, _attribute(results), "yes" if name in bars & shown else
                        _join_values(results, "effective", "unknown"), _reload_ns(machine, name),
                        _whole_bursts_of(machine, name, results), name in bars)
             for name, results in by_type.items()}
    uc = types["uc"].effective if "uc" in types else _facts_of_type(machine, "uc").get("effective")
    return Verdict(types, machine.get("hypervisor"), uc == "yes", bool(machine.get("simulated")))


def _types_that_a_bar_shows(by_type: dict[str, list[dict]]) -> set[str]:
    """Types that had an effect by the stores to the BAR itself: those by WC were combined; those by
    UC take twice as long as those by WC. No verdict follows pointers through a BAR."""
    times = {(name, r["width_bytes"]): r["ns_per_access"] for name, results in by_type.items()
             for r in results if r.get("op") == "write" and r.get("ns_per_access") and
             "width_bytes" in r}        # which random has not
    wc = any((r.get("burst_bytes") or 0) > r.get("width_bytes", 0) for r in by_type.get("wc", []))
    slower = any(times[kind, width] > 2 * times["wc", width] for kind, width in times
                 if kind == "uc" and ("wc", width) in times)
    return {"wc", *(["uc"] if slower else [])} if wc else set()


def _join_values(results: list[dict], key: str, missing: str) -> str:
    return "/".join(dict.fromkeys(str(r.get(key) or missing) for r in results))


def _attribute(results: list[dict]) -> str:
    """The attributes in those results that know them. User space can't read page tables."""
    return _join_values([r for r in results if r.get("attribute")], "attribute", "na") or "na"


def _facts_of_type(machine: dict, name: str) -> dict:
    facts = machine.get("memory_types", {}).get(name)
    return facts if isinstance(facts, dict) else {}


def _reload_ns(machine: dict, name: str) -> float | None:
    value = _facts_of_type(machine, name).get("reload_ns")
    return value if isinstance(value, (int, float)) else None


def _whole_bursts_of(machine: dict, name: str, results: list[dict]) -> tuple[float, ...] | None:
    """The share that the machine's buffer of this type has, if it is why results have `partly`:
    that of a buffer which has its full effect, or of other memory, is not theirs."""
    facts = _facts_of_type(machine, name)
    if facts.get("effective") != "partly" or any(r.get("memory_object") for r in results):
        return None
    return whole_bursts(facts)


def whole_bursts(facts: dict) -> tuple[float, ...] | None:
    """The share of bursts that leave whole, its lower end and its upper end, in percent."""
    values = [facts.get(f"whole_{end}percent") for end in ("", "low_", "high_")]
    figures = tuple(one for one in values if isinstance(one, (int, float)))
    return figures if len(figures) == len(values) else None


def whole_bursts_in_words(percentages: tuple[float, ...] | None) -> str:
    """That share in words, behind which come the bursts."""
    if percentages is None:
        return "too few"
    middle, low, high = percentages
    return f"{middle:.3g} % ({low:.3g} to {high:.3g} %)"


def grid(verdict: Verdict) -> Grid:
    """The table of types."""
    rows = [[t.name.upper(), t.attribute, t.effective, units.text("reload_ns", t.reload_ns)]
            for t in verdict.types.values()]
    return Grid(["asked", "page tables", "effective", "reload ns"], rows, gap=False)


def sentences(verdict: Verdict) -> list[str]:
    """Sentences on the verdict, the most serious one first."""
    texts = [f"{t.name.upper()} was asked for, but the page tables say {t.attribute}."
             for t in verdict.types.values() if not t.is_as_asked]
    idle = [t.name.upper() for t in verdict.types.values() if t.effective == "no"]
    if idle == ["WB"] and len(verdict.types) == 1:
        if not verdict.is_emulated:
            texts.append("WB shows no cache at work: a reload of a line that was flushed takes no "
                         "longer than a hit.")
    elif idle:
        texts += _sentences_on_no_effect(verdict, idle)
    if verdict.is_emulated:
        texts.append("An emulated machine (QEMU, TCG): no time measured here says anything about "
                     "real hardware.")
    both = [t.name.upper() for t in verdict.types.values() if {"yes", "no"} <= t.effects]
    if both:
        texts.append(f"{join_words(both)} had an effect in some results, and none in others: do "
                     "not compare these rows.")
    texts += [f"{t.name.upper()} has its effect in part only: {whole_bursts_in_words(t.whole)} of "
              "its bursts leave the CPU whole. Do not take these rows as results of memory that "
              "combines its stores."
              for t in verdict.types.values() if t.is_partial]
    unsure = [t.name.upper() for t in verdict.types.values()
              if t.effective not in ("yes", "no") and not t.is_partial
              and t.name.upper() not in both]
    bars = [name for name in unsure if verdict.types[name.lower()].is_of_bar]
    unsure = [name for name in unsure if name not in bars]
    if bars and not verdict.is_emulated:
        texts.append(f"Whether {join_words(bars)} had an effect on the BAR is not known: only "
                     "stores show it, and none did.")
    if unsure:
        texts.append(f"The timing does not show whether {join_words(unsure)} had an effect: do not "
                     "take these rows as results of that type.")
    if not texts and verdict.types:
        where = " on this simulated machine" if verdict.simulated else ""
        names = join_words(n.upper() for n in verdict.types)
        if any(t.attribute == "na" for t in verdict.types.values()):
            texts.append(f"{names}: real{where}, by its timing (page tables can't be read here).")
        else:
            texts.append(f"{names}: as asked for, and real{where}.")
    return texts


def _sentences_on_no_effect(verdict: Verdict, idle: list[str]) -> list[str]:
    texts = ["MEMORY TYPES HAVE NO EFFECT ON THIS MACHINE: asking for "
             f"{join_words(idle, 'or')} changes nothing."]
    rows = [name.upper() for name in verdict.types if name == "wb" or name.upper() in idle]
    if len(rows) > 1:
        texts.append(f"The rows {join_words(rows)} measure the same memory; what differs between "
                     f"them is not due to {join_words(rows, 'or')}.")
    if verdict.hypervisor == "unknown":
        texts.append("The hypervisor is not known. Under one, a guest's page tables may have no "
                     "effect: measure on bare metal.")
    elif verdict.hypervisor and not verdict.is_emulated:
        texts.append(f"Under a hypervisor ({verdict.hypervisor}) a guest's page tables may have no "
                     "effect: measure on bare metal.")
    return texts


def join_words(words: Iterable[str], last: str = "and") -> str:
    """`a, b and c`"""
    words = list(words)
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
