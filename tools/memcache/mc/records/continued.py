# SPDX-License-Identifier: GPL-2.0-only
"""Runs that are continued. A request of very many results is measured in parts, whose lines have
`skip=` and `most=`; each is in the file before the next one is measured."""

import errno
import re
from dataclasses import replace

from mc import Failure, quoted
from mc.records import results, tests
from mc.records.check import with_words
from mc.records.results import Run
from mc.status import WRONG

WORDS = re.compile(r" (skip|most)=(\S+)")
PART = 2048         # results, which take about a minute
ENDED = ("state", "errno", "error")
PAIR = "pair"       # the tests that have these words


def in_parts(line: str, count: int) -> list[str]:
    """The lines that measure a request of so many results."""
    if count <= PART or WORDS.search(line):
        return [line]
    return [f"{line} skip={at} most={PART}" for at in range(0, count, PART)]


def whole_line(line: str) -> str:
    return WORDS.sub("", line)


def load(path: str, planned: list[str], machine: dict) -> list[Run]:
    """The runs of a file that need not be measured again. `planned`: the names of all requests,
    which must be those of the file, as this machine must be."""
    runs = results.load(path)
    for key in results.SAME_MACHINE:
        if runs[0].machine.get(key) != machine.get(key):
            raise Failure(f"{path} is of another machine: its {key} is "
                          f"{quoted(runs[0].machine.get(key))}", WRONG)
    if runs[0].request.get("planned") != planned:
        raise Failure(f"{path} is of other requests than these, or of one alone", WRONG)
    kept = [run for run in runs if _is_whole(run) or _has_parts(run.request["test"])]
    for run in kept[:1]:
        run.request["planned"] = planned
    return kept


def rest(line: str, runs: list[Run]) -> str:
    """What is to be measured of a request, of which there are these runs; empty: nothing."""
    words = dict(WORDS.findall(line))
    there = sum(len(run.results) for run in runs)
    if any(map(_is_whole, runs)) or str(there) == words.get("most"):
        return ""
    if not there or not _has_parts(line.split()[0]):
        return line
    most = [f"most={int(words['most']) - there}"] if "most" in words else []
    return with_words(line, [f"skip={int(words.get('skip', 0)) + there}", *most])


def joined(runs: list[Run]) -> list[Run]:
    """These runs, with all parts of a request as one. Where one is missing, the end of the part
    before is that of all."""
    whole: list[Run] = []
    places: dict[tuple, int] = {}
    for run in runs:
        skip = dict(WORDS.findall(run.request["line"])).get("skip", "0")
        key = run.where, run.suite, run.section, run.request.get("label"), \
            run.request.get("round"), whole_line(run.request["line"])
        if skip == "0" or key not in places:
            places[key] = len(whole)
            whole.append(run)
            continue
        before = whole[places[key]]
        ends = before.request if str(len(before.results)) != skip else run.request
        found = [*before.results, *run.results]
        whole[places[key]] = replace(before, results=found, request=before.request | {
            "records": len(found)} | {name: ends.get(name) for name in ENDED})
    return whole


def _is_whole(run: Run) -> bool:
    """Whether all of a request was measured, even if some data was wrong."""
    ended = run.request["state"] == "done" or run.request.get("errno") == errno.EBADMSG
    return ended and len(run.results) == run.request["records"]


def _has_parts(test: str) -> bool:
    return tests.test_of(test).records == PAIR
