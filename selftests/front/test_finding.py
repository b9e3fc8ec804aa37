# SPDX-License-Identifier: GPL-2.0-only
"""The beginning of a report's page: the headline, the machine, the figures that people ask for."""

import unittest

import fake
from mc.analysis.highlights import MOST, highlights
from mc.output import document
from mc.parts import Grid, Heading, Sentence
from mc.records import rounds
from test_draw import SWEEP, sweep
from test_plot import latency, loaded, matrix
from test_report import attributes

SIZES = ("16K", "64M")


def rates(*ops, factor=1.0, **more):
    """Rates of these operations with two sizes, of which the larger one is slower."""
    return fake.runs_of(fake.BARE, *(
        (line, [fake.result(line, factor * speed, 0.5)])
        for number, op in enumerate(ops)
        for size, speed in zip(SIZES, (100000.0 + number, 10000.0 + number))
        for line in [f"bandwidth op={op} size={size}"]), **more)


def five_rounds(*speeds):
    runs = fake.runs(*fake.records_of_rounds("bandwidth op=read size=64M", *speeds))
    return rounds.with_merged_rounds(runs)


def begin(files):
    """The headline, the sentences and the table before the first chapter."""
    found = []
    for part in document.parts(files):
        if isinstance(part, Heading) and part.level == 2:
            break
        found.append(part)
    [grid] = [part for part in found if isinstance(part, Grid)] or [None]
    return found[0].text, [part for part in found if isinstance(part, Sentence)], grid


