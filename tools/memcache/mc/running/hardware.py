# SPDX-License-Identifier: GPL-2.0-only
"""The memory modules of this machine, as its firmware lists them for dmidecode, those that the
driver of its memory controllers lists (EDAC), and the memory errors that this one has counted. A
virtual machine has made-up modules, so neither list is read there."""

import re
from collections import Counter
from collections.abc import Iterator

from mc.records.shape import root
from mc.running import counters, module
from mc.running.channels import Slot, channels
from mc.running.machine import Machine, hypervisor, is_present

EDAC = "sys/devices/system/edac/mc"
# What it lists: modules, or ranks, of which a module has one to eight. Old kernels have rows, which
# go over several channels.
EDAC_KINDS = "dimm", "rank", "csrow"
CHANNEL = re.compile(r"(?:csrow \d+ )?((?:branch \d+ )?channel \d+)(?: slot \d+)?")
COUNTS = {"corrected": "ce_count", "uncorrected": "ue_count"}
DMIDECODE = ("dmidecode", "--type", "17")       # 17: memory devices
UNITS = {"kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
SPEEDS = "Configured Memory Speed", "Configured Clock Speed"    # the second before dmidecode 3.2
# Types that are no memory: firmware, and what persistent memory stores.
STORAGE = "ROM", "Flash", "EEPROM", "FEPROM", "EPROM", "Logical non-volatile device"
EMPTY = "No Module Installed"
SAYS_NOTHING = "Not Specified", "Unknown", "None", "NO DIMM", "<BAD INDEX>"
# The lowest transfers a second, in millions, of each generation of modules.
LOWEST = {"DDR": 200, "DDR2": 400, "DDR3": 800, "DDR4": 1600, "DDR5": 3200}
POSSIBLE = range(66, 12801)     # millions of transfers a second, of any generation
WIDTH = 64          # bits of data of a module; DDR5 has two times 32
WITH_ECC = {36: 32, 40: 32, 72: 64, 80: 64, 144: 128, 160: 128}


def describe() -> dict:
    """What the front end adds to a `machine` record: the modules, or why they are not known."""
    machine = Machine()
    guest = hypervisor(machine)
    if guest is not None:
        return _without_modules(f"a virtual machine ({guest})" if is_present(machine, guest) else
                                "not known whether this is a virtual machine")
    edac = controllers(machine)
    found = _firmware(machine)
    if not any(slot["channel"] for slot in found["slots"]):
        _take_channels(found["slots"], edac)
    return found | ({"edac": edac} if edac else {})


def _firmware(machine: Machine) -> dict:
    try:
        done = module.run_program(*DMIDECODE)
    except FileNotFoundError:
        return _without_modules("dmidecode is not installed")
    except OSError as error:
        return _without_modules(f"dmidecode: {error.strerror}")
    slots = modules(done.stdout)
    unsized = [fields for fields in _devices(done.stdout)
               if fields["Size"] != EMPTY and not _quantity(fields["Size"], UNITS)]
    if unsized:
        return _without_modules("dmidecode does not say the size of "
                                f"{_text_of(unsized[0], 'Locator') or 'a module'}")
    if any(slot["size_bytes"] for slot in slots):
        return {"slots": slots, "why": None}
    output = " ".join((done.stderr or done.stdout).split())
    return _without_modules("dmidecode needs root" if machine.uid else "dmidecode lists no memory "
                            f"modules{': ' if output else ''}{output[:200]}")


def _without_modules(why: str) -> dict:
    return {"slots": [], "why": why}


def modules(text: str) -> list[dict]:
    """The slots for modules of memory in what dmidecode prints. An empty slot has no size."""
    slots: list[dict] = []
    names: list[Slot] = []
    for fields in _devices(text):
        slot, bank = _text_of(fields, "Locator"), _text_of(fields, "Bank Locator")
        names.append(Slot(slot, bank, fields["Size"] != EMPTY))
        slots.append({"slot": slot or bank or "?", "channel": None, "channel_source": None,
                      "size_bytes": _quantity(fields["Size"], UNITS), "width_bits": _width(fields),
                      **_speeds(fields), "generation": _generation(fields)})
    for one, channel in zip(slots, channels(names)):
        one |= {"channel": channel, "channel_source": channel and "smbios"}
    return slots


def _devices(text: str) -> Iterator[dict[str, str]]:
    """The fields of each slot for memory."""
    for block in re.split(r"\n\s*\n|^(?=Handle |Memory Device$)", text, flags=re.M):
        fields = dict(re.findall(r"^\t([^\t:]+): *(.*?)\s*$", block, re.M))
        if re.match(r"Memory Device$", block, re.M) and "Size" in fields \
                and fields.get("Type") not in STORAGE:
            yield fields


def _width(fields: dict[str, str]) -> int | None:
    """The bits of data: firmware sometimes counts those of ECC, or one half of DDR5."""
    bits = _quantity(fields.get("Data Width", ""), {"bits": 1})
    chips = re.match("LPDDR|HBM", fields.get("Type", "")) or \
        not fields.get("Form Factor", "DIMM").endswith("DIMM")
    return bits and (WITH_ECC.get(bits, bits) if chips else WIDTH)


def _generation(fields: dict[str, str]) -> str | None:
    """DDR4, LPDDR5; None if dmidecode does not know it."""
    match = re.match(r"(LP)?DDR\d?\b", fields.get("Type", ""))
    return match[0] if match else None


def _speeds(fields: dict[str, str]) -> dict[str, int | None]:
    """Transfers a second. Some firmware gives the clock, which is half of that. It does so if no
    module of this kind is so slow. Then the rated speed is twice as high, or it is a clock, too."""
    rated = _speed(fields, "Speed")
    speed = next(filter(None, (_speed(fields, name) for name in SPEEDS)), None)
    lowest = LOWEST.get(fields.get("Type", "").partition(" ")[0], 0)
    slowest = speed or rated or 0
    if rated and speed and speed < lowest and abs(rated - 2 * speed) <= 2:
        speed = rated
    elif rated and slowest < lowest <= 2 * slowest and rated <= lowest:
        rated, speed = 2 * rated, speed and 2 * speed
    return {"rated_mt_per_s": rated, "mt_per_s": speed}


def _quantity(text: str, units: dict[str, int]) -> int | None:
    match = re.fullmatch(r"(\d{1,12}) (\w+)", text)
    return int(match[1]) * units[match[2]] or None if match and match[2] in units else None


def _speed(fields: dict[str, str], name: str) -> int | None:
    """Transfers a second; older versions of dmidecode print MHz and mean the same. None also for a
    speed that no module has."""
    match = re.match(r"(\d{1,9}) (?:MT/s|MHz)", fields.get(name, ""))
    return int(match[1]) if match and int(match[1]) in POSSIBLE else None


def _text_of(fields: dict[str, str], name: str) -> str:
    text = fields.get(name, "")
    return "" if text in SAYS_NOTHING else text


def controllers(machine: Machine) -> list[dict]:
    """What EDAC lists of each memory controller. Empty slots are not listed."""
    found = []
    for mc in sorted(machine.names(f"/{EDAC}"), key=counters.natural_key):
        names = sorted(machine.names(f"/{EDAC}/{mc}"), key=counters.natural_key)
        kinds = [[name for name in names if re.fullmatch(rf"{kind}\d+", name)]
                 for kind in EDAC_KINDS]
        for name in next(filter(None, kinds), []):
            label, location, memory, size, size_mb = (
                machine.read(f"/{EDAC}/{mc}/{name}/{file}").strip() or None for file in
                ("dimm_label", "dimm_location", "dimm_mem_type", "size", "size_mb"))
            where = CHANNEL.fullmatch(location or "")
            mib = re.fullmatch(r"\d{1,9}", size or size_mb or "")
            found.append({
                "unit": f"{mc}/{name}", "label": label, "location": location,
                "channel": f"{mc} {where[1]}" if where else None, "memory_type": memory,
                "size_bytes": int(mib[0]) << 20 or None if mib else None})
    return found


def _take_channels(slots: list[dict], edac: list[dict]) -> None:
    """Take the channels of slots whose names somebody has given to EDAC as labels."""
    names = Counter(_bare(slot["slot"]) for slot in slots)
    for slot in slots:
        name = _bare(slot["slot"])
        found = {unit["channel"] for unit in edac if _bare(unit["label"] or "") == name}
        if names[name] == len(found) == 1 and None not in found:
            slot |= {"channel": found.pop(), "channel_source": "edac"}


def _bare(text: str) -> str:
    return re.sub(r"[\W_]", "", text).upper()


def errors() -> dict[str, int] | None:
    """The memory errors counted since the machine was booted; None if it counts none."""
    counts: dict[str, int] = {}
    for controller in sorted((root() / EDAC).glob("mc[0-9]*")):
        for kind, name in COUNTS.items():
            try:
                counts[kind] = counts.get(kind, 0) + int((controller / name).read_text())
            except (OSError, ValueError):
                return None
    return counts or None


def new_errors(before: dict[str, int] | None, after: dict[str, int] | None) -> dict[str, int]:
    """The errors that came between two looks; empty if none came, or none are counted."""
    if before is None or after is None or before == after:
        return {}
    return {kind: max(after[kind] - before[kind], 0) for kind in after}
