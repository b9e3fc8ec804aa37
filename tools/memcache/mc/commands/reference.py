# SPDX-License-Identifier: GPL-2.0-only
"""`memcache reference`: what is published of a model of CPU, with its sources."""

import argparse
import re
from collections.abc import Callable

from mc import Failure, emit, hint
from mc.analysis import names, reference
from mc.analysis.reference import FIGURES, UNNAMED, Reference
from mc.output import terminal
from mc.parts import Grid, Heading, Part, Sentence, bullets
from mc.records import results
from mc.records.shape import numbers
from mc.running import user
from mc.running.machine import platform
from mc.status import DONE, WRONG

EPILOG = """\
CPU is the name of a CPU or of a core, such as `9950X`, `EPYC 9654`, `Zen 5`,
`Raspberry Pi 4`; a part of a name or key that `memcache reference --list`
prints, such as `GenuineIntel 6 85`; or a results file, which means its machine.
Without it: this machine.

Figures are those of other machines of the model: the lowest, the median and
the highest. Each source measures in its own way; the list below the table says
how.
"""


# The orders of the list, of rows of maker, figures, model and core; models go by their numbers.
ORDERS: dict[str, Callable[[tuple], tuple]] = {
    "core": lambda row: (row[0], row[3]), "model": lambda row: (row[2].split()[0],),
    "figures": lambda row: (-row[1],)}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--list", action="store_true",
                        help="list all models, a line each, with the number of figures of each")
    parser.add_argument("--sort", choices=tuple(ORDERS), default="core",
                        help="the order of the list (default: core, with its maker)")
    parser.add_argument("cpu", nargs="*", metavar="CPU", help="a model, or FILE.jsonl")


def command(args: argparse.Namespace) -> int:
    word = " ".join(" ".join(args.cpu).split())
    if word.endswith(".jsonl") and not args.list:
        machine = results.load(" ".join(args.cpu))[0].machine
    elif word or args.list:
        models = _models_of(word)
        if not models:
            near = "" if re.search(r"\d", word) else hint(
                word, [name for _, cores, _ in names.MODELS for name in cores.split(", ")])
            raise Failure(f"nothing is known of a CPU that is called {word}.{near} "
                          "memcache reference --list has all", WRONG)
        whole = {re.sub(r" (performance|efficiency)$", "", model) for model in models}
        if args.list or len(whole) > 1:
            emit(_listing(models, args.sort))
        else:
            emit(terminal.lines([part for model in models for part in parts(model)]))
        return DONE
    else:
        machine = user.machine() | platform()
    emit(terminal.lines(of_machine(machine)))
    return DONE


def _models_of(word: str) -> list[str]:
    """The models that a word of the user means, also such without figures: a key, the name of a
    CPU, a core, or words of these; all for no word."""
    known = reference.data()
    all_models = [model for model in known.rows if model != UNNAMED]
    if word.lower() in map(str.lower, all_models) or not word:
        return [model for model in all_models if word.lower() in ("", model.lower())]
    found = names.meant(word) or [
        model for model in dict.fromkeys([*all_models, *(key for key, _, _ in names.MODELS)])
        if word.lower() in (names.maker_of(model).lower(), model.split()[0].lower())]
    text = {model: names.plain(f"{model} {known.names.get(model, '')}") for model in all_models}
    if names.plain(word) and (len(found) != 1 or names.is_core(word, found[0])):
        begins = re.compile(rf"\b{re.escape(names.plain(word))}")
        whole = [model for model in all_models if re.search(rf"{begins.pattern}\b", text[model])
                 or model in known.names and names.is_core(word, model, known.names[model])]
        # A letter behind a number makes another name: X1C is no X1.
        found += whole or ([] if found or word[-1].isdigit() else
                           [model for model in all_models if begins.search(text[model])])
    kinds = [model for key in found for model in all_models
             if model.startswith(f"{key} ") and "," not in model.removeprefix(key)]
    return [*dict.fromkeys([key for key in found if key in known.rows or not any(
        kind.startswith(f"{key} ") for kind in kinds)] + kinds)]


