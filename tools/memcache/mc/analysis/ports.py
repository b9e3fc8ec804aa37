# SPDX-License-Identifier: GPL-2.0-only
"""How many bytes in a cycle the load and store ports of a core can move.

More than that says that the clock that was measured was not the clock during the samples.

Narrow accesses move less. This is the most that any width can do.
"""

import re
from functools import lru_cache
from typing import NamedTuple

ROOM = 1.02     # the clock is measured with an error of 1 % or so


# How many arrays an operation reads and writes; all of them are payload. `nt` may stand before it.
ARRAYS = {"read": (1, 0), "write": (0, 1), "copy": (1, 1), "rmw": (1, 1), "triad": (2, 1),
          "scale": (1, 1), "add": (2, 1), "triad4": (3, 1)}
MIX = re.compile(r"rw(\d)(\d)")


class Core(NamedTuple):
    """A kind of core.

    vendor, family, models: as in the `machine` record; the first and the last model of each range
    load, store: bytes that it can load from L1, and store to it, in a cycle, with the widest
        accesses that memcache-user has for it
    both: bytes of loads and stores together, which may share pipelines
    load_cycles: from a load to one whose address it gives
    source: where its maker says so
    measured: whether somebody has compared these limits with figures of memcache-user
    """
    name: str
    vendor: str
    family: int
    models: tuple[tuple[int, int], ...]
    load: int
    store: int
    both: int
    load_cycles: int
    source: str
    measured: bool = True


INTEL = "Intel 64 and IA-32 Architectures Optimization Reference Manual"
# Of Arm, loads and stores have 16 bytes (NEON), because memcache-user has no SVE loops. A pipeline
# that can load and store does one of them in a cycle.
GUIDE = "Software Optimization Guide: two pipelines that load or store"
CORES = (
    Core("Golden Cove, server", "GenuineIntel", 6, ((0x8f, 0x8f), (0xcf, 0xcf)), 128, 64, 192, 5,
         f"{INTEL}, Golden Cove"),
    Core("Redwood Cove, server", "GenuineIntel", 6, ((0xad, 0xae),), 128, 64, 192, 5,
         f"{INTEL}, Redwood Cove"),
    Core("Sunny Cove, server", "GenuineIntel", 6, ((0x6a, 0x6a), (0x6c, 0x6c)), 128, 64, 192, 5,
         f"{INTEL}, Ice Lake"),
    Core("Skylake, server", "GenuineIntel", 6, ((0x55, 0x55),), 128, 64, 192, 4,
         f"{INTEL}, Skylake Server"),
    Core("Zen 2", "AuthenticAMD", 23, ((0x30, 0x4f), (0x60, 0x7f), (0x90, 0x91), (0xa0, 0xaf)),
         64, 32, 96, 4,
         "AMD Software Optimization Guide of family 17h, models 30h and greater (56305)"),
    Core("Zen 3 and 4", "AuthenticAMD", 25, ((0x00, 0xaf),), 64, 32, 96, 4,
         "AMD Software Optimization Guides of family 19h"),
    Core("Zen 5", "AuthenticAMD", 26, ((0x00, 0x4f), (0x60, 0x7f)), 128, 64, 192, 4,
         "AMD Software Optimization Guide of family 1Ah"),
    Core("Neoverse N1", "Arm", 8, ((0xd0c, 0xd0c),), 32, 32, 32, 4,
         f"Arm Neoverse N1 {GUIDE}", False),
    *(Core(f"Neoverse {name}", "Arm", 8, ((model, model),), 48, 32, 48, 4,
           f"Arm Neoverse {name[:2]} {GUIDE}, one that loads", False)
      for name, model in (("V1", 0xd40), ("N2", 0xd49), ("V2 (also NVIDIA Grace)", 0xd4f))),
)


def limit(machine: dict, result: dict) -> float | None:
    """The most bytes of payload in a cycle; None if the ports of this CPU, or what the operation
    moves, are not known, or if nobody has compared the ports with figures."""
    if result.get("readback") == "on" or machine.get("simulated") \
            or machine.get("hypervisor") == "tcg":
        return None
    core, op = ports_of(machine), str(result.get("op")).removeprefix("nt")
    mix = MIX.fullmatch(op)
    arrays = (int(mix[1]), int(mix[2])) if mix else ARRAYS.get(op)
    return bytes_per_cycle(core, *arrays) if core and core.measured and arrays \
        else None


def ports_of(machine: dict) -> Core | None:
    """The cores of a machine; None if they are not in the table."""
    return _core_of(machine.get("cpu_vendor"), machine.get("cpu_family"), machine.get("cpu_model"))


@lru_cache
def _core_of(vendor: object, family: object, model: object) -> Core | None:
    return next((one for one in CORES if (one.vendor, one.family) == (vendor, family)
                 and isinstance(model, int)
                 and any(first <= model <= last for first, last in one.models)), None)


def bytes_per_cycle(core: Core, reads: int, writes: int) -> float:
    """The most that the ports of a core move in a cycle if so many arrays are read and written."""
    return (reads + writes) / max(reads / core.load, writes / core.store,
                                  (reads + writes) / core.both)


def is_beyond_ports(machine: dict, result: dict) -> bool:
    """Whether a result has more bytes in a cycle than the ports can move."""
    moved = result.get("bytes_per_core_cycle")
    return isinstance(moved, (int, float)) and (most := limit(machine, result)) is not None \
        and moved > most * ROOM
