# SPDX-License-Identifier: GPL-2.0-only
"""Calls of other programs, such as Intel MLC and lmbench, and their words in our requests, put into
words of ours. The table is tools/user/elsewhere.c, and tests.json has its rows; translate.c does
the same for memcache-user."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple

from mc import Failure
from mc.records import tests
from mc.records.keys import Key, Tests
from mc.status import WRONG

MOST_CPUS = 8192
UNKNOWN = "has no counterpart here; the manual has a page for those who come from other tools"


class Row(NamedTuple):
    """A word of another program, as struct mc_elsewhere in tools/user/elsewhere.h."""
    of: str
    word: str
    ours: str = ""
    suite: str = ""
    why: str = ""


Explained = tuple[Row | None, str]      # a word, and its value


@cache
def rows(of: str = "") -> dict[str, Row]:
    """The rows of a program, or those of words in requests."""
    return {said["word"]: Row(**said) for said in tests.ELSEWHERE if said["of"] == of}


@cache
def programs() -> dict[str, str]:
    """The names of the programs, in small letters."""
    return {said["of"].lower(): said["of"] for said in tests.ELSEWHERE if said["of"]}


def program(name: str) -> str:
    """The program of this name; empty if there is none."""
    return programs().get(os.path.basename(name).lower(), "")


def is_mode(option: str) -> bool:
    """Whether this is an option by which Intel MLC is told what to measure."""
    return option.startswith("--") and option in rows("mlc")


# ------------------------------------------------------------ calls of other programs

def translated(name: str, arguments: list[str]) -> tuple[str, str]:
    """A call of another program: the request, which may be empty, and the suite, if it measures
    the same and the call has no keys."""
    start, said = rows(name)[""], list(_explained(name, arguments))
    words = _Words()
    words.add(start)
    # What is to be measured comes first, options last: they know better.
    heads, rest = _parted(said, _is_head)
    options, places = _parted(rest, _is_option)
    for row, value in [*heads, *places, *options]:
        if row:
            words.add(row, value)
        else:
            words.put(value)
    suite = heads[-1][0].suite if heads and heads[-1][0] else start.suite
    return words.line(), "" if rest and words.test else suite


def _parted(said: list[Explained], chosen: Callable[[Row | None], bool]) \
        -> tuple[list[Explained], list[Explained]]:
    return [one for one in said if chosen(one[0])], [one for one in said if not chosen(one[0])]


def _is_option(row: Row | None) -> bool:
    return row is None or row.word.startswith("-")


def _is_head(row: Row | None) -> bool:
    return row is not None and (
        bool(row.suite) or "=" not in row.ours.partition(" ")[0] and bool(row.ours))


def _explained(name: str, arguments: list[str]) -> Iterator[Explained]:
    """Each argument: its row and its value. A word key=value has no row."""
    known, position, left = rows(name), 0, list(arguments)
    while left:
        word = left.pop(0)
        position += not word.startswith("-")
        row, value = known.get(word), word
        if not row and word.startswith("-"):
            row, value = _option(known, word)
            if row and not value:
                row, value = (row, left.pop(0)) if left else (None, "")
        elif not row and "=" in word:
            yield None, word
            continue
        elif not row:
            row = known.get(f"#{position}") or known.get("#+")
        if not row:
            raise Failure(f"{name}: {word} {UNKNOWN}", WRONG)
        yield row, value


def _option(known: dict[str, Row], word: str) -> tuple[Row | None, str]:
    """The row of an option that has a value, and the value if it is in the same word."""
    fits = [row for row in known.values() if row.word.startswith("-") and row.word.endswith("*")
            and word.startswith(row.word[:-1]) and len(row.word) > 2]
    row = max(fits, key=lambda row: len(row.word), default=None)
    return row, word[len(row.word) - 1:] if row else ""


class _Words:
    """A request that is put together."""

    def __init__(self) -> None:
        self.test = ""
        self.keys: dict[str, str] = {}

    def put(self, word: str, more: bool = False) -> None:
        """Add a word, in place of one with the same key; `more` adds its value to a list."""
        key, _, value = word.partition("=")
        self.keys[key] = f"{self.keys[key]},{value}" if more and key in self.keys else value

    def add(self, row: Row, value: str = "") -> None:
        """Add what a row of the table says."""
        for word in row.ours.split():
            if "=" not in word:
                self.test = word
            elif filled := _filled(self._chosen(word), value):
                self.put(filled, row.word == "#+")

    def _chosen(self, word: str) -> str:
        """Of a=*|b=*, the first whose key the test has."""
        choices = word.split("|")
        known = tests.key_names(self.test)
        return next((one for one in choices if one.partition("=")[0] in known), choices[-1])

    def line(self) -> str:
        words = (f"{key}={value}" for key, value in self.keys.items())
        return " ".join([self.test, *words]) if self.test else ""


def _filled(word: str, value: str) -> str:
    """A word of the table with the value in it; empty if a part of the value is not there."""
    missing = False

    def part(match: re.Match) -> str:
        nonlocal missing
        mark, number, unit = match.groups()
        parts = value.split(":")
        found = value if not number else parts[int(number) - 1] \
            if int(number) <= len(parts) else ""
        if number and not found or mark == "%" and not _cpus(found):
            missing = True
            return ""
        if mark == "%":
            return _cpus(found) + (unit or "")
        return found + (unit if unit and (found[-1:].isdigit() or not found) else "")

    filled = re.sub(r"([*@%])([1-9])?([KMG])?", part, word)
    return "" if missing else filled


def _cpus(count: str) -> str:
    """A list of the first CPUs; empty if this is no number of CPUs."""
    number = int(count) if count.isdecimal() else 0
    return "" if not 0 < number <= MOST_CPUS else f"0-{number - 1}" if number > 1 else "0"


# -------------------------------------------------------- their words in our requests

def usual(line: str, known: Tests) -> tuple[str, str]:
    """A request in words of ours, and the suite that measures the same if it has no keys; the line
    is empty if only a suite does."""
    first, *given = line.split()
    row = None if first in known else _test(first)
    words = _Words()
    if row:
        words.add(row)
        if not words.test:
            return "", row.suite
    else:
        words.test = first
    new = [one for word in given for one in usual_word(word, known.get(words.test, {}))]
    fresh = dict(words.keys)
    extra = []
    for word in new:
        key, _, value = word.partition("=")
        if key in fresh:
            words.keys[key] = value
            del fresh[key]
        else:
            extra.append(word)
    return " ".join([words.line(), *extra]), row.suite if row and not given else ""


def _test(word: str) -> Row | None:
    """What a word in the place of a test stands for."""
    if found := rows().get(word) or (name := program(word)) and rows(name)[""] \
            or rows("mlc").get(f"--{word}"):
        return found
    if word in {said["name"] for said in tests.OPERATIONS}:
        return Row("", word, f"bandwidth op={word}")
    return None


def usual_word(word: str, known: dict[str, Key]) -> Iterable[str]:
    """A word key=value in words of ours: it, and more if it stands for more."""
    key, equals, values = word.partition("=")
    if not equals or not known or key in known and not known[key].takes_words:
        return [word]
    if key in known:
        more: dict[str, None] = {}
        found = [_value(key, value, known[key], more) for value in values.split(",")]
        if all(found):
            return [*more, f"{key}={','.join(map(str, found))}"]
    row = rows().get(f"{key}=")
    filled = _filled(row.ours, values) if row else ""
    return usual_word(filled, known) if filled else [word]


def _value(key: str, value: str, known: Key, more: dict[str, None]) -> str:
    """Our word for a value; empty if there is none. Words that it brings are added to `more`."""
    if value.lower() in known.words:
        return value
    for row in rows().values():
        theirs = row.word.removeprefix(f"{key}=")
        if theirs in ("", row.word):
            continue
        if theirs.lower() == value.lower():
            if row.why:
                raise Failure(f"{key}={value}: {row.why}", WRONG)
            return row.ours.partition("=")[2]
        if theirs.startswith("_") and value.lower().endswith(theirs) and len(value) > len(theirs):
            if found := _value(key, value[:-len(theirs)], known, more):
                more[row.ours] = None
            return found
    return ""
