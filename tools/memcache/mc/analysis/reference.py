# SPDX-License-Identifier: GPL-2.0-only
"""What is published of a model of CPU, and whether a result lies outside of it.

references.json has a line for each model and figure. tools/reference/import writes it; the page
"Is this normal?" of the manual says how. A model is `VENDOR FAMILY MODEL` as the `machine` record
has them. Where steppings of a model are different CPUs, their group follows; the kind of core
follows on a hybrid CPU.

A figure is outside if it is beyond those of all machines of its model by more than single machines
of a model differ from the others: the allowance, which the data themselves give, and which is
larger if there is only one machine, or few.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mc.records import places
from mc.records.shape import BEYOND, numbers

FILE = Path(__file__).resolve().parent.parent / "references.json"
# Family 6, model 85: Skylake-SP, Cascade Lake, Cooper Lake.
STEPPINGS = {("GenuineIntel", 6, 85): ((0, 4), (5, 7), (8, 15))}
SEVERAL = (1, 2, 4)         # numbers of machines from which on another allowance holds
# Figures that depend on the system on a chip of a core. A model of x86 is one, a core of arm64 is
# in many.
OF_MEMORY = ("memory_ns", "copy_mb_per_s", "write_mb_per_s")
LEAST = 1e-6    # of a value, and of ns of a cycle: a file may have any numbers
PAGE = 4096
LINE = 64
UNNAMED = "unnamed"     # the model of CPUs that their sources do not name; compared with none
MESSAGES = ("c2c_near_ns", "c2c_far_ns")     # of another method, which takes longer than ours
ARM64 = 8       # the family of all cores of arm64, and of no CPU of x86
TOGETHER = ("copy_mb_per_s", "write_mb_per_s")      # what is wrong with a memory slows down both
# Device trees of makers, and of boards, that have another name for a chip than Linux.
CHIPS = {"arm,sun50iw9p1": "allwinner,sun50i-h616", "nvidia,tegra23x": "nvidia,tegra234",
         "radxa,orion-o6": "cix,sky1"}
SIZE_KINDS = {(1, "data"): "l1d_kib", (1, "code"): "l1i_kib", (2, "unified"): "l2_kib",
              (3, "unified"): "l3_kib", (4, "unified"): "l4_kib"}


@dataclass(frozen=True)
class Figure:
    """A figure that is published. `slow`: more of it is worse; None: neither is."""
    words: str
    unit: str
    slow: bool | None = None


FIGURES = {
    "l1d_kib": Figure("L1 data cache", "KiB"),
    "l1i_kib": Figure("L1 code cache", "KiB"),
    "l2_kib": Figure("L2 cache", "KiB"),
    "l3_kib": Figure("L3 cache", "KiB"),
    "l4_kib": Figure("L4 cache", "KiB"),
    "memory_bits": Figure("width of memory, a socket", "bits"),
    "dtlb_entries": Figure("first TLB, pages of 4 KiB", "entries"),
    "stlb_entries": Figure("second TLB, pages of 4 KiB", "entries"),
    "dtlb_miss_cycles": Figure("miss of the first TLB", "cycles", True),
    "l1_cycles": Figure("load from L1", "cycles", True),
    "l2_cycles": Figure("load from L2", "cycles", True),
    "l3_cycles": Figure("load from L3", "cycles", True),
    "l3_ns": Figure("load from L3", "ns", True),
    "memory_ns": Figure("load from memory", "ns", True),
    "memory_stride_ns": Figure("load of the next line of memory", "ns", True),
    "copy_mb_per_s": Figure("copy in memory, one core", "MB/s", False),
    "write_mb_per_s": Figure("write to memory, one core", "MB/s", False),
    "socket_read_mb_per_s": Figure("read from memory, all cores of a socket", "MB/s", False),
    "c2c_near_ns": Figure("message to a near core", "ns", True),
    "c2c_far_ns": Figure("message to a far core", "ns", True),
    "uc_read_mb_per_s": Figure("read uncached memory", "MB/s", False),
    "uc_write_mb_per_s": Figure("write uncached memory", "MB/s", False),
    "uc_ntwrite_mb_per_s": Figure("streaming write to uncached memory", "MB/s", False),
    "wc_read_mb_per_s": Figure("read write-combining memory", "MB/s", False),
    "wc_write_mb_per_s": Figure("write write-combining memory", "MB/s", False),
    "wc_ntwrite_mb_per_s": Figure("streaming write to write-combining memory", "MB/s", False),
    "gpu_wc_read_mb_per_s": Figure("read memory of a GPU, write-combining", "MB/s", False),
    "gpu_wc_ntread_mb_per_s": Figure("streaming read of the same", "MB/s", False),
    "gpu_wc_write_mb_per_s": Figure("write to the same", "MB/s", False),
    "gpu_wc_ntwrite_mb_per_s": Figure("streaming write to the same", "MB/s", False),
}


@dataclass(frozen=True)
class Reference:
    """A figure of a model: the lowest, the median and the highest of its machines."""
    model: str
    figure: str
    low: float
    typical: float
    high: float
    machines: int
    sources: str        # joined by +
    year: int | None


@dataclass(frozen=True)
class Data:
    """The whole file. `allowances`: the factors of each figure for SEVERAL machines."""
    sources: dict[str, dict]
    names: dict[str, str]
    allowances: dict[str, list[float]]
    rows: dict[str, dict[str, Reference]]

    def known(self, model: str, platform: str = "") -> dict[str, Reference]:
        """What is known of a model; of memory what is known on its system on a chip."""
        return self.rows.get(model, {}) | self.rows.get(f"{model} {chip_name(platform)}", {})

    def allowance(self, reference: Reference, *others: Reference) -> float:
        """That of a figure; of several figures of a model that for all of them together."""
        figures = [one.figure for one in (reference, *others)]
        known = self.allowances[spread_of(reference.model, *figures)]
        machines = min(one.machines for one in (reference, *others))
        return known[sum(machines >= least for least in SEVERAL) - 1]

    def outside(self, reference: Reference, value: float) -> int:
        """1: above, -1: below, 0: not outside."""
        factor = self.allowance(reference)
        return (value > reference.high * factor) - (value < reference.low / factor)

    def is_slow(self, reference: Reference, value: float) -> bool:
        """Whether it is outside on the bad side."""
        return _is_bad_side(reference, self.outside(reference, value))

    def slow_figures(self, rows: dict[str, Reference], values: dict[str, float]) -> set[str]:
        """The figures of a machine that are slow: each that is by itself, and those of TOGETHER if
        all of them lie below their ranges by more than is usual for all of them in one machine."""
        found = {figure for figure, value in values.items() if figure in rows and (
            is_narrow(rows[figure], value) if FIGURES[figure].slow is None else
            self.is_slow(rows[figure], value))}
        if rows.keys() & values.keys() >= set(TOGETHER):
            both = [rows[figure] for figure in TOGETHER]
            factor = self.allowance(*both)
            if len({one.model for one in both}) == 1 and \
                    all(values[one.figure] < one.low / factor for one in both):
                found |= set(TOGETHER)
        return found


@dataclass(frozen=True)
class Expected:
    """What is published for a result, in the unit of its main figure. `outside` is 1 if the figure
    is above, -1 if it is below. `together`: it is outside since other figures are low, too."""
    reference: Reference
    value: float
    low: float
    typical: float
    high: float
    outside: int
    together: bool = False

    @property
    def published_value(self) -> float:
        """The value in the unit in which the figure is published."""
        return self.value * self.reference.typical / self.typical

    @property
    def slow(self) -> bool:
        return _is_bad_side(self.reference, self.outside)


def is_narrow(reference: Reference, value: float) -> bool:
    """Whether memory has half of the width, or less, that other machines of its model have."""
    return reference.figure == "memory_bits" and 2 * value <= reference.high


def _is_bad_side(reference: Reference, outside: int) -> bool:
    return outside == (1 if FIGURES[reference.figure].slow else -1)


def is_of_a_chip(model: str) -> bool:
    """Whether all machines of a model have the same system on a chip."""
    return "," in model or model.split()[1] != str(ARM64)


def chip_name(platform: str) -> str:
    """The name of a system on a chip in Linux."""
    return CHIPS.get(platform, platform)


def spread_of(model: str, *figures: str) -> str:
    """The name of an allowance, for one figure or for several together. Machines with the same
    system on a chip differ less in memory than those that have only the core in common."""
    name = " and ".join(figures)
    return f"{name} on a chip" if figures[0] in OF_MEMORY and is_of_a_chip(model) else name


def parse(text: str) -> Data:
    """The data of a file such as references.json."""
    told = json.loads(text)
    rows: dict[str, dict[str, Reference]] = {}
    for row in told["figures"]:
        rows.setdefault(row[0], {})[row[1]] = Reference(*row)
    return Data(told["sources"], told["models"], told["allowances"], rows)


@cache
def data() -> Data:
    """The data that came with this program."""
    return parse(FILE.read_text(encoding="utf-8"))


def model_key(vendor: str, family: int, model: int, stepping: int, core: str = "") -> str:
    groups = STEPPINGS.get((vendor, family, model), ())
    group = next((f"steppings {low}-{high}" for low, high in groups if low <= stepping <= high), "")
    return " ".join(filter(None, [vendor, str(family), str(model), group, core]))


def model_of(machine: dict, cpu: int | None = None) -> str:
    """The model of a machine, or of one of its CPUs; empty if its record does not tell."""
    vendor = machine.get("cpu_vendor")
    kinds = [kind for kind in machine.get("kinds") or []
             if cpu is not None and cpu in numbers(str(kind.get("cpus")))]
    told = (kinds or [machine])[0]
    family, model, stepping = (told.get(f"cpu_{name}") for name in ("family", "model", "stepping"))
    if not vendor or not isinstance(family, int) or not isinstance(model, int):
        return ""
    return model_key(str(vendor), family, model, stepping or 0,
                     str(told.get("core_type") or "") if kinds else "")


def sizes(machine: dict) -> dict[str, int]:
    """The KiB of each cache that the first CPU has."""
    found: dict[str, int] = {}
    for one in machine.get("caches") or []:
        name = SIZE_KINDS.get((one.get("level"), one.get("kind")))
        if name and one.get("size_bytes"):
            found.setdefault(name, one["size_bytes"] >> 10)
    return found


def disguise(machine: dict, model: str) -> str:
    """Why the caches of a machine are not those of its model; empty if they can be. A hypervisor
    may give a CPU the number of another one."""
    rows, mine = data().rows.get(model, {}), sizes(machine)
    for name in ("l1d_kib", "l2_kib"):
        if name in rows and name in mine and not rows[name].low <= mine[name] <= rows[name].high:
            known = rows[name]
            range_text = f"{known.low:g}" if known.low == known.high else \
                f"{known.low:g} to {known.high:g}"
            return f"its {FIGURES[name].words} has {mine[name]} KiB; a CPU of this number has " \
                   f"{range_text}"
    return ""


def known_rows(machine: dict, cpu: int | None = None) -> dict[str, Reference]:
    """What is published of the model of a machine; nothing if its caches say that it is another
    one, or if it is simulated or emulated."""
    if machine.get("simulated") or machine.get("hypervisor") == "tcg":
        return {}
    model = model_of(machine, cpu)
    return {} if disguise(machine, model) else \
        data().known(model, machine.get("platform") or "")


def expected(machine: dict, result: dict) -> Expected | None:
    """What is published for a result. Cycles of a cache go before ns, which depend on the clock."""
    known = list(values(machine, result))
    if not known or not is_comparable(machine, result):
        return None
    cpu = str(result.get("cpu", ""))
    rows = known_rows(machine, int(cpu) if cpu.isdigit() else None)
    return next((_expected_in_unit(rows[figure], value, shown) for figure, value, shown in known
                 if figure in rows), None)


def _expected_in_unit(row: Reference, value: float, shown: float) -> Expected:
    scale, outside = shown / value, data().outside(row, value)
    return Expected(row, shown, row.low * scale, row.typical * scale, row.high * scale,
                    max(outside, 0) if row.figure in MESSAGES else outside)


def is_comparable(machine: dict, result: dict) -> bool:
    """Whether a result is of ordinary memory on the node of its CPU, and its data were right. That
    of c2c is on the node of the writer; `home` tells this only if no node was asked for."""
    remote, nodes = result.get("remote_threads"), machine.get("nodes") or []
    if result.get("test") == "c2c":
        near = result.get("home") == "writer" and (len(nodes) < 2 or places.is_local(
            machine, result | {"cpu": result.get("writer_cpu")}))
    else:
        near = remote == 0 if remote is not None else \
            len(nodes) < 2 or places.is_local(machine, result)
    return near and result.get("verified") != "failed" and \
        result.get("memory_object") is None and result.get("target", "ram") == "ram" and \
        str(result.get("memory_node", 0)) != "mixed"


def values(machine: dict, result: dict) -> Iterator[tuple[str, float, float]]:
    """The published figures that a result can be compared with, each with its value in their unit
    and in that of the result. Left out is what no machine can have, next to 0, and cycles whose
    clock none can have."""
    return (one for one in _all_values(machine, result)
            if one[1] > LEAST and LEAST < one[2] / one[1] < 1 / LEAST)


def _all_values(machine: dict, result: dict) -> Iterator[tuple[str, float, float]]:
    test, kind = result.get("test"), result.get("type")
    if kind == "wb" and test in BY_TEST:
        yield from BY_TEST[test](machine, result)
    rate = result.get("mb_per_s")
    if test == "bandwidth" and rate:
        op, threads = result.get("op"), result.get("threads")
        if kind in ("uc", "wc") and result.get("effective") == "yes" and threads == 1:
            yield f"{kind}_{op}_mb_per_s", rate, rate
        elif kind == "wb" and threads == 1 and in_memory(machine, result):
            yield f"{op}_mb_per_s", rate, rate
        elif kind == "wb" and op == "read" and whole_socket(machine, result):
            yield "socket_read_mb_per_s", rate, rate


def _of_latency(machine: dict, result: dict) -> Iterator[tuple[str, float, float]]:
    ns, cycles, level = (result.get(key) for key in ("ns_per_load", "cycles_per_load", "level"))
    if not ns:
        return
    if result.get("pattern") == "stride":
        if result.get("stride_bytes") == 64 and in_memory(machine, result):
            yield "memory_stride_ns", ns, ns
        return
    if level in ("l1", "l2", "l3") and cycles:
        yield f"{level}_cycles", cycles, ns
    if level in ("l3", "memory"):
        yield f"{level}_ns", ns, ns


def _of_changed_line(machine: dict, result: dict) -> Iterator[tuple[str, float, float]]:
    """A message takes at least as long as a load of a line that another core has changed. In a
    virtual machine nobody knows which cores are near."""
    ns, far = result.get("ns_per_line"), _are_far(machine, result)
    if ns and far is not None and machine.get("hypervisor", "") is None and \
            result.get("state") == "hitm" and result.get("siblings") == "no" and \
            result.get("mb_per_s") is None:
        yield f"c2c_{'far' if far else 'near'}_ns", ns, ns


def _are_far(machine: dict, result: dict) -> bool | None:
    """Whether the CPUs of a pair have no L3 in common; None if the record does not tell. Its
    entries have the CPUs of all caches of a kind: an entry is one cache if that many CPUs share it.
    CPUs of two entries share none. Those of a machine of several nodes can be on two sockets, which
    the published figures do not tell from two parts of one."""
    kinds = [(one, numbers(str(one.get("cpus")))) for one in machine.get("caches") or []
             if one.get("level") == 3]
    mine = [next((kind for kind in kinds if result.get(cpu) in kind[1]), None)
            for cpu in ("writer_cpu", "reader_cpu")]
    if mine[0] is None or mine[1] is None:
        return None
    if mine[0] is not mine[1]:
        return True if len(machine.get("nodes") or []) == 1 else None
    one, cpus = mine[0]
    return False if one.get("shared_by_cpus") == len(cpus) else None


def _of_tlb(machine: dict, result: dict) -> Iterator[tuple[str, float, float]]:
    """What a miss of the first TLB costs, if the second one has all pages and L1 all lines. The
    loads of lines close together then take as long as any from L1, which gives the clock."""
    cpu, pages = str(result.get("cpu", "")), result.get("pages") or 0
    ns, packed = result.get("tlb_ns"), result.get("packed_ns_per_load")
    rows = known_rows(machine, int(cpu) if cpu.isdigit() else None)
    if not ns or not packed or not isinstance(pages, (int, float)) or \
            result.get("page_bytes") != PAGE or \
            not rows.keys() >= {"dtlb_entries", "stlb_entries", "l1_cycles", "l1d_kib"}:
        return
    if 2 * rows["dtlb_entries"].high <= pages <= rows["stlb_entries"].low / 2 and \
            pages * LINE <= rows["l1d_kib"].low * 1024:
        yield "dtlb_miss_cycles", ns * rows["l1_cycles"].typical / packed, ns


BY_TEST = {"latency": _of_latency, "c2c": _of_changed_line, "tlb": _of_tlb}


def in_memory(machine: dict, result: dict) -> bool:
    """Whether a set is in memory: by its level, else by its size beside the last cache."""
    if result.get("level"):
        return result["level"] == "memory"
    last = max((one.get("size_bytes") or 0 for one in machine.get("caches") or []), default=0)
    return bool(last) and (result.get("size_bytes") or 0) >= BEYOND * last


def whole_socket(machine: dict, result: dict) -> bool:
    """Whether all CPUs of a machine of one node took part. A virtual machine may have a part of a
    socket, and so is never one."""
    return machine.get("hypervisor", "") is None and len(machine.get("nodes") or []) == 1 and \
        result.get("threads") == len(numbers(str(machine.get("cpus_online")))) and \
        in_memory(machine, result)
