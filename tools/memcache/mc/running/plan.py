# SPDX-License-Identifier: GPL-2.0-only
"""The plan of `memcache run`. The words of the command line become requests, the requests
of suites are adapted to the shape of the machine, and each request becomes a job for every
side that can measure it."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from mc import Failure, emit, hint, plural, say, with_side
from mc.records import check, continued, keys, shape, suite
from mc.records.suite import Request
from mc.records.tests import is_call, is_program, test_of
from mc.running import mark
from mc.running.debugfs import Debugfs
from mc.running.fit import NAMES, fit
from mc.running.side import Side
from mc.running.user import User, count_records, our_words
from mc.status import WRONG

SIZES = re.compile(r"\d[\d.,KMGIB]*", re.I)     # without a key, as in latency 4K..1M,8M
LIMIT_S = 600       # that a suite takes, unless the user says how many rounds
USUAL = 128 << 20   # the bytes of a CPU for which a suite says how long a record takes


def sides() -> list[Side]:
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

    def sides_for(self, request: Request) -> list[Side]:
        wanted = self.where or request.where
        return [side for side in self.sides if wanted in (side.where, "both")]

    @cached_property
    def tests(self) -> dict[str, keys.Tests]:
        return {side.where: side.tests() for side in self.sides}

    @cached_property
    def all_tests(self) -> keys.Tests:
        """The tests of all sides, each with all keys that one of them has."""
        all_tests: keys.Tests = {}
        for tests in self.tests.values():
            for test, own in tests.items():
                all_tests[test] = all_tests.get(test, {}) | own
        return all_tests

    def mistake_in(self, line: str) -> str:
        """What is wrong with a request line; empty if one of the sides that shall measure it
        takes it, or if no side is there to say which tests it has."""
        faults = {where: check.first_mistake(line, tests)
                  for where, tests in self.tests.items() if tests}
        mine = [faults[side.where] for side in self.sides_for(Request(line))
                if side.where in faults]
        judges = mine or list(faults.values())
        if not judges or not all(judges):
            return ""
        taker = next((where for where, why in faults.items() if not why), "")
        return judges[0] + (f" ({NAMES[taker]} takes it: --where {taker})" if taker else "")

    @cached_property
    def shape(self) -> shape.Shape:
        """The shape of the machine according to one side. All sides are on the same machine, of
        which a process may use a part only."""
        order = sorted(self.sides, key=lambda side: side.where != self.where)
        records = [side.machine() for side in order]
        return shape.machine_shape(next(filter(None, records), {}) | {
            key: record[key] for key in ("process", "last_cache")
            for record in reversed(records) if key in record})


@dataclass(frozen=True)
class Job:
    """A request for one side. `round` counts from 1 if there are several rounds."""
    side: Side
    request: Request
    round: int | None = None

    @property
    def name(self) -> str:
        return with_side(self.request.name, self.side.where)


def requests(words: list[str], place: Place) -> list[Request]:
    """The requests for these words, which are suites, request lines, or the words of a
    request line that was typed without quotes."""
    lines: list[str] = []
    for word in _with_joined_keys(words, place):
        if lines and "=" in word.split(" ")[0]:
            lines[-1] += f" {word}"
        elif lines and SIZES.fullmatch(word) and not is_program(lines[-1].split(" ")[0]):
            lines[-1] += f" size={word}"
            place.say(f"{word}: this is size={word}")
        elif lines and (key := _key_of(word, lines[-1], place)):
            lines[-1] += f" {key}={word}"
            place.say(f"{word}: this is {key}={word}")
        else:
            lines.append(word)
    return [request for line in lines for request in _requests(line, place)]


def _with_joined_keys(words: list[str], place: Place) -> list[str]:
    """The words, with the keys of tests and their values joined: `size = 4K` and `size 4K` are
    size=4K."""
    joined: list[str] = []
    test = ""
    for word in words:
        last = joined[-1] if joined else ""
        if last and word.startswith("=") or re.fullmatch(r"\w+=", last) and "=" not in word:
            joined[-1] += word
        elif last in place.all_tests.get(test, {}) and "=" not in word \
                and not place.all_tests.keys() & {last, word} \
                and not _key_of(last, test, place):
            joined[-1] += f"={word}"
            place.say(f"{last} {word}: this is {joined[-1]}")
        else:
            joined.append(word)
            test = word if word in place.all_tests else test
    return joined


def _key_of(word: str, line: str, place: Place) -> str:
    """The key of the test of a request line that has this word among others, as write is one of op;
    empty if there is none or several, or if the word is a request of its own."""
    name, *given = line.split()
    if is_program(name) or word in place.all_tests or suite.exists(word):
        return ""
    found = [key for key, one in place.all_tests.get(name, {}).items() if word in one.choices]
    return found[0] if len(found) == 1 and not any(
        one.startswith(f"{found[0]}=") for one in given) else ""


def _requests(line: str, place: Place) -> list[Request]:
    words = line.split()
    if not words or "\n" in line or "\0" in line:
        raise Failure("a request is one line: TEST [key=value]...", WRONG)
    name, given = words[0], words[1:]
    if "/" not in name and suite.exists(name.lower()):
        name = name.lower()
    if suite.exists(name) and (not is_program(name) or all("=" in word for word in given)):
        loaded = suite.load(name)
        # With keys, a name that a suite shares with the test that it measures is the test.
        if not given or not _is_test(name, loaded, place):
            return _requests_of_suite(loaded, given, place)
    ours = check.with_usual_letters(line, place.all_tests)
    fault = place.mistake_in(ours) if given or name in place.all_tests else \
        _no_suite_nor_test(name, place)
    if fault and (is_call(words) or not check.mistake_of_form(given)):
        [translated] = our_words([" ".join(words)], fault, place.say)
        if translated.startswith("suite "):
            same, *rest = translated.split()[1:]
            place.say(f"{name if rest == given else line.strip()}: this is the suite {same}")
            return _requests(" ".join([same, *rest]), place)
        if translated.split() != words:
            place.say(f"{line.strip()}: this is {translated}")
            ours = check.with_usual_letters(translated, place.all_tests)
            fault = place.mistake_in(ours)
    if fault:
        raise Failure(fault, WRONG)
    if ours.split()[0] == "mmio" and not re.search(r"\b(target|type)=", ours):
        place.say("mmio: this times memory; target=DEVICE/BAR times a device")
    return [Request(line.strip() if ours.split() == words else ours)]


def _no_suite_nor_test(name: str, place: Place) -> str:
    """The message about a word that is neither a suite nor a test."""
    if "/" in name:
        return f"no suite {name}: there is no such file"
    suites = suite.names_offered()
    tests = f"and no such test.{hint(name, [*suite.names(), *place.all_tests])} Tests: " \
            f"{', '.join(place.all_tests)}." if place.all_tests else \
            "(and no module loaded, and no memcache-user, that could have such a test)." \
            f"{hint(name, suites)}"
    return f"no suite {name} {tests} Suites: {', '.join(suites)}"


def _is_test(name: str, loaded: suite.Suite, place: Place) -> bool:
    return name in place.all_tests or any(name == request.test for request in loaded.requests)


def _requests_of_suite(loaded: suite.Suite, given: list[str], place: Place) -> list[Request]:
    """The requests of a suite. Words that were typed after its name replace the keys of its
    lines, wherever the test of the line takes them."""
    tests = list(dict.fromkeys(request.test for request in loaded.requests))
    its_keys = {key: one for test in tests for key, one in place.all_tests.get(test, {}).items()}
    given = [check.usual_word(word, its_keys)
             for theirs in given for word in _words_of_ours(theirs, loaded.name, tests, place)]
    for why in [check.mistake_of_form(given),
                *(_reason_against(word, tests, place) for word in given)]:
        if why:
            raise Failure(f"{loaded.name}: {why}", WRONG)
    requests, lacking = loaded.requests_for(place.shape)
    for why, names in lacking.items():
        place.say(f"{_count_text(names)}: skipped: {why}")
    if not given:
        return requests
    changed: dict[tuple, Request] = {}
    fixed = {word.partition("=")[0] for word in given}
    for request in requests:
        if request.tries.partition("=")[0] in fixed:
            continue
        words = [word for word in given if not _reason_against(word, [request.test], place)]
        line = check.with_words(request.line, words)
        changed.setdefault((request.section, request.label, line, request.tries),
                           replace(request, line=line))
    return list(changed.values())


def _words_of_ours(word: str, name: str, tests: list[str], place: Place) -> list[str]:
    """A word for the suite of this name in words of ours: it, or what it stands for in the first
    of these tests that has a counterpart."""
    fault = _reason_against(word, tests, place)
    if not fault or check.mistake_of_form([word]):
        return [word]
    our_lines = our_words([f"{test} {word}" for test in tests], f"{name}: {fault}", place.say)
    return next((ours for _, *ours in map(str.split, our_lines) if ours != [word]), [word])


def _reason_against(word: str, tests: list[str], place: Place) -> str:
    """Why none of these tests takes this word; empty if one does, or if nothing is known of
    them."""
    faults = {test: check.first_mistake(f"{test} {word}", place.all_tests)
              for test in tests if test in place.all_tests}
    if not faults or not all(faults.values()):
        return ""
    # A test that has the key says what is wrong with the value.
    return faults[min(faults, key=lambda test: word.partition("=")[0] not in place.all_tests[test])]


def _count_text(names: list[str]) -> str:
    return names[0] if len(names) == 1 else plural(len(names), "request")


def jobs(asked: list[Request], place: Place, rounds: int = 0, both: int = 0) -> list[Job]:
    """A job for each request and each of its sides, one directly after the other. Values
    that a side can't measure are left out, with a message. The sides take turns to be first.

    rounds: the number of rounds for all requests. With 0, a request that both sides measure has
            `both` rounds, any other as many as its suite says
    both: with 0, the suite says how many rounds these are
    """
    assigned = [Job(side, request) for request in asked for side in place.sides_for(request)]
    sides = len({job.side.where for job in assigned})
    wb_only = {side.where: side.has_wb_only() for side in {job.side for job in assigned}}
    kept: dict[int, list[Job]] = {}
    lost: dict[tuple, list[str]] = {}
    for job in assigned:
        where, request = job.side.where, job.request
        line, why = _fit_to_side(request.line, job.side, wb_only[where],
                                 place.tests if sides > 1 or request.suite else {})
        if why:
            name = request.short_name if request.suite else request.name
            lost.setdefault((where, bool(line), why), []).append(name)
        if line:
            kept.setdefault(id(request), []).append(Job(job.side, replace(request, line=line)))
    for (where, part, why), names in lost.items():
        how = "in part left out" if part else "skipped"
        say(f"{_count_text(names)}: {how} in {NAMES[where]}: {why}")
    if not kept:
        raise Failure("nothing is left to measure")
    times = [rounds or _count_rounds(same, both) for same in kept.values()]
    if not rounds:
        times = _rounds_that_fit([*kept.values()], times)
    return _in_parts([
        job for number in range(1, max(times) + 1) for same, most in zip(kept.values(), times)
        if number <= most for job in _jobs_of_round(same, number, most)])


def _in_parts(planned: list[Job]) -> list[Job]:
    lines = [job.request.line for job in planned
             if test_of(job.request.test).records == continued.PAIR]
    counts = dict(zip(lines, count_records(lines) or []))
    return [replace(job, request=replace(job.request, line=line)) for job in planned
            for line in continued.in_parts(job.request.line, counts.get(job.request.line, 0))]


def _count_rounds(same: list[Job], both: int) -> int:
    """The number of rounds of a request. On a simulated machine, no run differs from another."""
    if len(same) > 1:
        return both or same[0].request.rounds
    return 1 if mark.description() else same[0].request.rounds


def _rounds_that_fit(every: list[list[Job]], times: list[int]) -> list[int]:
    """The rounds of these requests: of a suite that would take longer than LIMIT_S, fewer. What
    grows with the machine grows with the square of its nodes, or with its memory."""
    mine = {name: [at for at, same in enumerate(every) if same[0].request.suite == name]
            for name in {same[0].request.suite for same in every} if name}
    for name, places in mine.items():
        most = max(times[at] for at in places)
        took = None if most == 1 else seconds([job.request for at in places for job in every[at]])
        fit_in = rounds_that_fit(most, took)
        if fit_in < most:
            say(f"{name}: {plural(fit_in, 'round')} of {most}, because more take over "
                f"{duration(LIMIT_S)}; all: --rounds {most}")
            times = [min(often, fit_in) if at in places else often
                     for at, often in enumerate(times)]
    return times


def rounds_that_fit(most: int, took: float | None) -> int:
    """How many of these rounds a suite has, one of which takes so many seconds."""
    return min(most, max(int(LIMIT_S / took), 1)) if took else most


def seconds(requests: list[Request]) -> float | None:
    """About how long these requests take, measured once; None if it is not known."""
    counts = count_records([request.line for request in requests])
    if counts is None or any(request.record_s is None for request in requests):
        return None
    return sum(_request_s(request, count) for request, count in zip(requests, counts))


def _request_s(request: Request, records: int) -> float:
    """About how long a request takes. A suite says it of a record, with 128M or less for each
    CPU; of groups of CPUs, which give all records at once, of the request."""
    words = dict(word.partition("=")[::2] for word in request.line.split()[1:])
    cpus = len(shape.numbers(words.get("cpu", ""))) or 1
    sizes = [keys.bytes_of(size) for size in words.get("size", "").split(",")]
    larger = sum(max(1.0, size / cpus / USUAL) for size in sizes) / len(sizes)
    how = test_of(request.test).records
    return (request.record_s or 0) * {"group": 1, "region": records}.get(how, records * larger)


def is_complete(planned: list[Job], asked: list[Request], place: Place) -> bool:
    """Whether every request that was typed is measured in full on each of its sides. Requests
    of a suite that are left out do not count."""
    lines = {(job.side.where, continued.whole_line(job.request.line)) for job in planned}
    return all((side.where, continued.whole_line(request.line)) in lines for request in asked
               if not request.suite for side in place.sides_for(request))


def fits_process(asked: list[Request], place: Place) -> bool:
    """Whether the kernel shall measure this, unless --where says otherwise, and a process can: no
    value, and no device, needs the module."""
    return {request.where for request in asked} == {"kernel"} and not any(
        re.search(r"\btarget=(?!ram\b)", request.line) or _fit_to_process(request, place)[1]
        for request in asked)


def fits_process_in_part(asked: list[Request], place: Place) -> bool:
    """Whether a process can measure any of this."""
    return any(_fit_to_process(request, place)[0] for request in asked)


def _fit_to_process(request: Request, place: Place) -> tuple[str | None, str]:
    side = next(side for side in place.sides if side.where == "user")
    return _fit_to_side(request.line, side, False, {"user": place.tests["user"]})


def _jobs_of_round(same: list[Job], number: int, rounds: int) -> list[Job]:
    """The jobs of one request in this round, of which there are `rounds`."""
    if rounds == 1:
        return same
    turned = same if number % 2 else reversed(same)
    return [replace(job, round=number) for job in turned]


def _fit_to_side(line: str, side: Side, wb_only: bool,
                 tests: dict[str, keys.Tests]) -> tuple[str | None, str]:
    """Fit a request to a side. `tests`: the tests of each side; empty if a request that the
    side does not know shall fail there."""
    test, here = line.split()[0], tests.get(side.where)
    if here and test not in here:
        return None, f"no test {test} there"
    return fit(line, side.where, wb_only, here.get(test) if here else None, side.has_device)


def length_lines(planned: list[Job], place: Place) -> Iterator[str]:
    """The number of records that each suite will make, and an estimate of the time."""
    for name in dict.fromkeys(job.request.suite for job in planned if job.request.suite):
        mine = [job for job in planned if job.request.suite == name]
        counts = count_records([job.request.line for job in mine])
        count, took = sum(counts) if counts else None, seconds([job.request for job in mine])
        # How many regions memory has is seen when it is taken.
        roughly = any(test_of(job.request.test).records == "region" for job in mine)
        records = "" if count is None else f", {'about ' * roughly}{plural(count, 'record')}"
        about = f", about {duration(took)} (longer in an emulator)" if took else ""
        most = max(job.round or 1 for job in mine)
        requests = plural(sum((job.round or 1) == 1 for job in mine), "request") + (
            f" in {most} rounds" if most > 1 else "")
        yield f"{name}: {requests}{records}{about}"


def duration(seconds: float) -> str:
    if seconds < 100:
        return f"{max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes / 60:.1f} h"


def show(planned: list[Job], place: Place) -> None:
    """Print the jobs as the lines of a suite. Further rounds are not printed."""
    emit(f"# {text}" for text in length_lines(planned, place))
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
