# SPDX-License-Identifier: GPL-2.0-only
"""The captions of pictures: machine and verdict."""

import os
from collections.abc import Iterable

from mc import join_words
from mc.analysis import disturbed, verdict
from mc.output import charts
from mc.records import prices
from mc.records.results import Run


def warnings(files: dict[str, list[Run]]) -> list[str]:
    """What a picture of these files must not hide, as their tables do not: NOT QUIET, DISTURBED."""
    named = without_directories(files)
    texts = [(name, disturbed.verdict(runs)) for name, runs in files.items()]
    return [f"{named[name]}: {text}" if len(files) > 1 else text for name, text in texts if text]


def captions(files: dict[str, list[Run]]) -> list[str]:
    """A caption for each file: its letter, its machine, its verdict."""
    named, sources = names_of_files(files), charts.sources(files)
    return [" ".join([
        f"{named[name]}.", machine_text(runs[0].machine) + ".",
        f"Measured {sides(one.where for one in sources if one.file == name)}.",
        *verdict.sentences(verdict.judge(runs))]) for name, runs in files.items()]


def names_of_files(files: dict[str, list[Run]]) -> dict[str, str]:
    """What each file is called: `A: before.jsonl`, or its name if it is the only one."""
    letters = {source.file: source.name.partition(" ")[0] for source in charts.sources(files)
               if len(files) > 1}
    return {name: f"{letters.get(name, '')}: {called}".removeprefix(": ")
            for name, called in without_directories(files).items()}


def without_directories(names: Iterable[str]) -> dict[str, str]:
    """The names of these files without their directories, unless two would be alike."""
    names = list(names)
    bases = [os.path.basename(name) for name in names]
    return {name: base if bases.count(base) == 1 else name for name, base in zip(names, bases)}


def machine_text(record: dict) -> str:
    return ", ".join([f"Linux {record['kernel']}", record["cpu"],
                      prices.layer_below(record, "hypervisor ")])


def sides(names: Iterable[str]) -> str:
    """The sides of the system-call boundary in words."""
    words = {"kernel": "in the kernel", "user": "in user space"}
    return join_words(words.get(name, name) for name in dict.fromkeys(names))
