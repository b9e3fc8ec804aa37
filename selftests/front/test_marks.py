# SPDX-License-Identifier: GPL-2.0-only
"""Figures that are marked: of a loop that had not settled, and above what ports can do."""

import fake
from mc.analysis import findings, judge, marks, match, overhead, ports, regression, series, verdict
from mc.analysis.judge import Word
from mc.output import charts, comparison, document, draw, report
from mc.records import results
from test_draw import c2c

ZEN_3 = {"cpu_vendor": "AuthenticAMD", "cpu_family": 25, "cpu_model": 1}
RAPIDS = {"cpu_vendor": "GenuineIntel", "cpu_family": 6, "cpu_model": 143}
LINE = "bandwidth op=read,copy size=16K"
UNSETTLED = {"steady": "no"}


def pair(first, second, about=(), **more):
    """A read and a copy, with these changes."""
    found = [fake.result(f"bandwidth op={op} size=16K repeat=10", 1000.0, **changes)
             for op, changes in (("read", first), ("copy", second))]
    return fake.runs_of(fake.BARE, (LINE, found), **dict(about), **more)


def one_of_two_pairs():
    """Two pairs of CPUs, of which the first had not settled."""
    return fake.runs_of(fake.BARE, ("c2c", [*c2c([(0, 1)], ns=50.0, **UNSETTLED),
                                            *c2c([(1, 0)], ns=60.0)]))


def shown(runs, wide=False):
    return fake.one_line(report.lines(runs, wide))


class Tables(fake.unittest.TestCase):
    def test_a_loop_that_had_not_settled(self):
        for wide in False, True:
            runs = pair(UNSETTLED, {"steady": "yes"})
            text = shown(runs, wide)
            self.assertIn("~1000.0", text)
            self.assertEqual(text.count("~"), 2)        # the figure, and what it means
            self.assertEqual(fake.said(report.parts(runs, wide))["unsettled"], {"count": (1, 2)})
        self.assertNotIn("~", shown(pair({}, {"steady": None})))    # not known

    def test_a_mark_of_all_results_stands_once(self):
        """Above the table. A mark of some of them stands beside these."""
        for wide in False, True:
            text = shown(pair(UNSETTLED | {"cv_percent": 30.0}, UNSETTLED), wide)
            self.assertIn(", all of it ~", text)
            self.assertEqual((text.count("±1000.0"), text.count("~1000.0"), text.count(" 1000.0")),
                             (1, 0, 1), text)
        text = shown(pair({"cv_percent": 30.0}, {"cv_percent": 30.0}))
        self.assertIn(", all of it ±", text)
        self.assertNotIn("±1000.0", text)
        self.assertIn("± 2 of 2 results were disturbed", text)

    def test_a_row_without_a_figure_has_its_reason(self):
        lost = {"samples": 0, "left_out": 3, "left_out_why": "disturbed,no_overlap",
                "mb_per_s": None, "steady": None}
        for first, second, said in (
                (lost, {}, "1 of 2 results has no figure: the threads did not run at once, as on a "
                 "busy machine; every sample was disturbed."),
                (lost | {"left_out_why": None}, lost | {"left_out_why": "new"},
                 "2 of 2 results have no figure: the record does not say why."),
                (lost | {"left_out_why": "one_cpu"}, {"samples": 3, "left_out": 2}, "")):
            text = shown(pair(first, second))
            self.assertIn(said, text)
            self.assertEqual("no figure" in text, bool(said))

    def test_a_matrix(self):
        text = shown(one_of_two_pairs())
        self.assertIn("0 - ~50.00 1 60.00 -", text)
        self.assertIn("~ In 1 of 2 results", text)

    def test_the_marks_of_one_figure(self):
        self.assertEqual(marks.join_marks(["~", "?", "~"]), "?~")
        self.assertEqual(marks.join_marks(["~", "!"]), "!")
        self.assertEqual(marks.join_marks(["", ""]), "")

    def test_wrong_data_are_worse(self):
        self.assertIn("!1000.0", shown(pair(UNSETTLED | {"verified": "failed"}, {})))

    def test_a_page_has_a_column(self):
        grids = [part for part in document.parts({"a": pair(UNSETTLED, {})})
                 if "steady" in getattr(part, "names", ())]
        self.assertEqual([row[-1] for row in grids[-1].rows], ["no", "na"])

    def test_no_finding(self):
        runs = fake.runs_of(fake.BARE, ("bandwidth op=write,ntwrite", [
            fake.result("bandwidth op=write", 1000.0, **UNSETTLED),
            fake.result("bandwidth op=ntwrite", 3000.0)]))
        said = fake.said(findings.lines(runs, verdict.judge(runs)))
        self.assertEqual(said["unknown"], {
            "pairs": ["Streaming stores against ordinary ones (WB ntwrite)"]})
        self.assertEqual((said["differences"]["n"], said["doubt"]["reason"].id), (1, "not_settled"))
        self.assertEqual(said["doubt"]["remedy"], f": {judge.REMEDIES[said['doubt']['reason']]}")
        self.assertEqual([*said], ["unknown", "differences", "doubt"])


