# SPDX-License-Identifier: GPL-2.0-only
"""Events of the cores in a pass: cycles, instructions, cache and TLB misses, as a table."""

from mc.analysis.traffic import names
from mc.parts import Grid, Heading, Part, Sentence, bullets
from mc.records import tests
from mc.records.results import Run

WHY = {"no_pmu": "no PMU of this machine counts it; a virtual machine has one only if its "
                 "hypervisor offers it",
       "not_opened": "the PMU, or the kernel, refuses it; in user space it takes root, CAP_PERFMON "
                     "or kernel.perf_event_paranoid at 1 or below",
       "did_not_run": "it was never on its PMU, where other events may have taken all places"}
PER_CYCLE = ("instructions", "cycles")


def parts(runs: list[Run]) -> list[Part]:
    """The table and remarks with their heading; empty if nobody asked for events."""
    pairs = [(run, result) for run in runs for result in run.results
             if result.get("events_why", "no_counters") != "no_counters"]
    if not pairs:
        return []
    keys, cells = names(pairs)
    shown = [event for event in tests.EVENTS
             if any(result.get(event) is not None for _, result in pairs)]
    rows = [[*cell, *(_number(result.get(event)) for event in shown), _per_cycle(result)]
            for cell, (_, result) in zip(cells, pairs)]
    columns = [*keys, *(event.replace("-", " ") for event in shown), "instructions / cycle"]
    table: list[Part] = [
        Grid(columns, rows, len(keys)),
        Sentence("Events of all threads in a pass, counted in timed windows.")]
    return [Heading("Events of the cores"), *(table if shown else []),
            *bullets(_lacking([result for _, result in pairs], shown), gap=True)]


def _number(value: float | None) -> str:
    """Four digits are enough to compare, and short: 16384, 1.678e+07, 0.125."""
    if value is None:
        return "na"
    return f"{value:.0f}" if 100 <= value < 1e6 or not value else f"{value:.4g}"


def _per_cycle(result: dict) -> str:
    instructions, cycles = (result.get(event) for event in PER_CYCLE)
    return f"{instructions / cycles:.2f}" if instructions is not None and cycles else "na"


def _lacking(results: list[dict], shown: list[str]) -> list[str]:
    """Which events are missing everywhere, and the reasons."""
    lacking = [event for event in tests.EVENTS if event not in shown]
    whys = dict.fromkeys(result["events_why"] for result in results if result["events_why"])
    return [f"{', '.join(lacking) or 'Some events'}: na ({WHY.get(why, why)})." for why in whys]
