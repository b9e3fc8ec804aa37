# SPDX-License-Identifier: GPL-2.0-only
"""What disturbs measurements on this machine: other work, a hypervisor that takes time away,
clocks that are held down. `doctor` prints it, `run` prints it before it measures and keeps it in
the `machine` record."""

import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mc import plural
from mc.records import shape
from mc.running.machine import Machine

LOOK_S = 0.08       # eight ticks of /proc/stat, so that one tick is no half of it
BUSY = 50           # percent of the look: less is what a quiet machine does, too
CPU = "/sys/devices/system/cpu/cpu{}/{}"
IDLE, IOWAIT, STEAL = 3, 4, 7        # fields of a line of /proc/stat


@dataclass(frozen=True)
class Disturber:
    """Something that disturbs.

    todo: what to do about it
    """
    kind: str       # load, busy, sibling, steal, quota, governor or limit
    what: str
    todo: str


@dataclass(frozen=True)
class Look:
    """What a short look at the machine has shown.

    load: the load average of the last minute; None: not known
    runnable: other processes that could run; None: not known
    cpus: the number of CPUs of the machine; None: not known
    """
    load: float | None
    runnable: int | None
    cpus: int | None
    found: list[Disturber]

    def record(self) -> dict:
        """The member `quiet` of a `machine` record."""
        return {"load": self.load, "runnable": self.runnable, "cpus": self.cpus,
                "found": [{"kind": one.kind, "what": one.what} for one in self.found]}


def look(machine: Machine, cpus: list[int] | None = None,
         wait: Callable[[float], None] = time.sleep) -> Look:
    """Look at these CPUs, by default at all that this process may use, for less than 0.1 s."""
    first, others = _read_stat(machine)
    if first:
        wait(LOOK_S)
    second, more = _read_stat(machine)
    shares = {cpu: share for cpu in first if (share := _time_shares(first[cpu], second.get(cpu)))}
    threads = len(cpus or [0])
    cpus = cpus or sorted(first if machine.root else os.sched_getaffinity(0))
    load = _read_load(machine)
    disturbers = [*_find_load(load, len(first)), *_find_busy(machine, shares, cpus),
                  *_find_steal(shares, cpus), *_find_quota(machine, threads),
                  *_find_slow_clocks(machine, cpus)]
    return Look(load, max((count for count in (others, more) if count is not None), default=None),
                len(first) or None, disturbers)


def named_cpus(lines: list[str]) -> list[int] | None:
    """The CPUs that all these request lines name; None: a line does not name its CPUs."""
    wanted: set[int] = set()
    for line in lines:
        match = re.search(r"(?:^| )cpu=(\S+)", line)
        cpus = shape.numbers(match[1]) if match and "groups=" not in line else []
        if not cpus:
            return None
        wanted |= set(cpus)
    return sorted(wanted) or None


def _read_stat(machine: Machine) -> tuple[dict[int, list[int]], int | None]:
    """The ticks of each CPU in /proc/stat, and the number of processes that could run. This one
    is reading the file, so it is not counted."""
    text = machine.read("/proc/stat")
    ticks = {int(cpu): [int(field) for field in fields.split()]
             for cpu, fields in re.findall(r"^cpu(\d+) (\d+(?: \d+){7,})", text, re.M)}
    running = re.search(r"^procs_running (\d+)", text, re.M)
    return ticks, max(int(running[1]) - 1, 0) if running else None


def _time_shares(first: list[int], second: list[int] | None) -> tuple[float, float] | None:
    """The percentages of the time for which a CPU ran something, and which was stolen; None: no
    tick was counted, so they are not known."""
    ticks = [after - before for before, after in zip(first[:STEAL + 1], second or first)]
    total = sum(ticks)
    if total <= 0:
        return None
    ran = total - ticks[IDLE] - ticks[IOWAIT] - ticks[STEAL]
    return 100 * ran / total, 100 * ticks[STEAL] / total


def _read_load(machine: Machine) -> float | None:
    try:
        return float(machine.read("/proc/loadavg").split()[0])
    except (ValueError, IndexError):
        return None


def _find_load(load: float | None, cpus: int) -> Iterator[Disturber]:
    """With more processes than CPUs, some wait and take the CPUs from others."""
    if load is not None and cpus and load > cpus:
        yield Disturber("load", f"the load is {load:g} on {plural(cpus, 'CPU')}",
                        "end other work, or wait until it has ended")


