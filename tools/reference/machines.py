# SPDX-License-Identifier: GPL-2.0-only
"""What a source says about one machine."""

import csv
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from mc.analysis.reference import OF_MEMORY, chip_name

T = TypeVar("T")


def parsed(path: Path, read: Callable[[Path], T]) -> T | None:
    """What `read` makes of a file of a source. If it can't, a sentence says so, and the file is
    left out."""
    try:
        return read(path)
    except OSError as error:
        why = str(error.strerror)
    except (ValueError, LookupError, TypeError, ArithmeticError, csv.Error) as error:
        why = f"{type(error).__name__}: {error}"
    print(f"{path}: left out, as it is not of the form that is known ({why})", file=sys.stderr)
    return None


@dataclass
class Measured:
    """Figures of one machine. `model` is the key of its CPU, such as `GenuineIntel 6 158`; see
    mc/analysis/reference.py. `name` tells it from other machines of its source. `platform` is its
    system on a chip, as a device tree calls it; it becomes the name in Linux."""
    model: str
    name: str
    source: str
    year: int | None = None
    platform: str = ""
    figures: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.platform = chip_name(self.platform)

    def keys(self, figure: str) -> list[str]:
        """The models that a figure belongs to: that of memory to the system on a chip, too."""
        mine = [self.model]
        if self.platform and figure in OF_MEMORY:
            mine.append(f"{self.model} {self.platform}")
        return mine

    def add(self, figure: str, value: float | None) -> None:
        if value is not None and value > 0:
            self.figures[figure] = value
