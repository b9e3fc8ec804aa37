# SPDX-License-Identifier: GPL-2.0-only
"""The verdict on which side is faster, from rounds in which both sides ran (`make bench-peers`).

A series has the figures of a form, one for each round. All functions are pure.

The best of seven forms is faster than the best of two even if all nine are equally
fast, because chance has more forms to choose from. So the form that represents a side in a
round is chosen by all other rounds. The number of forms on a side then favours neither.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import mean, median, stdev

Series = Sequence[float]

RESAMPLES = 2000
CONFIDENCE = 0.95
FEWEST = 5          # with fewer rounds, an interval says nothing


@dataclass(frozen=True)
class Verdict:
    """A cell's ratio, more than 1 where ours is better, its confidence interval, and the
    verdict in a word. @own and @peer name the forms that were the best over all rounds."""
    own: str
    peer: str
    ratio: float
    interval: tuple[float, float] | None
    word: str


def best(series: Mapping[str, Series], lower_is_better: bool = False) -> str:
    """The form with the best median."""
    sign = -1 if lower_is_better else 1
    return max(series, key=lambda name: sign * median(series[name]))


def chosen_by_others(series: Mapping[str, Series], lower_is_better: bool = False) -> list[str]:
    """For each round the form that was the best in all other rounds. A single round has no
    others, and chooses for itself."""
    count = min(len(values) for values in series.values())
    if count == 1:
        return [best(series, lower_is_better)]
    return [best({name: [*values[:i], *values[i + 1:count]] for name, values in series.items()},
                 lower_is_better) for i in range(count)]


def held_out(series: Mapping[str, Series], lower_is_better: bool = False) -> list[float]:
    """One figure a round: that of the form which the other rounds chose."""
    names = chosen_by_others(series, lower_is_better)
    return [series[name][i] for i, name in enumerate(names)]


def interval(values: Series, random: Random,
             resamples: int = RESAMPLES) -> tuple[float, float] | None:
    """The bootstrap's confidence interval of the median: rounds are drawn with replacement, and
    the tails of their medians are cut off. None for too few rounds."""
    if len(values) < FEWEST:
        return None
    drawn = sorted(median(random.choices(values, k=len(values))) for _ in range(resamples))
    tail = round(resamples * (1 - CONFIDENCE) / 2)
    return drawn[tail], drawn[-1 - tail]


def word(bounds: tuple[float, float] | None) -> str:
    """ahead or behind if the whole interval is on one side of 1, else equal."""
    if bounds is None:
        return "na"
    low, high = bounds
    return "ahead" if low > 1 else "behind" if high < 1 else "equal"


def cv(values: Series) -> float:
    """The coefficient of variation."""
    return stdev(values) / mean(values) if len(values) > 1 else 0.0


def judge(own: Mapping[str, Mapping[str, Series]], peers: Mapping[str, Series],
          statistics: Mapping[str, str], lower_is_better: bool = False,
          random: Random | None = None) -> Verdict:
    """Our forms beside the peers.

    @own has the series of our forms for each statistic (mean, best), and @statistics the
    one that each peer reports, because a mean compares only with a mean. The best peer is
    the one that leaves us the lowest ratio.
    """
    ours = {name: held_out(own[name], lower_is_better) for name in set(statistics.values())}
    ratios = {peer: [b / a if lower_is_better else a / b
                     for a, b in zip(ours[statistics[peer]], values)]
              for peer, values in peers.items()}
    rounds = held_out(ratios, lower_is_better=True)
    peer = best(ratios, lower_is_better=True)
    bounds = interval(rounds, random or Random(0))
    return Verdict(best(own[statistics[peer]], lower_is_better), peer, median(rounds), bounds,
                   word(bounds))
