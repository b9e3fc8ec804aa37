# SPDX-License-Identifier: GPL-2.0-only
"""Requests that were measured in rounds (`--where both --rounds N`): the same ones
again, after all others. Of the records of one thing the one whose median lies in
the middle stands for all; `medians` has every round's.

Two runs of the same thing differ by more than their samples say, and what follows
each other directly is alike: only what was measured apart can tell by how much.
"""

from statistics import median_low

from mc import Failure
from mc.records import results
from mc.records.fields import WHICH, asked
from mc.records.results import Run

# Records that differ in these are not of one thing.
STATE = ("attribute", "effective", "memory_node")


class Middle(dict):
    """A record that stands for those of all rounds."""
    medians: tuple[float, ...] = ()


def load(path: str) -> list[Run]:
    """The runs in a file, one for all rounds of a request."""
    return merged(results.load(path))


def load_all(files: list[str]) -> dict[str, list[Run]]:
    """The same of several files, each named once."""
    if len(set(files)) < len(files):
        raise Failure("a file is named twice", 2)
    return {name: load(name) for name in files}


def medians(result: dict) -> tuple[float, ...]:
    """Of each round, in ns; empty: there is one only."""
    return getattr(result, "medians", ())


def merged(runs: list[Run]) -> list[Run]:
    """One run for all rounds of a request; those that were not measured in
    rounds stay as they are."""
    groups: dict[tuple, list[Run]] = {}
    for number, run in enumerate(runs):
        key = (run.where, run.suite, run.section, run.request.get("label"), run.request["line"]) \
            if "round" in run.request else (number,)
        groups.setdefault(key, []).append(run)
    return [_one(group) if len(group) > 1 else group[0] for group in groups.values()]


def _one(group: list[Run]) -> Run:
    found: dict[tuple, list[dict]] = {}
    for run in group:
        seen: dict[tuple, int] = {}
        for result in run.results:
            key = tuple(str(result.get(name)) for name in (*WHICH, *STATE)), \
                tuple(asked(result).items())
            seen[key] = seen.get(key, 0) + 1
            found.setdefault((key, seen[key]), []).append(result)
    bad = next((run for run in group if run.request["state"] != "done"), group[0])
    return Run(group[0].machine, bad.request, [_middle(alike) for alike in found.values()])


def _middle(alike: list[dict]) -> dict:
    """What failed verification hides behind no other."""
    known = [result for result in alike if result.get("median_ns")]
    failed = [result for result in alike if result.get("verified") == "failed"]
    if failed or not known:
        return (failed or alike)[0]
    middle = median_low(result["median_ns"] for result in known)
    one = Middle(next(result for result in known if result["median_ns"] == middle))
    one.medians = tuple(result["median_ns"] for result in known)
    return one
