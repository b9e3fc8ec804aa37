# SPDX-License-Identifier: GPL-2.0-only
"""The counters of DRAM traffic, which the PMUs of the memory controllers have in /sys, as
lines for the module's file `counters` and for memcache-user --counters."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mc.records import shape

DEVICES = "sys/bus/event_source/devices"
RESCTRL = "sys/fs/resctrl/mon_data"
CPUS = "sys/devices/system/cpu"
NODES = "sys/devices/system/node"
MOST = 256              # lines that the module takes
NAME = 31               # bytes of a name
LARGEST = 1 << 20       # bytes a count
LINE = 64               # bytes that a CAS command moves
UNITS = {"": 1, "B": 1, "Bytes": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9,
         "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


@dataclass(frozen=True)
class Kind:
    """A kind of PMU with patterns for its events of reads and of writes. All events that
    match are summed. `terms` is programmed if the kernel names no events."""
    title: str
    pmu: str
    read: str
    write: str
    terms: tuple[str, ...] = ()

    @property
    def events(self) -> dict[str, str]:
        return {"dram_read": self.read, "dram_write": self.write}


# Only the first kind that a machine has is used, because a second one would count the same bytes.
KINDS = [
    Kind("Intel, CAS commands", r"uncore_imc(_\d+)?", r"cas_count_read\w*", r"cas_count_write\w*"),
    Kind("Intel, free-running", r"uncore_imc_free_running(_\d+)?", r"(data_)?read",
         r"(data_)?write"),
    Kind("Intel, client", r"uncore_imc(_\d+)?", r"data_reads", r"data_writes"),
    Kind("AMD, memory controllers", r"amd_umc_\d+", r"umc_cas_cmd\.rd", r"umc_cas_cmd\.wr",
         ("event=0x0a,rdwrmask=0x1", "event=0x0a,rdwrmask=0x2")),
    # Which events of the data fabric count DRAM depends on the family of the CPU.
    Kind("AMD, data fabric", r"amd_df",
         r"(local|remote|local_or_remote)_(processor|socket)_read_data_beats_\w+",
         r"(local|remote|local_or_remote)_(processor|socket)_write_data_beats_\w+"),
]


@dataclass(frozen=True)
class Counter:
    name: str
    type: int
    config: int
    cpu: int
    scale: int

    def __str__(self) -> str:
        return f"{self.name} type={self.type} config=0x{self.config:x} cpu={self.cpu} " \
               f"scale={self.scale}"


@dataclass
class Found:
    """The counters of a machine.

    kind: None if there are no usable counters
    remarks: the PMUs that can't be used, with the reasons
    nodes: the nodes of which all memory traffic is counted
    others: the other nodes that have memory
    """
    kind: Kind | None = None
    counters: list[Counter] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    others: list[int] = field(default_factory=list)

    @property
    def uncounted_text(self) -> str:
        """What the counters do not count; empty if nothing is known to be missing."""
        return f"the memory of node {shape.cpu_list(self.others)} is not counted" \
            if self.others else ""

    @property
    def text(self) -> str:
        return "".join(f"{counter}\n" for counter in self.counters)

    @property
    def title(self) -> str:
        return self.kind.title if self.kind else ""


class _Pmu:
    """The directory of a PMU in sysfs. Its methods raise ValueError if a file is not as
    expected."""

    def __init__(self, path: Path):
        self.path = path
        self.name = path.name

    def read(self, name: str) -> str:
        try:
            return (self.path / name).read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            raise ValueError(f"{name} can't be read") from None

    def events(self, pattern: str) -> list[str]:
        try:
            names = os.listdir(self.path / "events")
        except OSError:
            return []
        return sorted((n for n in names if re.fullmatch(pattern, n)), key=natural_key)

    def type(self) -> int:
        text = self.read("type")
        if not re.fullmatch(r"\d{1,9}", text):
            raise ValueError(f"type is {text!r}")
        return int(text)

    def cpus(self) -> list[int]:
        """One CPU of each package."""
        cpus = shape.numbers(self.read("cpumask"))
        if not cpus:
            raise ValueError("cpumask names no CPU")
        return cpus

    def scale(self, event: str) -> int:
        """How many bytes a count stands for."""
        if not (self.path / f"events/{event}.scale").exists():
            return LINE
        unit = self.read(f"events/{event}.unit")
        try:
            exact = float(self.read(f"events/{event}.scale")) * UNITS[unit]
            scale = round(exact)
        except (KeyError, ValueError, OverflowError):
            raise ValueError(f"{event}: its scale and unit make no number of bytes") from None
        if not 1 <= scale <= LARGEST or abs(exact - scale) > 1e-3:
            raise ValueError(f"{event}: {exact} bytes a count")
        return scale

    def config(self, terms: str) -> int:
        """The number for terms such as `event=0x04,umask=0x03`. The files in format/ say which
        bits a term has."""
        config = 0
        for term in terms.split(","):
            match = re.fullmatch(r"(\w+)(?:=(0x[0-9a-fA-F]{1,16}|\d{1,19}))?", term.strip())
            if not match:
                raise ValueError(f"{term!r} is not a term of an event")
            place = "config:0-63" if match[1] == "config" else self.read(f"format/{match[1]}")
            config |= _move_to_bits(int(match[2] or "1", 0), place, term)
        return config


def natural_key(name: str) -> list:
    """A key that sorts imc_2 before imc_10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def _move_to_bits(value: int, place: str, term: str) -> int:
    """The value moved to the bits of a place such as `config:0-7,21`, the lowest bit first."""
    match = re.fullmatch(r"config:(\d{1,2}(?:-\d{1,2})?(?:,\d{1,2}(?:-\d{1,2})?)*)", place)
    if not match:
        raise ValueError(f"{term} goes to {place!r}, and there is room for config only")
    config = 0
    for part in match[1].split(","):
        low, _, high = part.partition("-")
        width = int(high or low) - int(low) + 1
        if width < 1 or int(high or low) > 63:
            raise ValueError(f"{place!r} is not a place of bits")
        config |= (value & (1 << width) - 1) << int(low)
        value >>= width
    if value:
        raise ValueError(f"{term} does not fit into {place}")
    return config


