# SPDX-License-Identifier: GPL-2.0-only
"""Whether one figure is faster or slower than another, the same, or nobody can tell.

`compare`, `check`, `trend`, `fleet` and the findings of a report all ask judge(). It looks at the
95 % interval of the ratio of two times, and at a limit, which is a share of the speed:

    slower      the whole interval lies below 1 - limit
    faster      the whole interval lies above 1 / (1 - limit)
    same        the whole interval lies between these two
    can't tell  all else

So a wide interval never means "same". (Schuirmann, "A comparison of the two one-sided tests
procedure and the power approach for assessing the equivalence of average bioavailability", Journal
of Pharmacokinetics and Biopharmaceutics 15, 1987, for "same"; Murphy and Myors, "Testing the
hypothesis that treatments have negligible effects", Journal of Applied Psychology 84, 1999, for
the others.)

The interval comes from the spread between runs (estimate.py): that of the logarithm of a ratio, by
Student's t with the degrees of freedom of Satterthwaite (Biometrics Bulletin 2, 1946) and Welch
(Biometrika 34, 1947).

A disturbance slows many samples in a row, but the fastest sample stays the same. So the fastest
samples must lie beyond the limit as well. And the ranks of the runs must differ if both sides have
three or more (Mann and Whitney, Annals of Mathematical Statistics 18, 1947): all runs of one side
may be in one of several modes by chance, and then their spread is small.

Of few runs the interval is wide, and a disturbance slows medians, fastest samples or both. So runs
also differ if the sides lie apart by more than the runs of either side do, or if a test of medians
or of fastest samples tells them apart (_tests_tell_apart()).

One run shows nothing of the spread between runs, however many samples it has. Two figures differ
nevertheless if even the fastest sample of the one took APART times as long as the median of the
other, since a disturbance makes samples slower, never faster. The factor comes from equal runs on
two virtual machines with busy neighbours (Documentation/comparison.rst).

The time of a loop that had not settled, or of which most samples were disturbed, is none that other
runs would have, so it is never the same, and its interval counts from three runs on. Nor does one
such run show that it is slower: its fastest sample may be disturbed, too.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import exp, isfinite, log, sqrt

from mc import grouped
from mc.analysis.estimate import ENOUGH, SLOWED, UNSETTLED, Estimate, pool, variance
from mc.analysis.steps import median
from mc.analysis.words import Say

LIMIT = 0.02        # another run may reverse a smaller difference
APART = 3.0         # of pairs of equal runs, 0.2 % lie so far apart
RUNS_APART = 1.1    # with this, 1 to 4 % of equal sides of three runs differ
MANY = 6            # runs of a side, whose ranks are enough: of 5 and 5, 5.6 % differ by chance
MOST_RUNS = 100     # nobody measures more
TOO_WIDE = 100      # an interval that reaches such a factor says nothing
BEYOND = 1e13       # a larger ratio of times counts as this: a float still tells 1 - 1 / BEYOND
FEW_RUNS, EMULATED, WIDE, MEDIANS_ALONE, NO_TIME = map(Say, (
    "one_run", "no_speed", "wide", "medians_alone", "no_time"))
MEASURE = "measure in rounds (`memcache run --rounds 5`) or several times (`memcache check`)"
QUIET = "measure when the machine is quiet, or with sched=fifo if these runs had keep"
LARGE = "three runs of each side tell large differences"
REMEDIES: dict[str, str] = {
    FEW_RUNS: MEASURE, EMULATED: "measure on a real one", NO_TIME: "measure it again",
    MEDIANS_ALONE: QUIET,
    SLOWED: f"{QUIET}; {LARGE}",
    UNSETTLED: f"{MEASURE}; {LARGE}, and small ones need a quiet machine"}

# The 0.975 quantile of Student's t for 1 to 30 degrees of freedom, rounded up.
T975 = (12.707, 4.303, 3.183, 2.777, 2.571, 2.447, 2.365, 2.307, 2.263, 2.229, 2.201, 2.179,
        2.161, 2.145, 2.132, 2.120, 2.110, 2.101, 2.094, 2.086, 2.080, 2.074, 2.069, 2.064,
        2.060, 2.056, 2.052, 2.049, 2.046, 2.043)
Z975 = 1.959964


class Word(Enum):
    """What is known of a difference."""
    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"
    UNKNOWN = "can't tell"

    @property
    def mark(self) -> str:
        return {"faster": "↑", "slower": "↓", "same": "="}.get(self.value, "?")


LEGEND = ", ".join(f"{word.mark} {word.value}" for word in Word)


@dataclass(frozen=True)
class Difference:
    """A difference of two times, and what is known of it.

    percent: the change of time; a positive one means less time: faster
    low, high: its 95 % interval, if the spread between runs is known
    why: why nobody can tell
    more: about how many more runs of each side would tell; None if that is not known
    no_slower: whether it is known to be no slower than the limit allows
    """
    word: Word
    percent: float
    low: float | None = None
    high: float | None = None
    why: str = ""
    more: int | None = None
    no_slower: bool = False

    @property
    def mark(self) -> str:
        return self.word.mark

    @property
    def interval(self) -> str:
        if self.low is None or self.high is None:
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
        if self.low is None or self.high is None:
            return "na"
        low, high = speed(self.low), speed(self.high)
        if low * TOO_WIDE < 1 or high > TOO_WIDE:
            return "too wide"
        return f"{low:.3f}x to {high:.3f}x"

    def __str__(self) -> str:
        return f"{self.percent:+.2f} % {self.mark}"


def speed(percent: float) -> float:
    """The ratio of speeds for a change of time in percent, which is never 100."""
    return 100 / (100 - percent)


def unknown_difference(base: Estimate, other: Estimate, why: str) -> Difference:
    """A difference of which nobody can tell anything, for this reason."""
    return Difference(Word.UNKNOWN, _percent(_log_ratio(other.time, base.time)), why=why)


def judge(base: Estimate, other: Estimate, limit: float = LIMIT) -> Difference:
    """The difference between these times. `limit` is a share of the speed: 0.05 is 5 %."""
    allowed = -log(1 - limit)
    difference = _difference_by_interval(base, other, allowed)
    if difference.word in (Word.SLOWER, Word.FASTER) and not _ranks_differ(
            base.times, other.times):
        difference = replace(difference, word=Word.UNKNOWN, why=MEDIANS_ALONE)
    doubt = base.doubt or other.doubt
    if doubt and (difference.word == Word.SAME or min(base.freedom, other.freedom) < ENOUGH - 1):
        difference = unknown_difference(base, other, doubt)
    if difference.word == Word.UNKNOWN and (word := _word_if_far_apart(base, other, allowed)
                                            or _word_if_runs_lie_apart(base, other, allowed)):
        return replace(difference, word=word, why="", no_slower=word == Word.FASTER)
    if difference.why == WIDE:
        difference = replace(difference, more=_more_runs(base, other, allowed))
    if difference.word == Word.UNKNOWN and doubt and not difference.more:
        return unknown_difference(base, other, doubt)
    return difference


def _word_if_far_apart(base: Estimate, other: Estimate, allowed: float) -> Word | None:
    """Slower or faster if the samples lie so far apart that this needs no spread between runs;
    else None."""
    least = APART * exp(allowed)
    for fast, slow, word in ((base, other, Word.SLOWER), (other, base, Word.FASTER)):
        if slow.fastest >= least * fast.time and (slow.doubt != SLOWED or slow.times):
            return word
    return None


def _word_if_runs_lie_apart(base: Estimate, other: Estimate, allowed: float) -> Word | None:
    """Slower or faster if the runs of the sides lie further apart than those of either side do from
    each other, or if their medians or fastest samples differ by a test; else None."""
    for fast, slow, word in ((base, other, Word.SLOWER), (other, base, Word.FASTER)):
        if _lie_apart(fast, slow, allowed) or any(
                _tests_tell_apart(fast, slow, which, allowed) for which in (0, 1)):
            return word
    return None


def _lie_apart(fast: Estimate, slow: Estimate, allowed: float) -> bool:
    """Whether the runs of a side, or its fastest sample, lie apart from those of the other."""
    if not fast.times or not slow.times:
        return False
    least = max(allowed, *(_log_ratio(max(one.times), min(one.times)) for one in (fast, slow)))
    slowest = sorted(fast.times)[-1 - len(fast.times) // 5]
    between = _log_ratio(min(slow.times), max(fast.times))
    return _log_ratio(slow.fastest, slowest) > allowed + log(RUNS_APART) or \
        between > least and _log_ratio(slow.fastest, fast.fastest) > allowed


def _tests_tell_apart(fast: Estimate, slow: Estimate, which: int, allowed: float) -> bool:
    """Whether the medians (0) or fastest samples (1) of runs, or of the rounds of a file, differ by
    tests of ranks and, of few runs, of means, and the medians of fastest samples by RUNS_APART."""
    if min(len(fast.all_times[1]), len(slow.all_times[1])) < ENOUGH or _log_ratio(
            median(slow.all_times[1]), median(fast.all_times[1])) <= allowed + log(RUNS_APART):
        return False
    if _log_ratio(slow.time, fast.time) <= allowed:
        return False        # the figure, which is of medians, would belie the word
    # If they were slower by the limit, would they still differ?
    logs = [log(one) + allowed for one in fast.all_times[which]], \
        [log(one) for one in slow.all_times[which]]
    middle = sum(logs[1]) / len(logs[1]) - sum(logs[0]) / len(logs[0])
    freedom = sum(map(len, logs)) - 2
    spread = sum(variance(side) * (len(side) - 1) for side in logs) / freedom
    least = 0 if min(len(fast.times), len(slow.times)) >= MANY else \
        t975(freedom) * sqrt(spread * (fast.variance_of_mean + slow.variance_of_mean))
    return middle > least and _ranks_differ(*logs)


def _ranks_differ(base: Sequence[float], other: Sequence[float]) -> bool:
    """Whether the ranks of the runs differ, or nobody can tell since these are too few."""
    pairs, order = len(base) * len(other), sorted(other)
    above = sum(bisect_left(order, one) + bisect_right(order, one) for one in base) / 2
    return abs(above - pairs / 2) >= Z975 * sqrt(pairs * (len(base) + len(order) + 1) / 12)


def _difference_by_interval(base: Estimate, other: Estimate, allowed: float) -> Difference:
    middle = _log_ratio(other.time, base.time)
    if base.variance is None or other.variance is None:
        return unknown_difference(base, other, FEW_RUNS)
    total, freedom = pool([(base.variance, base.freedom), (other.variance, other.freedom)])
    half = min(t975(freedom) * sqrt(total), 100)    # exp() has its bounds
    low, high = middle - half, middle + half        # a higher logarithm is a longer time
    fastest = _log_ratio(other.fastest, base.fastest)
    if low > allowed and fastest > allowed:
        word = Word.SLOWER
    elif high < -allowed and fastest < -allowed:
        word = Word.FASTER
    else:
        word = Word.SAME if -allowed <= low and high <= allowed else Word.UNKNOWN
    why = "" if word != Word.UNKNOWN else \
        MEDIANS_ALONE if low > allowed or high < -allowed else WIDE
    return Difference(word, _percent(middle), _percent(high), _percent(low), why,
                      no_slower=high <= allowed)


def _log_ratio(time: float, base: float) -> float:
    return log(_within_bounds(time / base))


def _percent(logarithm: float) -> float:
    return 100 * (1 - _within_bounds(exp(logarithm)))


def _within_bounds(ratio: float) -> float:
    return min(max(ratio, 1 / BEYOND), BEYOND)


def _more_runs(base: Estimate, other: Estimate, allowed: float) -> int | None:
    """How many runs more of each side would tell, if further runs are like these."""
    def with_runs(one: Estimate, more: int) -> Estimate:
        share = (one.runs + more) / one.runs
        assert one.variance is not None
        return replace(one, variance=one.variance / share, freedom=one.freedom * share)

    def is_enough(more: int) -> bool:
        sides = with_runs(base, more), with_runs(other, more)
        word = _difference_by_interval(*sides, allowed).word
        return word != Word.UNKNOWN and not (word == Word.SAME and (base.doubt or other.doubt))

    # Each further run makes the interval narrower, so a number that is enough stays enough.
    more = 1 + bisect_left(range(1, MOST_RUNS + 1), True, key=is_enough)
    return more if more <= MOST_RUNS else None


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


def count_words(words: Iterable[Word]) -> str:
    """`3 faster, 1 slower, 20 same, 3 can't tell`"""
    counts = Counter(words)
    return ", ".join(f"{counts[word]} {word.value}" for word in Word)


def doubts(differences: Iterable[Difference]) -> list[Say]:
    """A sentence on each reason why nobody can tell, and on what would help."""
    reasons = grouped((one.why, one) for one in differences if one.word == Word.UNKNOWN)
    return [Say("doubt", n=len(same), reason=why, remedy=_remedy(why, same))
            for why, same in reasons.items()]


def _remedy(why: str, same: list[Difference]) -> str:
    if why != WIDE:
        return f": {REMEDIES[why]}" if why in REMEDIES else ""
    needed = sorted(one.more for one in same if one.more)
    if not needed:
        return Say("no_runs_tell", limit=MOST_RUNS)
    least, most = needed[0], needed[-1]
    return Say("runs_would_tell", least=least, most=most if most > least else None, runs=most,
               some=len(needed) if len(needed) < len(same) else None, limit=MOST_RUNS)
