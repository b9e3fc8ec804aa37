# SPDX-License-Identifier: GPL-2.0-only
"""Equal runs of a busy machine: how often something is said to be different, and how often a
difference that was planted is found. data/README says how they were measured."""

import csv
import json
import os
import random
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from statistics import median, stdev
from unittest import mock

import fake
from mc.analysis import fleet, match
from mc.analysis.judge import Word
from mc.records import results, rounds

DATA = fake.HERE / "data/equal-runs.csv"
TIMES = ("min_ns", "median_ns", "max_ns", "mean_ns", "sd_ns")
DEALS = 30          # random choices of runs
DIFFERENT = 0.05    # of equal pairs are called faster or slower, at most
SLOW = 0.01         # of equal hosts are called slow, at most
FOUND = 0.9         # of slow hosts are found, at least
# Times the speed, the share that is found, the runs of a side, and what these may scatter by.
PLANTED = ((0.9, 0.9, 5, 0.025), (1 / 1.2, 0.9, 3, 0.05), (1 / 1.2, 0.95, 5, 0.05),
           (0.5, 0.99, 3, 0.05), (0.5, 0.99, 5, 0.15), (0.5, 0.98, 3, 1), (0.5, 0.99, 5, 1))


def times(cell):
    """The times of a result: the fastest sample and the median one."""
    fastest, middle = map(float, cell.rstrip("~").split())
    return {"min_ns": fastest, "median_ns": middle, "max_ns": middle, "mean_ns": middle,
            "sd_ns": 0.0, "cv_percent": 0.0, "samples": 7,
            "steady": "no" if cell.endswith("~") else "yes"}


def unpacked(directory):
    """The results files, in this directory."""
    about = json.loads(DATA.with_suffix(".json").read_text())
    measured = {}
    with open(DATA, encoding="utf-8") as file:
        for run, round_, *cells in csv.reader(line for line in file if line[0].isdigit()):
            measured.setdefault(int(run), {})[int(round_)] = [
                template | times(cell) for template, cell in zip(about["results"], cells)]
    for run, of_run in measured.items():
        records = []
        for round_, found in of_run.items():
            for request in about["requests"]:
                mine = [found[number] for number in request["results"]]
                records += [about["machine"], fake.request(
                    request["line"], len(mine), round=round_, where="user"), *mine]
        fake.save(f"{directory}/{run:02}.jsonl", *records)


def name(result):
    return match.describe(result)


def slowed(result, speed):
    """This result at a share of its speed, of a loop that had not settled."""
    made = rounds.Middle(result | {"steady": "no"})
    made |= {key: result[key] / speed for key in TIMES}
    made.medians, made.fastest = (tuple(tuple(one / speed for one in file) for file in of(result))
                                  for of in (rounds.medians, rounds.fastest))
    return made


