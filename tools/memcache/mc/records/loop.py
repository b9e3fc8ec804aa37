# SPDX-License-Identifier: GPL-2.0-only
"""Loops of one's own: a file with the instructions of one turn of a loop, and what memcache has
to know of them.

    # a comment
    name    copy2           (a word; the file's name without its suffix if it is missing)
    reads   b               (the arrays that a turn loads from: of a, b, c, d)
    writes  a               (the arrays that it stores to: a, or a b)
    turn    128             (bytes of each array in a turn: a power of two from 64 to 4096)
    width   32              (bytes of an access: 8, 16, 32 or 64)
    bytes   256             (bytes that a turn loads and stores; usually turn times arrays)
    result  copy            (what it leaves in a: as op=copy, rmw or triad; needs no other word)
    start                   (instructions that run once, before the first turn)
    loop                    (instructions of a turn)
    data                    (constants that the instructions name)

The instructions are in the syntax of the GNU assembler. rdi, rsi, rdx and rcx point to the turn of
a, b, c and d. The CPU that the loop needs follows from its registers and instructions.
"""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from mc import Failure, hint, quoted
from mc.records import reading
from mc.status import WRONG

ARRAYS = "abcd"
FACTS = ("name", "reads", "writes", "turn", "width", "bytes", "result")
SECTIONS = ("start", "loop", "data")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
WIDTHS = (8, 16, 32, 64)
# Each result, and the arrays that an operation with it reads and writes.
RESULTS = {"copy": ("b", "a"), "rmw": ("a", "a"), "triad": ("bc", "a")}

# Registers that the code around the instructions uses.
RESERVED = re.compile(r"%(r(?:8|9|10|11)[dwb]?|[re]?[sb]pl?)\b")
FORBIDDEN = re.compile(r"\s*(?:\w+:)?\s*(call|ret|leave|enter)[lqw]?\b")
ELSEWHERE = re.compile(r"\.(text|data|bss|section|pushsection|popsection|previous|subsection)\b")
NONTEMPORAL = re.compile(r"\bv?movnt(?!dqa)\w+|\bmovdir\w+|\bv?maskmov(?:dq)?[qu]\b")
FLUSHES = re.compile(r"\b(clflush|clflushopt|clwb|cldemote)\b")
# The feature that the CPU must have: that of the first pattern that matches.
FEATURES = {"AVX512F": re.compile(r"%zmm|%k[0-7]|%[xy]mm(1[6-9]|2\d|3[01])\b"),
            "AVX2": re.compile(r"%ymm|(^|;)\s*(\w+:)?\s*v[a-z]+\s.*%xmm", re.M)}
NEEDS = {"MOVDIR64B": re.compile(r"\bmovdir"), "CLWB": re.compile(r"\bclwb\b"),
         "CLFLUSHOPT": re.compile(r"\bclflushopt\b"), "SSE41": re.compile(r"\bmovntdqa\b")}


@dataclass(frozen=True)
class Line:
    """A line of instructions, and its number in the file."""
    number: int
    text: str


@dataclass(frozen=True)
class Loop:
    """A loop as its file describes it.

    name: its name and the start of the file's SHA-256 sum, as records have it
    payload: bytes that a turn loads and stores
    result: what it leaves in the first array; empty: nobody knows
    """
    path: str
    name: str
    reads: str
    writes: str
    turn: int
    width: int
    payload: int
    result: str
    sections: dict[str, list[Line]]

    @property
    def short_name(self) -> str:
        """Its name alone."""
        return self.name.partition("@")[0]

    @property
    def arrays(self) -> int:
        return 1 + max(ARRAYS.index(letter) for letter in self.reads + self.writes)

    @property
    def stores(self) -> str:
        """The name that own.h has for the data in the first array after a turn."""
        return self.result.upper() or ("UNKNOWN" if self.writes else "NOTHING")

    @property
    def flags(self) -> list[str]:
        is_set = {"NONTEMPORAL": NONTEMPORAL.search(self._text),
                  "FLUSHES": FLUSHES.search(self._text), "WRITES_TWO": "b" in self.writes}
        return [name for name, true in is_set.items() if true]

    @property
    def feature(self) -> str:
        return next((name for name, one in FEATURES.items() if one.search(self._text)), "BASE")

    @property
    def needs(self) -> str:
        return next((name for name, one in NEEDS.items() if one.search(self._text)), "BASE")

    @property
    def _text(self) -> str:
        return "\n".join(line.text for part in ("start", "loop")
                         for line in self.sections.get(part, []))

    def source(self) -> str:
        """The assembly file, which names the lines of the loop's own file in its messages."""
        path = self.path.replace("\\", "\\\\").replace('"', '\\"')

        def lines(part: str) -> list[str]:
            return [text for line in self.sections.get(part, [])
                    for text in (f'# {line.number} "{path}"', line.text)]

        defined = {"NAME": f'"{self.name}"', "ARRAYS": self.arrays, "TURN": self.turn,
                   "PAYLOAD": self.payload, "WIDTH": self.width,
                   "STORES": f"MC_OWN_{self.stores}", "FEATURE": f"MC_OWN_{self.feature}",
                   "NEEDS": f"MC_OWN_{self.needs}",
                   "FLAGS": " | ".join(f"MC_OWN_{flag}" for flag in self.flags) or "0"}
        return "\n".join([
            "/* SPDX-License-Identifier: GPL-2.0-only */",
            f"/* `memcache loop` made this file for {self.name}. */",
            *(f"#define OWN_{name}\t{value}" for name, value in defined.items()),
            '#include "arch/x86/macros/own.S"', "",
            "OWN_START", *lines("start"), '# 1 "loop.S"',
            "OWN_LOOP", *lines("loop"), '# 1 "loop.S"',
            "OWN_END", ".section .rodata", ".balign 64", *lines("data"), ""])


