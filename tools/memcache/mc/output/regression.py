# SPDX-License-Identifier: GPL-2.0-only
"""The answer of `memcache check`: what is slower, the worst first, what can't be told, and a
sentence that sums it up."""

from mc import plural
from mc.analysis import judge
from mc.analysis.judge import Word
from mc.analysis.match import Pairing
from mc.analysis.regression import Answer
from mc.output.comparison import batch_line, differences_of_machines, figure
from mc.parts import Grid, Part, Sentence, bullets

MOST_LISTED = 10       # how many results that can't be told are listed


def parts(pairings: list[Pairing], answers: list[Answer], limit: float) -> list[Part]:
    """All that `memcache check` prints. `limit` is a share: 0.05 is 5 %."""
    report: list[Part] = []
    for pairing in pairings:
        report += [Sentence(batch_line("baseline", pairing.a)),
                   Sentence(batch_line("now     ", pairing.b)),
                   *differences_of_machines("now", pairing)]
    several = len(pairings) > 1
    if worse := [one for one in answers if one.is_worse and not one.wrong]:
        report.append(_grid_of_worse(worse, several, limit))
    if wrong := [one for one in answers if one.wrong]:
        report += [Sentence("Wrong data now:", gap=True),
                   *bullets([f"{_name(one, several)}: {one.why}" for one in wrong])]
    unsure = [one for one in answers if one.word == Word.UNKNOWN and not one.is_worse]
    if unsure:
        report += _list_of_unknown(unsure, several)
    remedies = judge.REMEDIES | {judge.WIDE: judge.QUIET} \
        if any(one.why == judge.WIDE and not one.more_runs for one in unsure) else judge.REMEDIES
    report += [Sentence(f"{why.capitalize()}: {remedy}.", gap=True)
               for why, remedy in remedies.items()
               if any(one.why.startswith(why) for one in unsure)]
    no_worse = sum(one.is_no_worse for one in unsure)
    words = judge.count_words(one.word for one in answers if not one.wrong)
    report.append(Sentence(
        f"{plural(len(answers), 'result')}, limit {percent(limit)}: "
        + (f"{len(wrong)} with wrong data, " if wrong else "") + words
        + (f" ({no_worse} of these are no slower than the limit allows)" if no_worse else "")
        + ".", gap=True))
    return report


def percent(share: float) -> str:
    """`5 %`"""
    return f"{100 * share:g} %"


def _name(answer: Answer, several: bool) -> str:
    return f"{answer.text} ({answer.where})" if several else answer.text


def _grid_of_worse(answers: list[Answer], several: bool, limit: float) -> Grid:
    rows = [[_name(one, several), *_figures(one)] for one in sorted(answers, key=lambda a: a.speed)]
    return Grid(["", "baseline", "now", "speed", "95 % interval"], rows,
                title=f"Slower than the baseline by more than {percent(limit)}:")


def _figures(answer: Answer) -> list[str]:
    if not answer.pair or not answer.change:
        return ["-", "-", answer.why, ""]
    return [*map(figure, answer.pair), answer.change.factor, answer.change.speeds]


def _list_of_unknown(answers: list[Answer], several: bool) -> list[Part]:
    """The results that fewest runs would decide come first."""
    answers = sorted(answers, key=lambda one: (one.is_no_worse, one.more_runs is None,
                                               one.more_runs))
    return [Sentence(f"Can't tell: {len(answers)}", gap=True), *bullets(
        [f"{_name(one, several)}: {one.why}{_advice_on_more_runs(one)}" for one in answers],
        most=MOST_LISTED)]


def _advice_on_more_runs(answer: Answer) -> str:
    if not answer.change:
        return ""
    change = answer.change
    speeds = f" ({change.factor[:-2]}{f', {change.speeds}' if change.low is not None else ''})"
    if not answer.more_runs:
        return speeds
    return f"{speeds}; about {plural(answer.more_runs, 'more run')} of each side would tell"
