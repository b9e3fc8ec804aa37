# SPDX-License-Identifier: GPL-2.0-only
"""References from machines: the range of each figure of a model, and by how much single machines
of a model differ from others. And whether that works, on machines that are held out."""

import json
from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from math import ceil, exp, log
from statistics import median
from zlib import crc32

from machines import Measured

from mc.analysis.reference import (
    FIGURES,
    SEVERAL,
    TOGETHER,
    Data,
    Reference,
    is_of_a_chip,
    spread_of,
)

TIMES = (2.5, 2.0, 1.5)     # spreads beyond the range of 1, 2 and 4 machines: SEVERAL
LEAST = 1.1            # the least allowance: figures of a source are rounded
FEW = 8                 # fewer pairs tell no spread
UNKNOWN = 0.25          # the spread of a figure with fewer
MOST = 10               # differences of a model that count
SHARE = 0.96            # of machines that an allowance lets pass
ENOUGH = 60             # differences that show this share
NORMAL = 1.4826         # the standard deviation is so many median deviations
ODD = 1.25              # a machine is odd if it is so many times the median, and
ODD_SPREADS = 3.0       # so many standard deviations away
COMMON = 0.1            # the share of machines that have the same width of memory
FOLDS = 5
CHIP, CORE = "same chip", "same core"       # what the machines that are known have in common

Values = dict[tuple[str, str], list[Measured]]
Logs = tuple[float, ...]        # logarithms of figures of one machine


def by_figure(machines: Iterable[Measured]) -> Values:
    found: Values = {}
    for one in machines:
        for figure in one.figures:
            for model in one.keys(figure):
                found.setdefault((model, figure), []).append(one)
    return found


def build(machines: Iterable[Measured], sources: dict[str, dict], names: dict[str, str]) -> Data:
    """The references of these machines."""
    values = by_figure(machines)
    data = Data(sources, names, {}, {})
    for (model, figure), several in sorted(values.items()):
        several = without_odd_ones(several, figure)
        mine = sorted(one.figures[figure] for one in several)
        data.rows.setdefault(model, {})[figure] = Reference(
            model, figure, *map(round_figure, (mine[0], median(mine), mine[-1])), len(mine),
            "+".join(sorted({one.source for one in several})),
            max((one.year for one in several if one.year), default=None))
    data.allowances.update(all_allowances(values))
    return data


def all_allowances(values: Values) -> dict[str, list[float]]:
    """The allowances of each figure that can be slow, and of those of TOGETHER in one machine."""
    judged = {figure for figure, told in FIGURES.items() if told.slow is not None}
    spreads: dict[str, list[list[Logs]]] = {figure: [] for figure in FIGURES if figure in judged}
    for (model, figure), several in values.items():
        for figures in ((figure,), TOGETHER):
            if figure == figures[0] and figure in judged:
                spreads.setdefault(spread_of(model, *figures), []).append(
                    [tuple(log(one.figures[name]) for name in figures) for one in several
                     if one.figures.keys() >= set(figures)])
    return {kind: allowances(models) for kind, models in spreads.items()}


def without_odd_ones(several: list[Measured], figure: str) -> list[Measured]:
    """The machines of a model without odd ones, which only four or more show. Of the width of
    memory, which people choose, those are odd that are rare: errors of firmware."""
    if figure == "memory_bits":
        counts = Counter(one.figures[figure] for one in several)
        return [one for one in several
                if counts[one.figures[figure]] >= min(2, len(several)) and
                counts[one.figures[figure]] >= COMMON * len(several)] or several
    logs = [log(one.figures[figure]) for one in several]
    middle = median(logs)
    far = max(log(ODD), ODD_SPREADS * NORMAL * median(abs(one - middle) for one in logs))
    return [one for one, value in zip(several, logs)
            if len(several) < 4 or abs(value - middle) <= far]


def round_figure(value: float) -> float:
    """Four digits, or all of a whole number."""
    if value >= 1000 or value == int(value):
        return int(round(value))
    return float(f"{value:.4g}")


def allowances(models: list[list[Logs]]) -> list[float]:
    """For 1, 2 and 4 machines of a model: the factor beyond their range that is still usual. It
    comes from what pairs of machines of a model differ by: a robust standard deviation of the
    logarithms of their ratios, to which a few odd machines do nothing. Where there are enough
    machines, SHARE of them lie within it, too."""
    pairs = [_excess(one, [other]) for values in models if len(values) > 1
             for one, other in thin_out(list(combinations(sorted(values), 2)))]
    spread = NORMAL * median(pairs) if len(pairs) >= FEW else UNKNOWN
    found = []
    for count, times in zip(SEVERAL, TIMES):
        beyond = sorted(excess for values in models if len(values) > count
                        for excess in thin_out(_excesses(values, count)))
        most = beyond[int(SHARE * (len(beyond) - 1))] if len(beyond) >= ENOUGH else 0.0
        found.append(round(max(LEAST, exp(max(times * spread, most))), 3))
    return found