class Ports(fake.unittest.TestCase):
    def test_limits(self):
        for about, wanted in (
                (ZEN_3, {"read": 64, "write": 32, "copy": 64, "ntcopy": 64, "triad": 96,
                         "rw11": 64, "rw91": 640 / 9}),
                (RAPIDS, {"read": 128, "write": 64, "rmw": 128, "triad": 192, "ntrw11": 128})):
            for op, limit in wanted.items():
                self.assertAlmostEqual(ports.limit(about, {"op": op}), limit, msg=op)

    def test_not_known(self):
        for about in ({}, ZEN_3 | {"cpu_family": 23}, RAPIDS | {"cpu_model": 1},
                      ZEN_3 | {"hypervisor": "tcg"},
                      RAPIDS | {"cpu_vendor": "AuthenticAMD"}):
            self.assertIsNone(ports.limit(about, {"op": "read"}), about)
        for more in ({}, {"op": "rep_movsb"}, {"op": "own"}, {"op": "write", "readback": "on"}):
            self.assertIsNone(ports.limit(ZEN_3, more), more)

    def test_2_percent_are_allowed(self):
        for found, beyond in ((None, False), (65.2, False), (65.4, True)):
            one = {"op": "copy", "bytes_per_core_cycle": found}
            self.assertEqual(ports.is_beyond_ports(ZEN_3, one), beyond, found)

    def test_measured_examples_are_below_it(self):
        runs = results.load(str(fake.TOP / "Documentation/examples/bandwidth.jsonl"))
        self.assertEqual(ports.limit(runs[0].machine, {"op": "copy"}), 128)
        self.assertEqual([r for run in runs for r in run.results
                          if ports.is_beyond_ports(run.machine, r)], [])

    def test_a_table(self):
        runs = pair({"bytes_per_core_cycle": 60.0}, {"bytes_per_core_cycle": 117.2}, ZEN_3)
        self.assertIn("read 1000.0", shown(runs))
        self.assertIn("copy ?1000.0", shown(runs))
        self.assertEqual(fake.said(report.parts(runs))["beyond_ports"], {
            "count": (1, 2), "op": "copy", "moved": 117.2, "most": 64.0})
        self.assertNotIn("?", shown(pair({}, {"bytes_per_core_cycle": 117.2})))


