# SPDX-License-Identifier: GPL-2.0-only
"""Placeholders in the lines of a suite, which stand for the shape of the machine:

    {cpus}                  all CPUs                                    0-7
    {cores}                 one CPU of each core                        0-3
    {last}                  the last CPU                                7
    {cpus but the last}     all other CPUs                              0-6
    {cpus 1 to 20}          these, as far as there are; the only CPU    1-7
    {nodes}                 the nodes that have memory                  0,1
    {a cpu of each node}    the first CPU of each node                  0,4
    {two cores of each node}  CPUs of two cores of each node            0-1,4-5
    {memory size}           four times the last-level cache of a CPU,
                            at least 64M                                256M
    {memory size for all}   the same for all CPUs together              512M
    {96M or less}           96M, or the size that memory allows         64M
    {1G or less, 20 times}  the same for each of 20                     512M
    {128M to memory size}   128M and its doubles up to {memory size}    128M,256M
    {256G of all nodes}     the share of each node of 256G              128G

A line with one of the following becomes several lines, one for each value:

    {each cpu}, {each core}             a CPU
    {each node}                         a node that has memory
    {each node's cpus}                  the CPUs of a node              0-3
    {each share of the cores}           the CPUs of an eighth, a quarter, a half, three
                                        quarters and all of each node's cores
    {each smt}                          off, on; only on where no core has two CPUs
    {each width}                        16, 32, 64: bytes of an access that the CPU has
    {first, last and any}               the first CPU, the last CPU, any

The size that memory allows is a power of two that is at most a quarter of the smallest node's
memory and half of the available memory. Values of a list that become equal are kept once.
"""

import re
from collections.abc import Callable, Iterator

from mc.records import units
from mc.records.shape import BEYOND, UNITS, Shape, cpu_list

PLACE = re.compile(r"\{([^{}]*)\}")
SHARES = (1, 2, 4, 6, 8)    # eighths
NEEDS = re.compile(r"(\d{1,4}) (cpus|cores|nodes)")
OR_LESS = re.compile(
    r"(?P<count>\d{1,6})(?P<unit>[KMG]) or less(?:, (?P<times>[1-9]\d{0,3}) times)?")
TO_MEMORY = re.compile(r"(\d{1,6})M to memory size")
OF_NODES = re.compile(r"(\d{1,6})G of all nodes")
WIDTHS = (16, 32, 64)
LEAST = 64 << 20

Values = tuple[int, ...]


def _cpus_of_two_cores(shape: Shape) -> Values:
    """The first CPUs of two cores of each node, or of one core if a node has only one."""
    firsts = [core[0] for core in shape.cores]
    return tuple(cpu for node in shape.nodes for cpu in [c for c in firsts if c in node.cpus][:2])


def _shares(shape: Shape) -> list[str]:
    """CPUs of more and more cores of each node."""
    nodes = [[core for core in shape.cores if core[0] in node.cpus] for node in shape.nodes]
    return [cpu_list(cpu for cores in nodes for core in _spread_evenly(cores, share)
                     for cpu in core) for share in SHARES]


