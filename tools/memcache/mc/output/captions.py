# SPDX-License-Identifier: GPL-2.0-only
"""The captions of pictures: machine and verdict."""

import os
from collections.abc import Iterable

from mc import join_words
from mc.analysis import disturbed, verdict
from mc.output.charts import Source
from mc.records import prices
from mc.records.results import Run


def warnings(files: dict[str, list[Run]]) -> list[str]:
    """What a picture of these files must not hide, as their tables do not: NOT QUIET, DISTURBED."""
    named = without_directories(files)
    texts = [(name, disturbed.verdict(runs)) for name, runs in files.items()]
    return [f"{named[name]}: {text}" if len(files) > 1 else text for name, text in texts if text]


def captions(files: dict[str, list[Run]], sources: list[Source]) -> list[str]:
    """A caption for each file: its letter, its machine, its verdict."""
    texts = []
    short_names = without_directories(files)
    for name, runs in files.items():
        mine = [source for source in sources if source.file == name]
        letter = mine[0].name.split()[0] + ": " if len(files) > 1 and mine else ""
        texts.append(letter + " ".join([
            f"{short_names[name]}.", machine_text(runs[0].machine) + ".",
            f"Measured {sides(one.where for one in mine)}.",
            *verdict.sentences(verdict.judge(runs))]))
    return texts


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
