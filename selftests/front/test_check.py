# SPDX-License-Identifier: GPL-2.0-only
"""memcache check: the verdict on prepared pairs, what it prints, and how often it is right."""

import math
import random
from collections import Counter
from dataclasses import replace

import fake
from mc.analysis import estimate, judge, match, regression
from mc.analysis.judge import Word
from mc.commands import cli
from mc.records import rounds

WRITE = "bandwidth op=write size=4K repeat=20"
READ = "bandwidth op=read size=4K repeat=20"


def records(speed, line=READ, spread=0.001, **more):
    """A run in five rounds."""
    return fake.records_of_rounds(line, *fake.speeds_around(speed, spread), **more)


def verdict(base, now, limit=0.05):
    """The answer on two lists of records, each of one result."""
    sides = (match.batches({"x": rounds.with_merged_rounds(fake.runs(*side))})
             for side in (base, now))
    [pairing] = regression.pairings(*sides)
    [answer] = regression.answers(pairing, limit)
    return answer


class Answers(fake.unittest.TestCase):
    """One pair at a time. Five rounds that differ by 0.1 % make an interval of about +-0.2 %."""

    def test_slower_if_the_whole_interval_lies_beyond_the_limit(self):
        """5 % slower is 0.95 times the speed, so 1 / 0.95 of the time: 5.26 % more. An interval
        that holds a limit tells nothing, but that of faster or the same is no worse."""
        thin, wide = {"spread": 1e-5, "cv": 0.01}, {"spread": 0.01}
        for speed, more, limit, word, no_worse in (
                (9000.0, {}, 0.05, Word.SLOWER, False), (9000.0, {}, 0.2, Word.SAME, True),
                (10000.0, {}, 0.05, Word.SAME, True), (20000.0, {}, 0.05, Word.FASTER, True),
                (9502.0, thin, 0.05, Word.SAME, True), (9498.0, thin, 0.05, Word.SLOWER, False),
                (9510.0, wide, 0.05, Word.UNKNOWN, False),
                (10500.0, wide, 0.05, Word.UNKNOWN, True)):
            with self.subTest(speed, limit=limit):
                answer = verdict(records(10000.0, **more), records(speed, **more), limit)
                self.assertEqual((answer.word, answer.is_no_worse), (word, no_worse))
                if word == Word.UNKNOWN:
                    self.assertEqual(answer.why, "the interval is too wide")

    def test_one_run_shows_nothing_of_other_runs(self):
        """Whatever the number of its samples. A factor that no run explains is told."""
        for repeat in (1, 3, 20, 1000):
            line = f"bandwidth op=read size=4K repeat={repeat}"
            for factor, word in ((1, Word.UNKNOWN), (0.9, Word.UNKNOWN), (0.5, Word.UNKNOWN),
                                 (0.1, Word.SLOWER), (10, Word.FASTER)):
                base, now = (fake.records_of_rounds(line, speed)
                             for speed in (10000.0, 10000.0 * factor))
                answer = verdict(base, now)
                self.assertEqual((answer.word, answer.more_runs), (word, None), (repeat, factor))
                self.assertEqual(verdict(records(10000.0), now).word, word)

    def test_a_disturbed_sample_hides_no_large_factor(self):
        """It is slow. A fast sample of the slower side is no disturbance."""
        base, now = fake.records_of_rounds(READ, 10000.0), fake.records_of_rounds(READ, 1000.0)
        base[-1]["max_ns"] = 100 * now[-1]["max_ns"]
        self.assertEqual(verdict(base, now).word, Word.SLOWER)
        now[-1]["min_ns"] = base[-1]["median_ns"]
        self.assertEqual(verdict(base, now).word, Word.UNKNOWN)

    def test_a_disturbance_is_no_regression(self):
        """The medians are slower, the fastest sample is not."""
        base, now = records(10000.0), records(9000.0)
        now[-1]["min_ns"] = base[2]["min_ns"]
        self.assertEqual(verdict(base, now).word, Word.UNKNOWN)