def load(path: str) -> Loop:
    """The loop of this file. A mistake in it is named by its line."""
    text = reading.text(path, "ascii")
    return _Reader(path, text).loop(hashlib.sha256(text.encode()).hexdigest()[:12])


class _Reader:
    """Reads the file line by line."""

    def __init__(self, path: str, text: str):
        self.path, self.number = path, 0
        self.facts: dict[str, str] = {}
        self.at: dict[str, int] = {}        # the line of each fact
        self.sections: dict[str, list[Line]] = {}
        part = ""
        for self.number, line in enumerate(text.splitlines(), 1):
            words = line.partition("#")[0].split()
            if len(words) == 1 and words[0] in SECTIONS:
                part = words[0]
                if part in self.sections:
                    raise self.fault(f"{part} is there already")
                self.sections[part] = []
            elif words and part:
                self._instruction(part, line.partition("#")[0].rstrip())
            elif words:
                self._fact(words)

    def fault(self, text: str, number: int = 0) -> Failure:
        return Failure(f"{self.path}:{number or self.number}: {text}", WRONG)

    def _fact(self, words: list[str]) -> None:
        name, value = quoted(words[0]), " ".join(words[1:])
        if name not in FACTS:
            raise self.fault(f"{name}: no such word.{hint(name, (*FACTS, *SECTIONS))} There are: "
                             f"{', '.join(FACTS)}; then {', '.join(SECTIONS)}")
        if name in self.facts:
            raise self.fault(f"{name} is there already")
        if not value:
            raise self.fault(f"{name} has no value")
        self.facts[name], self.at[name] = value, self.number

    def _instruction(self, part: str, text: str) -> None:
        if match := ELSEWHERE.search(text):
            raise self.fault(f"{match[0]}: the instructions stay where they are; constants belong "
                             "below the word data")
        if part != "data" and (match := FORBIDDEN.match(text)):
            raise self.fault(f"{match[1]}: a turn begins with its first line and ends with its "
                             "last one, without calls")
        if part != "data" and (match := RESERVED.search(text)):
            raise self.fault(f"{match[0]} is in use around the instructions; free are rax, rbx, "
                             "r12 to r15, pointers of arrays that the loop does not have, and all "
                             "vector and mask registers")
        self.sections[part].append(Line(self.number, text))

    def loop(self, checksum: str) -> Loop:
        if not self.sections.get("loop"):
            raise self.fault("there are no instructions below the word loop")
        reads, writes = self._arrays("reads"), self._arrays("writes")
        used = sorted({*reads, *writes})
        if not used:
            raise self.fault("neither reads nor writes names an array")
        if used != list(ARRAYS[:len(used)]):
            raise self.fault(f"{' '.join(used)}: arrays are named in the order a, b, c, d",
                             self.at.get("reads") or self.at["writes"])
        if writes not in ("", "a", "ab"):
            raise self.fault("writes: a, or a b: the arrays that are written come first",
                             self.at["writes"])
        turn = self._number("turn", [64 << shift for shift in range(7)])
        width = self._number("width", list(WIDTHS))
        name = self.facts.get("name", Path(self.path).stem)
        if not NAME.fullmatch(name):
            raise self.fault(f"name: {name}: letters, digits, `.`, `_` and `-`, at most 40",
                             self.at.get("name", 1))
        return Loop(self.path, f"{name}@{checksum}", reads, writes, turn, width,
                    self._payload(turn, len(reads + writes)), self._result(reads, writes),
                    self.sections)

    def _arrays(self, name: str) -> str:
        words = self.facts.get(name, "").replace(",", " ").split()
        for word in words:
            if word not in ARRAYS or len(word) > 1:
                raise self.fault(f"{name}: {word}: the arrays are a, b, c and d", self.at[name])
        return "".join(sorted(set(words)))

    def _number(self, name: str, allowed: list[int]) -> int:
        if name not in self.facts:
            raise self.fault(f"the word {name} is missing, with one of "
                             f"{', '.join(map(str, allowed))}")
        if self.facts[name] not in map(str, allowed):
            raise self.fault(f"{name}: {self.facts[name]}: one of {', '.join(map(str, allowed))}",
                             self.at[name])
        return int(self.facts[name])

    def _payload(self, turn: int, accesses: int) -> int:
        value = self.facts.get("bytes", str(turn * accesses))
        if not re.fullmatch(r"[1-9]\d{0,5}", value) or int(value) > turn * accesses:
            raise self.fault(f"bytes: {value}: from 1 to {turn * accesses}, which is all of each "
                             "array that reads and writes name", self.at["bytes"])
        return int(value)

    def _result(self, reads: str, writes: str) -> str:
        result = self.facts.get("result", "")
        if result and result not in RESULTS:
            raise self.fault(f"result: {result}: one of {', '.join(RESULTS)}, as the operation of "
                             "this name leaves a; without the word nothing is verified",
                             self.at["result"])
        if result and (reads, writes) != RESULTS[result]:
            wanted = [" ".join(arrays) for arrays in RESULTS[result]]
            raise self.fault(f"result: {result} reads {wanted[0]} and writes {wanted[1]}",
                             self.at["result"])
        return result
