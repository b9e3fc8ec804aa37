# SPDX-License-Identifier: GPL-2.0-only
"""Events of the cores in a pass: cycles, instructions, cache and TLB misses, as a table."""

from mc.analysis.traffic import names
from mc.analysis.words import Say
from mc.parts import Grid, Heading, Part, Sentence, bullets
from mc.records import tests
from mc.records.results import Run

WHY = {"no_pmu": "no PMU of this machine counts it; a virtual machine has one only if its "
                 "hypervisor offers it",
       "not_opened": "the PMU, or the kernel, refuses it; in user space it takes root, CAP_PERFMON "
                     "or kernel.perf_event_paranoid at 1 or below",
       "did_not_run": "it was never on its PMU on some thread: other events had all places, or "
                      "the PMU of that core, which can be of another kind, does not count it"}
PER_CYCLE = ("instructions", "cycles")
ALWAYS = 99.9           # percent of the time that count as all of it


def parts(runs: list[Run]) -> list[Part]:
    """The table and remarks with their heading; empty if nobody asked for events."""
    pairs = [(run, result) for run in runs for result in run.results
             if result.get("events_why", "no_counters") != "no_counters"]
    if not pairs:
        return []
    keys, cells = names(pairs)
    shown = [event for event in tests.EVENTS
             if any(result.get(event) is not None for _, result in pairs)]
    rows = [[*cell, *(_marked_number(result, event) for event in shown), _per_cycle_text(result)]
            for cell, (_, result) in zip(cells, pairs)]
    columns = [*keys, *(event.replace("-", " ") for event in shown), "instructions / cycle"]
    table: list[Part] = [
        Grid(columns, rows, len(keys)),
        Sentence("Events of all threads in a pass, counted in timed windows.")]
    return [Heading("Events of the cores"), *(table if shown else []),
            *bullets([*_sentences_on_turns([result for _, result in pairs], shown),
                      *_reasons_without_events([result for _, result in pairs], shown)], gap=True)]


def counted_percent(result: dict, event: str) -> float | None:
    """The percentage of the time for which an event was counted, if that was not all of it."""
    share = result.get(f"{event}_ran_percent")
    return share if share is not None and share < ALWAYS else None


def _marked_number(result: dict, event: str) -> str:
    """The number, with a ~ if it is extrapolated."""
    text = _number(result.get(event))
    return text if text == "na" or counted_percent(result, event) is None else f"~{text}"


def _sentences_on_turns(results: list[dict], shown: list[str]) -> list[Say]:
    """A sentence for each event that took turns with others."""
    shares = {event: [share for result in results if result.get(event) is not None
                      and (share := counted_percent(result, event)) is not None]
              for event in shown}
    return [Say("event_in_turns", event=event, count=(len(some), len(results)), percents=some)
            for event, some in shares.items() if some]


def _number(value: float | None) -> str:
    """Four digits are enough to compare, and short: 16384, 1.678e+07, 0.125."""
    if value is None:
        return "na"
    return f"{value:.0f}" if 100 <= value < 1e6 or not value else f"{value:.4g}"


def _per_cycle_text(result: dict) -> str:
    instructions, cycles = (result.get(event) for event in PER_CYCLE)
    if instructions is None or not cycles:
        return "na"
    in_part = any(counted_percent(result, event) for event in PER_CYCLE)
    return "~" * in_part + f"{instructions / cycles:.2f}"


def _reasons_without_events(results: list[dict], shown: list[str]) -> list[Say]:
    """Which events are missing everywhere, and the reasons."""
    lacking = [event for event in tests.EVENTS if event not in shown]
    whys = dict.fromkeys(result["events_why"] for result in results if result["events_why"])
    return [Say("events_missing", events=lacking, reason=WHY.get(why, why)) for why in whys]
