# SPDX-License-Identifier: GPL-2.0-only
"""Published figures of random accesses, in a CSV file such as
Documentation/examples/random_access.csv. They are total times without a spread."""

import re
from math import isfinite

from mc import Failure, quoted
from mc.analysis.estimate import of_single_time
from mc.analysis.overhead import Cell
from mc.records import reading

COLUMNS = "machine,mode,op,setting,total_time"
SETTING = re.compile(r"IRQ (Enable|Disable) (?:(Bind CPU)|(All CPU)|CPU (\d+))")
BARE = "bare-metal"


def load(path: str) -> list[Cell]:
    """Read the figures of a file. A Failure names the line that is wrong."""
    lines = reading.text(path).splitlines()
    cells: list[Cell] = []
    head = False
    for number, line in enumerate(lines, 1):
        if not line or line.startswith("#"):
            continue
        try:
            if head:
                cells.append(_cell(line))
            elif line != COLUMNS:
                raise ValueError(f"wanted the columns {COLUMNS}")
        except ValueError as error:
            raise Failure(f"{path}:{number}: {error}", 2) from None
        head = True
    if not cells:
        raise Failure(f"{path}:{len(lines) + 1}: empty: no figures in this file", 2)
    return cells


def _cell(line: str) -> Cell:
    fields = line.split(",")
    if len(fields) != len(COLUMNS.split(",")):
        raise ValueError(f"cut short, or not of the columns {COLUMNS}")
    machine, where, op, setting, text = fields
    match = SETTING.fullmatch(setting)
    if where not in ("kernel", "user") or op not in ("read", "write") or not match:
        raise ValueError(f"no such measurement: {quoted(f'{where},{op},{setting}')}")
    total = float(text)
    if not isfinite(total) or total <= 0:
        raise ValueError(f"`total_time` can't be {quoted(text)}")
    irq, bound, _, cpu = match.groups()
    return Cell(machine=machine, bare=machine == BARE, where=where, op=op,
                irq="on" if irq == "Enable" else "off", cpu=cpu or ("bound" if bound else "any"),
                workload="", unit="cycles", time=of_single_time(total))
