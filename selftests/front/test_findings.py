# SPDX-License-Identifier: GPL-2.0-only
"""What stands out: from memcachetest's published figures, from noise, from
machines where memory types are not real."""

import fake
from mc.analysis import findings, verdict
from mc.records import rounds, suite

YES = {"wb": "yes", "wc": "yes", "uc": "yes"}
NO = {"wb": "no", "wc": "no", "uc": "no"}
FORCED = {"wb": "yes", "wc": "no", "uc": "no"}


def measured(speed, about=fake.BARE, effective=YES, spread=0.001, count=5, **more):
    """The suite cache-attributes, at speed(type, test), in so many rounds."""
    runs = []
    for asked in suite.load("cache-attributes").requests:
        line = asked.line.replace(" type=wb,uc,wc", "")
        for number, factor in enumerate(fake.speeds_around(1.0, spread)[:count]):
            found = [fake.result(f"{line} type={name}", factor * speed(name, asked.label), cv=0.2,
                                 effective=effective[name], **more) for name in ("wb", "uc", "wc")]
            runs += fake.runs(fake.machine(about, effective), fake.request(
                asked.line, 3, label=asked.label, round=number), *found)
    return rounds.with_merged_rounds(runs)


def found(runs):
    return findings.lines(runs, verdict.judge(runs))


def two(a, b, line_a="op=write fence=none", line_b="op=write fence=sfence", repeat=50,
        spread=0.001, count=5, **more):
    """Two results in so many rounds, the first with these changes."""
    lines = [f"bandwidth {line} repeat={repeat}" for line in (line_a, line_b)]
    return rounds.with_merged_rounds(fake.runs(
        *fake.records_of_rounds(lines[0], *fake.speeds_around(a, spread)[:count], **more),
        *fake.records_of_rounds(lines[1], *fake.speeds_around(b, spread)[:count])))


class Data(fake.unittest.TestCase):
    def test_zeros_that_are_written_faster_are_a_finding(self):
        runs = two(91000, 42000, "op=ntwrite data=zero", "op=ntwrite data=counter")
        self.assertEqual(found(runs), ["Zeros against a counter: WB ntwrite 2.2 times as fast.",
                                       "1 difference: 1 faster, 0 slower, 0 same, 0 can't tell."])

    def test_random_words_are_compared_too(self):
        lines = found(two(40000, 50000, "op=write data=random", "op=write data=counter"))
        self.assertEqual(lines[0], "Random words against a counter: WB write 20 % slower.")

    def test_what_is_the_same_is_no_finding(self):
        lines = found(two(42100, 42000, "op=write data=zero", "op=write data=counter"))
        self.assertEqual(lines[0], "The same: Zeros against a counter (WB write).")


class BothDirections(fake.unittest.TestCase):
    """Streaming stores that are slower than ordinary ones with some settings, and faster with
    others."""

    def clauses(self, *settings):
        """The finding for pairs of (settings, speed of write, speed of ntwrite)."""
        lines = [(f"bandwidth op={op} {words}", speed) for words, *speeds in settings
                 for op, speed in zip(("write", "ntwrite"), speeds)]
        said = found(rounds.with_merged_rounds(fake.runs(*(
            record for line, speed in lines
            for record in fake.records_of_rounds(line, *fake.speeds_around(speed))))))
        return said[0].removeprefix("Streaming stores against ordinary ones: ")

    def test_sizes_tell_them_apart(self):
        self.assertEqual(self.clauses(("size=4K", 200.0, 40.0), ("size=64K", 120.0, 40.0),
                                      ("size=1M", 100.0, 40.0), ("size=64M", 30.0, 40.0)),
                         "WB (size=4K,64K,1M) 2.5 to 5.0 times slower, WB (size=64M) 33 % faster.")

    def test_many_sizes_are_a_range(self):
        small = [(f"size={kib}K", 80.0, 40.0) for kib in (4, 8, 16, 32, 64)]
        self.assertEqual(self.clauses(*small, ("size=64M", 30.0, 40.0)),
                         "WB (size=4K to 64K) 2.0 times slower, WB (size=64M) 33 % faster.")

    def test_no_range_that_holds_the_others(self):
        small = [(f"size={kib}K", 80.0, 40.0) for kib in (4, 8, 16, 32, 64)]
        self.assertEqual(self.clauses(*small, ("size=24K", 30.0, 40.0)),
                         "WB (size=4K,8K,16K,32K,64K) 2.0 times slower, "
                         "WB (size=24K) 33 % faster.")

    def test_no_single_key_tells_them_apart(self):
        self.assertEqual(self.clauses(
            ("size=4K fence=none", 80.0, 40.0), ("size=8K fence=none", 30.0, 40.0),
            ("size=4K fence=mfence", 30.0, 40.0), ("size=8K fence=mfence", 80.0, 40.0)),
            "WB (with some settings) 2.0 times slower, WB (with some settings) 33 % faster.")


