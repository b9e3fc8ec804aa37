# SPDX-License-Identifier: GPL-2.0-only
"""The descriptions of the tests: their keys, their figures, how many records they make.
tests.json is what `memcache-user --tests --json` prints; `make describe` writes it."""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from mc.records import derived, units

FILE = Path(__file__).resolve().parent.parent / "tests.json"


@dataclass(frozen=True)
class Figure:
    """A figure. `roles`: its purposes, as in enum mc_role of module/core/request.h."""
    name: str
    roles: tuple[str, ...] = ()
    unit: str = ""


@dataclass(frozen=True)
class Test:
    """A test.

    records: whether it makes a record for each point, for each CPU (cpu), for each pair, or for
        all CPUs, each group of CPUs and each CPU (group)
    asked: the columns of its own keys, which repeat the request
    figures: the columns of its results
    help: what it measures
    table: the layout of its results, as @table in a suite; empty: a list
    """
    name: str
    records: str = "point"
    asked: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    table: str = ""
    help: str = ""

    @cached_property
    def _of_roles(self) -> dict[str, tuple[str, ...]]:
        return {role: tuple(one.name for one in self.figures if role in one.roles)
                for figure in self.figures for role in figure.roles}

    def figures_with_role(self, role: str) -> tuple[str, ...]:
        return self._of_roles.get(role, ())

    def main(self) -> str | None:
        """The most important figure."""
        return next(iter(self.figures_with_role("main")), None)


def _columns(keys: list[dict]) -> tuple[str, ...]:
    return tuple(key["column"] for key in keys if "column" in key)


def _test(described: dict) -> Test:
    figures = tuple(Figure(one["name"], tuple(one.get("roles", ())), one.get("unit", ""))
                    for one in described["figures"])
    return Test(described["name"], described["records"], _columns(described["keys"]), figures,
                described.get("table", ""), described["help"])


_tables: dict = json.loads(FILE.read_text(encoding="utf-8"))
for _one in _tables["tests"]:
    _one["figures"] += derived.FIGURES.get(_one["name"], [])
TESTS: dict[str, Test] = {one["name"]: _test(one) for one in _tables["tests"]}
ASKED = _columns(_tables["keys"])      # the columns of the keys that every test takes
# The words of the keys that every test takes.
KEY_WORDS = {key["name"]: key.get("words", ()) for key in _tables["keys"]}
# The keys that are numbers of seconds.
SECONDS = frozenset(key["name"] for key in _tables["keys"] if key.get("seconds"))
# Names that keys had in older versions.
WAS: dict[str, str] = {key["was"]: key["name"] for key in _tables["keys"] if "was" in key}
# The columns of bandwidth's keys that are a number or a word.
WITH_WORDS = frozenset(key["column"] for key in _tables["tests"][0]["keys"]
                       if key["kind"] in ("number", "size") and "words" in key)
_figures = [figure for one in _tables["tests"] for figure in one["figures"]]
# The figures that are numbers in each test that has them.
NUMBERS = frozenset(figure["name"] for figure in _figures) - {
    figure["name"] for figure in _figures if "words" in figure or "text" in figure}
# Fields that every result has. They are neither keys of the request nor figures of the test.
FACTS: tuple[str, ...] = tuple(_tables["facts"])
EVENTS: tuple[str, ...] = tuple(_tables["events"])    # of a core, named as `perf list` names them
OPERATIONS: list[dict] = _tables["operations"]
# Calls of other programs begin with their names, or with options of Intel MLC.
CALLS: frozenset[str] = frozenset(_tables["calls"])


@cache
def key_columns(test: object) -> tuple[str, ...]:
    """The columns of all keys of this test; of an unknown test, those of any."""
    tests = [TESTS[str(test)]] if test in TESTS else TESTS.values()
    return (*dict.fromkeys(key for one in tests for key in one.asked), *ASKED)


def test_of(name: object) -> Test:
    """The test of this name. A newer version may have made the results of an unknown one."""
    return TESTS.get(str(name)) or Test(str(name))


def figures_with_role(role: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for test in TESTS.values()
                               for name in test.figures_with_role(role)))


def is_program(word: str) -> bool:
    """Whether this is the name of another program whose calls memcache-user understands."""
    return not word.startswith("-") and os.path.basename(word).lower() in CALLS


def is_call(words: list[str]) -> bool:
    """Whether these words call such a program, whose environment may precede its name."""
    return is_program(next((word for word in words if not re.match(r"[A-Z]\w*=", word)), "-"))


def unit(name: str) -> str:
    """The unit of a figure in words; empty if its name says it."""
    return next((figure.unit for test in TESTS.values() for figure in test.figures
                 if figure.name == name and figure.unit), "")


def _keys_with_defaults(name: str) -> Iterator[tuple[dict, str]]:
    """Each key of this test, and its default; none of an unknown test."""
    for test in (one for one in _tables["tests"] if one["name"] == name):
        own = dict(word.split("=", 1) for word in test.get("presets", "").split())
        for key in (*test["keys"], *_tables["keys"]):
            yield key, own.get(key["name"], key["preset"])


@cache
def columns_with_presets(name: str) -> dict[str, object]:
    """The columns that repeat a word of the request, with the key's default. An older version
    had no such key and did what its default does now."""
    return {key["column"]: int(preset) if preset.isdigit() else preset
            for key, preset in _keys_with_defaults(name) if "column" in key
            if key["kind"] == "choice" and preset not in key.get("asked_only", ())}


def is_preset(name: str, column: str, value: object) -> bool:
    """Whether a record of this test has the default in this column."""
    return (column, units.text(column, value)) in _presets(name)


@cache
def _presets(name: str) -> frozenset[tuple[str, str]]:
    """The defaults of this test, by column."""
    return frozenset((key.get("column", key["name"]), preset)
                     for key, preset in _keys_with_defaults(name))


def columns_not_preset(line: str) -> set[str]:
    """The columns of the keys that have another value than the default in this request."""
    test, *words = line.split()
    asked = {WAS.get(key, key): value for key, _, value in (word.partition("=") for word in words)}
    return {key.get("column", key["name"]) for key, preset in _keys_with_defaults(test)
            if asked.get(key["name"], preset) != preset}
