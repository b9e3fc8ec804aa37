# SPDX-License-Identifier: GPL-2.0-only
"""The report of `memcache fleet`: as parts for a terminal or a page, and as JSON."""

from collections.abc import Iterable, Iterator
from statistics import median

from mc import grouped, join_words, out_of, plural, with_side
from mc.analysis import refresh
from mc.analysis.fleet import GROUPS, Below, Fleet, Group, Host
from mc.analysis.machines import FACTS, Fact, Value, difference, text
from mc.analysis.outliers import BLURRED, FEWEST
from mc.output.charts import SPEED, Chart, Point, Series, Source
from mc.output.trend import sentences_on_left_out
from mc.parts import Grid, Heading, Part, Sentence, bullets
from mc.records import units

MOST_LISTED = 10       # how many results of a host, or names of hosts, a terminal lists
MOST_NAMED = 3         # hosts in a title
MOST_DRAWN = 40        # hosts, or results, of a heat map
ONE_SPEED = 1.1        # speeds that differ by less are one,
ALIKE = 3              # if there are so many at least


def parts(fleet: Fleet, most: int | None = MOST_LISTED) -> list[Part]:
    """The whole report. `most`: how many results of a host, and names in a list, are shown."""
    slow, again = fleet.hosts_with_findings(True), fleet.hosts_with_findings(False)
    report: list[Part] = [Sentence(_summary(fleet, len(slow), len(again)))]
    if fleet.failed_hosts:
        report += [Heading("Data failed verification", 2), *bullets([
            f"{host.name}: {plural(host.failed_results, 'result')}"
            for host in fleet.failed_hosts])]
    for name, found in (("Slow hosts", slow), ("Measure again before they are called slow", again)):
        report += [Heading(name, 2)] * bool(found)
        for group, host in found:
            report += _host(group, host, most)
    if unsure := fleet.unsure_hosts:
        report += [Heading("Can't tell", 2), Sentence(
            f"Half of their results, or more, scatter so much that a host of {BLURRED:g} times the "
            f"speed would not be noticed: {_names(unsure, most)}. Measure all hosts again when "
            "they are quiet.")]
    if fleet.groups:
        report += [Heading("Groups of equal hosts", 2), *_groups(fleet)]
    if below := [one for group in fleet.groups for one in group.slow_figures()]:
        report += [Heading("Slower than what is published of their CPU", 2),
                   *bullets([_sentence_on_slow_group(one) for one in below])]
    if hot := _hot_hosts(fleet):
        report += [Heading("Refresh comes twice as often", 2),
                   *bullets([_sentence_on_refresh(*one) for one in hot])]
    if fleet.few:
        report += [Heading(f"Too few like them to compare, less than {FEWEST}", 2),
                   Sentence(_names(fleet.few, most))]
    return [*report, *sentences_on_left_out(fleet.left)]


def title(fleet: Fleet) -> str:
    """What was found, in a line."""
    total = len(fleet.hosts)
    slow, again = ([host for _, host in fleet.hosts_with_findings(sure)] for sure in (True, False))
    if fleet.failed_hosts:
        return f"Memory of {_names(fleet.failed_hosts, MOST_NAMED)} did not hold what was written"
    if slow:
        return f"{out_of(len(slow), total, 'host')} {'is' if len(slow) == 1 else 'are'} slow: " \
               f"{_names(slow, MOST_NAMED)}" \
               + (f"; {len(again)} to be measured again" if again else "")
    if again:
        return f"{out_of(len(again), total, 'host')} may be slow: measure " \
               f"{_names(again, MOST_NAMED)} again"
    if any(True for group in fleet.groups for _ in group.slow_figures()):
        return "All hosts are alike, and slower than what is published of their CPU"
    if len(fleet.few) == total or not fleet.compared:
        return f"None of {plural(total, 'host')} could be compared"
    unsure = len(fleet.unsure_hosts)
    return f"None of {plural(total, 'host')} was found slow" + (
        f", but {unsure} can't be told" if unsure else "")


