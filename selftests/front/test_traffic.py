# SPDX-License-Identifier: GPL-2.0-only
"""What the report says of memory traffic."""

import fake
from mc.analysis import traffic
from mc.analysis.words import Say
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
    return fake.one_line(said(*records, **machine))


def told(*records, **machine):
    """The conclusions: (id, facts)."""
    runs = fake.runs_of(fake.BARE, (LINE, list(records)), **fake.COUNTERS | machine)
    return [(part.text.id, part.text.facts) for part in traffic.parts(runs)
            if isinstance(getattr(part, "text", ""), Say)]


def ids(*records, **machine):
    return [name for name, _ in told(*records, **machine)]


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
        for op, moved, name, beyond in (
                ("write", (1.0, 1.0), "ownership", False),
                ("ntwrite", (0.01, 1.0), "no_ownership", False),
                ("copy", (1.02, 0.51), "ownership", True), ("ntcopy", (0.5, 0.5), "no_ownership",
                                                            True),
                ("triad", (0.75, 0.25), "ownership", True)):
            [(said, facts)] = told(counted(op, *moved))
            self.assertEqual((said, facts["op"], facts["beyond"]), (name, op, beyond))
        for op, few, many in ("write", 0.5, 1.0), ("ntwrite", 0.0, 0.4):
            self.assertEqual(told(counted(op, few, 1.0), counted(op, many, 1.0, size="32M")), [
                ("part_ownership", {"op": op, "bytes": [few, many], "beyond": False})])

    def test_what_stays_in_caches_shows_no_stores(self):
        self.assertEqual(told(counted("write", 0.01, 0.0, size="16K", level="l1"),
                              counted("copy", 0.1, 0.1, level="l3")),
                         [("stores_cached", {"ops": ["op=write", "op=copy"]})])

    def test_only_stores_to_write_back_memory(self):
        for more in ({"type": "uc"}, {"type": "wc"}, {"op": "read"}, {"test": "random"}):
            runs = fake.runs_of(fake.BARE, (LINE, [counted("write", 1.0, 1.0)]), **fake.COUNTERS)
            runs[0].results[0] |= more
            heading, *rest = traffic.parts(runs)
            self.assertEqual((heading.text, fake.said(rest)), ("Memory traffic", {}), more)

    def test_idle_is_told_where_it_counts(self):
        self.assertEqual(told(counted("read", 1.0, 0.0, idle=100.0)), [
            ("idle_share", {"percent": 10.0})])
        self.assertEqual(ids(counted("read", 1.0, 0.0, idle=40.0)), [])

    def test_why_there_is_none(self):
        for why in "did_not_run", "no_counters":
            self.assertIn(("not_counted", {"count": (1, 2), "reason": traffic.WHY[why]}), told(
                counted("write", 1.0, 1.0), counted("write", None, None, size="32M", why=why)))
        self.assertEqual(told(counted("write", None, None, why="not_opened")), [
            ("not_counted", {"count": (1, 1), "reason": traffic.WHY["not_opened"]})])

    def test_a_test_without_payload(self):
        found = said(counted("write", 1.0, 1.0, payload_bytes=None, amplification_read=None,
                             amplification_write=None))
        self.assertIn("na 16.777 16.777 na na 0.0 0.0", fake.one_line(found))

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


