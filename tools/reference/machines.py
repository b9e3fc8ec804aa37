# SPDX-License-Identifier: GPL-2.0-only
"""What a source says about one machine."""

from dataclasses import dataclass, field

from mc.analysis.reference import OF_MEMORY


@dataclass
class Measured:
    """Figures of one machine. `model` is the key of its CPU, such as `GenuineIntel 6 158`; see
    mc/analysis/reference.py. `name` tells it from other machines of its source. `platform` is its
    system on a chip, as a device tree calls it."""
    model: str
    name: str
    source: str
    year: int | None = None
    platform: str = ""
    figures: dict[str, float] = field(default_factory=dict)

    def keys(self, figure: str) -> list[str]:
        """The models that a figure belongs to: that of memory to the system on a chip, too."""
        mine = [self.model]
        if self.platform and figure in OF_MEMORY:
            mine.append(f"{self.model} {self.platform}")
        return mine

    def add(self, figure: str, value: float | None) -> None:
        if value is not None and value > 0:
            self.figures[figure] = value
