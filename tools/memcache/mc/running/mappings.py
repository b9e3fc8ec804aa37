# SPDX-License-Identifier: GPL-2.0-only
"""Ask the module how memory is mapped, and the kernel's files who has done it. For tests, set
MEMCACHE_SYSROOT to a directory that holds files in place of those in / (see machine.py)."""

import errno
import os
import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from mc import Failure
from mc.records.mapped import Mapping
from mc.records.shape import UNITS
from mc.running import pci
from mc.running.debugfs import Debugfs
from mc.running.machine import Machine
from mc.status import WRONG

PAGE = os.sysconf("SC_PAGE_SIZE")
BUDDY = 1 << 10     # of /proc/kpageflags: the page is free
RANGE = re.compile(r"(0x[0-9a-f]+)(?:-(0x[0-9a-f]+)|\+(0x[0-9a-f]+|\d+)([KMG]?))", re.I)
# Functions of the kernel that map for others.
HELPERS = re.compile(r"_*(devm_|pcim_|pci_iomap|of_iomap|of_io_|acpi_os_|ioremap|memremap)")
NAMELESS = {"System RAM", "Reserved"}   # in /proc/iomem
# A file that a driver, not memory or a filesystem, is behind.
DRIVERS = re.compile(r" (/dev/(?!shm/|zero\b|hugepages)\S+|/sys/devices/\S+|anon_inode:\S+)")


