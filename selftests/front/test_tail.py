# SPDX-License-Identifier: GPL-2.0-only
"""The causes of slow accesses: the table of a report, its pictures, and files with mistakes."""

import fake
from mc import Failure
from mc.analysis import causes, refresh, spread
from mc.output import charts

UNKNOWN = {"count": None, "excess_ns": None, "longest_ns": None}


def tail(op="read", refresh=90, **more):
    """A result whose spikes are of the refresh, of one interrupt, and of nobody knows what."""
    own = {"causes": [
        {"cause": "smi"} | UNKNOWN,
        {"cause": "interrupt", "count": 1, "excess_ns": 5000.0, "longest_ns": 5100.0},
        {"cause": "steal", "count": 0, "excess_ns": 0.0, "longest_ns": None},
        {"cause": "refresh", "count": refresh, "excess_ns": 300.0 * refresh, "longest_ns": 450.5},
        {"cause": "walk"} | UNKNOWN,
        {"cause": "unknown", "count": 2, "excess_ns": 1000.0, "longest_ns": 700.0}],
        "worst": [[2e6, 5100.0, "interrupt"], [1e6, 700.0, "unknown"]],
        "spikes": [[2e6, 5100.0, "interrupt"], [1e6, 700.0, "unknown"], [3e6, 450.5, "refresh"]]}
    return fake.figure("tail", {"op": op, "count": 1000}, {
        "ns_per_access": 100.0, "p99_ns_per_access": 400.0, "p99_9_ns_per_access": 450.0,
        "tail": own, "histogram_ns_count": [[98.0, 900], [400.0, 97], [5000.0, 1]]} | more)


def runs(*found):
    return fake.runs_of(fake.BARE, ("tail", list(found)))


class Table(fake.unittest.TestCase):
    def test_causes_by_their_time(self):
        heading, grid, blind = causes.parts("op", [("read", tail())], wide=False)
        self.assertEqual(heading.text, causes.TITLE)
        self.assertEqual(grid.rows, [
            ["read", "refresh", "90", "81.82", "450.5 ns"],
            ["read", "interrupt", "1", "15.15", "5.100 us"],
            ["read", "unknown", "2", "3.03", "700.0 ns"]])
        self.assertIn("smi, walk.", blind.text)

    def test_what_one_result_could_not_see_another_could(self):
        seeing = tail()
        seeing["tail"]["causes"][0] |= {"count": 0, "excess_ns": 0.0}
        *_, blind = causes.parts("op", [("a", tail()), ("b", seeing)], wide=False)
        self.assertNotIn("smi", blind.text)

    def test_what_is_named_together_is_not_unknown(self):
        both = tail()
        for cause, count in (("preemption", None), ("interrupt_or_preemption", 3)):
            both["tail"]["causes"].append({"cause": cause} | UNKNOWN | {"count": count} | (
                {"excess_ns": 1.0, "longest_ns": 1.0} if count else {}))
        both["tail"]["causes"][1] = {"cause": "interrupt"} | UNKNOWN
        *_, blind = causes.parts("op", [("a", both)], wide=False)
        self.assertTrue(blind.text.endswith(": smi, walk."), blind.text)

    def test_the_longest(self):
        *_, heading, grid = causes.parts("op", [("read", tail())], wide=True)
        self.assertEqual(grid.rows[0], ["read", "interrupt", "5.100 us", "2.000 ms"])

    def test_no_spike_no_table(self):
        calm = tail(tail={"causes": [{"cause": "refresh", "count": 0, "excess_ns": 0.0,
                                      "longest_ns": None}], "worst": [], "spikes": []})
        self.assertEqual([part.text for part in causes.parts("op", [("a", calm)], wide=False)],
                         [causes.TITLE, "There was none."])
        self.assertEqual(causes.parts("op", [("a", {})], wide=True), [])

    def test_the_distribution_has_its_percentiles(self):
        grid = spread.parts("op", [("read", tail())])[1]
        self.assertEqual(grid.rows[0][:4], ["read", "100.00", "400.00", "450.00"])


def modules(*generations):
    return fake.modules(*(fake.slot(f"DIMM_{i}", **({"generation": one} if one else {}))
                          for i, one in enumerate(generations)))


