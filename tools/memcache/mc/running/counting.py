# SPDX-License-Identifier: GPL-2.0-only
"""Counting DRAM traffic, and events of the cores, while something is measured."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from mc import Failure, plural, say
from mc.records import tests
from mc.running import counters
from mc.running.machine import Machine, hypervisor, is_present
from mc.running.side import Side


def absence(discovered: counters.Found) -> str:
    """Why there are no counters, and what to do about it."""
    machine = Machine()
    guest = hypervisor(machine)
    if discovered.remarks:
        why = "; ".join(discovered.remarks[:4]) + ("; ..." if len(discovered.remarks) > 4 else "")
    elif is_present(machine, guest):
        why = f"this is a virtual machine ({guest}), which has none; measure on bare metal"
    else:
        why = f"none in /{counters.DEVICES}; modprobe intel_uncore or amd_uncore may help"
    if counters.counts_beyond_l3():
        why += "; resctrl's mbm_total_bytes counts traffic beyond the L3, which is not the " \
               "same and is not used"
    return f"no counters of DRAM traffic: {why}"


@contextmanager
def counting(sides: list[Side], traffic: bool, events: bool = False) -> Iterator[None]:
    """Let the sides count DRAM traffic, events of the cores, or both. Afterwards they have the
    counters that they had before. If the machine has no counters, the run goes on without them and
    its records say `na`."""
    lines = _lines_of_traffic(sides[0]) if traffic and sides else ""
    lines += "".join(f"{event}\n" for event in tests.EVENTS if events)
    with ExitStack() as held:
        for side in sides if lines else []:
            before = side.counters()
            side.count(lines)
            held.callback(_set_again, side, before)
        yield


def _lines_of_traffic(side: Side) -> str:
    """The lines of the machine's counters of DRAM traffic."""
    discovered = side.discover()
    count = plural(len(discovered.counters), "counter")
    say("; ".join(filter(None, [f"{discovered.title}: {count}", discovered.uncounted_text]))
        if discovered.counters else absence(discovered))
    return discovered.text


def _set_again(side: Side, text: str) -> None:
    try:
        side.count(text)
    except Failure as failure:
        say(str(failure))
