# SPDX-License-Identifier: GPL-2.0-only
"""What the report says of reads of files."""

import fake
from mc.analysis import amplification
from mc.output import report

LINE = "file path=/var/tmp/f"


def read(readers, check, where="kernel", speed=1000.0, moved=None, written=None, transfer=512 << 10,
         **more):
    why = None if moved is not None else "no_counters"
    asked = {"op": "read", "path": "/var/tmp/f", "files": "shared", "transfer_bytes": transfer,
             "readers": readers, "file_bytes": 1 << 30, "check": check, "cache": "keep",
             "direct": "off"}
    traffic = {"payload_bytes": 1 << 30, "amplification_read": moved,
               "amplification_write": written, "dram_why": why}
    figures = {"mb_per_s": speed, "ios_per_s": speed / 0.524288, "cached_percent": 100.0}
    return fake.figure("file", asked, traffic | figures, where=where, page="auto", **more)


# The figures that the study published (seen on another machine). They are MB of memory for each MiB
# of the file, so 4.86 % too high.
STUDY = (read(1, "on", speed=3962.0, moved=1.15, written=0.08), read(1, "off", moved=1.13),
         read(1, "off", "user", moved=1.13),
         read(20, "on", speed=3006.0, moved=4.016, written=4.917), read(20, "off", moved=1.834),
         read(20, "off", "user", moved=2.03))


def text(*records, about=None, **machine):
    runs = fake.runs_of(about or fake.BARE, (LINE, list(records)), **fake.COUNTERS | machine)
    return fake.one_line(fake.terminal_lines(amplification.parts(
            runs, (about or fake.BARE) is fake.TCG)))


def told(*records, about=fake.BARE, **machine):
    """The conclusions: the facts of each id."""
    runs = fake.runs_of(about, (LINE, list(records)), **fake.COUNTERS | machine)
    return fake.said(amplification.parts(runs, about is fake.TCG))


ONE, TWENTY = "1 reader, 512K", "20 readers, 512K"


class Amplification(fake.unittest.TestCase):
    def test_nothing_read_nothing_said(self):
        none = fake.runs_of(fake.BARE, ("bandwidth", [fake.result("bandwidth", 1.0)]))
        self.assertEqual(amplification.parts(none, False), [])
        self.assertEqual(text(read(1, "on") | {"op": "write"}), "")
        self.assertEqual(text(read(1, "on") | {"verified": "failed"}), "")

    def test_the_study(self):
        said = text(*STUDY)
        for part in (
                f"- {ONE}: MB/s: 1000 plain, 1000 in the kernel, 3962 checked; memory read "
                "for each byte: 1.13 plain, 1.13 in the kernel, 1.15 checked; memory written for "
                "each byte: 0.08 checked.",
                f"- {TWENTY}: MB/s: 1000 plain, 1000 in the kernel, 3006 checked; memory "
                "read for each byte: 2.03 plain, 1.83 in the kernel, 4.02 checked;"):
            self.assertIn(part, said)
        self.assertNotIn("na", said.split())
        found = told(*STUDY)
        self.assertAlmostEqual(found["checks_cost"].pop("bytes")[0], 4.016 - 1.834)
        self.assertEqual(found, {
            "checks_cached": {"settings": [ONE]}, "checks_cost": {"settings": [TWENTY]},
            "readers_cost": found["readers_cost"], "vfs_moves": {"change": "-0.20 to +0.00"}})
        runs = fake.runs_of(fake.BARE, (LINE, list(STUDY)), **fake.COUNTERS)
        self.assertIn({"few": 1, "many": 20, "low": 1.13, "high": 1.834,
                       "what": "in the kernel, 512K"},
                      [part.text.facts for part in amplification.parts(runs, False)
                       if getattr(getattr(part, "text", None), "id", "") == "readers_cost"])

    def test_no_difference_is_said_to_be_none(self):
        self.assertEqual(told(read(1, "off", moved=1.0), read(20, "off", moved=1.02),
                              read(1, "off", "user", moved=1.05)), {
            "vfs_plain": {}, "readers_same": {"few": 1, "many": 20,
                                              "settings": ["in the kernel, 512K: 1.02"]}})

    def test_transfers_are_told_apart(self):
        said = text(read(1, "off", moved=1.0), read(1, "off", moved=2.0, transfer=5 << 20))
        self.assertIn("- 1 reader, 512K: MB/s: 1000 in the kernel; memory read for each byte: 1.00",
                      said)
        self.assertIn("- 1 reader, 5M: MB/s: 1000 in the kernel; memory read for each byte: 2.00",
                      said)
        self.assertNotIn("From 1", said)

    def test_what_was_not_counted_is_said_and_why(self):
        records = read(1, "off"), read(1, "on")
        self.assertEqual(told(*records), {"reads_not_counted": {
            "why": ["no counters were set, or the test does not count"]}})
        self.assertIn("MB/s: 1000 in the kernel, 1000 checked.", text(*records))
        self.assertNotIn("for each byte", text(*records))

    def test_no_conclusion_unless_all_memory_that_can_hold_the_file_is_counted(self):
        other = {"node": 2, "cpus": "", "memory_bytes": 8 << 30}
        for machine in ({"dram_counters": None}, {"nodes": []},
                        {"nodes": [*fake.COUNTERS["nodes"], other]}):
            self.assertEqual(told(*STUDY, **machine), {"reads_doubtful": {"count": (6, 6)}})

    def test_emulated_machines_have_no_rates(self):
        records = read(1, "off", moved=1.0), read(1, "on", moved=2.0)
        said = text(*records, about=fake.TCG)
        self.assertNotIn("MB/s:", said)
        self.assertIn(f"{ONE}: memory read for each byte: 1.00 in the kernel, 2.00 checked", said)
        self.assertEqual(told(*records, about=fake.TCG), {
            "rates_left_out": {}, "checks_cost": {"settings": [ONE], "bytes": [1.0]}})

    def test_a_disk_in_the_rates_is_said(self):
        part = read(1, "off", moved=1.0) | {"cached_percent": 40.0}
        self.assertEqual(told(part), {"disk_in_rates": {"settings": [ONE]}})
        self.assertEqual(told(part | {"cache": "drop"}), {})
        self.assertIn(f"{ONE}, dropped from the cache, direct",
                      text(part | {"cache": "drop", "direct": "on"}))

    def test_it_is_in_the_report(self):
        runs = fake.runs_of(fake.BARE, (LINE, list(STUDY)))
        self.assertIn("Reads of files", report.lines(runs))

