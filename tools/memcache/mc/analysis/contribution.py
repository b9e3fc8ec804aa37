# SPDX-License-Identifier: GPL-2.0-only
"""The figures of a machine for references.json: what its model is, and nothing that tells one
machine from others of its model."""

import json
import re
import time
from pathlib import Path

from mc import Failure, grouped, quoted
from mc.analysis import disturbed, hardware, reference
from mc.analysis.normal import IN_MEMORY
from mc.analysis.reference import FIGURES, MESSAGES, UNNAMED
from mc.analysis.steps import median
from mc.records import prices
from mc.records.fields import has_settled
from mc.records.results import Run, start_times

SCHEMA = 1
MODEL = re.compile(r"[A-Za-z]+ [0-9]{1,5} [0-9]{1,5}( steppings [0-9]+-[0-9]+)?"
                   r"( (performance|efficiency))?")
PLATFORM = re.compile(r"[A-Za-z0-9_.+-]+,[A-Za-z0-9_,.+-]+")
YEARS = range(2000, 2101)
PLAUSIBLE = 4       # times beyond what is published of all models
PAGES = ("thp", "2m", "direct")     # pages in which memory shows no misses of the TLB
KEYS = ("schema", "model", "platform", "year", "figures")
LARGEST = 1 << 16   # bytes of a file; ours have a thousand


def contribution(runs: list[Run]) -> dict:
    """What a person may send. A Failure says why these results are of no use."""
    machine = runs[0].machine
    model = _model(machine)
    for run in runs:
        if _model(run.machine) != model or any(run.machine.get(key) != machine.get(key)
                                               for key in ("host", "platform")):
            raise Failure("the files are of several machines; each has a contribution of its own")
    figures = dict(reference.sizes(machine)) | _measured(runs, model)
    if bits := hardware.socket_width(machine):
        figures["memory_bits"] = bits
    if not any(FIGURES[name].slow is not None for name in figures):
        raise Failure("no result is of a figure that references have, of a loop that had settled "
                      "and that nothing disturbed")
    started = start_times(runs)
    year = time.gmtime(min(started) / 1e9).tm_year if started else None
    platform = machine.get("platform")
    told = {"schema": SCHEMA, "model": model,
            "platform": platform if PLATFORM.fullmatch(str(platform)) else None,
            "year": year if year in YEARS else None,
            "figures": {name: value if isinstance(value, int) else float(f"{value:.4g}")
                        for name, value in sorted(figures.items())}}
    if wrong := problems(told):
        raise Failure("; ".join(wrong))
    return told


def _model(machine: dict) -> str:
    """The model of a machine whose figures are those of its CPU. A Failure says why they are
    not."""
    name = machine.get("hypervisor", "")
    has = "is simulated" if prices.simulation(machine) else \
        "" if name is None else f"has {name}" if name not in ("", "unknown") else "may have one"
    if has:
        raise Failure("only figures of a machine that is known to have no hypervisor say something "
                      f"about its CPU; this one {has}")
    model = reference.model_of(machine)
    if not model:
        raise Failure("the record does not say which CPU it is")
    if why := reference.disguise(machine, model):
        raise Failure(f"it may be another CPU than its number says: {why}")
    return model


def _measured(runs: list[Run], model: str) -> dict[str, float]:
    """The median of each figure; of memory that of the largest set."""
    found = grouped(
        (figure, (result.get("size_bytes") or 0, value))
        for run in runs for result in run.results if _tells_of_model(run, result, model)
        for figure, value, _ in reference.values(run.machine, result)
        if figure in FIGURES and figure not in MESSAGES and (
            figure not in IN_MEMORY or result.get("page") in PAGES))
    return {figure: median(value for size, value in several
                           if figure not in IN_MEMORY or size == max(several)[0])
            for figure, several in found.items()}


