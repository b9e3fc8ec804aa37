# SPDX-License-Identifier: GPL-2.0-only
"""Lasting changes in a series of times, one of each run.

Runs that lie far from their neighbours are left out: a run that something disturbed says nothing
about a change. In the rest, places are looked for where the distribution changes (kernel
change-point detection with a Gaussian kernel: Arlot, Celisse and Harchaoui, "A kernel multiple
change-point algorithm via model selection", Journal of Machine Learning Research 20, 2019). There
are some in pure noise, too, so each has to be confirmed: the runs after it are faster
or slower than those before by judge.py, and fewer than 1 in 5000 random divisions of these runs
separate their ranks as well (a permutation test). The place that is least sure is
dropped first, which makes the stretches beside it one.

Few runs can't confirm a change in this way. Of 3 runs and more, a step is hinted at if it is four
times as large as the spread of the runs on its sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb, exp, log
from types import ModuleType
from typing import Any

from mc import Failure, libraries
from mc.advice import lacking
from mc.analysis.estimate import estimate_of_runs
from mc.analysis.judge import Word, judge
from mc.analysis.steps import deviation, median

LEAST = 3           # runs: for fewer there is no spread
FEWEST = 16         # runs: of 8 and 8, 2 in 12870 deals separate them completely
PENALTY = 3         # of each place, in units of the kernel's cost
SHORTEST = 3        # runs between two places
SURE = 0.0002       # the share of deals that may separate the sides as well
DEALS = 19999
FAR = 4             # standard deviations from the median of the neighbours
NEIGHBOURS = 4      # on each side
USUAL = 0.0125      # the least spread of a few runs: smaller steps than 5 % stay unseen
TIE = 1e-4          # the least standard deviation, of logarithms of times


@dataclass(frozen=True)
class Step:
    """A change. `at` is the first run after it; `speed` is that after it, as a ratio to that
    before; `before` and `after` are the median times."""
    at: int
    before: float
    after: float

    @property
    def speed(self) -> float:
        return self.before / self.after

    @property
    def word(self) -> Word:
        return Word.FASTER if self.speed > 1 else Word.SLOWER


def numpy() -> ModuleType:
    """Load the library, or raise a Failure that says how to install it."""
    libraries()
    try:
        import numpy as library
    except ImportError:
        raise Failure(f"to confirm changes in {FEWEST} runs or more, trend needs the Python "
                      f"library {lacking('numpy')}") from None
    return library


def are_far_off(times: Sequence[float]) -> list[bool]:
    """Which of these lie far from their neighbours. The spread is that from one run to the next,
    so that a change does not count as spread."""
    logs = [log(time) for time in times]
    moves = [abs(b - a) for a, b in zip(logs, logs[1:])]
    spread = max(deviation(moves) / 2 ** 0.5, TIE) if moves else TIE
    return [abs(one - median(logs[max(i - NEIGHBOURS, 0):i + NEIGHBOURS + 1])) > FAR * spread
            for i, one in enumerate(logs)]


def steps(times: Sequence[float]) -> list[Step]:
    """The confirmed changes in these times, the earliest first."""
    kept = [i for i, off in enumerate(are_far_off(times)) if not off]
    if len(kept) < FEWEST:
        return []
    logs = [log(times[i]) for i in kept]
    places = _candidates(logs)
    while places:
        sides = list(_stretches_beside(logs, places))
        doubts = [_doubt(before, after) for before, after in sides]
        worst = max(range(len(places)), key=lambda i: doubts[i])
        if doubts[worst] == NONE:
            return [Step(kept[place], exp(median(before)), exp(median(after)))
                    for place, (before, after) in zip(places, sides)]
        del places[worst]
    return []


def word_of_history(times: Sequence[float], changes: Sequence[Step]) -> Word:
    """Whether the runs after the last of these changes are faster or slower than those before the
    first one. If there is no change, the runs of the second half are compared with the others."""
    first, last = (changes[0].at, changes[-1].at) if changes else 2 * (len(times) // 2,)
    off = are_far_off(times)
    base, now = (estimate_of_runs([times[i] for i in places if not off[i]])
                 for places in (range(first), range(last, len(times))))
    return judge(base, now).word


def hint(times: Sequence[float]) -> Step | None:
    """The step in a few times that divides them best, if it is far larger than their spread; else
    None. It may be chance. Few runs can have a small spread by chance, so it is taken to be USUAL
    at least."""
    kept = [i for i, off in enumerate(are_far_off(times)) if not off] \
        if len(times) > 2 * NEIGHBOURS else list(range(len(times)))
    logs = [log(times[i]) for i in kept]
    if len(logs) < LEAST:
        return None
    sides = {place: (logs[:place], logs[place:]) for place in range(1, len(logs))}
    place = min(sides, key=lambda place: sum(map(_scatter, sides[place])))
    before, after = sides[place]
    spread = max((sum(map(_scatter, sides[place])) / (len(logs) - 2)) ** 0.5, USUAL)
    if abs(sum(after) / len(after) - sum(before) / len(before)) < FAR * spread:
        return None
    return Step(kept[place], exp(median(before)), exp(median(after)))


def _scatter(values: Sequence[float]) -> float:
    """The sum of the squares of the distances from the mean."""
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values)


def _candidates(logs: list[float]) -> list[int]:
    """The places that make the sum of the costs of all stretches, and of a penalty for each place,
    the smallest. The cost of a stretch is how unlike its values are by the kernel."""
    library = numpy()
    squares = library.subtract.outer(logs, logs) ** 2
    if not squares.any():
        return []
    # The usual width of the kernel. Equal times don't count, since they would make it 0.
    alike = library.exp(-squares / library.median(squares[squares > 0]))
    count = len(logs)
    sums = library.zeros((count + 1, count + 1))
    sums[1:, 1:] = alike.cumsum(0).cumsum(1)
    best, last = library.full(count + 1, library.inf), [0] * (count + 1)
    best[0] = -PENALTY
    for end in range(SHORTEST, count + 1):
        begin = library.arange(end - SHORTEST + 1)
        inside = sums[end, end] - 2 * sums[begin, end] + sums[begin, begin]
        total = best[begin] + (end - begin) - inside / (end - begin) + PENALTY
        last[end] = int(total.argmin())
        best[end] = total[last[end]]
    places = []
    while last[count]:
        count = last[count]
        places.append(count)
    return places[::-1]


def _stretches_beside(logs: list[float],
                      places: list[int]) -> list[tuple[list[float], list[float]]]:
    """The stretches before and after each place."""
    ends = [0, *places, len(logs)]
    return [(logs[a:b], logs[b:c]) for a, b, c in zip(ends, ends[1:], ends[2:])]


NONE = (0.0, 0.0)


def _doubt(before: list[float], after: list[float]) -> tuple[float, float]:
    """A doubt about the change between these sides. A larger one means that chance explains the
    change more easily; NONE means that it is confirmed."""
    share = share_as_separated(before, after)
    base, now = (estimate_of_runs([exp(one) for one in side]) for side in (before, after))
    difference = judge(base, now)
    sure = share < SURE and difference.word in (Word.FASTER, Word.SLOWER)
    return NONE if sure else (share, -abs(difference.percent))


def share_as_separated(before: Sequence[float], after: Sequence[float]) -> float:
    """The share of deals of these values to two sides that separate their ranks as well. If there
    are too many deals to count, some are drawn at random, always the same ones."""
    values = [*before, *after]
    order = sorted(values)
    middle = (len(values) - 1) / 2
    # Equal values share the middle of their ranks.
    ranks = [(order.index(v) + len(order) - 1 - order[::-1].index(v)) / 2 - middle for v in values]
    side = len(before)
    observed = abs(sum(ranks[:side])) - 1e-9
    if (deals := comb(len(values), side)) <= DEALS:
        return sum(abs(sum(one)) >= observed for one in combinations(ranks, side)) / deals
    dealt = numpy().array(ranks)[_random_deals(len(ranks))[:, :side]]
    as_well = int((abs(dealt.sum(axis=1)) >= observed).sum())
    return (as_well + 1) / (DEALS + 1)


@lru_cache(maxsize=8)
def _random_deals(count: int) -> Any:
    """The places of so many values in each deal."""
    library = numpy()
    return library.random.default_rng(1).permuted(
        library.tile(library.arange(count, dtype="u2"), (DEALS, 1)), axis=1)
