# SPDX-License-Identifier: GPL-2.0-only
"""Values as text, and the unit of rates."""

import fake
from mc.analysis import findings, traffic, verdict
from mc.output import charts, report
from mc.records import rounds, units
from test_draw import NODES


class Rates(fake.unittest.TestCase):
    def setUp(self):
        self.addCleanup(units.show_rates_in, units.USUAL)

    def test_the_usual_unit_is_that_of_records(self):
        self.assertEqual((units.text("mb_per_s", 1234.56), units.heading("mb_per_s")),
                         ("1234.6", "mb_per_s"))
        self.assertEqual(units.text("ios_per_s", 1234.56), "1234.6")

    def test_mb_and_mib_differ_by_4_9_percent(self):
        units.show_rates_in("MiB/s")
        self.assertEqual(units.text("load_mb_per_s", 1048.576), "1000.0")
        self.assertEqual(units.heading("load_mb_per_s"), "load_mib_per_s")

    def test_only_rates_change(self):
        units.show_rates_in("GiB/s")
        for key, value, shown in (("ios_per_s", 5.0, "5.0"), ("ns_per_load", 5.0, "5.00"),
                                  ("size_bytes", 1 << 20, "1M"), ("mb_per_s", None, "na"),
                                  ("mb_per_s", 90.0, "0.084")):
            self.assertEqual(units.text(key, value), shown)
        self.assertEqual(units.heading("size_bytes"), "size")

    def test_pauses_are_as_in_request_lines(self):
        for ns, shown in ((0, "0"), (1, "1ns"), (1500, "1500ns"), (250000, "250us"),
                          (20000000, "20ms"), (3000000000, "3s"), (None, "na")):
            self.assertEqual(units.text("idle_ns", ns), shown)
        self.assertEqual(units.heading("idle_ns"), "idle")
        self.assertEqual((units.name("size_bytes"), units.name("delay_ns")), ("size", "delay_ns"))

    def test_tables_and_sentences(self):
        runs = rounds.with_merged_rounds(fake.runs(*(
            record for fence in ("none", "sfence", "mfence") for record in fake.records_of_rounds(
                f"bandwidth op=ntwrite fence={fence}", *fake.speeds_around(10000.0, 1e-6)))))
        units.show_rates_in("GB/s")
        shown = " ".join("\n".join(report.lines(runs)).split())
        self.assertIn("gb_per_s", shown)
        self.assertIn("10.000", shown)
        self.assertIn("WB ntwrite 10.00 GB/s", " ".join(findings.lines(runs, verdict.judge(runs))))
        self.assertNotIn("MB/s", shown)
        self.assertNotIn("mb_per_s", shown)

    def test_titles(self):
        runs = fake.runs_of(fake.BARE, ("a: bandwidth", [fake.result("bandwidth", 10000.0)]),
                            suite="cache-attributes")
        for unit, title in (("MB/s", "(MB/s: 10^6 bytes of payload a second, in the"),
                            ("GiB/s", "(GiB/s: 2^30 bytes of payload a second, in the")):
            units.show_rates_in(unit)
            self.assertIn(title, "\n".join(report.lines(runs, wide=True)))

    def test_charts(self):
        for unit, shown, base in ("MB/s", 10000.0, "10\u2076"), ("GiB/s", 9.3132, "2\u00b3\u2070"):
            units.show_rates_in(unit)
            for line, key, figures in (("bandwidth", "size_bytes", {}),
                                       ("loaded", "delay_cycles", {"ns_per_load": 100.0})):
                runs = fake.runs_of(fake.BARE, (line, [
                    fake.figure(line, {key: value}, {"mb_per_s": 10000.0, **figures})
                    for value in (1024, 2048, 4096)]))
                [chart] = charts.charts({"a.jsonl": runs})
                for point in chart.series[0].points:
                    rate, key = (point.x, chart.x) if figures else (point.y, chart.y)
                    self.assertAlmostEqual(rate, shown, 3)
                    self.assertIn(f"{unit} ({base} bytes of payload a second)", charts.label(key))

    def test_heat_maps(self):
        units.show_rates_in("GB/s")
        runs = fake.runs_of(fake.BARE, ("bandwidth", [
            fake.result("bandwidth", 10000.0, cpu=str(cpu), memory_node=node)
            for cpu in (0, 1) for node in (0, 1)]), nodes=NODES, suite="matrix")
        [chart] = charts.charts({"a.jsonl": runs})
        self.assertEqual({point.y for point in chart.series[0].points}, {10.0})

    def test_traffic(self):
        units.show_rates_in("GB/s")
        result = fake.result("bandwidth", 10000.0, dram_pcm_samples=1,
                             dram_pcm_read_mb_per_s=2000.0, dram_pcm_write_mb_per_s=1.0)
        shown = "\n".join(fake.terminal_lines(traffic.parts(fake.runs_of(fake.BARE, (
            "bandwidth", [result])))))
        self.assertRegex(shown, r"\ntest +GB/s +GB/s +GB/s ")
        self.assertRegex(shown, r"10\.000 +2\.000 +0\.001")