def _spread_evenly(cores: list[Values], share: int) -> Iterator[Values]:
    """So many eighths of these cores, evenly spread, so that caches which neighbours share are
    used alike."""
    count = -(-len(cores) * share // SHARES[-1])
    return (cores[i * len(cores) // count] for i in range(count))


LISTS: dict[str, Callable[[Shape], Values]] = {
    "cpus": lambda shape: shape.cpus,
    "cores": lambda shape: tuple(core[0] for core in shape.cores),
    "nodes": lambda shape: tuple(node.number for node in shape.nodes if node.memory != 0),
    "first": lambda shape: shape.cpus[:1],
    "last": lambda shape: shape.cpus[-1:],
    "cpus but the last": lambda shape: shape.cpus[:-1],
    "cpus 1 to 20": lambda shape: tuple(c for c in shape.cpus if 1 <= c <= 20) or shape.cpus[:1],
    "a cpu of each node": lambda shape: tuple(node.cpus[0] for node in shape.nodes if node.cpus),
    "two cores of each node": _cpus_of_two_cores,
}
# Each value of these is measured separately, so they make a list without ranges.
APART = ("nodes",)
LINES: dict[str, Callable[[Shape], list[str]]] = {
    "each cpu": lambda shape: [str(cpu) for cpu in shape.cpus],
    "each core": lambda shape: [str(core[0]) for core in shape.cores],
    "each node": lambda shape: [*map(str, LISTS["nodes"](shape))],
    "each node's cpus": lambda shape: [cpu_list(node.cpus) for node in shape.nodes if node.cpus],
    "each share of the cores": _shares,
    "each smt": lambda shape: ["off", "on"] if any(core[1:] for core in shape.cores) else ["on"],
    "first, last and any": lambda shape: [*map(str, (shape.cpus[0], shape.cpus[-1])), "any"],
    "each width": lambda shape: [str(width) for width in WIDTHS if width <= shape.width],
}
SIZES: dict[str, Callable[[Shape], int]] = {
    "memory size": lambda shape: shape.cache,
    "memory size for all": lambda shape: shape.cache * -(-len(shape.cpus) // shape.shared_by),
}


def unknown_placeholder(line: str) -> str | None:
    """The first placeholder of this line that does not exist; None if all exist."""
    return next((f"{{{name}}}" for name in PLACE.findall(line) if not (
        OR_LESS.fullmatch(name) or OF_NODES.fullmatch(name) or TO_MEMORY.fullmatch(name)
        or name in LINES or name in SIZES or name in LISTS)), None)


def reason_against(needs: str, shape: Shape) -> str:
    """Why a machine of that shape does not meet a need such as `2 nodes`; empty if it does."""
    count, name = needs.split()
    count_here = len(LISTS[name](shape))
    return f"it takes {needs}, and this machine has {count_here}" if count_here < int(count) else ""


def expand(line: str, shape: Shape) -> list[str]:
    """The lines that this line becomes on a machine of that shape."""
    return list(dict.fromkeys(_lines(line, shape)))


def _lines(line: str, shape: Shape) -> Iterator[str]:
    for name in PLACE.findall(line):
        if name in LINES:
            for value in LINES[name](shape):
                yield from _lines(line.replace(f"{{{name}}}", value), shape)
            return
    yield " ".join(map(_without_repeats, PLACE.sub(
        lambda match: _value(match[1], shape), line).split()))


def _without_repeats(word: str) -> str:
    key, equals, values = word.partition("=")
    return key + equals + ",".join(dict.fromkeys(values.split(",")))


def _value(name: str, shape: Shape) -> str:
    if match := OR_LESS.fullmatch(name):
        return units.size(_at_most(int(match["count"]) * UNITS[match["unit"]], shape,
                                   int(match["times"] or 1)))
    if match := TO_MEMORY.fullmatch(name):
        sizes = [_at_most(int(match[1]) << 20, shape)]
        while 2 * sizes[-1] <= _size(SIZES["memory size"](shape), shape):
            sizes.append(2 * sizes[-1])
        return ",".join(map(units.size, sizes))
    if match := OF_NODES.fullmatch(name):
        return f"{max(int(match[1]) // len(LISTS['nodes'](shape)), 1)}G"
    if name in SIZES:
        return units.size(_size(SIZES[name](shape), shape))
    values = LISTS[name](shape)
    return ",".join(map(str, values)) if name in APART else cpu_list(values)


def _size(cache: int, shape: Shape) -> int:
    """The size of a set that is far larger than this cache, as far as memory allows."""
    beyond = max(BEYOND * cache, LEAST)
    return _at_most(1 << (beyond - 1).bit_length(), shape)


def _at_most(size: int, shape: Shape, times: int = 1) -> int:
    """This size, or the largest one that memory allows so many times. Unknown memory allows any."""
    room = 1 << max((shape.memory // times).bit_length() - 1, 20)
    return min(size, room) if shape.memory else size
