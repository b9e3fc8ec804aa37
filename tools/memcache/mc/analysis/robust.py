# SPDX-License-Identifier: GPL-2.0-only
"""A standard deviation that a few outliers do not widen."""

from collections.abc import Iterable

from mc.analysis.steps import median

# A normal distribution's standard deviation is so many median absolute deviations.
SIGMA = 1.4826


def deviation(distances: Iterable[float]) -> float:
    """The standard deviation of normal values whose distances from the centre are these."""
    return SIGMA * median(distances)
