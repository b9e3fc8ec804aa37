# SPDX-License-Identifier: GPL-2.0-only
"""The best of several results: the highest rate, or the shortest time."""

from collections.abc import Callable, Iterable
from typing import TypeVar

Of = TypeVar("Of")


def is_better(one: dict, other: dict, figure: str) -> bool:
    """Whether this figure of `one` is better than that of `other`. What was not measured, or
    failed verification, is never better."""
    a, b = _value(one, figure), _value(other, figure)
    if a is None or b is None:
        return a is not None
    return a > b if figure.endswith("_per_s") else a < b


def best_of_each(among: Iterable[Of], place: Callable[[Of], tuple], result: Callable[[Of], dict],
                 figure: str) -> list[Of]:
    """The best of what has the same place."""
    best: dict[tuple, Of] = {}
    for one in among:
        before = best.setdefault(place(one), one)
        if is_better(result(one), result(before), figure):
            best[place(one)] = one
    return list(best.values())


def _value(result: dict, figure: str) -> float | None:
    return None if result.get("verified") == "failed" else result.get(figure)
