# SPDX-License-Identifier: GPL-2.0-only
"""What the report says of memory traffic."""

import fake
from mc.analysis import traffic
from mc.output import export, report

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
        "dram_idle_write_mb_per_s": 0.0, "dram_why": why, "level": "memory"}
    return record | more


def said(*records, **machine):
    return fake.terminal_lines(traffic.parts(fake.runs_of(fake.BARE, (LINE, list(records)),
                                                          **fake.COUNTERS | machine)))


def text(*records, **machine):
    return " ".join(" ".join(said(*records, **machine)).split())


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
        found = text(counted("write", 0.01, 0.0, size="16K", level="l1"),
                     counted("copy", 0.1, 0.1, level="l3"))
        self.assertIn("op=write, op=copy: less than half of the stored bytes are written to "
                      "memory", found)
        self.assertNotIn("ownership", found)

    def test_only_stores_to_write_back_memory(self):
        for more in ({"type": "uc"}, {"type": "wc"}, {"op": "read"}, {"test": "random"}):
            runs = fake.runs_of(fake.BARE, (LINE, [counted("write", 1.0, 1.0)]), **fake.COUNTERS)
            runs[0].results[0] |= more
            self.assertEqual(fake.terminal_lines(traffic.parts(runs))[0], "Memory traffic")
            self.assertNotIn("ownership", " ".join(fake.terminal_lines(traffic.parts(runs))))

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
        self.assertIn("na in 1 of 1 result: a counter could not be opened any more.",
                      text(counted("write", None, None, why="not_opened")))

    def test_a_test_without_payload(self):
        found = said(counted("write", 1.0, 1.0, payload_bytes=None, amplification_read=None,
                             amplification_write=None))
        self.assertIn("na 16.777 16.777 na na 0.0 0.0", " ".join(" ".join(found).split()))

    def test_in_the_report_once(self):
        lines = report.lines(fake.runs_of(fake.BARE, (
            LINE, [counted("write", 1.0, 1.0), counted("ntwrite", 0.0, 1.0)])))
        self.assertEqual(lines.count("Memory traffic"), 1)
        self.assertNotIn("dram_", "\n".join(lines))
        self.assertNotIn("amplification", "\n".join(lines))


# Evidence that no CPU is on node 2.
PROMISED = {"from_nodes": [0], "read_latency_ns": 250, "write_latency_ns": 250,
            "read_mb_per_s": 20000, "write_mb_per_s": 20000}
SECOND = [{"nodes": [*fake.COUNTERS["nodes"], {"node": 2, "cpus": "", "memory_bytes": 1 << 36}]},
          {"nodes": [], "tiers": [{"node": 0, "zones": ["Normal"], "tier": 4, "promised": None},
                                  {"node": 2, "zones": ["Movable"], "tier": 22,
                                   "promised": None}]},
          {"nodes": [], "tiers": [{"node": 0, "zones": ["Normal"], "tier": None, "promised": None},
                                  {"node": 2, "zones": ["Normal"], "tier": None,
                                   "promised": PROMISED}]}]
RIVALS = "read for ownership", "caches hold the rest"
DIMM = {"slot": "A1", "channel": "A", "size_bytes": 16 << 30, "width_bits": 64,
        "rated_mt_per_s": 2400, "mt_per_s": 2400}      # 19200 MB/s


