# SPDX-License-Identifier: GPL-2.0-only
"""The four tables: formulas, from the published figures and from records."""

from pathlib import Path

import fake
from mc.analysis import match, overhead, published
from mc.analysis.estimate import average
from mc.analysis.judge import judge
from mc.commands import compare

FIGURES = str(fake.TOP / "Documentation/examples/random_access.csv")


def changes(figures):
    """{table: {place: percent}}"""
    return {made.title: {row.place[1:]: judge(*(average([c.time for c in cells])
                                                for cells in (row.base, row.other))).percent
                         for row in made.rows} for made in overhead.tables(figures)}


class Published(fake.InDirectory):
    @classmethod
    def setUpClass(cls):
        cls.operations, cls.system, cls.guest, cls.interrupts = changes(
            overhead.Figures(published.load(FIGURES))).values()

    def test_the_published_figures(self):
        """A bound figure is the mean of its CPUs."""
        tables = self.operations, self.system, self.guest, self.interrupts
        self.assertEqual([len(table) for table in tables], [14, 8, 4, 8])
        for table, place, base, other in (
                (0, ("bare-metal", "kernel irq=on cpu=bound"), 851263892.2, 847730371),
                (0, ("bare-metal", "user irq=on cpu=3"), 849303470.8, 865753500.8),
                (1, ("bare-metal", "read", "bound"), 851263892.2,
                 (849303470.8 + 852506713.4) / 2),
                (1, ("vm", "write", "bound"), 865579691, (872842101 + 867127260.4) / 2),
                (1, ("bare-metal", "read", "any"), 842823725.5, 849062971),
                (2, ("vm", "read", "bound"), 851263892.2, (867471471.8 + 864124327.2) / 2),
                (2, ("vm", "write", "any"), 846866645.2, 865859490.4),
                (3, ("bare-metal", "read", "bound"), 851263892.2, 847449202.8),
                (3, ("vm", "write", "any"), 869943889.4, 867212392.4)):
            self.assertAlmostEqual(tables[table][place], 100 * (base - other) / base, 4)

    def test_figures_without_a_spread_tell_little(self):
        """Two figures of one sample each: only a large factor is no chance."""
        text = "\n".join(compare.compare([FIGURES])[0])
        self.assertRegex(text, r"bare-metal +read +bound .* 1\.00x +\+0\.04 % \?\n")
        self.assertNotRegex(text.partition("Write against read")[2], "[↑↓=]\n")
        for read, write, mark in ((100, 127, "?"), (100, 1000, "↓"), (1000, 100, "↑")):
            Path("a.csv").write_text("machine,mode,op,setting,total_time\n"
                                     f"vm,user,read,IRQ Enable CPU 3,{read}\n"
                                     f"vm,user,write,IRQ Enable CPU 3,{write}\n")
            self.assertTrue(compare.compare(["a.csv"])[0][-1].endswith(f"% {mark}"))

    def test_they_come_alone(self):
        fake.save("a.jsonl", *(
            one for op, mean in (("read", 100.0), ("write", 50.0)) for one in (
                fake.machine(), fake.request("random", 1), record("kernel", op, "on", "0", mean))))
        lines, status = compare.compare(["a.jsonl"], tables=True)
        self.assertEqual((status, lines[0]), (0, "Write against read"))
        self.assertFalse([line for line in lines if line.startswith(("A  ", "speed:"))])


class BadFigures(fake.InDirectory):
    def test_each_is_named_by_line(self):
        head = b"# c\nmachine,mode,op,setting,total_time\n"
        row = b"vm,user,read,IRQ Enable CPU 3,1.0\n"
        for content, said in ((b"", "1: empty"), (head, "3: empty"), (b"a,b\n", "1: wanted"),
                              (b"\xff\xff", " not text"),
                              (head + row + row[:20], "4: cut short"),
                              (head + row.replace(b"1.0", b"x"), "3: could not convert"),
                              (head + row.replace(b"1.0", b"nan"), "3: `total_time` can't be nan"),
                              (head + row.replace(b"1.0", b"-1"), "3: `total_time` can't be -1"),
                              (head + row.replace(b"user", b"root"), "3: no such measurement")):
            with self.subTest(said):
                fake.refused(self, f"^f.csv:{said}", published.load, self.write("f.csv", content))


def record(where, op, irq, cpu, mean, size=1024, **more):
    keys = {"op": op, "count": 1000, "type": "wb", "size_bytes": size, "cpu": cpu, "irq": irq,
            "page": "4k", "repeat": 10}
    return {"record": "result", "test": "random", "where": where, **keys, "attribute": None,
            "effective": "yes", "threads": 1, "verified": "ok", "samples": 10, "median_ns": mean,
            "mean_ns": mean, "sd_ns": mean / 100, "cv_percent": 1.0} | more


