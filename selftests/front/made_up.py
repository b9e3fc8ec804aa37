# SPDX-License-Identifier: GPL-2.0-only
"""The files of /sys and /proc of made-up machines, which machines.txt lists. With MEMCACHE_SYSROOT
both programs see such a machine: `python3 selftests/front/made_up.py NAME DIRECTORY` writes it."""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools/memcache"))

from mc.records.shape import cpu_list, numbers  # noqa: E402

CORES = re.compile(r"(\d+)x(\d+) (\S+) (\S+) (\S+)")
GIB = 1 << 20       # in kB
CORE_TYPES = (0x40, 0x20)       # performance and efficiency, in leaf 0x1a of Intel's CPUs
KEPT = "run/memcache-found/last-cache"
BOOT = "5c1a0e9f-1f0b-4a53-9d6c-000000000001"


@dataclass
class Core:
    """A core: its CPUs, its node, (level, KiB, name of the cache) of each of its caches, and how
    many kinds of core there are before its own."""
    cpus: list[int]
    node: int
    caches: list[tuple[int, int, object]]
    kind: int


def kib(text: str) -> int:
    return int(text[:-1]) << 10 if text.endswith("M") else int(text)


class MadeUp:
    """A machine of the table. `cpus`: those that are online."""

    def __init__(self, line: str) -> None:
        self.name, shape, cores, memory, more, _ = (part.strip() for part in line.split("|"))
        self.more = dict(word.split("=") for word in more.split())
        self.sockets, self.nodes_of_socket = map(int, shape.split("x"))
        own = self.sockets * self.nodes_of_socket
        self.memory = dict.fromkeys(range(own), int(memory) * GIB)
        if "memory" in self.more:
            self.memory |= {node: 0 for node in range(own)
                            if node not in numbers(self.more["memory"])}
        count, _, size = self.more.get("add", "0x0").partition("x")
        self.memory |= {own + i: int(size) * GIB for i in range(int(count))}
        self.cores = [Core([], node, list(self._caches(node, kind, i, seen)), number)
                      for node in range(own)
                      for number, (seen, kind) in enumerate(self._kinds(cores))
                      for i in range(int(kind[1]))]
        threads = [int(kind[2]) for _ in range(own) for _, kind in self._kinds(cores)
                   for _ in range(int(kind[1]))]
        if "+" in cores:            # CPUs of a core have neighbouring numbers
            order = [core for core, n in zip(self.cores, threads) for _ in range(n)]
        else:
            order = self.cores * threads[0]
        for cpu, core in enumerate(order):
            core.cpus.append(cpu)
        self.all = tuple(range(len(order)))
        gone = set(numbers(self.more.get("offline", "")))
        self.cpus = tuple(cpu for cpu in self.all if cpu not in gone)
        for core in self.cores:
            core.cpus = [cpu for cpu in core.cpus if cpu not in gone]

    @staticmethod
    def _kinds(cores: str) -> list[tuple[int, re.Match]]:
        """Each kind of core, and how many cores there are before it."""
        kinds, seen = [], 0
        for kind in CORES.finditer(cores):
            kinds.append((seen, kind))
            seen += int(kind[1])
        return kinds

    def _caches(self, node: int, kind: re.Match, i: int, seen: int):
        yield 1, kib(kind[3]), (node, seen + i)
        for level, text in ((2, kind[4]), (3, kind[5])):
            if text != "-":
                size, _, shared = text.partition("/")
                # An L3 may be that of cores of several kinds.
                place = (seen + i if level == 3 else i) // int(shared)
                yield level, kib(size), (node, seen if level == 2 else 0, place)
        if "l4" in self.more:
            yield 4, kib(self.more["l4"]), node

    def write(self, root: Path) -> None:
        """Write the files below this directory."""
        made: set[Path] = set()
        for path, text in self.files():
            if (parent := (root / path).parent) not in made:
                parent.mkdir(parents=True, exist_ok=True)
                made.add(parent)
            if isinstance(text, Path):
                (root / path).symlink_to((root / text).absolute())
                continue
            (root / path).write_text(f"{text}\n", encoding="ascii")

    def files(self):
        cpu, node = "sys/devices/system/cpu", "sys/devices/system/node"
        yield f"{cpu}/online", cpu_list(self.cpus)
        yield f"{cpu}/possible", cpu_list(self.all)
        sharers: dict[tuple, list[int]] = {}
        for core in self.cores:
            for cache in core.caches:
                sharers.setdefault(cache, []).extend(core.cpus)
        for core in self.cores:
            for number in core.cpus:
                top, package = f"{cpu}/cpu{number}", core.node // self.nodes_of_socket
                yield f"{top}/topology/thread_siblings_list", cpu_list(core.cpus)
                yield f"{top}/topology/physical_package_id", package
                if "cpuid" in self.more:
                    yield f"dev/cpu/{number}/cpuid", self._leaves(core)
                for i, cache in enumerate(core.caches):
                    first = Path(f"{cpu}/cpu{sharers[cache][0]}/cache/index{i}")
                    if sharers[cache][0] != number:     # one directory has what all would say
                        yield f"{top}/cache/index{i}", first
                        continue
                    for name, text in (
                            ("level", cache[0]), ("size", f"{cache[1]}K"),
                            ("type", "Data" if cache[0] == 1 else "Unified"),
                            ("shared_cpu_list", cpu_list(sharers[cache]))):
                        yield f"{top}/cache/index{i}/{name}", text
        for name, some in (("online", self.memory),
                           ("has_memory", [n for n, size in self.memory.items() if size])):
            yield f"{node}/{name}", cpu_list(some)
        for number, size in self.memory.items():
            cpus = [one for core in self.cores if core.node == number for one in core.cpus]
            yield f"{node}/node{number}/cpulist", cpu_list(cpus)
            yield f"{node}/node{number}/meminfo", f"Node {number} MemTotal: {size} kB"
            yield f"{node}/node{number}/distance", " ".join(
                str(self.distance(number, other)) for other in self.memory)
            if "side" in self.more:
                side = f"{node}/node{number}/memory_side_cache/index1"
                yield f"{side}/size", int(self.more["side"]) << 20
        total = sum(self.memory.values())
        yield "proc/meminfo", f"MemTotal: {total} kB\nMemAvailable: {total * 9 // 10} kB"
        yield "proc/zoneinfo", "\n".join(f"Node {number}, zone   Normal\n        present  {size}"
                                         for number, size in self.memory.items())
        if "found" in self.more:        # by a search since this machine started
            last = max(size for core in self.cores for _, size, _ in core.caches)
            yield "proc/sys/kernel/random/boot_id", BOOT
            yield KEPT, f"{BOOT} {last << 10} {kib(self.more['found']) << 10} 2026-11-29T10:00:00Z"
        granted = self.more.get("cpuset") or cpu_list(self.cpus)
        yield "proc/self/status", f"Name:\tx\nCpus_allowed_list:\t{granted}\n" \
                                  f"Mems_allowed_list:\t{cpu_list(self.memory)}"
        yield "proc/self/cgroup", "0::/"
        yield "proc/cpuinfo", f"model name\t: {self.name}\nflags\t\t: fpu"

    def _leaves(self, core: Core) -> str:
        """What `cpuid -1 -r` prints of a core: vendor, family and model, its kind, the name."""
        family, model = map(int, self.more["cpuid"].split("-"))
        letters = self.name.ljust(48, "\0").encode()
        name = [[int.from_bytes(letters[at + i:at + i + 4], "little") for i in range(0, 16, 4)]
                for at in range(0, 48, 16)]
        told = {0: [0x1a, 0x756e6547, 0x6c65746e, 0x49656e69],
                1: [(model >> 4) << 16 | family << 8 | (model & 15) << 4, 0, 0, 0],
                0x1a: [CORE_TYPES[min(core.kind, 1)] << 24, 0, 0, 0],
                0x80000000: [0x80000004, 0, 0, 0], **dict(zip(range(0x80000002, 0x80000005), name))}
        return "CPU:\n" + "\n".join(
            f"   0x{leaf:08x} 0x00: " + " ".join(f"e{letter}x=0x{value:08x}"
                                                for letter, value in zip("abcd", values))
            for leaf, values in told.items())

    def distance(self, a: int, b: int) -> int:
        """As firmware has it: 10, 12 in a socket, 21 or 31 between sockets, 24 to a node without
        CPUs."""
        own = self.sockets * self.nodes_of_socket
        if a == b:
            return 10
        if max(a, b) >= own:
            return 24
        hops = abs(a // self.nodes_of_socket - b // self.nodes_of_socket)
        return 12 if not hops else 21 if min(hops, self.sockets - hops) == 1 else 31


def machines() -> dict[str, MadeUp]:
    lines = (HERE / "machines.txt").read_text(encoding="ascii").splitlines()
    return {one.name: one for one in (MadeUp(line) for line in lines if line[0] != "#")}


if __name__ == "__main__":
    machines()[sys.argv[1]].write(Path(sys.argv[2]))
