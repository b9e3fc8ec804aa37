# SPDX-License-Identifier: GPL-2.0-only
"""How often memory is refreshed, as the test `tail` has found it, beside what JEDEC's standards
want of modules of this generation.

Up to 85 C, a standard wants all of DDR3 and DDR4 refreshed 8192 times in 64 ms, and DDR5 8192 times
in 32 ms; above, twice as often. DDR4 and DDR5 have modes of fine granularity with more and shorter
pauses (JESD79-3, -4, -5: tREFI)."""

from collections.abc import Iterable

from mc import join_words
from mc.analysis import hardware
from mc.analysis.steps import median
from mc.analysis.words import Say
from mc.parts import Sentence
from mc.records.results import Pair

PERIODS_NS = {"DDR3": 7800.0, "DDR4": 7800.0, "DDR5": 3900.0}
WITHOUT_FINE_GRANULARITY = ("DDR3",)
NEAR = 0.03         # periods count as the same if they differ by no more


def period(results: Iterable[dict]) -> float | None:
    """The period in ns in the middle of those that were found; None if none was."""
    found = list(_periods(results))
    return float(median(found)) if found else None


def _periods(results: Iterable[dict]) -> Iterable[float]:
    return (float(result["refresh_period_ns"]) for result in results
            if result.get("refresh") == "found" and result.get("refresh_period_ns"))


def is_multiple(rare: float, often: float, times: int) -> bool:
    """Whether a period is so many times as long as another."""
    return abs(rare / (often * times) - 1) <= NEAR


def reasons(times: int, generation: str | None = None) -> str:
    """What may make refresh so many times as frequent as usual; empty if nothing known does."""
    known = ["above 85 C", "by a setting of the firmware"] if times == 2 else []
    if times > 1 and generation not in WITHOUT_FINE_GRANULARITY:
        known.append("in a mode of fine granularity")
    return f"as {join_words(known, 'or')}" if known else ""


def sentences(pairs: Iterable[Pair]) -> list[Sentence]:
    """A sentence on each period that was found, where the generation of all modules is known."""
    said: list[tuple[str, float]] = []
    for run, result in pairs:
        for one in _periods([result]):
            generation = _generation(run.machine)
            if generation and not any(kind == generation and is_multiple(one, other, 1)
                                      for kind, other in said):
                said.append((generation, one))
    return [Sentence(_sentence(*one)) for one in said]


def _generation(machine: dict) -> str:
    """That of all modules; empty if it is not known, or has no period here."""
    kinds = {slot.get("generation") for slot in hardware.filled_slots(hardware.slots_of(machine))}
    [kind] = kinds if len(kinds) == 1 else [None]
    return kind if kind in PERIODS_NS else ""


def _sentence(generation: str, found: float) -> Say:
    usual = PERIODS_NS[generation]
    often = {1: "as often as", 2: "twice as often as", 4: "4 times as often as"}
    times = next((times for times in often if is_multiple(usual, found, times)), 0)
    return Say("refresh", found=found, often=often.get(times), generation=generation, usual=usual,
               reasons=reasons(times, generation))
