# SPDX-License-Identifier: GPL-2.0-only
"""What the memory modules of the machine can deliver, beside what was measured; and memory
errors that came during a run."""

import re
from collections import Counter
from collections.abc import Iterator

from mc import grouped, plural
from mc.analysis.words import Say, said
from mc.parts import Heading, Part, Sentence, bullets
from mc.records import units
from mc.records.results import Pair, Run

RATE = "mb_per_s"
SLOTS = 3           # of a channel, at most
MODULE = 64         # bits of data of a module
ROUNDED = 2         # MT/s: 2133 and 2134 are the same speed
KINDS = {"dimm": "module", "rank": "rank", "csrow": "row"}      # of what EDAC lists
OTHER_MEMORY = "High-bandwidth", "Non-volatile"     # of EDAC, which SMBIOS lists elsewhere


def are_channels_known(slots: list[dict]) -> bool:
    """Whether it is known which modules share a channel."""
    counts = Counter(slot["channel"] for slot in slots)
    return bool(filled_slots(slots)) and all(slot["channel"] for slot in filled_slots(slots)) \
        and all(count <= SLOTS for name, count in counts.items() if name)


def channels(slots: list[dict]) -> dict[str, list[dict]]:
    """The slots of each channel. If it is not known which share a channel, each slot counts as
    one, so that the peak is too high rather than too low."""
    if not are_channels_known(slots):
        return {str(number): [slot] for number, slot in enumerate(slots)}
    return grouped((slot["channel"], slot) for slot in slots if slot["channel"])


def are_soldered(slots: list[dict]) -> bool:
    """Whether some are soldered chips, of which firmware often gives the width of one chip, or of
    all, for each."""
    return any((slot["width_bits"] or MODULE) < MODULE or
               str(slot.get("generation") or "").startswith("LP") for slot in filled_slots(slots))


def filled_slots(slots: list[dict]) -> list[dict]:
    return [slot for slot in slots if slot["size_bytes"]]


def is_at_half_speed(slot: dict) -> bool:
    """Whether the speed of a module is half of what it is rated for. Then firmware may have meant
    the clock."""
    speed, rated = slot["mt_per_s"], slot["rated_mt_per_s"]
    return bool(speed and rated) and abs(2 * speed - rated) <= ROUNDED


def slots_of(machine: dict) -> list[dict]:
    """The slots of a machine; none if they are not known. The firmware of a virtual machine makes
    them up. Nobody knows their channels if EDAC contradicts it."""
    slots = _modules_of(machine).get("slots", [])
    if contradiction(machine):
        return [slot | {"channel": None} for slot in slots]
    return slots


def _modules_of(machine: dict) -> dict:
    return (machine.get("hypervisor") is None and machine.get("modules")) or {}


def edac_units(machine: dict) -> list[dict]:
    """The modules, or the ranks of modules, that EDAC lists. Where the firmware reports errors
    (ghes_edac), it lists what SMBIOS does, as `memory 1`: that is no second source."""
    return [one for one in _modules_of(machine).get("edac") or []
            if not (one["memory_type"] or "").startswith(OTHER_MEMORY)
            and not (one["location"] or "").startswith("memory ")]


def _edac_channels(machine: dict) -> int | None:
    """How many channels have memory by EDAC; None if it does not say that of all."""
    channels = {one["channel"] for one in edac_units(machine)}
    return len(channels) if channels and None not in channels else None


def channel_count(machine: dict) -> int | None:
    """How many channels have a module: by the names of slots, else by EDAC; None if neither says
    it, or they contradict each other."""
    slots = slots_of(machine)
    if are_channels_known(slots):
        return len({slot["channel"] for slot in filled_slots(slots)})
    return None if contradiction(machine) or not filled_slots(slots) else _edac_channels(machine)