class Comparisons(fake.unittest.TestCase):
    def test_only_what_lies_far_apart(self):
        def runs(speed, **more):
            found = [fake.result(f"bandwidth size={size} repeat=20", speed, **changes)
                     for size, changes in (("4K", more), ("8K", {}))]
            return fake.runs_of(fake.BARE, ("bandwidth size=4K,8K repeat=20", found))

        for a, b in ((UNSETTLED, {}), ({}, UNSETTLED)):
            parts, _ = comparison.parts({"a": runs(1000.0, **a), "b": runs(2000.0, **b)})
            lines = fake.terminal_lines(parts)
            [moving] = [line for line in lines if line.startswith("4K")]
            [still] = [line for line in lines if line.startswith("8K")]
            self.assertRegex(moving, r"~[12]000\.0 MB/s.* 2\.00x \+100\.0 % \? +na$")
            self.assertEqual(moving.count("~"), 1)
            self.assertIn("2.00x +100.0 % ?", still)
            text = fake.one_line(lines)
            self.assertIn("Can't tell 1: the loop had not settled: measure in rounds", text)
            self.assertIn("~ before a figure: the loop had not settled", text)
            parts, _ = comparison.parts({"a": runs(1000.0, **a), "b": runs(4000.0, **b)})
            self.assertIn("2 compared: 2 faster, 0 slower, 0 same, 0 can't tell.",
                          fake.terminal_lines(parts))

    def test_one_run_that_others_slowed(self):
        """It says nothing of a run that they did not, and slower ones than that are slower."""
        hit = {"disturbed_neighbour": 8, "samples": 10}
        for a, b, speed, word in (({}, hit, 200.0, Word.UNKNOWN), (hit, {}, 200.0, Word.SLOWER),
                                  ({}, hit, 5000.0, Word.FASTER), (hit, {}, 5000.0, Word.UNKNOWN),
                                  ({}, hit | {"disturbed_neighbour": 5}, 200.0, Word.SLOWER)):
            base, now = (fake.runs_of(fake.BARE, ("bandwidth", [fake.result(
                "bandwidth", one, **more)])) for one, more in ((1000.0, a), (speed, b)))
            parts, _ = comparison.parts({"a": base, "b": now})
            text = fake.one_line(fake.terminal_lines(parts))
            self.assertIn(f"0 same, {int(word == Word.UNKNOWN)} can't tell", text)
            self.assertIn(f"1 {word.value}", text)
            self.assertEqual("±" in text, hit in (a, b))
            self.assertEqual("Can't tell 1: most samples of a run were disturbed" in text,
                             word == Word.UNKNOWN)

    def test_a_check_cannot_tell(self):
        line = "bandwidth repeat=20"
        for a, b, where in ((UNSETTLED, {}, "the baseline"), ({}, UNSETTLED, "this run"),
                            (UNSETTLED, UNSETTLED, "the baseline and this run")):
            base, now = (fake.runs_of(fake.BARE, (line, [fake.result(line, speed, **more)]))
                         for speed, more in ((1000.0, a), (400.0, b)))
            [pairing] = regression.pairings(*(match.batches({"x": one}) for one in (base, now)))
            [answer] = regression.answers(pairing, 0.05)
            self.assertEqual((answer.word, answer.why),
                             (Word.UNKNOWN, f"the loop had not settled in {where}"))

    def test_the_four_tables(self):
        keys = {"where": "kernel", "node": "any", "cpu": "0", "irq": "on"}
        found = [fake.figure("random", {"op": op}, {}, **keys, **more,
                             **dict.fromkeys(("min_ns", "median_ns", "mean_ns"), ns))
                 for op, ns, more in (("read", 100.0, UNSETTLED), ("write", 300.0, {}))]
        batches = match.batches({"f": fake.runs_of(fake.BARE, ("random", found))})
        [made] = overhead.tables(overhead.Figures(overhead.cells(batches)))
        self.assertRegex(fake.terminal_lines(overhead.parts(made))[-1],
                         r"~100\.0 ns +300\.0 ns +3\.00x +-200\.00 % \?")

    def test_a_series_has_them(self):
        self.assertEqual(len(series.middles(pair(UNSETTLED, {}), series.Left())), 2)


class Pictures(fake.unittest.TestCase):
    def texts(self, runs):
        """The texts of the picture, and the shapes of the rings in it."""
        [found] = charts.charts({"a": runs})
        axes = fake.axes(found)
        rings = [line.get_marker() for line in axes.lines if line.get_markersize() == draw.RING]
        return axes.get_xlabel(), [text.get_text() for text in axes.texts], rings

    def test_a_curve(self):
        found = [fake.result(f"bandwidth size={size} repeat=10", 1000.0, **more)
                 for size, more in (("4K", {}), ("8K", UNSETTLED), ("16K", {}),
                                    ("32K", {"bytes_per_core_cycle": 99.0}))]
        x, _, rings = self.texts(fake.runs_of(fake.BARE, ("bandwidth", found), **ZEN_3))
        self.assertEqual(x, "working set\nsquare: more than memory or the ports of a core can do"
                            "\nring: the loop had not settled")
        self.assertEqual(rings, ["s", "o"])
        x, _, rings = self.texts(fake.runs_of(fake.BARE, ("bandwidth", found[::2] + [
            fake.result("bandwidth size=64K repeat=10", 1000.0)])))
        self.assertEqual((x, rings), ("working set", []))

    def test_bars(self):
        x, texts, _ = self.texts(pair(UNSETTLED, {}))
        self.assertTrue(x.endswith("\n~: the loop had not settled"), x)
        self.assertEqual(texts, ["~1\u2009000", "1\u2009000"])

    def test_a_heat_map(self):
        x, texts, _ = self.texts(one_of_two_pairs())
        self.assertTrue(x.endswith("\n~: the loop had not settled"), x)
        self.assertEqual(sorted(texts), ["-", "-", "60", "~50"])