def _name_of(model: str) -> str:
    """Its name, or that of the core that its board has."""
    known = reference.data().names
    return known.get(model) or known.get(model.rpartition(" ")[0]) or ""


def _listing(models: list[str], order: str) -> list[str]:
    """A line for each model that other programs can sort, too: however narrow the terminal is, none
    is broken."""
    known = reference.data()
    rows = []
    for model in models:
        core, called = names.core_of(model), _name_of(model)
        more = [one for one in called.split(", ")
                if one.lower() not in core.lower().replace(" ", "")]
        rows.append((names.maker_of(model), len(known.rows.get(model, {})), model,
                     core + (f" ({', '.join(more)})" if more else "") if core else called or "-"))
    number = {row: [int(part) if part.isdigit() else 0 for part in row[2].split()] for row in rows}
    rows.sort(key=lambda row: (*ORDERS[order](row), number[row]))
    wide = max(len(row[2]) for row in rows)
    return [f"{'maker':12}  figures  {'model':{wide}}  core",
            *(f"{maker or '-':12}  {figures:7}  {model:{wide}}  {core}"
              for maker, figures, model, core in rows)]


def of_machine(machine: dict) -> list[Part]:
    """What is published of the model of a machine, or of each of its kinds of cores; or why
    nothing is."""
    if not machine:
        return [Sentence("Nothing is known of this CPU: memcache-user, which reads its number, "
                         "is not there.")]
    cpus = [next(iter(numbers(str(kind.get("cpus")))), None) for kind in
            machine.get("kinds") or [{}]]
    found: list[Part] = []
    models = [reference.model_of(machine, cpu) for cpu in cpus]
    if reference.model_of(machine) in reference.data().rows:    # of all kinds of cores
        models.append(reference.model_of(machine))
    for model in dict.fromkeys(models):
        found += [Sentence(f"{machine.get('cpu') or 'CPU'}: {model or 'its number is not known'}.")]
        if why := reference.disguise(machine, model):
            found.append(Sentence(f"Nothing is known of it: {why}. "
                                  + ("The hypervisor may show the number of another CPU."
                                     if machine.get("hypervisor") else
                                     "So it may be another CPU.")))
        elif not reference.data().rows.get(model):
            found.append(Sentence("Nothing is published of this model that memcache knows."))
        else:
            found += parts(model, machine.get("platform") or "")
    return found


def parts(model: str, platform_name: str = "") -> list[Part]:
    """The figures of a model, and their sources."""
    known = reference.data()
    core, _, chip = model.rpartition(" ")
    rows = known.known(core, chip) if "," in chip else known.known(model, platform_name)
    name = _name_of(model) or names.core_of(model)
    if not rows:
        return [Sentence(f"Nothing is published of {model} ({name}) that memcache knows.")]
    used = dict.fromkeys(source for row in rows.values() for source in row.sources.split("+"))
    said: list[Part] = [Heading(f"{model}{f' ({name})' if name else ''}"), Grid(
        ["figure", "low", "typical", "high", "machines", "source"],
        [_row(row) for figure, row in sorted(rows.items(), key=lambda one: [*FIGURES].index(
            one[0]))], left=1)]
    return [*said, Heading("Sources"), *bullets([
        f"{source}: {told['title']}{', ' * bool(told['url'])}{told['url']} ({told['licence']}). "
        f"{told['method'][:1].upper()}{told['method'][1:]}."
        for source, told in known.sources.items() if source in used], gap=False)]


def _row(row: Reference) -> list[str]:
    told = FIGURES[row.figure]
    return [f"{told.words}, {told.unit}", *(f"{value:g}" if value < 1e5 else f"{value:.0f}"
                                            for value in (row.low, row.typical, row.high)),
            str(row.machines), row.sources + (f" {row.year}" if row.year else "")]