def _find_busy(machine: Machine, shares: dict, cpus: list[int]) -> Iterator[Disturber]:
    def busy(some: list[int]) -> list[int]:
        return [cpu for cpu in some if cpu in shares and shares[cpu][0] >= BUSY]

    if busy_cpus := busy(cpus):
        most = max(shares[cpu][0] for cpu in busy_cpus)
        yield Disturber("busy", f"{_cpu_names(busy_cpus)} ran other work for "
                        f"{'up to ' * (len(busy_cpus) > 1)}{most:.0f} % of {LOOK_S * 1000:.0f} ms",
                        "end it, or name other CPUs with cpu=")
    siblings = {sibling for cpu in cpus for sibling in shape.numbers(
        machine.read(CPU.format(cpu, "topology/thread_siblings_list")).strip())}
    if busy_cpus := busy(sorted(siblings - set(cpus))):
        yield Disturber("sibling", f"{_cpu_names(busy_cpus)} ran other work on the core of a CPU "
                        "that is to be measured", "end it, or name CPUs of other cores with cpu=")


def _find_steal(shares: dict, cpus: list[int]) -> Iterator[Disturber]:
    most = max((shares[cpu][1] for cpu in cpus if cpu in shares), default=0)
    if most > 0:
        yield Disturber("steal", f"a hypervisor took {most:.0f} % of a CPU's time",
                        "measure while its other guests do less")


def _quotas(machine: Machine) -> Iterator[tuple[str, float, int | None]]:
    """The control groups of this process that have a limit of time: the CPUs whose time they have,
    and how often the kernel has stopped their processes for the rest of a period; None: not
    known."""
    for line in machine.read("/proc/self/cgroup").splitlines():
        _, controllers, group = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        root = "/sys/fs/cgroup" + f"/{controllers}" * bool(controllers)
        parts = [part for part in group.split("/") if part not in ("", "..")]
        for place in ("/".join([root, *parts[:depth]]) for depth in range(len(parts), -1, -1)):
            words = machine.read(f"{place}/cpu.max").split() if not controllers else [
                machine.read(f"{place}/cpu.cfs_{kind}_us").strip() for kind in ("quota", "period")]
            if len(words) == 2 and all(word.isdecimal() for word in words):
                stopped = re.search(r"^nr_throttled (\d+)", machine.read(f"{place}/cpu.stat"), re.M)
                yield place, int(words[0]) / max(int(words[1]), 1), \
                    int(stopped[1]) if stopped else None


def _find_quota(machine: Machine, threads: int) -> Iterator[Disturber]:
    """A control group may have less time than the threads of a measurement take."""
    for place, cpus, stopped in _quotas(machine):
        if cpus <= threads:
            yield Disturber(
                "quota", f"{place} gives processes the time of {cpus:g} CPUs" + (
                    f", and has stopped them {plural(stopped, 'time')}" if stopped is not None
                    else ""),
                "give the container or job more CPU time, or measure with the kernel module")


def stops(machine: Machine) -> dict[str, int]:
    """How often the kernel has stopped the processes of each group that has a limit of time."""
    return {place: stopped for place, _, stopped in _quotas(machine) if stopped is not None}


def stopped_since(before: dict[str, int], now: dict[str, int]) -> Iterator[str]:
    """What stops() gave before a run and after it, in words."""
    for place, count in now.items():
        if count > before.get(place, count):
            yield f"{place} has too little CPU time for this run: its processes were stopped " \
                f"{plural(count - before[place], 'time')} meanwhile, so what a process measured " \
                "may be slower than this machine"


def _find_slow_clocks(machine: Machine, cpus: list[int]) -> Iterator[Disturber]:
    governors, limits = {}, {}
    for cpu in cpus:
        name, limit, most = (machine.read(CPU.format(cpu, f"cpufreq/{file}")).strip() for file in (
            "scaling_governor", "scaling_max_freq", "cpuinfo_max_freq"))
        if name and name != "performance":
            governors[cpu] = name
        if limit.isdecimal() and most.isdecimal() and int(limit) < int(most):
            limits[cpu] = int(limit) // 1000, int(most) // 1000
    if governors:
        yield Disturber("governor", f"the governor of {_cpu_names(list(governors))} is "
                        f"{'/'.join(dict.fromkeys(governors.values()))}",
                        "cpupower frequency-set -g performance")
    if limits:
        held, full = min(limits.values())
        yield Disturber("limit", f"the clock of {_cpu_names(list(limits))} is limited to {held} of "
                        f"{full} MHz", f"cpupower frequency-set -u {full}MHz")


def _cpu_names(cpus: list[int]) -> str:
    return f"CPU{'s' * (len(cpus) > 1)} {', '.join(map(str, cpus[:8]))}" + \
        ", ..." * (len(cpus) > 8)
