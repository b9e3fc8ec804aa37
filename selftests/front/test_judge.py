# SPDX-License-Identifier: GPL-2.0-only
"""Who is faster in make bench-peers: forms, ratios, intervals, verdicts."""

import sys
import unittest
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/bench"))

import judge


def noise(random, rounds, level=100.0, spread=0.05):
    return [random.gauss(level, level * spread) for _ in range(rounds)]


def mean_only(forms, peers, **more):
    return judge.judge({"mean": forms}, peers, dict.fromkeys(peers, "mean"), **more)


class HeldOut(unittest.TestCase):
    def test_the_other_rounds_choose(self):
        series = {"steady": [10.0, 10.0, 10.0], "lucky": [1.0, 1.0, 99.0]}
        self.assertEqual(judge.chosen_by_others(series), ["lucky", "lucky", "steady"])
        self.assertEqual(judge.held_out(series), [1.0, 1.0, 10.0])

    def test_more_forms_are_no_advantage(self):
        """All forms are equally fast; one side has 20, the other one."""
        random, ratios, naive = Random(1), [], []
        for _ in range(100):
            forms = {str(i): noise(random, 10) for i in range(20)}
            peers = {"peer": noise(random, 10)}
            ratios.append(mean_only(forms, peers).ratio)
            naive.append(judge.median(forms[judge.best(forms)]) / judge.median(peers["peer"]))
        self.assertAlmostEqual(judge.mean(ratios), 1.0, delta=0.01)
        self.assertGreater(judge.mean(naive), 1.02)


class Interval(unittest.TestCase):

    def test_how_often_it_holds_the_truth(self):
        random = Random(5)
        found = [judge.interval(noise(random, 15), random, resamples=300) for _ in range(300)]
        held = sum(low <= 100.0 <= high for low, high in found)
        self.assertGreaterEqual(held, 270)


class Word(unittest.TestCase):
    def test_words(self):
        for bounds, expected in (((1.01, 1.2), "ahead"), ((0.9, 0.99), "behind"),
                                 ((0.99, 1.01), "equal"), ((1.0, 1.1), "equal"),
                                 ((0.9, 1.0), "equal"), (None, "na")):
            self.assertEqual(judge.word(bounds), expected, bounds)


class Judge(unittest.TestCase):
    def test_ahead_and_behind(self):
        random = Random(7)
        slow, fast = noise(random, 10), noise(random, 10, 130.0)
        self.assertEqual(mean_only({"": fast}, {"peer": slow}).word, "ahead")
        self.assertEqual(mean_only({"": slow}, {"peer": fast}).word, "behind")
        self.assertEqual(mean_only({"": slow}, {"peer": fast}, lower_is_better=True).word, "ahead")
        self.assertEqual(mean_only({"": slow}, {"peer": slow}).word, "equal")

    def test_rounds_are_paired(self):
        """Both sides drift alike, so the ratio does not."""
        drift = [100.0, 50.0, 200.0, 80.0, 120.0]
        found = mean_only({"": [1.1 * v for v in drift]}, {"peer": drift})
        self.assertAlmostEqual(found.interval[0], 1.1)
        self.assertAlmostEqual(found.interval[1], 1.1)

    def test_a_mean_compares_with_a_mean(self):
        """Our best samples are ahead of a peer's mean; our means are behind. So the hardest peer
        is not the highest number."""
        own = {"mean": {"": [90.0] * 5}, "best": {"": [110.0] * 5}}
        for what, word in ("mean", "behind"), ("best", "ahead"):
            found = judge.judge(own, {"peer": [100.0] * 5}, {"peer": what})
            self.assertEqual(found.word, word)
        peers = {"mean of": [100.0] * 5, "best of": [105.0] * 5}
        found = judge.judge(own, peers, {"mean of": "mean", "best of": "best"})
        self.assertEqual((found.peer, found.ratio), ("mean of", 0.9))
