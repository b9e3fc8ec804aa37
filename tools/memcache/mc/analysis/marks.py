# SPDX-License-Identifier: GPL-2.0-only
"""The marks of figures that say less than they seem to, and what the marks mean.

! the data were wrong; ? nothing could be so fast; ~ the loop had not settled; ± others had a part
in it."""

from collections.abc import Iterable

from mc import out_of
from mc.analysis import hardware, ports
from mc.analysis.disturbed import WHY as DISTURBED
from mc.analysis.disturbed import disturbed
from mc.records.fields import settled
from mc.records.results import Run

MEANS = {"?": "more than memory or the ports of a core can do", "~": "the loop had not settled",
         "±": "disturbed"}
# Why the engine says steady=no.
WHY = "samples still changed when they were taken, or did not agree within 100 ms"


def unsettled(*known: bool) -> str:
    """The mark of a figure for which these loops had settled, or had not."""
    return "" if all(known) else "~"


def mark(run: Run, result: dict) -> str:
    """What stands before the figures of a result. If its data were wrong, nothing else matters."""
    if result.get("verified") == "failed":
        return "!"
    doubtful = hardware.implausible(run, result) or ports.beyond(run.machine, result)
    return "?" * doubtful + unsettled(settled(result)) + "±" * disturbed(result)


def joined(marks: Iterable[str]) -> str:
    """The mark of a figure that stands for several results."""
    found = "".join(marks)
    return "!" if "!" in found else "".join(one for one in MEANS if one in found)


def sentences(pairs: list[tuple[Run, dict]]) -> list[str]:
    """A sentence on each mark of these results, but on wrong data and on the memory modules, which
    have warnings of their own."""
    said = []
    beyond = [(run, result) for run, result in pairs if ports.beyond(run.machine, result)]
    if beyond:
        run, worst = max(beyond, key=_times)
        said.append(f"? In {out_of(len(beyond), len(pairs), 'result')} a core moved more bytes in "
                    f"a cycle than its ports can ({worst['op']}: "
                    f"{worst['bytes_per_core_cycle']:.1f}, at most "
                    f"{ports.limit(run.machine, worst):.0f}): the clock that was measured was not "
                    "that of the samples.")
    if count := sum(not settled(result) for _, result in pairs):
        said.append(f"~ In {out_of(count, len(pairs), 'result')} the loop had not settled: its "
                    f"{WHY}.")
    if count := sum(disturbed(result) for _, result in pairs):
        said.append(f"± {out_of(count, len(pairs), 'result')} {'was' if count == 1 else 'were'} "
                    f"disturbed: {DISTURBED}.")
    return said


def _times(pair: tuple[Run, dict]) -> float:
    """How many times the limit of the ports."""
    run, result = pair
    return result["bytes_per_core_cycle"] / (ports.limit(run.machine, result) or 1)
