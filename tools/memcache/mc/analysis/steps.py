# SPDX-License-Identifier: GPL-2.0-only
"""The levels of a curve that rises in steps: caches in latency over size, TLBs in latency over
reach.

A disturbance makes a measurement slower, never faster, and a larger set is never faster than
a smaller one. So the least of the times at a size and at all larger sizes is nearest to the
truth. Then neighbours that differ least are joined until all differ by a factor of STEP. A
part that is flat is a level; any other part is the climb between two levels.

Times are compared by their ratio and sizes in octaves, so that levels of 1 ns and of 100 ns
are treated alike.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import exp, log, log2

STEP = 1.5      # levels differ by this factor, or more
FLAT = 1.35     # a level rises by no more than that in an octave
WIDE = 0.8      # and is so many octaves wide
SIGMA = 1.4826  # of a normal distribution: the standard deviation in median absolute ones

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Level:
    """A level.

    first, last: the smallest and the largest size of the level
    time: the median of its times
    limit: the size at which the curve is half-way to the next level; None for the last level
    """
    first: float
    last: float
    time: float
    limit: float | None = None


def levels(curve: Points) -> list[Level]:
    """The levels of a curve of (size, time) in any order; none if no time is above 0."""
    points = envelope(curve)
    flat = [part for part in _parts(points) if _is_level(part, points)]
    flat = _merge_levels(flat)
    return [Level(part[0][0], part[-1][0], _median_time(part),
                  _crossing(points, part, above) if above else None)
            for part, above in zip(flat, [*flat[1:], None])]


def envelope(curve: Points) -> list[tuple[float, float]]:
    """The curve sorted by size, where each time is the least at this and at larger sizes."""
    falling = sorted((point for point in curve if min(point) > 0), reverse=True)
    least: Iterable[float] = accumulate((time for _, time in falling), min)
    return sorted({size: time for (size, _), time in zip(falling, least)}.items())


def median(values: Iterable[float]) -> float:
    """The median of one or more values. Importing `statistics` for it would take longer."""
    in_order = sorted(values)
    return (in_order[(len(in_order) - 1) // 2] + in_order[len(in_order) // 2]) / 2


def deviation(distances: Iterable[float]) -> float:
    """The standard deviation of normal values whose distances from the centre are these; a few
    outliers do not widen it."""
    return SIGMA * median(distances)


def _median_time(part: Points) -> float:
    return median(time for _, time in part)


def _parts(points: Points) -> list[list[tuple[float, float]]]:
    """Parts of neighbours. Neighbours that differ least are joined first."""
    parts = [[point] for point in points]
    while len(parts) > 1:
        ratios = [_mean(b) - _mean(a) for a, b in zip(parts, parts[1:])]
        least = min(ratios)
        if least >= log(STEP):
            break
        i = ratios.index(least)
        parts[i:i + 2] = [parts[i] + parts[i + 1]]
    return parts


def _mean(part: Points) -> float:
    return sum(log(time) for _, time in part) / len(part)


def _is_level(part: Points, points: Points) -> bool:
    """Whether a part is flat and wide enough. A part at an end of the curve may be narrow,
    since the level may continue outside."""
    (first, low), (last, high) = part[0], part[-1]
    octaves = log2(last / first)
    at_end = part[0] == points[0] or part[-1] == points[-1]
    return high / low <= FLAT ** max(octaves, 1) and (octaves >= WIDE or at_end)


def _merge_levels(parts: list[list]) -> list[list]:
    """The levels, where those that differ by less than STEP are joined."""
    merged: list[list] = []
    for part in parts:
        if merged and _median_time(part) < STEP * _median_time(merged[-1]):
            merged[-1] = merged[-1] + part
        else:
            merged.append(part)
    return merged


def _crossing(points: Points, below: Points, above: Points) -> float:
    """The size at which the curve has left a level: where its time is half-way to the next
    level (as a ratio), or twice that of the level."""
    low = log(_median_time(below))
    middle = low + min((log(_median_time(above)) - low) / 2, log(2))
    climb = [(log(size), log(time)) for size, time in points if below[-1][0] <= size <= above[0][0]]
    for (x, low), (y, high) in zip(climb, climb[1:]):
        if low <= middle <= high and high > low:
            return exp(x + (y - x) * (middle - low) / (high - low))
    return below[-1][0]
