# SPDX-License-Identifier: GPL-2.0-only
"""Mistakes in a request line, as far as the tests of a side and their keys show them. Only the
side itself knows which values go together."""

import re
from collections.abc import Iterator

from mc import meant
from mc.records.keys import Key, Tests, bytes_of, ns_of

NUMBER = re.compile(r"(\d{1,15}(?:\.\d{1,9}|[KMG])?)(?:\.\.(\d{1,15}[KMG]?))?", re.I)


def wrong(line: str, tests: Tests) -> str:
    """The first mistake in this line; empty if there is none."""
    test, *words = line.split()
    if test not in tests:
        return f"no test {test}.{meant(test, tests)} There are: {', '.join(tests)}"
    return next(_mistakes(test, words, tests[test]), "") if tests[test] else form(words)


def form(words: list[str]) -> str:
    """The first mistake in the form of these words, for any test: KEY=VALUE, each key once."""
    keys = [word.partition("=")[0] for word in words]
    return next((f"{word}: wanted KEY=VALUE" for word in words
                 if not all(word.partition("="))),
                next((f"{key} is given twice" for key in keys if keys.count(key) > 1), ""))


def changed(line: str, words: list[str]) -> str:
    """The line with these words in place of those with the same keys; new keys go to its end."""
    test, *before = line.split()
    pairs = dict(word.split("=", 1) for word in [*before, *words])
    return " ".join([test, *(f"{key}={value}" for key, value in pairs.items())])


def _mistakes(test: str, words: list[str], known: dict[str, Key]) -> Iterator[str]:
    if bad := form(words):
        yield bad
    for key, _, values in (word.partition("=") for word in words):
        if key not in known:
            yield f"{test} has no key {key}.{meant(key, known)} It has: {', '.join(known)}"
            continue
        for value in [] if known[key].fits_form(values) else values.split(","):
            if not takes(known[key], value):
                yield f"{key} can't be {value!r}.{meant(value, known[key].words)} " \
                      f"It takes {'|'.join(known[key].values)}"


def takes(key: Key, value: str) -> bool:
    """Whether a key takes this value, which is a word, a number, or a range of numbers."""
    return not key.values or any(
        _within(kind, value) if ".." in kind else value == kind for kind in key.values)


def _within(kind: str, value: str) -> bool:
    """Whether a number, or a range of numbers, is within a range such as 1K..16G, or a time in
    one such as 0..1s. A number may have as many decimals as the smallest one, such as that of
    0.001..86400."""
    low, high = kind.split("..", 1)
    if high.endswith("s"):
        return ns_of(low) <= ns_of(value) <= ns_of(high)
    match = NUMBER.fullmatch(value)
    return match is not None and all(
        _decimals(number) <= _decimals(low) and _number(low) <= _number(number) <= _number(high)
        for number in match.groups() if number)


def _decimals(number: str) -> int:
    return len(number.partition(".")[2])


def _number(text: str) -> float:
    return float(text) if "." in text else bytes_of(text.upper())