class Published(fake.unittest.TestCase):
    """By hand from published.csv."""
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        speeds = fake.published()
        cls.lines = found(measured(lambda memory, test: speeds[memory, test]))

    def test_all_of_them(self):
        self.assertEqual(self.lines, [
            "UC against WB: write 51 to 64 times slower, ntwrite 30 to 44 times slower, "
            "read 138 times slower.",
            "WC against WB: write 1.3 to 2.0 times as fast, ntwrite 3 to 13 % faster, "
            "read 127 times slower.",
            "WC against UC: write 64 to 112 times as fast, ntwrite 34 to 46 times as fast, "
            "read 9 % faster.",
            "Streaming stores against ordinary ones: WB 19 to 65 % faster, "
            "UC 2.0 times as fast (as their width: 16 bytes against 8), "
            "WC (fence=sfence,none) 17 to 19 % slower, WC (fence=uc) 6 % faster.",
            "UC fence against none: WB write 6 % slower, WB ntwrite 33 % slower, "
            "WC write 42 % slower, WC ntwrite 26 % slower.",
            "sfence against none: WB write 17 % faster, WC ntwrite 2 % slower.",
            "Even, whatever the fence: UC write 227 to 229 MB/s; UC ntwrite 463 to 466 MB/s.",
            "The same: WC against WB (WC ntwrite); UC fence against none (UC write and ntwrite); "
            "sfence against none (UC write and ntwrite; WC write; WB ntwrite); "
            "Checking once against after each round (WB ntwrite; UC ntwrite).",
            "Can't tell: WC against WB (WC ntwrite); "
            "Checking once against after each round (WC ntwrite).",
            "48 differences: 21 faster, 16 slower, 9 same, 2 can't tell.",
            "Can't tell 2: the interval is too wide; about 7 to 9 more runs of "
            "each side would tell.",
        ])

    def test_wide_spread_leaves_the_large_differences_only(self):
        speeds = fake.published()
        lines = found(measured(lambda memory, test: speeds[memory, test], spread=0.2))
        self.assertIn("UC against WB: write 51 to 64 times slower", lines[0])
        self.assertFalse(any(line.startswith("sfence against none") for line in lines))
        self.assertTrue(any("sfence against none (WB write" in line for line in lines
                            if line.startswith("Can't tell: ")), lines)

    def test_one_round_leaves_what_no_other_run_explains(self):
        """The spread of 50 samples says nothing of another run."""
        speeds = fake.published()
        once = found(measured(lambda memory, test: speeds[memory, test], count=1))
        self.assertEqual(once[:2], [
            "UC against WB: write 51 to 64 times slower, ntwrite 30 to 44 times slower, "
            "read 138 times slower.", "WC against WB: read 127 times slower."])
        self.assertIn("Can't tell 32: one run shows no spread between runs", once[-1])


class Noise(fake.unittest.TestCase):
    def test_a_difference_that_the_spread_explains(self):
        lines = found(two(1000, 1100, spread=0.1))
        self.assertEqual(lines[:2], ["Can't tell: sfence against none (WB write).",
                                     "1 difference: 0 faster, 0 slower, 0 same, 1 can't tell."])
        self.assertRegex(lines[2], r"^Can't tell 1: the interval is too wide; about \d+ more ")

    def test_the_same_difference_with_little_spread(self):
        self.assertEqual(found(two(1000, 1100))[0], "sfence against none: WB write 10 % faster.")

    def test_a_tiny_difference_is_the_same(self):
        self.assertEqual(found(two(1000, 1015))[0], "The same: sfence against none (WB write).")

    def test_equal_speeds_that_scatter_are_not_the_same(self):
        self.assertIn("Can't tell", found(two(1000, 1000, spread=0.1))[0])

    def test_one_interrupted_sample_hides_nothing(self):
        # 16 MiB at 1000 MB/s take 16.8 ms; one sample of each round took 100 ms.
        runs = two(1000, 1100, min_ns=16.7e6, max_ns=100e6)
        self.assertEqual(found(runs)[0], "sfence against none: WB write 10 % faster.")

    def test_one_round(self):
        for repeat in (3, 50):
            lines = found(two(1000, 2000, repeat=repeat, count=1))
            self.assertIn("Can't tell 1: one run shows no spread between runs", lines[-1])


class LikeWithLike(fake.unittest.TestCase):
    def test_results_of_another_size_are_not_compared(self):
        self.assertEqual(found(two(1000, 2000, line_b="op=write fence=sfence size=4K")), [])

    def test_results_on_another_cpu_are_not_compared(self):
        self.assertEqual(found(two(1000, 2000, line_b="op=write fence=sfence cpu=1")), [])

    def test_data_that_failed_are_not_compared(self):
        self.assertEqual(found(two(1000, 2000, verified="failed")), [])

    def test_what_was_not_measured_is_not_compared(self):
        self.assertEqual(found(two(1000, 2000, mb_per_s=None)), [])

    def test_wider_streaming_stores_that_gain_less(self):
        line, *_ = found(two(1000, 1400, "op=write width=8", "op=ntwrite width=16"))
        self.assertEqual(line, "Streaming stores against ordinary ones: WB 40 % faster.")


