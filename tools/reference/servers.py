# SPDX-License-Identifier: GPL-2.0-only
"""Sources that name a CPU in words: curves of Mess, the table in PerfSpect, matrices of
core-to-core-latency, and figures that a person copied from a document.

`models` has the model of each name in the CPUID dumps.
"""

import csv
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from machines import Measured, parsed

from mc.analysis import contribution

Find = Callable[[str], str]
NOISE = re.compile(r"\((?:R|TM)\)|\b(?:CPU|Processor|Intel|AMD|Dual|\d+-Core|Eight-Core)\b"
                   r"|@.*|,.*", re.I)
ROW = re.compile(r"^\| *(?P<cpu>(?:Intel|AMD|NVIDIA)[^|]*?) *\|[^|]*\| *[\d.]+ *\|", re.M)
PERFSPECT = re.compile(r'Description: "Reference \(Intel (\d)S (Xeon [^)]*)\)".*?'
                       r"MemPeakBandwidth: ([\d.]+), MemMinLatency: ([\d.]+)")
# Names of which there is no dump, by the model that their maker's documents give.
KNOWN = {"EPYC 7R13": "AuthenticAMD 25 1", "NVIDIA Grace 72C": "Arm 8 3407",
         "AWS Graviton2": "Arm 8 3340", "AWS Graviton3": "Arm 8 3392",
         "Xeon Platinum 8275CL": "GenuineIntel 6 85 steppings 5-7",
         "Xeon Platinum 8375C": "GenuineIntel 6 106", "Xeon Max 9480": "GenuineIntel 6 143",
         "Xeon Gold 5218": "GenuineIntel 6 85 steppings 5-7",
         "Xeon Gold 6242": "GenuineIntel 6 85 steppings 5-7",
         "Xeon E5-2699 v4": "GenuineIntel 6 79", "Xeon 8180": "GenuineIntel 6 85 steppings 0-4",
         "Xeon 8280": "GenuineIntel 6 85 steppings 5-7", "Xeon 8380": "GenuineIntel 6 106",
         "Xeon 8480+": "GenuineIntel 6 143", "Xeon 8592V": "GenuineIntel 6 207",
         "Xeon 6780E": "GenuineIntel 6 175", "Xeon 6787P": "GenuineIntel 6 173"}
STEP = 1.25         # two latencies that differ by more are of two kinds of ways
SIBLINGS = 1.5      # pairs a thread, if each core has four threads; two have half a pair


def words(name: str) -> str:
    """A name without what makers write around it."""
    return " ".join(NOISE.sub(" ", name).split())


def finder(names: dict[str, str]) -> Find:
    """A function that finds the model of a name; empty if there is none, or more than one."""
    short: dict[str, set[str]] = {}
    for name, model in names.items():
        short.setdefault(words(name).lower(), set()).add(model)

    def find(name: str) -> str:
        bare = words(name)
        if known := KNOWN.get(bare) or KNOWN.get(name):
            return known
        found = short.get(bare.lower(), set())
        return next(iter(found)) if len(found) == 1 else ""
    return find


def mess(top: Path, find: Find) -> Iterator[Measured]:
    """The least latency of each system, and the most that it read, a socket."""
    for curves in sorted(top.glob("Systems/**/processed/memory_curves.csv")):
        name = str(curves.relative_to(top)).partition("/processed")[0]
        if found := parsed(curves, lambda file: _of_curves(file, name, find)):
            yield found


def _of_curves(curves: Path, name: str, find: Find) -> Measured | None:
    told = next((match for folder in curves.parents if (folder / "README.md").exists()
                 for match in [ROW.search((folder / "README.md").read_text(
                     encoding="utf-8", errors="replace"))] if match), None)
    if not told or not (model := find(told["cpu"])):
        return None
    rows = list(csv.DictReader(curves.open(encoding="utf-8")))
    found = Measured(model, name, "mess")
    found.add("memory_ns", min(float(row["latency_mean"]) for row in rows))
    found.add("socket_read_mb_per_s", 1000 * max(
        (float(row["bandwidth_mean"]) for row in rows if float(row["read_pct_rounded"]) >= 99),
        default=0))
    return found


def perfspect(top: Path, find: Find) -> Iterator[Measured]:
    text = parsed(top / "cmd/benchmark/benchmark.go", lambda file: file.read_text(
        encoding="utf-8")) or ""
    for sockets, name, rate, ns in PERFSPECT.findall(text):
        if model := find(name):
            found = Measured(model, f"{name}, {sockets} sockets", "perfspect")
            found.add("memory_ns", float(ns))
            found.add("socket_read_mb_per_s", 1000 * float(rate) / int(sockets))
            yield found


def core_to_core(top: Path, find: Find) -> Iterator[Measured]:
    """The latencies of near and of far pairs. The nearest, threads of one core, are left out."""
    for path in sorted(top.glob("results/*.csv")):
        if not (model := find(path.stem)):
            continue
        found = Measured(model, path.stem, "core-to-core-latency")
        if groups := parsed(path, _groups_of_matrix):
            found.add("c2c_near_ns", median(groups[0]))
            if len(groups) > 1:
                found.add("c2c_far_ns", median(groups[-1]))
            yield found


def _groups_of_matrix(path: Path) -> list[list[float]]:
    rows = [row for row in csv.reader(path.open(encoding="utf-8")) if row]
    return _groups(sorted(float(cell) for row in rows for cell in row if cell), len(rows))


def _groups(cells: list[float], threads: int) -> list[list[float]]:
    """Latencies in groups with a step between them. Those within a core are few, and so are odd
    ones."""
    groups: list[list[float]] = []
    for cell in cells:
        if not groups or cell > STEP * groups[-1][-1]:
            groups.append([])
        groups[-1].append(cell)
    return [group for group in groups if len(group) > SIBLINGS * threads]


def published_machines(path: Path) -> Iterator[Measured]:
    """Figures that a person copied from documents: published.toml."""
    with path.open("rb") as file:
        told = tomllib.load(file)
    for row in told.get("machine", []):
        yield Measured(row["model"], row["name"], row["source"], row.get("year"), "",
                       dict(row["figures"]))


def contributed_machines(top: Path) -> Iterator[Measured]:
    """Files of `memcache report --contribute`. A SystemExit has what is wrong with each bad one."""
    said = []
    for path in sorted(path for path in top.iterdir() if path.name != "README.md"):
        told, wrong = contribution.read(path) if path.suffix == ".json" else \
            ({}, ["its name does not end in .json"])
        said += [f"{path}: {text}" for text in wrong]
        if not said:
            yield Measured(told["model"], path.stem, "contributed", told["year"],
                           told.get("platform") or "", dict(told["figures"]))
    if said:
        raise SystemExit("\n".join(said))
