# SPDX-License-Identifier: GPL-2.0-only
"""The shape of the machine: its CPUs, cores, nodes, caches and memory. It comes from the
`machine` record of a side, and from sysfs if the record lacks it."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

SYSTEM = "sys/devices/system"
MEMINFO = "proc/meminfo"
# A set shows memory from so many times the last caches on that its CPUs reach (core/level.h).
BEYOND = 4
MOST = 16 << 30     # a larger set is not measured unasked (MC_AUTO_MOST)
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True)
class Node:
    """A node. `memory` is in bytes; 0: it has none, None: it is not known."""
    number: int
    cpus: tuple[int, ...]
    memory: int | None


@dataclass(frozen=True)
class Shape:
    """The shape of a machine.

    cores: the CPUs of each core
    cache: the bytes of the last-level cache of a CPU, or of one in front of memory
    shared_by: how many CPUs share that cache
    memory: the bytes that a measurement may use
    width: the bytes of the widest access that a CPU has
    remarks: sentences about CPUs and nodes that are not measured as one might expect
    """
    cpus: tuple[int, ...]
    cores: tuple[tuple[int, ...], ...]
    nodes: tuple[Node, ...]
    cache: int = 0
    shared_by: int = 1
    memory: int = 0
    width: int = 16
    remarks: tuple[str, ...] = ()


def root() -> Path:
    """The directory that has /sys, /proc and /run. Tests set MEMCACHE_SYSROOT to one of theirs."""
    return Path(os.environ.get("MEMCACHE_SYSROOT") or "/")


def machine_shape(machine: dict) -> Shape:
    """The shape of the machine that this program runs on. `machine` is its record, which may
    be empty."""
    system = root() / SYSTEM
    online = str(machine.get("cpus_online") or read_file(system / "cpu/online"))
    cpus = every = tuple(numbers(online))
    process = machine.get("process")
    if isinstance(process, dict):
        cpus = cpus or tuple(numbers(str(process.get("cpus"))))
    cpus = cpus or tuple(range(os.cpu_count() or 1))
    nodes = record_nodes(machine) or _nodes(system, cpus)
    caches = _record_caches(machine) or [cache for cpu in cpus for cache in _caches(system, cpu)]
    last = max(caches, default=(0, 0, 1))
    known = machine.get("last_cache")
    found = known.get("size_bytes") if isinstance(known, dict) else None
    if isinstance(found, int) and last[1] < found <= MOST // BEYOND:
        last = 0, found, -(-len(cpus) // (sum(bool(node.cpus) for node in nodes) or 1))
    total, available = _memory(root() / MEMINFO)
    if isinstance(process, dict):
        cpus, nodes = _allowed_cpus_and_nodes(process, cpus, nodes)
        available = min(available, process.get("memory_limit_bytes") or available)
    least = min((node.memory for node in nodes if node.memory), default=total)
    return Shape(cpus, _cores(system, cpus), nodes, last[1], last[2],
                 min(least // 4, available // 2), machine.get("width_max_bytes") or Shape.width,
                 tuple(_remarks(system, online, every, cpus, nodes)))


def _remarks(system: Path, online: str, every: tuple[int, ...], cpus: tuple[int, ...],
             nodes: tuple[Node, ...]) -> Iterator[str]:
    """What is odd: `every` CPU of the list `online`, and those that are measured."""
    if online and not every:
        yield "the kernel's list of CPUs can't be read: those of this process are measured"
    if outside := set(every) - set(cpus):
        yield f"CPUs {cpu_list(outside)} are not for this process: no row has them"
    count = Counter(cpu for node in nodes for cpu in node.cpus)
    if several := [cpu for cpu in count if count[cpu] > 1]:
        yield f"CPUs {cpu_list(several)} are on several nodes, says the kernel: the first is taken"
    with_memory = [node.number for node in nodes if node.memory != 0]
    for node in nodes:
        far = read_file(system / f"node/node{node.number}/distance").split()
        order = {one: int(way) for one, way in zip(numbers(read_file(system / "node/online")), far)
                 if re.fullmatch(r"\d{1,9}", way)}
        if node.memory == 0 and node.cpus:
            near = min(with_memory, key=lambda one: order.get(one, 255), default=None)
            yield f"node {node.number} has no memory: its CPUs {cpu_list(node.cpus)} use " + (
                "another node" if near is None else f"node {near}")
    wrong = [cpu for cpu in cpus for index in (system / f"cpu/cpu{cpu}/cache").glob("index*")
             if cpu not in (_members(read_file(index / "shared_cpu_list")) or {cpu})
             or read_file(index / "size") in ("0", "0K")]
    if wrong:
        yield f"caches of CPUs {cpu_list(wrong)} have no bytes, or are not their own, says the " \
              "kernel: what they share is not known"


def _allowed_cpus_and_nodes(process: dict, cpus: tuple[int, ...],
                            nodes: tuple[Node, ...]) -> tuple[tuple[int, ...], tuple[Node, ...]]:
    """The CPUs and nodes that a process may use. The kernel grants them; in a container, the
    machine's list may be of another program, lxcfs, which numbers CPUs anew."""
    mine, mems = (set(numbers(str(process.get(key)))) for key in ("cpus", "nodes"))
    cpus = tuple(cpu for cpu in cpus if cpu in mine) or tuple(sorted(mine)) or cpus
    known = set(cpus)
    return cpus, tuple(Node(node.number, tuple(cpu for cpu in node.cpus if cpu in known),
                            node.memory) for node in nodes if node.number in mems) or nodes