class NotReal(fake.unittest.TestCase):
    def speed(self, memory, test):
        return {"wb": 1000.0, "uc": 10.0, "wc": 2000.0}[memory] * (2 if "uc" in test else 1)

    def test_nothing_stands_out_under_emulation(self):
        self.assertEqual(found(measured(self.speed, fake.TCG, NO)), [])

    def test_not_even_when_the_timing_said_yes(self):
        self.assertEqual(found(measured(self.speed, fake.TCG, YES)), [])

    def test_types_without_effect_are_not_compared(self):
        for effective in (NO, FORCED, dict.fromkeys(YES, "unknown"),
                          {"wb": "yes", "uc": "no", "wc": "partly"}):
            text = " ".join(found(measured(self.speed, fake.KVM, effective)))
            self.assertNotIn("UC", text)
            self.assertNotIn("WC", text)

    def test_nor_when_the_page_tables_say_otherwise(self):
        runs = measured(self.speed, attribute="wb")
        text = " ".join(found(runs))
        self.assertNotIn("UC against", text)
        self.assertIn("UC was asked for, but the page tables say wb.",
                      verdict.sentences(verdict.judge(runs)))

    def test_a_uc_fence_says_nothing_where_uc_is_not_real(self):
        runs = two(1000, 2000, "op=write fence=none", "op=write fence=uc")
        for run in runs:
            run.machine["memory_types"]["uc"]["effective"] = "no"
        self.assertEqual(found(runs), [])


class Verdicts(fake.unittest.TestCase):
    @staticmethod
    def sentences(runs):
        return " ".join(verdict.sentences(verdict.judge(runs)))

    def said(self, about, effective):
        return self.sentences(measured(lambda *_: 1.0, about, effective))

    def test_emulation(self):
        text = self.said(fake.TCG, NO)
        self.assertIn("MEMORY TYPES HAVE NO EFFECT ON THIS MACHINE", text)
        self.assertIn("The rows WB, UC and WC measure the same memory", text)
        self.assertIn("no time measured here says anything about real hardware", text)

    def test_a_hypervisor_that_forces_wb(self):
        text = self.said(fake.KVM, FORCED)
        self.assertIn("NO EFFECT ON THIS MACHINE: asking for UC or WC changes nothing", text)
        self.assertIn("The rows WB, UC and WC measure the same memory", text)
        self.assertIn("Under a hypervisor (kvm)", text)
        for name in "", "unknown":
            self.assertIn("The hypervisor is not known.",
                          self.said(fake.BARE | {"hypervisor": name}, FORCED))

    def test_unknown(self):
        text = self.said(fake.BARE, YES | {"wc": "unknown"})
        self.assertIn("does not show whether WC had an effect", text)
        self.assertNotIn("real.", text)

    def test_an_effect_in_some_results_only(self):
        some, none = (measured(lambda *_: 1.0, fake.BARE, YES | {"uc": known})
                      for known in ("yes", "no"))
        text = " ".join(verdict.sentences(verdict.judge([*some, *none])))
        self.assertIn("UC had an effect in some results, and none in others", text)
        self.assertNotIn("does not show whether UC", text)

    def test_an_effect_in_part(self):
        runs = measured(lambda *_: 1.0, fake.BARE, YES | {"wc": "partly"})
        self.assertIn("WC has its effect in part only: too few of its bursts leave the CPU whole. "
                      "Do not take these rows", self.sentences(runs))
        for run in runs:
            run.machine["memory_types"]["wc"] |= {
                "effective": "partly",
                "whole_percent": 1.0742, "whole_low_percent": 0.4521, "whole_high_percent": 2.3}
        judged, text = verdict.judge(runs), self.sentences(runs)
        self.assertIn("1.07 % (0.452 to 2.3 %) of its bursts leave the CPU whole", text)
        for wrong in ("does not show", "real.", "in others"):
            self.assertNotIn(wrong, text)
        self.assertFalse(judged.is_comparable("wc"))
        self.assertTrue(judged.is_comparable("uc"))
        # The share of other memory is not said.
        for run in runs:
            run.results = [result | {"memory_object": "gpu"} for result in run.results]
        self.assertIn("only: too few of its bursts", self.sentences(runs))
        for run in runs:
            run.results = [result | {"memory_object": None} for result in run.results]
            run.machine["memory_types"]["wc"]["effective"] = "yes"
        self.assertIn("only: too few of its bursts", self.sentences(runs))
        # Yes in other results, and then no in some.
        mixed = [*runs, *measured(lambda *_: 1.0)]
        self.assertIn("WC has its effect in part only", self.sentences(mixed))
        mixed += measured(lambda *_: 1.0, fake.BARE, YES | {"wc": "no"})
        self.assertIn("WC had an effect in some results, and none in others",
                      self.sentences(mixed))

    def test_real(self):
        self.assertEqual(self.said(fake.BARE, YES), "WB, UC and WC: as asked for, and real.")
