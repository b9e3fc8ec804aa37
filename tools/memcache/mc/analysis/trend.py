# SPDX-License-Identifier: GPL-2.0-only
"""The history of each result in many files: the same request, again and again.

A file is a run; its runs are in the order of their times, or of their kernels' versions. Results
are of one history if they are of one series (series.py) and have the same CPU. Each of several
hosts has histories of its own.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from mc.analysis import series
from mc.analysis.changes import FEWEST, Step, are_far_off, hint, steps, word_of_history
from mc.analysis.judge import Word
from mc.analysis.machines import Facts, facts
from mc.analysis.match import describe
from mc.analysis.series import Left
from mc.records import prices, reader
from mc.records.results import Run, start_times

ORDERS = ("time", "kernel")
# Of a kernel that is not released yet: with the 0 that Fedora puts before it, or the digits of the
# version that Ubuntu repeats there.
CANDIDATE = re.compile(r"(?:-0\.|(?<=-)\d+|[-~._]|(?<=\d))rc(\d+)")


@dataclass(frozen=True)
class Origin:
    """The file of a run. `started` is when its first result was measured, 0 if nobody knows."""
    name: str
    started: int
    facts: Facts

    @property
    def kernel(self) -> str:
        return str(self.facts["kernel"])


@dataclass
class History:
    """One result over all files. `text` is its name, `keys` has all of its keys, also those that
    have their defaults. `times` are median times of what the test measures; `values` are the
    figures that people read."""
    text: str
    keys: str
    machine: str
    where: str
    figure: str
    origins: list[Origin] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    hint: Step | None = None        # of a few runs; it may be chance

    @property
    def near(self) -> int:
        """How many of its runs lie near their neighbours."""
        return self.are_far_off().count(False)

    @property
    def is_long(self) -> bool:
        return self.near >= FEWEST

    def are_far_off(self) -> list[bool]:
        return are_far_off(self.times)

    @property
    def word(self) -> Word:
        """Its change from the first runs to the last."""
        return word_of_history(self.times, self.steps)


@dataclass
class Gathered:
    """All histories, and the number of results that are in none."""
    histories: list[History]
    left: Left = field(default_factory=Left)


def gather(files: Iterable[tuple[str, list[Run]]], order: str = "time",
           only: Iterable[str] = ()) -> Gathered:
    """The histories of these files, which are read one at a time. `only`: words, such as
    op=read, that a result must have."""
    words = list(only)
    gathered = Gathered([])
    by_series: dict[tuple, History] = {}
    for file, runs in files:
        machine, host = runs[0].machine, reader.host(runs)
        about = f"{machine['cpu']}, {prices.layer_below(machine)}"
        origin = Origin(file, min(start_times(runs), default=0), facts(
            machine, (result for run in runs for result in run.results)))
        for key, (time, result) in series.middles(runs, gathered.left).items():
            history = by_series.get((about, host, key)) or History(
                series.name(result), describe(result), about, result["where"],
                series.figure(result))
            if all(word in history.keys.split() for word in words):
                by_series[about, host, key] = history
                history.origins.append(origin)
                history.times.append(time.time)
                history.values.append(series.value(result, time.time))
    gathered.histories = _join_hosts(by_series)
    for history in gathered.histories:
        _sort(history, order)
        if history.is_long:
            history.steps = steps(history.times)
        else:
            history.hint = hint(history.times)
    return gathered


def _join_hosts(by_series: dict[tuple, History]) -> list[History]:
    """The histories of each host. Runs that name no host are those of the only one there is."""
    hosts = {host for _, host, _ in by_series if host}
    if len(hosts) > 1:
        for (about, host, _), history in by_series.items():
            history.machine = f"{host}: {about}" if host else about
        return list(by_series.values())
    joined: dict[tuple, History] = {}
    for (about, _, key), history in by_series.items():
        same = joined.setdefault((about, key), history)
        if same is not history:
            same.origins += history.origins
            same.times += history.times
            same.values += history.values
    return list(joined.values())


def _sort(history: History, order: str) -> None:
    def place(i: int) -> tuple:
        origin = history.origins[i]
        key = release_sort_key(origin.kernel) if order == "kernel" else ()
        return key, origin.started, origin.name

    places = sorted(range(len(history.times)), key=place)
    for key in ("origins", "times", "values"):
        setattr(history, key, [getattr(history, key)[i] for i in places])


def release_sort_key(release: str) -> tuple:
    """What sorts kernel releases: 6.9 before 6.12-rc1 before 6.12 before 6.12.1. A candidate comes
    before its release in all names: 6.12-rc1, 6.12~rc1, 6.12.0-0.rc1.13.fc42, and
    6.12.0-061200rc1-generic, which is 6.12.0-061200-generic later. 6.12 is 6.12.0."""
    release = re.sub(r"^(\d+\.\d+)(?![.\d])", r"\1.0", CANDIDATE.sub(r"~rc\1", release))
    parts = re.findall(r"[~+]|\d+|[A-Za-z]+", release)
    return *((-2,) if part == "~" else (1, int(part)) if part.isdigit() else (0, part)
             for part in parts), (-1,)
