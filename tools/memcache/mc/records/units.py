# SPDX-License-Identifier: GPL-2.0-only
"""Values of records as text: 16M, 1.234 ms, na."""


def size(count: int) -> str:
    """A number of bytes as in request lines: 16M."""
    unit = 0
    while count and count % 1024 == 0 and unit < 3:
        count //= 1024
        unit += 1
    return f"{count}{' KMG'[unit].strip()}"


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
    if isinstance(value, float):
        return f"{value:.1f}" if key.endswith("_per_s") else f"{value:.2f}"
    return str(value)
