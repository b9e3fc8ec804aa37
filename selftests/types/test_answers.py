# SPDX-License-Identifier: GPL-2.0-only
"""The requests of selftests/core/answers.txt, on the real module. Each is measured twice: with the
prices that are given, and with twice these, so that the difference is what the prices are for."""

import re
from collections.abc import Callable, Iterator

import room

# The prices that answers.txt leaves out. selftests/core/stub/machine.c has the same.
NONE = room.FREE | dict.fromkeys(("clean_ns", "dirty_ns", "home_ns", "clwb_ns", "tlb2_ns",
                                   "arrive_ns"), 0) | {
    "l1_bytes": 4096, "l1_ways": 8, "l2_bytes": 0, "l3_bytes": 0, "tlb_entries": 65536,
    "tlb2_entries": 0, "prefetch_lines": 0}
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20}
# The clock of the cores and the siblings of a CPU are others here, a sample may be left out, and
# batches of loads, and the loads before a miss, have the code of their windows in them.
NATIVE = re.compile(r"core_mhz|cycles_per|siblings|samples|same_ns|p\d+_ns")
PART = 0.12     # of a figure: accesses of the code of a window
LEAST = 0.25    # nanoseconds by which one may be wrong in any case
ANSWER = re.compile(r'\s*("[^"]*"|[^,]*),?')


def parse_number(text: str) -> int:
    digits = text.rstrip("KM")
    return int(digits) * UNITS[text[len(digits):]]


def read_requests() -> Iterator[tuple[dict[str, int], str, dict[str, list[str]]]]:
    """The prices, the request, and for each column its answers."""
    prices: dict[str, int] = {}
    text = (room.TOP / "selftests/core/answers.txt").read_text().replace("\n\t\t", " ")
    for block in re.split(r"\n(?!\t)", re.sub(r"(?m)^#.*\n|^\n", "", text)):
        line, *rows = block.split("\n\t")
        if re.match(r"\w+=", line):
            prices = {key: parse_number(value) for key, value in
                      (word.split("=") for word in line.split())}
        elif line and "natively" not in rows:
            yield prices, line, {column: ANSWER.findall(answers)[:-1] for column, _, answers in
                                 (row.partition(" ") for row in rows)}


class Answers(room.Tests):
    cpus, nodes, parameters, holds_timers = 4, 3, "size_mb=8", True
    lacks = "nothing"       # an operation that has no access of 8 bytes

    def results_at(self, line: str, prices: dict[str, int]) -> list[dict]:
        self.room.machine.prices(**NONE | prices)
        return self.room.ask(f"{line}{'' if 'irq=' in line else ' irq=off'}").results

    def compare(self, column: str, answer: str, prices: dict[str, int], found: object,
                dear: object) -> None:
        """Compare a figure with its answer; rates by the time that they stand for."""
        if answer == "null" or answer[0] == '"':
            self.assertEqual(found, None if answer == "null" else answer.strip('"'))
        elif not re.search("[a-z]", answer):
            self.assertAlmostEqual(found, eval(answer), delta=LEAST * column.endswith("_ns"))
        elif not (rate := column.endswith("_per_s")) or not re.search(r"\+(?![^(]*\))", answer):
            def answer_at(scale: int) -> float:
                try:
                    told = eval(answer, {}, {key: n * scale for key, n in prices.items()})
                    return 1e6 / told if rate else told
                except ZeroDivisionError:
                    return 0
            as_time: Callable[[float], float] = (lambda n: 1e6 / n) if rate else float
            want = answer_at(1) - answer_at(0)
            if abs(answer_at(2) - answer_at(1) - want) < 1e-6 * want:
                self.assertAlmostEqual(as_time(dear) - as_time(found), want,
                                       delta=want * PART + LEAST)

    def test_each_answer(self) -> None:
        for prices, line, columns in read_requests():
            if self.lacks in line:
                continue
            found = self.results_at(line, prices)
            dear = self.results_at(line, {key: 2 * n if "_ns" in key else n
                                          for key, n in prices.items()})
            for column, answers in columns.items():
                for i, result in enumerate(found if not NATIVE.match(column) else ()):
                    with self.subTest(line, column=column, record=i):
                        self.compare(column, answers[i % len(answers)], prices, result[column],
                                     dear[i][column])


class AnswersArm64(Answers):
    kernel, lacks = "6.1-arm64", "ntwrite"
