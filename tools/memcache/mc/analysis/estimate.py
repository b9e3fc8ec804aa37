# SPDX-License-Identifier: GPL-2.0-only
"""The certainty of a difference: the medians of samples, their ratio, and its interval.

The change from a median A to a median B is 1 - B / A. Its interval comes from the
logarithm of the ratio, whose variance is, by the delta method,

    var(ln B/A) = pi/2 ((sd_A / A)^2 / n_A + (sd_B / B)^2 / n_B)

where pi/2 is the ratio of the variance of a median to that of a mean, for many samples with a
normal distribution. The ratio is less if a few samples are far out, as disturbances are.

(Hedges, Gurevitch and Curtis, "The meta-analysis of response ratios in
experimental ecology", Ecology 80, 1999). The spreads may differ: Student's t
is taken with the degrees of freedom of Satterthwaite and Welch (Biometrics
Bulletin 2, 1946; Biometrika 34, 1947), where v are the two terms above:

    df = (v_A + v_B)^2 / (v_A^2 / (n_A - 1) + v_B^2 / (n_B - 1))

For a ratio of means the two together are what Bonett and Price recommend
("Confidence intervals for ratios of means and medians", Journal of Educational
and Behavioral Statistics 45, 2020).

Results of different rounds differ by more than their samples show. For these, sd is the
standard deviation of the medians of the rounds and n the number of rounds, unless the samples
give a larger variance.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, inf, isfinite, pi, sqrt
from statistics import variance

from mc.analysis.findings import FLOOR, spread_known
from mc.records import rounds, tests
from mc.records.fields import settled

OF_MEDIAN = pi / 2      # the variance of a median, if that of a mean is 1

# The 0.975 quantile of Student's t for 1 to 30 degrees of freedom, rounded up.
T975 = (12.707, 4.303, 3.183, 2.777, 2.571, 2.447, 2.365, 2.307, 2.263, 2.229, 2.201, 2.179,
        2.161, 2.145, 2.132, 2.120, 2.110, 2.101, 2.094, 2.086, 2.080, 2.074, 2.069, 2.064,
        2.060, 2.056, 2.052, 2.049, 2.046, 2.043)
Z975 = 1.959964


@dataclass(frozen=True)
class Estimate:
    """A median time.

    variance: the variance of the median; inf if it is not known, since there are too few samples
              or the loop had not settled; None for a published time, which has no samples
    freedom: the degrees of freedom of the variance
    typical: the mean and the fastest sample, if they are known
    """
    time: float
    variance: float | None = None
    freedom: float = inf
    typical: tuple[float, ...] = ()


@dataclass(frozen=True)
class Change:
    """A change in percent. A positive one means less time: faster. The interval from low to
    high is that of 95 %."""
    percent: float
    low: float | None = None
    high: float | None = None
    typical: tuple[float, ...] = ()     # the changes of the mean and of the fastest sample

    @property
    def noise(self) -> bool:
        """Whether the spread of the samples, or another run, can explain the change; also if
        there are too few samples to know. A disturbance often slows many samples in a row, so
        the interval takes it for a steady change, but the fastest sample stays the same. So
        median, mean and fastest sample must all have changed."""
        if self.low is None or self.high is None:
            return False
        sign = 1 if self.percent > 0 else -1
        return self.low <= 0 <= self.high or any(
            sign * change < 100 * FLOOR for change in (self.percent, *self.typical))

    @property
    def mark(self) -> str:
        if self.noise or not self.percent:
            return "~"
        return "↑" if self.percent > 0 else "↓"

    @property
    def known(self) -> bool:
        """Whether there is an interval."""
        return self.low is not None and isfinite(self.low)

    @property
    def interval(self) -> str:
        if self.low is None or self.high is None or not self.known:
            return "na"
        low = f"{self.low:+.2f}" if self.low > -1000 else "below -1000"
        return f"{low} to {self.high:+.2f}"

    @property
    def speed(self) -> str:
        """The speed of B against A: `0.40x -60.0 % ↓` takes 2.5 times as long."""
        times = speed(self.percent)
        return f"{times:.2f}x {100 * (times - 1):+6.1f} % {self.mark}"

    @property
    def factor(self) -> str:
        """The speed without the change in percent: `0.40x ↓`."""
        return f"{speed(self.percent):.2f}x {self.mark}"

    @property
    def speeds(self) -> str:
        """The interval of the speed."""
        if self.low is None or self.high is None or not self.known:
            return "na"
        return f"{speed(self.low):.3f}x to {speed(self.high):.3f}x"

    def __str__(self) -> str:
        return f"{self.percent:+.2f} % {self.mark}"


def speed(percent: float) -> float:
    """The ratio of speeds for a change of time in percent, which is never 100."""
    return 100 / (100 - percent)


def median_time(result: dict) -> Estimate | None:
    """The median time of a sample of this result, or of one of its loads; None if nothing was
    measured."""
    each = next((result[name] for name in tests.of(result["test"]).named("count")
                 if result.get(name)), 1)
    median, mean, fastest = (result.get(f"{key}_ns") for key in ("median", "mean", "min"))
    if not median or not mean:
        return None
    typical = (mean / each, fastest / each) if fastest else ()
    known = list(filter(None, (_within(result, each), _between(result, each)))) \
        if settled(result) else []
    return Estimate(median / each, *max(known, default=(inf, inf)), typical)


def _within(result: dict, each: float) -> tuple[float, float] | None:
    """The variance of the median that its samples show, and the degrees of freedom."""
    if result.get("sd_ns") is None or not spread_known(result):
        return None
    count = result["samples"]
    return OF_MEDIAN * (result["sd_ns"] / each) ** 2 / count, count - 1


def _between(result: dict, each: float) -> tuple[float, float] | None:
    """The variance of the median that the rounds show, and the degrees of freedom."""
    found = [median / each for median in rounds.medians(result)]
    return (OF_MEDIAN * variance(found) / len(found), len(found) - 1) if len(found) > 1 else None


def average(parts: list[Estimate]) -> Estimate:
    """The mean of times that were measured separately."""
    mean = sum(part.time for part in parts) / len(parts)
    terms = [(part.variance, part.freedom) for part in parts if part.variance is not None]
    if len(terms) < len(parts):
        return Estimate(mean)
    typical = tuple(sum(values) / len(parts) for values in zip(*(p.typical for p in parts)))
    return Estimate(mean, *_pooled((v / len(parts) ** 2, f) for v, f in terms), typical)


def change(base: Estimate, other: Estimate) -> Change:
    """(base - other) / base."""
    ratio = other.time / base.time
    percent = 100 * (1 - ratio)
    if base.variance is None or other.variance is None:
        return Change(percent)
    total, freedom = _pooled([(base.variance / base.time ** 2, base.freedom),
                              (other.variance / other.time ** 2, other.freedom)])
    if not isfinite(total):
        return without_interval(Change(percent))
    half = min(t975(freedom) * sqrt(total), 100)    # exp() has its bounds
    typical = tuple(100 * (1 - b / a) for a, b in zip(base.typical, other.typical))
    return Change(percent, 100 * (1 - ratio * exp(half)), 100 * (1 - ratio * exp(-half)), typical)


def without_interval(found: Change) -> Change:
    """This change with an unknown interval."""
    return Change(found.percent, -inf, inf)


def _pooled(terms: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """The variance of a sum and its degrees of freedom according to Satterthwaite."""
    terms = list(terms)
    total = sum(value for value, _ in terms)
    weight = sum(value ** 2 / freedom for value, freedom in terms) if isfinite(total) else 0
    return total, total ** 2 / weight if weight else inf


def t975(freedom: float) -> float:
    """Half the width of a 95 % interval, in standard errors. Fractions of a degree of freedom
    are cut off, which widens the interval. Above 30 degrees these are the first terms of the
    expansion of t (Abramowitz and Stegun 26.7.5)."""
    if freedom < len(T975) + 1:
        return T975[max(int(freedom), 1) - 1]
    if not isfinite(freedom):
        return Z975
    z = Z975
    return z + (z ** 3 + z) / (4 * freedom) + (
        5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2)
