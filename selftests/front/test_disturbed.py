# SPDX-License-Identifier: GPL-2.0-only
"""Results that were disturbed: which ones, what a report says first, how tables and pictures
show them."""

import unittest.mock

import fake
from mc.analysis import disturbed
from mc.output import captions, charts, document, draw, layout, report
from mc.records import results, rounds
from mc.records.suite import Layout
from test_draw import c2c

QUIET = {"load": 0.1, "runnable": 0, "cpus": 2, "found": []}
LOADED = {"load": 20.1, "runnable": 20, "cpus": 2, "found": [
    {"kind": "load", "what": "the load is 20.1 on 2 CPUs"},
    {"kind": "governor", "what": "the governor of CPU 0 is powersave"}]}
WIDE = {"cv_percent": 31.0}
PREEMPTED = {"disturbed_preemption": 6}
ALONE = {"samples": 4, "left_out": 6, "left_out_why": "no_overlap"}


def measured(*changes, **about):
    """A result for each of these changes, of 10 samples."""
    line = "bandwidth op=read repeat=10"
    return fake.runs_of(fake.BARE, (line, [
        fake.result(f"bandwidth op=read size={n + 1}K repeat=10", 1000.0, **change)
        for n, change in enumerate(changes)]), **about)


def shown(runs, wide=False):
    return [" ".join(line.split()) for line in report.lines(runs, wide)]


class Results(fake.unittest.TestCase):
    def test_which_ones(self):
        for change, wanted in (
                ({}, False), ({"cv_percent": None}, False), ({"cv_percent": 20.0}, False),
                (WIDE, True), (PREEMPTED, True), ({"disturbed_preemption": 5}, False),
                ({"disturbed_migration": 6}, True), ({"disturbed_steal": 6}, True),
                ({"disturbed_steal": None}, False), ({"disturbed_neighbour": 6}, True),
                # Ticks of a timer hit every long sample of a quiet machine.
                ({"disturbed_interrupt": 10}, False),
                # The windows that were hit are not in the figures.
                (PREEMPTED | {"windows_left_out": 6}, False),
                ({"disturbed_migration": 6, "windows_left_out": 6}, False),
                # A hypervisor and a neighbour disturb samples; no window tells of them.
                ({"disturbed_steal": 6, "windows_left_out": 76}, True),
                ({"disturbed_neighbour": 6, "windows_left_out": 76}, True),
                (ALONE, True), ({"samples": 5, "left_out": 5, "left_out_why": "disturbed"}, False),
                ({"samples": 0, "left_out": 10, "left_out_why": "one_cpu"}, False),
                ({"samples": 0, "left_out": 10, "left_out_why": "no_overlap"}, True),
                ({"samples": 0, "left_out": 0}, False)):
            one = fake.result("bandwidth op=read repeat=10", 1000.0) | change
            self.assertEqual(disturbed.is_disturbed(one), wanted, change)

    def test_older_records(self):
        one = fake.result("bandwidth op=read repeat=10", 1000.0)
        del one["disturbed_preemption"]
        self.assertFalse(disturbed.is_disturbed(one))

    def test_rounds_are_counted_together(self):
        """Of ten rounds, the one in the middle was quiet."""
        runs = [run for n in range(3) for run in measured(PREEMPTED if n != 1 else {})]
        for n, run in enumerate(runs):
            run.request["round"] = n + 1
        [whole] = rounds.with_merged_rounds(runs)
        self.assertEqual((whole.results[0]["samples"], whole.results[0]["disturbed_preemption"]),
                         (30, 12))


