# SPDX-License-Identifier: GPL-2.0-only
"""What stands out: from memcachetest's published figures, from noise, from
machines where memory types are not real."""

import fake
from mc.analysis import findings, verdict
from mc.records import rounds

FORCED = {"wb": "yes", "wc": "no", "uc": "no"}


def measured(speed, about=fake.BARE, effective=fake.YES, spread=0.001, count=5, **more):
    """The suite cache-attributes, at speed(type, test), in so many rounds."""
    return rounds.with_merged_rounds(fake.cache_attributes(
        speed, about, effective, fake.speeds_around(1.0, spread)[:count], cv=0.2, **more))


def found(runs):
    return findings.lines(runs, verdict.judge(runs))


def told(runs):
    """What is said of each rule: of the findings their changes, of others their results."""
    facts = [(one.id, one.facts) for one in found(runs)]
    return {of["what"]: of["changes"] for name, of in facts if name == "finding"} | {
        name: of["pairs"] for name, of in facts if "pairs" in of}


def two(a, b, line_a="op=write fence=none", line_b="op=write fence=sfence", repeat=50,
        spread=0.001, count=5, **more):
    """Two results in so many rounds, the first with these changes."""
    lines = [f"bandwidth {line} repeat={repeat}" for line in (line_a, line_b)]
    return rounds.with_merged_rounds(fake.runs(
        *fake.records_of_rounds(lines[0], *fake.speeds_around(a, spread)[:count], **more),
        *fake.records_of_rounds(lines[1], *fake.speeds_around(b, spread)[:count])))


NO_FENCE, WITH_SFENCE = "op=write fence=none", "op=write fence=sfence"
SFENCE, STREAMING = "sfence against none", "Streaming stores against ordinary ones"


class Pairs(fake.unittest.TestCase):
    def test_what_is_said_of_two_results(self):
        for speeds, lines, more, said in (
                ((91000, 42000), ("op=ntwrite data=zero", "op=ntwrite data=counter"), {},
                 {"Zeros against a counter": ["WB ntwrite 2.2 times as fast"]}),
                ((40000, 50000), ("op=write data=random", "op=write data=counter"), {},
                 {"Random words against a counter": ["WB write 20 % slower"]}),
                ((1000, 29000), ("op=rep_movsb align=1", "op=rep_movsb align=0"), {},
                 {"An odd address against a line's": ["WB rep_movsb 29 times slower"]}),
                ((1000, 1230), ("op=write_prefetchw", "op=write"), {},
                 {"prefetchw for each line against none": ["WB 19 % slower"]}),
                ((44000, 50000), ("op=memcpy", "op=rep_movsb"), {"function_uses": "rep_movsb"},
                 {"The kernel's memcpy against rep_movsb":
                  ["WB 12 % slower (on this CPU it uses rep movsb)"]}),
                ((44000, 50000), ("op=memset", "op=rep_stosb"), {"function_uses": "loop"},
                 {"The kernel's memset against rep_stosb":
                  ["WB 12 % slower (on this CPU it uses a loop)"]}),
                ((60000, 50000), ("op=copy_page", "op=rep_movsb page=4k"), {},
                 {"The kernel's copy_page against rep_movsb":
                  ["WB 20 % faster (what it uses on this CPU is not known)"]}),
                ((42100, 42000), ("op=write data=zero", "op=write data=counter"), {},
                 {"same": ["Zeros against a counter (WB write)"]}),
                ((1000, 1100), (NO_FENCE, WITH_SFENCE), {"spread": 0.1},
                 {"unknown": [f"{SFENCE} (WB write)"]}),
                ((1000, 1100), (NO_FENCE, WITH_SFENCE), {}, {SFENCE: ["WB write 10 % faster"]}),
                # 16 MiB at 1000 MB/s take 16.8 ms; one sample of each round took 100 ms.
                ((1000, 1100), (NO_FENCE, WITH_SFENCE), {"min_ns": 16.7e6, "max_ns": 100e6},
                 {SFENCE: ["WB write 10 % faster"]}),
                ((1000, 1015), (NO_FENCE, WITH_SFENCE), {}, {"same": [f"{SFENCE} (WB write)"]}),
                ((1000, 1000), (NO_FENCE, WITH_SFENCE), {"spread": 0.1},
                 {"unknown": [f"{SFENCE} (WB write)"]}),
                # Wider streaming stores that gain less than their width.
                ((1000, 1400), ("op=write width=8", "op=ntwrite width=16"), {},
                 {STREAMING: ["WB 40 % faster"]}),
                # Only like is compared with like, and only what was measured and is right.
                ((1000, 2000), (NO_FENCE, f"{WITH_SFENCE} size=4K"), {}, {}),
                ((1000, 2000), (NO_FENCE, f"{WITH_SFENCE} cpu=1"), {}, {}),
                ((1000, 2000), (NO_FENCE, WITH_SFENCE), {"verified": "failed"}, {}),
                ((1000, 2000), (NO_FENCE, WITH_SFENCE), {"mb_per_s": None}, {})):
            with self.subTest((speeds, lines, more)):
                runs = two(*speeds, *lines, **more)
                self.assertEqual(told(runs), said)
                self.assertEqual(bool(found(runs)), bool(said))

    def test_why_nobody_can_tell(self):
        *_, count, doubt = found(two(1000, 1100, spread=0.1))
        self.assertEqual((count.id, count.facts["n"], doubt.facts["reason"].id),
                         ("differences", 1, "wide"))
        for repeat in (3, 50):
            *_, doubt = found(two(1000, 2000, repeat=repeat, count=1))
            self.assertEqual((doubt.facts["n"], doubt.facts["reason"].id), (1, "one_run"))


