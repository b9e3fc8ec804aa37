# SPDX-License-Identifier: GPL-2.0-only
"""The figures of a machine for references.json: what its model is, and nothing that tells one
machine from others of its model."""

import re
import time
from statistics import median

from mc import Failure
from mc.analysis import disturbed, reference
from mc.analysis.normal import IN_MEMORY
from mc.analysis.reference import FIGURES
from mc.records import prices
from mc.records.fields import has_settled
from mc.records.results import Run

SCHEMA = 1
MODEL = re.compile(r"[A-Za-z]+ \d+ \d+( steppings \d+-\d+)?( (performance|efficiency))?")
PLATFORM = re.compile(r"[a-z0-9-]+,[a-z0-9,.-]+")
PAGES = ("thp", "2m", "direct")     # pages in which memory shows no misses of the TLB
KEYS = ("schema", "model", "platform", "year", "figures")


def contribution(runs: list[Run]) -> dict:
    """What a person may send. A Failure says why these results are of no use."""
    machine = runs[0].machine
    if prices.simulation(machine) or machine.get("hypervisor", "") is not None:
        raise Failure("only figures of a machine that is known to have no hypervisor say something "
                      "about its CPU; this one has "
                      f"{machine.get('hypervisor') or 'simulated memory'}")
    model = reference.model_of(machine)
    if not model:
        raise Failure("the record does not say which CPU it is")
    if why := reference.disguise(machine, model):
        raise Failure(f"it is another CPU than its number says: {why}")
    figures = dict(reference.sizes(machine)) | _measured(runs, model)
    if not any(FIGURES[name].slow is not None for name in figures):
        raise Failure("no result is of a figure that references have, of a loop that had settled "
                      "and that nothing disturbed")
    started = [result["started_unix_ns"] for run in runs for result in run.results
               if result.get("started_unix_ns")]
    year = time.gmtime(min(started) / 1e9).tm_year if started else None
    return {"schema": SCHEMA, "model": model, "platform": machine.get("platform"), "year": year,
            "figures": {name: value if isinstance(value, int) else float(f"{value:.4g}")
                        for name, value in sorted(figures.items())}}


def _measured(runs: list[Run], model: str) -> dict[str, float]:
    """The median of each figure; of memory that of the largest set."""
    found: dict[str, list[tuple[int, float]]] = {}
    for run in runs:
        for result in run.results:
            cpu = str(result.get("cpu", ""))
            if not reference.comparable(result) or not has_settled(result) or \
                    disturbed.is_disturbed(result) or reference.model_of(
                        run.machine, int(cpu) if cpu.isdigit() else None) != model:
                continue
            for figure, value, _ in reference.values(run.machine, result):
                if figure in FIGURES and (figure not in IN_MEMORY
                                          or result.get("page") in PAGES):
                    size = result.get("size_bytes") or 0
                    found.setdefault(figure, []).append((size, value))
    return {figure: median(value for size, value in several
                           if figure not in IN_MEMORY or size == max(several)[0])
            for figure, several in found.items()}


def problems(told: object) -> list[str]:
    """What is wrong with a file that a person sent, in sentences."""
    if not isinstance(told, dict) or list(told) != list(KEYS):
        return [f"a contribution has the keys {', '.join(KEYS)}"]
    said = []
    if told["schema"] != SCHEMA:
        said.append(f"schema: {SCHEMA} is known")
    if not MODEL.fullmatch(str(told["model"])):
        said.append("model: VENDOR FAMILY MODEL, as `memcache reference` prints it")
    if told["platform"] is not None and not PLATFORM.fullmatch(str(told["platform"])):
        said.append("platform: the system on a chip, such as maker,chip, or null")
    if told["year"] is not None and not (isinstance(told["year"], int)
                                         and 2000 <= told["year"] <= 2100):
        said.append("year: a year, or null")
    if not isinstance(told["figures"], dict) or not told["figures"]:
        return [*said, "figures: there are none"]
    for name, value in told["figures"].items():
        if name not in FIGURES:
            said.append(f"figures: {name} is none; there are {', '.join(FIGURES)}")
        elif isinstance(value, bool) or not isinstance(value, (int, float)) \
                or not 0 < value < 1e9:
            said.append(f"figures: {name} can't be {value}")
    return said
