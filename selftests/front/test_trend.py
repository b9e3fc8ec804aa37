# SPDX-License-Identifier: GPL-2.0-only
"""memcache trend: how often a change is found, which run brought it, and what is printed."""

import csv
import json
import os
import random
import shutil
import sys
from math import exp
from pathlib import Path
from unittest import mock

import fake
from mc.analysis import changes, trend
from mc.analysis.judge import Word
from mc.output import trend as output

READ = "bandwidth op=read size=4K repeat=20"
WRITE = "bandwidth op=write size=4K repeat=20"
START, DAY = 1790000000 * 10 ** 9, 86400 * 10 ** 9
SERIES, RUNS, AT = 200, 30, 20      # how many series, of how many runs, where the step is
NEAR = 2                            # runs from the step


def series(chance, step=0.0, outliers=False, runs=RUNS, at=AT, noise=0.012):
    """Times that scatter by 1.2 %. With outliers, 7 % of the runs take up to 1.7 times as long."""
    speeds = [(1 if i < at else 1 - step) * (1 + chance.gauss(0, noise))
              * (1 - chance.uniform(0.1, 0.4) * (outliers and chance.random() < 0.07))
              for i in range(runs)]
    return [1000 / speed for speed in speeds]


class Rates(fake.unittest.TestCase):
    """How often it is right, over 200 series of each kind."""
    long = True

    def found(self, seed, **about):
        chance = random.Random(seed)
        return [changes.steps(series(chance, **about)) for _ in range(SERIES)]

    def test_no_false_alarm(self):
        for outliers in False, True:
            for runs in changes.FEWEST, RUNS:
                with self.subTest(outliers=outliers, runs=runs):
                    found = self.found(runs, outliers=outliers, runs=runs)
                    self.assertEqual(sum(map(bool, found)), 0)

    def test_hardly_any_in_longer_series(self):
        """Of 9200 series, one was taken to have changed; it is among these."""
        for outliers in False, True:
            found = self.found(60, outliers=outliers, runs=60)
            self.assertLessEqual(sum(map(bool, found)), 1)

    def test_steps_of_5_percent(self):
        for outliers in False, True:
            with self.subTest(outliers=outliers):
                found = self.found(5, outliers=outliers, step=0.05)
                hits = sum(any(abs(step.at - AT) <= NEAR for step in steps) for steps in found)
                self.assertGreaterEqual(hits, 0.95 * SERIES)
                self.assertLess(sum(len(steps) > 1 for steps in found), 0.03 * SERIES)

    def test_steps_that_are_faster(self):
        found = self.found(7, step=-0.05, outliers=True)
        hits = [step for steps in found for step in steps if abs(step.at - AT) <= NEAR]
        self.assertGreaterEqual(len(hits), 0.95 * SERIES)
        self.assertTrue(all(1.02 < step.speed < 1.1 for step in hits))

    def test_two_steps(self):
        chance = random.Random(3)
        both = 0
        for _ in range(50):
            times = series(chance, 0.08)
            times += series(chance, runs=15)
            both += len(changes.steps(times)) == 2
        self.assertGreaterEqual(both, 47)


