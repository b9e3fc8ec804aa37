# SPDX-License-Identifier: GPL-2.0-only
"""What the memory modules of the machine can deliver, beside what was measured; and memory
errors that came during a run."""

from mc.parts import Heading, Part, Sentence, bullets
from mc.records import units
from mc.records.results import Run

RATE = "mb_per_s"


def channels(slots: list[dict]) -> dict[str, list[dict]]:
    """The slots of each channel. If the names of the slots do not say which share a channel,
    each slot counts as one, so that the peak is too high rather than too low."""
    named = all(slot["channel"] for slot in slots)
    found: dict[str, list[dict]] = {}
    for number, slot in enumerate(slots):
        key = slot["channel"] if named else f"{slot['slot']} {number}"
        found.setdefault(key, []).append(slot)
    return found


def installed(slots: list[dict]) -> list[dict]:
    return [slot for slot in slots if slot["size_bytes"]]


def peak(machine: dict) -> float | None:
    """The MB/s that all channels can transfer together; None if they are not known."""
    total = 0.0
    for slots in channels(machine.get("modules", {}).get("slots", [])).values():
        mine = installed(slots)
        if not mine:
            continue
        speeds = [slot["mt_per_s"] for slot in mine]
        widths = [slot["width_bits"] for slot in mine]
        if None in speeds or None in widths:
            return None
        total += min(speeds) * max(widths) / 8
    return total or None


def share(run: Run, result: dict) -> float | None:
    """The share of the peak that a result reached that went to memory."""
    most, rate = peak(run.machine), result.get(RATE)
    if not most or result.get("level") != "memory" or not isinstance(rate, (int, float)):
        return None
    return rate / most


def implausible(run: Run, result: dict) -> bool:
    """Whether a result is more than the memory can deliver."""
    return (share(run, result) or 0) > 1


def parts(runs: list[Run], wide: bool) -> list[Part]:
    """What the firmware says of the modules and the share of their peak; memory errors."""
    return [*_modules(runs, wide), *_errors(runs)]


def _modules(runs: list[Run], wide: bool) -> list[Part]:
    told = runs[0].machine.get("modules")
    reached = [(run, result) for run in runs for result in run.results
               if result.get("level") == "memory" and isinstance(result.get(RATE), (int, float))]
    if not told or not (reached or wide):
        return []
    if told["why"]:
        return [Sentence(f"Peak of the memory modules: na ({told['why']}).")] if wide else []
    most = peak(runs[0].machine)
    said = [_described(told["slots"], most), *_remarks(told["slots"])]
    if most and reached:
        best = max(reached, key=lambda pair: pair[1][RATE])
        sound = [pair for pair in reached if not implausible(*pair)]
        if sound:
            best = max(sound, key=lambda pair: pair[1][RATE])
            said.append(f"Most that was measured: {_rate(best[1][RATE])}, "
                        f"{100 * best[1][RATE] / most:.0f} % of that ({_name(*best)}).")
        said += [f"IMPLAUSIBLE: {_name(*pair)}: {_rate(pair[1][RATE])} is "
                 f"{100 * pair[1][RATE] / most:.0f} % of what the modules can deliver. A cache "
                 "held part of the data, or the clock was wrong."
                 for pair in reached if implausible(*pair)]
    return [Heading("Memory modules"), *bullets(said, gap=False)]


def _described(slots: list[dict], most: float | None) -> str:
    """`4 modules, 64G, on 2 channels: 47.7 GB/s at most`"""
    mine = installed(slots)
    named = all(slot["channel"] for slot in slots)
    count = len({slot["channel"] for slot in mine})
    speeds = " and ".join(f"{speed} MT/s" if speed else "an unknown speed" for speed in
                          sorted({slot["mt_per_s"] for slot in mine}, key=lambda one: one or 0))
    where = f"on {count} channel{'s' * (count != 1)}" if named else \
        "(which of them share a channel is not said, so each counts as one)"
    peak_text = f"{_rate(most)} at most" if most else "na, as their speed or width is not said"
    total = units.size(sum(slot["size_bytes"] for slot in mine))
    return f"{len(mine)} module{'s' * (len(mine) != 1)}, {total}, at {speeds}, {where}: " \
           f"{peak_text}."


def _remarks(slots: list[dict]) -> list[str]:
    """Channels without a module, channels with fewer than others, and slow modules."""
    found = []
    if all(slot["channel"] for slot in slots):
        filled = {name: len(installed(mine)) for name, mine in channels(slots).items()}
        most = max(filled.values())
        found += [f"Channel {name} has no module." if not count else
                  f"Channel {name} has {count} of the {most} modules that others have."
                  for name, count in filled.items() if count < most]
    found += [f"{slot['slot']} runs at {slot['mt_per_s']} MT/s; it is rated for "
              f"{slot['rated_mt_per_s']}." for slot in installed(slots)
              if slot["mt_per_s"] and (slot["rated_mt_per_s"] or 0) > slot["mt_per_s"]]
    return found


def _errors(runs: list[Run]) -> list[Part]:
    """A loud warning if memory errors were counted during a request."""
    hit = [run for run in runs if run.request.get("memory_errors")]
    if not hit:
        return []
    return [Heading("*** MEMORY ERRORS WERE COUNTED DURING THE RUN. ***"), *bullets([
        f"{run.label}: " + ", ".join(f"{count} {kind}" for kind, count in
                                     run.request["memory_errors"].items()) for run in hit])]


def _rate(mb_per_s: float) -> str:
    return f"{units.rate(mb_per_s, coarse=True)} {units.rates().name}"


def _name(run: Run, result: dict) -> str:
    words = [str(result["test"]), *(f"{key}={result[key]}" for key in ("op",) if key in result),
             f"size={units.text('size_bytes', result.get('size_bytes'))}"]
    return run.request.get("label") or " ".join(words)
