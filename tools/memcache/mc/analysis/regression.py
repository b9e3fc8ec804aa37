# SPDX-License-Identifier: GPL-2.0-only
"""Whether results are slower than a baseline by more than a limit, as judge.py says."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from mc.analysis import match
from mc.analysis.estimate import UNSETTLED
from mc.analysis.judge import Difference, Word, speed
from mc.analysis.match import Batch, Pairing
from mc.records import tests
from mc.records.fields import has_settled, request_keys


@dataclass(frozen=True)
class Answer:
    """The answer on one result.

    text: which result, by its keys
    why: why it can't be told, or what is wrong besides the time
    pair: the record of the baseline and the one that is checked, if both were measured
    wrong: whether its data failed verification, and those of the baseline did not
    """
    text: str
    where: str
    why: str = ""
    pair: tuple[dict, dict] | None = None
    change: Difference | None = None
    wrong: bool = False

    @property
    def word(self) -> Word:
        return self.change.word if self.change else Word.UNKNOWN

    @property
    def more_runs(self) -> int | None:
        """How many more runs of each side would tell."""
        return self.change.more if self.change else None

    @property
    def is_worse(self) -> bool:
        return self.wrong or self.word == Word.SLOWER

    @property
    def is_no_worse(self) -> bool:
        """Whether it is known to be no slower than the limit allows."""
        return bool(self.change and self.change.no_slower)

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
    for a, b in pairing.pairs:
        if differ:
            yield Answer(short_description(a), where, differ)
        else:
            yield answer(pairing, a, b, limit)
    for text in pairing.refused:
        name, _, why = text.partition(": ")
        why = why.replace(" in A", " in the baseline").replace(" in B", " now")
        yield Answer(name, where, why, wrong=text in pairing.wrong)
    for text in pairing.alone["A"]:
        yield Answer(text.replace("(B has", "(now it has"), where, "only in the baseline")


def answer(pairing: Pairing, a: dict, b: dict, limit: float) -> Answer:
    """The answer on two records that were both measured."""
    difference = pairing.judge(a, b, limit)
    moving = [name for name, record in (("the baseline", a), ("this run", b))
              if not has_settled(record)]
    why = difference.why
    if why == UNSETTLED:
        why += f" in {' and '.join(moving)}"
    return Answer(short_description(a), a["where"], why, (a, b), difference)


def short_description(record: dict) -> str:
    """The test of a result, and the keys that do not have their defaults."""
    return match.describe(record, [key for key, value in request_keys(record).items()
                                   if tests.is_preset(record["test"], key, value)])
