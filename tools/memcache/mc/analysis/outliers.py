# SPDX-License-Identifier: GPL-2.0-only
"""Which of many equal machines are slower than the others, in which results.

The times of a result are compared with their median. Their standard deviation s is taken as 1.4826
median absolute deviations of their logarithms, which a few slow machines do not widen. Of n times
that is worth half as much as the usual estimate, and little if they are few. So it is averaged with
what is known before anybody measures, that equal machines differ by 2 %:

    spread^2 = (6 * 0.02^2 + n/2 s^2) / (6 + n/2)       and 2 % at least

Hosts also differ from themselves. Where that is known, of hosts that were measured twice or in
rounds, the spread is at least the root mean square of these differences, averaged with 2 % in the
same way. Nothing is left out there: a figure with several modes, or one that is disturbed now and
then, has a median absolute deviation that knows nothing of it.

Of few hosts, all but one may happen to be in one mode, and then their spread is small. So a
probability is never taken to be less than that of two measurements in the same slow mode. How often
measurements jump by half of the distance is counted in this result, and with the weight of one
host in all results of the group. If a share p of the measurements is slow, a host's two differ
with the probability q = 2 p (1 - p), and both are slow with p^2.

The prior counts as much as 6 observations, and s as n/2 (Croux and Rousseeuw, "Time-efficient
algorithms for two highly robust estimators of scale", COMPSTAT 1992, for its efficiency and for the
factor n / (n - 0.8) that corrects it). The distance from the median in spreads then has Student's
t-distribution with 6 + n/2 degrees of freedom.

So each result of each machine has a probability, and some are improbable by chance, since there are
many. The procedure of Benjamini and Hochberg ("Controlling the false discovery rate", Journal of
the Royal Statistical Society B 57, 1995) finds a limit for them such that 1 % of those found are
expected to be chance. It is used twice: over the results of a machine, which gives the machine a
probability (Simes, Biometrika 73, 1986), and over the machines. A result counts only if it is 3.5
spreads from the median, which is 7 % slower at least. The judge of all commands (judge.py), asked
with the same spread, says nothing else then.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import erfc, exp, log, log1p, sqrt

from mc.analysis.steps import deviation, median

FEWEST = 5          # machines with a result; of fewer, nobody can say which is unusual
USUAL = 0.02        # the spread of equal machines
PRIOR = 6           # this counts as so many observations
JUMPS = 1           # so many hosts' weight have the jumps of other results
FAR = 3.5           # spreads
BLURRED = 0.8       # if the spread hides a machine of this speed, nobody can tell
FALSE = 0.01        # the share of those found that may be chance


@dataclass(frozen=True)
class Distance:
    """How far a machine is from the median of its group in a result. `typical` is that median
    time, `chance` the probability that a machine is as slow, `slow` whether it is by far, `blurred`
    whether the spread would hide even a very slow one."""
    time: float
    typical: float
    spreads: float
    chance: float
    slow: bool
    blurred: bool

    @property
    def speed(self) -> float:
        return self.typical / self.time

def distances(reference: Sequence[float], times: Iterable[float],
              own: Sequence[float] = ()) -> list[Distance]:
    """How far these times are from those of reference, of which there are FEWEST at least. `own`:
    the variances of the logarithms of the times of single machines, as far as they are known."""
    logs = [log(time) for time in reference]
    count, middle = len(logs), median(logs)
    mine = deviation(abs(one - middle) for one in logs) * count / (count - 0.8)
    freedom = PRIOR + count / 2
    spread = max(sqrt((PRIOR * USUAL ** 2 + count / 2 * mine ** 2) / freedom), USUAL,
                 sqrt((PRIOR * USUAL ** 2 + sum(own)) / (PRIOR + len(own))))
    typical = exp(middle)
    blurred = FAR * spread > -log(BLURRED)
    fars = [(time, (log(time) - middle) / spread) for time in times]
    return [Distance(time, typical, far, _tail(far, freedom), far >= FAR, blurred)
            for time, far in fars]


def with_chance_of_modes(one: Distance, own: Sequence[float], jumps: Sequence[float]) -> Distance:
    """This distance with a probability that allows for modes. `own`: what each machine differs
    from itself by in this result; `jumps`: in all results, sorted."""
    size = log(one.time / one.typical) / 2
    others = 1 - bisect_left(jumps, size) / len(jumps) if jumps else 0
    share = (JUMPS * others + sum(jump >= size for jump in own)) / (JUMPS + len(own))
    slow = (1 - sqrt(max(1 - 2 * share, 0))) / 2
    return replace(one, chance=max(one.chance, slow ** 2))


def _tail(value: float, freedom: float) -> float:
    """The probability of more than this value, which is positive, in Student's t-distribution
    (Wallace, "Bounds on normal approximations to Student's and the chi-square distributions",
    Annals of Mathematical Statistics 30, 1959). 1 for values that are not."""
    if value <= 0:
        return 1
    normal = (8 * freedom + 1) / (8 * freedom + 3) * sqrt(freedom * log1p(value ** 2 / freedom))
    return erfc(normal / sqrt(2)) / 2


def limit(chances: Iterable[float], tests: int) -> float:
    """The greatest of these probabilities that is not chance, of so many tests; 0 if none is.
    Those that are not among `chances` are taken to be 1."""
    return max((chance for rank, chance in enumerate(sorted(chances), 1)
                if chance <= FALSE * rank / tests), default=0)


def chance_of_machine(chances: Iterable[float], tests: int) -> float:
    """The probability of a machine, of those of its results."""
    return min((chance * tests / rank for rank, chance in enumerate(sorted(chances), 1)), default=1)