class Complete(fake.unittest.TestCase):
    """Conclusions need a sum whose parts are complete."""

    def test_memory_of_a_node_without_cpus(self):
        for node in (2, "2", "0,2", "1-2"):
            for machine in SECOND:
                for counters in (None, fake.COUNTERS["dram_counters"]):
                    records = [counted(op, read, write, memory_node=node)
                               for op in ("write", "ntwrite", "copy", "read")
                               for read, write in ((0.001, 0.0005), (1.0, 1.0))]
                    about = machine | {"dram_counters": counters}
                    [(name, facts)] = [one for one in told(*records, **about)
                                       if one[1].get("without_cpu", True)]
                    self.assertEqual((name, facts["nodes"]), ("nodes_uncounted", "2"))
                    self.assertEqual({*ids(*records, **about)}, {"nodes_uncounted"})
                    self.assertRegex(text(*records, **about), r"write 16\.777 0\.017 0\.008 na na")

    def test_memory_of_a_node_whose_counters_are_not_open(self):
        nodes = [*fake.COUNTERS["nodes"], {"node": 1, "cpus": "4-7", "memory_bytes": 1 << 36}]
        self.assertEqual(told(counted("write", 1.0, 1.0, memory_node=1), nodes=nodes), [
            ("nodes_uncounted", {"nodes": "1", "without_cpu": False})])
        self.assertEqual(ids(counted("write", 1.0, 1.0), nodes=nodes), ["ownership"])

    def test_what_is_not_in_the_record_allows_no_conclusion(self):
        two = [*fake.COUNTERS["nodes"], {"node": 1, "cpus": "", "memory_bytes": 1 << 36}]
        for machine, more in (({"dram_counters": None}, {}), ({}, {"level": None}),
                              ({"nodes": two}, {"memory_node": None}),
                              ({"nodes": two}, {"memory_node": "mixed"}),
                              ({"nodes": []}, {"memory_node": None}),
                              ({}, {"target": "phys:0x100000000+1G"})):
            for read, write in ((1.0, 1.0), (0.0, 1.0)):
                self.assertEqual(told(counted("write", read, write, **more), **machine), [
                    ("ownership_unknown", {"ops": ["op=write"]})])
        # No level holds non-temporal stores; a node that is not known is one that is counted.
        self.assertEqual(ids(counted("ntwrite", 0.0, 1.0, level=None)), ["no_ownership"])
        for node in (None, "mixed"):
            self.assertEqual(ids(counted("write", 1.0, 1.0, memory_node=node)), ["ownership"])

    def test_less_than_half_of_what_went_to_memory(self):
        for op, read, write, level in (
                ("write", 0.001, 0.0005, "memory"), ("read", 0.1, 0.0, "memory"),
                ("copy", 0.5, 0.1, "memory"), ("ntwrite", 0.0, 0.1, "l2"),
                ("nttriad", 0.7, 0.1, None)):
            for counters in (None, fake.COUNTERS["dram_counters"]):
                one = counted(op, read, write, level=level)
                self.assertEqual(told(one, dram_counters=counters), [("stores_uncounted", {
                    "ops": [f"op={op}"], "nontemporal": op.startswith("nt")})])
                self.assertIn(" na na ", text(one, dram_counters=counters))

    def test_no_amplification_is_exported(self):
        for node, found in ((0, 2), (2, 0)):
            runs = fake.runs_of(fake.BARE, (LINE, [counted("write", 1.0, 1.0, memory_node=node)]),
                                **SECOND[0])
            self.assertEqual(export.prometheus(runs).count("\nmemcache_bandwidth_amplification_"),
                             found)

    def test_more_than_the_modules_can_deliver(self):
        modules = fake.modules(fake.slot("A1", "A", speed=2400))    # 19200 MB/s
        for more in ({}, {"dram_read_bytes": 19 * 10**18}):
            record = counted("read", 20.0, 0.0) | more      # 20 times 1000 MB/s
            runs = fake.runs_of(fake.BARE, (LINE, [record]), **modules, **fake.COUNTERS)
            found = fake.one_line(report.lines(runs))
            self.assertIn("IMPLAUSIBLE: bandwidth op=read size=16M: the counters claim ", found)
            self.assertRegex(found, r"bandwidth 16\.777 .* \?20\.00 \?0\.00")
        for records, about, wanted in (
                ([counted("read", 20.0, 0.0)], modules, ["op=read", 20000, 104]),
                ([counted("copy", 15.0, 15.0), counted("write", 1.0, 1.0)], modules,
                 ["op=copy", 30000, 156]),
                ([counted("read", 1.0, 0.0, idle=20000.0)], modules, ["op=read", 20000, 104]),
                ([counted("read", 19.0, 0.0)], modules, None),
                ([counted("read", 20.0, 0.0)], {}, None),
                ([counted("read", 1.0, 0.0, dram_read_bytes=19 * 10**18)], {},
                 ["op=read", None, None]),
                ([fake.result(LINE, 1000.0, dram_pcm_read_mb_per_s=15000.0, dram_pcm_samples=3,
                              dram_pcm_write_mb_per_s=5000.0)], modules, ["op=read", 20000, 104])):
            with self.subTest(wanted):
                found = dict(told(*records, **about))
                facts = found.get("overcounted")
                self.assertEqual(facts is not None, wanted is not None)
                if wanted:
                    op, claimed, percent = wanted
                    self.assertIn(op, facts["result"])
                    self.assertEqual(facts["percent"] and round(facts["percent"]), percent)
                    self.assertEqual(round(facts["rate"]) if claimed else None, claimed)
                self.assertEqual(found.get("ownership", {}).get("op"),
                                 "write" if len(records) > 1 else None)