def contradiction(machine: dict) -> list[Say]:
    """What SMBIOS and EDAC say if they can't both be right. A rank is not a module, and there can
    be more of them; a row goes over several."""
    listed = edac_units(machine)
    slots = filled_slots(_modules_of(machine).get("slots", [])) if listed else []
    if not slots:
        return []
    sizes = [one["size_bytes"] for one in listed]
    known = {slot["channel"] for slot in slots} if are_channels_known(slots) else ()
    kind = KINDS.get(re.sub(r".*/|\d+", "", listed[0]["unit"]), "unit")
    size, count = sum(slot["size_bytes"] for slot in slots), _edac_channels(machine)
    told = None if None in sizes else sum(sizes)
    wrong = (told not in (None, size), kind == "rank" and len(listed) < len(slots),
             kind == "module" and len(listed) != len(slots), (count or 0) > len(slots),
             known and count and len(known) != count)
    return said((any(wrong), "modules_contradict", {
        "modules": len(slots), "size": size, "known_channels": len(known) or None,
        "units": len(listed), "kind": kind, "told": told, "told_channels": count}))


def peak(machine: dict, most: bool = False) -> float | None:
    """The MB/s that all channels can transfer together, or more if nobody knows which modules are
    on which of them; None if that is not known. `most`: half of a rated speed counts as a clock."""
    slots = slots_of(machine)
    if are_soldered(slots):
        return None
    rates = []
    for mine in filter(None, map(filled_slots, channels(slots).values())):
        speeds = [slot["rated_mt_per_s" if most and is_at_half_speed(slot) else "mt_per_s"]
                  for slot in mine]
        widths = [slot["width_bits"] for slot in mine]
        if None in speeds or None in widths:
            return None
        rates.append(min(speeds) * max(widths) / 8)
    return sum(sorted(rates, reverse=True)[:channel_count(machine)]) or None


def socket_width(machine: dict) -> int | None:
    """Bits of the memory bus; None unless there is one socket, with modules only: firmware often
    misstates soldered chips, and does not say which socket a channel belongs to."""
    slots = slots_of(machine)
    if len(machine.get("nodes") or []) != 1 or \
            any(slot["width_bits"] != MODULE for slot in filled_slots(slots)):
        return None
    count = None if are_channels_known(slots) else channel_count(machine)
    return count * MODULE if count else width(slots)


def width(slots: list[dict]) -> int | None:
    """The bits of all channels that have a module; None if they are not known."""
    if not are_channels_known(slots):
        return None
    widths = [[slot["width_bits"] for slot in filled_slots(mine)]
              for mine in channels(slots).values()]
    return None if any(None in mine for mine in widths) else \
        sum(max(mine, default=0) for mine in widths) or None


def is_implausible(run: Run, result: dict) -> bool:
    """Whether a result is more than the memory can deliver."""
    rate = result.get(RATE)
    if result.get("level") != "memory" or not isinstance(rate, (int, float)) \
            or channel_count(run.machine) is None:
        return False
    most = peak(run.machine, most=True)
    return most is not None and rate > most


def parts(runs: list[Run], wide: bool) -> list[Part]:
    """The part of a report on the memory modules, on the share of their peak that was measured,
    and on memory errors."""
    return [*_modules(runs, wide), *_errors(runs)]


def _modules(runs: list[Run], wide: bool) -> list[Part]:
    machine = runs[0].machine
    modules = machine.get("modules")
    reached = [(run, result) for run in runs for result in run.results
               if result.get("level") == "memory" and isinstance(result.get(RATE), (int, float))]
    if not modules or not (reached or wide):
        return []
    slots = slots_of(machine)
    if not filled_slots(slots):
        why = modules["why"] or ("the firmware lists none" if machine.get("hypervisor") is None else
                                 f"a hypervisor: {machine['hypervisor'] or 'unknown'}")
        return [Sentence(f"Peak of the memory modules: na ({why})."),
                *bullets(_units_in_words(machine))] if wide else []
    most = peak(machine)
    texts = [_modules_in_words(machine, slots, most), *remarks(machine),
             *(_units_in_words(machine) if wide else [])]
    if most and reached:
        sound = [pair for pair in reached if not is_implausible(*pair)]
        if sound:
            texts.append(_best_text(max(sound, key=lambda pair: pair[1][RATE]), most,
                                    len(sound) == len(reached)))
        texts += [f"IMPLAUSIBLE: {_name(*pair)}: {units.rate_text(pair[1][RATE])} is "
                  f"{100 * pair[1][RATE] / most:.0f} % of what the modules can deliver. A cache "
                  "held part of the data, the clock was wrong, or what the firmware says is."
                  for pair in reached if is_implausible(*pair)]
    return [Heading("Memory modules"), *bullets(texts, gap=False)]


