# SPDX-License-Identifier: GPL-2.0-only
"""Whether results are slower than a baseline by more than a limit.

The speed of a result is the ratio of the baseline's median time to its own, with the 95 %
interval of estimate.py. With a limit of 5 % a result is `worse` if the whole interval lies
below 0.95x, and mean and fastest sample say the same. It is `no worse` if the whole interval
lies at 0.95x or above. Otherwise nobody can tell. More runs make the interval narrower: its
variance is taken to fall with the number of runs, and everything else to stay as it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from math import isfinite

from mc.analysis import match
from mc.analysis.estimate import Change, Estimate, change, median_time, speed
from mc.analysis.match import Batch, Pairing
from mc.records import rounds, tests
from mc.records.fields import asked, settled

MOST_RUNS = 100         # nobody measures more


class Verdict(Enum):
    """What is known of a figure."""
    WORSE = "worse"
    NO_WORSE = "no worse"
    UNKNOWN = "can't tell"


@dataclass(frozen=True)
class Answer:
    """The verdict on one result.

    text: which result, by its keys
    why: why it can't be told, or what is wrong besides the time
    pair: the record of the baseline and the one that is checked, if both were measured
    more: how many more runs of each side would tell; None if that is not known
    """
    text: str
    where: str
    verdict: Verdict
    why: str = ""
    pair: tuple[dict, dict] | None = None
    change: Change | None = None
    more: int | None = None

    @property
    def speed(self) -> float:
        """Less is worse. Wrong data comes first, whatever its time."""
        return speed(self.change.percent) if self.change else 0


def pairings(baseline: list[Batch], checked: list[Batch]) -> list[Pairing]:
    """The results of each side of the system-call boundary that the baseline has."""
    now = {batch.where: batch for batch in checked}
    return [match.pair(base, now.get(base.where) or replace(checked[0], where=base.where,
                                                            results=[]), False)
            for base in baseline]


def answers(pairing: Pairing, limit: float) -> Iterator[Answer]:
    """An answer for each result of the baseline. `limit` is a share: 0.05 is 5 %."""
    where = pairing.a.where
    differ = ", ".join(f"{key}={a} in the baseline, {b} now"
                       for key, (a, b) in pairing.free.items())
    emulated = pairing.a.emulated or pairing.b.emulated
    for a, b in pairing.pairs:
        if differ or emulated:
            why = differ or "an emulated machine has no speed of its own"
            yield Answer(short(a), where, Verdict.UNKNOWN, why)
        else:
            yield judge(a, b, limit)
    for text in pairing.refused:
        verdict = Verdict.WORSE if text in pairing.wrong else Verdict.UNKNOWN
        name, _, why = text.partition(": ")
        yield Answer(name, where, verdict, _sides(why))
    for text in pairing.alone["A"]:
        yield Answer(text.replace("(B has", "(now it has"), where, Verdict.UNKNOWN,
                     "only in the baseline")


def short(record: dict) -> str:
    """Which result, by the keys that are not the test's defaults."""
    return match.describe(record, [key for key, value in asked(record).items()
                                   if tests.is_preset(record["test"], key, value)])


def _sides(why: str) -> str:
    return why.replace(" in A", " in the baseline").replace(" in B", " now")


def judge(a: dict, b: dict, limit: float) -> Answer:
    """The verdict on two records that were both measured."""
    base, now = median_time(a), median_time(b)
    assert base and now
    found = change(base, now)
    answer = Answer(short(a), a["where"], _verdict(found, limit), "", (a, b), found)
    if answer.verdict != Verdict.UNKNOWN:
        return answer
    moving = [name for name, record in (("the baseline", a), ("this run", b))
              if not settled(record)]
    if moving:
        return replace(answer, why=f"the loop had not settled in {' and '.join(moving)}")
    if not found.known:
        return replace(answer, why="too few samples (`repeat=`): their spread is not known")
    many = min(len(rounds.medians(record)) for record in (a, b))
    return replace(answer, why="the interval holds the limit",
                   more=_more_runs(base, now, many, limit) if many > 1 else None)


def _verdict(found: Change, limit: float) -> Verdict:
    slowest = -100 * limit / (1 - limit)    # the change of time that is just allowed
    if found.low is None or found.high is None or not found.known:
        return Verdict.UNKNOWN
    if found.low >= slowest:
        return Verdict.NO_WORSE
    if found.high < slowest and all(percent < slowest for percent in found.typical):
        return Verdict.WORSE
    return Verdict.UNKNOWN


def _more_runs(base: Estimate, now: Estimate, runs: int, limit: float) -> int | None:
    """How many runs more of each side give a verdict, if further runs are like these."""
    def with_runs(one: Estimate, number: int) -> Estimate:
        share = number / runs
        assert one.variance is not None and isfinite(one.variance)
        return replace(one, variance=one.variance / share, freedom=one.freedom * share)

    for more in range(1, MOST_RUNS + 1):
        narrower = change(with_runs(base, runs + more), with_runs(now, runs + more))
        if _verdict(narrower, limit) != Verdict.UNKNOWN:
            return more
    return None
