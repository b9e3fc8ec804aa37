# SPDX-License-Identifier: GPL-2.0-only
"""The answer of `memcache check`: what is slower, the worst first, what can't be told, and a
sentence that sums it up."""

from mc import plural
from mc.analysis.match import Pairing
from mc.analysis.regression import Answer, Verdict
from mc.output.comparison import batch_line, different, figure
from mc.parts import Grid, Part, Sentence, bullets
from mc.records import rounds

TOLD = 10       # how many results that can't be told are listed
ONE_RUN = ("There is one run of a side, so the intervals hold what changes between samples, not "
           "what changes between runs. `memcache run --rounds 5`, or several files of a side, "
           "show that, too.")


def parts(pairings: list[Pairing], answers: list[Answer], limit: float) -> list[Part]:
    """All that `memcache check` prints. `limit` is a share: 0.05 is 5 %."""
    found: list[Part] = []
    for pairing in pairings:
        found += [Sentence(batch_line("baseline", pairing.a)),
                  Sentence(batch_line("now     ", pairing.b)), *different("now", pairing)]
    by = {verdict: [one for one in answers if one.verdict == verdict] for verdict in Verdict}
    several = len(pairings) > 1
    if by[Verdict.WORSE]:
        found.append(_worse(by[Verdict.WORSE], several, limit))
    if by[Verdict.UNKNOWN]:
        found += _unknown(by[Verdict.UNKNOWN], several)
    if any(not rounds.medians(record) for one in answers for record in one.pair or ()):
        found.append(Sentence(ONE_RUN, gap=True))
    found.append(Sentence(
        f"{plural(len(answers), 'result')}: {len(by[Verdict.WORSE])} worse, "
        f"{len(by[Verdict.UNKNOWN])} can't be told, {len(by[Verdict.NO_WORSE])} no worse than the "
        f"baseline less {percent(limit)}.", gap=True))
    return found


def percent(share: float) -> str:
    """`5 %`"""
    return f"{100 * share:g} %"


def _name(answer: Answer, several: bool) -> str:
    return f"{answer.text} ({answer.where})" if several else answer.text


def _worse(answers: list[Answer], several: bool, limit: float) -> Grid:
    rows = [[_name(one, several), *_figures(one)] for one in sorted(answers, key=lambda a: a.speed)]
    return Grid(["", "baseline", "now", "speed", "95 % interval"], rows,
                title=f"Worse than the baseline by more than {percent(limit)}:")


def _figures(answer: Answer) -> list[str]:
    if not answer.pair or not answer.change:
        return ["-", "-", answer.why, ""]
    return [*map(figure, answer.pair), answer.change.factor, answer.change.speeds]


def _unknown(answers: list[Answer], several: bool) -> list[Part]:
    """The results that fewest runs would decide come first."""
    answers = sorted(answers, key=lambda one: (one.more is None, one.more))
    texts = [f"{_name(one, several)}: {one.why}{_more(one)}" for one in answers[:TOLD]]
    if len(answers) > TOLD:
        texts.append(f"... and {len(answers) - TOLD} more")
    return [Sentence(f"Can't tell: {len(answers)}", gap=True), *bullets(texts)]


def _more(answer: Answer) -> str:
    if not answer.change or not answer.change.known:
        return ""
    speeds = f" ({answer.change.factor[:-2]}, {answer.change.speeds})"
    if not answer.more:
        return speeds
    return f"{speeds}; about {plural(answer.more, 'more run')} of each side would tell"
