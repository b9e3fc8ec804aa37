# SPDX-License-Identifier: GPL-2.0-only
"""Comparing: partners, refusals, what is noise, files that are none."""

import io
import math
import os
from dataclasses import replace
from pathlib import Path
from unittest import mock

import fake
from mc.analysis import estimate, judge, match
from mc.analysis.estimate import Estimate
from mc.analysis.judge import Word
from mc.commands import cli, compare
from mc.output import comparison, terminal
from mc.parts import Grid, Heading
from mc.records import rounds


def records_of(*wanted):
    """The records of each line, or (line, changes), measured in five rounds."""
    records = []
    for line, more in (one if isinstance(one, tuple) else (one, {}) for one in wanted):
        keys = {key: value for key, value in more.items() if key not in ("speed", "rounds")}
        speeds = fake.speeds_around(more.get("speed", 1000.0))[:more.get("rounds", 5)]
        records += fake.records_of_rounds(line, *speeds, **keys)
    return records


def files(**contents):
    """Results files: each `name=[line or (line, changes)]`."""
    return {name: fake.runs(*records_of(*wanted)) for name, wanted in contents.items()}


def pairings(mixed=False, **contents):
    found = match.plan(match.comparable_batches({name: rounds.with_merged_rounds(runs)
                                                 for name, runs in files(**contents).items()}))
    return [match.pair(a, b, mixed) for a, b in found]


USER = {"where": "user", "page": "4k", "attribute": None}


class Partners(fake.unittest.TestCase):
    def test_who_is_compared_with_whom(self):
        """Contents of two files: how many pairs, which keys may differ, whether records are left
        without a partner."""
        gpu, pages = ([("bandwidth", {"memory_object": name})] for name in ("cuda:wc:0", "hugetlb"))
        none = [("bandwidth", {"memory_object": None})]
        for a, b, pairs, free, alone in (
                # Memory of different objects is not the same; the only kind of each is compared.
                (gpu + none, pages + none, 1, {}, True),
                (gpu, pages, 1, {"memory_object": ("cuda:wc:0", "hugetlb")}, False),
                (["bandwidth size=4K", "bandwidth size=8K"],
                 ["bandwidth size=8K", "bandwidth size=16K"], 1, {}, True),
                (["bandwidth width=32"], ["bandwidth width=64"], 0, {}, True),
                # How often is not what.
                (["bandwidth repeat=10"], ["bandwidth repeat=50"], 1, {}, False),
                # What each side has one value of is compared; of two values, matched.
                *(([f"bandwidth {key}={one}"], [f"bandwidth {key}={other}"], 1,
                   {key: (one, other)}, False)
                  for key, one, other in (("irq", "on", "off"), ("cpu", "0", "any"),
                                          ("page", "direct", "4k"))),
                (["bandwidth irq=on", "bandwidth irq=off"], ["bandwidth irq=off"], 1, {}, True),
                # Kernel of one file and user of another.
                (["bandwidth"], [("bandwidth", USER)], 1, {"page": ("direct", "4k")}, False)):
            with self.subTest((a, b)):
                [found] = pairings(a=a, b=b)
                self.assertEqual((len(found.pairs), found.free, any(found.alone.values())),
                                 (pairs, free, alone))
                for one, other in found.pairs:
                    self.assertEqual({key for key in ("irq", "cpu", "page", "memory_object",
                                                      "size_bytes", "width_bytes")
                                      if one.get(key) != other.get(key)}, {*free})

    def test_who_is_alone_is_said_with_the_nearest(self):
        [found] = pairings(a=["bandwidth size=4K", "bandwidth size=8K"],
                           b=["bandwidth size=8K", "bandwidth size=16K"])
        self.assertEqual(len(found.alone["A"]), 1)
        self.assertIn("size=4K", found.alone["A"][0])
        self.assertIn("size=16K", found.alone["B"][0])
        [found] = pairings(a=["bandwidth width=32"], b=["bandwidth width=64"])
        self.assertTrue(found.alone["A"][0].endswith("(B has width=64)"), found.alone)
        self.assertTrue(found.alone["B"][0].endswith("(A has width=32)"), found.alone)

    def test_sides_and_files(self):
        one, both = ["bandwidth"], ["bandwidth", ("bandwidth", USER)]
        for contents, wanted in (
                ({"a": both}, ["a, kernel a, user"]),
                ({"a": both, "b": both}, ["a, kernel a, user", "b, kernel b, user",
                                          "a, kernel b, kernel", "a, user b, user"]),
                ({"a": one, "b": one, "c": one}, ["a, kernel b, kernel", "a, kernel c, kernel"])):
            found = pairings(**contents)
            self.assertEqual([f"{p.a.name} {p.b.name}" for p in found], wanted)
            self.assertEqual({len(p.pairs) for p in found}, {1})
        fake.refused(self, "nothing to compare", pairings, a=one)


