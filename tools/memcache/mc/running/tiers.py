# SPDX-License-Identifier: GPL-2.0-only
"""What the kernel knows of the memory of each node: its zones, its tier, the caches in front of it,
and the latency and bandwidth that the firmware promises (ACPI HMAT, CXL's CDAT)."""

import re

from mc import grouped
from mc.records.shape import numbers
from mc.running.machine import Machine

NODES = "/sys/devices/system/node"
TIERS = "/sys/devices/virtual/memory_tiering"
# Class 1 has the nearest CPUs, class 0 the nearest of all initiators; older kernels have only 0.
CLASSES = "access1", "access0"
PROMISES = {"read_latency_ns": "read_latency", "write_latency_ns": "write_latency",
            "read_mb_per_s": "read_bandwidth", "write_mb_per_s": "write_bandwidth"}
DIRECT = {"0": True, "1": False}
POLICIES = {"0": "write-back", "1": "write-through"}
ZONE = re.compile(r"^Node (\d+), zone +(\w+)$((?:\n(?!Node ).*)*)", re.M)


def describe() -> list[dict]:
    """What the front end adds to a `machine` record: an object for each node that has memory."""
    machine = Machine()
    zones = _zones(machine.read("/proc/zoneinfo"))
    tiers = _tiers(machine)
    return [{"node": node, "zones": zones[node], "tier": tiers.get(node),
             "promised": _promise(machine, node), **_caches(machine, node)}
            for node in sorted(zones)]


def _zones(text: str) -> dict[int, list[str]]:
    """The zones of each node that have pages."""
    return grouped((int(node), zone) for node, zone, facts in ZONE.findall(text)
                   if re.search(r"^ +present +[1-9]", facts, re.M))


def _tiers(machine: Machine) -> dict[int, int]:
    """The number of each node's tier. Tiers with lower numbers are faster."""
    return {node: int(name.removeprefix("memory_tier"))
            for name in machine.names(TIERS) if re.fullmatch(r"memory_tier\d+", name)
            for node in numbers(machine.read(f"{TIERS}/{name}/nodelist"))}


def _caches(machine: Machine, node: int) -> dict:
    """The caches in front of the memory of a node (HBM, or DRAM), by level, if it has any
    (Documentation/ABI/stable/sysfs-devices-node in Linux)."""
    path = f"{NODES}/node{node}/memory_side_cache"
    caches = []
    for name in machine.names(path):
        size = _number(machine.read(f"{path}/{name}/size"))
        if re.fullmatch(r"index\d+", name) and size:
            indexing, policy = (machine.read(f"{path}/{name}/{file}").strip()
                                for file in ("indexing", "write_policy"))
            caches.append({"level": int(name[5:]), "size_bytes": size,
                           "line_bytes": _number(machine.read(f"{path}/{name}/line_size")),
                           "direct_mapped": DIRECT.get(indexing),
                           "write_policy": POLICIES.get(policy)})
    return {"memory_side_cache": sorted(caches, key=lambda cache: cache["level"])} if caches else {}


def _promise(machine: Machine, node: int) -> dict | None:
    """The promise, and the nodes of the initiators that it is made to; None: there is none."""
    for name in CLASSES:
        path = f"{NODES}/node{node}/{name}/initiators"
        values = {key: _number(machine.read(f"{path}/{file}")) for key, file in PROMISES.items()}
        nodes = [int(entry[4:]) for entry in machine.names(path) if re.fullmatch(r"node\d+", entry)]
        if any(values.values()):
            return {"from_nodes": sorted(nodes), **values}
    return None


def _number(text: str) -> int | None:
    """Firmware without a value leaves a 0."""
    return int(text) or None if text.strip().isdigit() else None
