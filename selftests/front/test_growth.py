# SPDX-License-Identifier: GPL-2.0-only
"""The work of a command grows no faster than the number of records. Calls of functions are counted,
not time, so that a busy machine changes nothing; a generator counts as often as it goes on."""

import cProfile

import fake
from mc.commands import compare
from mc.output import charts, document, report
from mc.records import results
from test_draw import c2c

FEW, TIMES = 150, 4


def calls(act, *args):
    """How often Python called something meanwhile."""
    act(*args)      # what is found once is known by now
    with cProfile.Profile() as profile:
        act(*args)
    return sum(function.callcount for function in profile.getstats())


def records(count, first=0, more="", sizes=20):
    """Made-up results: sizes, and as many repeats of each as make the number."""
    line = "bandwidth op=read,write,copy"
    made = [fake.result(f"bandwidth op={('read', 'write', 'copy')[i % 3]} repeat={3 + i // 60} "
                        f"size={4 + i // 3 % sizes * 4}K warmup={first} {more}", 1000 + i % 7)
            for i in range(count)]
    return fake.runs_of(fake.BARE, (line, made))


class Growth(fake.InDirectory):
    def grows(self, act, made=records):
        few, many = (calls(act, made(count)) for count in (FEW, FEW * TIMES))
        self.assertGreater(few, FEW)
        self.assertLess(many, few * TIMES * 1.3, f"{few} calls for {FEW} records")

    def test_reading(self):
        self.grows(lambda lines: results.parse(lines, "x"),
                   lambda count: fake.jsonl(*records(count)).splitlines(keepends=True))

    def test_output(self):
        """Reports, pictures, the lists of a page."""
        for act in (report.lines, lambda runs: report.lines(runs, True),
                    lambda runs: charts.charts({"x": runs}),
                    lambda runs: list(document._requests(runs))):
            self.grows(act)

    def test_pairs_of_more_cpus_than_a_matrix_has(self):
        self.grows(report.lines, lambda count: fake.runs_of(fake.BARE, ("c2c", c2c(
            [(cpu, cpu + 1) for cpu in range(count)]))))

    def test_comparisons(self):
        """Of results of the same names; of one request, again and again; and of what has no
        partner, and either a near one or none."""
        for sizes, other in ((20, (0,)), (1, (0,)), (20, (1,)), (FEW, (1,)), (FEW, (1, "width=8"))):
            def act(runs, sizes=sizes, other=other):
                (now,) = records(len(runs[0].results), *other, sizes=sizes)
                compare.compare([fake.save("a", runs[0]), fake.save("b", now)])

            with self.subTest((sizes, other)):
                self.grows(act, lambda count, sizes=sizes: records(count, sizes=sizes))