class Complete(fake.unittest.TestCase):
    """Conclusions need a sum whose parts are complete."""

    def none_of(self, found, *words):
        for word in (*RIVALS, *words):
            self.assertNotIn(word, found)

    def test_memory_of_a_node_without_cpus(self):
        for node in (2, "2", "0,2", "1-2"):
            for machine in SECOND:
                for told in (None, fake.COUNTERS["dram_counters"]):
                    found = text(*(counted(op, read, write, memory_node=node)
                                   for op in ("write", "ntwrite", "copy", "read")
                                   for read, write in ((0.001, 0.0005), (1.0, 1.0))),
                                 **machine | {"dram_counters": told})
                    self.assertIn("These counters do not count the memory of node 2, on which "
                                  "there is no CPU", found)
                    self.assertRegex(found, r"write 16\.777 0\.017 0\.008 na na")
                    self.none_of(found, "less than half", "can't be told")

    def test_memory_of_a_node_whose_counters_are_not_open(self):
        nodes = [*fake.COUNTERS["nodes"], {"node": 1, "cpus": "4-7", "memory_bytes": 1 << 36}]
        found = text(counted("write", 1.0, 1.0, memory_node=1), nodes=nodes)
        self.assertIn("do not count the memory of node 1, or not all of its traffic. So there is "
                      "no amplification (na).", found)
        self.none_of(found)
        self.assertIn("read for ownership", text(counted("write", 1.0, 1.0), nodes=nodes))

    def test_what_is_not_in_the_record_allows_no_conclusion(self):
        two = [*fake.COUNTERS["nodes"], {"node": 1, "cpus": "", "memory_bytes": 1 << 36}]
        for machine, more in (({"dram_counters": None}, {}), ({}, {"level": None}),
                              ({"nodes": two}, {"memory_node": None}),
                              ({"nodes": two}, {"memory_node": "mixed"}),
                              ({"nodes": []}, {"memory_node": None}),
                              ({}, {"target": "phys:0x100000000+1G"})):
            for read, write in ((1.0, 1.0), (0.0, 1.0)):
                found = text(counted("write", read, write, **more), **machine)
                self.assertIn("op=write: whether lines are read before they are written can't be "
                              "told", found)
                self.none_of(found)

    def test_no_level_holds_non_temporal_stores(self):
        self.assertIn("op=ntwrite reads next to nothing",
                      text(counted("ntwrite", 0.0, 1.0, level=None)))

    def test_a_node_that_is_not_known_is_one_of_those_that_are_counted(self):
        for node in (None, "mixed"):
            self.assertIn("read for ownership", text(counted("write", 1.0, 1.0,
                                                             memory_node=node)))

    def test_less_than_half_of_what_went_to_memory(self):
        for op, read, write, level in (
                ("write", 0.001, 0.0005, "memory"), ("read", 0.1, 0.0, "memory"),
                ("copy", 0.5, 0.1, "memory"), ("ntwrite", 0.0, 0.1, "l2"),
                ("nttriad", 0.7, 0.1, None)):
            for told in (None, fake.COUNTERS["dram_counters"]):
                found = text(counted(op, read, write, level=level), dram_counters=told)
                self.assertIn(f"op={op}: these counters saw less than half of what went to memory",
                              found)
                self.assertIn(" na na ", found)
                self.assertEqual("No cache serves non-temporal stores" in found,
                                 op.startswith("nt"))
                self.none_of(found)

    def test_no_amplification_is_exported(self):
        for node, found in ((0, 2), (2, 0)):
            runs = fake.runs_of(fake.BARE, (LINE, [counted("write", 1.0, 1.0, memory_node=node)]),
                                **SECOND[0])
            self.assertEqual(export.prometheus(runs).count("\nmemcache_bandwidth_amplification_"),
                             found)

    def test_more_than_the_modules_can_deliver(self):
        modules = {"slots": [DIMM], "why": None}
        for more in ({}, {"dram_read_bytes": 19 * 10**18}):
            record = counted("read", 20.0, 0.0) | more      # 20 times 1000 MB/s
            runs = fake.runs_of(fake.BARE, (LINE, [record]), modules=modules, **fake.COUNTERS)
            found = " ".join(" ".join(report.lines(runs)).split())
            self.assertIn("IMPLAUSIBLE: bandwidth op=read size=16M: the counters claim ", found)
            self.assertRegex(found, r"bandwidth 16\.777 .* \?20\.00 \?0\.00")
        self.assertIn("claim 20000 MB/s, 104 % of what the modules can deliver", text(
            counted("read", 20.0, 0.0), modules=modules))
        found = text(counted("copy", 15.0, 15.0), counted("write", 1.0, 1.0), modules=modules)
        self.assertIn("op=copy size=16M: the counters claim 30000 MB/s, 156 %", found)
        self.assertNotIn("op=copy reads", found)
        self.assertIn("op=write reads as much as it writes", found)
        self.assertIn("IMPLAUSIBLE", text(counted("read", 1.0, 0.0, idle=20000.0),
                                          modules=modules))
        self.assertNotIn("IMPLAUSIBLE", text(counted("read", 19.0, 0.0), modules=modules))
        self.assertNotIn("IMPLAUSIBLE", text(counted("read", 20.0, 0.0)))
        self.assertIn("more than any memory moves",
                      text(counted("read", 1.0, 0.0, dram_read_bytes=19 * 10**18)))
        self.assertIn("claim 20000 MB/s", text(fake.result(
            LINE, 1000.0, dram_pcm_read_mb_per_s=15000.0, dram_pcm_write_mb_per_s=5000.0,
            dram_pcm_samples=3), modules=modules))