class Refusals(fake.unittest.TestCase):
    def test_what_is_refused_unless_mixed(self):
        for line, change, said in (
                ("bandwidth type=uc", {"effective": "no"}, "effective=yes in A, no in B"),
                ("bandwidth type=uc", {"effective": "partly"}, "effective=yes in A, partly in B"),
                ("bandwidth type=uc", {"attribute": "wb"}, "page tables say uc- in A, wb in B"),
                ("bandwidth", {"memory_node": 1}, ": memory of node 0 in A, of node 1 in B"),
                *(("bandwidth prefetch=off", {"prefetch": state},
                   f"prefetch=off in A, {state} in B") for state in ("ineffective", "keep")),
                # User space can't read page tables; a node may not be known.
                ("bandwidth", {"attribute": None}, ""), ("bandwidth", {"memory_node": None}, "")):
            for mixed in False, True:
                with self.subTest((change, mixed)):
                    [found] = pairings(mixed, a=[line], b=[(line, change)])
                    refused = bool(said) and not mixed
                    self.assertEqual((len(found.pairs), len(found.refused), found.alone),
                                     (not refused, refused, {"A": [], "B": []}))
                    self.assertTrue(all(one.endswith(said) for one in found.refused))
        # Failed data are refused, whatever is asked.
        [found] = pairings(True, a=["bandwidth"], b=[("bandwidth", {"verified": "failed"})])
        self.assertIn("failed verification in B", found.refused[0])

    def test_of_several_partners_the_one_that_is_alike(self):
        """Its memory is of the same node, and its prefetchers have the same state."""
        nodes = [("bandwidth", {"memory_node": node}) for node in (0, 1)]
        states = ["bandwidth prefetch=off", "bandwidth prefetch=keep"]
        for key, both in ("memory_node", nodes), ("prefetch", states):
            [found] = pairings(a=both, b=both[::-1])
            self.assertEqual([a[key] == b[key] for a, b in found.pairs], [True] * 2)

    def test_each_with_memory_of_its_own_node(self):
        both = files(a=["bandwidth cpu=0"], b=[("bandwidth cpu=1", {"memory_node": 1})])
        for runs in both.values():
            for run in runs:
                run.machine["nodes"] = [{"node": n, "cpus": str(n), "memory_bytes": 1 << 30}
                                        for n in (0, 1)]
        [found] = [match.pair(a, b, False) for a, b in match.plan(match.comparable_batches({
            name: rounds.with_merged_rounds(runs) for name, runs in both.items()}))]
        self.assertEqual((len(found.pairs), found.refused), (1, []))


def time(middle, sd=0.0, runs=10, fastest=None):
    """A time whose runs have this standard deviation."""
    return Estimate(middle, fastest or middle, runs, (sd / middle) ** 2 / runs, runs - 1)


class Tables(fake.unittest.TestCase):
    def test_a_test_has_a_table_of_its_own_keys(self):
        def parts(own_loop):
            records = [fake.result(line, 9000.0, own_loop=own_loop) for line in lines]
            runs = {name: fake.runs_of(fake.BARE, (lines[0], records), ("latency", [
                fake.figure("latency", {"pattern": "random"}, {"ns_per_load": 1.0})]))
                    for name in "ab"}
            return comparison.parts(runs)[0]

        lines = ["bandwidth op=read size=4K", "bandwidth op=write size=4K"]
        names = ["A", "B", "speed", "95 % interval"]
        self.assertEqual([part.text for part in parts(None) if isinstance(part, Heading)],
                         ["bandwidth", "latency"])
        self.assertEqual([part.names for part in parts(None) if isinstance(part, Grid)],
                         [["op", *names], ["test", *names]])
        self.assertNotIn("own_loop", str(parts(None)))
        self.assertIn("own_loop=x, 12ab34cd", str(parts("x, 12ab34cd")))


