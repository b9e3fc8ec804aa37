# SPDX-License-Identifier: GPL-2.0-only
"""Results beside what is published of their CPU, for a terminal or a page."""

from mc import plural
from mc.analysis import marks, normal
from mc.analysis.normal import Beside, figure_text
from mc.output import comparison
from mc.parts import Grid, Heading, Part, Sentence, bullets
from mc.records.results import Run


def parts(runs: list[Run], wide: bool = True) -> list[Part]:
    """A table of the figures that are published of this CPU, remarks on those that are outside,
    and, if `wide`, the shares of what arithmetic allows. Nothing if nothing is known."""
    found = normal.results_with_references(runs)
    said: list[Part] = []
    if found:
        several = len({one.run.where for one in found}) > 1
        said.append(Grid(["figure", "measured", "published of this CPU", "machines", ""],
                         [_row(one, several) for one in found]))
        said += bullets([text for one in found if (text := normal.sentence(one))])
    for narrow in normal.remark_on_width(runs[0].machine):
        if not any(narrow in text for text in map(normal.sentence, found)):
            said += bullets([f"{narrow[:1].upper()}{narrow[1:]}."])
    if found and any(one.expected.slow for one in found):
        said.append(Sentence("`memcache reference` has the sources."))
    if peaks := normal.peaks(runs) if wide else []:
        said.append(Grid(["the most that arithmetic allows", "measured", "at most", "share"], [
            [f"{result.get('op')}, {BY[by]}", comparison.plain_figure(result),
             figure_text(result, most), f"{100 * result['mb_per_s'] / most:.0f} %"]
            for _, result, most, by in peaks]))
    if wide and not found and (why := normal.reason_for_no_comparison(runs)):
        said.append(Sentence(f"Not compared with published figures: {why}."))
    return [Heading("Is this normal?"), *said] if said else []


BY = {"ports": "ports of the cores", "modules": "channels of memory"}


def _row(one: Beside, several: bool) -> list[str]:
    """`several`: the figures are of both sides."""
    where = f" ({one.run.where})" if several else ""
    name = one.run.machine.get("hypervisor")
    whose = ", the host's" if one.figure.startswith("l3") and name not in (None, "unknown") else ""
    return [f"{one.words}{whose}{where}",
            marks.mark(one.run, one.result) + comparison.plain_figure(one.result),
            _range(one), str(one.expected.reference.machines), _mark(one)]


def _range(one: Beside) -> str:
    """`10.5 to 14.1 ns`, or the only figure."""
    low, high = (figure_text(one.result, value) for value in (one.expected.low, one.expected.high))
    if low == high:
        return low
    number, unit = low.split()
    return f"{number if high.endswith(' ' + unit) else low} to {high}"


def _mark(one: Beside) -> str:
    """`2.7x ↓` for a figure that is outside on its slow side."""
    if not one.expected.slow:
        return ""
    return f"{max(one.times, 1 / one.times):.1f}x ↓"


def cell(one: Beside) -> str:
    """The same for a cell of a table, with the number of machines in a second line."""
    count = one.expected.reference.machines
    return f"{_range(one)}\n{plural(count, 'machine')}{', ' * one.expected.slow}{_mark(one)}"
