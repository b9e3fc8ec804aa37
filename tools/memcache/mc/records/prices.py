# SPDX-License-Identifier: GPL-2.0-only
"""The description of a simulated machine: its emulator and the prices of its memory."""

import json
from zlib import crc32

from mc.records import units


def simulation(machine: dict) -> dict[str, str]:
    """The emulator of a simulated machine and a name for its prices; empty if the machine is
    real. The same prices have the same name."""
    description = machine.get("simulated")
    if not description:
        return {}
    listed = json.dumps(description.get("prices"), sort_keys=True).encode()
    emulator = f"QEMU {description['qemu']}" if "qemu" in description else \
        f"Bochs {description.get('bochs')}"
    return {"emulator": emulator, "prices": f"{crc32(listed):08x}"}


def layer_below(machine: dict, hypervisor: str = "") -> str:
    """The simulation or the hypervisor below its kernel, or that there is none. `hypervisor` is
    printed before the name of a hypervisor."""
    if names := simulation(machine):
        return f"simulated by {names['emulator']}, prices {names['prices']}"
    name = machine.get("hypervisor")
    if name == "unknown":
        return f"{hypervisor or 'hypervisor '}{name}"
    return f"{hypervisor}{name}" if name else "no hypervisor"


def text(machine: dict) -> str:
    """All prices of a simulated machine, in a sentence."""
    prices = machine["simulated"].get("prices")
    left = dict(prices) if isinstance(prices, dict) else {}

    def take(key: str) -> str:
        return units.text(key, left.pop(key, None))

    def pairs(name: str) -> str:
        """The price of all pairs of nodes, and those of pairs that have another one."""
        others = [key for key in left if key.startswith(f"{name}_")]
        return ", ".join([take(name), *(
            f"nodes {key.removeprefix(f'{name}_').replace('_', ' to ')}: {take(key)}"
            for key in others)])

    def level(name: str) -> str:
        size, ways, time, _ = (take(f"{name}_{what}") for what in ("bytes", "ways", "ns", "cpus"))
        return "" if size == "0" else f"{name.upper()} {time} ({size}, {ways} ways)"

    parts = [f"UC load {take('uc_load_ns')}, store {take('uc_store_ns')}",
             f"WC load {take('wc_load_ns')}, whole line {take('wc_line_ns')}, part of one "
             f"{take('wc_word_ns')} each 8 bytes, {take('wc_buffers')} buffers",
             ", ".join(filter(None, [level("l1"), level("l2"), level("l3"),
                                     f"memory {pairs('memory_ns')}"])),
             *([f"another CPU's line {pairs('clean_ns')}", f"changed {pairs('dirty_ns')}"]
               if "clean_ns" in left else []),
             f"flush {take('flush_ns')}",
             f"TLB of {take('tlb_entries')} entries, miss {take('tlb_miss_ns')}",
             *(f"{key} {take(key)}" for key in list(left) if left[key]),
             *(["the others 0"] if left else [])]
    return f"Prices {simulation(machine)['prices']}, in ns: {'; '.join(parts)}."
