# SPDX-License-Identifier: GPL-2.0-only
"""What was measured in rounds: one record stands for all, and hides no failure."""

import fake
from mc.records import rounds


def merged(*found, line="bandwidth", **more):
    """A round for each list of records."""
    runs = []
    for number, records in enumerate(found, 1):
        runs += fake.runs(fake.machine(), fake.request(
            line, len(records), round=number, **more), *records)
    return rounds.with_merged_rounds(runs)


def record(speed, line="bandwidth", **more):
    return fake.result(line, speed) | more


class Merged(fake.unittest.TestCase):
    def test_the_one_in_the_middle(self):
        [run] = merged(*([record(speed), record(2 * speed, "bandwidth size=4K")]
                         for speed in (1000.0, 3000.0, 2000.0)))
        self.assertEqual([(r["size_bytes"], r["mb_per_s"]) for r in run.results],
                         [(16 << 20, 2000.0), (4096, 4000.0)])
        self.assertEqual(rounds.count(run.results[0]), 3)

    def test_the_spread_is_that_of_all_samples(self):
        """By hand: 1, 2, 3 and 4, 5, 6, 7 ns."""
        a = {"samples": 3, "min_ns": 1, "median_ns": 2, "max_ns": 3, "mean_ns": 2, "sd_ns": 1.0}
        b = {"samples": 4, "min_ns": 4, "median_ns": 5.5, "max_ns": 7, "mean_ns": 5.5,
             "sd_ns": (5 / 3) ** 0.5}
        [run] = merged([record(1.0, **a)], [record(1.0, **b)])
        one = run.results[0]
        self.assertEqual((one["samples"], one["min_ns"], one["max_ns"]), (7, 1, 7))
        self.assertAlmostEqual(one["mean_ns"], 4.0)
        self.assertAlmostEqual(one["sd_ns"], (28 / 6) ** 0.5)
        self.assertAlmostEqual(one["cv_percent"], 25 * (28 / 6) ** 0.5)

    def test_a_round_of_one_sample_counts_too(self):
        [run] = merged([record(1000.0, samples=1, sd_ns=None, cv_percent=None, left_out=2,
                               left_out_why="no_overlap")],
                       [record(2000.0, left_out=1, left_out_why="disturbed")])
        found = run.results[0]
        self.assertEqual(found["samples"], 1 + record(2000.0)["samples"])
        self.assertEqual((found["left_out"], found["left_out_why"]), (3, "disturbed,no_overlap"))

    def test_the_clock_of_each_round(self):
        [run] = merged(*([record(speed, core_mhz=clock)] for speed, clock in
                         ((1000.0, 3000), (3000.0, 2500), (2000.0, None))))
        self.assertEqual(rounds.clocks(run.results[0]), (3000, 2500))
        self.assertEqual(rounds.clocks(record(1.0, core_mhz=2000)), (2000,))

    def test_without_rounds_nothing_changes(self):
        runs = fake.runs(*(2 * [fake.machine(), fake.request("bandwidth", 1), record(1000.0)]))
        self.assertEqual(rounds.with_merged_rounds(runs), runs)
        self.assertEqual(rounds.medians(runs[0].results[0]), ())

    def test_the_samples_that_time_took_tell_no_results_apart(self):
        """Each of two widths, of which each round takes other numbers of samples."""
        for words, asked in ("repeat=7 time=0.05", 7), ("time=2 repeat=10", 10):
            [run] = merged(*([record(speed, f"bandwidth width={width}", repeat=speed + width)
                              for width in (8, 16)] for speed in (1000, 3000, 2000)),
                           line=f"bandwidth width=8,16 {words}")
            self.assertEqual([(rounds.count(r), r["repeat"]) for r in run.results],
                             [(3, asked), (3, asked)])
        [run] = merged([record(1.0, repeat=1), record(2.0, repeat=20)],
                       line="bandwidth repeat=1,20 time=0")
        self.assertEqual([result["repeat"] for result in run.results], [1, 20])

    def test_runs_of_root_and_of_others_are_rounds_of_one_request(self):
        [run] = merged(*([record(1000.0, sched=sched)] for sched in ("fifo", "keep", "fifo")))
        self.assertEqual([rounds.count(result) for result in run.results], [3])
        [run] = merged(*[[record(1000.0, sched="keep"), record(2000.0, sched="fifo")]] * 2)
        self.assertEqual([(rounds.count(one), one["sched"]) for one in run.results],
                         [(2, "keep"), (2, "fifo")])

    def test_a_round_that_was_stopped(self):
        [run] = merged([record(1000.0), record(1.0, "bandwidth size=4K")], [record(2000.0)])
        self.assertEqual([rounds.count(r) for r in run.results], [2, 1])

    def test_data_that_failed_are_not_hidden(self):
        [run] = merged(*([record(1000.0, verified=word)] for word in ("ok", "failed", "ok")))
        self.assertEqual([r["verified"] for r in run.results], ["failed"])

    def test_a_request_that_failed_is_not_hidden(self):
        runs = [run for state in ("done", "failed") for run in merged([record(1.0)], state=state)]
        for number, run in enumerate(runs):
            run.request["round"] = number
        self.assertEqual(rounds.with_merged_rounds(runs)[0].request["state"], "failed")

    def test_nothing_measured_in_one(self):
        none = dict.fromkeys(("median_ns", "mean_ns", "mb_per_s"))
        [run] = merged([record(1.0) | none], [record(1000.0)])
        self.assertEqual([r["mb_per_s"] for r in run.results], [1000.0])
        [run] = merged([record(1.0) | none], [record(1.0) | none])
        self.assertEqual([r["mb_per_s"] for r in run.results], [None])

    def test_memory_that_differs_is_not_one_thing(self):
        for change in ({"effective": "no"}, {"attribute": "wc"}, {"memory_node": 1},
                       {"prefetch": "off"}):
            [run] = merged([record(1.0)], [record(1.0) | change])
            self.assertEqual(len(run.results), 2, change)


class Boots(fake.InDirectory):
    def test_the_rounds_of_a_boot_count_once(self):
        """The middle of the middles, and one median for each boot."""
        files = [self.boot(f"{number}.jsonl", *speeds) for number, speeds in enumerate(
            ((4000.0, 2000.0, 1000.0), (8000.0, 5000.0, 4000.0), (1000.0, 3000.0, 8000.0)))]
        [boots] = rounds.load_together(files, boots=True)
        self.assertEqual(boots.results[0]["mb_per_s"], 3000.0)
        self.assertEqual(boots.results[0]["samples"], 9 * record(1.0)["samples"])
        self.assertEqual(len(rounds.medians(boots.results[0])), 3)
        [each] = rounds.load_together(files)
        self.assertEqual([len(found) for found in rounds.medians(each.results[0])], [3, 3, 3])

    @staticmethod
    def boot(name, *speeds):
        return fake.save(name, *(one for number, speed in enumerate(speeds, 1) for one in (
            fake.machine(), fake.request("bandwidth", 1, round=number), record(speed))))
