# SPDX-License-Identifier: GPL-2.0-only
"""Results beside what is published of their CPU, and what in their records can explain one that is
outside. Where nothing is published, the most that arithmetic allows: bytes in a cycle by the ports
of a core, or transfers a second by the memory modules."""

from dataclasses import dataclass, replace
from math import isfinite

from mc import grouped
from mc.analysis import disturbed, hardware, ports, reference
from mc.analysis.reference import FIGURES, TOGETHER, Expected
from mc.analysis.steps import median
from mc.analysis.words import Say, said
from mc.records import prices, tests, units
from mc.records.fields import has_settled
from mc.records.results import Run

CLOCK_CHANGED = 0.05
SHARED = ("l3_cycles", "l3_ns", "memory_ns", "memory_stride_ns", "copy_mb_per_s",
          "write_mb_per_s", "socket_read_mb_per_s")
IN_MEMORY = SHARED[2:]
STREAMED = ("memory_stride_ns", "copy_mb_per_s", "write_mb_per_s", "socket_read_mb_per_s")


@dataclass(frozen=True)
class Beside:
    """A result and what is published for it."""
    run: Run
    result: dict
    expected: Expected

    @property
    def figure(self) -> str:
        return self.expected.reference.figure

    @property
    def words(self) -> str:
        """`load from L3`"""
        return FIGURES[self.figure].words

    @property
    def times(self) -> float:
        """How many times the nearest end of the range the figure is, if it is outside."""
        one = self.expected
        return one.value / (one.high if one.outside > 0 else one.low)


def results_with_references(runs: list[Run]) -> list[Beside]:
    """One result for each figure that is published, of each side, model and page size: of several
    sizes the one in the middle, or in memory the largest."""
    return [_one_of(several) for several in _all_with_references(runs)]


def _all_with_references(runs: list[Run]) -> list[list[Beside]]:
    """All results of each such figure. One of TOGETHER is judged with the one result that stands
    for each other figure."""
    known = grouped(((run.where, found.reference.model, result.get("page"), result.get("prefetch"),
                      found.reference.figure), Beside(run, result, found))
                    for run in runs for result in run.results
                    if (found := reference.expected(run.machine, result)))
    groups: dict[tuple, dict[str, Beside]] = {}
    for key, several in known.items():
        groups.setdefault(key[:-1], {})[key[-1]] = _one_of(several)
    return [[_with_others(one, groups[key[:-1]] | {one.figure: one}) for one in several]
            for key, several in known.items()]


def _with_others(one: Beside, group: dict[str, Beside]) -> Beside:
    if one.figure not in TOGETHER or one.expected.slow:
        return one
    slow = reference.data().slow_figures(
        {figure: other.expected.reference for figure, other in group.items()},
        {figure: other.expected.published_value for figure, other in group.items()})
    if one.figure not in slow:
        return one
    return replace(one, expected=replace(one.expected, outside=-1, together=True))


def _one_of(several: list[Beside]) -> Beside:
    if several[0].figure in IN_MEMORY:
        largest = max(one.result.get("size_bytes") or 0 for one in several)
        several = [one for one in several if (one.result.get("size_bytes") or 0) == largest]
    middle = median(one.expected.value for one in several)
    return min(several, key=lambda one: abs(one.expected.value - middle))


def with_expected(runs: list[Run]) -> list[Run]:
    """The runs of a file with what is expected of each result, for programs."""
    found = expected_of_results(runs)
    return [Run(run.machine, run.request, [result | _keys(run, result, found.get(id(result)))
                                           for result in run.results]) for run in runs]


def expected_of_results(runs: list[Run]) -> dict[int, Expected]:
    """What is expected of each result of a file that has a reference, by its id()."""
    return {id(one.result): one.expected for several in _all_with_references(runs)
            for one in several}


