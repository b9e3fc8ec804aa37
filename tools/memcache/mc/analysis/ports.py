# SPDX-License-Identifier: GPL-2.0-only
"""How many bytes in a cycle the load and store ports of a core can move.

More than that says that the clock that was measured was not the clock during the samples. The
figures are those of the vendors' manuals:

AMD, "Software Optimization Guide" for family 17h, models 30h and greater (56305, Zen 2), for family
19h (56665, Zen 3), for Zen 4 (57647) and for Zen 5 (58455): the chapters on the load-store unit.
Zen 2 to 4 start three memory operations in a cycle, which are two loads and one store of 32 bytes
at most; Zen 5 loads 2 x 64 bytes, and stores 1 x 64 or 2 x 32.

Intel, "64 and IA-32 Architectures Optimization Reference Manual" (248966): the chapters on the
Skylake Server, Ice Lake, Golden Cove and Redwood Cove microarchitectures. All load 2 x 64 bytes.
Skylake stores 1 x 64; the others start two stores, but write 64 bytes of one line at most.

Narrow accesses move less. This is the most that any width can do.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from mc.records import prices

ROOM = 1.02     # the clock is measured with an error of 1 % or so


@dataclass(frozen=True)
class Make:
    """Cores of one make, and the bytes that they load and store in a cycle."""
    vendor: str
    family: int
    models: Collection[int]
    loads: int
    stores: int


ZEN_2 = (*range(0x30, 0x50), *range(0x60, 0x80), *range(0x90, 0x92), *range(0xa0, 0xb0))
ZEN_5 = (*range(0x50), *range(0x60, 0x80))
MAKES = (
    Make("AuthenticAMD", 0x17, ZEN_2, 64, 32),
    Make("AuthenticAMD", 0x19, range(0xb0), 64, 32),        # Zen 3 and 4
    Make("AuthenticAMD", 0x1a, ZEN_5, 128, 64),
    Make("GenuineIntel", 6, (0x55,                          # Skylake-SP, Cascade and Cooper Lake
                             0x6a, 0x6c,                    # Ice Lake-SP and -D
                             0x8f, 0xcf,                    # Sapphire and Emerald Rapids
                             0xad, 0xae), 128, 64),         # Granite Rapids and its -D
)
# How many arrays an operation reads and writes; all of them are payload. `nt` may stand before it.
ARRAYS = {"read": (1, 0), "write": (0, 1), "copy": (1, 1), "rmw": (1, 1), "triad": (2, 1)}
MIX = re.compile(r"rw(\d)(\d)")


def limit(machine: dict, result: dict) -> float | None:
    """The most bytes of payload in a cycle; None if the ports of this CPU, or what the operation
    moves, are not known."""
    if result.get("readback") == "on" or prices.simulation(machine) \
            or machine.get("hypervisor") == "tcg":
        return None
    return _limit(machine.get("cpu_vendor"), machine.get("cpu_family"), machine.get("cpu_model"),
                  str(result.get("op")).removeprefix("nt"))


@lru_cache
def _limit(vendor: object, family: object, model: object, op: str) -> float | None:
    make = next((one for one in MAKES if one.vendor == vendor and one.family == family
                 and model in one.models), None)
    mix = MIX.fullmatch(op)
    arrays = (int(mix[1]), int(mix[2])) if mix else ARRAYS.get(op)
    if not make or not arrays:
        return None
    reads, writes = arrays
    return (reads + writes) / max(reads / make.loads, writes / make.stores)


def is_beyond_ports(machine: dict, result: dict) -> bool:
    """Whether a result has more bytes in a cycle than the ports can move."""
    moved, most = result.get("bytes_per_core_cycle"), limit(machine, result)
    return isinstance(moved, (int, float)) and most is not None and moved > most * ROOM
