# SPDX-License-Identifier: GPL-2.0-only
"""The place of a result: nodes of CPUs and memory, which can be used like keys of it.

    cpu_node                    the node of the CPUs that measured
    memory_node                 the node of the memory
    writer_node, reader_node    the nodes of a pair of CPUs
    pair                        sibling (one core), local (one node) or remote
"""

from mc.records.results import Run
from mc.records.shape import numbers, record_nodes

# Keys in which results of one place may differ and still share a cell of a table.
MANY = ("cpu", "node", "writer_cpu", "reader_cpu")


def value(run: Run, result: dict, key: str) -> object:
    """The value of a key of the result, of its request or of its place."""
    if key == "label":
        return run.label
    if key in PLACES:
        return PLACES[key](run, result)
    return result.get(key)


def _node(machine: dict, cpu: object) -> int | None:
    """The node of a CPU, or of the first CPU of a list."""
    cpus = numbers(str(cpu))
    nodes = record_nodes(machine)
    return next((node.number for node in nodes if cpus and cpus[0] in node.cpus),
                nodes[0].number if len(nodes) == 1 else None)


def _memory(run: Run, result: dict) -> object:
    """The node of the pages; if that is not known, the node that was asked for."""
    node = result.get("memory_node")
    if node is None and str(result.get("node")).isdigit():
        node = int(result["node"])
    return node


def local(machine: dict, result: dict) -> bool:
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


PLACES = {
    "cpu_node": lambda run, result: _node(run.machine, result.get("cpu")),
    "memory_node": _memory,
    "writer_node": lambda run, result: _node(run.machine, result.get("writer_cpu")),
    "reader_node": lambda run, result: _node(run.machine, result.get("reader_cpu")),
    "pair": _pair,
}
