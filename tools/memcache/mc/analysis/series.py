# SPDX-License-Identifier: GPL-2.0-only
"""The results of a file that other files have as well, of the same request.

Results are of one series if they have the same side, the same keys of the request but `repeat`, and
memory of the same type and node. Results of emulated machines, those that failed verification and
those without a time are in no series.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from mc.analysis.estimate import Estimate, median_time
from mc.analysis.regression import short_description
from mc.records import rounds, tests, units
from mc.records.fields import IGNORED, WHICH, request_keys
from mc.records.results import Run

STATE = (*WHICH, *rounds.STATE, "tool")


@dataclass
class Left:
    """How many results are in no series: those that failed verification, those of emulated
    machines, and those without any time."""
    failed: int = 0
    emulated: int = 0
    empty: int = 0


def middles(runs: Iterable[Run], left: Left) -> dict[tuple, tuple[Estimate, dict]]:
    """The median time of each series in a file, and its result. Of several results of a series,
    the one in the middle counts."""
    by_series: dict[tuple, list[tuple[Estimate, dict]]] = {}
    for run in runs:
        for result in run.results:
            if run.machine.get("hypervisor") == "tcg":
                left.emulated += 1
            elif result.get("verified") == "failed":
                left.failed += 1
            elif time := median_time(result):
                by_series.setdefault(_key(result), []).append((time, result))
            else:
                left.empty += 1
    return {key: sorted(same, key=lambda one: one[0].time)[(len(same) - 1) // 2]
            for key, same in by_series.items()}


def _key(result: dict) -> tuple:
    """What all results of a series have in common."""
    keys = request_keys(result)
    for key in IGNORED:
        keys.pop(key, None)
    return result["where"], result["test"], tuple(map(result.get, STATE)), *keys.items()


def name(result: dict) -> str:
    """The name of a result, with its verdict if that is not `yes`."""
    effective = result.get("effective") or "yes"
    return short_description(result) + ("" if effective == "yes" else f" effective={effective}") \
        + (f" of {result['tool']}" if result.get("tool") else "")


def figure(result: dict) -> str:
    """The figure that people read; `median_ns` stands for the time if there is none."""
    main = tests.test_of(result["test"]).main() or ""
    value = result.get(main)
    return main if isinstance(value, (int, float)) and value > 0 else "median_ns"


def value(result: dict, time: float) -> float:
    """The value of that figure; `time` is the median time."""
    read = figure(result)
    return time if read == "median_ns" else units.in_shown_unit(read, result[read])
