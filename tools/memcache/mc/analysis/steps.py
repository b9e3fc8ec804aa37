# SPDX-License-Identifier: GPL-2.0-only
"""Steps in a curve that rises from one level to the next: caches in latency over
size, TLBs in latency over reach.

A disturbance makes a measurement slower, never faster, and a larger set is never
faster than a smaller one: so of the times at a size and at all larger ones, the
least is nearest to the truth. In what remains, neighbours that differ least are
taken together until all differ by a factor of STEP. What is then flat is a level;
what is not is the climb between two.

Times are compared by their ratio, sizes by octaves: a level of 1 ns and one of
100 ns have the same right.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, log, log2

STEP = 1.5      # levels differ by this factor, or more
FLAT = 1.35     # a level rises by no more than that in an octave
WIDE = 0.8      # and is so many octaves wide

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Level:
    """first, last: the sizes at which it was seen; time: the median there; limit:
    where the curve is half-way to the next level, None for the last one."""
    first: float
    last: float
    time: float
    limit: float | None = None


def levels(curve: Points) -> list[Level]:
    """The levels of a curve of (size, time), in any order; none if there is no
    time that means anything."""
    points = envelope(curve)
    flat = [part for part in _parts(points) if _is_level(part, points)]
    flat = _merged(flat)
    found = []
    for part, above in zip(flat, [*flat[1:], None]):
        limit = _crossing(points, part, above) if above else None
        found.append(Level(part[0][0], part[-1][0], _time(part), limit))
    return found


def envelope(curve: Points) -> list[tuple[float, float]]:
    """By size, each time the least of those at this and at larger sizes."""
    least = float("inf")
    found: dict[float, float] = {}
    for size, time in sorted(curve, reverse=True):
        if size > 0 and time > 0:
            least = min(least, time)
            found[size] = least
    return sorted(found.items())


def median(values: Iterable[float]) -> float:
    """Of one or more. Not that of `statistics`, whose import takes longer."""
    found = sorted(values)
    return (found[(len(found) - 1) // 2] + found[len(found) // 2]) / 2


def _time(part: Points) -> float:
    return median(time for _, time in part)


def _parts(points: Points) -> list[list[tuple[float, float]]]:
    """Neighbours taken together, the nearest first."""
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
    """Is it flat, and wide? Where the curve begins or ends, it may go on outside."""
    (first, low), (last, high) = part[0], part[-1]
    octaves = log2(last / first)
    at_end = part[0] == points[0] or part[-1] == points[-1]
    return high / low <= FLAT ** max(octaves, 1) and (octaves >= WIDE or at_end)


def _merged(parts: list[list]) -> list[list]:
    """Levels which are too near to each other, with a climb between them that was
    none, are one."""
    found: list[list] = []
    for part in parts:
        if found and _time(part) < STEP * _time(found[-1]):
            found[-1] = found[-1] + part
        else:
            found.append(part)
    return found


def _crossing(points: Points, below: Points, above: Points) -> float:
    """The size at which the curve has left a level: half-way to the next one, in
    ratios, or at twice its time."""
    low = log(_time(below))
    middle = low + min((log(_time(above)) - low) / 2, log(2))
    climb = [(log(size), log(time)) for size, time in points
             if below[-1][0] <= size <= above[0][0]]
    for (x, low), (y, high) in zip(climb, climb[1:]):
        if low <= middle <= high and high > low:
            return exp(x + (y - x) * (middle - low) / (high - low))
    return below[-1][0]
