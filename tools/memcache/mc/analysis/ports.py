# SPDX-License-Identifier: GPL-2.0-only
"""How many bytes in a cycle the load and store ports of a core can move.

More than that says that the clock that was measured was not the clock during the samples.
cores.toml has the figures, and the manuals of the vendors that say so.

Narrow accesses move less. This is the most that any width can do.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

FILE = Path(__file__).resolve().parent.parent / "cores.toml"
ROOM = 1.02     # the clock is measured with an error of 1 % or so


@dataclass(frozen=True)
class Core:
    """Cores of one make, and the bytes that they load and store in a cycle."""
    vendor: str
    family: int
    models: list[list[int]]
    load: int
    store: int


# How many arrays an operation reads and writes; all of them are payload. `nt` may stand before it.
ARRAYS = {"read": (1, 0), "write": (0, 1), "copy": (1, 1), "rmw": (1, 1), "triad": (2, 1),
          "scale": (1, 1), "add": (2, 1), "triad4": (3, 1)}
MIX = re.compile(r"rw(\d)(\d)")


def limit(machine: dict, result: dict) -> float | None:
    """The most bytes of payload in a cycle; None if the ports of this CPU, or what the operation
    moves, are not known."""
    if result.get("readback") == "on" or machine.get("simulated") \
            or machine.get("hypervisor") == "tcg":
        return None
    return _limit(machine.get("cpu_vendor"), machine.get("cpu_family"), machine.get("cpu_model"),
                  str(result.get("op")).removeprefix("nt"))


@lru_cache
def _limit(vendor: object, family: object, model: object, op: str) -> float | None:
    core = next((one for one in _cores() if one.vendor == vendor and one.family == family
                 and any(first <= model <= last for first, last in one.models)), None) \
        if isinstance(model, int) else None
    mix = MIX.fullmatch(op)
    arrays = (int(mix[1]), int(mix[2])) if mix else ARRAYS.get(op)
    if not core or not arrays:
        return None
    reads, writes = arrays
    return (reads + writes) / max(reads / core.load, writes / core.store)


@lru_cache
def _cores() -> list[Core]:
    """The cores of x86, whose limits were compared with figures."""
    import tomllib
    return [Core(one["vendor"], one["family"], one["models"], one["load"], one["store"])
            for one in tomllib.loads(FILE.read_text(encoding="utf-8"))["core"]
            if one.get("measured", True)]


def is_beyond_ports(machine: dict, result: dict) -> bool:
    """Whether a result has more bytes in a cycle than the ports can move."""
    moved = result.get("bytes_per_core_cycle")
    return isinstance(moved, (int, float)) and (most := limit(machine, result)) is not None \
        and moved > most * ROOM