def _best_text(pair: Pair, most: float, all_plausible: bool) -> str:
    rate = pair[1][RATE]
    what = "was measured" if all_plausible else "is plausible"
    if rate > most:
        return f"Most that was measured: {units.rate_text(rate)} ({_name(*pair)}). That is " \
               "more: the figure is wrong, or what the firmware says of the modules."
    return f"Most that {what}: {units.rate_text(rate)}, {100 * rate / most:.0f} % of that " \
           f"({_name(*pair)})."


def _units_in_words(machine: dict) -> list[str]:
    listed = _modules_of(machine).get("edac") or []
    return ["EDAC lists " + ", ".join(
        f"{one['label'] or one['unit']} ({one['location'] or 'no location'}): "
        f"{units.text('size_bytes', one['size_bytes'])}" for one in listed) + "."] if listed else []


def _modules_in_words(machine: dict, slots: list[dict], most: float | None) -> str:
    """`4 modules, 64G, at 2933 MT/s, on 2 channels: 46928 MB/s at most`"""
    mine = filled_slots(slots)
    if not mine:
        return "No modules: all slots are empty."
    speeds = " and ".join(f"{speed} MT/s" if speed else "an unknown speed" for speed in
                          sorted({slot["mt_per_s"] for slot in mine}, key=lambda one: one or 0))
    known = channel_count(machine)
    by = "" if are_channels_known(slots) else " (by EDAC)"
    where = f", on {plural(known, 'channel')}{by}" if known else \
        " (which of them share a channel is not said, so each counts as one)"
    peak_text = f"{units.rate_text(most)} at most" if most else \
        "na, as firmware often gets the width of soldered chips wrong" if are_soldered(mine) else \
        "na, as their speed or width is not said"
    total = units.size(sum(slot["size_bytes"] for slot in mine))
    return f"{len(mine)} module{'s' * (len(mine) != 1)}, {total}, at {speeds}{where}: " \
           f"{peak_text}."


def remarks(machine: dict) -> list[Say]:
    """What is wrong with the modules of a machine, as far as it is known."""
    slots = slots_of(machine)
    slow = grouped(((slot["mt_per_s"], slot["rated_mt_per_s"], is_at_half_speed(slot)),
                    slot["slot"]) for slot in filled_slots(slots) if slot["mt_per_s"]
                   and (slot["rated_mt_per_s"] or 0) > slot["mt_per_s"] + ROUNDED)
    nodes = sum(bool(node.get("cpus")) for node in machine.get("nodes") or [])
    return [*contradiction(machine), *_remarks_on_channels(slots, nodes),
            *(Say("modules_slow", slots=names, speed=speed, rated=rated, half=half)
              for (speed, rated, half), names in slow.items())]


def _remarks_on_channels(slots: list[dict], nodes: int) -> Iterator[Say]:
    """Channels without a module, and channels with fewer than others. Those of a socket without a
    CPU do not count."""
    if not are_channels_known(slots):
        return
    filled = {name: len(filled_slots(mine)) for name, mine in channels(slots).items()}
    used = {_place(name) for name, count in filled.items() if count}
    few = grouped((count, name) for name, count in filled.items() if count < max(filled.values())
                  and (_place(name) in used or len(used) < nodes))
    for count, names in few.items():
        yield Say("channels_short", channels=names, few=count, most=max(filled.values())) \
            if count else Say("channels_empty", channels=names)


def _place(channel: str) -> str:
    """The socket, node or controller in the name of a channel; empty if it has none."""
    place, *rest = re.split(r"CH|C\d+$|DIMM", channel, maxsplit=1, flags=re.I)
    return place.strip(" _-") if rest else ""


def _errors(runs: list[Run]) -> list[Part]:
    """A loud warning if memory errors were counted during a request."""
    hit = [run for run in runs if run.request.get("memory_errors")]
    if not hit:
        return []
    return [Heading("*** MEMORY ERRORS WERE COUNTED DURING THE RUN. ***"), *bullets([
        f"{run.label}: " + ", ".join(f"{count} {kind}" for kind, count in
                                     run.request["memory_errors"].items()) for run in hit])]


def _name(run: Run, result: dict) -> str:
    words = [str(result["test"]), *(f"{key}={result[key]}" for key in ("op",) if key in result),
             f"size={units.text('size_bytes', result.get('size_bytes'))}"]
    return run.request.get("label") or " ".join(words)
