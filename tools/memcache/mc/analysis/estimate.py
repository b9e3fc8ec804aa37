# SPDX-License-Identifier: GPL-2.0-only
"""The time that a result stands for, and how far another run of it might be from that.

The spread between runs decides. Several files are several runs: with medians m_i of their
logarithms, the variance of the median of n runs is

    v = pi/2 sd(ln m)^2 / n             with n - 1 degrees of freedom

where pi/2 is the ratio of the variance of a median to that of a mean, for many samples with a
normal distribution. (Logarithms, because a ratio is judged: Hedges, Gurevitch and Curtis, "The
meta-analysis of response ratios in experimental ecology", Ecology 80, 1999.)

Rounds of one file are more alike than files are: they share the process's or the machine's state of
a minute. So they count for less. If the variance between files is SHARED times that between the
rounds of a file, the median of k rounds has the variance

    v = pi/2 sd(ln m)^2 (1 / k + SHARED)    with k - 1 degrees of freedom

which is the effect of clusters (Kish, "Survey Sampling", 1965). SHARED is that of equal runs in
rounds, see Documentation/comparison.rst. For two files, each with several rounds, that is halved:
two files alone have one degree of freedom.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, log, pi

from mc.analysis.disturbed import is_slowed
from mc.analysis.steps import median
from mc.analysis.words import Say
from mc.records import rounds, tests
from mc.records.fields import has_settled

OF_MEDIAN = pi / 2      # the variance of a median, if that of a mean is 1
SHARED = 0.5            # the variance between files, if that between rounds is 1
ENOUGH = 3              # so many files show the spread between files
UNSETTLED, SLOWED = Say("not_settled"), Say("slowed")


@dataclass(frozen=True)
class Estimate:
    """A median time.

    fastest: the time of the fastest sample; the median if it is all that is known
    runs: how many runs it is of
    variance: that of the logarithm of the time, between runs; None if it is not known
    freedom: the degrees of freedom of the variance
    all_times: the medians and the fastest samples of runs; of rounds if there are few runs
    doubt: why the time is none that other runs would have
    """
    time: float
    fastest: float
    runs: int = 1
    variance: float | None = None
    freedom: float = inf
    all_times: tuple[Sequence[float], ...] = (), ()
    doubt: str = ""

    @property
    def times(self) -> Sequence[float]:
        """The medians of the runs; empty if there are fewer than ENOUGH."""
        return self.all_times[0] if self.runs >= ENOUGH else ()

    @property
    def variance_of_mean(self) -> float:
        """The variance of a mean of all times, if that between them is 1."""
        return 1 / len(self.all_times[0]) + (0 if self.times else SHARED / self.runs)


def of_single_time(time: float) -> Estimate:
    """A time of which nothing else is known."""
    return Estimate(time, time)


def estimate_of_runs(times: Sequence[float]) -> Estimate:
    """Estimate a time from the medians of runs."""
    spread = len(times) > 1 and _variance_of_runs(tuple((one,) for one in times)) or (None, inf)
    return Estimate(median(times), min(times), len(times), spread[0], spread[1], (times, times))


def is_timed(result: dict) -> bool:
    """Whether the times of samples were measured."""
    return bool(result.get("median_ns") and result.get("mean_ns"))


def of_figure(result: dict) -> Estimate | None:
    """The time that the figure of a result says, of a load or a byte; None if it has none. So
    results of other programs are compared, whose samples are not known."""
    test = tests.test_of(result["test"])
    value = result.get(test.main() or "")
    if not isinstance(value, (int, float)) or value <= 0:
        return None
    return of_single_time(1e3 / value if str(test.main()).endswith("mb_per_s") else value)


def median_time(result: dict, exact: bool = False) -> Estimate | None:
    """The median time of a sample of this result, or of one of its loads; None if nothing was
    measured. `exact`: on this machine equal runs take equal times, so that the samples of one run
    have all spread that there is."""
    if "tool" in result:
        return of_figure(result)
    if not is_timed(result):
        return None
    each = next((result[name] for name in tests.test_of(result["test"]).figures_with_role("count")
                 if result.get(name)), 1)
    middle = result["median_ns"]
    fastest = result.get("min_ns") or middle
    files, best = rounds.medians(result), rounds.fastest(result)
    spread = _variance_of_runs(files) or (_variance_of_samples(result) if exact else None) or \
        (None, inf)
    of_runs = [[median(one) for one in files], [min(one) for one in best]] \
        if len(files) >= ENOUGH else [[one for of_one in some for one in of_one]
                                      for some in (files, best)]
    return Estimate(middle / each, fastest / each, max(len(files), 1), spread[0], spread[1],
                    tuple([one / each for one in times] for times in of_runs),
                    UNSETTLED if not has_settled(result) else SLOWED if is_slowed(result) else "")


def variance(values: Sequence[float]) -> float:
    """Their variance, 0 if they are equal. `statistics` takes as long to import as all of this, and
    counts in fractions."""
    away = [one - values[0] for one in values]
    middle = sum(away) / len(away)
    return sum((one - middle) ** 2 for one in away) / (len(away) - 1)


def _variance_of_runs(files: tuple[tuple[float, ...], ...]) -> tuple[float, float] | None:
    """The variance that the rounds of these files show, and the degrees of freedom."""
    logs = [[log(one) for one in of_one] for of_one in files]
    several = [of_one for of_one in logs if len(of_one) > 1]
    if len(logs) >= ENOUGH or len(logs) > 1 and not several:
        between = variance([median(of_one) for of_one in logs])
        return OF_MEDIAN * between / len(logs), len(logs) - 1
    if not several:
        return None
    of_file = sum(variance(of_one) * (1 / len(of_one) + SHARED)
                  for of_one in several) / len(several)
    return OF_MEDIAN * of_file / len(logs), sum(len(of_one) - 1 for of_one in several)


def _variance_of_samples(result: dict) -> tuple[float, float] | None:
    """The variance that the samples of one run show, and the degrees of freedom."""
    count = result.get("samples") or 0
    if result.get("sd_ns") is None or count < 2:
        return None
    return OF_MEDIAN * (result["sd_ns"] / result["median_ns"]) ** 2 / count, count - 1


def average(parts: list[Estimate]) -> Estimate:
    """The mean of times that were measured separately."""
    count = len(parts)
    time = sum(one.time for one in parts) / count
    fastest = sum(one.fastest for one in parts) / count
    terms = [((one.time / time / count) ** 2 * one.variance, one.freedom) for one in parts
             if one.variance is not None]
    spread = pool(terms) if len(terms) == count else (None, inf)
    return Estimate(time, fastest, min(one.runs for one in parts), *spread,
                    doubt=next((one.doubt for one in parts if one.doubt), ""))


def pool(terms: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """The variance of a sum and its degrees of freedom according to Satterthwaite."""
    terms = list(terms)
    total = sum(value for value, _ in terms)
    weight = sum(value ** 2 / freedom for value, freedom in terms)
    return total, total ** 2 / weight if weight else inf
