# SPDX-License-Identifier: GPL-2.0-only
"""What `memcache trend` prints and draws: the changes, by the run that they begin with."""

import time

from mc import grouped, plural, with_side
from mc.analysis.changes import FEWEST, LEAST, Step
from mc.analysis.judge import count_words
from mc.analysis.machines import changes
from mc.analysis.series import Left
from mc.analysis.trend import Gathered, History, Origin
from mc.output.charts import Chart, Mark, Point, Series, Source
from mc.output.entries import SECOND, time_text
from mc.parts import Grid, Part, Sentence, bullets
from mc.records import units

MOST_PICTURES = 60
CAPTION = ("Each point is a run. Lines are the medians between lasting changes, with the "
           "speed after each. Empty points are far off their neighbours, and were left out.")
MOST_LISTED = 10       # how many short histories are listed


def parts(gathered: Gathered, order: str) -> list[Part]:
    """All that `memcache trend` prints."""
    groups = grouped(((history.machine, origin.started, origin.name), (history, step))
                     for history in gathered.histories for step in history.steps
                     for origin in [history.origins[step.at]])
    report: list[Part] = []
    machines = {history.machine for history in gathered.histories}
    for key in sorted(groups):
        report += _change(groups[key], len(machines) > 1)
    return report + _summary(gathered, len(groups), order)


def _change(group: list[tuple[History, Step]], several: bool) -> list[Part]:
    """A change: the run that it begins with, what else is new there, its results. The worst comes
    first."""
    group = sorted(group, key=lambda one: one[1].speed)
    history, step = group[0]
    after, before = history.origins[step.at], history.origins[step.at - 1]
    title = f"Since {_place(after)}: {newest_change(before, after)}. Before that: {_place(before)}."
    if several:
        title = f"{history.machine}. {title}"
    rows = [[_name(one), _figure(one, step.before), _figure(one, step.after), _speed(step)]
            for one, step in group]
    return [Grid(["", "before", "after", "speed"], rows, title=title)]


def newest_change(before: Origin, after: Origin) -> str:
    """What is different about the machine: `kernel 6.1 -> 6.2`."""
    return ", ".join(changes(before.facts, after.facts)) or \
        "the records tell of nothing that is new there"


def _place(origin: Origin) -> str:
    return f"{origin.name} ({time_text(origin.started or None)} UTC)"


def _name(history: History) -> str:
    return with_side(history.text, history.where)


def _figure(history: History, time: float) -> str:
    """The figure that belongs to a median time."""
    if history.figure.endswith("mb_per_s"):
        return f"{figure(history, time):.1f} {units.rates().name}"
    return units.duration(figure(history, time))


def figure(history: History, time: float) -> float:
    """The figure that belongs to this time. Rates are in inverse proportion to times."""
    one, value = history.times[0], history.values[0]
    return value * one / time if history.figure.endswith("_per_s") else value * time / one


def _speed(step: Step) -> str:
    return f"{step.speed:.2f}x {step.word.mark}"


def _summary(gathered: Gathered, changes: int, order: str) -> list[Part]:
    long = [history for history in gathered.histories if history.is_long]
    short = [history for history in gathered.histories if not history.is_long]
    files = {origin.name for history in gathered.histories for origin in history.origins}
    report: list[Part] = []
    if short:
        report += _hints(short)
        report += [Sentence(f"Too few runs to confirm a change, less than {FEWEST}:", gap=True),
                   *bullets([f"{_name(one)}: {_runs_that_count(one)}" for one in short],
                            most=MOST_LISTED)]
        if (most := max(len(one.times) for one in short)) < LEAST:
            report.append(Sentence(f"{most} of the {LEAST} runs that a step needs; until then: "
                                   "memcache compare A B.", gap=True))
    report += sentences_on_left_out(gathered.left)
    steps = sum(len(history.steps) for history in long)
    report.append(Sentence(
        f"{plural(len(long), 'result')} over {plural(len(files), 'run')}, in the order of "
        f"{'kernel versions' if order == 'kernel' else 'time'}: {plural(steps, 'lasting change')}, "
        f"at {plural(changes, 'run')}. From the first to the last runs: "
        f"{count_words(history.word for history in long)}"
        + (f", {len(short)} with too few runs" if short else "") + ".", gap=True))
    return report


def _runs_that_count(history: History) -> str:
    """How many of its runs count."""
    near, runs = history.near, len(history.times)
    return f"{near}" + (f" of {runs}, the others lie far from their neighbours"
                        if near < runs else "")


def _hints(short: list[History]) -> list[Part]:
    """The steps that a few runs show."""
    rows = [[_name(one), _place(one.origins[one.hint.at]), _figure(one, one.hint.before),
             _figure(one, one.hint.after), _speed(one.hint)] for one in short if one.hint]
    return [Grid(["", "since", "before", "after", "speed"], rows,
                 title="Steps in a few runs, which may be chance:")] if rows else []


def sentences_on_left_out(left: Left) -> list[Sentence]:
    """A sentence on the results that are in no series, if there are any."""
    reasons = [f"{plural(count, 'result')} {why}" for count, why in (
        (left.failed, "that failed verification"), (left.emulated, "of emulated machines"),
        (left.empty, "in which nothing was measured")) if count]
    return [Sentence(f"Left out: {', '.join(reasons)}.", gap=True)] if reasons else []


def charts(gathered: Gathered, order: str) -> list[Chart]:
    """A picture of each history, those with the largest changes first."""
    long = sorted((history for history in gathered.histories if history.is_long),
                  key=lambda one: -max((abs(step.speed - 1) for step in one.steps), default=0))
    return [_chart(history, order) for history in long[:MOST_PICTURES]]


def _chart(history: History, order: str) -> Chart:
    points = [Point(i, value, real=not off)
              for i, (value, off) in enumerate(zip(history.values, history.are_far_off()))]
    ends = [0, *(step.at for step in history.steps), len(points)]
    levels = [history.steps[0].before, *(step.after for step in history.steps)] \
        if history.steps else []
    marks = [Mark(_speed(history.steps[i - 1]) if i else "", first, last - 1,
                  figure(history, level))
             for i, (first, last, level) in enumerate(zip(ends, ends[1:], levels))]
    return Chart("history", _name(history), "", history.figure, [Series("", 0, points)],
                 [Source("", history.where)], marks,
                 columns=[_tick_label(origin, order) for origin in history.origins])


def _tick_label(origin: Origin, order: str) -> str:
    if order == "kernel" or not origin.started:
        return origin.kernel
    return time.strftime("%Y-%m-%d", time.gmtime(origin.started // SECOND))
