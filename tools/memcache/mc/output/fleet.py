# SPDX-License-Identifier: GPL-2.0-only
"""The report of `memcache fleet`: as parts for a terminal or a page, and as JSON."""

from collections.abc import Iterable

from mc import join_words, plural
from mc.analysis import refresh
from mc.analysis.fleet import GROUPS, Below, Finding, Fleet, Group, Host
from mc.analysis.machines import FACTS, Fact, Value, difference, text
from mc.analysis.outliers import BLURRED, FEWEST
from mc.output.trend import sentences_on_left_out
from mc.parts import Grid, Heading, Part, Sentence, bullets
from mc.records import units

TITLE = "memcache: a fleet"
MOST_LISTED = 10       # how many results of a host, or names of hosts, a terminal lists


def parts(fleet: Fleet, most: int | None = MOST_LISTED) -> list[Part]:
    """The whole report. `most`: how many results of a host, and names in a list, are shown."""
    slow, again = fleet.hosts_with_findings(True), fleet.hosts_with_findings(False)
    report: list[Part] = [Sentence(_summary(fleet, len(slow), len(again)))]
    if fleet.failed_hosts:
        report += [Heading("Data failed verification", 2), *bullets([
            f"{host.name}: {plural(host.failed_results, 'result')}"
            for host in fleet.failed_hosts])]
    if slow:
        report.append(Heading("Slow hosts", 2))
        for group, host in slow:
            report += _host(group, host, most)
    if again:
        report.append(Heading("Measure again before they are called slow", 2))
        for group, host in again:
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
            f"again, {compared - slow - again - unsure} not found slow, {unsure} can't be told, "
            f"{len(fleet.few)} with too few like them"
            + (f", {bare} without a result that can be compared" if bare else "") + ".")


def _names(hosts: Iterable[Host], most: int | None) -> str:
    names = [host.name for host in hosts]
    if most and len(names) > most:
        names[most:] = [f"{len(names) - most} more"]
    return join_words(names)


def _host(group: Group, host: Host, most: int | None) -> list[Part]:
    findings = [one for one in host.findings if one.again or not host.is_slow]
    rows = [[_name_of_result(one), units.duration(one.distance.time),
             units.duration(one.distance.typical), f"{one.distance.speed:.2f}x ↓"]
            for one in findings[:most]]
    left = len(findings) - len(rows)
    times = "in two measurements" if host.is_slow else "in one measurement"
    title = f"{host.name}, compared with group {group.number}: " \
            f"{plural(len(findings), 'result')} slower {times}."
    return [Grid(["", "median", "group's", "speed"], rows, title=title,
                 note=f"... and {left} more" if left else ""),
            Sentence(f"Different about it: {differences(group, host)}.", gap=bool(left))]


def _name_of_result(finding: Finding) -> str:
    name, where, _ = finding.key
    return f"{name} (user)" if where == "user" else name


def differences(group: Group, host: Host) -> str:
    """What is different about a host, for people."""
    return "; ".join(difference(*one) for one in group.differing_facts(host)) or \
        "nothing that its record says"


def _groups(fleet: Fleet) -> list[Part]:
    sentences: list[Part] = [Sentence(f"{group.number}: {plural(len(group.equal), 'host')} with "
                                      f"{_facts_in_common(group)}.",
                                      "- ") for group in fleet.groups]
    for group in fleet.groups:
        kinds: dict[tuple, list[Host]] = {}
        for host in group.others:
            kinds.setdefault(host.group, []).append(host)
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