class Figures(unittest.TestCase):
    def names(self, runs):
        return [one.name for one in highlights(runs)]

    def test_they_are_five_at_most_and_the_largest_set_counts(self):
        runs = latency() + rates("triad", "copy", "ntwrite", "write", "read")
        found = highlights(runs)
        self.assertEqual([one.name for one in found], [
            "Latency of " + ("memory" if found[0].result.get("level") == "memory" else "64M"),
            "Reading, 64M", "Writing, 64M", "Writing past the caches, 64M", "Copying, 64M"])
        self.assertEqual(len(found), MOST)
        self.assertEqual(found[1].result["mb_per_s"], 10004.0)
        self.assertEqual(found[0].other[1]["ns_per_load"], SWEEP[0] * 1.1)

    def test_types_stand_beside_write_back_memory(self):
        found = {one.name: one for one in highlights(attributes())}
        one = found["Writing, write-combining memory"]
        self.assertEqual((one.result["type"], one.other[1]["type"]), ("wc", "wb"))
        for key in ("op", "size_bytes", "width_bytes", "fence"):
            self.assertEqual(one.result[key], one.other[1][key])

    def test_a_type_that_is_not_real_is_not_called_so(self):
        for effective, wanted in (("yes", "uncached memory"), ("no", "memory asked for as UC"),
                                  ("unknown", "memory asked for as UC"), (None,
                                   "memory asked for as UC")):
            runs = attributes()
            for run in runs:
                for result in run.results:
                    result["effective"] = effective
            self.assertIn(f"Reading, {wanted}", self.names(runs))

    def test_memory_of_an_object_is_named_and_a_real_type_goes_first(self):
        """Host memory that was asked for as WC is faster than real WC memory of a GPU."""
        line = "bandwidth op=write size=64M type=wc"
        runs = fake.runs_of(fake.BARE, *(
            (line, [fake.result(line, speed, 0.5, effective=real, memory_object=name)])
            for name, real, speed in (("gpu", "yes", 20000.0), ("host", "no", 40000.0))))
        [one] = highlights(runs)
        self.assertEqual(one.name, "Writing, write-combining memory, gpu")
        self.assertEqual(one.result["mb_per_s"], 20000.0)

    def test_pairs_and_loads(self):
        runs = matrix() + fake.runs_of(fake.BARE, ("loaded", loaded(0, 50, 1000)))
        load, line = highlights(runs)
        self.assertEqual((load.result["delay_cycles"], load.other[1]["delay_cycles"]), (0, 1000))
        known = sorted(result["ns_per_line"] for run in matrix() for result in run.results
                       if result["state"] == "hitm")
        self.assertEqual((load.name, line.name), (
            "Latency under load", "A line that another CPU has changed, median pair of CPUs"))
        self.assertLess(abs(known.index(line.result["ns_per_line"]) - len(known) // 2), 2)

    def test_wrong_data_are_no_figure(self):
        self.assertEqual(highlights(attributes(verified="failed")), [])

    def test_other_tests_have_their_main_figure(self):
        asked = {"item": "getpid"}
        runs = fake.runs_of(fake.BARE, ("os item=getpid", [fake.figure("os", asked, {})]))
        self.assertEqual(self.names(runs), ["Os getpid"])

    def test_what_the_cpu_reports_is_no_level_of_bandwidth(self):
        """A working set may be said to fit a cache that a virtual machine does not get."""
        runs = rates("read")
        runs[1].results[0]["level"] = "l3"
        self.assertEqual(self.names(runs), ["Reading, 64M"])


class Begin(unittest.TestCase):
    def test_one_file(self):
        runs = fake.runs_of(fake.KVM, ("latency", sweep(SWEEP)), cpus_online="0-3", host="lab <1>")
        headline, said, grid = begin({"a.jsonl": runs})
        self.assertRegex(headline, r"^Latency of \w+: [\d.]+ ns$")
        self.assertEqual(said[0].text, f"{fake.KVM['cpu']}, 4 CPUs, hypervisor kvm, Linux "
                         "6.1.0-50-amd64, host lab <1>. Measured in the kernel, 21 September 2026, "
                         "14:13 UTC.")
        self.assertEqual(grid.names, ["what", "measured", "compared with"])
        self.assertEqual(grid.strong, (1,))
        self.assertIn("spread", grid.rows[0][0].partition("\n")[2])

    def test_a_comparison_is_the_headline(self):
        files = {"a.jsonl": five_rounds(*fake.speeds_around(10000)),
                 "b.jsonl": five_rounds(*fake.speeds_around(5000))}
        headline, said, grid = begin(files)
        self.assertEqual(headline, "B against A: 1 slower")
        self.assertEqual(grid.names, ["what", "speed of B", "A", "B"])
        self.assertEqual(grid.strong, (3,), "the new figure")
        [row] = grid.rows
        self.assertEqual(row[1:], ["0.50x ↓", "10000.0 MB/s", "5000.0 MB/s"])
        self.assertTrue(said[0].text.startswith("A: a.jsonl: "))
        chapters = [part.text for part in document.parts(files)
                    if isinstance(part, Heading) and part.level == 2]
        self.assertEqual(chapters[0], "Comparison")

    def test_what_nobody_can_tell_is_said(self):
        headline, _, grid = begin({"a": rates("read"), "b": rates("read", factor=0.9)})
        self.assertEqual(headline, "B against A: can't tell 2")
        self.assertIn("one run shows no spread", grid.note)

    def test_three_files_and_two_sides(self):
        headline, _, grid = begin({name: five_rounds(*fake.speeds_around(speed)) for name, speed in
                                   (("a", 10000), ("b", 10000), ("c", 20000))})
        self.assertEqual(headline, "B against A: 1 the same; C against A: 1 faster")
        self.assertEqual(grid.names, ["what", "speed of B", "speed of C", "A", "B", "C"])
        self.assertEqual(grid.strong, (4, 5))
        headline, said, grid = begin({"a": rates("read") + fake.in_user_space(rates("read"))})
        self.assertEqual(headline, "user against kernel: can't tell 2")
        self.assertEqual(grid.names, ["what", "speed of user", "kernel", "user"])
        self.assertIn("in the kernel and in user space", said[0].text)

    def test_a_figure_that_the_other_lacks(self):
        _, _, grid = begin({"a": rates("read", "copy"), "b": rates("read")})
        self.assertEqual([row[1::2] for row in grid.rows if "Copying" in row[0]], [["-", "-"]])

    def test_no_figure_means_anything(self):
        for files, wanted in (({"a": attributes(fake.TCG, fake.NO)}, "An emulated machine: "),
                              ({"a": attributes(verified="failed")}, "Memory did not hold"),
                              ({"a": fake.runs_of(fake.BARE, ("bandwidth", []))},
                               "memcache: bandwidth")):
            self.assertTrue(begin(files)[0].startswith(wanted))

    def test_marks_are_explained(self):
        runs = rates("read")
        runs[1].results[0]["steady"] = "no"
        headline, _, grid = begin({"a": runs})
        self.assertEqual(headline, "Reading, 64M: ~10000.0 MB/s")
        self.assertIn("~ the loop had not settled.", grid.note)
