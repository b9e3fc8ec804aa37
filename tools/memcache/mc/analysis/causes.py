# SPDX-License-Identifier: GPL-2.0-only
"""What made accesses long: the causes of spikes, which the test `tail` has seen."""

from mc.parts import Grid, Heading, Part, Sentence
from mc.records import units

BOTH = "interrupt_or_preemption"    # where these can't be told apart
TITLE = "Causes of spikes, by their time beyond the median"


def parts(head: str, named: list[tuple[str, dict]], wide: bool) -> list[Part]:
    """A table with a line for each cause that was seen, and what can't be seen here. A wide report
    also has the longest accesses. `head`: the keys that tell the results apart."""
    kept = [(name, result) for name, result in named if result.get("tail")]
    if not kept:
        return []
    rows = [[name, *row] for name, result in kept for row in _rows(result["tail"]["causes"])]
    told = [one for _, result in kept for one in result["tail"]["causes"]]
    seen = {one["cause"] for one in told if one["count"] is not None}
    parts_of_both = BOTH.split("_or_") if BOTH in seen else []
    blind = [name for name in dict.fromkeys(one["cause"] for one in told)
             if name not in (*seen, *parts_of_both, BOTH)]
    found: list[Part] = [Heading(TITLE), Grid(
        [head, "cause", "spikes", "time, %", "longest"], rows, left=2, keys=2)]
    if not rows:
        found[1:] = [Sentence("There was none.")]
    if blind:
        found.append(Sentence(f"Not seen here, and so part of what is unknown: "
                              f"{', '.join(blind)}."))
    if wide:
        found += [Heading("Longest accesses"), Grid(
            [head, "cause", "time", "after"],
            [[name, cause, units.duration(ns), units.duration(at)]
             for name, result in kept for at, ns, cause in result["tail"]["worst"]],
            left=2, keys=2)]
    return found


def _rows(causes: list[dict]) -> list[list[str]]:
    """Of each cause that was seen: its name, its spikes, their share of the time, the longest."""
    seen = [one for one in causes if one["count"]]
    whole = sum(one["excess_ns"] for one in seen)
    return [[one["cause"], str(one["count"]),
             f"{100 * one['excess_ns'] / whole:.2f}" if whole else "na",
             units.duration(one["longest_ns"])]
            for one in sorted(seen, key=lambda one: -one["excess_ns"])]