def heat_maps(fleet: Fleet) -> Iterator[tuple[Chart, list[str]]]:
    """The speeds of hosts in their results, a picture for each group, with its captions. The
    slowest hosts come first."""
    order = {host.name: -1 / (i + 1) for i, (_, host) in enumerate(
        [*fleet.hosts_with_findings(True), *fleet.hosts_with_findings(False)])}
    for group in fleet.groups:
        hosts = sorted((host for host in group.hosts if host.speeds), key=lambda host: (
            order.get(host.name, 0), median(host.speeds.values())))
        drawn = hosts[:MOST_DRAWN]
        keys = list(dict.fromkeys(key for host in drawn for key in host.speeds))
        slowest = sorted(keys, key=lambda key: min(host.speeds.get(key, 1) for host in drawn))
        keys = [key for key in keys if key in set(slowest[:MOST_DRAWN])]
        names = dict(zip(keys, _without_common_words([with_side(*key[:2]) for key in keys])))
        points = [Point((host.name, names[key]), host.speeds[key])
                  for host in drawn for key in keys if key in host.speeds]
        left = [plural(count, what) for count, what in (
            (len(hosts) - len(drawn), "host"), (len(slowest) - len(keys), "result")) if count > 0]
        yield Chart("matrix", f"Group {group.number}: speed against the median of its hosts",
                    "result", SPEED, [Series("", 0, points)], [Source("", "")], row="host",
                    rows=[host.name for host in drawn], columns=list(names.values())), \
            [f"Not drawn, as others are slower: {join_words(left)}."] if left else []


def _without_common_words(names: list[str]) -> list[str]:
    """These names without the words that all of them have."""
    common = set.intersection(*(set(name.split()) for name in names))
    short = [" ".join(word for word in name.split() if word not in common) for name in names]
    return [one or name for one, name in zip(short, names)]


def _sentence_on_refresh(group: Group, host: Host, mine: float, usual: float) -> str:
    other = "" if host.facts["modules"] else \
        ", or in memory of another generation, since the modules are not known"
    return f"{host.name}: every {units.duration(mine)}, where those of group {group.number} have " \
           f"{units.duration(usual)}, {refresh.reasons(2)}{other}."


def _hot_hosts(fleet: Fleet) -> list[tuple[Group, Host, float, float]]:
    return [(group, *one) for group in fleet.groups for one in group.hot_hosts()]


def _summary(fleet: Fleet, slow: int, again: int) -> str:
    compared = sum(len(group.hosts) for group in fleet.groups)
    unsure = len(fleet.unsure_hosts)
    bare = len(fleet.hosts) - compared - len(fleet.few)
    return (f"{plural(len(fleet.hosts), 'host')} in {plural(len(fleet.groups), 'group')}, "
            f"{plural(fleet.compared, 'result')} compared: {slow} slow, {again} to be measured "
            f"again, {compared - slow - again - unsure} not found to be slow, {unsure} not known, "
            f"{len(fleet.few)} with too few similar hosts"
            + (f", {bare} without a result that can be compared" if bare else "") + ".")


def _names(hosts: Iterable[Host], most: int | None) -> str:
    names = [host.name for host in hosts]
    if most and len(names) > most:
        names[most:] = [f"{len(names) - most} more"]
    return join_words(names)


def _host(group: Group, host: Host, most: int | None) -> list[Part]:
    findings = [one for one in host.findings if one.again or not host.is_slow]
    rows = [[with_side(*one.key[:2]), units.duration(one.distance.time),
             units.duration(one.distance.typical), f"{one.distance.speed:.2f}x ↓"]
            for one in findings[:most]]
    left = len(findings) - len(rows)
    speeds = [one.distance.speed for one in findings]
    different = f"Different from its group: {differences(group, host)}."
    times = "in two measurements" if host.is_slow else "in one measurement"
    report: list[Part] = [Heading(f"{host.name}, compared with group {group.number}: "
                                  f"{plural(len(findings), 'result')} slower {times}")]
    table = Grid(["", "median", "group's", "speed"], rows, gap=False,
                 note=f"... and {left} more" if left else "")
    if len(findings) < ALIKE or max(speeds) > ONE_SPEED * min(speeds):
        return [*report, table, Sentence(different, gap=bool(left))]
    which = f"All {len(speeds)} results" if len(speeds) == host.compared else \
        f"{len(speeds)} of the {host.compared} results that were compared"
    report += [Sentence(f"{which} have one speed, {min(speeds):.2f}x to {max(speeds):.2f}x ↓ of "
                        "the group's."), Sentence(different)]
    return report if most else [*report, Heading(f"Each result of {host.name}", folded=True), table]


