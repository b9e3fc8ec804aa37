# SPDX-License-Identifier: GPL-2.0-only
"""Which regions of memory are slower than the others of their node, in results of `scan`.

A region is compared with the regions of the same scan, operation and node, by the rule for equal
machines (outliers.py): with the median and the spread by median absolute deviations, once for its
bandwidth and once for its latency. Its fastest sample must be slower, too: what disturbs a sample
passes, and a bad module stays. Regions whose bandwidth caches have had a part in, and those of
which little was free, differ for that reason, and are not compared.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mc import plural
from mc.analysis import outliers
from mc.parts import Heading, Part, bullets
from mc.records import units
from mc.records.fields import request_keys
from mc.records.results import Run

COVERED = 25        # percent of a region, at least, for it to be compared
MOST = 20           # regions that the report names
# A time for each figure: how much longer a slower region takes.
TIMES: dict[str, Callable[[float], float]] = {"mb_per_s": lambda rate: 1 / rate,
                                              "ns_per_load": float}


@dataclass(frozen=True)
class Slow:
    """A region that is slower than others in a figure, whose median among them is `typical`."""
    result: dict
    figure: str
    typical: float


def scan_results(runs: list[Run]) -> list[dict]:
    """The results of scans."""
    return [result for run in runs for result in run.results if result["test"] == "scan"]


def is_comparable(result: dict) -> bool:
    """Whether the region can be compared with others."""
    return not _reason_against(result)


def _reason_against(result: dict) -> str:
    """Why the region can't be compared with others; empty if it can."""
    if result.get("verified") == "failed":
        return "whose data were wrong"
    if (result.get("covered_bytes") or 0) * 100 < COVERED * result["region_bytes"]:
        return f"of which less than {COVERED} % was free"
    if result.get("level") == "memory":
        return ""
    return "whose bandwidth caches had a part in" if result.get("level") else \
        "of which nobody knows whether caches had a part in the bandwidth"


def slow_regions(runs: list[Run]) -> list[Slow]:
    """The regions that are slower than others of their node, in order of their addresses."""
    regions = [one for run in runs for group in _groups(run) for figure in TIMES
               for one in _slow_in_group(group, figure)]
    return sorted(regions, key=lambda one: one.result["begin_mib"])


def _groups(run: Run) -> Iterator[list[dict]]:
    """The regions of this run that are compared with each other."""
    groups: dict[tuple, list[dict]] = {}
    for result in scan_results([run]):
        keys = [(key, str(value)) for key, value in request_keys(result).items()]
        if is_comparable(result):
            groups.setdefault((result["where"], result.get("memory_node"), *keys), []).append(
                result)
    yield from groups.values()


def _hide_slow_ones(group: list[dict], figure: str) -> bool:
    """Whether these regions differ so much that a slow one would not be noticed."""
    times = [TIMES[figure](result[figure]) for result in group if result.get(figure)]
    return len(times) >= outliers.FEWEST and \
        any(one.blurred for one in outliers.distances(times, times))


def _slow_in_group(group: list[dict], figure: str) -> Iterator[Slow]:
    measured = [result for result in group if result.get(figure)]
    if len(measured) < outliers.FEWEST:
        return
    times = [TIMES[figure](result[figure]) for result in measured]
    distances = outliers.distances(times, times)
    limit = outliers.limit((one.chance for one in distances if one.slow), len(distances))
    for result, one in zip(measured, distances):
        if one.slow and one.chance <= limit and \
                one.typical <= outliers.SLOWER * one.time * _share_of_fastest(result, figure):
            yield Slow(result, figure, TIMES[figure](one.typical))


def _share_of_fastest(result: dict, figure: str) -> float:
    """The time of the fastest sample as a share of that of the median sample."""
    if figure == "mb_per_s":
        return (result.get("min_ns") or 1) / (result.get("median_ns") or 1)
    return (result.get("ns_per_load_min") or result[figure]) / result[figure]


def parts(runs: list[Run]) -> list[Part]:
    """The part of a report on slow regions."""
    results = scan_results(runs)
    if not results:
        return []
    slow = slow_regions(runs)
    sentences = [_sentence(one) for one in slow[:MOST]]
    if len(slow) > MOST:
        sentences.append(f"{len(slow) - MOST} more.")
    for why, count in Counter(filter(None, map(_reason_against, results))).items():
        sentences.append(f"Not compared: {plural(count, 'region')} {why}.")
    if not slow and max(map(len, (group for run in runs for group in _groups(run))),
                        default=0) < outliers.FEWEST:
        sentences.append(f"Fewer than {outliers.FEWEST} regions can be compared, so nobody can say "
                         "which is unusual.")
    elif not slow and any(_hide_slow_ones(group, figure) for run in runs for group in _groups(run)
                          for figure in TIMES):
        sentences.insert(0, "Can't tell: the regions differ so much among themselves that one of "
                            f"{outliers.BLURRED:g} times the speed would not be noticed.")
    elif not slow:
        sentences.insert(0, "None.")
    return [Heading("Regions slower than others of their node"), *bullets(sentences)]


def _sentence(one: Slow) -> str:
    name = one.result.get("physical_address") or f"{one.result['begin_mib']} MiB (virtual)"
    node = one.result.get("memory_node")
    where = "" if node is None else f", node {node}"
    figure, unit = ("bandwidth", units.rates().name) if one.figure == "mb_per_s" else \
        ("latency", "ns")
    value, typical = (units.text(one.figure, one_value) for one_value in
                      (one.result[one.figure], one.typical))
    return f"{name}{where}: {figure} {value} {unit}, where {typical} {unit} is usual."
