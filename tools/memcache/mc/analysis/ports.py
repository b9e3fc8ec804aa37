# SPDX-License-Identifier: GPL-2.0-only
"""How many bytes in a cycle the load and store ports of a core can move.

More than that says that the clock that was measured was not the clock during the samples.
cores.toml has the figures, and the manuals of the vendors that say so.

Narrow accesses move less. This is the most that any width can do.
"""

import re
from functools import lru_cache
from pathlib import Path

FILE = Path(__file__).resolve().parent.parent / "cores.toml"
ROOM = 1.02     # the clock is measured with an error of 1 % or so


# How many arrays an operation reads and writes; all of them are payload. `nt` may stand before it.
ARRAYS = {"read": (1, 0), "write": (0, 1), "copy": (1, 1), "rmw": (1, 1), "triad": (2, 1),
          "scale": (1, 1), "add": (2, 1), "triad4": (3, 1)}
MIX = re.compile(r"rw(\d)(\d)")


def limit(machine: dict, result: dict) -> float | None:
    """The most bytes of payload in a cycle; None if the ports of this CPU, or what the operation
    moves, are not known, or if nobody has compared the ports with figures."""
    if result.get("readback") == "on" or machine.get("simulated") \
            or machine.get("hypervisor") == "tcg":
        return None
    core, op = ports_of(machine), str(result.get("op")).removeprefix("nt")
    mix = MIX.fullmatch(op)
    arrays = (int(mix[1]), int(mix[2])) if mix else ARRAYS.get(op)
    return bytes_per_cycle(core, *arrays) if core and core.get("measured", True) and arrays \
        else None


def ports_of(machine: dict) -> dict | None:
    """The entry of a machine's cores in cores.toml."""
    return _entry_of(machine.get("cpu_vendor"), machine.get("cpu_family"), machine.get("cpu_model"))


@lru_cache
def _entry_of(vendor: object, family: object, model: object) -> dict | None:
    return next((one for one in read_cores() if one["vendor"] == vendor and one["family"] == family
                 and isinstance(model, int)
                 and any(first <= model <= last for first, last in one["models"])), None)


@lru_cache
def read_cores() -> list[dict]:
    """All entries of cores.toml."""
    import tomllib
    found: list[dict] = tomllib.loads(FILE.read_text(encoding="utf-8"))["core"]
    return found


def bytes_per_cycle(core: dict, reads: int, writes: int) -> float:
    """The most that the ports of a core move in a cycle if so many arrays are read and written."""
    both = core.get("both", core["load"] + core["store"])
    return (reads + writes) / max(reads / core["load"], writes / core["store"],
                                  (reads + writes) / both)


def is_beyond_ports(machine: dict, result: dict) -> bool:
    """Whether a result has more bytes in a cycle than the ports can move."""
    moved = result.get("bytes_per_core_cycle")
    return isinstance(moved, (int, float)) and (most := limit(machine, result)) is not None \
        and moved > most * ROOM