class BothDirections(fake.unittest.TestCase):
    """Streaming stores that are slower than ordinary ones with some settings, and faster with
    others."""

    def test_what_tells_them_apart(self):
        small = [(f"size={kib}K", 80.0, 40.0) for kib in (4, 8, 16, 32, 64)]
        for settings, slower, faster in (
                ((("size=4K", 200.0, 40.0), ("size=64K", 120.0, 40.0), ("size=1M", 100.0, 40.0),
                  ("size=64M", 30.0, 40.0)), "size=4K,64K,1M) 2.5 to 5.0", "size=64M"),
                ((*small, ("size=64M", 30.0, 40.0)), "size=4K to 64K) 2.0", "size=64M"),
                # No range that holds the others.
                ((*small, ("size=24K", 30.0, 40.0)), "size=4K,8K,16K,32K,64K) 2.0", "size=24K"),
                ((("size=4K fence=none", 80.0, 40.0), ("size=8K fence=none", 30.0, 40.0),
                  ("size=4K fence=mfence", 30.0, 40.0), ("size=8K fence=mfence", 80.0, 40.0)),
                 "with some settings) 2.0", "with some settings")):
            with self.subTest(slower):
                runs = fake.runs(*(record for words, *speeds in settings
                                   for op, speed in zip(("write", "ntwrite"), speeds)
                                   for record in fake.records_of_rounds(
                                       f"bandwidth op={op} {words}", *fake.speeds_around(speed))))
                self.assertEqual(told(rounds.with_merged_rounds(runs))[STREAMING], [
                    f"WB ({slower} times slower", f"WB ({faster}) 33 % faster"])


class Published(fake.unittest.TestCase):
    """By hand from published.csv."""
    maxDiff = None

    @staticmethod
    def published(**more):
        speeds = fake.published()
        return found(measured(lambda memory, test: speeds[memory, test], **more))

    def test_all_of_them(self):
        lines = self.published()
        self.assertEqual({one.facts["what"]: one.facts["changes"] for one in lines
                          if one.id == "finding"}, {
            "UC against WB": ["write 51 to 64 times slower", "ntwrite 30 to 44 times slower",
                              "read 138 times slower"],
            "WC against WB": ["write 1.3 to 2.0 times as fast", "ntwrite 3 to 13 % faster",
                              "read 127 times slower"],
            "WC against UC": ["write 64 to 112 times as fast", "ntwrite 34 to 46 times as fast",
                              "read 9 % faster"],
            STREAMING: ["WB 19 to 65 % faster",
                        "UC 2.0 times as fast (as their width: 16 bytes against 8)",
                        "WC (fence=sfence,none) 17 to 19 % slower", "WC (fence=uc) 6 % faster"],
            "UC fence against none": ["WB write 6 % slower", "WB ntwrite 33 % slower",
                                      "WC write 42 % slower", "WC ntwrite 26 % slower"],
            SFENCE: ["WB write 17 % faster", "WC ntwrite 2 % slower"]})
        said, once = fake.said(lines), "Checking once against after each round"
        self.assertEqual([name for name in said if name != "finding"],
                         ["even", "same", "unknown", "differences", "doubt"])
        self.assertEqual(said["even"]["speeds"], ["UC write 227 to 229 MB/s",
                                                  "UC ntwrite 463 to 466 MB/s"])
        self.assertEqual(said["same"]["pairs"], [
            "WC against WB (WC ntwrite)", "UC fence against none (UC write and ntwrite)",
            f"{SFENCE} (UC write and ntwrite; WC write; WB ntwrite)",
            f"{once} (WB ntwrite; UC ntwrite)"])
        self.assertEqual(said["unknown"]["pairs"], ["WC against WB (WC ntwrite)",
                                                    f"{once} (WC ntwrite)"])
        self.assertEqual(said["differences"], {
            "n": 48, "words": "21 faster, 16 slower, 9 same, 2 can't tell"})
        remedy = said["doubt"]["remedy"].facts
        self.assertEqual((remedy["least"], remedy["most"], remedy["some"]), (7, 9, None))

    def test_wide_spread_leaves_the_large_differences_only(self):
        lines = self.published(spread=0.2)
        self.assertEqual(lines[0].facts["changes"][0], "write 51 to 64 times slower")
        self.assertNotIn(SFENCE, [one.facts.get("what") for one in lines])
        self.assertIn(f"{SFENCE} (WB write", str(fake.said(lines)["unknown"]["pairs"]))

    def test_one_round_leaves_what_no_other_run_explains(self):
        """The spread of 50 samples says nothing of another run."""
        first, second, *_, doubt = self.published(count=1)
        self.assertEqual((first.facts["what"], second.facts), (
            "UC against WB", {"what": "WC against WB", "changes": ["read 127 times slower"]}))
        self.assertEqual((doubt.facts["n"], doubt.facts["reason"].id), (32, "one_run"))


