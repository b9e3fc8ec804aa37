# SPDX-License-Identifier: GPL-2.0-only
"""`memcache reference`: what is published of a model of CPU, with its sources."""

import argparse

from mc import Failure, emit
from mc.analysis import reference
from mc.analysis.reference import FIGURES, UNNAMED, Reference
from mc.output import terminal
from mc.parts import Grid, Heading, Part, Sentence, bullets
from mc.records import results
from mc.records.shape import numbers
from mc.running import platform, user
from mc.status import DONE, WRONG

EPILOG = """\
CPU is a part of a model's name or key, as `memcache reference --list` prints
them, such as `Skylake` or `GenuineIntel 6 85`; or a results file, which means
its machine. Without it: this machine.

Figures are those of other machines of the model: the lowest, the median and
the highest. Each source measures in its own way; the list below the table says
how.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--list", action="store_true",
                        help="list all models, with the number of figures of each")
    parser.add_argument("cpu", nargs="*", metavar="CPU", help="a model, or FILE.jsonl")


def command(args: argparse.Namespace) -> int:
    word = " ".join(" ".join(args.cpu).split())
    if word.endswith(".jsonl") and not args.list:
        machine = results.load(" ".join(args.cpu))[0].machine
    elif word or args.list:
        models = [model for model in reference.data().rows if _fits(model, word)]
        if not models:
            raise Failure(f"nothing is known of a CPU that is called {word}; "
                          "memcache reference --list has all", WRONG)
        if args.list:
            emit(terminal.lines([_listing(models)]))
            return DONE
        exact = [model for model in models if model.lower() == word.lower()]
        if len(exact or models) > 1:
            emit(terminal.lines([_listing(models)]))
        else:
            model, = exact or models
            emit(terminal.lines(parts(model) + of_unnamed_cpus([model])))
        return DONE
    else:
        machine = user.machine() | platform.describe()
    emit(terminal.lines(of_machine(machine)))
    return DONE


def _fits(model: str, word: str) -> bool:
    return word.lower() in f"{model} {reference.data().names.get(model, '')}".lower()


def _listing(models: list[str]) -> Grid:
    known = reference.data()
    return Grid(["model", "figures", "called"],
                [[model, str(len(known.rows[model])), known.names.get(model, "")]
                 for model in models], left=1)


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
    return found + of_unnamed_cpus(models)


def of_unnamed_cpus(models: list[str]) -> list[Part]:
    """Figures of CPUs that their sources do not name, if none of these models has one of them."""
    known = reference.data().rows
    rows = known.get(UNNAMED, {})
    if not rows or UNNAMED in models or any(rows.keys() & known.get(model, {}).keys()
                                            for model in models):
        return []
    return [*parts(UNNAMED), Sentence("This may be any CPU, and nothing is compared with it. "
                                      "`memcache report --contribute` gives figures of yours.")]


def parts(model: str, platform_name: str = "") -> list[Part]:
    """The figures of a model, and their sources."""
    known = reference.data()
    rows = known.known(model, platform_name)
    name = known.names.get(model)
    used = dict.fromkeys(source for row in rows.values() for source in row.sources.split("+"))
    title = "A CPU that its source does not name" if model == UNNAMED else model
    said: list[Part] = [Heading(f"{title}{f' ({name})' if name else ''}"), Grid(
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
