# SPDX-License-Identifier: GPL-2.0-only
"""Requests that were measured in rounds (`--rounds N`, `--where both`): each round measures all
requests once. Of the records of a request, the one with the middle median stands for all
rounds, with the number, mean, deviation and extremes of all rounds' samples; `medians` has the
medians of all rounds.

Two runs of the same request differ by more than their samples show, and runs that directly
follow each other are more alike than others. Only runs with some time between them show how
much runs really differ.
"""

import re
from functools import lru_cache
from math import sqrt

from mc import Failure, grouped, quoted
from mc.records import continued, results, store
from mc.records.fields import DISTURBED, IGNORED, WHICH, request_keys
from mc.records.results import Run
from mc.status import WRONG

COUNTS = ("left_out", *DISTURBED)       # of samples, so those of all rounds are added
# Records with different values of these were measured on different memory.
STATE = ("attribute", "effective", "memory_node")
TIMED = re.compile(r" time=[0.]*[1-9]")
REPEAT = re.compile(r" repeat=(\d{1,7})\b")


class Middle(dict):
    """A record that stands for the records of all rounds."""
    medians: tuple[tuple[float, ...], ...] = ()
    fastest: tuple[tuple[float, ...], ...] = ()
    clocks: tuple[float, ...] = ()


def load(path: str) -> list[Run]:
    """The runs of a file; all rounds of a request make one run."""
    return with_merged_rounds(results.load(path))


def load_together(files: list[str], boots: bool = False) -> list[Run]:
    """The runs of several files of one machine, or of entries of a store. Each file has one
    more round, at least, of the same requests. With `boots`, each file is of a boot of its own:
    its rounds are merged into one first, because they are more alike than boots are."""
    files = store.with_store_entries(files)
    loaded = {name: results.load(name) for name in files}
    if len(loaded) < len(files):
        raise Failure("a file is named twice", WRONG)
    if len(loaded) == 1:
        return with_merged_rounds(*loaded.values())
    first, *others = loaded
    for other in others:
        for key in results.SAME_MACHINE:
            one, two = (loaded[name][0].machine.get(key) for name in (first, other))
            if one != two:
                raise Failure(f"{first} and {other} are not of the same machine: their {key} is "
                              f"{quoted(one)} and {quoted(two)}", WRONG)
    every = []
    for number, runs in enumerate(loaded.values(), 1):
        for run in with_merged_rounds(runs) if boots else runs:
            run.request["round"] = number if boots else run.request.get("round", number)
            run.request["file"] = number
            every.append(run)
    return with_merged_rounds(every)


def load_all(files: list[str]) -> dict[str, list[Run]]:
    """The runs of several files, none of which may be named twice."""
    if len(set(files)) < len(files):
        raise Failure("a file is named twice", WRONG)
    return {name: load(name) for name in files}


def medians(result: dict) -> tuple[tuple[float, ...], ...]:
    """The median of each round, in ns, for each file; empty if there was only one round."""
    return getattr(result, "medians", ())


def fastest(result: dict) -> tuple[tuple[float, ...], ...]:
    """The same of the fastest samples."""
    return getattr(result, "fastest", ())


def count(result: dict) -> int:
    """The number of rounds, in all files."""
    return sum(map(len, medians(result))) or 1


def clocks(result: dict) -> tuple[float, ...]:
    """The core's clock in each round, in MHz; that of the record if there was only one round."""
    return getattr(result, "clocks", ()) or tuple(filter(None, [result.get("core_mhz")]))


def with_merged_rounds(runs: list[Run]) -> list[Run]:
    """These runs, with all rounds of a request merged into one run. Runs that were not
    measured in rounds stay as they are."""
    runs = continued.joined(runs)
    for run in runs:
        _ask_for_samples(run)
    groups = grouped(((run.where, run.suite, run.section, run.request.get("label"),
                       run.request["line"]) if "round" in run.request else (number,), run)
                     for number, run in enumerate(runs))
    return [_merge_rounds(group) if len(group) > 1 else group[0] for group in groups.values()]


def _ask_for_samples(run: Run) -> None:
    """Let `repeat` be what was asked for. With `time=` it is the number of samples that were taken,
    another one in each result, and tells none apart."""
    least = REPEAT.search(run.request["line"])
    for result in run.results if TIMED.search(run.request["line"]) else ():
        if least and "repeat" in result:
            result["repeat"] = int(least[1])


@lru_cache
def _told_apart_by(fields: tuple[str, ...]) -> tuple[str, ...]:
    """Those of a record's fields that say which one it is of those of one request."""
    return tuple(name for name in (*WHICH, *STATE) if name in fields)


def _merge_rounds(group: list[Run]) -> Run:
    same: dict[tuple, list[tuple[int, dict]]] = {}
    for run in group:
        counts: dict[tuple, int] = {}
        for result in run.results:
            key = tuple((name, str(result[name])) for name in _told_apart_by(tuple(result))), \
                tuple(item for item in request_keys(result).items() if item[0] not in IGNORED)
            counts[key] = counts.get(key, 0) + 1
            same.setdefault((key, counts[key]), []).append((run.request.get("file", 0), result))
    bad = next((run for run in group if run.request["state"] != "done"), group[0])
    return Run(group[0].machine, bad.request, [_middle_record(alike) for alike in same.values()])


def _middle_record(alike: list[tuple[int, dict]]) -> dict:
    """The record that stands for these, of which each has the number of its file. A record that
    failed verification is never hidden."""
    measured = [result for _, result in alike if result.get("median_ns")]
    failed = [result for _, result in alike if result.get("verified") == "failed"]
    if failed or not measured:
        return failed[0] if failed else alike[0][1]
    middle = sorted(result["median_ns"] for result in measured)[(len(measured) - 1) // 2]
    one = Middle(next(result for result in measured if result["median_ns"] == middle))
    one |= _statistics_of_samples(measured)
    files = grouped((file, result) for file, result in alike if result.get("median_ns"))
    one.medians = tuple(tuple(each["median_ns"] for each in of_one) for of_one in files.values())
    one.fastest = tuple(tuple(each.get("min_ns") or each["median_ns"] for each in of_one)
                        for of_one in files.values())
    one.clocks = tuple(clock for result in measured for clock in clocks(result))
    return one


def _statistics_of_samples(measured: list[dict]) -> dict:
    """The statistics of all samples of these records: how many there were and what hit them,
    extremes, mean and standard deviation, which includes the differences between rounds."""
    counts: dict = {key: sum(result[key] for result in measured) for key in COUNTS
                    if all(result.get(key) is not None for result in measured)}
    if reasons := {why for result in measured if result.get("left_out_why")
                   for why in str(result["left_out_why"]).split(",")}:
        counts["left_out_why"] = ",".join(sorted(reasons))
    if not all(result.get(key) for result in measured
               for key in ("samples", "min_ns", "max_ns", "mean_ns")):
        return counts
    count = sum(result["samples"] for result in measured)
    mean = sum(result["samples"] * result["mean_ns"] for result in measured) / count
    # A single sample has no deviation, and lies as far from the mean as its round.
    squares = sum((result["samples"] - 1) * (result.get("sd_ns") or 0) ** 2
                  + result["samples"] * (result["mean_ns"] - mean) ** 2 for result in measured)
    deviation = sqrt(squares / (count - 1)) if count > 1 else 0.0
    return counts | {"samples": count, "min_ns": min(result["min_ns"] for result in measured),
            "max_ns": max(result["max_ns"] for result in measured), "mean_ns": mean,
            "sd_ns": deviation, "cv_percent": 100 * deviation / mean}
