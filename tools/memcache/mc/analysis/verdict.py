# SPDX-License-Identifier: GPL-2.0-only
"""The verdict on memory types: the requested type, the type in the page tables, the effect on
the hardware, and conclusions for the results."""

from collections.abc import Iterable
from dataclasses import dataclass

from mc import grouped
from mc.analysis.words import Say, said
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
    whole: tuple[float | None, ...] | None = None  # percent of bursts, its interval
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
    # A result without memory of its own still has page=auto.
    by_type = grouped((result["type"], result) for run in runs for result in run.results
                      if isinstance(result.get("type"), str) and result.get("page") != "auto")
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


def _whole_bursts_of(machine: dict, name: str,
                     results: list[dict]) -> tuple[float | None, ...] | None:
    """The share that the machine's buffer of this type has, if it is why results have `partly`:
    that of a buffer which has its full effect, or of other memory, is not theirs."""
    facts = _facts_of_type(machine, name)
    if facts.get("effective") != "partly" or any(r.get("memory_object") for r in results):
        return None
    return whole_bursts(facts)


def whole_bursts(facts: dict) -> tuple[float | None, ...] | None:
    """The share of bursts that leave whole, if it is one figure, and its lower and upper end, in
    percent."""
    values = [facts.get(f"whole_{end}percent") for end in ("", "low_", "high_")]
    figures = tuple(one if isinstance(one, (int, float)) else None for one in values)
    return figures if None not in figures[1:] else None


def grid(verdict: Verdict) -> Grid:
    """The table of types."""
    rows = [[t.name.upper(), t.attribute, t.effective, units.text("reload_ns", t.reload_ns)]
            for t in verdict.types.values()]
    return Grid(["asked", "page tables", "effective", "reload ns"], rows, gap=False)


def sentences(verdict: Verdict) -> list[Say]:
    """Sentences on the verdict, the most serious one first."""
    types = [*verdict.types.values()]
    idle = _names(t for t in types if t.effective == "no")
    only_wb = idle == ["WB"] and len(types) == 1
    same = _names(t for t in types if t.name == "wb" or t.effective == "no")
    both = _names(t for t in types if {"yes", "no"} <= t.effects)
    unsure = [t for t in types if not {t.effective} & {"yes", "no"} and not t.is_partial
              and not {"yes", "no"} <= t.effects]
    bars, others = (_names(t for t in unsure if t.is_of_bar == of_bar) for of_bar in (True, False))
    name = not only_wb and idle and verdict.hypervisor or ""
    found = [
        *(Say("type_not_as_asked", type=t.name.upper(), attribute=t.attribute)
          for t in types if not t.is_as_asked),
        *said((only_wb and not verdict.is_emulated, "wb_without_cache", {}),
              (idle and not only_wb, "types_without_effect", {"types": idle}),
              (idle and len(same) > 1, "types_same_memory", {"types": same}),
              (name == "unknown", "hypervisor_unknown", {}),
              (name not in ("", "unknown", "tcg"), "hypervisor_may_force", {"hypervisor": name}),
              (verdict.is_emulated, "emulated", {}), (both, "types_in_some", {"types": both})),
        *(Say("type_in_part", type=t.name.upper(), whole=t.whole) for t in types if t.is_partial),
        *said((bars and not verdict.is_emulated, "bar_unknown", {"types": bars}),
              (others, "types_unknown", {"types": others}))]
    return found or said((types, "types_real", {
        "types": _names(types), "read": all(t.attribute != "na" for t in types),
        "simulated": verdict.simulated}))


def _names(types: Iterable[Type]) -> list[str]:
    return [t.name.upper() for t in types]