class Intervals(fake.unittest.TestCase):
    def test_less_time_is_positive(self):
        faster, slower = judge.judge(time(200), time(150)), judge.judge(time(2), time(3))
        self.assertEqual((round(faster.percent, 9), faster.mark), (25, "↑"))
        self.assertEqual((round(slower.percent, 9), slower.mark), (-50, "↓"))

    def test_by_hand(self):
        # sd/mean are 0.05 and 0.04, n is 10: v = 0.00025 and 0.00016, df = 9 (4.1)^2 / (2.5^2 +
        # 1.6^2) = 17.17; t(17) = 2.110; half = 2.110 sqrt(0.00041) = 0.04272
        found = judge.judge(time(100, 5), time(80, 3.2))
        self.assertAlmostEqual(found.low, 100 * (1 - 0.8 * math.exp(0.04272)), 2)
        self.assertAlmostEqual(found.high, 100 * (1 - 0.8 * math.exp(-0.04272)), 2)
        self.assertEqual(found.mark, "↑")

    def test_quantiles_of_students_t(self):
        for freedom, wanted in ((1, 12.706), (9, 2.262), (17.9, 2.110), (30, 2.042), (40, 2.021),
                                (60, 2.000), (120, 1.980), (math.inf, 1.960)):
            self.assertAlmostEqual(judge.t975(freedom), wanted, delta=0.0012)

    def test_a_wide_interval_is_never_the_same(self):
        """Equal medians, and a spread that could hide a large difference."""
        found = judge.judge(time(100, 20), time(100, 20))
        self.assertEqual((found.word, found.mark), (Word.UNKNOWN, "?"))
        self.assertIsNone(found.more)       # more than anybody measures
        self.assertEqual(judge.judge(time(100, 1), time(100, 1)).word, Word.SAME)

    def test_the_runs_that_it_asks_for_tell(self):
        found = judge.judge(time(100, 5, 4), time(110, 5, 4))
        self.assertEqual(found.word, Word.UNKNOWN)
        runs = 4 + (found.more or 0)
        self.assertEqual(judge.judge(time(100, 5, runs), time(110, 5, runs)).word, Word.SLOWER)
        # A side in doubt is never called the same; it may be called slower.
        for doubt, other, why in (("", 100, judge.WIDE), ("no", 100, "no"),
                                  ("no", 103, judge.WIDE)):
            found = judge.judge(replace(time(100, 2, 4), doubt=doubt), time(other, 2, 4))
            self.assertEqual((found.why, bool(found.more)), (why, why == judge.WIDE))

    def test_medians_that_move_alone(self):
        for fastest in (101, 99):
            found = judge.judge(time(150, 1, fastest=100), time(100, 1, fastest=fastest))
            self.assertGreater(found.low, 2)
            self.assertEqual((found.mark, found.why, found.more), ("?", judge.MEDIANS_ALONE, None))
            self.assertIn("machine is quiet", str(judge.doubts([found])[0]))

    def test_what_each_rule_decides(self):
        """Times of runs and the fastest sample of each side. Without any of the rules, some row
        would have another mark."""
        for base, base_fastest, other, fastest, settled, mark in (
                ([100], [80], [300], [300], True, "?"),     # three times, but not by the limit, too
                ([419], [414], [122], [82], True, "↑"),
                ([419], [300], [122], [82], True, "?"),
                ([122], [82], [419], [300], True, "?"),
                ([90, 100, 111], [90], [110, *[125] * 11], [100], True, "?"),   # three runs scatter
                ([110, 110, 110], [90], [101, 105, 109], [81], True, "?"),
                ([100, 100, 101], [90], [124, 133, 134], [84], True, "?"),
                ([133, 134, 138], [90], [101, 101, 122], [81], True, "?"),
                ([133, 134, 138], [93], [101, 101, 122], [81], True, "↑"),
                ([100, 130, 135], [90, 110, 130], [140, 200, 260], [120, 160, 220], True, "?"),
                ([100, 101, 102, 135], [90, 91, 92, 125], [130, 132, 140, 141],
                 [120, 121, 140, 141], True, "?"),
                ([*range(100, 106)], [99], [*range(130, 135), 420], [115], True, "↓"),
                ([100, 150, 190], [90, 91, 92], [140, 200, 250], [110, 111, 112], True, "↓"),
                ([100, 150, 190], [90, 91, 92], [140, 200, 250], [110, 130, 190], True, "?"),
                ([100, 100, 100, 100, 400], [90], [140] * 5, [125], True, "↓"),
                ([101, 102, 106, 115, 116], [96], [110, 115, 121, 121, 123], [100], True, "?"),
                ([100, 101, 99], [90], [150, 160, 140], [60], True, "?"),   # faster only at best
                ([100, 120, 99, 105, 112], [90], [103, 125, 104, 107, 119], [70], True, "?"),
                ([100, 100], [100], [110, 110], [110], True, "↓"),
                ([100, 100], [100], [110, 110], [110], False, "?"),
                ([100, 100, 100], [95], [100, 100, 100], [100], False, "?")):
            for doubts in [("", "")] if settled else (("", "no"), ("no", "")):
                with self.subTest(base=base, other=other, doubts=doubts):
                    found = judge.judge(*(
                        replace(estimate.estimate_of_runs(times), doubt=doubt, fastest=min(least),
                                all_times=(times, (least * len(times))[:len(times)]))
                        for times, least, doubt in zip((base, other), (base_fastest, fastest),
                                                       doubts)))
                    self.assertEqual((found.mark, found.no_slower), (mark, mark == "↑"))

    def test_a_mean_of_times(self):
        found = estimate.average([time(100, 3, 9), time(200, 4, 16)])
        self.assertEqual((found.time, found.fastest, found.runs), (150, 150, 9))
        self.assertAlmostEqual(found.variance * 150 ** 2, (1 + 1) / 4)
        self.assertAlmostEqual(found.freedom, 4 / (1 / 8 + 1 / 15))

    def test_one_run_of_a_side(self):
        few = estimate.median_time(fake.result("bandwidth repeat=4", 1000.0))
        for times, mark in ((1, "?"), (2, "?"), (0.4, "?"), (10, "↓"), (0.1, "↑")):
            now = Estimate(times * few.time, times * few.fastest)
            found = judge.judge(few, now)
            self.assertEqual((found.interval, found.mark, found.no_slower),
                             ("na", mark, times == 0.1))
            both = estimate.average([few, few])
            self.assertEqual(judge.judge(both, now).mark, mark)

    def test_a_record_is_its_median(self):
        found = estimate.median_time(
            fake.result("bandwidth size=4K", 204.8, 3.0) | {"mean_ns": 2.5e4})
        self.assertEqual((found.time, found.fastest, found.variance), (2e4, 2e4 * 0.94, None))

    def test_a_simulated_machine_needs_one_run(self):
        # n is 10, sd 3 % of the median. The variance of a median is pi/2 times that of a mean.
        found = estimate.median_time(fake.result("bandwidth size=4K", 204.8, 3.0), exact=True)
        self.assertAlmostEqual(found.variance, math.pi / 2 * 0.03 ** 2 / 10)
        self.assertEqual(found.freedom, 9)

    def test_what_differs_between_rounds_and_files(self):
        def seen(*files):
            runs = []
            for file, medians in enumerate(files):
                for number, ns in enumerate(medians):
                    runs += fake.runs(fake.machine(), fake.request(
                        "bandwidth", 1, round=number), fake.result(
                        "bandwidth", 1000.0 * (16 << 20) / ns, 0.1))
                    runs[-1].request["file"] = file
            [run] = rounds.with_merged_rounds(runs)
            return estimate.median_time(run.results[0])

        e = math.e
        # Logarithms of 1, 2 and 3: sd 1. Rounds of one file have half as much in common.
        one = seen((e, e ** 2, e ** 3))
        self.assertAlmostEqual(one.variance, math.pi / 2 * (1 / 3 + 1 / 2))
        self.assertEqual((one.runs, one.freedom, one.variance_of_mean), (1, 2, 1 / 3 + 1 / 2))
        self.assertAlmostEqual(one.all_times[1][2] / one.all_times[0][2], 0.998)
        self.assertEqual([judge.judge(*sides).mark for sides in (
            (seen((90, 88, 98)), seen((110, 111, 125))),
            (seen((90,), (88,), (98,)), seen((110,), (111,), (125,))))], ["?", "↓"])
        two = seen((e, e ** 2, e ** 3), (e, e ** 2, e ** 3))
        self.assertAlmostEqual(two.variance, one.variance / 2)
        self.assertEqual((two.runs, two.freedom, two.variance_of_mean), (2, 4, 1 / 6 + 1 / 4))
        # Three files: only what files differ by counts.
        three = seen(*((ns / 2, ns, ns * 3) for ns in (e, e ** 2, e ** 3)))
        self.assertAlmostEqual(three.variance, math.pi / 2 / 3)
        self.assertEqual((three.runs, three.freedom, three.variance_of_mean), (3, 2, 1 / 3))
        self.assertAlmostEqual(seen((e,), (e ** 2,)).variance, math.pi / 2 / 2 / 2)

    def test_a_spread_beyond_all_bounds(self):
        found = judge.judge(time(1e-3, 1e6), time(2e-3, 1e-3))
        self.assertEqual((found.mark, found.interval, found.speeds),
                         ("?", "below -1000 to +100.00", "too wide"))

    def test_times_of_which_a_float_does_not_hold_the_ratio(self):
        for least, most in ((time(1e-300), time(1e300)),
                            (Estimate(1e-300, 1e-300), Estimate(1e300, 1e300)),
                            (Estimate(1e-300, 1e-300, all_times=((1e-300,) * 3,) * 2),
                             Estimate(1e300, 1e300, all_times=((1e300,) * 3,) * 2))):
            marks = [judge.judge(*two).factor[-1] for two in ((least, most), (most, least))]
            self.assertEqual(marks, ["↓", "↑"])


