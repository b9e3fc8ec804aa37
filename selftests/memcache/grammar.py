# SPDX-License-Identifier: GPL-2.0-only
"""Random request lines from the grammar in the file `tests`, so that a new test, key or
value is covered as soon as the module has it."""

import re
from collections import Counter

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
# Keys that take no list, or one that is a single value.
SINGLE = ("cpu", "timeout", "target", "write", "any_bar", "any_range")
ROW = re.compile(r"  (\S+)=(\S*) +(\S+) ")
TIMES = re.compile(r"0\.\.\d+(ns|us|ms|s)")
RANGE = re.compile(r"(\d+)(?:\.(\d+)|([KMG]?))\.\.(\d+)([KMG]?)")


class Key:
    """A key: its words, and its range of numbers, if any, in units of its last decimal."""

    def __init__(self, name, preset, allowed):
        self.name, self.preset = name, preset
        self.words, self.low, self.high = [], None, None
        self.sizes = False          # numbers are sizes: small numbers times 2^n
        self.decimals = 0
        self.cpus = False
        self.path = False
        for part in allowed.split("|"):
            numbers = RANGE.fullmatch(part)
            if numbers:
                low, behind, unit, high, larger = numbers.groups(default="")
                self.decimals = len(behind)
                self.low = int(low + behind) * UNITS[unit]
                self.high = int(high) * 10**self.decimals * UNITS[larger]
                self.sizes = bool(unit or larger)
            elif TIMES.fullmatch(part):
                self.words += ["0", "500us", "2ms"]
            elif part == "LIST":
                self.cpus = True
            elif part == "/PATH":
                self.path = True
            elif part.startswith(("[pci:]", "phys:")):
                pass                # not every machine has such a target
            else:
                self.words.append(part)

    def values(self, cpus, largest, files=()):
        """Values that keep a run short, with sizes up to largest."""
        if self.name == "offset":
            return ["0"]            # RAM takes no other
        # auto is a size that depends on the machine, and may exceed largest.
        values = [word for word in self.words if not (self.sizes and word == "auto")]
        if self.cpus:
            values += [str(cpu) for cpu in range(cpus)] + [f"0-{cpus - 1}"] * (cpus > 1)
        if self.low is not None and self.sizes:
            size = max(self.low, 1)
            while size <= min(self.high, largest):
                values.append(short(size))
                size *= 2
        elif self.path:
            values = list(files)
        elif self.low is not None:
            values += map(self.number, range(self.low, min(self.high, self.low + 5) + 1))
        return values

    def number(self, units):
        """A number as a request has it."""
        return f"{units / 10**self.decimals:.{self.decimals}f}" if self.decimals else str(units)

    def large(self, largest):
        """Whether the key is a size whose preset is, or can be, larger than that."""
        preset = re.fullmatch(r"(\d+)([KMG]?)", self.preset)
        return self.sizes and (self.preset == "auto" or
                               bool(preset and int(preset[1]) * UNITS[preset[2]] > largest))


def short(size):
    """A size as a person would type it."""
    for letter in "GMK":
        if size and size % UNITS[letter] == 0:
            return f"{size // UNITS[letter]}{letter}"
    return str(size)


def parse(text):
    """The file `tests`: {test: [Key]}."""
    tests, presets, name = {}, {}, ""
    for line in text.splitlines():
        row = ROW.match(line)
        if row:
            tests[name].append(row.groups())
        elif line.startswith("  presets: "):
            presets[name] = dict(word.split("=", 1) for word in line.split()[1:])
        elif not line.startswith(" "):
            name = line.partition(":")[0]
            tests[name] = []
    common = tests.pop("every test")
    if not common or not tests:
        raise ValueError("the file tests has no tests, or no keys of all of them")
    return {name: [Key(key, presets.get(name, {}).get(key, preset), allowed)
                   for key, preset, allowed in own + common] for name, own in tests.items()}


def regions(keys):
    """The smallest region of a test that measures memory by regions, in a list."""
    return [short(key.low) for key in keys if key.name == "region"]


