# SPDX-License-Identifier: GPL-2.0-only
"""Results of sbc-bench: tinymembench and ramlat on single-board computers and others, core by
core.

tinymembench says how much longer than from L1 a load takes, in huge pages where the system has
them; ramlat says how long loads take. Its copies count each byte once, ours twice. Several results
of one board count as one machine. Where a result shows no device tree, chips.toml has the system on
a chip.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from machines import Measured, parsed

from mc.analysis.reference import model_key

# The names of cores that the kernel's tool prints, and their MIDR: implementer, part.
CORES = {
    "Cortex-A35": ("Arm", 0xd04), "Cortex-A53": ("Arm", 0xd03), "Cortex-A55": ("Arm", 0xd05),
    "Cortex-A57": ("Arm", 0xd07), "Cortex-A72": ("Arm", 0xd08), "Cortex-A73": ("Arm", 0xd09),
    "Cortex-A75": ("Arm", 0xd0a), "Cortex-A76": ("Arm", 0xd0b), "Cortex-A77": ("Arm", 0xd0d),
    "Cortex-A78": ("Arm", 0xd41), "Cortex-A78AE": ("Arm", 0xd42), "Cortex-A78C": ("Arm", 0xd4b),
    "Cortex-A510": ("Arm", 0xd46), "Cortex-A520": ("Arm", 0xd80), "Cortex-A710": ("Arm", 0xd47),
    "Cortex-A715": ("Arm", 0xd4d), "Cortex-A720": ("Arm", 0xd81), "Cortex-A725": ("Arm", 0xd87),
    "Cortex-X1": ("Arm", 0xd44), "Cortex-X1C": ("Arm", 0xd4c), "Cortex-X925": ("Arm", 0xd85),
    "Neoverse-N1": ("Arm", 0xd0c), "Neoverse-V1": ("Arm", 0xd40), "Neoverse-N2": ("Arm", 0xd49),
    "Neoverse-V2": ("Arm", 0xd4f), "NVidia Carmel": ("NVIDIA", 0x004),
    "Cavium ThunderX 88XX": ("Cavium", 0x0a1), "Ampere Ampere-1a": ("Ampere", 0xac4),
    "Qualcomm Kryo 3XX Gold": ("Qualcomm", 0x802), "Qualcomm Kryo 3XX Silver": ("Qualcomm", 0x803),
    "Qualcomm Kryo 4XX Gold": ("Qualcomm", 0x804), "Qualcomm Kryo 4XX Silver": ("Qualcomm", 0x805),
    "Qualcomm Oryon-X1": ("Qualcomm", 0x001),
}
FIRST = re.compile(r"^sbc-bench v\S+ (.*?) *\((?:\w+, )?\d+ \w+ (\d{4}) ", re.M)
RUN = re.compile(r"^Executing benchmark on cpu\d+(?: \((.*)\))?:$", re.M)
RAMLAT = re.compile(r"^Executing ramlat on cpu\d+(?: \((.*)\))?, results in ns:$", re.M)
OPP = re.compile(r"^Checking cpufreq OPP[^(:\n]*(?:\((.*)\))?:$", re.M)
MEASURED = re.compile(r"Measured: *([\d.]+)")
RATES = {"copy_mb_per_s": (re.compile(r"^ (?:standard memcpy|libc memcpy copy) +: *([\d.]+) MB/s",
                                      re.M), 2),
         "write_mb_per_s": (re.compile(r"^ (?:standard memset|libc memset fill) +: *([\d.]+) MB/s",
                                       re.M), 1)}
EXTRA = re.compile(r"^block size : single random read[^\n]*\n(.*?)(?:\n\n|\Z)", re.M | re.S)
EXTRA_ROW = re.compile(r"^ *(\d+) : +([\d.]+) ns", re.M)
VIRTUAL = re.compile(r"^(?:Hypervisor vendor|Virtualization type): |since running in "
                     r"|\blinux,dummy-virt$", re.M)
PLATFORM = re.compile(r"^ *DT compat: (?:\S+\n {5,})*(\S+,\S+)\n(?! {5,})", re.M)
GUESS = re.compile(r"^SoC guess: (.*)", re.M)
LABEL = re.compile(r"^\| *\[([^]]*)\]\(results/([^) ]+)", re.M)      # a row of Results.md
CHIPS = tomllib.loads((Path(__file__).parent / "chips.toml").read_text(encoding="utf-8"))
LARGE = 64 << 20        # bytes: the set that shows memory
BEYOND = 1.5            # a larger set that takes so many times as long: LARGE is in a cache
ALIKE = 1.04            # two sizes in one cache


def read(top: Path) -> Iterator[Measured]:
    """The boards of a snapshot. The figures of several results of a board are their medians."""
    boards: dict[tuple[str, str], list[Measured]] = {}
    table = top / "Results.md"
    labels = {name: label for label, name in LABEL.findall(
        table.read_text(encoding="utf-8", errors="replace"))} if table.exists() else {}
    for path in sorted(top.glob("results/*.txt")):
        for one in parsed(path, lambda file: list(machines(
                file.read_text(encoding="utf-8", errors="replace"),
                labels.get(file.name, "")))) or []:
            boards.setdefault((one.model, one.name), []).append(one)
    for (model, name), several in boards.items():
        found = Measured(model, name, "sbc-bench", max(one.year or 0 for one in several) or None,
                         next((one.platform for one in several if one.platform), ""))
        for figure in sorted({figure for one in several for figure in one.figures}):
            found.add(figure, median(one.figures[figure] for one in several
                                     if figure in one.figures))
        yield found


def machines(text: str, label: str = "") -> Iterator[Measured]:
    """A result's figures for each kind of core. Those of virtual machines are left out. `label`:
    what the table of results calls the board."""
    first = FIRST.search(text)
    if not first or VIRTUAL.search(text):
        return
    clocks = {core: max(float(mhz) for mhz in rates) for core, rest in reversed(_parts(text, OPP))
              if (rates := MEASURED.findall(rest.partition("\n\n\n")[0].partition("####")[0]))}
    lats = dict(reversed(_parts(text, RAMLAT)))
    for core, rest in dict(reversed(_parts(text, RUN))).items():
        key = _model(core, text)
        if not key:
            continue
        found = Measured(key, f"{first[1]} {core}", "sbc-bench", int(first[2]),
                         _chip(text, f"{label} {first[1]} "))
        rest = rest.partition("\n##########")[0]
        for figure, (pattern, counted) in RATES.items():
            if match := pattern.search(rest):
                found.add(figure, counted * float(match[1]))
        _latencies(found, lats.get(core, "").partition("\n##########")[0],
                   clocks.get(core) or clocks.get(""), rest)
        if found.figures:
            yield found


def _parts(text: str, head: re.Pattern) -> list[tuple[str, str]]:
    """The text after each of these lines up to the next, with the core that the line names."""
    found = [*head.finditer(text)]
    ends = [*(match.start() for match in found[1:]), len(text)]
    return [(match[1] or "", text[match.end():end]) for match, end in zip(found, ends)]


def _model(core: str, text: str) -> str:
    if core in CORES:
        vendor, part = CORES[core]
        return model_key(vendor, 8, part, 0)
    told = {name: re.search(rf"^ *{name}: +(\S+)", text, re.M)
            for name in ("Vendor ID", "CPU family", "Model", "Stepping")}
    if core or not all(told.values()) or not told["Vendor ID"][1].isalpha():    # type: ignore
        return ""
    vendor, *numbers = (match[1] for match in told.values() if match)
    return model_key(vendor, *map(int, numbers)) if vendor in ("GenuineIntel", "AuthenticAMD") \
        else ""


def _chip(text: str, board: str) -> str:
    """The system on a chip: as the device tree calls it, else as these names tell."""
    if told := PLATFORM.search(text):
        return told[1]
    names = " ".join([*GUESS.findall(text), board])
    return next((chip for chip, pattern in CHIPS.items() if re.search(pattern, names)), "")


def _latencies(found: Measured, ramlat: str, mhz: float | None, tinymembench: str) -> None:
    """ramlat has a row a size; its column 1xPTR follows one pointer."""
    rows = [(int(size), float(cells.split()[4])) for size, cells in
            re.findall(r"^ +(\d+)k:((?: +[\d.]+){5,})", ramlat, re.M)]
    if not rows or not mhz:
        return
    l1 = min(ns for size, ns in rows if size <= 16)
    found.add("l1_cycles", l1 * mhz / 1000)
    beyond = [ns for _, ns in rows if ns > 1.5 * l1]
    if len(beyond) > 1 and beyond[1] <= ALIKE * beyond[0]:      # two rows that L2 serves
        found.add("l2_cycles", beyond[0] * mhz / 1000)
    tables = EXTRA.findall(tinymembench)       # without huge pages, with them; or one
    far = [float(ns) for size, ns in EXTRA_ROW.findall(tables[-1]) if int(size) == LARGE] \
        if tables else []
    larger = max(rows)[1] > BEYOND * dict(rows).get(LARGE >> 10, max(rows)[1])
    if far and not larger:
        found.add("memory_ns", l1 + far[0])