def _excess(machine: Logs, others: list[Logs]) -> float:
    """By how much a figure lies beyond the range of other machines. Several figures: by how much
    all of them lie below."""
    columns = [*zip(machine, *others)]
    below = min(min(rest) - mine for mine, *rest in columns)
    above = max(mine - max(rest) for mine, *rest in columns) if len(machine) == 1 else 0.0
    return max(below, above, 0.0)


def _excesses(values: list[Logs], count: int) -> list[float]:
    """By how much each machine lies beyond the range of `count` others."""
    found = []
    for i, value in enumerate(values):
        rest = values[:i] + values[i + 1:]
        for start in range(0, len(rest) - count + 1, count):
            found.append(_excess(value, rest[start:start + count]))
    return found


def thin_out(values: list) -> list:
    """At most MOST of these, evenly, so that no model counts for all."""
    return values[::ceil(len(values) / MOST)] if values else []


def text(data: Data) -> str:
    """The file: a line a model."""
    def pairs(found: dict) -> str:
        return ",\n".join(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
                          for key, value in found.items())

    def row(one: Reference) -> str:
        return json.dumps([one.model, one.figure, one.low, one.typical, one.high, one.machines,
                           one.sources, one.year], ensure_ascii=False)
    rows = ",\n".join(", ".join(map(row, mine.values())) for mine in data.rows.values())
    return f'{{"schema": 1,\n"sources": {{\n{pairs(data.sources)}}},\n' \
           f'"allowances": {{\n{pairs(data.allowances)}}},\n' \
           f'"models": {{\n{pairs(data.names)}}},\n"figures": [\n{rows}\n]}}\n'


def fold(one: Measured) -> int:
    """The fifth that a machine belongs to; all sources of a name are in one."""
    return crc32(one.name.encode()) % FOLDS


PLANTED = {
    "L3 takes 1.3 times as long": lambda told: {
        figure: 1.3 * told[figure] for figure in ("l3_cycles",) if figure in told},
    "half of the channels": lambda told: {
        figure: told[figure] / 2 for figure in told if figure in (
            "copy_mb_per_s", "write_mb_per_s", "socket_read_mb_per_s")},
    "half of the modules": lambda told: {
        figure: told[figure] / 2 for figure in ("memory_bits",) if figure in told},
    "prefetchers off": lambda told: {
        "memory_stride_ns": told["memory_ns"]} if {"memory_stride_ns", "memory_ns"} <= told.keys()
        else {},
}


def evaluate(machines: list[Measured]) -> list[str]:
    """Each fifth of the machines against the references of the others: how many figures are
    called abnormal, which are those that are too slow, how many are better than the range and its
    allowance, and how many of the planted faults are found."""
    judged, slow, better = Counter[str](), Counter[str](), Counter[str]()
    for held in range(FOLDS):
        data = build((one for one in machines if fold(one) != held), {}, {})
        for one in machines:
            rows = data.known(one.model, one.platform) if fold(one) == held else {}
            found = data.slow_figures(rows, one.figures)
            for figure, value in one.figures.items():
                if figure in rows and FIGURES[figure].slow is not None:
                    judged[figure] += 1
                    slow[figure] += figure in found
                    better[figure] += figure not in found and \
                        bool(data.outside(rows[figure], value))
            for name, plant in PLANTED.items():
                known = {figure: value for figure, value in plant(one.figures).items()
                         if figure in rows}
                if not known:
                    continue
                same = all(is_of_a_chip(rows[figure].model) for figure in known)
                row = f"{name}, {CHIP if same else CORE}"
                judged[row] += 1
                slow[row] += bool(data.slow_figures(rows, known))
    figures = [name for name in FIGURES if name in judged]
    total, wrong, good = (sum(count[name] for name in figures) for count in (judged, slow, better))
    return [f"{'held out':32}  figures  abnormal  better",
            *(f"{name:32}  {judged[name]:7}  {slow[name]:8}  {better[name]:6}" for name in figures),
            f"{'all':32}  {total:7}  {wrong:8}  {good:6}", "",
            f"abnormal: {100 * wrong / max(total, 1):.1f} %", "",
            f"{'planted':42}  machines     found",
            *(f"{name:42}  {judged[name]:8}  {slow[name]:8}  "
              f"{100 * slow[name] / judged[name]:3.0f} %"
              for name in (f"{fault}, {known}" for fault in PLANTED for known in (CHIP, CORE))
              if judged[name])]