class Command(fake.InDirectory):
    def files(self, **contents):
        for name, found in contents.items():
            fake.save(name, *found)

    def memcache(self, words):
        return fake.front(*words.split(), COLUMNS="80")

    def check(self, words):
        done = self.memcache(f"check {words}")
        return done.returncode, done.stdout, done.stderr

    def test_exit_statuses(self):
        self.files(base=records(10000.0), same=records(10000.0), slow=records(9000.0),
                   near=records(9510.0, spread=0.01), other=records(9000.0, WRITE),
                   fast=records(12000.0), wrong=records(10000.0, verified="failed"),
                   typed=records(9000.0, effective="no"),
                   emulated=records(9000.0, about=fake.BARE | {"hypervisor": "tcg"}))
        for name, wanted, said in (
                ("same", 0, "1 result, limit 5 %: 0 faster, 0 slower, 1 same, 0 can't tell."),
                ("fast", 0, "1 result, limit 5 %: 1 faster, 0 slower, 0 same, 0 can't tell."),
                ("slow", 1, "0.90x"), ("slow --fail-over 20%", 0, "limit 20 %: 0 faster, 0 slower"),
                ("near", 125, "the interval is too wide"),
                ("other", 125, "only in the baseline"),
                ("wrong", 1, "1 with wrong data, 0 faster, 0 slower"),
                ("typed", 125, "effective=yes in the baseline, no now"),
                ("emulated", 125, "an emulated machine")):
            with self.subTest(name):
                status, out, err = self.check(f"{name} --baseline base")
                self.assertEqual(status, wanted, out + err)
                self.assertIn(said, " ".join(out.split()))

    def test_what_is_wrong(self):
        self.files(base=records(10000.0), another=records(1.0, about=fake.BARE | {"kernel": "7.0"}))
        for words, said in (("base", "--baseline"),
                            ("--baseline base another", "wanted: check FILE... --baseline"),
                            ("base --baseline nosuch", "nosuch"),
                            ("base --baseline nosuch --baseline base", "nosuch"),
                            ("base --baseline base --fail-over 0", "0 is no share"),
                            ("base --baseline base --fail-over x", "x is no share"),
                            ("base --baseline base base", "named twice"),
                            ("base --baseline base another", "their kernel is")):
            with self.subTest(words):
                status, out, err = self.check(words)
                self.assertEqual((status, out), (2, ""), err)
                self.assertIn(said, err)

    def test_the_worst_first_and_both_sides(self):
        """Also a side that was not measured again."""
        user = {"where": "user", "page": "4k", "attribute": None}
        self.files(base=[*records(10000.0), *records(10000.0, WRITE), *records(10000.0, **user)],
                   now=[*records(9000.0), *records(8000.0, WRITE), *records(7000.0, **user)],
                   less=[*records(10000.0), *records(10000.0, WRITE)])
        status, out, _ = self.check("less --baseline base")
        self.assertEqual(status, 125)
        self.assertIn("3 results, limit 5 %: 0 faster, 0 slower, 2 same, 1 can't tell.", out)
        status, out, _ = self.check("now --baseline base")
        self.assertEqual(status, 1)
        rows = [line.split("x ↓")[0].split()[-1] for line in out.splitlines() if "x ↓" in line]
        self.assertEqual(rows, ["0.70", "0.80", "0.90"])
        self.assertIn("(user)", out)
        self.assertLessEqual(max(map(len, out.splitlines())), 80)

    def test_several_runs_and_how_many_more(self):
        """The samples of a run are alike, the runs are not."""
        for side, speeds in ("a", (10000, 10400, 9700)), ("b", (10000, 10300, 9800)):
            for number, speed in enumerate(speeds):
                self.files(**{f"{side}{number}": fake.records_of_rounds(READ, speed)})
        status, out, err = self.check("b0 b1 b2 --baseline a0 a1 a2")
        self.assertEqual(status, 125, out + err)
        self.assertRegex(" ".join(out.split()), r"about \d+ more runs of each side would tell")
        self.assertNotIn("One run shows", out)
        status, out, err = self.check("b2 --baseline a1")
        self.assertEqual(status, 125, out + err)
        self.assertIn("One run shows no spread between runs", out)

    def test_help_has_all_statuses(self):
        self.assertIn("\n  125 ", self.memcache("check --help").stdout)
        self.assertNotIn("\n  125 ", self.memcache("compare --help").stdout)
        self.assertIn("check", cli.COMMANDS)


# How the times of runs are distributed: by little, by much, late now and then, in two modes.
SERIES = {
    "5 %": lambda chance: math.exp(chance.gauss(0, 0.05)),
    "20 %": lambda chance: math.exp(chance.gauss(0, 0.2)),
    "late": lambda chance: 1 + 0.05 * chance.paretovariate(1.2),
    "modes": lambda chance: chance.choice((1, 1.5)) * math.exp(chance.gauss(0, 0.01)),
    "rare mode": lambda chance: chance.choice((1, 2, 2)) * math.exp(chance.gauss(0, 0.01)),
}


class Rates(fake.unittest.TestCase):
    """Runs that scatter by 1 %, five a side: how often the verdict is right."""

    def many(self, change, limit=0.05):
        chance = random.Random(20)
        found = []
        for _ in range(200):
            sides = [[estimate.estimate_of_runs([1 / chance.gauss(speed, speed / 100)
                                                 for _ in range(5)])] for speed in (1.0, change)]
            found.append(judge.judge(*sides[0], *sides[1], limit).word)
        return {one: found.count(one) / len(found) for one in Word}

    def test_what_is_told_of_a_change(self):
        """Equal is the same, ten percent slower is found, what is at the limit is rarely told."""
        slower, same, faster = Word.SLOWER, Word.SAME, Word.FASTER
        for change, sure, most in ((1.0, same, {slower: 0, faster: 0}),
                                   (0.9, slower, {same: 0, faster: 0}),
                                   (0.95, None, {slower: 0.05, same: 0.05})):
            rates = self.many(change)
            self.assertTrue(not sure or rates[sure] > 0.95, rates)
            self.assertTrue(all(rates[word] <= share for word, share in most.items()), rates)

    def told(self, series, runs, times):
        """The shares of pairs of so many runs a side that are told right, and wrong. The second
        side takes so many times as long; its loops had not settled."""
        chance = random.Random(runs)
        found = Counter(judge.judge(base, replace(now, doubt=estimate.UNSETTLED)).word
                        for base, now in ([estimate.estimate_of_runs(
                            [scale * SERIES[series](chance) for _ in range(runs)])
                            for scale in (1, times)] for _ in range(600)))
        self.assertEqual(found[Word.SAME], 0)
        return found[Word.SLOWER] / 600, found[Word.FASTER] / 600

    def test_loops_that_had_not_settled(self):
        for series in SERIES:
            for runs in (1, 2, 3, 5, 8):
                with self.subTest(series=series, runs=runs):
                    self.assertLess(sum(self.told(series, runs, 1)), 0.05)
        for series, runs, times, least in (("5 %", 3, 2, 0.99), ("5 %", 5, 1.2, 0.9),
                                           ("20 %", 7, 2, 0.98), ("late", 8, 2, 0.9)):
            with self.subTest(series=series, runs=runs, times=times):
                right, wrong = self.told(series, runs, times)
                self.assertGreater(right, least)
                self.assertEqual(wrong, 0)
