# SPDX-License-Identifier: GPL-2.0-only
"""The distribution of the times of loads or other accesses: a histogram for each result, one below
the other on the same scale."""

from math import ceil, floor, log10

from mc.parts import Drawn, Grid, Heading, Part, Sentence
from mc.records import units

WIDTH = 48                  # columns of a picture, at most
FINEST = 0.1                # of a decade for each column; the histograms of the module are no finer
SHADES = ".:-=+*#%@"        # from 1 in 10 000 to half of all
RAREST, OFTEN = -4.0, -0.3  # these shares, as powers of ten
MOST = 40                   # results; more of them make no picture


def parts(head: str, named: list[tuple[str, dict]]) -> list[Part]:
    """A table of percentiles with a picture of each histogram."""
    kept = [(name, result) for name, result in named if result.get("histogram_ns_count")]
    if not kept or len(kept) > MOST:
        return []
    of = "access" if any("p99_ns_per_access" in result for _, result in kept) else "load"
    scale = _Scale([result for _, result in kept], {"load": "loads", "access": "accesses"}[of])
    rows = [[name, *(units.text("ns", next((result[key] for key in keys if key in result), None))
                     for keys in _percentile_columns(of)),
             scale.picture(result["histogram_ns_count"])] for name, result in kept]
    return [Heading(f"Distribution of the times of {scale.of} (ns)"),
            Grid([head, "p50", "p99", "p99.9", scale.ruler()], rows),
            Sentence(
                f"Each column is a factor of {10 ** scale.step:.2f}; the last one has all longer "
                f"times. Shares of {scale.of} are on a log scale, from 1 in 10 000 to half of them "
                f"or more; in text: {SHADES}.")]


def _percentile_columns(of: str) -> list[tuple[str, ...]]:
    """The names that the median, the 99th and the 99.9th percentile have in some test."""
    return [(f"p50_ns_per_{of}", f"ns_per_{of}"), (f"p99_ns_per_{of}",),
            (f"p999_ns_per_{of}", f"p99_9_ns_per_{of}")]


class _Scale:
    """Columns of equal ratio, from the fastest time to the slowest one that is not rare."""

    def __init__(self, results: list[dict], of: str) -> None:
        self.of = of
        starts = [pair[0] for r in results for pair in r["histogram_ns_count"] if pair[0] > 0]
        tops = [r.get("p999_ns_per_load") or r["histogram_ns_count"][-1][0] for r in results]
        self.low = floor(10 * log10(min(starts, default=1))) / 10
        high = max(log10(max(max(tops), 0.1)), self.low) + 0.2
        self.step = max(FINEST, ceil(100 * (high - self.low) / WIDTH) / 100)
        self.width = ceil((high - self.low) / self.step) + 1

    def column(self, ns: float) -> int:
        if ns <= 0:
            return 0
        return min(max(floor((log10(ns) - self.low) / self.step + 1e-9), 0), self.width - 1)

    def picture(self, histogram: list[list]) -> Drawn:
        total = sum(count for _, count in histogram) or 1
        columns = [0] * self.width
        for start, count in histogram:
            columns[self.column(start)] += count
        shares = [count / total for count in columns]
        return Drawn.create(f"|{''.join(map(_shade, shares))}|", self.width, (
            (place, _height(share), f"{self._times(place)}: {100 * share:.3g} % of {self.of}")
            for place, share in enumerate(shares) if share))

    def _times(self, place: int) -> str:
        """The times of a column: `10.0 ns to 12.6 ns`."""
        first, end = (units.duration(10 ** (self.low + self.step * (place + i))) for i in (0, 1))
        return f"{first} and more" if place == self.width - 1 else f"{first} to {end}"

    def ruler(self) -> Drawn:
        """A line that marks the columns of 1, 10, 100 ns."""
        marks = [" "] * self.width
        names = []
        for power in range(ceil(self.low), ceil(self.low + self.step * self.width)):
            text, at = f"{10 ** power:g}", self.column(10.0 ** power)
            if at + len(text) <= self.width - 1 and not "".join(marks[max(at - 1, 0):]).strip():
                marks[at:at + len(text)] = text
                names.append((at, text))
        return Drawn.create(f"|{''.join(marks)}|", self.width, names=names)


def _height(share: float) -> float:
    """The height of a bar for this share, between 0 and 1."""
    return min(max((log10(share) - RAREST) / (OFTEN - RAREST), 0), 1)


def _shade(share: float) -> str:
    return SHADES[round(_height(share) * (len(SHADES) - 1))] if share else " "
