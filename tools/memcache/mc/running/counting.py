# SPDX-License-Identifier: GPL-2.0-only
"""Counting DRAM traffic, and events of the cores, while something is measured."""

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


class Counting:
    """A context in which the sides count DRAM traffic, events of the cores, or both.
    Afterwards they have the counters that they had before. If the machine has no counters, the
    run goes on without them and its records say `na`."""

    def __init__(self, sides: list[Side], traffic: bool, events: bool = False):
        self.sides, self.traffic, self.events = sides, traffic, events
        self.before: list[tuple[Side, str]] = []

    def __enter__(self) -> "Counting":
        lines = self._traffic() if self.traffic and self.sides else ""
        if self.events:
            lines += "".join(f"{event}\n" for event in tests.EVENTS)
        try:
            for side in self.sides if lines else []:
                before = side.counters()
                side.count(lines)
                self.before.append((side, before))
        except Failure:
            self.__exit__()
            raise
        return self

    def _traffic(self) -> str:
        """The lines of the machine's counters of DRAM traffic."""
        discovered = self.sides[0].discover()
        count = plural(len(discovered.counters), "counter")
        say("; ".join(filter(None, [f"{discovered.title}: {count}", discovered.uncounted_text]))
            if discovered.counters else absence(discovered))
        return discovered.text

    def __exit__(self, *_error: object) -> None:
        for side, text in self.before:
            try:
                side.count(text)
            except Failure as failure:
                say(str(failure))