def discover() -> Found:
    """The counters of this machine's memory controllers."""
    devices = shape.root() / DEVICES
    try:
        names = sorted(os.listdir(devices), key=natural_key)
    except OSError:
        names = []
    result = Found()
    for kind in KINDS:
        pmus = [_Pmu(devices / name) for name in names if re.fullmatch(kind.pmu, name)]
        counters, problems = _counters_of_kind(kind, pmus)
        if counters and not problems:
            nodes = _counted_nodes({counter.cpu for counter in counters})
            memory = shape.numbers(shape.read_file(shape.root() / NODES / "has_memory"))
            return Found(kind, counters, result.remarks, nodes,
                         [node for node in memory if node not in nodes])
        result.remarks += problems
    result.remarks = result.remarks or [
        f"{name}: the kernel names no events of reads and writes" for name in names
        if any(re.fullmatch(kind.pmu, name) for kind in KINDS)]
    return result


def _counters_of_kind(kind: Kind, pmus: list[_Pmu]) -> tuple[list[Counter], list[str]]:
    """The counters of all PMUs of a kind, and the problems. A sum without one of the channels
    would be wrong, so a problem with one PMU rules out all of them."""
    counters: dict[tuple, Counter] = {}
    problems, silent = [], []
    for pmu in pmus:
        try:
            mine = list(_counters(kind, pmu))
        except ValueError as error:
            problems.append(f"{pmu.name}: {error}")
            continue
        silent += [] if mine else [pmu.name]
        for one in mine:    # an event with two names would be counted twice
            counters.setdefault((one.name[:10], one.type, one.config, one.cpu), one)
    if counters:
        problems += [f"{name}: without the events that others of its kind have" for name in silent]
    if len(counters) > MOST:
        problems.append(f"{kind.title}: {len(counters)} counters, {MOST} at most")
    return list(counters.values()), problems


def _counters(kind: Kind, pmu: _Pmu) -> Iterator[Counter]:
    events = {traffic: pmu.events(pattern) for traffic, pattern in kind.events.items()}
    if any(events.values()):
        for traffic, names in events.items():
            if not names:
                raise ValueError(f"no event of {traffic.partition('_')[2]}s")
            for name in names:
                config = pmu.config(pmu.read(f"events/{name}"))
                yield from _each_cpu(pmu, traffic, name if len(names) > 1 else "", config,
                                     pmu.scale(name))
    else:
        for traffic, terms in zip(events, kind.terms):
            yield from _each_cpu(pmu, traffic, "", pmu.config(terms), LINE)


def _each_cpu(pmu: _Pmu, traffic: str, event: str, config: int, scale: int) -> Iterator[Counter]:
    """A counter for each package. Its name holds that of the PMU and, if the PMU has several
    events, the last part of the event's name."""
    label = "_".join(filter(None, [pmu.name.removeprefix("uncore_"), event.rpartition("_")[2]]))
    name = re.sub(r"[^a-z0-9_]", "_", f"{traffic}_{label}".lower())[:NAME]
    for cpu in pmu.cpus():
        yield Counter(name, pmu.type(), config, cpu, scale)


def _counted_nodes(cpus: set[int]) -> list[int]:
    """The nodes of the packages in which these CPUs are. A node without CPUs is served by none of
    their memory controllers; behind a memory-side cache they see only what that misses."""
    counted = {_package_of(cpu) for cpu in cpus}
    nodes = []
    for path in (shape.root() / NODES).glob("node[0-9]*"):
        mine = shape.numbers(shape.read_file(path / "cpulist"))
        if mine and {_package_of(cpu) for cpu in mine} <= counted - {""} and \
                not list(path.glob("memory_side_cache/index*")):
            nodes.append(int(path.name[4:]))
    return sorted(nodes)


def _package_of(cpu: int) -> str:
    return shape.read_file(shape.root() / CPUS / f"cpu{cpu}/topology/physical_package_id")


def coverage(text: str, discovered: Found) -> dict | None:
    """What the front end adds to a `machine` record: the nodes that the counters in these lines
    cover. None if they are not those that were found, but lines of the user's own."""
    lines = [line for line in text.splitlines() if line.startswith("dram_")]
    if not discovered.kind or sorted(lines) != sorted(map(str, discovered.counters)):
        return None
    return {"kind": discovered.title, "nodes": discovered.nodes}


def counts_beyond_l3() -> bool:
    """Whether resctrl counts the traffic beyond the L3."""
    return any((shape.root() / RESCTRL).glob("*/mbm_total_bytes"))
