# SPDX-License-Identifier: GPL-2.0-only
"""What was measured in rounds: one record stands for all, and hides no failure."""

import fake
from mc.records import rounds

YES = {"wb": "yes", "wc": "yes", "uc": "yes"}


def merged(*found, **more):
    """A round for each list of records."""
    runs = []
    for number, records in enumerate(found, 1):
        runs += fake.runs(fake.machine(fake.BARE, YES), fake.request(
            "bandwidth", len(records), round=number, **more), *records)
    return rounds.merged(runs)


def record(speed, line="bandwidth", **more):
    return fake.result(line, speed) | more


class Merged(fake.unittest.TestCase):
    def test_the_one_in_the_middle(self):
        [run] = merged(*([record(speed), record(2 * speed, "bandwidth size=4K")]
                         for speed in (1000.0, 3000.0, 2000.0)))
        self.assertEqual([(r["size_bytes"], r["mb_per_s"]) for r in run.results],
                         [(16 << 20, 2000.0), (4096, 4000.0)])
        self.assertEqual(len(rounds.medians(run.results[0])), 3)

    def test_without_rounds_nothing_changes(self):
        runs = fake.runs(*(2 * [fake.machine(fake.BARE, YES), fake.request("bandwidth", 1),
                                record(1000.0)]))
        self.assertEqual(rounds.merged(runs), runs)
        self.assertEqual(rounds.medians(runs[0].results[0]), ())

    def test_a_round_that_was_stopped(self):
        [run] = merged([record(1000.0), record(1.0, "bandwidth size=4K")], [record(2000.0)])
        self.assertEqual([len(rounds.medians(r)) for r in run.results], [2, 1])

    def test_data_that_failed_are_not_hidden(self):
        [run] = merged(*([record(1000.0, verified=word)] for word in ("ok", "failed", "ok")))
        self.assertEqual([r["verified"] for r in run.results], ["failed"])

    def test_a_request_that_failed_is_not_hidden(self):
        runs = [run for state in ("done", "failed") for run in merged([record(1.0)], state=state)]
        for number, run in enumerate(runs):
            run.request["round"] = number
        self.assertEqual(rounds.merged(runs)[0].request["state"], "failed")

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
