# SPDX-License-Identifier: GPL-2.0-only
"""Values of records as text: 16M, 1.234 ms, na. Records have rates in MB/s; the user may have
them shown in another unit."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rate:
    """A unit of rates. `digits` follow the point in tables."""
    name: str
    bytes_per_s: int
    size: str
    digits: int


RATES = {rate.name: rate for rate in (
    Rate("MB/s", 10**6, "10^6", 1), Rate("GB/s", 10**9, "10^9", 3),
    Rate("MiB/s", 1 << 20, "2^20", 1), Rate("GiB/s", 1 << 30, "2^30", 3))}
USUAL = "MB/s"
PAUSES = ("idle_ns", "access_delay_ns")       # columns of keys that take a time
_shown = RATES[USUAL]


def show_rates_in(name: str) -> None:
    """Choose the unit of all rates that are shown from now on."""
    global _shown
    _shown = RATES[name]


def rates() -> Rate:
    """The unit in which rates are shown."""
    return _shown


def in_shown_unit(key: str, value: float) -> float:
    """The value of a figure, in that unit if it is a rate."""
    return value * 10**6 / _shown.bytes_per_s if key.endswith("mb_per_s") else value


def rate(mb_per_s: float, coarse: bool = False) -> str:
    """The number of a rate in that unit. In sentences it is coarse: it has a digit less."""
    return f"{in_shown_unit('mb_per_s', mb_per_s):.{_shown.digits - coarse}f}"


def rate_text(mb_per_s: float) -> str:
    """A rate with its unit, for a sentence: `143000 MB/s`."""
    return f"{rate(mb_per_s, coarse=True)} {_shown.name}"


def words(unit: str) -> str:
    """The description of a unit, for the unit in which rates are shown."""
    return unit.replace(USUAL, _shown.name).replace(RATES[USUAL].size, _shown.size)


def name(key: str) -> str:
    """The name of a key or figure whose values are shown with their unit: without the unit."""
    return key.removesuffix("_ns" if key in PAUSES else "_bytes")


def heading(key: str) -> str:
    """The name of a column of a table: `gib_per_s`. A size has its unit with its value."""
    unit = _shown.name.partition("/")[0].lower()
    return name(key).replace("mb_per_s", f"{unit}_per_s")


def size(count: int) -> str:
    """A number of bytes as in request lines: 16M."""
    unit = 0
    while count and count % 1024 == 0 and unit < 3:
        count //= 1024
        unit += 1
    return f"{count}{' KMG'[unit].strip()}"


def pause(ns: int) -> str:
    """A time as in request lines: 20ms."""
    unit = 0
    while ns and ns % 1000 == 0 and unit < 3:
        ns //= 1000
        unit += 1
    return f"{ns}{('ns', 'us', 'ms', 's')[unit]}" if ns else "0"


def duration(value: float, unit: str = "ns") -> str:
    """A time in a unit that suits it: 1.234 ms."""
    if unit == "ns":
        units = ("ns", "us", "ms", "s")
        power = 0
        while value >= 1000 and power < len(units) - 1:
            value, power = value / 1000, power + 1
        digits = 3 if value < 10 else 2 if value < 100 else 1
        return f"{value:.{digits}f} {units[power]}"
    return f"{value:.1f}"


def text(key: str, value: object) -> str:
    """A value of a record for a cell of a table."""
    if value is None:
        return "na"
    if key.endswith("_bytes") and isinstance(value, int):
        return size(value)
    if key in PAUSES and isinstance(value, int):
        return pause(value)
    if key.endswith("mb_per_s") and isinstance(value, (int, float)):
        return rate(value)
    if isinstance(value, float):
        return f"{value:.1f}" if key.endswith("_per_s") else f"{value:.2f}"
    return str(value)
