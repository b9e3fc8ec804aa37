# SPDX-License-Identifier: GPL-2.0-only
"""The place of a result: CPUs, nodes of CPUs and memory, which can be used like keys of it.

    cpu_node                    the node of the CPUs that measured
    memory_node                 the node of the memory
    writer_node, reader_node    the nodes of a pair of CPUs
    pair_class                  what a pair of CPUs shares, and how far apart its nodes are
    pair                        sibling (one core), local (one node) or remote
    memory_zones, memory_tier   those of the node of the memory
    promised_ns                 latency that the firmware promises for reads of that memory
    promised_mb_per_s           bandwidth, in the same way
    memory_side_cache_bytes     the largest cache in front of that memory
    near                        yes: the promise is made to the node of the CPUs; without one, the
                                memory is on that node, or on a node without CPUs
    who                         of groups of CPUs: total, group N or CPU N
"""

from mc.records.results import Run
from mc.records.shape import numbers, record_nodes

NEAR = 10           # the distance of a node from itself (ACPI SLIT)
SHARES = ("core", "l2", "l3", "l4", "node", "socket", "nothing")
# Keys in which results of one place may differ and still share a cell of a table.
MANY = ("cpu", "node", "writer_cpu", "reader_cpu")


# The machine that was looked at last, the node of each of its CPUs, and that of all others.
CPUS: dict[int, tuple[dict, dict[int, int], int | None]] = {}


def value(run: Run, result: dict, key: str) -> object:
    """The value of a key of the result, of its request or of its place."""
    if key == "label":
        return run.label
    if key in PLACES:
        return PLACES[key](run, result)
    return result.get(key)


def _node(machine: dict, cpu: object) -> int | None:
    """The node of a CPU, or of the first CPU of a list."""
    known = CPUS.get(id(machine))
    if not known or known[0] is not machine:
        nodes = record_nodes(machine)
        known = machine, {one: node.number for node in reversed(nodes) for one in node.cpus}, \
            nodes[0].number if len(nodes) == 1 else None
        CPUS.clear()
        CPUS[id(machine)] = known
    cpus = numbers(str(cpu))
    return known[1].get(cpus[0], known[2]) if cpus else known[2]


def _memory_node(run: Run, result: dict) -> object:
    """The node of the pages; if that is not known, the node that was asked for."""
    node = result.get("memory_node")
    if node is None and str(result.get("node")).isdigit():
        node = int(result["node"])
    return node


def is_local(machine: dict, result: dict) -> bool:
    """Whether the memory was on the node of the (first) CPU."""
    node = _node(machine, result.get("cpu"))
    return node is not None and result.get("memory_node") == node


def _pair(run: Run, result: dict) -> str | None:
    if result.get("siblings") == "yes":
        return "sibling"
    nodes = [_node(run.machine, result.get(key)) for key in ("writer_cpu", "reader_cpu")]
    if None in nodes:
        return None
    return "local" if nodes[0] == nodes[1] else "remote"


def _pair_class(run: Run, result: dict) -> str | None:
    shares, distance = result.get("shares"), result.get("node_distance")
    far = f", distance {distance}" if distance and distance != NEAR else ""
    return f"{shares}{far}" if shares else None


def nearness(result: dict) -> tuple[int, int]:
    """The place of a pair of CPUs in an order that begins with those of a core."""
    shares = str(result.get("shares"))
    return SHARES.index(shares) if shares in SHARES else 0, result.get("node_distance") or 0


def _tier(run: Run, result: dict) -> dict:
    """What the machine's record has of the node of the memory."""
    tiers = run.machine.get("tiers")
    return next((one for one in (tiers if isinstance(tiers, list) else [])
                 if one["node"] == _memory_node(run, result)), {})


def _zones(run: Run, result: dict) -> str | None:
    return ",".join(_tier(run, result).get("zones") or []) or None


def _promise(run: Run, result: dict, key: str) -> object:
    return (_tier(run, result).get("promised") or {}).get(key)


def _is_near(run: Run, result: dict) -> str:
    promised_to = _promise(run, result, "from_nodes")
    nodes = promised_to if isinstance(promised_to, list) and promised_to else [
        node.number for node in record_nodes(run.machine)
        if node.cpus and node.number == _memory_node(run, result)]
    return "yes" if not nodes or _node(run.machine, result.get("cpu")) in nodes else "no"


def _name_of_scope(run: Run, result: dict) -> str | None:
    names = {"total": "total", "group": f"group {result.get('group')}",
             "thread": f"CPU {result.get('cpu')}"}
    return names.get(str(result.get("scope")))


PLACES = {
    "cpu_node": lambda run, result: _node(run.machine, result.get("cpu")),
    "memory_node": _memory_node,
    "pair_class": _pair_class,
    "writer_node": lambda run, result: _node(run.machine, result.get("writer_cpu")),
    "reader_node": lambda run, result: _node(run.machine, result.get("reader_cpu")),
    "pair": _pair,
    "memory_zones": _zones,
    "memory_tier": lambda run, result: _tier(run, result).get("tier"),
    "promised_ns": lambda run, result: _promise(run, result, "read_latency_ns"),
    "promised_mb_per_s": lambda run, result: _promise(run, result, "read_mb_per_s"),
    "memory_side_cache_bytes": lambda run, result: max(     # the largest in front of the node
        (one["size_bytes"] for one in _tier(run, result).get("memory_side_cache") or []),
        default=None),
    "near": _is_near,
    "who": _name_of_scope,
}