class Runs(fake.unittest.TestCase):
    """With MEMCACHE_EQUAL_RUNS=DIR the files of that directory are used instead."""
    long = True

    @classmethod
    def setUpClass(cls):
        folder = os.environ.get("MEMCACHE_EQUAL_RUNS")
        if not folder:
            folder = cls.enterClassContext(tempfile.TemporaryDirectory())
            unpacked(folder)
        cls.files = sorted(map(str, Path(folder).glob("*.jsonl")))
        loaded = lru_cache(None)(results.load)
        cls.enterClassContext(mock.patch.object(results, "load", loaded))

    @classmethod
    @lru_cache(None)
    def sides(cls, runs):
        """Random choices of so many runs for each of two sides, as pairings. They are the same
        whenever they are asked for, and nothing changes their results."""
        chance, pairings = random.Random(runs), []
        for _ in range(DEALS):
            chosen = chance.sample(cls.files, 2 * runs)
            [a], [b] = (match.batches({side[0]: rounds.load_together(side)})
                        for side in (chosen[:runs], chosen[runs:]))
            pairings.append(match.pair(a, b, False))
        return pairings

    def spreads(self):
        """The standard deviation of the logarithms of each result over all runs."""
        found = {}
        for file in self.files:
            for run in rounds.load(file):
                for one in run.results:
                    found.setdefault(name(one), []).append(median(
                        time for times in rounds.medians(one) or ((one["median_ns"],),)
                        for time in times))
        return {key: stdev(times) / median(times) for key, times in found.items()}

    @staticmethod
    def shares(found):
        return {word: found[word] / found.total() for word in Word}

    def said(self, title, found):
        print(f"# {title}: " + ", ".join(f"{share:.1%} {word.value}" for word, share in
                                         self.shares(found).items()), file=sys.stderr)

    def test_equal_results_are_rarely_different(self):
        for runs in (1, 2, 3, 5):
            for limit, settled in ((0.02, True), (0.05, True), (0.02, False)):
                with self.subTest(runs=runs, limit=limit, settled=settled):
                    found = Counter(pairing.judge(a, b if settled else slowed(b, 1), limit).word
                                    for pairing in self.sides(runs) for a, b in pairing.pairs)
                    self.said(f"{runs} equal runs a side, limit {limit:.0%}"
                              f"{'' if settled else ', not settled'}", found)
                    shares = self.shares(found)
                    self.assertLessEqual(shares[Word.FASTER] + shares[Word.SLOWER], DIFFERENT)

    def test_what_is_planted_is_found_where_the_spread_allows_it(self):
        spreads = self.spreads()
        for factor, least, runs, most in PLANTED:
            quiet = {key for key, spread in spreads.items() if spread <= most}
            self.assertGreaterEqual(len(quiet), 3)
            for speed, word in ((factor, Word.SLOWER), (1 / factor, Word.FASTER)):
                all_of_them, found = Counter(), Counter()
                for pairing in self.sides(runs):
                    for a, b in pairing.pairs:
                        judged = pairing.judge(a, slowed(b, speed)).word
                        all_of_them[judged] += 1
                        found[judged] += name(a) in quiet
                title = f"{speed:.2f} times the speed, {runs} runs a side"
                self.said(f"{title}, {len(quiet)} results that scatter by {most:.1%}", found)
                self.said(f"{title}, all results", all_of_them)
                self.assertGreaterEqual(self.shares(found)[word], least)

    def test_a_tenfold_difference_is_found_with_one_round(self):
        found, equal = Counter(), Counter()
        chance = random.Random(10)
        for _ in range(DEALS):
            [a], [b] = (match.batches({file: [
                run for run in results.load(file) if run.request.get("round", 1) == 1]})
                for file in chance.sample(self.files, 2))
            pairing = match.pair(a, b, False)
            for one, other in pairing.pairs:
                found[pairing.judge(one, slowed(other, 0.1)).word] += 1
                equal[pairing.judge(one, other).word] += 1
        self.said("ten times slower, one round of each", found)
        self.said("equal, one round of each", equal)
        self.assertGreaterEqual(self.shares(found)[Word.SLOWER], 0.98)
        self.assertGreaterEqual(self.shares(equal)[Word.UNKNOWN], 0.99)

    def test_equal_hosts_are_rarely_slow(self):
        """The runs are dealt out as those of 20 hosts, each measured twice."""
        measured = [fleet.measurement("", file, rounds.load(file)) for file in self.files]
        chance, hosts = random.Random(1), len(self.files) // 2
        for speed in (1.0, 0.8):
            slow = unsure = right = 0
            for _ in range(DEALS):
                chance.shuffle(measured)
                found = fleet.fleet(replace(one, host=str(i % hosts), times={
                    key: time if i % hosts else time / speed for key, time in one.times.items()})
                    for i, one in enumerate(measured))
                names = [host.name for _, host in found.hosts_with_findings(True)]
                right += "0" in names
                slow += len(names) - ("0" in names)
                unsure += len(found.unsure_hosts)
            print(f"# {hosts} equal hosts, one of {speed} times the speed: {right / DEALS:.0%} "
                  f"slow; of the others {slow / DEALS / (hosts - 1):.2%}; can't tell "
                  f"{unsure / DEALS / hosts:.0%}", file=sys.stderr)
            self.assertLessEqual(slow, SLOW * DEALS * (hosts - 1))
            if speed < 1:
                self.assertGreaterEqual(right, FOUND * DEALS)
            else:
                self.assertLessEqual(right, SLOW * DEALS)