class Parts(fake.unittest.TestCase):
    def test_less_than_2_percent_is_no_change(self):
        """However sure it is."""
        times = series(random.Random(1), 0.015, noise=0.0001)
        self.assertLess(changes.share_as_separated(times[:AT], times[AT:]), 0.01)
        self.assertEqual(changes.steps(times), [])

    def test_equal_times(self):
        self.assertEqual(changes.steps([5.0] * 30), [])
        self.assertEqual(len(changes.steps([5.0] * 8 + [6.0] * 8)), 1)
        [step] = changes.steps([5.0] * 20 + [6.0] * 10)
        self.assertEqual((step.at, step.before, step.after), (20, mock.ANY, mock.ANY))
        self.assertAlmostEqual(step.speed, 5 / 6)

    def test_outliers_alone_are_no_change(self):
        times = [5.0 + 0.01 * (i % 3) for i in range(30)]
        for i in 10, 11, 12:
            times[i] = 9.0
        self.assertEqual(changes.steps(times), [])
        self.assertEqual([i for i, off in enumerate(changes.are_far_off(times)) if off],
                         [10, 11, 12])

    def test_how_far_off_an_outlier_is(self):
        """Runs differ by d in turns: 4 standard deviations, from moves of d, are 4.19 d. Of nine
        neighbours, four are not most. Equal runs have a spread of 0.01 %."""
        for far, runs, off in ((5.3, 1, 1), (5.1, 1, 0), (50, 4, 4), (50, 5, 0)):
            logs = [0.01 * (i % 2) for i in range(30)]
            logs[10:10 + runs] = [0.01 * far] * runs
            self.assertEqual(sum(changes.are_far_off([exp(one) for one in logs])), off, far)
        for far, off in (1.00035, 0), (1.00045, 1):
            self.assertEqual(sum(changes.are_far_off([5.0] * 10 + [5 * far] + [5.0] * 10)), off)

    def test_a_hint(self):
        """Four spreads, of 1.25 % at least, with two degrees of freedom less than runs."""
        for logs, at in (((0, 0, 0.0516), 2), ((0, 0, 0.0488), None), ((0, 1), None),
                         ((0, 0.06, 0.18, 0.24), 2), ((0, 0.06, 0.16, 0.22), None)):
            found = changes.hint([exp(one) for one in logs])
            self.assertEqual(found and found.at, at, logs)
        self.assertEqual([changes.Step(1, *times).word for times in ((5, 6), (6, 5))],
                         [Word.SLOWER, Word.FASTER])

    def test_outliers_beside_a_change(self):
        times = [(5.0 + 0.01 * (i % 3)) * (1.1 if i >= 15 else 1) for i in range(30)]
        times[3] = times[20] = 50.0
        [step] = changes.steps(times)
        self.assertEqual(step.at, 15)
        self.assertEqual(changes.word_of_history(times, [step]), Word.SLOWER)
        self.assertIsNone(changes.hint([100 + 0.3 * (i % 3) for i in range(11)] + [400.0]))

    def test_the_permutation_test(self):
        """Of 5 and 5 values, 2 of 252 deals separate the ranks completely."""
        share = changes.share_as_separated([1, 2, 3, 4, 5], [6, 7, 8, 9, 10])
        self.assertAlmostEqual(share, 2 / 252, places=9)
        self.assertLess(changes.share_as_separated(range(8), range(8, 16)), changes.SURE)
        self.assertGreater(changes.share_as_separated(range(7), range(7, 14)), changes.SURE)
        many = changes.share_as_separated([1, 3, 5, 7, 9, 11, 13, 15, 18],
                                          [2, 4, 6, 8, 10, 12, 14, 16, 17])
        self.assertGreater(many, 0.5)       # too many deals to count
        self.assertEqual(changes.share_as_separated([1, 1, 1], [1, 1, 1]), 1)
        self.assertGreater(changes.share_as_separated([1, 4, 5, 8], [2, 3, 6, 7]), 0.5)

    def test_the_order_of_kernels(self):
        ordered = ["5.10.0-30-amd64", "6.1.0-9-amd64", "6.1.0-50-amd64", "6.9.0", "6.12.0-rc1",
                   "6.12.0-rc10", "6.12.0", "6.12.1", "7.0.0"]
        self.assertEqual(sorted(reversed(ordered), key=trend.release_sort_key), ordered)

    def test_candidates_come_before_their_release(self):
        releases = ("6.16.0-061600-generic", "6.16.0-200.fc42.x86_64", "6.16-amd64", "6.16",
                    "6.16.0", "6.16.0+", "6.16.0-1-default", "6.16.0-061600-generic-64k", "6.16.1")
        candidates = ("6.16.0-061600rc3-generic", "6.16.0-0.rc3.250.fc43.x86_64", "6.16~rc3-amd64",
                      "6.16-rc3", "6.16.0-rc3", "6.16.0-rc3+", "6.16.rc3-1", "6.16rc3",
                      "6.16.0-rc3-next-20250625", "6.16~rc3-1~exp1-amd64")
        key = trend.release_sort_key
        for candidate in candidates:
            for release in releases:
                self.assertLess(key(candidate), key(release))
            self.assertLess(key("6.15.9-061509-generic"), key(candidate))
            self.assertLess(key(candidate.replace("rc3", "rc2")), key(candidate))
            self.assertLess(key(candidate), key(candidate.replace("rc3", "rc10")))
        for ordered in (["6.16.0-rc3", "6.16.0-rc3+", "6.16.0-rc4", "6.16.0", "6.16.0+"],
                        ["6.1.0-marc1", "6.2.0-marc1"]):
            self.assertEqual(sorted(reversed(ordered), key=trend.release_sort_key), ordered)


