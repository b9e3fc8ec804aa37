# SPDX-License-Identifier: GPL-2.0-only
"""memcache check: the verdict on prepared pairs, what it prints, and how often it is right."""

import os
import random
import subprocess

import fake
from mc.analysis import regression
from mc.analysis.regression import Verdict
from mc.commands import cli
from mc.records import rounds

YES = {"wb": "yes", "wc": "yes", "uc": "yes"}
WRITE = "bandwidth op=write size=4K repeat=20"
READ = "bandwidth op=read size=4K repeat=20"


def records(*found, about=fake.BARE, line=READ):
    """A run: a machine, a request and these results."""
    where = found[0]["where"]
    yield fake.machine(about, YES) | {"where": where}
    yield fake.request(line, len(found), where=where)
    yield from found


def verdict(base, now, limit=0.05):
    return regression.judge(base, now, limit)


class Answers(fake.unittest.TestCase):
    """One pair at a time. 20 samples with a coefficient of variation of 1 % make an interval of
    about +-0.8 %."""

    def test_worse_if_the_whole_interval_lies_beyond_the_limit(self):
        base = fake.result(READ, 10000.0)
        self.assertEqual(verdict(base, fake.result(READ, 9000.0)).verdict, Verdict.WORSE)
        self.assertEqual(verdict(base, fake.result(READ, 9000.0), 0.2).verdict, Verdict.NO_WORSE)
        self.assertEqual(verdict(base, fake.result(READ, 10000.0)).verdict, Verdict.NO_WORSE)
        self.assertEqual(verdict(base, fake.result(READ, 20000.0)).verdict, Verdict.NO_WORSE)

    def test_the_limit_is_one_of_speed(self):
        """5 % slower is 0.95 times the speed, so 1 / 0.95 of the time: 5.26 % more."""
        base = fake.result(READ, 10000.0, cv=0.01)
        self.assertEqual(verdict(base, fake.result(READ, 9502.0, cv=0.01)).verdict,
                         Verdict.NO_WORSE)
        self.assertEqual(verdict(base, fake.result(READ, 9498.0, cv=0.01)).verdict, Verdict.WORSE)

    def test_an_interval_that_holds_the_limit(self):
        answer = verdict(fake.result(READ, 10000.0), fake.result(READ, 9510.0))
        self.assertEqual((answer.verdict, answer.why), (Verdict.UNKNOWN,
                                                        "the interval holds the limit"))
        self.assertIsNone(answer.more)      # one run shows nothing of other runs

    def test_too_few_samples(self):
        few = READ.replace("20", "3")
        answer = verdict(fake.result(few, 10000.0), fake.result(few, 5000.0))
        self.assertEqual(answer.verdict, Verdict.UNKNOWN)
        self.assertIn("too few samples", answer.why)

    def test_a_disturbance_is_no_regression(self):
        """The median is slower, the fastest sample is not."""
        base, now = fake.result(READ, 10000.0), fake.result(READ, 9000.0)
        self.assertEqual(verdict(base, now | {"min_ns": base["min_ns"]}).verdict, Verdict.UNKNOWN)


