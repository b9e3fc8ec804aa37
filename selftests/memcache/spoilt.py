# SPDX-License-Identifier: GPL-2.0-only
"""Request lines that are nearly right, somewhat wrong, or not even text."""

import grammar

EDGES = ("", ",", "0", "-1", "+1", "00", "1.5", "0x10", "1e3", " ", "=", "..", "1..", "..1", "8..4",
         "any", "0-", "-0", "0-8191", "0-8192", "0,0", "1-0", "255", "1023", "1024",
         str(2**31), str(2**32), str(2**63), str(2**64 - 1), str(2**64), "9" * 40,
         "17179869183G", "17179869184G", "4K..8K", "1K..65536G", "4KB", "65", "max", "auto")


def byte(rng):
    """A random byte, half of the time one that lines contain often."""
    return rng.choice(b" =,.-09KMGabz_\n\t\0") if rng.random() < 0.5 else rng.randrange(256)


def bytes_of(rng, n):
    return bytes(byte(rng) for _ in range(n))


class Spoilt:
    """Draws such lines. The run of a line that is taken nevertheless ends within seconds."""

    def __init__(self, tests, requests, rng, paths):
        self.tests, self.requests, self.rng, self.paths = tests, requests, rng, paths
        # The native fuzzers find what no line of words and lists may do to the parser.
        self.kinds = {self.valid: 20, self.edge: 30, self.mutated: 40, self.noise: 8, self.huge: 2}

    def draw(self, name="run"):
        """The kind and the bytes of something to write to that file."""
        if name == "counters" and self.rng.random() < 0.8:
            return "counters", self.counters()
        kind = self.rng.choices(list(self.kinds), self.kinds.values())[0]
        return kind.__name__, kind()

    def valid(self):
        end = self.rng.choice((b"", b"\n"))
        return self.requests.draw(small=True).encode() + end

    def limited(self):
        """A right line with a timeout=, since a change of the line may make its run long."""
        return self.requests.draw([("timeout", "1")], small=True)

    def edge(self):
        """One value at, or beyond, the edge of what its key takes."""
        line = self.limited()
        keys = self.tests[line.split()[0]]
        # A path can be wrong in as many ways as all other keys together.
        key = self.rng.choice(keys + len(keys) * [key for key in keys if key.path])
        edges = list(EDGES)
        if key.low is not None:
            edges += map(key.number, (key.low - 1, key.low, key.high, key.high + 1))
        if key.path:
            edges += self.paths
        edges += [word.upper() for word in key.words] + [word + "x" for word in key.words]
        words = [word for word in line.split() if not word.startswith(f"{key.name}=")]
        words.insert(self.rng.randint(1, len(words)), f"{key.name}={self.rng.choice(edges)}")
        return " ".join(words).encode()

    def mutated(self):
        return self.mutate(self.limited().encode())

    def mutate(self, line):
        """The line with bytes changed, added, removed or doubled, words swapped, or its end
        cut off."""
        line = bytearray(line)
        for _ in range(self.rng.choice((1, 1, 1, 2, 3, 8))):
            at = self.rng.randint(0, len(line))
            to = min(len(line), at + self.rng.choice((1, 1, 2, 5, 20)))
            how = self.rng.randrange(6)
            if how == 0:
                line[at:to] = bytes_of(self.rng, to - at)
            elif how == 1:
                line[at:at] = bytes_of(self.rng, self.rng.choice((1, 1, 2, 10)))
            elif how == 2:
                del line[at:to]
            elif how == 3:
                line[at:at] = line[at:to] * self.rng.choice((1, 2, 50))
            elif how == 4:
                words = line.split(b" ")
                self.rng.shuffle(words)
                line = bytearray(b" ".join(words))
            else:
                del line[at:]
        return bytes(line)

    def counters(self):
        """Lines for the file `counters`. Some are right; most have software events."""
        lines = []
        for _ in range(self.rng.choice((0, 1, 1, 1, 2, 3, 10, 257))):
            name = self.rng.choice(("dram_read", "dram_write")) + self.rng.choice(("", "", "_b"))
            kind = self.rng.choice((1, 1, 1, 1, self.rng.randrange(12), self.rng.getrandbits(32)))
            config = self.rng.choice((self.rng.randrange(12), self.rng.getrandbits(64)))
            words = [f"type={kind}", f"config={config:#x}",
                     f"cpu={self.rng.choice((0, 0, 1, 8191))}",
                     f"scale={self.rng.choice((1, 64, 1 << 20))}"]
            lines.append(" ".join([name, *words]).encode())
        text = b"\n".join(lines)
        return self.mutate(text) if self.rng.random() < 0.5 else text

    def noise(self):
        return bytes_of(self.rng, self.rng.choice((0, 0, 1, 2, 5, 30, 300, 4095, 4096, 4097)))

    def huge(self):
        """Far more bytes than a line may have; the content of the end does not matter."""
        size = self.rng.choice((4095, 4096, 8192, 65536, 1 << 20))
        begin = self.rng.choice((self.limited().encode(), b"", bytes_of(self.rng, 30)))
        return begin + self.rng.choice((b" ", b"a", b"\n", b"\0")) * (size - len(begin))


def of(tests, rng, cpus, files, wrong):
    """files: paths that may be written; wrong: paths that are no such file."""
    return Spoilt(tests, grammar.Requests(tests, rng, cpus, 1 << 14, files), rng, wrong)