class Command(fake.InDirectory):
    def file(self, name, number, kernel="6.1.0-50-amd64", results=(), **more):
        results = [one | {"started_unix_ns": START + number * DAY} for one in results]
        fake.save(name, fake.machine(fake.BARE | {"kernel": kernel}, version="1.2") | more,
                  fake.request(READ, len(results)), *results)

    def nights(self, runs=RUNS, write=1.0):
        """A folder of files: reads become slower at AT, with another kernel."""
        chance = random.Random(9)
        for number in range(runs):
            new = number >= AT
            self.file(f"nights/{number:02}.jsonl", number, f"6.1.0-{50 + new}-amd64", [
                fake.result(READ, chance.gauss(9000.0 if new else 10000.0, 100)),
                fake.result(WRITE, chance.gauss(5000.0 * (write if new else 1), 50))])

    def test_what_is_said_of_nights(self):
        """Which kernel brought it, the worst first, what is faster; too few runs; only some."""
        os.mkdir("empty")
        for nights, words, status, said, unsaid in (
                ({}, "nights", 0, r"Since nights/20\.jsonl \(2026-10-11 14:13 UTC\): kernel "
                 r"6\.1\.0-50-amd64 -> 6\.1\.0-51-amd64\. Before that: nights/19\.jsonl "
                 r"\(2026-10-10 14:13 UTC\)\. .*before after speed bandwidth width=16 size=4K "
                 r"page=direct (100|99)\d\d\.\d MB/s (90|89)\d\d\.\d MB/s 0\.90x ↓.*2 results over "
                 r"30 runs, in the order of time: 1 lasting change, at 1 run\. From the first to "
                 r"the last runs: 0 faster, 1 slower, 1 same, 0 can't tell\.$", "until then"),
                ({"write": 0.8}, "nights", 0, "0.80x ↓.*0.90x ↓", "0.90x ↓.*0.80x ↓"),
                ({"write": 1.2}, "nights", 0, "0.90x ↓.*1.20x ↑.*2 lasting changes, at 1 run.",
                 "1.20x ↑.*0.90x ↓"),
                ({"runs": 9}, "nights", 0, "Too few runs to confirm a change, less than 16: - "
                 "bandwidth width=16 size=4K page=direct: 9", "until then"),
                ({"write": 0.8}, "nights --only op=write", 0, "0.80x.*1 result over 30 runs",
                 "0.90x"),
                ({"write": 0.8}, "nights --only op=copy", 1, "none has op=copy", "x ↓"),
                ({"runs": 2}, "nights", 1, "2 of the 3 runs that a step needs; until then: "
                 "memcache compare A B.", "x ↓"),
                ({"runs": 3}, "nights", 0, "0 results over 3 runs", "until then"),
                ({}, "empty", 2, "no results files", "x ↓"),
                ({}, "nosuch", 1, "nosuch: No such file or directory; left out", "x ↓"),
                ({}, "nights -o x.doc", 2, "wanted a name that ends in .svg", "x ↓")):
            with self.subTest(words, nights=nights):
                self.nights(**nights)
                text = self.memcache("trend", *words.split(), status=status)
                self.assertRegex(text, said)
                self.assertNotRegex(text, unsaid)
                shutil.rmtree("nights")

    def test_a_store_says_the_same(self):
        self.nights()
        files = sorted(map(str, Path("nights").iterdir()))
        self.memcache("record", "runs.db", *reversed(files))
        said = self.memcache("trend", "runs.db")
        self.assertIn("Since runs.db:10 (2026-10-11", said)
        self.assertEqual(said.replace("runs.db:10 ", "nights/20.jsonl ").replace(
            "runs.db:11 ", "nights/19.jsonl "), self.memcache("trend", "nights"))
        self.assertIn("over 16 runs", self.memcache("trend", "runs.db:1-16"))

    def test_over_kernels(self):
        """Measured in another order than that of their versions."""
        chance = random.Random(2)
        order = list(range(30))
        chance.shuffle(order)
        for at, minor in enumerate(order):
            self.file(f"some/{at}.jsonl", at, f"6.{minor}.0", [
                fake.result(READ, chance.gauss(10000.0 if minor < 15 else 9300.0, 50))])
        self.assertIn("0 lasting changes", self.memcache("trend", "some"))
        said = self.memcache("trend", "some", "--over", "kernel")
        self.assertRegex(said, r"kernel 6\.14\.0 -> 6\.15\.0\. .* in the order of kernel versions")

    def test_machines_and_hosts_are_not_mixed(self):
        for key, split in ("cpu", lambda number: number >= 20), ("host", lambda number: number % 2):
            for number in range(40):
                slow = split(number)
                self.file(f"{key}/{number:02}.jsonl", number, **{key: "slow" if slow else "fast"},
                          results=[fake.result(READ, 8000.0 if slow else 10000.0)])
            self.assertIn("2 results over 40 runs, in the order of time: 0 lasting changes",
                          self.memcache("trend", key))

    def test_runs_that_name_no_host_are_of_the_only_one(self):
        for number in range(20):
            named = {"host": "one"} if number > 10 else {}
            self.file(f"one/{number:02}.jsonl", number, results=[fake.result(READ, 9000.0)],
                      **named)
        self.assertIn("1 result over 20 runs", self.memcache("trend", "one"))

    def test_what_is_left_out(self):
        self.nights()
        self.file("nights/98.jsonl", 98, results=[fake.result(READ, 1.0, verified="failed")])
        self.file("nights/99.jsonl", 99, hypervisor="tcg", results=[fake.result(READ, 1.0)])
        said = self.memcache("trend", "nights")
        self.assertIn("Left out: 1 result that failed verification, 1 result of emulated machines.",
                      said)
        self.write("nights/97.jsonl", b"no record\n")
        self.assertIn("97.jsonl:1: not JSON", self.memcache("trend", "nights", status=1))

    def test_what_is_left_out_may_be_everything(self):
        self.file("all/1.jsonl", 1, results=[fake.result(READ, 1.0, median_ns=None)] * 2)
        self.assertIn("no result to follow. Left out: 2 results in which nothing was measured",
                      self.memcache("trend", "all", status=1))

    def test_without_the_library(self):
        self.nights(runs=10)
        with mock.patch.dict(sys.modules, numpy=None), \
                self.assertRaisesRegex(changes.Failure, "python3-numpy"):
            changes.steps([1000.0] * 15 + [2000.0] * 15)

    def test_a_few_runs(self):
        """A step is hinted at, which needs no library, and nothing where there is none."""
        with mock.patch.dict(sys.modules, numpy=None):
            found = changes.hint([1000, 1003, 998, 1201, 1199])
            self.assertEqual((found.at, round(found.speed, 2)), (3, 0.83))
            for times in ([1000, 1001], [1000, 1001, 999], [1000, 1001, 999, 1002, 1000, 998],
                          [1000, 1300, 1010, 1290, 1005]):
                self.assertIsNone(changes.hint(times), times)
            chance = random.Random(5)
            wrong = sum(changes.hint(series(chance, runs=runs)) is not None
                        for runs in (3, 5, 8, 12) for _ in range(50))
            self.assertLessEqual(wrong, 2)
        # Of 16 runs, one far from the others leaves too few to confirm a change.
        for last, near, said in ((9000.0, 15, "a: 15 of 16, the others lie far from their neig"),
                                 (1000.0, 16, "1 result over ")):
            history = trend.History(*"abcde", times=[1000.0 + i % 3 for i in range(15)] + [last])
            self.assertEqual((history.near, history.is_long), (near, near == 16))
            parts = output.parts(trend.Gathered([history]), "time")
            self.assertIn(said, " ".join(map(str, parts)))

    def test_pictures(self):
        self.nights()
        said = self.memcache("trend", "nights", "-o", "x.svg")
        self.assertIn("x.svg: 2 charts", said)
        self.assertTrue(Path("x.svg").read_bytes().startswith(b"<?xml"))

    def test_files_for_otava(self):
        self.nights()
        self.file("nights/99.jsonl", 99, results=[fake.result(READ, 9000.0)])
        fake.save("nights/98.jsonl", fake.machine(), fake.request("latency", 1),
                  fake.figure("latency", {"stride_bytes": 64}, {"ns_per_load": 80.0}))
        self.memcache("trend", "nights", "--otava", "out")
        config = json.loads(Path("out/otava.yaml").read_text())
        tables = {}
        for test in config["tests"].values():
            with open(test["file"], encoding="ascii") as file:
                tables |= {name: (metric["direction"], list(csv.DictReader(file)))
                           for name, metric in test["metrics"].items()}
                self.assertEqual((test["type"], test["time_column"], test["attributes"]),
                                 ("csv", "time", ["kernel", "version", "file"]))
        self.assertEqual([(way, len(rows)) for way, rows in tables.values()],
                         [(1, 31), (1, 30), (-1, 1)])
        name = "kernel_bandwidth_width_16_size_4K_page_direct"
        rows = tables[name][1]
        self.assertEqual(rows[20]["time"], "2026-10-11T14:13:20+00:00")
        self.assertEqual(rows[20]["kernel"], "6.1.0-51-amd64")
        self.assertTrue(8000 < float(rows[20][name]) < 9500)
