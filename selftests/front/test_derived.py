# SPDX-License-Identifier: GPL-2.0-only
"""What the front end concludes from counts. The period of refresh is found on made-up traces of
loads of which the pauses are known. A trace whose times were shuffled has as many spikes, as long
ones, but no period."""

import random

import fake
from mc.records import derived, refresh

MEDIAN, LIMIT = 100, 150
MOST = 2048         # spikes of a record
# Period and pause; one of so many loads is slow for another reason.
PAUSES = ((7800, 350, 0), (7812, 260, 0), (3900, 350, 0), (1953, 295, 0), (15600, 410, 0),
          (7800, 350, 100), (3900, 295, 60), (1953, 295, 60), (1250, 210, 0), (31000, 550, 0))


def loads(chance, every=0, pause=0, others=0, most=MOST, n=400000):
    """Loads one behind the other: when each begins, how long it takes, and whether it ends with a
    pause. Those that come during a pause wait for its end."""
    now, found, slow, part = 4750.0, [], 0, chance.random
    while len(found) < n and slow < most:
        wait = max(pause - now % every, 0) if every else 0
        took = wait + MEDIAN - 1 + 2 * part()
        if other := others * part() < 1 <= others:
            took += 100 + 400 * part()
        found.append((now, took, wait > 0 and not other))
        slow += took > LIMIT
        now += took + 77 + 3 * part() + (190 * part() if took > LIMIT else 0)
    return found


def shuffled(chance, trace):
    now, found = 0.0, []
    for _, took, _ in sorted(trace, key=lambda _: chance.random()):
        found.append((now, took, False))
        now += took + 77 + 3 * chance.random()
    return found