def differences(group: Group, host: Host) -> str:
    """What is different about a host, for people."""
    return "; ".join(difference(*one) for one in group.differing_facts(host)) or \
        "nothing in its record"


def _groups(fleet: Fleet) -> list[Part]:
    sentences: list[Part] = [Sentence(f"{group.number}: {plural(len(group.equal), 'host')} with "
                                      f"{_facts_in_common(group)}.",
                                      "- ") for group in fleet.groups]
    for group in fleet.groups:
        kinds = grouped((host.group, host) for host in group.others)
        sentences += [
            Sentence(f"compared with group {group.number}, since less than {FEWEST} are like them: "
                     f"{_names(hosts, MOST_LISTED)} ({differences(group, hosts[0])}).", "- ")
            for hosts in kinds.values()]
    return sentences


def _facts_in_common(group: Group) -> str:
    return ", ".join(_fact_text(fact, value) for fact, value in zip(GROUPS, group.equal[0].group)
                     if value is not None)


def _sentence_on_slow_group(one: Below) -> str:
    """`Group 1: load from L3: 38 of 40 hosts are slower than ...`"""
    expected, machine = one.middle.expected, one.middle.run.machine
    count = expected.reference.machines
    times = max(one.middle.times, 1 / one.middle.times)
    return (f"Group {one.group.number}: {one.middle.words}: {one.slow} of "
            f"{plural(one.hosts, 'host')} {'is' if one.slow == 1 else 'are'} slower than "
            f"{'the machine' if count == 1 else f'all {count} machines'} of this model that "
            f"{'is' if count == 1 else 'are'} published; in the middle {times:.1f} times."
            + ("" if machine.get("hypervisor") is None else
               " They are virtual machines, or may be, so that need not be a fault."))


def _fact_text(fact: Fact, value: Value) -> str:
    if fact.name in ("cpu", "hypervisor", "nodes"):
        return str(value)
    return text(fact, value) if isinstance(value, tuple) else f"{fact.name} {value}"


def record(fleet: Fleet) -> dict:
    """The report as JSON."""
    return {
        "record": "fleet", "schema": 1, "hosts": len(fleet.hosts), "compared": fleet.compared,
        "groups": [{"group": group.number, "facts": _facts(group.equal[0].facts, GROUPS),
                    "hosts": [host.name for host in group.equal],
                    "compared_with_it": [host.name for host in group.others]}
                   for group in fleet.groups],
        "slow": [_host_record(*one) for one in fleet.hosts_with_findings(True)],
        "again": [_host_record(*one) for one in fleet.hosts_with_findings(False)],
        "unsure": [host.name for host in fleet.unsure_hosts],
        "too_few": [host.name for host in fleet.few],
        "failed": [{"host": host.name, "results": host.failed_results}
                   for host in fleet.failed_hosts],
        "below_references": [{
            "group": one.group.number, "figure": one.middle.figure, "slow": one.slow,
            "hosts": one.hosts, "value": one.middle.expected.value,
            "expected_low": one.middle.expected.low, "expected_high": one.middle.expected.high,
            "expected_machines": one.middle.expected.reference.machines}
            for group in fleet.groups for one in group.slow_figures()],
        "refresh_doubled": [{"host": host.name, "group": group.number, "period_ns": mine,
                             "group_period_ns": usual}
                            for group, host, mine, usual in _hot_hosts(fleet)],
        "left_out": vars(fleet.left),
    }


def _facts(facts: dict[str, Value], which: Iterable[Fact]) -> dict[str, Value]:
    return {fact.name.replace(" ", "_"): facts[fact.name] for fact in which}


def _host_record(group: Group, host: Host) -> dict:
    return {
        "host": host.name, "group": group.number,
        "files": [one.file for one in host.measured], "facts": _facts(host.facts, FACTS),
        "differs": [{"fact": fact.name.replace(" ", "_"), "host": mine, "group": usual}
                    for fact, mine, usual in group.differing_facts(host)],
        "results": [{"result": one.key[0], "where": one.key[1], "time_ns": one.distance.time,
                     "group_time_ns": one.distance.typical, "speed": one.distance.speed,
                     "spreads": one.distance.spreads, "chance": one.distance.chance,
                     "confirmed": one.again} for one in host.findings]}