def _keys(run: Run, result: dict, found: Expected | None) -> dict[str, object]:
    most = peak(run, result)
    keys: dict[str, object] = {}
    if found:
        keys |= {"expected": _rounded(found.typical), "expected_low": _rounded(found.low),
                 "expected_high": _rounded(found.high),
                 "expected_machines": found.reference.machines,
                 "expected_sources": found.reference.sources,
                 "expected_outside": "slower" if found.slow else
                                     "faster" if found.outside else "no"}
    if most:
        keys |= {"expected_peak": _rounded(most[0]), "expected_peak_by": most[1]}
    return keys


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def peak(run: Run, result: dict) -> tuple[float, str] | None:
    """The most MB/s that arithmetic allows, and what limits it; None if that is not known."""
    rate, level = result.get("mb_per_s"), result.get("level")
    if result.get("test") != "bandwidth" or result.get("type") != "wb" or not rate:
        return None
    cycle, most = result.get("bytes_per_core_cycle"), ports.limit(run.machine, result)
    if level == "l1" and cycle and most:
        total = rate * most / cycle
        return (total, "ports") if isfinite(total) else None
    if (level == "memory" and hardware.channel_count(run.machine) is not None
            and (total := hardware.peak(run.machine))):
        return total, "modules"
    return None


def peaks(runs: list[Run]) -> list[tuple[Run, dict, float, str]]:
    """For each operation and limit the result that comes nearest to it."""
    best: dict[tuple, tuple[Run, dict, float, str]] = {}
    for run in runs:
        for result in run.results:
            if not (found := peak(run, result)) or found[0] < result["mb_per_s"]:
                continue
            key = (run.where, result.get("op"), found[1])
            if key not in best or _share(result, found[0]) > _share(*best[key][1:3]):
                best[key] = (run, result, *found)
    return [*best.values()]


def _share(result: dict, most: float) -> float:
    return result["mb_per_s"] / most


def sentence(one: Beside) -> str:
    """A remark on a figure that is outside on its slow side; empty if it is not. It names only
    causes that the records show."""
    if not one.expected.slow:
        return ""
    others = " and ".join(FIGURES[name].words for name in TOGETHER if name != one.figure)
    return Say("slow_figure", figure=one.words, long=one.times > 1, times=one.times,
               percent=100 * one.times, machines=one.expected.reference.machines,
               with_it=others if one.expected.together else None,
               guest=one.run.machine.get("hypervisor") is not None, causes=causes(one))


def causes(one: Beside) -> list[str]:
    """What the records show that makes this figure slower."""
    machine, result, figure = one.run.machine, one.result, one.figure
    name = machine.get("hypervisor")
    before, after = result.get("core_mhz"), result.get("core_mhz_after")
    prefetch_off = (machine.get("prefetch") or {}).get("state") in ("off", "mixed") \
        or result.get("prefetch") == "off"
    of_modules = [*hardware.remarks(machine), *remark_on_width(machine)]
    return [*said((name is not None and figure in SHARED, "shared_with_guests", {
                      "known": name != "unknown", "hypervisor": name,
                      "l3": figure.startswith("l3")}),
                  (result.get("page") == "4k" and figure in SHARED, "small_pages", {}),
                  (prefetch_off and figure in STREAMED, "prefetchers_off", {})),
            *(remark.as_part() for remark in of_modules if figure in IN_MEMORY),
            *said((before and after and abs(after - before) > CLOCK_CHANGED * before,
                   "clock_changed", {"before": before, "after": after}),
                  (not has_settled(result), "not_settled", {}),
                  (disturbed.is_disturbed(result), "result_disturbed", {})),
            *disturbed.work_before([one.run])]


def remark_on_width(machine: dict) -> list[Say]:
    """What the modules say if they fill half of the channels, or fewer, that machines of this CPU
    have, and this one has, too. CPUs of one model can have sockets with more channels or with
    fewer."""
    row, bits = reference.known_rows(machine).get("memory_bits"), hardware.socket_width(machine)
    if not row or not bits:
        return []
    full = min(row.high, hardware.MODULE * len(hardware.channels(hardware.slots_of(machine))))
    peak_now = hardware.peak(machine)
    return said((2 * bits <= full, "half_width", {
        "bits": bits, "machines": row.machines, "most": row.high, "peak": peak_now, "full": full,
        "full_peak": peak_now and peak_now * full / bits}))


def reason_for_no_comparison(runs: list[Run]) -> str:
    """Why the CPU of these runs is compared with none, if its caches say so."""
    machine = runs[0].machine
    if prices.simulation(machine):
        return ""
    return reference.disguise(machine, reference.model_of(machine))


def figure_text(result: dict, value: float) -> str:
    """A value in the unit of a result's main figure."""
    key = tests.test_of(result["test"]).main() or ""
    return units.rate_text(value) if key.endswith("mb_per_s") else units.duration(value)
