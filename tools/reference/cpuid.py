# SPDX-License-Identifier: GPL-2.0-only
"""CPUID dumps of InstLatx64: the model of a CPU, its name, and the sizes of its caches.

A dump has a line for each leaf, `CPUID 00000004: EAX-EBX-ECX-EDX`, CPU by CPU. Its author adds the
sizes that his program decoded, as a table or in brackets. Intel, "Software Developer's Manual",
volume 2A, CPUID, leaves 2, 4 and 1AH; AMD, "Architecture Programmer's Manual", volume 3, appendix
E, functions 80000005H, 80000006H and 8000001DH.
"""

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

Registers = tuple[int, int, int, int]
Caches = dict[str, int]             # KiB by the name of the cache, such as L1D

LEAF = re.compile(r"CPUID ([0-9A-F]{8})\s*:?\s*((?:[0-9A-F]{8}[- ]){3}[0-9A-F]{8})(.*)", re.I)
TABLE = re.compile(r"(?:L0\+)?L([1-4])\s+(Data|Instr\.|Unified) Cache:\s+([\d+]+) ([KM])B")
TAG = re.compile(r"L([1-4])([DIU]?):? ([\d+]+) ([KM])i?B")
KINDS = {1: "D", 2: "I", 3: ""}
MEANT = {"Data": "D", "Instr.": "I", "Unified": ""}
# Leaf 2: a byte stands for a cache.
DESCRIPTORS = {
    "L1I": {0x06: 8, 0x08: 16, 0x09: 32, 0x30: 32},
    "L1D": {0x0a: 8, 0x0c: 16, 0x0d: 16, 0x0e: 24, 0x2c: 32, 0x60: 16, 0x66: 8, 0x67: 16, 0x68: 32},
    "L2": {0x1d: 128, 0x21: 256, 0x24: 1024, 0x39: 128, 0x3a: 192, 0x3b: 128, 0x3c: 256, 0x3d: 384,
           0x3e: 512, 0x41: 128, 0x42: 256, 0x43: 512, 0x44: 1024, 0x45: 2048, 0x48: 3072,
           0x49: 4096, 0x4e: 6144, 0x78: 1024, 0x79: 128, 0x7a: 256, 0x7b: 512, 0x7c: 1024,
           0x7d: 2048, 0x7f: 512, 0x80: 512, 0x82: 256, 0x83: 512, 0x84: 1024, 0x85: 2048,
           0x86: 512, 0x87: 1024},
    "L3": {0x22: 512, 0x23: 1024, 0x25: 2048, 0x29: 4096, 0x46: 4096, 0x47: 8192, 0x4a: 6144,
           0x4b: 8192, 0x4c: 12288, 0x4d: 16384, 0xd0: 512, 0xd1: 1024, 0xd2: 2048, 0xd6: 1024,
           0xd7: 2048, 0xd8: 4096, 0xdc: 1536, 0xdd: 3072, 0xde: 6144, 0xe2: 2048, 0xe3: 4096,
           0xe4: 8192, 0xea: 12288, 0xeb: 18432, 0xec: 24576},
}
BYTES = ("GenuineIntel", "CyrixInstead", "Geode by NSC")
LONG_MODE = 1 << 29                 # 80000001H, EDX
HYPERVISOR = 1 << 31                # 1, ECX
CORES = {0x20: "efficiency", 0x40: "performance"}