def paused(period):
    return tail() | {"refresh": "found" if period else "not_found", "refresh_period_ns": period}


class Refresh(fake.unittest.TestCase):
    """The period beside the one that JEDEC has for modules of this generation."""

    def said(self, period, generations=("DDR4", "DDR4"), about=fake.BARE):
        [run] = fake.runs_of(about, ("tail", [paused(period)]), **modules(*generations))
        return [part.text for part in refresh.sentences([(run, one) for one in run.results])]

    def test_how_often(self):
        """Heat makes it twice as frequent, and no more."""
        usual = r"^Refresh comes every [37]\.\d+ us, as often as JEDEC's standard of {} wants up " \
                r"to 85 C\.$"
        for generation, period, words in (
                *((name, period, usual.format(name)) for name, period in (
                    ("DDR3", 7811.0), ("DDR4", 7790.0), ("DDR5", 3902.0))),
                ("DDR4", 5200.0, r"^Refresh comes every 5\.200 us; JEDEC's standard of DDR4 wants "
                 r"it every 7\.800 us up to 85 C\.$"),
                *((name, period, "twice as often as") for name, period in (
                    ("DDR4", 3902.0), ("DDR3", 3900.0), ("DDR5", 1951.0))),
                ("DDR4", 1951.0, "4 times as often as"), ("DDR3", 1951.0, "4 times as often as")):
            [text] = self.said(period, (generation,))
            self.assertRegex(text, words)
            self.assertEqual("as above 85 C" in text, words.startswith("twice"))
            self.assertEqual("fine granularity" in text,
                             words.endswith("often as") and generation != "DDR3")

    def test_what_is_not_known_is_not_said(self):
        for generations in ((), (None,), ("LPDDR5",), ("DDR4", "DDR5"), ("DDR4", None)):
            self.assertEqual(self.said(3900.0, generations), [])
        self.assertEqual(self.said(None), [])
        self.assertEqual(self.said(3900.0, about=fake.KVM), [])

    def test_equal_periods_are_said_once(self):
        pairs = [(run, one) for period in (7800.0, 7811.0, 3900.0) for run in fake.runs_of(
            fake.BARE, ("tail", [paused(period)]), **modules("DDR4")) for one in run.results]
        self.assertEqual(len(refresh.sentences(pairs)), 2)


class Pictures(fake.unittest.TestCase):
    def test_a_curve_for_each_result_and_a_series_for_each_cause(self):
        beyond, spikes = charts.charts({"x": runs(tail(), tail("write", refresh=10))})
        self.assertEqual((beyond.kind, [one.name for one in beyond.series]),
                         ("tail", ["read", "write"]))
        self.assertEqual([(p.x, round(p.y, 4)) for p in beyond.series[0].points],
                         [(98.0, 1.0), (400.0, 0.0982), (5000.0, 0.001)])
        self.assertEqual((spikes.kind, {one.name: [(p.x, p.y) for p in one.points]
                                        for one in spikes.series}), ("spikes", {
            "interrupt": [(0.002, 5100.0)], "unknown": [(0.001, 700.0)],
            "refresh": [(0.003, 450.5)]}))

    def test_none_of_what_has_no_histogram(self):
        self.assertEqual(charts.charts({"x": runs(tail(histogram_ns_count=None))}), [])


class Files(fake.unittest.TestCase):
    def test_what_is_right_passes(self):
        self.assertEqual(runs(tail())[0].results[0]["tail"], tail()["tail"])

    def test_what_is_not_right_is_refused(self):
        for bad in (1, [], {}, {"causes": [], "worst": []},
                    {"causes": [], "worst": [[1, 2]], "spikes": []},
                    {"causes": [], "worst": [], "spikes": [[1, -2, "smi"]]},
                    {"causes": [], "worst": [], "spikes": [[1, 2, 3]]},
                    {"causes": [{"cause": "smi", "count": 1}], "worst": [], "spikes": []},
                    {"causes": [{"cause": "smi", "count": -1, "excess_ns": 1.0,
                                 "longest_ns": 1.0}], "worst": [], "spikes": []},
                    {"causes": [{"count": 0}], "worst": [], "spikes": []}):
            with self.subTest(bad), self.assertRaises(Failure):
                runs(tail(tail=bad))
