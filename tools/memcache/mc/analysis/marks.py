# SPDX-License-Identifier: GPL-2.0-only
"""The marks of figures that say less than they seem to, and what the marks mean.

! the data were wrong; ? nothing could be so fast; ~ the loop had not settled; ± others had a part
in it."""

from collections.abc import Iterable

from mc import out_of
from mc.analysis import hardware, ports
from mc.analysis.disturbed import WHY as DISTURBED
from mc.analysis.disturbed import is_disturbed, without_figure
from mc.records.fields import has_settled
from mc.records.results import Run

MEANS = {"?": "more than memory or the ports of a core can do", "~": "the loop had not settled",
         "±": "disturbed"}
# Why the engine says steady=no.
WHY = "samples still changed when they were taken, or did not agree within 100 ms"


def mark_of_unsettled(*states: bool) -> str:
    """The mark of a figure for which these loops had settled, or had not."""
    return "" if all(states) else "~"


def mark(run: Run, result: dict) -> str:
    """The mark before the figures of a result. Wrong data have the mark `!` and no other."""
    if result.get("verified") == "failed":
        return "!"
    doubtful = hardware.is_implausible(run, result) or ports.is_beyond_ports(run.machine, result)
    return "?" * doubtful + mark_of_unsettled(has_settled(result)) + "±" * is_disturbed(result)


def join_marks(marks: Iterable[str]) -> str:
    """The mark of a figure that stands for several results."""
    text = "".join(marks)
    return "!" if "!" in text else "".join(one for one in MEANS if one in text)


def sentences(pairs: list[tuple[Run, dict]]) -> list[str]:
    """A sentence on each mark of these results, but on wrong data and on the memory modules, which
    have warnings of their own."""
    texts = [f"{text}." for text in [without_figure([result for _, result in pairs])] if text]
    beyond = [(run, result) for run, result in pairs if ports.is_beyond_ports(run.machine, result)]
    if beyond:
        run, worst = max(beyond, key=_times_of_limit)
        texts.append(f"? In {out_of(len(beyond), len(pairs), 'result')} a core moved more bytes in "
                     f"a cycle than its ports can ({worst['op']}: "
                     f"{worst['bytes_per_core_cycle']:.1f}, at most "
                     f"{ports.limit(run.machine, worst):.0f}): the clock that was measured was not "
                     "that of the samples.")
    if count := sum(not has_settled(result) for _, result in pairs):
        texts.append(f"~ In {out_of(count, len(pairs), 'result')} the loop had not settled: its "
                     f"{WHY}.")
    if count := sum(is_disturbed(result) for _, result in pairs):
        texts.append(f"± {out_of(count, len(pairs), 'result')} {'was' if count == 1 else 'were'} "
                     f"disturbed: {DISTURBED}.")
    return texts


def _times_of_limit(pair: tuple[Run, dict]) -> float:
    """The bytes of a result in a cycle, as a multiple of the limit of the ports."""
    run, result = pair
    return result["bytes_per_core_cycle"] / (ports.limit(run.machine, result) or 1)
