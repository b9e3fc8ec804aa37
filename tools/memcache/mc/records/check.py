# SPDX-License-Identifier: GPL-2.0-only
"""Mistakes in a request line, as far as the tests of a side and their keys show them. Only the
side itself knows which values go together."""

import re
from collections.abc import Callable, Iterable, Iterator

from mc import nearest
from mc.records.keys import Key, Tests, bytes_of, ns_of, ns_of_seconds
from mc.records.tests import WAS

DECIMALS = re.compile(r"\d+\.\d+")


def first_mistake(line: str, tests: Tests) -> str:
    """The first mistake in this line; empty if there is none."""
    test, *words = line.split()
    if test not in tests:
        return f"test: {test!r} is not one of {'|'.join(tests)}{_suggestion(test, tests)}"
    return next(_mistakes(test, words, tests[test]), "") if tests[test] else mistake_of_form(words)


def mistake_of_form(words: list[str]) -> str:
    """The first mistake in the form of these words, for any test: key=value, each key once."""
    keys = [word.partition("=")[0] for word in words]
    for key, equals, value in (word.partition("=") for word in words):
        if not equals:
            return f"{key!r}: not key=value"
        if not value:
            return f"{key}: has no value"
    return next((f"{key}: is given twice" for key in keys if keys.count(key) > 1), "")


def with_words(line: str, words: list[str]) -> str:
    """The line with these words in place of those with the same keys; new keys go to its end."""
    test, *before = line.split()
    pairs = dict(word.split("=", 1) for word in [*before, *words])
    return " ".join([test, *(f"{key}={value}" for key, value in pairs.items())])


def with_usual_letters(line: str, tests: Tests) -> str:
    """The line with its words in the letters of the tests: TYPE=WB becomes type=wb."""
    test, *words = line.split()
    test = test.lower() if test.lower() in tests else test
    keys = tests.get(test, {})
    return " ".join([test, *(usual_word(word, keys) for word in words)])


def usual_word(word: str, keys: dict[str, Key]) -> str:
    """A word key=value in the letters of these keys."""
    key, equals, values = word.partition("=")
    key = key.lower() if key.lower() in keys else key
    now = WAS.get(key.lower())
    if now in keys and values.lower() in keys[now].words:
        key = now
    if key not in keys or keys[key].fits_form(values):
        return key + equals + values
    return key + equals + ",".join(value.lower() if value.lower() in keys[key].words else value
                                   for value in values.split(","))


def _mistakes(test: str, words: list[str], keys: dict[str, Key]) -> Iterator[str]:
    if bad := mistake_of_form(words):
        yield bad
    for key, _, values in (word.partition("=") for word in words):
        if key not in keys:
            yield f"{key!r}: not a key of {test}" + (
                _suggestion(key, keys) or f"; it has: {', '.join(keys)}")
            continue
        for value in [] if keys[key].fits_form(values) else values.split(","):
            if not takes(keys[key], value):
                yield f"{key}: {value!r} is not one of {'|'.join(keys[key].values)}" \
                      f"{_suggestion(value, keys[key].words)}"


def _suggestion(word: str, words: Iterable[str]) -> str:
    near = nearest(word, words)
    return f"; did you mean {near}?" if near else ""


def takes(key: Key, value: str) -> bool:
    """Whether a key takes this value, which is a word, a number, or a range of numbers."""
    return not key.values or any(
        _is_within(kind, value, key.seconds) if ".." in kind else value.lower() == kind
        for kind in key.values)


def _is_within(kind: str, value: str, seconds: bool) -> bool:
    """Whether a number, or a range of sizes, is within a range such as 1K..16G, or a time in one
    such as 0..1s. A number may have as many decimals as the smallest one, such as that of
    0.001..86400."""
    low, high = kind.split("..", 1)
    if seconds:
        return _is_between(ns_of_seconds, low, value, high) \
            and ns_of_seconds(value) % (10**9 // 10**_decimals(low)) == 0
    if high.endswith("s"):
        return _is_between(ns_of, low, value, high)
    if DECIMALS.fullmatch(value) and _decimals(low):
        return _decimals(value) <= _decimals(low) and float(low) <= float(value) <= float(high)
    sizes = value.split("..")
    return len(sizes) <= 2 and all(_is_between(bytes_of, low, size, high) for size in sizes)


def _is_between(number: Callable[[str], int], low: str, value: str, high: str) -> bool:
    return max(number(low), 0) <= number(value) <= number(high)


def _decimals(number: str) -> int:
    return len(number.partition(".")[2])
