# SPDX-License-Identifier: GPL-2.0-only
"""The tests of a side and their keys, as the side describes them in a text that looks like this:

    every test: takes these keys
      size=16M          1K..16G                   bytes
    bandwidth: memory bandwidth of an access loop
      op=read           read|write|copy           what the loop does
      presets: size=auto
      > mb_per_s        a figure
"""

import re
from dataclasses import dataclass, replace
from functools import cache

from mc.records.shape import UNITS
from mc.records.tests import SECONDS

EVERY = "every test"
KEY = re.compile(r"  (?P<name>\w+)=(?P<preset>\S*)\s+(?P<values>\S+)")

TIMES = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}


@dataclass(frozen=True)
class Key:
    """A key of a test: its default and its possible values. These are words, ranges such as
    1K..16G, and forms with capitals for what the user puts there, such as LIST and
    phys:START+LENGTH. A part of a form in [] may be left out. `seconds`: numbers are seconds."""
    preset: str
    values: tuple[str, ...] = ()
    seconds: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """The words among its values."""
        return tuple(v for v in self.values if ".." not in v and not is_form(v))

    @property
    def takes_words(self) -> bool:
        return self.words == self.values

    @property
    def choices(self) -> tuple[str, ...]:
        """All values that it takes; empty if they can't be listed."""
        return self.values if len(self.values) > 1 and self.takes_words else ()

    def fits_form(self, text: str) -> bool:
        """Whether one of its forms fits this text. Only the side itself knows which of these
        texts mean something."""
        return any(re.fullmatch(_pattern(form), text) for form in filter(is_form, self.values))


def is_form(value: str) -> bool:
    """Whether this is a form, and no word and no range."""
    return ".." not in value and value != value.lower()


@cache
def _pattern(form: str) -> str:
    """The texts that a form fits, as a regular expression."""
    parts = {"[": "(?:", "]": ")?"}
    return "".join(".+" if part.isupper() else parts.get(part, re.escape(part))
                   for part in re.findall(r"[A-Z]+|.", form))


Tests = dict[str, dict[str, Key]]


def parse(text: str) -> Tests:
    """The tests in the text of the file `tests` or of `memcache-user --tests`."""
    tests: Tests = {}
    for line in text.splitlines():
        match = KEY.match(line)
        if line[:1].isalpha() and ":" in line:
            keys = tests.setdefault(line.partition(":")[0], {})
        elif line.startswith("  presets: ") and tests:
            for word in line.split()[1:]:
                key, _, preset = word.partition("=")
                keys[key] = replace(tests.get(EVERY, {}).get(key, Key("")), preset=preset)
        elif match and tests:
            keys[match["name"]] = Key(match["preset"], tuple(match["values"].split("|")),
                                      match["name"] in SECONDS)
    common = tests.pop(EVERY, {})
    return {test: own | {key: key_of_all for key, key_of_all in common.items() if key not in own}
            for test, own in tests.items()}


def ns_of(text: str) -> int:
    """20ms as a number of nanoseconds; -1 if the text is no time."""
    match = re.fullmatch(r"(\d+)(ns|us|ms|s)|0+", text.lower())
    return -1 if not match else int(match[1]) * TIMES[match[2]] if match[1] else 0


def ns_of_seconds(text: str) -> int:
    """10, 10s, 1.5min or 500ms as a number of nanoseconds; -1 if the text is no such number."""
    match = re.fullmatch(r"(\d+(?:\.\d{1,9})?)(ms|s|min|h)?", text.lower())
    return _whole_product(match[1], TIMES[match[2] or "s"]) if match else -1


def bytes_of(text: str) -> int:
    """16M, 64KiB or 1.5M as a number; -1 if the text is no size."""
    match = re.fullmatch(r"(\d+(?:\.\d{1,6})?)(?:([KMG])(?:I?B)?|B)?", text, re.I)
    return _whole_product(match[1], UNITS.get((match[2] or "").upper(), 1)) if match else -1


def _whole_product(number: str, unit: int) -> int:
    """A number of units, which may have decimals; -1 if it is not whole then."""
    before, _, behind = number.partition(".")
    product, parts = int(before + behind) * unit, 10**len(behind)
    return -1 if product % parts else product // parts