class Verdicts(fake.unittest.TestCase):
    def test_what_is_said_first(self):
        hit, work = WIDE | {"disturbed_interrupt": 4}, ["the load is 20.1 on 2 CPUs"]
        for changes, quiet, name, wanted in (
                ([WIDE, PREEMPTED, {}], LOADED, "most_disturbed", {"count": (2, 3), "why": [
                    "6 of 20 samples were preempted", *work], "remedy": ""}),
                # Half is not most. A load is never passed over; a governor is no other work.
                ([WIDE, {}], QUIET, "", {}), ([], None, "", {}),
                ([WIDE, {}, {}], LOADED, "not_quiet", {
                    "count": (1, 3), "work": work, "bad": True, "several": False, "remedy": ""}),
                ([{}], LOADED | {"found": LOADED["found"][1:]}, "", {}),
                ([WIDE, WIDE], None, "most_disturbed", {"count": (2, 2), "why": [], "remedy": ""}),
                ([hit, hit], None, "most_disturbed", {"why": ["8 samples saw interrupts"]}),
                ([hit | PREEMPTED, hit], None, "most_disturbed", {
                    "why": ["6 of 20 samples were preempted"]}),
                ([ALONE, ALONE], None, "most_disturbed", {
                    "why": ["in 2 results the threads did not run at once"]})):
            with self.subTest((changes, quiet)):
                runs = measured(*changes, **{"quiet": quiet} if quiet else {})
                said = disturbed.verdict(runs)
                self.assertEqual((getattr(said, "id", said), getattr(said, "facts", {}) | wanted),
                                 (name, getattr(said, "facts", {})))
                for wide in False, True:
                    first = " ".join(shown(runs, wide)) if changes else ""
                    self.assertTrue(first.startswith(said))

    def test_what_one_word_would_do(self):
        for test, where, sched, line, remedy in (
                ("latency", "user", "keep", "auto", "As root (sudo)"),
                ("latency", "user", "keep", "keep", "With sched=auto"),
                ("latency", "user", "fifo", "auto", ""), ("latency", "kernel", "keep", "auto", ""),
                ("pipe", "user", "keep", "keep", "")):
            for quiet in LOADED, None:
                runs = measured(WIDE, WIDE, **{"quiet": quiet} if quiet else {})
                runs[0].request["line"] = f"{test} sched={line}"
                for result in runs[0].results:
                    result |= {"test": test, "where": where, "sched": sched}
                self.assertEqual(disturbed.verdict(runs).facts["remedy"], remedy)

    def test_equal_runs_of_a_machine_with_neighbours(self):
        """The examples of the manual were measured on such a machine."""
        for name in "bandwidth", "latency-4k", "latency-thp":
            runs = results.load(str(fake.TOP / f"Documentation/examples/{name}.jsonl"))
            self.assertEqual(disturbed.verdict(runs), "", name)


class Shown(fake.unittest.TestCase):
    def test_a_table(self):
        text = " ".join(shown(measured(WIDE, {}, {})))
        self.assertIn("±1000.0", text)
        self.assertEqual(fake.said(report.parts(measured(WIDE, {}, {})))["disturbed"],
                         {"count": (1, 3)})
        self.assertNotIn("±", " ".join(shown(measured({}, {}))))

    def test_a_mark_stands_before_figures_of_time_alone(self):
        names = ("mb_per_s", "ios_per_s", "median_ns", "ns_per_load", "tlb_ns", "cv_percent",
                 "cached_percent", "pipe_bytes", "covered_bytes", "pages")
        runs = measured(WIDE | {"label": "one"} | dict.fromkeys(names, 40.0))
        [grid] = layout.draw(Layout("op", None, names), [(runs[0], runs[0].results[0])])
        self.assertEqual([cell[0] == "±" for cell in grid.rows[0][1:]], [True] * 6 + [False] * 4)

    def test_a_page(self):
        said = [part.text for part in document.parts({"a": measured(WIDE, WIDE)})
                if getattr(part, "loud", False)]
        self.assertIn("DISTURBED: 2 of 2 results", " ".join(said))

    def test_a_picture_says_what_the_tables_begin_with(self):
        files = {"a": measured(WIDE, WIDE)}
        drawn = charts.charts(files)
        with unittest.mock.patch.dict(draw.STYLE, {"svg.fonttype": "none"}):
            svg = draw.picture(drawn, [], "svg", captions.warnings(files)).decode()
        for text in svg, document.gallery(files, drawn):
            self.assertIn("DISTURBED: 2 of 2 results are of", text)
        self.assertEqual(captions.warnings({"a": measured({}, {})}), [])

    def test_bars_and_cells_are_crossed(self):
        for runs, kind in ((fake.runs_of(fake.BARE, ("bandwidth op=read,copy size=16K", [
                fake.result(f"bandwidth op={op} size=16K repeat=10", 1000.0, **more)
                for op, more in (("read", WIDE), ("copy", {}))])), "bars"),
                (fake.runs_of(fake.BARE, ("c2c", [*c2c([(0, 1)], **WIDE), *c2c([(1, 0)])])),
                 "matrix")):
            [chart] = [one for one in charts.charts({"a": runs}) if one.kind == kind]
            axes = fake.axes(chart)
            crossed = [patch for patch in axes.patches if patch.get_hatch() == draw.CROSSED]
            self.assertEqual(len(crossed), 1, kind)
            self.assertIn("± and crosses: disturbed", axes.get_xlabel())