def _tells_of_model(run: Run, result: dict, model: str) -> bool:
    """Whether a result says what this model can do."""
    cpu = str(result.get("cpu", ""))
    return reference.is_comparable(run.machine, result) and has_settled(result) and \
        not disturbed.is_disturbed(result) and reference.model_of(
            run.machine, int(cpu) if cpu.isdigit() else None) == model


def read(path: Path) -> tuple[dict, list[str]]:
    """A file that a person sent, and what is wrong with it, in sentences. Anything can be in it."""
    try:
        if not path.is_file():
            return {}, ["no such file" if not path.exists() else "not an ordinary file"]
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
        if len(raw) > LARGEST:
            return {}, [f"more than {LARGEST} bytes"]
        if not raw.strip():
            return {}, ["empty"]
        told = json.loads(raw.decode("utf-8"), object_pairs_hook=_dict_of_pairs)
    except OSError as error:
        return {}, [f"can't be read: {error.strerror}"]
    except UnicodeDecodeError as error:
        return {}, [f"not UTF-8: byte {error.start} is 0x{raw[error.start]:02x}"]
    except RecursionError:
        return {}, ["not JSON of this form: brackets within brackets"]
    except ValueError as error:
        return {}, [f"not JSON of this form: {error}"]
    return (told if isinstance(told, dict) else {}), problems(told)


def _dict_of_pairs(pairs: list[tuple[str, object]]) -> dict:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _short_text(value: object) -> str:
    """What a person wrote, for a sentence: printable, and not long."""
    try:
        text = ascii(value)
    except ValueError:          # a number of more digits than Python prints
        text = "that"
    return quoted(text)


def problems(told: object) -> list[str]:
    """What is wrong with a file that a person sent, in sentences."""
    if not isinstance(told, dict) or list(told) != list(KEYS):
        return [f"a contribution has the keys {', '.join(KEYS)}"]
    said = []
    if told["schema"] is True or told["schema"] != SCHEMA:
        said.append(f"schema: {SCHEMA} is known")
    if not _is_model(str(told["model"])):
        said.append("model: VENDOR FAMILY MODEL, as `memcache reference` prints it")
    if told["platform"] is not None and not PLATFORM.fullmatch(str(told["platform"])):
        said.append("platform: the system on a chip, such as maker,chip, or null")
    if told["year"] is not None and not (isinstance(told["year"], int) and told["year"] in YEARS):
        said.append("year: a year, or null")
    if not isinstance(told["figures"], dict) or not told["figures"]:
        return [*said, "figures: there are none"]
    for name, value in told["figures"].items():
        if name not in FIGURES:
            said.append(f"figures: {_short_text(name)} is none; there are {', '.join(FIGURES)}")
        elif isinstance(value, bool) or not isinstance(value, (int, float)) \
                or not 0 < value < 1e9:
            said.append(f"figures: {name} can't be {_short_text(value)}")
        elif FIGURES[name].slow is None and value != int(value):
            said.append(f"figures: {name} is a whole number, not {value}")
        elif (known := _published(name)) and not known[0] <= value <= known[1]:
            said.append(f"figures: {name} can't be {value:g}; those of all models together are "
                        f"{known[0] * PLAUSIBLE:g} to {known[1] / PLAUSIBLE:g}")
    return said


def _is_model(text: str) -> bool:
    """Whether it is a key of a model, with steppings only if these tell CPUs apart."""
    match = MODEL.fullmatch(text)
    if not match:
        return False
    vendor, family, model = text.split()[:3]
    groups = reference.STEPPINGS.get((vendor, int(family), int(model)), ())
    known = [f" steppings {low}-{high}" for low, high in groups] or [""]
    return (match[1] or "") in known


def _published(figure: str) -> tuple[float, float] | None:
    """What a figure can be at least and at most, by all models that have it."""
    rows = [known[figure] for model, known in reference.data().rows.items()
            if figure in known and model != UNNAMED]
    return (min(row.low for row in rows) / PLAUSIBLE,
            max(row.high for row in rows) * PLAUSIBLE) if rows else None
