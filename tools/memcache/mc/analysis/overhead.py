# SPDX-License-Identifier: GPL-2.0-only
"""The cost of the operating system, of interrupts and of a hypervisor: four tables of changes
in percent, from random reads and writes.

A change from A to B is (A - B) / A, so a positive change means less time: faster.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from mc import plural
from mc.analysis import marks, match
from mc.analysis.estimate import Estimate, average, median_time
from mc.analysis.judge import EMULATED, Difference, judge, unknown_difference
from mc.analysis.match import FREE, Batch
from mc.parts import Grid, Heading, Part, Sentence
from mc.records import fields, places, prices, units
from mc.records.fields import IGNORED, request_keys

UML = ("User-Mode Linux: its kernel is a process of another Linux. Loops run at native speed; the "
       "costs of system calls, scheduling and interrupts are not those of a kernel on hardware.")
UML_IRQ = ("In User-Mode Linux irq=off does not switch off the interrupts of the machine: it only "
           "sets a flag in the process that runs this kernel.")
OWN = ("op", *FREE, *IGNORED)       # keys that the tables compare or ignore


@dataclass(frozen=True)
class Cell:
    """A time, and the measurement that it is of. `cpu` is a number, `bound` or `any`."""
    machine: str
    bare: bool
    where: str
    op: str
    irq: str
    cpu: str
    workload: str
    time: Estimate
    unit: str = "ns"
    count: int = 1      # accesses in that time
    effective: str = ""
    full: str = ""      # all keys of the workload
    hypervisor: str = ""
    memory: str = ""    # the node of the memory, or `local`
    settled: bool = True


@dataclass(frozen=True)
class Row:
    place: tuple[str, ...]
    base: list[Cell]
    other: list[Cell]

    @property
    def is_mixed(self) -> bool:
        """Whether the verdicts on its memory, or the nodes of it, differ."""
        return len({(cell.effective, cell.memory) for cell in self.base + self.other}) > 1

    def has_hypervisor(self, hypervisor: str) -> bool:
        """Whether one of its cells is of a machine with this hypervisor."""
        return any(cell.hypervisor == hypervisor for cell in self.base + self.other)

    def change(self) -> tuple[Estimate, Estimate, Difference]:
        base, other = (average([cell.time for cell in cells]) for cells in (self.base, self.other))
        return base, other, unknown_difference(base, other, EMULATED) \
            if self.has_hypervisor("tcg") else judge(base, other)


@dataclass
class Table:
    title: str
    formula: str
    columns: tuple[str, ...]        # names of the places, then of the two times
    rows: list[Row] = field(default_factory=list)
    interrupts: bool = False        # whether it compares interrupts off and on


class Figures:
    """The cells by their keys. Of several cells with the same keys the first counts."""

    def __init__(self, cells: Iterable[Cell]) -> None:
        self.cells: dict[tuple, Cell] = {}
        self.repeated = 0
        for cell in cells:
            key = (cell.workload, cell.machine, cell.where, cell.op, cell.irq, cell.cpu)
            self.repeated += key in self.cells
            self.cells.setdefault(key, cell)
        self.workloads = list(dict.fromkeys(cell.workload for cell in self.cells.values()))
        self.machines = list(dict.fromkeys(cell.machine for cell in self.cells.values()))
        self.bare = [m for m in self.machines if any(
            cell.bare for cell in self.cells.values() if cell.machine == m)]

    def get(self, *key: str) -> list[Cell]:
        return [self.cells[key]] if key in self.cells else []

    def bound_cells(self, *key: str) -> list[Cell]:
        """All cells that were bound to a CPU. Their mean counts."""
        return [cell for k, cell in self.cells.items() if k[:-1] == key and k[-1] != "any"]

    def cpus(self, *key: str) -> Iterator[tuple[str, list[Cell]]]:
        yield "bound", self.bound_cells(*key)
        yield "any", self.get(*key, "any")


def workloads(figures: Figures) -> list[str]:
    """The full names of the workloads beside their short names."""
    full = {cell.workload: cell.full for cell in figures.cells.values() if cell.full}
    width = max(map(len, full), default=0)
    return [f"{short:{width}}  {text}".strip() for short, text in full.items()]


def tables(figures: Figures) -> list[Table]:
    return [table for make in (_table_of_operations, _table_of_system, _table_of_hypervisor,
                               _table_of_interrupts) if (table := make(figures)).rows]


def _table_of_operations(figures: Figures) -> Table:
    table = Table("Write against read", "(read - write) / read",
                  ("machine", "setting", "read", "write"))
    for cell in figures.cells.values():
        write = figures.get(cell.workload, cell.machine, cell.where, "write", cell.irq, cell.cpu)
        if cell.op == "read" and write:
            setting = f"{cell.where} irq={cell.irq} cpu={cell.cpu}"
            table.rows.append(Row((cell.workload, cell.machine, setting), [cell], write))
    return table


def _table_of_system(figures: Figures) -> Table:
    table = Table("OS overhead: user against kernel", "(kernel - user) / kernel",
                  ("machine", "op", "cpu", "kernel", "user"))
    return _with_rows(table, figures, lambda machine: (machine, "kernel", machine, "user"))


def _table_of_hypervisor(figures: Figures) -> Table:
    real = [machine for machine in figures.machines if not machine.startswith("simulated ")]
    host = (figures.bare or real or figures.machines)[0]
    table = Table("OS and hypervisor overhead: user in a VM against kernel on bare metal",
                  f"({host} kernel - VM user) / {host} kernel",
                  ("VM", "op", "cpu", "bare-metal kernel", "VM user"))
    if not figures.bare:
        table.title += f" (none is bare metal here: {host} stands for it)"
    guests = {machine for machine in real if machine not in (host, *figures.bare)}
    return _with_rows(table, figures, lambda machine: (
        host, "kernel", machine, "user") if machine in guests else None)


def _with_rows(table: Table, figures: Figures, choose: Callable[[str], tuple | None]) -> Table:
    """A row for each operation, with `bound` and `any` CPU. Interrupts are on, as in user
    space."""
    for workload in figures.workloads:
        for machine in figures.machines:
            chosen = choose(machine)
            if not chosen:
                continue
            base, base_side, other, other_side = chosen
            for op in ("read", "write"):
                pairs = zip(figures.cpus(workload, base, base_side, op, "on"),
                            figures.cpus(workload, other, other_side, op, "on"))
                table.rows += [Row((workload, machine, op, cpu), a, b)
                               for (cpu, a), (_, b) in pairs if a and b]
    return table


def _table_of_interrupts(figures: Figures) -> Table:
    table = Table("Interrupt overhead: off against on, in the kernel", "(on - off) / on",
                  ("machine", "op", "cpu", "irq=on", "irq=off"), interrupts=True)
    for cell in figures.cells.values():
        if cell.irq == "on":
            off = figures.get(cell.workload, cell.machine, cell.where, cell.op, "off", cell.cpu)
            if off:
                place = (cell.workload, cell.machine, cell.op, cell.cpu)
                table.rows.append(Row(place, [cell], off))
    return table


def parts(table: Table, mixed: bool = False) -> list[Part]:
    """A table under its title. Values that are equal in all rows stand above the table.
    `mixed` also shows rows whose verdicts differ."""
    names = ["workload", *table.columns]
    places = [[row.place[i] for row in table.rows] for i in range(len(names) - 2)]
    varying = [i for i, values in enumerate(places) if len(set(values)) > 1] or [len(places) - 1]
    rows, refused = [], 0
    for row in table.rows:
        if row.is_mixed and not mixed:
            refused += 1
            continue
        base, other, changed = row.change()
        unit, count = row.base[0].unit, row.base[0].count
        times = [marks.mark_of_unsettled(*(cell.settled for cell in side))
                 + units.duration(one.time / count, unit)
                 for side, one in ((row.base, base), (row.other, other))]
        rows.append([*(row.place[i] for i in varying), *times, f"{other.time / base.time:.2f}x",
                     str(changed), changed.interval])
    fixed = [f"{names[i]} {values[0]}" for i, values in enumerate(places)
             if i not in varying and values[0]]
    report: list[Part] = [Heading(table.title),
                          Sentence(", ".join([table.formula, *fixed]), wrap=False)]
    if rows:
        heads = [*(names[i] for i in varying), *names[-2:], "time", "change", "95 % interval"]
        if all(row[-1] == "na" for row in rows):        # published times have no spread
            heads, rows = heads[:-1], [row[:-1] for row in rows]
        report.append(Grid(heads, rows, len(varying)))
    if refused:
        report.append(Sentence(
            f"{plural(refused, 'row')} {'is' if refused == 1 else 'are'} left out: the memory-type "
            "verdicts, or the nodes of the memory, differ (--mixed-verdicts).", gap=not rows,
            wrap=False))
    if table.interrupts and any(row.has_hypervisor("uml") for row in table.rows):
        report.append(Sentence(UML_IRQ, gap=False))
    return report


def cells(batches: list[Batch]) -> list[Cell]:
    """The cells of all results of `random` with a single thread."""
    names = machines(batches)
    timed = [(batch, result, time) for batch in batches for result in batch.results
             if result["test"] == "random" and result.get("threads") == 1
             and result.get("verified") != "failed"
             and (time := median_time(result, batch.is_simulated))
             and request_keys(result).get("op") in ("read", "write")]
    if not timed:
        return []
    loads = [{k: v for k, v in request_keys(result).items() if k not in OWN}
             for _, result, _ in timed]
    keys = list(dict.fromkeys(key for load in loads for key in load))
    short = fields.distinguishing_keys(loads, keys)
    moving = [key for key in keys if len({load.get(key) for load in loads}) > 1]
    return [Cell(machine=names[machine_key(batch)], bare=not machine_key(batch)[0],
                 where=batch.where, op=result["op"], irq=str(result.get("irq")),
                 cpu=str(result.get("cpu")), time=time, workload=_short_name(load, short),
                 full=match.settings({key: load.get(key) for key in moving}),
                 effective=str(result.get("effective")),
                 hypervisor=batch.machine.get("hypervisor") or "",
                 memory=_node_text(batch, result), count=load.get("count") or 1,
                 settled=fields.has_settled(result))
            for (batch, result, time), load in zip(timed, loads)]


def _node_text(batch: Batch, result: dict) -> str:
    if places.is_local(batch.machine, result):
        return "local"
    node = result.get("memory_node")
    return "" if node is None else str(node)


def _short_name(load: dict, keys: list[str]) -> str:
    """A short name for a load, such as `16K dependent`: the values that tell it from others,
    the size first."""
    keys = sorted(keys, key=lambda key: key != "size_bytes")
    return " ".join(units.text(key, load.get(key)) for key in keys)


def machine_key(batch: Batch) -> tuple:
    """The hypervisor or simulation (None: bare metal), the kernel, the CPU."""
    below = prices.layer_below(batch.machine) if prices.simulation(batch.machine) else None
    return (below or batch.machine.get("hypervisor"), batch.machine["kernel"], batch.machine["cpu"])


def machines(batches: list[Batch]) -> dict[tuple, str]:
    """A short name for each machine, just long enough to tell them apart."""
    keys = list(dict.fromkeys(machine_key(batch) for batch in batches))
    names = {}
    for key in keys:
        words = [key[0] or "bare metal", f"Linux {key[1]}", str(key[2])]
        for count in (1, 2, 3):
            alike = [k for k in keys if k[:count] == key[:count]]
            if len(alike) == 1:
                break
        names[key] = " ".join(words[:count])
    return names
