# SPDX-License-Identifier: GPL-2.0-only
"""What the report says of memory traffic."""

import fake
from mc.analysis import traffic
from mc.output import report

LINE = "bandwidth size=16M repeat=10"


def counted(op, read, write, size="16M", why=None, idle=0.0, **more):
    """A record of which so much was read and written for each byte of payload."""
    record = fake.result(f"{LINE.replace('16M', size)} op={op}", 1000.0)
    payload = record["size_bytes"]
    moved = {"dram_read_bytes": read, "dram_write_bytes": write}
    record |= {"payload_bytes": payload, **{
        key: None if value is None else int(value * payload) for key, value in moved.items()},
        "amplification_read": read, "amplification_write": write,
        "dram_counted_ns": record["median_ns"], "dram_idle_read_mb_per_s": idle,
        "dram_idle_write_mb_per_s": 0.0, "dram_why": why}
    return record | more


def said(*records):
    return fake.shown(traffic.parts(fake.measured(fake.BARE, (LINE, list(records)))))


def text(*records):
    return " ".join(" ".join(said(*records)).split())


class Traffic(fake.unittest.TestCase):
    def test_nothing_counted_nothing_said(self):
        self.assertEqual(said(fake.result(LINE, 1.0)), [])
        self.assertEqual(said(counted("write", None, None, why="no_counters")), [])

    def test_the_table(self):
        lines = said(counted("write", 1.002, 0.998), counted("ntwrite", 0.004, 1.001, idle=12.34))
        rows = [line.split() for line in lines]
        self.assertEqual(lines[0], "Memory traffic")
        self.assertIn("write 16.777 16.811 16.744 1.00 1.00 0.0 0.0".split(), rows)
        self.assertIn("ntwrite 16.777 0.067 16.794 0.00 1.00 12.3 0.0".split(), rows)
        self.assertLessEqual(max(map(len, lines)), 100)

    def test_read_for_ownership(self):
        found = text(counted("write", 1.0, 1.0), counted("ntwrite", 0.01, 1.0),
                     counted("copy", 1.02, 0.51), counted("ntcopy", 0.5, 0.5),
                     counted("triad", 0.75, 0.25))
        for op, what in (
                ("write", "reads as much as it writes: each line is read before it is written (read"
                          " for ownership)"),
                ("ntwrite", "reads next to nothing: lines are written without being read"),
                ("copy", "reads as much as it writes beyond what the loop reads: each line"),
                ("ntcopy", "reads next to nothing beyond what the loop reads: lines"),
                ("triad", "reads as much as it writes beyond what the loop reads: each")):
            self.assertIn(f"- op={op} {what}", found)

    def test_in_part(self):
        self.assertIn("op=write reads 0.50 to 1.00 bytes for each that is written.",
                      text(counted("write", 0.5, 1.0), counted("write", 1.0, 1.0, size="32M")))
        self.assertIn("op=ntwrite reads 0.00 to 0.40 bytes for each", text(
            counted("ntwrite", 0.4, 1.0), counted("ntwrite", 0.0, 1.0, size="32M")))

    def test_what_stays_in_caches_shows_no_stores(self):
        found = text(counted("write", 0.01, 0.0, size="16K"), counted("copy", 0.1, 0.1))
        self.assertIn("op=write, op=copy: less than half of the stored bytes are written to "
                      "memory", found)
        self.assertNotIn("ownership", found)

    def test_only_stores_to_write_back_memory(self):
        for more in ({"type": "uc"}, {"type": "wc"}, {"op": "read"}, {"test": "random"}):
            runs = fake.measured(fake.BARE, (LINE, [counted("write", 1.0, 1.0)]))
            runs[0].results[0] |= more
            self.assertEqual(fake.shown(traffic.parts(runs))[0], "Memory traffic")
            self.assertNotIn("ownership", " ".join(fake.shown(traffic.parts(runs))))

    def test_idle_is_told_where_it_counts(self):
        self.assertIn("The idle machine moved up to 10 % of what was counted",
                      text(counted("read", 1.0, 0.0, idle=100.0)))
        self.assertNotIn("The idle machine", text(counted("read", 1.0, 0.0, idle=40.0)))

    def test_why_there_is_none(self):
        found = text(counted("write", 1.0, 1.0),
                     counted("write", None, None, size="32M", why="did_not_run"))
        self.assertIn("na in 1 of 2 results: a counter was never on its PMU during a sample.",
                      found)
        self.assertIn("na in 1 of 2 results: no counters were set", text(
            counted("write", 1.0, 1.0), counted("write", None, None, size="32M",
                                                why="no_counters")))
        self.assertIn("na in 1 of 1 results: a counter could not be opened any more.",
                      text(counted("write", None, None, why="not_opened")))

    def test_a_test_without_payload(self):
        found = said(counted("write", 1.0, 1.0, payload_bytes=None, amplification_read=None,
                             amplification_write=None))
        self.assertIn("na 16.777 16.777 na na 0.0 0.0", " ".join(" ".join(found).split()))

    def test_in_the_report_once(self):
        lines = report.lines(fake.measured(fake.BARE, (
            LINE, [counted("write", 1.0, 1.0), counted("ntwrite", 0.0, 1.0)])))
        self.assertEqual(lines.count("Memory traffic"), 1)
        self.assertNotIn("dram_", "\n".join(lines))
        self.assertNotIn("amplification", "\n".join(lines))