def figures(about, *records, name="f"):
    runs = fake.runs(fake.machine(about, fake.YES), fake.request("random", len(records)), *records)
    return match.batches({name: runs})


class Records(fake.unittest.TestCase):
    def test_system_bound_and_any(self):
        batches = figures(fake.BARE, record("kernel", "read", "on", "1", 100.0),
                        record("kernel", "read", "off", "1", 80.0),
                        record("kernel", "read", "on", "any", 100.0),
                        record("user", "read", "on", "0", 110.0),
                        record("user", "read", "on", "1", 130.0),
                        record("user", "read", "on", "any", 90.0))
        found = changes(overhead.Figures(overhead.cells(batches)))
        self.assertEqual({place: round(value, 9) for place, value in found[
            "OS overhead: user against kernel"].items()}, {
                ("bare metal", "read", "bound"): -20, ("bare metal", "read", "any"): 10})
        self.assertAlmostEqual(found["Interrupt overhead: off against on, in the kernel"][
            "bare metal", "read", "1"], 20)

    def test_a_vm_against_bare_metal_in_any_order(self):
        vm = figures(fake.KVM, record("user", "read", "on", "0", 400.0), name="vm")
        bare = figures(fake.BARE, record("kernel", "read", "on", "0", 100.0), name="bare")
        for batches in (vm + bare, bare + vm):
            made = overhead.tables(overhead.Figures(overhead.cells(batches)))
            self.assertEqual([row.place for row in made[0].rows], [("", "kvm", "read", "bound")])
            self.assertIn("-300.00 % ↓", "\n".join(fake.terminal_lines(overhead.parts(made[0]))))

    def test_without_bare_metal_the_first_machine_stands_for_it(self):
        batches = figures(fake.KVM, record("kernel", "read", "on", "0", 100.0)) + \
            figures(fake.TCG, record("user", "read", "on", "0", 300.0), name="g")
        [made] = overhead.tables(overhead.Figures(overhead.cells(batches)))
        self.assertIn("none is bare metal here: kvm stands for it", made.title)

    def test_workloads_are_told_apart(self):
        batches = figures(fake.BARE, *(record("kernel", op, "on", "0", mean, size) for op, mean in (
            ("read", 100.0), ("write", 50.0)) for size in (1024, 16384)))
        made = overhead.Figures(overhead.cells(batches))
        self.assertEqual(made.workloads, ["1K", "16K"])
        self.assertEqual(len(overhead.tables(made)[0].rows), 2)

    def test_the_last_line_of_two_records(self):
        """Times are of an access. Rows of mixed verdicts or nodes are left out, unless mixed ones
        are asked for. One run of each, and emulation, are no result."""
        user = {"where": "user"}
        for about, base, other, more, mixed, said in (
                (fake.BARE, 5000.0, 25000.0, {"op": "write"}, False,
                 r"5\.000 ns +25\.00 ns +5\.00x +-400\.00 % ↓"),
                (fake.BARE, 100.0, 400.0, user | {"effective": "no"}, False, "1 row is left out"),
                (fake.BARE, 100.0, 400.0, user | {"effective": "no"}, True, "-300.00 % ↓"),
                (fake.BARE, 100.0, 200.0, user | {"memory_node": 1}, False,
                 "1 row is left out: the memory-type verdicts, or the nodes"),
                (fake.BARE, 100.0, 130.0, {"op": "write"}, False, r"-30.00 % \?"),
                (fake.TCG, 100.0, 500.0, {"op": "write"}, False, r"5\.00x +-400\.00 % \?$")):
            with self.subTest((other, more, mixed)):
                batches = figures(about, *(
                    record("kernel", "read", "on", "0", mean, memory_node=0) | change
                    for mean, change in ((base, {}), (other, more))))
                [made] = overhead.tables(overhead.Figures(overhead.cells(batches)))
                self.assertRegex(fake.terminal_lines(overhead.parts(made, mixed))[-1], said)

    def test_irq_off_in_user_mode_linux(self):
        for about, said in ((fake.BARE, False), (fake.BARE | {"hypervisor": "uml"}, True)):
            batches = figures(about, record("kernel", "read", "on", "0", 100.0),
                            record("kernel", "read", "off", "0", 99.0),
                            record("user", "read", "on", "0", 98.0))
            [system, interrupts] = overhead.tables(overhead.Figures(overhead.cells(batches)))
            found = [" ".join(fake.terminal_lines(overhead.parts(made)))
                     for made in (system, interrupts)]
            self.assertEqual(["irq=off does not switch off the interrupts of the machine" in text
                              for text in found], [False, said])

    def test_what_is_of_no_use(self):
        batches = figures(fake.BARE, record("kernel", "read", "on", "0-1", 1.0, threads=2),
                        record("kernel", "read", "on", "0", 1.0, median_ns=None),
                        record("kernel", "read", "on", "0", 1.0, verified="failed"))
        self.assertEqual(overhead.cells(batches), [])