def windows(trace):
    """The spikes in windows of 2 ms, between which nothing is known; in whole ns, as a record."""
    found = {}
    for at, took, _ in trace:
        if took > LIMIT:
            found.setdefault(at // 2e6, []).append((round(at), round(took)))
    return list(found.values())


def find(trace):
    return refresh.find(windows(trace), MEDIAN, LIMIT)


class Period(fake.unittest.TestCase):
    long = True

    def setUp(self):
        self.chance = random.Random(7)

    def test_a_period_and_its_length_are_found(self):
        for every, pause, others in PAUSES:
            with self.subTest(every=every, pause=pause, others=others):
                trace = loads(self.chance, every, pause, others)
                pauses = find(trace)
                self.assertAlmostEqual(pauses.period, every, delta=every / 100)
                # A spike for another reason may seem to be of a pause.
                self.assertAlmostEqual(pauses.length, pause,
                                       delta=pause * (0.12 if others else 0.02))
                self.assertIsNone(find(shuffled(self.chance, trace)))

    def test_spikes_by_chance_have_none(self):
        for others in range(20, 60):
            self.assertIsNone(find(loads(self.chance, others=others, most=500)), others)

    def test_longer_periods_are_no_refresh(self):
        """A timer's period is longer than any that is looked for; its multiples are no refresh."""
        for every in 40000, 80000, 125000, 250000:
            self.assertIsNone(find(loads(self.chance, every, 350)), every)

    def test_spikes_that_end_when_pauses_do_are_marked(self):
        pauses = find(loads(self.chance, 7800, 350))
        took = [190 + i % 3 for i in range(200)]
        spikes = [((1000 + i) * pauses.period + 30 - one, one) for i, one in enumerate(took)]
        spikes[5] = (spikes[5][0] + 3900, took[5])              # elsewhere
        spikes[6] = (spikes[6][0] - 7800, took[6] + 7800)       # far too long
        self.assertEqual(pauses.marked(spikes), spikes[:5] + spikes[7:])
        self.assertEqual(pauses.marked(spikes[:3]), [])         # can't show where pauses end
        for _ in range(10):
            others = sorted((self.chance.uniform(0, 2e6), 200) for _ in range(500))
            self.assertEqual(pauses.marked(others), [])

    def test_the_false_alarm_level(self):
        """Of a single part the bound is exp(1 - x) x: 25 and 26 are beside it, for 2000 tries."""
        self.assertEqual([refresh._is_significant(power, 1, 2000) for power in (25, 26)],
                         [False, True])
        self.assertEqual([refresh._is_significant(*none, 2000) for none in ((0, 0), (3, 4))],
                         [False, False])


def record(before, during, unknown, **more):
    """A result of `tail` with these windows of spikes, and so many spikes of unknown cause."""
    def lists(traced):
        return [[spikes[0][0], *(number for last, (at, took) in zip(
            [(spikes[0][0], 0), *spikes], spikes) for number in (at - sum(last), took))]
                for spikes in traced]

    spikes = [spike for one in during for spike in one]
    longest = max(spikes, key=lambda spike: spike[1])
    known = {"count": 3, "excess_ns": 50000.0, "longest_ns": 20000.0}
    return {"test": "tail", "ns_per_access": 100.0, "spike_limit_ns": 150.0,
            "unknown_percent": 80.0, "max_cause": "unknown", "tail": {
                "causes": [{"cause": "interrupt"} | known,
                           {"cause": "refresh"} | dict.fromkeys(known), {
                               "cause": "unknown", "count": unknown, "excess_ns": 250.0 * unknown,
                               "longest_ns": longest[1] + 0.3}],
                "worst": [[longest[0] + 0.4, longest[1] + 0.3, "unknown"],
                          [9e9, 20000.0, "interrupt"]],
                "spikes": [], "trace_ns": {"unknown": len(spikes), "before": lists(before),
                                           "during": lists(during)}}} | more


class Record(fake.unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        chance = random.Random(8)
        cls.before = windows(loads(chance, 7800, 350))
        cls.quiet = windows(loads(chance, 7800, 350, most=500))
        trace = loads(chance, 7800, 350, 100, most=500)
        cls.planted = sum(paused for _, took, paused in trace if took > LIMIT) / 500
        cls.busy = windows(trace)
        cls.none = windows(loads(chance, others=100, most=500))

    def conclude(self, *told, **more):
        [result] = results = [record(*told, **more)]
        derived.add_figures(results)
        return result, {one["cause"]: one for one in result["tail"]["causes"]}

    def test_all_unknown_spikes_are_of_the_refresh(self):
        result, causes = self.conclude(self.before, self.quiet, 1000)
        self.assertEqual(result["refresh"], "found")
        self.assertAlmostEqual(result["refresh_period_ns"], 7800, delta=78)
        self.assertAlmostEqual(result["refresh_pause_ns"], 350, delta=10)
        self.assertGreater(result["refresh_coherence_percent"], 95)
        self.assertGreater(causes["refresh"]["count"], 990)
        self.assertEqual(causes["refresh"]["count"] + causes["unknown"]["count"], 1000)
        self.assertEqual(causes["refresh"]["excess_ns"] + causes["unknown"]["excess_ns"], 250000)
        self.assertEqual((result["max_cause"], result["tail"]["worst"][1][2]),
                         ("refresh", "interrupt"))
        self.assertEqual(causes["interrupt"]["count"], 3)

    def test_only_some_are(self):
        """As many as are planted, and an eighth of the others, which are marked by chance."""
        result, causes = self.conclude(self.before, self.busy, 10000)
        found = causes["refresh"]["count"] / 10000
        print(f"# planted {self.planted:.3f} found {found:.3f}")
        self.assertLess(self.planted - 0.01, found)
        self.assertLess(found, self.planted + 0.01 + (1 - self.planted) / 8)
        self.assertLess(0, result["unknown_percent"])
        self.assertLess(result["unknown_percent"], 80)

    def test_where_none_is_found_nothing_is_blamed_on_it(self):
        for before, refreshed in ((self.none, "not_found"), (self.none[:1], None), ([], None)):
            with self.subTest(len(before)):
                result, causes = self.conclude(before, self.busy, 1000)
                self.assertEqual(result["refresh"], refreshed)
                self.assertIsNone(result["refresh_period_ns"])
                self.assertIsNone(causes["refresh"]["count"])
                self.assertEqual((causes["unknown"]["count"], result["unknown_percent"]),
                                 (1000, 80.0))

    def test_a_figure_that_is_there_stays(self):
        """Of an older version, or in a file of `memcache run`; and one without any accesses."""
        result, _ = self.conclude(self.before, self.quiet, 1000, refresh="not_found")
        self.assertEqual((result["refresh"], result["unknown_percent"]), ("not_found", 80.0))
        self.assertNotIn("refresh_period_ns", result)
        result, _ = self.conclude(self.before, self.quiet, 1000, ns_per_access=None)
        self.assertIsNone(result["refresh"])


def ramp(speeds, steady="yes", **more):
    """The record of a whole and those of its steps: how fast each is; None: not known. A pass over
    16,384 bytes takes 100 ns at the settled speed. Step k begins k * 258 us after the pause."""
    steps = [{"test": "ramp", "scope": "step", "at_us": round(258 * k + 125, 1),
              "median_ns": speed and 100 / speed} for k, speed in enumerate(speeds)]
    return [{"test": "ramp", "scope": "whole", "at_us": None, "median_ns": 100.0,
             "payload_bytes": 16384, "steady": steady} | more, *steps]


class Ramp(fake.unittest.TestCase):
    def test_when_a_core_is_fast_and_what_that_cost(self):
        step = 16384 * 2500
        cases = (
            ([1.0] * 40, 0.0, 0), ([0.5] * 12 + [1.0] * 28, 3.09, 12 * step // 2),
            # Of the steps behind the first fast one, 95 % are fast, or just not.
            ([0.5, 1.0] + [0.5] * 2 + [1.0] * 36, 1.03, 3 * step // 2),
            ([0.5, 1.0, 1.0, 0.5] + [1.0] * 36, 0.25, step // 2),
            ([0.94] * 12 + [1.0] * 28, 3.09, round(12 * 0.06 * step)),
            ([0.96] * 12 + [1.0] * 28, 0.0, 0),
            # A step that is not known is not slow, and faster ones win nothing back.
            ([0.5, None, 1.2, 0.5, 0.5, 0.5] + [1.0] * 34, 1.54, 4 * step // 2),
            ([1.0] + [0.5] * 39, None, None), ([None] * 40, None, None))
        for speeds, ms, lost in cases:
            with self.subTest(speeds):
                results = ramp(speeds) + ramp([1.0] * 8)
                derived.add_figures(results)
                whole, step_1 = results[:2]
                self.assertEqual(whole["ms_to_95"], ms)
                if lost:
                    self.assertAlmostEqual(whole["lost_bytes"], lost, delta=1)
                else:
                    self.assertEqual(whole["lost_bytes"], lost)
                self.assertIsNone(step_1["ms_to_95"])
                self.assertEqual(results[len(speeds) + 1]["ms_to_95"], 0.0)

    def test_what_did_not_settle_says_nothing(self):
        for more in {"steady": "no"}, {"median_ns": None}, {"payload_bytes": None}, {"steps": 41}:
            results = ramp([0.5] * 12 + [1.0] * 28, **more)
            derived.add_figures(results)
            self.assertEqual((results[0]["ms_to_95"], results[0]["lost_bytes"]), (None, None))

    def test_older_records_stay(self):
        old = [record | {"ms_to_95": 7.0, "lost_bytes": 7} for record in ramp([1.0] * 4)]
        derived.add_figures(old)
        self.assertEqual(old[0]["ms_to_95"], 7.0)
