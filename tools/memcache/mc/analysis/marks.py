# SPDX-License-Identifier: GPL-2.0-only
"""The marks of figures that say less than they seem to, and what the marks mean.

! the data were wrong; ? nothing could be so fast; ~ the loop had not settled; ± others had a part
in it."""

from collections.abc import Iterable

from mc.analysis import hardware, ports
from mc.analysis.disturbed import is_disturbed, without_figure
from mc.analysis.words import Say, said
from mc.records.fields import has_settled
from mc.records.results import Pair, Pairs, Run

MEANS = {"?": "more than memory or the ports of a core can do", "~": "the loop had not settled",
         "±": "disturbed"}


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


def sentences(pairs: Pairs) -> list[Say | str]:
    """A sentence on each mark of these results, but on wrong data and on the memory modules, which
    have warnings of their own."""
    texts: list[Say | str] = []
    if lost := without_figure([result for _, result in pairs]):
        texts.append(f"{lost}.")
    if beyond := [pair for pair in pairs if ports.is_beyond_ports(pair[0].machine, pair[1])]:
        run, worst = max(beyond, key=_times_of_limit)
        texts.append(Say("beyond_ports", count=(len(beyond), len(pairs)), op=worst["op"],
                         moved=worst["bytes_per_core_cycle"],
                         most=ports.limit(run.machine, worst)))
    moving, hit = (sum(map(is_so, (result for _, result in pairs)))
                   for is_so in (lambda result: not has_settled(result), is_disturbed))
    return [*texts, *said((moving, "unsettled", {"count": (moving, len(pairs))}),
                          (hit, "disturbed", {"count": (hit, len(pairs))}))]


def _times_of_limit(pair: Pair) -> float:
    """The bytes of a result in a cycle, as a multiple of the limit of the ports."""
    run, result = pair
    return result["bytes_per_core_cycle"] / (ports.limit(run.machine, result) or 1)