def parse_range(text: str) -> tuple[int, int]:
    """The first address and the length of 0xA-0xB (which is the last one) or 0xA+LENGTH, in whole
    pages."""
    match = RANGE.fullmatch(text)
    start = int(match[1], 16) if match else 0
    end = start - 1
    if match and match[2]:
        end = int(match[2], 16)
    elif match:
        end = start + int(match[3], 0) * UNITS.get(match[4].upper(), 1) - 1
    if end < start or end >> 64:
        raise Failure(f"{text!r}: no range of physical addresses; write the first and the last "
                      "one, such as 0xe0000000-0xe0ffffff", WRONG)
    start = start // PAGE * PAGE
    return start, (end // PAGE + 1) * PAGE - start


def line_of(ranges: list[tuple[int, int]]) -> str:
    return "phys=" + ",".join(f"0x{start:x}+{size // 1024}K" for start, size in ranges)


def ask(side: Debugfs, line: str) -> tuple[dict, list[Mapping]]:
    """The module's answer to a line."""
    error, (head, *rows) = side.look(line)
    if error == errno.EBUSY:
        raise Failure("another look is on")
    if error:
        text = head.get("error") or ""
        raise Failure(text.partition(": ")[2] or os.strerror(error),
                      WRONG if error == errno.EINVAL else 1)
    return head, [Mapping(row) for row in rows]


@dataclass(frozen=True)
class Bound:
    """A BAR, and the driver that its device is bound to."""
    device: pci.Device
    bar: pci.Bar

    @property
    def name(self) -> str:
        return f"BAR {self.bar.number} of {self.device.address}"


class Ranges:
    """Ranges of addresses: first, last, and what is there. Most of them have little in common."""

    def __init__(self, ranges: list[tuple[int, int, str]]) -> None:
        self.ranges = sorted(ranges, key=lambda one: (one[0], -one[1]))
        self.starts = [start for start, _, _ in self.ranges]
        self.furthest = [*accumulate([last for _, last, _ in self.ranges],
                                     lambda one, other: max(one, other))]

    def around(self, first: int, last: int) -> list[tuple[int, int, str]]:
        """Those that have all of these addresses, the inner ones last."""
        found, at = [], bisect_right(self.starts, first)
        while at and self.furthest[at - 1] >= last:
            at -= 1
            if self.ranges[at][1] >= last:
                found.append(self.ranges[at])
        return found[::-1]


class Known:
    """What the kernel's files say of memory and of who maps it."""

    def __init__(self, machine: Machine):
        self.machine = machine
        self._processes: dict[int, tuple[str, Ranges]] = {}     # their names and areas

    @cached_property
    def callers(self) -> Ranges:
        """The caller of each mapping of physical addresses. Root may see hashed addresses; the
        physical ones are real. A page behind each one belongs to it, too. A caller whose code is
        gone, such as that of a module's start, has an address for a name."""
        return Ranges([(int(start, 16), int(start, 16) + int(size) - PAGE - 1,
                        "" if caller.startswith("0x") else caller)
                       for size, caller, start in re.findall(
                           r"^\S+\s+(\d+) (\S+(?: \[\w+\])?).*? phys=(0x[0-9a-f]+)",
                           self.machine.read("/proc/vmallocinfo"), re.M)])

    @cached_property
    def bars(self) -> list[Bound]:
        return [Bound(device, bar) for device in pci.devices() for bar in device.bars]

    @cached_property
    def iomem(self) -> Ranges:
        return Ranges([(int(start, 16), int(end, 16), text) for start, end, text in re.findall(
            r"^\s*(\w+)-(\w+) : (.*)$", self.machine.read("/proc/iomem"), re.M)])

    def caller(self, one: Mapping) -> str:
        """The caller, or several if nothing tells them apart."""
        found = self.callers.around(one.start, one.end - 1)
        exact = [some for some in found if some[:2] == (one.start, one.end - 1)]
        return " or ".join(sorted({caller for _, _, caller in exact or found} - {""}))

    def bound(self, one: Mapping) -> Bound | None:
        return next((bound for bound in self.bars if bound.bar.start <= one.start
                     and one.end <= bound.bar.start + max(bound.bar.size, PAGE)), None)

    def uses(self, driver: pci.Device, module: str) -> bool:
        """Whether the driver of the device is this module, or uses it."""
        own = os.path.basename(os.path.realpath(driver.path / "driver/module"))
        return module == own or own in self.machine.names(f"/sys/module/{module}/holders")

    def tell(self, one: Mapping) -> None:
        """Fill in who has made the mapping, and what it is of."""
        names = [text for _, _, text in self.iomem.around(one.start, one.start)]
        one.is_ram = "System RAM" in names
        bound = self.bound(one)
        if bound:
            one.bar, one.prefetchable = bound.name, bound.bar.prefetchable
            path = bound.device.path / f"resource{bound.bar.number}_wc"
            one.wc_file = str(path) if path.exists() else ""
        if one.row["area"] == "user":
            one.owner, one.source = self._process(one), "proc_maps"
            return
        if one.row["area"] != "vmalloc":
            one.owner = "the direct map" if one.row["area"] == "direct" else "the kernel (fixmap)"
            return
        one.caller = self.caller(one)
        module = re.search(r"\[(\w+)\]$", one.caller)
        if bound and bound.device.driver and (not module or self.uses(bound.device, module[1])):
            one.owner, one.source = bound.device.driver, "driver_bound"
        elif module:
            one.owner, one.source = module[1], "vmallocinfo"
        elif names and names[-1] not in NAMELESS and (not one.caller or HELPERS.match(one.caller)):
            one.owner, one.source = names[-1], "iomem"
        elif one.caller:
            one.owner, one.source = one.caller.partition("+")[0], "vmallocinfo"

    def _process(self, one: Mapping) -> str:
        pid, at = one.row["pid"], int(one.row["address"], 16)
        if pid not in self._processes:
            areas = re.findall(r"^(\w+)-(\w+) (?:\S+ ){3}\S+ *(.*)$",
                               self.machine.read(f"/proc/{pid}/maps"), re.M)
            self._processes[pid] = (self.machine.read(f"/proc/{pid}/comm").strip() or "process",
                                    Ranges([(int(start, 16), int(end, 16) - 1, name)
                                            for start, end, name in areas]))
        name, ranges = self._processes[pid]
        one.caller = next(iter(ranges.around(at, at)), (0, 0, ""))[2]
        return f"{name} ({pid})"

    def processes(self) -> list[int]:
        """Processes that have mapped something of a driver."""
        return [int(name) for name in self.machine.names("/proc") if name.isdigit()
                and int(name) != os.getpid() and DRIVERS.search(
                    self.machine.read(f"/proc/{name}/maps"))]

    def free_bytes(self, one: Mapping) -> int:
        """How much of the mapping is free now."""
        try:
            with open(self.machine.root + "/proc/kpageflags", "rb") as file:
                file.seek(one.start // PAGE * 8)
                flags = file.read((one.end - one.start) // PAGE * 8)
        except OSError:
            return 0
        return PAGE * sum(bool(word & BUDDY) for word in memoryview(flags).cast("Q"))


def mark_free(known: Known, side: Debugfs, mappings: list[Mapping]) -> None:
    """Find pages of the direct map that are free and not write-back. A page may have been given
    back rightly since the look, so that they must be as they were in a second one."""
    for one in mappings:
        if one.row["area"] == "direct" and one.type not in ("wb", None):
            one.free_bytes = known.free_bytes(one)
    marked = [one for one in mappings if one.free_bytes]
    if not marked:
        return
    still = sorted((one.start, one.end, one.type) for one in ask(side, "not_wb")[1]
                   if one.row["area"] == "direct")
    for one in marked:
        at = bisect_right(still, (one.start, 1 << 64)) - 1
        if at < 0 or still[at][1] < one.end or still[at][2] != one.type:
            one.free_bytes = 0


def ranges_of(text: str) -> list[tuple[int, int]]:
    """The physical ranges that a word names: a device, a BAR of it, or a range."""
    if re.match("0x|.+[-+]", text, re.I):
        return [parse_range(text)]
    device, number = pci.find(text)
    bars = [bar for bar in device.bars if number in (None, bar.number)]
    if not bars:
        raise Failure(f"{text} has no {'' if number is None else 'such '}BAR with memory", WRONG)
    return [(bar.start // PAGE * PAGE, max(bar.size, PAGE)) for bar in bars]
