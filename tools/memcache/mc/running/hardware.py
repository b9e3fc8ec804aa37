# SPDX-License-Identifier: GPL-2.0-only
"""The memory modules of this machine, as its firmware lists them for dmidecode, and the memory
errors that its memory controllers have counted (EDAC). A virtual machine has made-up modules,
so neither is read there."""

import os
import re
import subprocess
from pathlib import Path

from mc.running import counters
from mc.running.machine import Machine, hypervisor

EDAC = "sys/devices/system/edac/mc"
COUNTS = {"corrected": "ce_count", "uncorrected": "ue_count"}
DMIDECODE = ("dmidecode", "--type", "17")       # 17: memory devices
DIRECTORIES = "/usr/sbin:/sbin"                 # not in the PATH of everybody
UNITS = {"kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
SPEEDS = "Configured Memory Speed", "Configured Clock Speed"    # the second before dmidecode 3.2
SOCKET = r"\b(?:P|CPU|NODE|PROC|SOCKET)[ _]?\d+"
CHANNELS = (r".*?CHANNEL[ _-]?[A-Z0-9]+?(?=$|[ _-]|DIMM)",      # P0 CHANNEL A, ChannelA-DIMM0
            r".*DIMM[ _-]?(?:P\d+_)?[A-Z](?=\d+$)")             # CPU1_DIMM_A1, DIMM_P0_A0


def describe() -> dict:
    """What the front end adds to a `machine` record: the modules, or why they are not known."""
    machine = Machine()
    if guest := hypervisor(machine):
        return _unknown(f"a virtual machine ({guest})")
    path = f"{os.environ.get('PATH', '')}:{DIRECTORIES}"
    try:
        done = subprocess.run(DMIDECODE, capture_output=True, text=True, errors="replace",
                              env=os.environ | {"PATH": path, "LC_ALL": "C"}, check=False)
    except FileNotFoundError:
        return _unknown("dmidecode is not installed")
    except OSError as error:
        return _unknown(f"dmidecode: {error.strerror}")
    slots = modules(done.stdout)
    if slots:
        return {"slots": slots, "why": None}
    said = " ".join((done.stderr or done.stdout).split())
    return _unknown("dmidecode needs root" if machine.uid else
                    f"dmidecode lists no memory modules{': ' if said else ''}{said[:200]}")


def _unknown(why: str) -> dict:
    return {"slots": [], "why": why}


def modules(text: str) -> list[dict]:
    """The slots for modules of memory in what dmidecode prints. An empty slot has no size."""
    found = []
    for block in re.split(r"\n\s*\n", text):
        fields = dict(re.findall(r"^\t([^\t:]+): *(.*?)\s*$", block, re.M))
        if not re.search(r"^Memory Device$", block, re.M) or "Size" not in fields:
            continue
        size = _quantity(fields["Size"], UNITS)
        if size and not re.search(r"DDR|DRAM|HBM", fields.get("Type", "")):
            continue        # a flash chip of the firmware, or persistent memory
        found.append({
            "slot": _named(fields, "Locator") or _named(fields, "Bank Locator") or "?",
            "channel": _channel(_named(fields, "Bank Locator"), _named(fields, "Locator")),
            "size_bytes": size, "width_bits": _quantity(fields.get("Data Width", ""), {"bits": 1}),
            "rated_mt_per_s": _speed(fields, "Speed"),
            "mt_per_s": next(filter(None, (_speed(fields, name) for name in SPEEDS)), None)})
    return found


def _quantity(text: str, units: dict[str, int]) -> int | None:
    match = re.fullmatch(r"(\d{1,12}) (\w+)", text)
    return int(match[1]) * units[match[2]] or None if match and match[2] in units else None


def _speed(fields: dict[str, str], name: str) -> int | None:
    """Transfers a second; older versions of dmidecode print MHz and mean the same."""
    return _quantity(fields.get(name, ""), {"MT/s": 1, "MHz": 1}) or \
        (int(match[1]) if (match := re.match(r"(\d+) MT/s", fields.get(name, ""))) else None)


def _named(fields: dict[str, str], name: str) -> str:
    text = fields.get(name, "")
    return "" if text in ("Not Specified", "Unknown", "None") else text


def _channel(bank: str, slot: str) -> str | None:
    """The channel of a slot, with its socket, if the names of the slot say it."""
    for text in (bank, slot):
        for pattern in CHANNELS:
            if match := re.match(pattern, text, re.I):
                sockets = re.findall(SOCKET, f"{bank} {slot}", re.I)
                return " ".join([*(one for one in dict.fromkeys(sockets) if one not in match[0]),
                                 match[0]])
    return None


def errors(top: Path | None = None) -> dict[str, int] | None:
    """The memory errors counted since the machine was booted; None if it counts none."""
    found: dict[str, int] = {}
    for controller in sorted(((top or counters.root()) / EDAC).glob("mc[0-9]*")):
        for kind, name in COUNTS.items():
            try:
                found[kind] = found.get(kind, 0) + int((controller / name).read_text())
            except (OSError, ValueError):
                return None
    return found or None


def came(before: dict[str, int] | None, after: dict[str, int] | None) -> dict[str, int]:
    """The errors that came between two looks; empty if none came, or none are counted."""
    if before is None or after is None or before == after:
        return {}
    return {kind: max(after[kind] - before[kind], 0) for kind in after}
