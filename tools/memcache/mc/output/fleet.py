# SPDX-License-Identifier: GPL-2.0-only
"""The report of `memcache fleet`: as parts for a terminal or a page, and as JSON."""

from collections.abc import Iterable
from dataclasses import asdict

from mc import plural
from mc.analysis.fleet import GROUPS, Below, Finding, Fleet, Group, Host
from mc.analysis.machines import FACTS, Fact, Value, difference, text
from mc.analysis.outliers import BLURRED, FEWEST
from mc.analysis.verdict import listed
from mc.output.trend import left_out
from mc.parts import Grid, Heading, Part, Sentence, bullets
from mc.records import units

TITLE = "memcache: a fleet"
TOLD = 10       # how many results of a host, or names of hosts, a terminal lists


def parts(found: Fleet, most: int | None = TOLD) -> list[Part]:
    """The whole report. `most`: how many results of a host, and names in a list, are shown."""
    slow, again = found.found(True), found.found(False)
    said: list[Part] = [Sentence(_summary(found, len(slow), len(again)))]
    if found.failed:
        said += [Heading("Data failed verification", 2), *bullets([
            f"{host.name}: {plural(host.failed, 'result')}" for host in found.failed])]
    if slow:
        said.append(Heading("Slow hosts", 2))
        for group, host in slow:
            said += _host(group, host, most)
    if again:
        said.append(Heading("Measure again before they are called slow", 2))
        for group, host in again:
            said += _host(group, host, most)
    if unsure := found.unsure:
        said += [Heading("Can't tell", 2), Sentence(
            f"Half of their results, or more, scatter so much that a host of {BLURRED:g} times the "
            f"speed would not be noticed: {_names(unsure, most)}. Measure all hosts again when "
            "they are quiet.")]
    if found.groups:
        said += [Heading("Groups of equal hosts", 2), *_groups(found)]
    if below := [one for group in found.groups for one in group.below()]:
        said += [Heading("Slower than what is published of their CPU", 2),
                 *bullets([_below(one) for one in below])]
    if found.few:
        said += [Heading(f"Too few like them to compare, less than {FEWEST}", 2),
                 Sentence(_names(found.few, most))]
    return [*said, *left_out(found.left)]


def _summary(found: Fleet, slow: int, again: int) -> str:
    compared = sum(len(group.hosts) for group in found.groups)
    unsure = len(found.unsure)
    bare = len(found.hosts) - compared - len(found.few)
    return (f"{plural(len(found.hosts), 'host')} in {plural(len(found.groups), 'group')}, "
            f"{plural(found.compared, 'result')} compared: {slow} slow, {again} to be measured "
            f"again, {compared - slow - again - unsure} not found slow, {unsure} can't be told, "
            f"{len(found.few)} with too few like them"
            + (f", {bare} without a result that can be compared" if bare else "") + ".")


def _names(hosts: Iterable[Host], most: int | None) -> str:
    names = [host.name for host in hosts]
    if most and len(names) > most:
        names[most:] = [f"{len(names) - most} more"]
    return listed(names)


def _host(group: Group, host: Host, most: int | None) -> list[Part]:
    findings = [one for one in host.findings if one.again or not host.slow]
    rows = [[_text(one), units.duration(one.distance.time), units.duration(one.distance.typical),
             f"{one.distance.speed:.2f}x ↓"] for one in findings[:most]]
    left = len(findings) - len(rows)
    times = "in two measurements" if host.slow else "in one measurement"
    title = f"{host.name}, compared with group {group.number}: " \
            f"{plural(len(findings), 'result')} slower {times}."
    return [Grid(["", "median", "group's", "speed"], rows, title=title,
                 note=f"... and {left} more" if left else ""),
            Sentence(f"Different about it: {differences(group, host)}.", gap=bool(left))]


def _text(finding: Finding) -> str:
    name, where, _ = finding.key
    return f"{name} (user)" if where == "user" else name


def differences(group: Group, host: Host) -> str:
    """What is different about a host, for people."""
    return "; ".join(difference(*one) for one in group.differs(host)) or \
        "nothing that its record says"


def _groups(found: Fleet) -> list[Part]:
    said: list[Part] = [Sentence(f"{group.number}: {plural(len(group.equal), 'host')} with "
                                 f"{_about(group)}.",
                                 "- ") for group in found.groups]
    for group in found.groups:
        kinds: dict[tuple, list[Host]] = {}
        for host in group.others:
            kinds.setdefault(host.group, []).append(host)
        said += [Sentence(f"compared with group {group.number}, since less than {FEWEST} are like "
                          f"them: {_names(hosts, TOLD)} ({differences(group, hosts[0])}).", "- ")
                 for hosts in kinds.values()]
    return said


def _about(group: Group) -> str:
    return ", ".join(_shown(fact, value) for fact, value in zip(GROUPS, group.equal[0].group)
                     if value is not None)


def _below(one: Below) -> str:
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


def _shown(fact: Fact, value: Value) -> str:
    if fact.name in ("cpu", "hypervisor", "nodes"):
        return str(value)
    return text(fact, value) if isinstance(value, tuple) else f"{fact.name} {value}"


def record(found: Fleet) -> dict:
    """The report as JSON."""
    return {
        "record": "fleet", "schema": 1, "hosts": len(found.hosts), "compared": found.compared,
        "groups": [{"group": group.number, "facts": _facts(group.equal[0].facts, GROUPS),
                    "hosts": [host.name for host in group.equal],
                    "compared_with_it": [host.name for host in group.others]}
                   for group in found.groups],
        "slow": [_record(*one) for one in found.found(True)],
        "again": [_record(*one) for one in found.found(False)],
        "unsure": [host.name for host in found.unsure],
        "too_few": [host.name for host in found.few],
        "failed": [{"host": host.name, "results": host.failed} for host in found.failed],
        "below_references": [{
            "group": one.group.number, "figure": one.middle.figure, "slow": one.slow,
            "hosts": one.hosts, "value": one.middle.expected.value,
            "expected_low": one.middle.expected.low, "expected_high": one.middle.expected.high,
            "expected_machines": one.middle.expected.reference.machines}
            for group in found.groups for one in group.below()],
        "left_out": asdict(found.left),
    }


def _facts(facts: dict[str, Value], which: Iterable[Fact]) -> dict[str, Value]:
    return {fact.name.replace(" ", "_"): facts[fact.name] for fact in which}


def _record(group: Group, host: Host) -> dict:
    return {
        "host": host.name, "group": group.number,
        "files": [one.file for one in host.measured], "facts": _facts(host.facts, FACTS),
        "differs": [{"fact": fact.name.replace(" ", "_"), "host": mine, "group": usual}
                    for fact, mine, usual in group.differs(host)],
        "results": [{"result": one.key[0], "where": one.key[1], "time_ns": one.distance.time,
                     "group_time_ns": one.distance.typical, "speed": one.distance.speed,
                     "spreads": one.distance.spreads, "chance": one.distance.chance,
                     "confirmed": one.again} for one in host.findings]}