@dataclass
class Cpu:
    """What one CPU of a dump says, leaf by leaf, and the sizes that the dump lists for it."""
    leaves: dict[int, list[Registers]] = field(default_factory=dict)
    listed: Caches = field(default_factory=dict)

    def leaf(self, number: int) -> Registers:
        return self.leaves.get(number, [(0, 0, 0, 0)])[0]

    @property
    def vendor(self) -> str:
        _, ebx, ecx, edx = self.leaf(0)
        return struct.pack("<3I", ebx, edx, ecx).decode("latin-1")

    @property
    def signature(self) -> tuple[int, int, int]:
        return signature(self.leaf(1)[0])

    @property
    def name(self) -> str:
        raw = b"".join(struct.pack("<4I", *self.leaf(0x80000002 + i)) for i in range(3))
        return " ".join(raw.partition(b"\0")[0].decode("latin-1").split())

    @property
    def core(self) -> str:
        """The kind of core of a hybrid CPU."""
        return CORES.get(self.leaf(0x1a)[0] >> 24, "")

    @property
    def runs_linux(self) -> bool:
        """Whether it is a 64-bit CPU, and no hypervisor stands between it and the dump. One Haswell
        misspells its maker, and is no model of its own."""
        return self.vendor != "GenuineIotel" and bool(self.leaf(0x80000001)[3] & LONG_MODE) \
            and not self.leaf(1)[2] & HYPERVISOR

    def caches(self) -> Caches:
        """The sizes by the newest leaf that tells them."""
        for number in (4, 0x8000001d):
            if found := _listed_by(self.leaves.get(number, [])):
                return found
        return self._of_amd() | self._described_caches()

    def _of_amd(self) -> Caches:
        ecx5, edx5 = self.leaf(0x80000005)[2:]
        _, _, ecx6, edx6 = self.leaf(0x80000006)
        old = self.vendor == "CentaurHauls" and self.signature[:2] in ((6, 7), (6, 8))
        found = {"L1D": ecx5 >> 24, "L1I": edx5 >> 24, "L2": ecx6 >> (24 if old else 16),
                 "L3": (edx6 >> 18) * 512}
        return {name: size for name, size in found.items() if size}

    def _described_caches(self) -> Caches:
        """By leaf 2. Cyrix has one byte of its own, for the cache of its 6x86MX and MediaGX."""
        if self.vendor not in BYTES:
            return {}
        registers = [value for value in self.leaf(2) if not value >> 31]
        known = list(struct.pack(f"<{len(registers)}I", *registers))[1:]
        found = {}
        for name, sizes in DESCRIPTORS.items():
            if mine := [sizes[one] for one in known if one in sizes]:
                found[name] = mine[0]
        if self.vendor != "GenuineIntel":
            return {"L1": 16} if 0x80 in known else {}
        if 0x49 in known and self.signature[:2] == (15, 6):     # there it is an L3
            found["L3"] = 4096
        return found


def signature(eax: int) -> tuple[int, int, int]:
    """Family, model and stepping of leaf 1."""
    family, model = eax >> 8 & 0xf, eax >> 4 & 0xf
    if family in (6, 15):
        model |= eax >> 12 & 0xf0
    return family + (eax >> 20 & 0xff if family == 15 else 0), model, eax & 0xf


def _listed_by(leaves: list[Registers]) -> Caches:
    """Leaves 4 and 8000001D have the same form: a subleaf a cache."""
    found = {}
    for eax, ebx, ecx, _ in leaves:
        if eax & 31 in KINDS:
            size = ((ebx >> 22) + 1) * ((ebx >> 12 & 0x3ff) + 1) * ((ebx & 0xfff) + 1) * (ecx + 1)
            # Of two caches of the same level and kind, as Lion Cove has, the first is nearer.
            found.setdefault(f"L{eax >> 5 & 7}{KINDS[eax & 31]}", size >> 10)
    return found


def _kib(number: str, unit: str) -> int:
    """`48+192` is the first level of a CPU that has two: its first part is that level."""
    return int(number.partition("+")[0]) * (1024 if unit == "M" else 1)


def cpus(text: str) -> Iterator[Cpu]:
    """The CPUs of a dump. A leaf 0 begins a CPU."""
    cpu = None
    for line in text.splitlines():
        if match := LEAF.match(line):
            number = int(match[1], 16)
            if number == 0:
                if cpu:
                    yield cpu
                cpu = Cpu()
            if not cpu:
                continue
            eax, ebx, ecx, edx = (int(word, 16) for word in re.split("[- ]", match[2]))
            cpu.leaves.setdefault(number, []).append((eax, ebx, ecx, edx))
            if number in (4, 0x80000005, 0x80000006, 0x8000001d):
                for level, kind, size, unit in TAG.findall(match[3]):
                    cpu.listed.setdefault(f"L{level}{kind.strip('U')}", _kib(size, unit))
        elif cpu and (match := TABLE.match(line)):
            cpu.listed[f"L{match[1]}{MEANT[match[2]]}"] = _kib(match[3], match[4])
    if cpu:
        yield cpu


def difference(cpu: Cpu) -> tuple[str, bool]:
    """What differs between the decoded sizes and the listed ones, empty if nothing, and whether
    there is no reason for it. A listed 0 is a cache that is not there, or that its leaf leaves
    out."""
    found, listed = cpu.caches(), {name: kib for name, kib in cpu.listed.items() if kib}
    if not found and not listed:
        return "no leaf tells the caches of this CPU", False
    wrong = [f"{name} {found.get(name, 0)} KiB, listed {kib}" for name, kib in listed.items()
             if found.get(name) != kib]
    return "; ".join(wrong), bool(wrong)