class Command(fake.InDirectory):
    def files(self, **contents):
        for name, found in contents.items():
            self.write(name, b"".join(fake.lines(*found)))

    def memcache(self, words):
        return subprocess.run([fake.FRONT, *words.split()], capture_output=True, text=True,
                              env=os.environ | {"COLUMNS": "80"})

    def check(self, words):
        done = self.memcache(f"check {words}")
        return done.returncode, done.stdout, done.stderr

    def test_exit_statuses(self):
        self.files(base=records(fake.result(READ, 10000.0)),
                   same=records(fake.result(READ, 10000.0)),
                   slow=records(fake.result(READ, 9000.0)),
                   near=records(fake.result(READ, 9510.0)),
                   other=records(fake.result(WRITE, 9000.0)),
                   wrong=records(fake.result(READ, 10000.0, verified="failed")),
                   typed=records(fake.result(READ, 9000.0, effective="no")),
                   emulated=records(fake.result(READ, 9000.0), about=fake.BARE | {
                       "hypervisor": "tcg"}))
        for name, wanted, said in (
                ("same", 0, "1 result: 0 worse, 0 can't be told, 1 no worse"),
                ("slow", 1, "0.90x"), ("slow --fail-over 20%", 0, "baseline less 20 %"),
                ("near", 125, "the interval holds the limit"),
                ("other", 125, "only in the baseline"),
                ("wrong", 1, "data failed verification now"),
                ("typed", 125, "effective=yes in the baseline, no now"),
                ("emulated", 125, "an emulated machine")):
            with self.subTest(name):
                status, out, err = self.check(f"{name} --baseline base")
                self.assertEqual(status, wanted, out + err)
                self.assertIn(said, " ".join(out.split()))

    def test_what_is_wrong(self):
        self.files(base=records(fake.result(READ, 10000.0)),
                   another=records(fake.result(READ, 1.0), about=fake.BARE | {"kernel": "7.0"}))
        for words, said in (("base", "--baseline"), ("base --baseline nosuch", "nosuch"),
                            ("base --baseline base --fail-over 0", "0 is no share"),
                            ("base --baseline base --fail-over x", "x is no share"),
                            ("base --baseline base base", "named twice"),
                            ("base --baseline base another", "their kernel is")):
            with self.subTest(words):
                status, out, err = self.check(words)
                self.assertEqual((status, out), (2, ""), err)
                self.assertIn(said, err)

    def test_the_worst_first_and_both_sides(self):
        user = {"where": "user", "page": "4k", "attribute": None}
        self.files(base=[*records(fake.result(READ, 10000.0), fake.result(WRITE, 10000.0)),
                         *records(fake.result(READ, 10000.0, **user))],
                   now=[*records(fake.result(READ, 9000.0), fake.result(WRITE, 8000.0)),
                        *records(fake.result(READ, 7000.0, **user))])
        status, out, _ = self.check("now --baseline base")
        self.assertEqual(status, 1)
        rows = [line.split("x ↓")[0].split()[-1] for line in out.splitlines() if "x ↓" in line]
        self.assertEqual(rows, ["0.70", "0.80", "0.90"])
        self.assertIn("(user)", out)
        self.assertLessEqual(max(map(len, out.splitlines())), 80)
        self.assertIn("There is one run of a side", out)

    def test_a_side_that_was_not_measured_again(self):
        user = {"where": "user", "page": "4k", "attribute": None}
        self.files(base=[*records(fake.result(READ, 10000.0)),
                         *records(fake.result(READ, 10000.0, **user))],
                   now=records(fake.result(READ, 10000.0)))
        status, out, _ = self.check("now --baseline base")
        self.assertEqual(status, 125)
        self.assertIn("2 results: 0 worse, 1 can't be told, 1 no worse", out)

    def test_several_runs_and_how_many_more(self):
        """The samples of a run are alike, the runs are not."""
        for side, speeds in ("a", (10000, 10400, 9700)), ("b", (10000, 10300, 9800)):
            for number, speed in enumerate(speeds):
                self.files(**{f"{side}{number}": records(fake.result(READ, speed, cv=0.1))})
        status, out, err = self.check("b0 b1 b2 --baseline a0 a1 a2")
        self.assertEqual(status, 125, out + err)
        self.assertRegex(" ".join(out.split()),
                         r"about \d+ more runs of each side would tell")
        self.assertNotIn("There is one run of a side", out)
        # One file of these would have been taken for a regression.
        self.assertEqual(self.check("b2 --baseline a1")[0], 1)

    def test_help_has_all_statuses(self):
        self.assertIn("\n  125 ", self.memcache("check --help").stdout)
        self.assertNotIn("\n  125 ", self.memcache("compare --help").stdout)
        self.assertIn("check", cli.COMMANDS)


class Rates(fake.unittest.TestCase):
    """Runs that scatter by 1 %, five a side: how often the verdict is right."""

    def many(self, change, limit=0.05):
        chance = random.Random(20)
        found = []
        for _ in range(200):
            a, b = ([chance.gauss(speed, speed / 100) for _ in range(5)]
                    for speed in (10000.0, 10000.0 * change))
            base, now = (rounds.merged(
                [run for number, speed in enumerate(side) for run in fake.runs(
                    fake.machine(fake.BARE, YES), fake.request(READ, 1, round=number),
                    fake.result(READ, speed, cv=0.2))])[0].results[0] for side in (a, b))
            found.append(verdict(base, now, limit).verdict)
        return {one: found.count(one) / len(found) for one in Verdict}

    def test_what_is_equal_is_never_worse(self):
        rates = self.many(1.0)
        self.assertEqual(rates[Verdict.WORSE], 0)
        self.assertGreater(rates[Verdict.NO_WORSE], 0.95)

    def test_what_is_ten_percent_slower_is_found(self):
        rates = self.many(0.9)
        self.assertGreater(rates[Verdict.WORSE], 0.95)
        self.assertEqual(rates[Verdict.NO_WORSE], 0)

    def test_what_is_at_the_limit_is_rarely_worse(self):
        self.assertLess(self.many(0.95)[Verdict.WORSE], 0.05)


if __name__ == "__main__":
    fake.unittest.main()