class Command(fake.InDirectory):
    def save(self, name, *wanted):
        return fake.save(name, *records_of(*wanted))

    def test_a_key_that_came_later_counts_as_its_default(self):
        self.save("new", "bandwidth data=counter", "bandwidth data=zero")
        self.save("old", "bandwidth")
        with open("old", encoding="utf-8") as file:
            text = file.read().replace('"data":"counter",', "")
        self.assertNotIn('"data"', text)
        with open("old", "w", encoding="utf-8") as file:
            file.write(text)
        lines, status = compare.compare(["old", "new"])
        self.assertEqual(status, 0)
        self.assertIn("1 compared", "\n".join(lines))

    def test_what_is_printed(self):
        self.save("a", *(f"bandwidth size={s}" for s in ("4K", "8K", "1M")))
        self.save("b", ("bandwidth size=4K", {"speed": 1250.0}), ("bandwidth size=8K", {
            "speed": 1005.0}), "bandwidth size=2M")
        lines, status = compare.compare(["a", "b"])
        self.assertEqual(status, 0)
        self.assertRegex("\n".join(lines), r"4K +1000\.0 MB/s +1250\.0 MB/s +1\.25x "
                         r"+\+25\.0 % ↑ +1\.2\d\dx to 1\.2\d\dx")
        self.assertRegex("\n".join(lines), r"8K .* 1\.0[01]x +\+0\.5 % = ")
        self.assertIn("2 compared: 1 faster, 0 slower, 1 same, 0 can't tell.", lines)
        self.assertIn("Without a partner, in A only: 1", lines)
        self.assertLessEqual(max(map(len, lines)), 100)

    def test_a_file_against_its_own_copy(self):
        for repeat in (1, 2, 4, 10):
            wanted = [f"bandwidth size={s} repeat={repeat}" for s in ("4K", "8K", "1M")]
            lines, _ = compare.compare([self.save("a", *wanted), self.save("b", *wanted)])
            text = "\n".join(lines[:lines.index("") + 99]).partition("speed: how fast")[0]
            self.assertNotRegex(text, "[↑↓]")
            self.assertIn("3 compared: 0 faster, 0 slower, 3 same, 0 can't tell.", lines)

    def test_a_change_reads_in_one_way_only(self):
        """At 40 % of the speed a pass takes 2.5 times as long: never -150 %."""
        self.save("a", "bandwidth")
        self.save("b", ("bandwidth", {"speed": 400.0}))
        text = "\n".join(compare.compare(["a", "b"])[0])
        self.assertRegex(text, r"1000\.0 MB/s +400\.0 MB/s +0\.40x +-60\.0 % ↓ +0\.\d+x to 0\.\d+x")
        self.assertNotIn("150", text)
        self.assertNotRegex(text, r"\d (us|ms)\b")

    def test_a_column_for_each_file(self):
        speeds = {"a": 1000.0, "b": 400.0, "c": 1010.0, "d": 1250.0}
        for name, speed in speeds.items():
            self.save(name, *((f"bandwidth size={size}", {"speed": speed})
                              for size in ("4K", "8K") if (name, size) != ("c", "8K")))
        lines, status = compare.compare(list(speeds))
        head = next(i for i, line in enumerate(lines) if line.startswith("size"))
        self.assertEqual(lines[head].split()[:5], ["size", *"ABCD"])
        self.assertEqual(lines[head + 1].split(), (
            "4K 1000.0 MB/s 400.0 MB/s 1010.0 MB/s 1250.0 MB/s 0.40x ↓ 1.01x = 1.25x ↑").split())
        self.assertEqual(lines[head + 2].split(), (
            "8K 1000.0 MB/s 400.0 MB/s - 1250.0 MB/s 0.40x ↓ - 1.25x ↑").split())
        self.assertEqual(status, 0)
        self.assertIn("5 compared: 2 faster, 2 slower, 1 same, 0 can't tell.", lines)
        self.assertIn("Without a partner with C, in A only: 1", lines)
        self.assertEqual([line[:6] for line in lines if line[1:3] == "  "],
                         ["A  a, k"[:6], "B  b, ", "C  c, ", "D  d, "])

    def test_settings_are_told_where_they_are_not_the_usual(self):
        for name in ("a", "b"):
            self.save(name, "bandwidth size=4K irq=off", "bandwidth size=8K irq=off")
        said = [" ".join(compare.compare(["a", "b"], wide=wide)[0]) for wide in (False, True)]
        self.assertRegex(said[0], r"With: [^.]*irq=off")
        self.assertNotRegex(said[0], "node=|All with")
        self.assertRegex(said[1], r"All with: test=bandwidth op=read .*node=auto")

    def test_colours_are_for_terminals_that_want_them(self):
        self.assertEqual(terminal.colour_changes("4K  0.40x  -60.0 % ↓  0.39x"),
                         "4K  \033[31m0.40x  -60.0 % ↓\033[0m  0.39x")
        self.assertEqual(terminal.colour_changes("1.25x ↑"), "\033[32m1.25x ↑\033[0m")
        self.assertEqual(terminal.colour_changes("1.25x ?"), "1.25x ?")
        self.save("a", "bandwidth")
        self.save("b", ("bandwidth", {"speed": 400.0}))
        for tty, more, wanted in ((True, {"TERM": "xterm"}, True),
                                  (False, {"TERM": "xterm"}, False),
                                  (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
                                  (True, {"TERM": "dumb"}, False)):
            with mock.patch.dict(os.environ, more), mock.patch("sys.stdout", io.StringIO()) as out:
                if "NO_COLOR" not in more:
                    os.environ.pop("NO_COLOR", None)
                out.isatty = lambda tty=tty: tty
                self.assertEqual(cli.main(["compare", "a", "b"]), 0)
                self.assertEqual("\033[31m0.40x" in out.getvalue(), wanted, (tty, more))

    def test_emulation_shows_nothing(self):
        self.save("a", "bandwidth")
        self.save("b", ("bandwidth", {"speed": 70.0}))
        for name in ("a", "b"):
            self.write(name, Path(name).read_bytes().replace(
                b'"hypervisor":null', b'"hypervisor":"tcg"'))
            lines, _ = compare.compare(["a", "b"])
            self.assertRegex("\n".join(lines), r"0\.07x +-93\.0 % \? +na")
            self.assertIn("1 compared: 0 faster, 0 slower, 0 same, 1 can't tell.", lines)
            self.assertIn("Can't tell 1: an emulated machine has no speed of its own: measure on "
                          "a real one.", lines)

    def test_user_mode_linux_is_said(self):
        self.save("a", "bandwidth", ("bandwidth", USER))
        self.assertNotIn("User-Mode Linux", "\n".join(compare.compare(["a"])[0]))
        self.write("a", Path("a").read_bytes().replace(b'"hypervisor":null', b'"hypervisor":"uml"'))
        text = "\n".join(compare.compare(["a"])[0])
        self.assertEqual(text.count("User-Mode Linux: its kernel is a process of another"), 1)

    def test_refused_records_are_a_status(self):
        self.save("a", "bandwidth type=uc", "bandwidth")
        self.save("b", ("bandwidth type=uc", {"effective": "no"}), "bandwidth")
        lines, status = compare.compare(["a", "b"])
        self.assertEqual(status, 1)
        self.assertIn("Not compared: 1", lines)
        self.assertTrue(any("--mixed-verdicts" in line for line in lines))
        self.assertEqual(compare.compare(["a", "b"], True)[1], 0)
        # No option helps against wrong data, whatever keys the record has.
        self.save("b", "bandwidth type=uc", ("bandwidth", {"verified": "failed"}))
        lines, status = compare.compare(["a", "b"])
        self.assertEqual(status, 1)
        self.assertFalse(any("--mixed-verdicts" in line for line in lines), lines)

    def test_nothing_in_common(self):
        self.save("a", "bandwidth op=read size=4K")
        self.save("b", "bandwidth op=write size=8K")
        lines, status = compare.compare(["a", "b"])
        self.assertEqual(status, 1)
        self.assertIn("Nothing in them can be compared.", lines)

    def test_bad_files(self):
        good = self.save("good", ("bandwidth", {"rounds": 1}))
        with open(good, "rb") as file:
            data = file.read()
        for content, said in ((b"", ":1: empty"), (b"x\n", ":1: not JSON"),
                              (data[:-5], ":3: cut short"),
                              (b"\n".join(data.splitlines()[:2]) + b"\n", ":3: cut short: 1 more"),
                              (data.replace(b'"schema":1', b'"schema":2'), ":1: schema 2 is newer"),
                              (data + data.replace(b"Xeon", b"Atom"), ":4: mixed: cpu is")):
            fake.refused(self, f"^bad{said}", compare.compare, [good, self.write("bad", content)])

    def test_words_that_make_no_sense(self):
        self.save("a", "bandwidth")
        self.write("b.csv", b"machine,mode,op,setting,total_time\n")
        for words, said in ((["a", "a"], "named twice"), (["a", "b.csv"], "by themselves"),
                            (["a", "none"], "none: No such file"), (["a"], "nothing to compare")):
            fake.refused(self, said, compare.compare, words)


class Hierarchy(fake.unittest.TestCase):
    """Tests whose records say more than what was asked."""

    @staticmethod
    def c2c(pairs, where, ns):
        return [fake.figure("c2c", {"state": "hitm", "home": "writer", "cpu": "0-2"},
                            {"writer_cpu": a, "reader_cpu": b, "siblings": "no",
                             "ns_per_line": ns, "lines": 1000},
                            where=where, mean_ns=1000.0 * (ns + a), median_ns=1000.0 * (ns + a),
                            min_ns=1000.0 * (ns + a), max_ns=1000.0 * (ns + a), sd_ns=1000.0)
                for a, b in pairs]

    def compared(self, *found):
        runs = [run for results in found for run in fake.runs_of(
            fake.BARE, (results[0]["test"], results), where=results[0]["where"])]
        [pairing] = [match.pair(a, b, False) for a, b in
                     match.plan(match.comparable_batches({"f": runs}))]
        return pairing

    def test_a_pair_of_cpus_is_compared_with_itself(self):
        found = self.compared(self.c2c([(0, 1), (1, 0), (2, 1)], "kernel", 100.0),
                              self.c2c([(2, 1), (1, 0)], "user", 500.0))
        self.assertEqual([(a["writer_cpu"], b["writer_cpu"]) for a, b in found.pairs],
                         [(1, 1), (2, 2)])
        self.assertRegex(found.alone["A"][0], "^c2c .*writer_cpu=0 reader_cpu=1")
        shown = "\n".join(fake.terminal_lines(comparison._tables({"B": found}, False)))
        self.assertRegex(shown, r"1 +0 +100.0 ns +500.0 ns +0.20x +-79.8 % ↓")

    def test_a_load_is_what_a_latency_is_of(self):
        kernel = fake.figure("latency", {"pattern": "random", "stride_bytes": 64},
                             {"ns_per_load": 5.0, "loads_per_pass": 1000},
                             mean_ns=5000.0, median_ns=5000.0, min_ns=5000.0, sd_ns=10.0)
        user = kernel | {"where": "user", "mean_ns": 5500.0, "median_ns": 5500.0,
                         "min_ns": 5500.0, "attribute": None}
        found = self.compared([kernel], [user])
        [(a, b)] = found.pairs
        self.assertEqual(round(found.judge(a, b).percent, 3), -10.0)
        self.assertEqual(estimate.median_time(kernel).time, 5.0)
        self.assertEqual(estimate.median_time(kernel).fastest, 5.0)