class NotReal(fake.unittest.TestCase):
    def speed(self, memory, test):
        return {"wb": 1000.0, "uc": 10.0, "wc": 2000.0}[memory] * (2 if "uc" in test else 1)

    def test_nothing_stands_out_under_emulation_whatever_the_timing_said(self):
        for effective in (fake.NO, fake.YES):
            self.assertEqual(found(measured(self.speed, fake.TCG, effective)), [])

    def test_types_without_effect_are_not_compared(self):
        for effective in (fake.NO, FORCED, dict.fromkeys(fake.YES, "unknown"),
                          {"wb": "yes", "uc": "no", "wc": "partly"}):
            text = " ".join(found(measured(self.speed, fake.KVM, effective)))
            self.assertNotIn("UC", text)
            self.assertNotIn("WC", text)

    def test_nor_when_the_page_tables_say_otherwise(self):
        runs = measured(self.speed, attribute="wb")
        self.assertNotIn("UC against WB", told(runs))
        self.assertIn({"type": "UC", "attribute": "wb"},
                      [one.facts for one in verdict.sentences(verdict.judge(runs))])

    def test_a_uc_fence_says_nothing_where_uc_is_not_real(self):
        runs = two(1000, 2000, "op=write fence=none", "op=write fence=uc")
        for run in runs:
            run.machine["memory_types"]["uc"]["effective"] = "no"
        self.assertEqual(found(runs), [])


class Verdicts(fake.unittest.TestCase):
    @staticmethod
    def said(runs):
        return fake.said(verdict.sentences(verdict.judge(runs)))

    def test_which(self):
        no_effect = {"types_without_effect": {"types": ["UC", "WC"]},
                     "types_same_memory": {"types": ["WB", "UC", "WC"]}}
        for about, effective, wanted in (
                (fake.TCG, fake.NO, {"types_without_effect": {"types": ["WB", "UC", "WC"]},
                                "types_same_memory": {"types": ["WB", "UC", "WC"]},
                                "emulated": {}}),
                (fake.KVM, FORCED, no_effect | {"hypervisor_may_force": {"hypervisor": "kvm"}}),
                *((fake.BARE | {"hypervisor": name}, FORCED,
                   no_effect | {"hypervisor_unknown": {}}) for name in ("", "unknown")),
                (fake.BARE, fake.YES | {"wc": "unknown"}, {"types_unknown": {"types": ["WC"]}}),
                (fake.BARE, fake.YES, {"types_real": {"types": ["WB", "UC", "WC"], "read": True,
                                                 "simulated": False}})):
            runs = measured(lambda *_: 1.0, about, effective)
            self.assertEqual({name: facts | ({"types": sorted(facts["types"], key=[
                "WB", "UC", "WC"].index)} if "types" in facts else {})
                for name, facts in self.said(runs).items()}, wanted, (about, effective))

    def test_an_effect_in_some_results_only(self):
        some, none = (measured(lambda *_: 1.0, fake.BARE, fake.YES | {"uc": known})
                      for known in ("yes", "no"))
        self.assertEqual(self.said([*some, *none]), {"types_in_some": {"types": ["UC"]}})

    def test_an_effect_in_part(self):
        runs = measured(lambda *_: 1.0, fake.BARE, fake.YES | {"wc": "partly"})
        in_part = {"type_in_part": {"type": "WC", "whole": None}}
        self.assertEqual(self.said(runs), in_part)
        for run in runs:
            run.machine["memory_types"]["wc"] |= {
                "effective": "partly",
                "whole_percent": 1.0742, "whole_low_percent": 0.4521, "whole_high_percent": 2.3}
        self.assertEqual(self.said(runs),
                         {"type_in_part": {"type": "WC", "whole": (1.0742, 0.4521, 2.3)}})
        judged = verdict.judge(runs)
        self.assertEqual([judged.is_comparable(name) for name in ("wc", "uc")], [False, True])
        # The share of other memory is not said, nor that of a buffer with its full effect.
        for name, effective in (("gpu", "partly"), (None, "yes")):
            for run in runs:
                run.results = [result | {"memory_object": name} for result in run.results]
                run.machine["memory_types"]["wc"]["effective"] = effective
            self.assertEqual(self.said(runs), in_part)
        # Yes in other results, and then no in some.
        mixed = [*runs, *measured(lambda *_: 1.0)]
        self.assertEqual(self.said(mixed), in_part)
        mixed += measured(lambda *_: 1.0, fake.BARE, fake.YES | {"wc": "no"})
        self.assertEqual(self.said(mixed), {"types_in_some": {"types": ["WC"]}})
