# SPDX-License-Identifier: GPL-2.0-only
"""Which hosts of many are slow, and what is different about them.

Hosts with the same facts that groups go by (see FACTS) are equal, and are compared with each other.
A group of too few hosts is compared with the larger group of the same CPU that is most like it: so
a host that lacks a memory module is compared with those that have it.

Of each host the two newest measurements count, if its facts are the same in both; of the two times
of a result, the better one. A host is called slow only if both measurements were as slow. One that
was measured once is to be measured again. What hosts differ from themselves by, between two
measurements or between the rounds of one, is a part of the spread of their group: see outliers.py.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import log

from mc import grouped
from mc.analysis import normal, outliers, refresh, series
from mc.analysis.machines import FACTS, Fact, Facts, Value, differences, facts
from mc.analysis.normal import Beside
from mc.analysis.outliers import FEWEST, Distance
from mc.analysis.series import Left
from mc.analysis.steps import median
from mc.records.results import Run, start_times

COUNTED = 2         # the newest measurements of a host
Key = tuple[str, str, str]      # the name of a result, its side, and the state of its memory


REFRESH = next(fact for fact in FACTS if fact.name == "refresh")
GROUPS = tuple(fact for fact in FACTS if fact.groups)


@dataclass(frozen=True)
class Measurement:
    """What a results file says about its host. `times` are median times; `spreads` are the
    variances of their logarithms, of those that were measured in rounds. `beside`: the
    figures that are published of its CPU."""
    host: str
    file: str
    started: int
    facts: Facts
    times: dict[Key, float]
    left: Left
    spreads: dict[Key, float] = field(default_factory=dict)
    beside: dict[str, Beside] = field(default_factory=dict)

    @property
    def group(self) -> tuple[Value, ...]:
        return tuple(self.facts[fact.name] for fact in GROUPS)


def measurement(host: str, file: str, runs: list[Run]) -> Measurement:
    """The facts and the times of the host of this file."""
    left = Left()
    estimates = {_key(key, result): time
                 for key, (time, result) in series.middles(runs, left).items()}
    times = {key: time.time for key, time in estimates.items()}
    beside = {one.figure: replace(one, run=Run(one.run.machine, one.run.request))
              for one in normal.results_with_references(runs)}
    spreads = {key: time.variance for key, time in estimates.items() if time.variance is not None}
    about = facts(runs[0].machine, (result for run in runs for result in run.results))
    return Measurement(host, file, min(start_times(runs), default=0), about, times, left, spreads,
                       beside)


def _key(key: tuple, result: dict) -> Key:
    """The same object for all results of a series: that takes less time and memory."""
    if key not in _known:
        _known[key] = series.name(result), result["where"], str(key[2])
    return _known[key]


_known: dict[tuple, Key] = {}


@dataclass
class Finding:
    """A result in which a host is slow. `again`: another measurement confirmed it."""
    key: Key
    distance: Distance
    again: bool


@dataclass
class Host:
    """A host, by its newest measurements."""
    name: str
    measured: list[Measurement] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    speeds: dict[Key, float] = field(default_factory=dict)   # of those of its group
    blurred: int = 0        # results whose spread hides even a very slow host

    def add(self, one: Measurement) -> None:
        self.measured.append(one)
        self.measured.sort(key=lambda each: each.started, reverse=True)
        same = (each for each in self.measured if each.group == self.measured[0].group)
        self.measured = [each for each, _ in zip(same, range(COUNTED))]

    @property
    def facts(self) -> Facts:
        return self.measured[0].facts

    @property
    def group(self) -> tuple[Value, ...]:
        return self.measured[0].group

    @property
    def compared(self) -> int:
        """How many results were compared with those of others."""
        return len(self.speeds)

    @property
    def failed_results(self) -> int:
        """How many results failed verification."""
        return sum(one.left.failed for one in self.measured)

    @property
    def is_slow(self) -> bool:
        return any(finding.again for finding in self.findings)

    @property
    def is_unsure(self) -> bool:
        """Whether nobody can tell if it is slow."""
        return not self.findings and 2 * self.blurred >= self.compared

    def times(self) -> Iterator[tuple[Key, float]]:
        """The better time of each result."""
        for key in dict.fromkeys(key for one in self.measured for key in one.times):
            yield key, min(one.times[key] for one in self.measured if key in one.times)

    def spread(self, key: Key) -> float | None:
        """The variance of the logarithm of this time on this host: between its measurements, else
        between the rounds of one; None if neither is known."""
        jump = self.jump(key)
        if jump is not None:
            return jump * jump / 2      # the variance of two numbers
        return next((one.spreads[key] for one in self.measured if key in one.spreads), None)

    def jump(self, key: Key) -> float | None:
        """The difference of its two measurements, in logarithms; None if there is only one."""
        logs = [log(one.times[key]) for one in self.measured if key in one.times]
        return abs(logs[0] - logs[1]) if len(logs) > 1 else None


@dataclass(frozen=True)
class Below:
    """A figure in which a group is slower than what is published: so many of its hosts are, of
    those that have it. `middle` is the one in the middle of these."""
    group: "Group"
    middle: Beside
    slow: int
    hosts: int


@dataclass
class Group:
    """Equal hosts, and others that are compared with them since too few are like themselves."""
    number: int
    equal: list[Host]
    others: list[Host] = field(default_factory=list)

    @property
    def hosts(self) -> list[Host]:
        return [*self.equal, *self.others]

    def slow_figures(self) -> Iterator[Below]:
        """The figures in which more than half of the equal hosts are slower than what is published
        of their CPU: all of a fleet can be slow, which no comparison of its hosts shows."""
        known = grouped(pair for host in self.equal for pair in host.measured[0].beside.items())
        for several in known.values():
            slow = [one for one in several if one.expected.slow]
            if 2 * len(slow) > len(several):
                ranked = sorted(slow, key=lambda one: one.times)
                yield Below(self, ranked[len(ranked) // 2], len(slow), len(several))

    def hot_hosts(self) -> Iterator[tuple[Host, float, float]]:
        """Those of the equal hosts whose memory is refreshed twice as often as that of most: their
        period, and the usual one, in ns. Others may have modules of another generation."""
        usual = self.typical_value(REFRESH)
        for host in self.equal:
            mine = host.facts[REFRESH.name]
            if isinstance(usual, float) and isinstance(mine, float) \
                    and refresh.is_multiple(usual, mine, 2):
                yield host, mine, usual

    def typical_value(self, fact: Fact) -> Value:
        """The value that most of the equal hosts have, or the one in the middle."""
        values = [host.facts[fact.name] for host in self.equal]
        numbers = [value for value in values if isinstance(value, float)]
        return float(median(numbers)) if len(numbers) > len(values) / 2 else \
            Counter(values).most_common(1)[0][0]

    def differing_facts(self, host: Host) -> Iterator[tuple[Fact, Value, Value]]:
        """The facts in which a host is not like the group: what it has, what the group has."""
        usual = {fact.name: self.typical_value(fact) for fact in FACTS}
        return ((fact, host.facts[fact.name], usual[fact.name])
                for fact in differences(host.facts, usual))


@dataclass
class Fleet:
    """All hosts. `few`: those that are compared with none, since too few are like them.
    `compared`: the number of results of hosts that were compared with those of others."""
    hosts: list[Host]
    groups: list[Group]
    few: list[Host]
    left: Left
    compared: int = 0

    def hosts_with_findings(self, slow: bool) -> list[tuple[Group, Host]]:
        """The hosts that are slow, or those that are to be measured again. The slowest come
        first."""
        return sorted(((group, host) for group in self.groups for host in group.hosts
                       if host.findings and host.is_slow == slow),
                      key=lambda one: one[1].findings[0].distance.speed)

    @property
    def unsure_hosts(self) -> list[Host]:
        """The hosts of which nobody can tell whether they are slow."""
        return [host for group in self.groups for host in group.hosts if host.is_unsure]

    @property
    def failed_hosts(self) -> list[Host]:
        return [host for host in self.hosts if host.failed_results]


def fleet(measurements: Iterable[Measurement]) -> Fleet:
    """Compare the hosts of these measurements."""
    hosts_by_name: dict[str, Host] = {}
    left = Left()
    for one in measurements:
        hosts_by_name.setdefault(one.host, Host(one.host)).add(one)
        left.failed += one.left.failed
        left.emulated += one.left.emulated
    hosts = list(hosts_by_name.values())
    compared = Fleet(hosts, *_groups([host for host in hosts if any(host.times())]), left)
    _judge_hosts(compared)
    return compared


def _groups(hosts: list[Host]) -> tuple[list[Group], list[Host]]:
    """The groups, the largest first, and the hosts that are in none."""
    equal = grouped((host.group, host) for host in hosts)
    large = sorted((alike for alike in equal.values() if len(alike) >= FEWEST), key=len,
                   reverse=True)
    groups = [Group(number, alike) for number, alike in enumerate(large, 1)]
    few = []
    for alike in equal.values():
        if len(alike) < FEWEST:
            nearest = min(groups, key=lambda group: _count_differing_facts(group, alike[0]),
                          default=None)
            if nearest and _count_differing_facts(nearest, alike[0]) < len(FACTS):
                nearest.others += alike
            else:
                few += alike
    return groups, few


def _count_differing_facts(group: Group, host: Host) -> int:
    """In how many facts that groups go by a host differs from a group."""
    differ = [fact for fact, one, other in
              zip(GROUPS, group.equal[0].group, host.group) if one != other]
    return len(FACTS) if any(fact.alike for fact in differ) else len(differ)


def _judge_hosts(fleet: Fleet) -> None:
    """Note at each host in which results it is slow."""
    slow: dict[int, list[tuple[Key, Distance]]] = {}
    for group in fleet.groups:
        jumps = sorted(jump for host in group.hosts for key, _ in host.times()
                       if (jump := host.jump(key)) is not None)
        for key, column, far in _columns(group, jumps):
            for host, one in zip(column, far):
                host.speeds[key] = one.speed
                host.blurred += one.blurred
                if one.slow:
                    slow.setdefault(id(host), []).append((key, one))
    tests = {id(host): host.compared for host in fleet.hosts if host.compared}
    fleet.compared = sum(tests.values())
    chances = {host: outliers.chance_of_machine((one.chance for _, one in results), tests[host])
               for host, results in slow.items()}
    limit = outliers.limit(chances.values(), len(tests))
    for host in fleet.hosts:
        if id(host) in slow and chances[id(host)] <= limit:
            _note_findings(host, slow[id(host)], tests[id(host)])


def _columns(group: Group, jumps: Sequence[float]
             ) -> Iterator[tuple[Key, list[Host], list[Distance]]]:
    """Each result of a group that enough of its equal hosts have, with the hosts that have it.
    `jumps`: what hosts of the group differ from themselves by, in any result."""
    columns: dict[Key, tuple[list[Host], list[float]]] = {}
    equal: Counter[Key] = Counter()     # hosts of the group that have a result; they come first
    for i, host in enumerate(group.hosts):
        for key, time in host.times():
            hosts, times = columns.setdefault(key, ([], []))
            hosts.append(host)
            times.append(time)
            equal[key] += i < len(group.equal)
    for key, (hosts, times) in columns.items():
        if equal[key] >= FEWEST:
            own = [spread for host in hosts if (spread := host.spread(key)) is not None]
            mine = [jump for host in hosts if (jump := host.jump(key)) is not None]
            yield key, hosts, [outliers.with_chance_of_modes(one, mine, jumps) if one.slow else one
                               for one in outliers.distances(times[:equal[key]], times, own)]


def _note_findings(host: Host, slow: list[tuple[Key, Distance]], tests: int) -> None:
    """Note the results in which a host is slow, the slowest first."""
    limit = outliers.limit((one.chance for _, one in slow), tests)
    host.findings = sorted((Finding(key, one, sum(key in some.times for some in host.measured)
                                    == COUNTED) for key, one in slow if one.chance <= limit),
                           key=lambda one: one.distance.speed)
