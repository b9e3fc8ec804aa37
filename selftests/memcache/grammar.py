# SPDX-License-Identifier: GPL-2.0-only
"""Request lines made up from what the file `tests` says: a new test, a new key or
a new value is covered as soon as the module has it."""

import re
from collections import Counter

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
ROW = re.compile(r"  (\S+)=(\S*) +(\S+) ")
RANGE = re.compile(r"(\d+)([KMG]?)\.\.(\d+)([KMG]?)")


class Key:
    """A key: its words, and its range of numbers, if any."""

    def __init__(self, name, preset, allowed):
        self.name, self.preset = name, preset
        self.words, self.low, self.high = [], None, None
        self.sizes = False          # numbers are sizes: small ones times 2^n
        self.cpus = False
        for part in allowed.split("|"):
            numbers = RANGE.fullmatch(part)
            if numbers:
                low, unit, high, larger = numbers.groups()
                self.low, self.high = int(low) * UNITS[unit], int(high) * UNITS[larger]
                self.sizes = bool(unit or larger)
            elif part == "LIST":
                self.cpus = True
            elif part != "/PATH":     # nobody's files are written
                self.words.append(part)

    def values(self, cpus, largest):
        """What it can be given in a run that is over soon, sizes up to largest."""
        # auto is a size that suits the machine, and may be more than largest.
        values = [word for word in self.words if not (self.sizes and word == "auto")]
        if self.cpus:
            values += [str(cpu) for cpu in range(cpus)] + [f"0-{cpus - 1}"] * (cpus > 1)
        if self.low is not None and self.sizes:
            size = max(self.low, 1)
            while size <= min(self.high, largest):
                values.append(short(size))
                size *= 2
        elif self.low is not None:
            values += map(str, range(self.low, min(self.high, self.low + 5) + 1))
        return values


def short(size):
    """A size as one would type it."""
    for letter in "GMK":
        if size and size % UNITS[letter] == 0:
            return f"{size // UNITS[letter]}{letter}"
    return str(size)


def parse(text):
    """The file `tests`: {test: [Key]}."""
    tests, keys = {}, None
    for line in text.splitlines():
        row = ROW.match(line)
        if row:
            keys.append(Key(*row.groups()))
        elif not line.startswith(" "):
            keys = tests.setdefault(line.partition(":")[0], [])
    if not all(tests.values()) or not tests:
        raise ValueError("the file tests has no tests, or one without keys")
    return tests


class Requests:
    """Draws request lines whose words are right, each for itself."""

    def __init__(self, tests, rng, cpus=1, largest=1 << 20):
        self.rng = rng
        self.names = list(tests)
        # What several tests have with the same values is one list, and learnt once.
        lists = {}
        self.values = {(test, key.name): lists.setdefault((key.name, *values), values)
                       for test, keys in tests.items() for key in keys
                       for values in [key.values(cpus, largest)]}
        self.taken, self.refused = set(), Counter()
        # Keys that may make a run long where they are left at their preset.
        self.firsts = {(test, key.name): re.split(r",|\.\.", key.preset)[0]
                       for test, keys in tests.items() for key in keys
                       if key.sizes or key.preset != re.split(r",|\.\.", key.preset)[0]}

        # And those that are large then, on most machines: never left out.
        self.large = {(test, key.name) for test, keys in tests.items() for key in keys
                      if key.sizes and key.preset == "auto"}

    def of(self, test):
        return [key for name, key in self.values if name == test]

    def base(self, test, **more):
        """A short run of a test: presets can be long lists, of large sizes."""
        words = {key: preset for (name, key), preset in self.firsts.items() if name == test}
        words |= {"size": "64K", "repeat": "1", "warmup": "0"} | more
        return " ".join([test, *(f"{key}={value}" for key, value in words.items())])

    def keep(self, takes):
        """Only those tests that this machine can run: takes(LINE) is True."""
        self.names = [test for test in self.names if takes(self.base(test))]
        if not self.names:
            raise ValueError("no test can be run")

    def learn(self, line, named=None):
        """A line was taken, or refused for a key: a value that never is, is not drawn."""
        test, *words = line.split()
        for key, value in (word.split("=") for word in words):
            values = self.values[test, key]
            if not named:
                self.taken.add((id(values), value))
            elif key == named and (id(values), value) not in self.taken:
                self.refused[id(values), value] += 1
                if self.refused[id(values), value] == 2 and value in values:
                    values.remove(value)

    def draw(self, always=(), small=False):
        """A line. Those in always are written whatever is drawn, as (key, value).

        small: no size and no list is left at its preset, which may be long.
        """
        test = self.rng.choice(self.names)
        given = {}
        for key in self.of(test):
            values = self.values[test, key]
            # One value mostly: a run has as many parts as its lists' product.
            count = self.rng.choice((0, 0, 0, 1, 1, 1, 2))
            count = count or (small and (test, key) in self.firsts) or (test, key) in self.large
            # A CPU list is a value that has commas of its own.
            if values and count:
                count = 1 if key in ("cpu", "timeout") else count
                given[key] = ",".join(self.rng.choices(values, k=count))
        given.update({key: value for key, value in always if (test, key) in self.values})
        words = [f"{key}={value}" for key, value in given.items()]
        self.rng.shuffle(words)
        return " ".join([test, *words])
