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

from mc import grouped
from mc.analysis import outliers
from mc.analysis.words import Say, said
from mc.parts import Heading, Part, bullets
from mc.records import units
from mc.records.fields import request_keys
from mc.records.results import Run
from mc.records.shape import record_nodes

COVERED = 25        # percent of a region, at least, for it to be compared
SLOWER = 0.95       # the speed of a slow region by its fastest sample, at most
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
    return [result for run in runs for result in run.results if result["test"] == "scan"]


def is_comparable(result: dict) -> bool:
    """Whether the region can be compared with others."""
    return not _reason_against(result)


def _reason_against(result: dict) -> str:
    """Why the region can't be compared with others, as the id of a sentence; empty if it can."""
    if result.get("verified") == "failed":
        return "region_wrong"
    if (result.get("covered_bytes") or 0) * 100 < COVERED * result["region_bytes"]:
        return "region_in_use"
    if result.get("level") == "memory":
        return ""
    return "region_cached" if result.get("level") else "region_unknown"


def slow_regions(runs: list[Run]) -> list[Slow]:
    """The regions that are slower than others of their node, in order of their addresses."""
    regions = [one for run in runs for group in _groups(run) for figure in TIMES
               for one in _slow_in_group(group, figure)]
    return sorted(regions, key=lambda one: one.result["begin_mib"])


def _groups(run: Run) -> Iterator[list[dict]]:
    """The regions of this run that are compared with each other."""
    yield from grouped(
        ((result["where"], result.get("memory_node"),
          *((key, str(value)) for key, value in request_keys(result).items())), result)
        for result in scan_results([run]) if is_comparable(result)).values()


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
                one.typical <= SLOWER * one.time * _share_of_fastest(result, figure):
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
    slow, groups = slow_regions(runs), [group for run in runs for group in _groups(run)]
    few = max(map(len, groups), default=0) < outliers.FEWEST
    blurred = any(_hide_slow_ones(group, figure) for group in groups for figure in TIMES)
    left_out = Counter(filter(None, map(_reason_against, results)))
    whole = sum(node.memory or 0 for node in record_nodes(runs[0].machine))
    covered = sum({one.get("begin_mib"): one.get("covered_bytes") or 0 for one in results}.values())
    return [Heading("Regions slower than others of their node"), *bullets([
        *said((whole, "regions_share", {"gib": covered >> 30, "of": whole >> 30,
                                        "percent": round(100 * covered / (whole or 1))}),
              (not slow and not few and blurred, "regions_blurred", {"times": outliers.BLURRED}),
              (not slow and not few and not blurred, "regions_none", {})),
        *map(_sentence, slow[:MOST]),
        *said((len(slow) > MOST, "regions_more", {"n": len(slow) - MOST})),
        *(Say(why, n=count) for why, count in left_out.items()),
        *said((not slow and few, "regions_few", {"least": outliers.FEWEST}))])]


def _sentence(one: Slow) -> Say:
    node, is_rate = one.result.get("memory_node"), one.figure == "mb_per_s"
    return Say("region_slow", bandwidth=is_rate, unit=units.rates().name if is_rate else "ns",
               name=one.result.get("physical_address")
               or f"{one.result['begin_mib']} MiB (virtual)",
               value=units.text(one.figure, one.result[one.figure]), known=node is not None,
               typical=units.text(one.figure, one.typical), node=node)