def numbers(text: str, most: int = 1 << 13) -> list[int]:
    """The CPUs of a list as the kernel writes it: 0-3,8. None if it is not such a list, or has
    more CPUs than any kernel."""
    cpus: list[int] = []
    for part in text.strip().split(","):
        match = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", part)
        if not match:
            return []
        several = range(int(match[1]), int(match[2] or match[1]) + 1)
        if len(cpus) + len(several) > most:
            return []
        cpus += several
    return cpus


@lru_cache
def _members(text: str) -> frozenset[int]:
    """The same CPUs, of a list that many files have."""
    return frozenset(numbers(text))


def cpu_list(values: Iterable[int]) -> str:
    """The list that numbers() reads: 0-3,8."""
    ranges: list[list[int]] = []
    for value in sorted(set(values)):
        if ranges and value == ranges[-1][1] + 1:
            ranges[-1][1] = value
        else:
            ranges.append([value, value])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)


def data_caches(machine: dict, cpu: str) -> list[tuple[int, int]]:
    """(level, bytes) of each data cache of these CPUs in a machine record. If `cpu` is not a
    list, the caches of all CPUs count."""
    return sorted({(level, size) for level, size, _ in _record_caches(machine, numbers(cpu))})


def _record_caches(machine: dict, cpus: Iterable[int] = ()) -> list[tuple[int, int, int]]:
    """(level, bytes, number of CPUs that share it). Older records do not name these CPUs."""
    caches = machine.get("caches")
    return [(cache["level"], cache["size_bytes"], cache.get("shared_by_cpus") or 1)
            for cache in (caches if isinstance(caches, list) else [])
            if isinstance(cache, dict) and cache.get("kind") in ("data", "unified")
            and isinstance(cache.get("level"), int) and isinstance(cache.get("size_bytes"), int)
            and not ("cpus" in cache and cpus and
                     set(cpus).isdisjoint(numbers(str(cache["cpus"]))))]


def _caches(system: Path, cpu: int) -> list[tuple[int, int, int]]:
    caches = []
    for index in sorted((system / f"cpu/cpu{cpu}/cache").glob("index*")):
        size = re.fullmatch(r"(\d{1,12})([KMG]?)", read_file(index / "size"))
        if size and read_file(index / "type") in ("Data", "Unified"):
            level = read_file(index / "level")
            caches.append((int(level) if re.fullmatch(r"\d", level) else 0,
                           int(size[1]) * UNITS.get(size[2], 1),
                           len(numbers(read_file(index / "shared_cpu_list"))) or 1))
    return caches


def record_nodes(machine: dict) -> tuple[Node, ...]:
    nodes = machine.get("nodes")
    return tuple(Node(node["node"], tuple(numbers(str(node.get("cpus") or ""))),
                      node.get("memory_bytes"))
                 for node in (nodes if isinstance(nodes, list) else [])
                 if isinstance(node, dict) and isinstance(node.get("node"), int))


def _nodes(system: Path, cpus: tuple[int, ...]) -> tuple[Node, ...]:
    """The nodes in sysfs. If the kernel has none, all CPUs are on node 0."""
    all_nodes = []
    for number in dict.fromkeys(numbers(read_file(system / "node/online"))):
        path = system / f"node/node{number}"
        if not path.is_dir():
            continue
        match = re.search(r"MemTotal: +(\d{1,15}) kB", read_file(path / "meminfo"))
        all_nodes.append(Node(number, tuple(numbers(read_file(path / "cpulist"))),
                              int(match[1]) << 10 if match else None))
    return tuple(all_nodes) or (Node(0, cpus, None),)


def _cores(system: Path, cpus: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    cores: dict[tuple[int, ...], None] = {}
    known = set(cpus)
    for cpu in cpus:
        path = system / f"cpu/cpu{cpu}/topology/thread_siblings_list"
        cores[tuple(sorted(_members(read_file(path)) & known)) or (cpu,)] = None
    return tuple(cores)


def _memory(meminfo: Path) -> tuple[int, int]:
    """Bytes of memory: all, and those that are available."""
    words = dict(re.findall(r"^(\w+): +(\d{1,15}) kB", read_file(meminfo), re.M))
    total = int(words.get("MemTotal", 0)) << 10
    return total, int(words.get("MemAvailable", words.get("MemFree", 0))) << 10


def read_file(path: Path) -> str:
    """The content of a file of the kernel, without its end of line; empty if it can't be read."""
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
