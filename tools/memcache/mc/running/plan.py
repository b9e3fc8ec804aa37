# SPDX-License-Identifier: GPL-2.0-only
"""The plan of `memcache run`. The words of the command line become requests, the requests
of suites are adapted to the shape of the machine, and each request becomes a job for every
side that can measure it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from mc import Failure, emit, meant, plural, say
from mc.records import check, keys, shape, suite
from mc.records.suite import Request
from mc.records.tests import is_program
from mc.running import mark
from mc.running.debugfs import Debugfs
from mc.running.fit import NAMES, fit
from mc.running.side import Side
from mc.running.user import User, our_words
from mc.status import WRONG


def sides() -> list[Side]:
    """The sides of this machine."""
    return [Debugfs(), User()]


class Place:
    """The place of a measurement.

    sides: the available sides
    where: the side that the user chose with --where; None if the user did not choose
    say: prints a message
    """

    def __init__(self, sides: list[Side], where: str | None = None,
                 say: Callable[[str], None] = say):
        self.sides = sides
        self.where = where
        self.say = say

    def chosen(self, request: Request) -> list[Side]:
        wanted = self.where or request.where
        return [side for side in self.sides if wanted in (side.where, "both")]

    @cached_property
    def tests(self) -> dict[str, keys.Tests]:
        return {side.where: side.tests() for side in self.sides}

    @cached_property
    def known(self) -> keys.Tests:
        """The tests of all sides, each with all keys that one of them has."""
        known: keys.Tests = {}
        for tests in self.tests.values():
            for test, own in tests.items():
                known[test] = known.get(test, {}) | own
        return known

    def wrong(self, line: str) -> str:
        """What is wrong with a request line; empty if one of the sides that shall measure it
        takes it, or if no side is there to say which tests it has."""
        faults = {where: check.first_mistake(line, tests)
                  for where, tests in self.tests.items() if tests}
        mine = [faults[side.where] for side in self.chosen(Request(line)) if side.where in faults]
        judges = mine or list(faults.values())
        if not judges or not all(judges):
            return ""
        there = next((where for where, why in faults.items() if not why), "")
        return judges[0] + (f" ({NAMES[there]} takes it: --where {there})" if there else "")

    @cached_property
    def shape(self) -> shape.Shape:
        """The shape of the machine according to one side. All sides are on the same machine, of
        which a process may use a part only."""
        order = sorted(self.sides, key=lambda side: side.where != self.where)
        found = [side.machine() for side in order]
        process = [record["process"] for record in found if record and "process" in record]
        return shape.machine_shape(next(filter(None, found), {}) |
                                   ({"process": process[0]} if process else {}))


@dataclass(frozen=True)
class Job:
    """A request for one side. `round` counts from 1 if there are several rounds."""
    side: Side
    request: Request
    round: int | None = None


def requests(words: list[str], place: Place) -> list[Request]:
    """The requests for these words, which are suites, request lines, or the words of a
    request line that was typed without quotes."""
    lines: list[str] = []
    for word in words:
        if lines and "=" in word.split(" ")[0]:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [request for line in lines for request in _requests(line, place)]


def _requests(line: str, place: Place) -> list[Request]:
    words = line.split()
    if not words or "\n" in line or "\0" in line:
        raise Failure("a request is one line: TEST [key=value]...", WRONG)
    name, given = words[0], words[1:]
    if "/" not in name and suite.exists(name.lower()):
        name = name.lower()
    if suite.exists(name) and (not is_program(name) or all("=" in word for word in given)):
        found = suite.load(name)
        # With keys, a name that a suite shares with the test that it measures is the test.
        if not given or not _is_test(name, found, place):
            return _of_suite(found, given, place)
    ours = check.with_usual_letters(line, place.known)
    fault = place.wrong(ours) if given or name in place.known else _neither(name, place)
    if fault and (is_program(name) or not check.mistake_of_form(given)):
        [said] = our_words([" ".join(words)], fault)
        if said.startswith("suite "):
            same, *rest = said.split()[1:]
            place.say(f"{name if rest == given else line.strip()}: this is the suite {same}")
            return _requests(" ".join([same, *rest]), place)
        if said.split() != words:
            place.say(f"{line.strip()}: this is {said}")
            ours = check.with_usual_letters(said, place.known)
            fault = place.wrong(ours)
    if fault:
        raise Failure(fault, WRONG)
    return [Request(line.strip() if ours.split() == words else ours)]


def _neither(name: str, place: Place) -> str:
    """The message about a word that is neither a suite nor a test."""
    suites = suite.names_offered()
    tests = f"and no such test.{meant(name, [*suites, *place.known])} Tests: " \
            f"{', '.join(place.known)}." if place.known else \
            "(and no module loaded, and no memcache-user, that could have such a test)." \
            f"{meant(name, suites)}"
    return f"no suite {name} {tests} Suites: {', '.join(suites)}"


def _is_test(name: str, found: suite.Suite, place: Place) -> bool:
    return name in place.known or any(name == request.test for request in found.requests)


def _of_suite(found: suite.Suite, given: list[str], place: Place) -> list[Request]:
    """The requests of a suite. Words that were typed after its name replace the keys of its
    lines, wherever the test of the line takes them."""
    tests = list(dict.fromkeys(request.test for request in found.requests))
    known = {key: one for test in tests for key, one in place.known.get(test, {}).items()}
    given = [check.usual_word(word, known)
             for theirs in given for word in _in_our_words(theirs, found.name, tests, place)]
    for why in [check.mistake_of_form(given), *(_refused(word, tests, place) for word in given)]:
        if why:
            raise Failure(f"{found.name}: {why}", WRONG)
    requests, lacking = found.requests_for(place.shape)
    for why, names in lacking.items():
        place.say(f"{_counted(names)}: skipped: {why}")
    if not given:
        return requests
    changed: dict[tuple, Request] = {}
    fixed = {word.partition("=")[0] for word in given}
    for request in requests:
        if request.tries.partition("=")[0] in fixed:
            continue
        words = [word for word in given if not _refused(word, [request.test], place)]
        line = check.with_words(request.line, words)
        changed.setdefault((request.section, request.label, line, request.tries),
                           replace(request, line=line))
    return list(changed.values())


def _in_our_words(word: str, name: str, tests: list[str], place: Place) -> list[str]:
    """A word for the suite of this name in words of ours: it, or what it stands for in the first
    of these tests that has a counterpart."""
    fault = _refused(word, tests, place)
    if not fault or check.mistake_of_form([word]):
        return [word]
    said = our_words([f"{test} {word}" for test in tests], f"{name}: {fault}")
    return next((ours for _, *ours in map(str.split, said) if ours != [word]), [word])


def _refused(word: str, tests: list[str], place: Place) -> str:
    """Why none of these tests takes this word; empty if one does, or if nothing is known of
    them."""
    faults = {test: check.first_mistake(f"{test} {word}", place.known)
              for test in tests if test in place.known}
    if not faults or not all(faults.values()):
        return ""
    # A test that has the key says what is wrong with the value.
    return faults[min(faults, key=lambda test: word.partition("=")[0] not in place.known[test])]


def _counted(names: list[str]) -> str:
    return names[0] if len(names) == 1 else plural(len(names), "request")


def jobs(asked: list[Request], place: Place, rounds: int = 0, both: int = 0) -> list[Job]:
    """A job for each request and each of its sides, one directly after the other. Values
    that a side can't measure are left out, with a message. The sides take turns to be first.

    rounds: the number of rounds for all requests. With 0, a request that both sides measure has
            `both` rounds, any other as many as its suite says
    both: with 0, the suite says how many rounds these are
    """
    assigned = [Job(side, request) for request in asked for side in place.chosen(request)]
    sides = len({job.side.where for job in assigned})
    wb_only = {side.where: side.wb_only() for side in {job.side for job in assigned}}
    kept: dict[int, list[Job]] = {}
    lost: dict[tuple, list[str]] = {}
    for job in assigned:
        where, request = job.side.where, job.request
        line, why = _fit(request.line, job.side, wb_only[where],
                         place.tests if sides > 1 or request.suite else {})
        if why:
            name = request.short_name if request.suite else request.name
            lost.setdefault((where, bool(line), why), []).append(name)
        if line:
            kept.setdefault(id(request), []).append(Job(job.side, replace(request, line=line)))
    for (where, part, why), names in lost.items():
        how = "in part left out" if part else "skipped"
        say(f"{_counted(names)}: {how} in {NAMES[where]}: {why}")
    if not kept:
        raise Failure("nothing is left to measure")
    times = [rounds or _rounds(same, both) for same in kept.values()]
    return [job for number in range(1, max(times) + 1) for same, most in zip(kept.values(), times)
            if number <= most for job in _round(same, number, most)]


def _rounds(same: list[Job], both: int) -> int:
    """The number of rounds of a request. On a simulated machine, no run differs from another."""
    if len(same) > 1:
        return both or same[0].request.rounds
    return 1 if mark.description() else same[0].request.rounds


def whole(planned: list[Job], asked: list[Request], place: Place) -> bool:
    """Whether every request that was typed is measured in full on each of its sides. Requests
    of a suite that are left out do not count."""
    lines = {(job.side.where, job.request.line) for job in planned}
    return all((side.where, request.line) in lines for request in asked if not request.suite
               for side in place.chosen(request))


def _round(same: list[Job], number: int, rounds: int) -> list[Job]:
    """The jobs of one request in this round, of which there are `rounds`."""
    if rounds == 1:
        return same
    turned = same if number % 2 else reversed(same)
    return [replace(job, round=number) for job in turned]


def _fit(line: str, side: Side, wb_only: bool,
         tests: dict[str, keys.Tests]) -> tuple[str | None, str]:
    """Fit a request to a side. `tests`: the tests of each side; empty if a request that the
    side does not know shall fail there."""
    test, here = line.split()[0], tests.get(side.where)
    if here and test not in here:
        return None, f"no test {test} there"
    return fit(line, side.where, wb_only, here.get(test) if here else None, side.has_device)


def length(planned: list[Job], place: Place) -> Iterator[str]:
    """The number of records that each suite will make, and an estimate of the time."""
    for name in dict.fromkeys(job.request.suite for job in planned if job.request.suite):
        mine = [job for job in planned if job.request.suite == name]
        count = sum(keys.records(job.request.line, place.shape, place.tests[job.side.where])
                    for job in mine)
        each = mine[0].request.record_s
        about = f", about {duration(count * each)} (longer in an emulator)" if each else ""
        most = max(job.round or 1 for job in mine)
        requests = plural(sum((job.round or 1) == 1 for job in mine), "request") + (
            f" in {most} rounds" if most > 1 else "")
        yield f"{name}: {requests}, {plural(count, 'record')}{about}"


def duration(seconds: float) -> str:
    if seconds < 100:
        return f"{max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes / 60:.1f} h"


def show(planned: list[Job], place: Place) -> None:
    """Print the jobs as the lines of a suite. Further rounds are not printed."""
    emit(f"# {text}" for text in length(planned, place))
    rounds = max(job.round or 1 for job in planned)
    both = len({job.side.where for job in planned}) > 1
    if rounds > 1:
        turns = ", in which the sides take turns to be first" if both else ""
        emit([f"# in {rounds} rounds{turns}; this is one"])
    for job in planned:
        if job.round not in (None, 1):
            continue
        label = f"{job.request.label}: " if job.request.label else ""
        remarks = [*([job.side.where] if both else []), *(
            [f"{job.request.tries} in the best line before"] if job.request.tries else [])]
        emit([f"{label}{job.request.line}" + (f"    # {', '.join(remarks)}" if remarks else "")])