def values_of(key, keys, cpus, largest, files):
    """Values of a key of a test with these keys. Each sample of a test of regions goes through
    all of them, so it has one, the smallest."""
    least = regions(keys)
    return least if least and key.name in ("region", "size") else key.values(cpus, largest, files)


def fitting(given):
    """The pairs without bytes=, which only a request that writes may have."""
    writes = "write" in given.get("op", "")
    return {key: value for key, value in given.items() if key != "bytes" or writes}


class Requests:
    """Draws request lines. Each word is right, but they need not go together."""

    def __init__(self, tests, rng, cpus=1, largest=1 << 20, files=()):
        self.rng = rng
        self.names = list(tests)
        # Keys of several tests with the same values share a list, so what is learnt for one
        # test holds for all; but tests of memory and of files share none.
        self.paths = {test: key.name for test, keys in tests.items() for key in keys if key.path}
        lists = {}
        self.values = {(test, key.name): lists.setdefault((self.paths.get(test), key.name, *values),
                                                          values)
                       for test, keys in tests.items() for key in keys
                       for values in [values_of(key, keys, cpus, largest, files)]}
        self.taken, self.refused = set(), Counter()
        # Keys whose preset may make a run long.
        self.firsts = {(test, key.name): re.split(r",|\.\.", key.preset)[0]
                       for test, keys in tests.items() for key in keys
                       if key.sizes or key.preset != re.split(r",|\.\.", key.preset)[0]}

        # Tests that take no 64K.
        self.sizes = {test: least for test, keys in tests.items() for least in regions(keys)}

        # Keys whose preset is large on most machines, or names nothing: always written.
        self.needed = {(test, key.name) for test, keys in tests.items() for key in keys
                       if key.path or key.large(largest)}

    def of(self, test):
        return [key for name, key in self.values if name == test]

    def base(self, test, **more):
        """A request for a short run of a test. Presets can be long lists of large sizes."""
        words = {key: preset for (name, key), preset in self.firsts.items() if name == test}
        words |= {"size": self.sizes.get(test, "64K"), "repeat": "1", "warmup": "0"} | more
        if test in self.paths:
            words[self.paths[test]] = (self.values[test, self.paths[test]] or ["none"])[0]
        words = fitting({key: value for key, value in words.items()
                         if self.values.get((test, key)) or key in more})
        return " ".join([test, *(f"{key}={value}" for key, value in words.items())])

    def keep(self, refusal):
        """Keep only the tests that this machine can run, and only keys of these.

        refusal(LINE) is the key that a line is refused for, or empty.
        """
        for test in list(self.names):
            while key := refusal(self.base(test)):
                if f" {key}=" not in self.base(test) or not self.values.get((test, key)):
                    self.names.remove(test)
                    break
                # Drop it for this test only: other tests may share the list.
                self.values[test, key] = []
        if not self.names:
            raise ValueError("no test can be run")

    def learn(self, line, named=None):
        """Note that a line was taken, or refused for a key, so that a value that is always
        refused is no longer drawn."""
        test, *words = line.split()
        for key, value in (word.split("=", 1) for word in words):
            values = self.values[test, key]
            if not named:
                self.taken.add((id(values), value))
            elif key == named and (id(values), value) not in self.taken:
                self.refused[id(values), value] += 1
                if self.refused[id(values), value] == 2 and value in values:
                    values.remove(value)

    def draw(self, always=(), small=False):
        """Draw a line. It has the pairs (key, value) in always, whatever is drawn.

        small: no size and no list is left at its preset, which may be long.
        """
        test = self.rng.choice(self.names)
        given = {}
        for key in self.of(test):
            values = self.values[test, key]
            # Mostly one value, since the product of the lists is the number of points.
            count = self.rng.choice((0, 0, 0, 1, 1, 1, 2))
            count = count or (small and (test, key) in self.firsts) or (test, key) in self.needed
            # A CPU list is a value that has commas of its own.
            if values and count:
                count = 1 if key in SINGLE or key == self.paths.get(test) else count
                given[key] = ",".join(self.rng.choices(values, k=count))
        given.update({key: value for key, value in always if (test, key) in self.values})
        words = [f"{key}={value}" for key, value in fitting(given).items()]
        self.rng.shuffle(words)
        return " ".join([test, *words])
