# SPDX-License-Identifier: GPL-2.0-only
"""Mappings of memory as the module's file `mappings` has them, and who made each."""

from dataclasses import dataclass, field


@dataclass
class Mapping:
    """A mapping.

    row: its record
    owner: who has made it, in words; empty if nothing says it
    source: what says so: driver_bound, vmallocinfo, proc_maps, iomem, or empty
    caller: the function that asked for it, as /proc/vmallocinfo has it, or the file of a process
    bar: the BAR that it lies in, such as `BAR 2 of 0000:00:05.0`, or empty
    prefetchable: of this BAR
    wc_file: a file of sysfs by which a process maps this BAR write-combining, or empty
    is_ram: it lies in System RAM
    free_bytes: how much of it was free, and had this type before and after
    """
    row: dict
    owner: str = ""
    source: str = ""
    caller: str = ""
    bar: str = ""
    prefetchable: bool = False
    wc_file: str = ""
    is_ram: bool = False
    free_bytes: int = 0
    start: int = field(init=False)
    end: int = field(init=False)

    def __post_init__(self) -> None:
        self.start = int(self.row["physical_range"].partition("+")[0], 16)
        self.end = self.start + self.row["bytes"]

    @property
    def type(self) -> str | None:
        """The memory type that follows, or what the page tables say if that is all that is
        known."""
        return self.row["memory_type"] or self.row["attribute"]

    @property
    def key(self) -> tuple:
        """What stays the same from one look to the next, as long as the mapping is there."""
        return (self.row["area"], self.row["number"], self.row["pid"], self.row["address"],
                self.start, self.end, self.type)

    def json(self) -> dict:
        return self.row | {"owner": self.owner or None, "owner_source": self.source or None,
                           "caller": self.caller or None, "bar": self.bar or None}
