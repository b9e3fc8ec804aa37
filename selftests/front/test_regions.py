# SPDX-License-Identifier: GPL-2.0-only
"""Which regions of memory the report and the pictures call slow, and which they leave out."""

import unittest

import fake
from mc.analysis import regions
from mc.output import charts, draw, report

GIB = 1 << 30


def region(at, speed=50000.0, ns=90.0, node=0, **more):
    figures = {"physical_address": hex(at * GIB), "begin_mib": at << 10, "covered_bytes": GIB,
               "mb_per_s": speed, "ns_per_load": ns, "ns_per_load_min": ns, "level": "memory"}
    return fake.figure("scan", {"region_bytes": GIB, "op": "read", "size_bytes": GIB},
                       figures | more) | {"memory_node": node, "verified": "ok"}


def scanned(found):
    return fake.runs_of(fake.BARE, ("scan", list(found)))


def alike(count=12, **more):
    """Regions that differ by less than 1 %."""
    return [region(at, 50000.0 + at % 3 * 200, 90 + at % 2 * 0.4, **more) for at in range(count)]


def named(runs):
    return [(one.result["begin_mib"] >> 10, one.figure) for one in regions.slow_regions(runs)]


def told(found):
    """What is said of these regions: the facts of each id."""
    return fake.said(regions.parts(scanned(found)))


class Slow(unittest.TestCase):
    def test_an_outlier_is_named_for_what_is_slow(self):
        found = alike()
        found[4] = region(4, speed=30000.0)
        found[9] = region(9, ns=140.0)
        self.assertEqual(named(scanned(found)), [(4, "mb_per_s"), (9, "ns_per_load")])
        self.assertEqual([(part.text.facts["name"], part.text.facts["bandwidth"],
                           part.text.facts["value"], part.text.facts["unit"])
                          for part in regions.parts(scanned(found))[1:]],
                         [("0x100000000", True, "30000.0", "MB/s"),
                          ("0x240000000", False, "140.00", "ns")])
        self.assertIn("0x100000000, node 0", "\n".join(report.lines(scanned(found))))

    def test_no_region_is_called_slow(self):
        far = [region(at + 12, 25000.0, 200.0, node=1) for at in range(12)]
        slow = {"speed": 30000.0}
        for found, said in (
                (alike(), {"regions_none": {}}),
                ([*alike(), region(12, speed=80000.0, ns=50.0)], {"regions_none": {}}),
                # A sample that was disturbed; nodes that each have a median of their own.
                ([*alike(), region(12, ns=140.0, ns_per_load_min=90.0)], {"regions_none": {}}),
                ([*alike(), *far], {"regions_none": {}}),
                ([*alike(3), region(3, **slow)], {"regions_few": {"least": 5}}),
                ([*alike(), region(12, level=None, **slow),
                  region(13, covered_bytes=GIB // 8, **slow)],
                 {"regions_none": {}, "region_unknown": {"n": 1}, "region_in_use": {"n": 1}}),
                ([region(i, speed=20000.0 if i % 2 else 10000.0) for i in range(12)],
                 {"regions_blurred": {"times": 0.8}})):
            with self.subTest(said):
                self.assertEqual((named(scanned(found)), told(found)), ([], said))
        self.assertEqual(regions.parts([]), [])
        some = fake.runs_of(fake.BARE, ("scan", alike(12) + alike(12)),
                            nodes=[{"node": node, "memory_bytes": 24 * GIB} for node in (0, 1)])
        self.assertEqual(fake.said(regions.parts(some))["regions_share"],
                         {"gib": 12, "of": 48, "percent": 25})


class Picture(unittest.TestCase):
    def charts(self, found):
        return charts.charts({"scan.jsonl": scanned(found)})

    def test_a_point_each_region_over_its_address(self):
        found = alike()
        found[4] = region(4, speed=30000.0)
        speed, latency = self.charts([*found, region(12, covered_bytes=GIB // 8)])
        self.assertEqual((speed.kind, speed.x, speed.y), ("regions", "begin_mib", "mb_per_s"))
        [series] = speed.series
        self.assertEqual([point.x for point in series.points], list(range(13)))
        self.assertEqual([point.x for point in series.points if point.odd], [4])
        self.assertEqual([point.x for point in series.points if not point.real], [12])
        self.assertEqual(latency.y, "ns_per_load")
        self.assertFalse(any(point.odd for point in latency.series[0].points))

    def test_a_series_each_node(self):
        speed, _ = self.charts([*alike(), *(region(at + 12, node=1) for at in range(12))])
        self.assertEqual(len(speed.series), 2)
        self.assertIn("node 1", speed.series[1].name)

    def axes(self, found):
        return fake.axes(self.charts(found)[0])

    def test_a_ring_is_around_what_is_slow(self):
        found = alike()
        found[4] = region(4, speed=30000.0)
        [ring] = [line for line in self.axes(found).get_lines() if line.get_label() == draw.ODD]
        self.assertEqual((list(ring.get_xdata()), list(ring.get_ydata())), ([4], [30000.0]))

    def test_regions_that_are_alike_have_no_ring_and_start_at_0(self):
        axes = self.axes(alike())
        self.assertNotIn(draw.ODD, [line.get_label() for line in axes.get_lines()])
        self.assertEqual(axes.get_ylim()[0], 0)

    def test_what_can_not_be_compared_is_hollow_and_said(self):
        axes = self.axes([*alike(), region(12, covered_bytes=GIB // 8)])
        hollow = [line for line in axes.get_lines() if line.get_fillstyle() == "none"]
        self.assertEqual([list(line.get_xdata()) for line in hollow], [[12]])
        self.assertIn(draw.HOLLOW, axes.get_xlabel())
