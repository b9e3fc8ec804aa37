# SPDX-License-Identifier: GPL-2.0-only
"""Memory tiers: what the kernel knows of each node's memory, and the suite that sets measured
figures beside those that the firmware promises."""

import json
import os
from pathlib import Path
from unittest import mock

import fake
from mc.output import charts, document, report
from mc.records import results, suite
from mc.records.places import value
from mc.running import hardware, tiers

ZONEINFO = """\
Node 0, zone      DMA
  per-node stats
      nr_inactive_anon 12
  pages free     0
        spanned  4095
        present  0
Node 0, zone    DMA32
  pages free     1000
        spanned  1044480
        present  131038
Node 0, zone   Normal
  pages free     1000
        present  8
Node 2, zone  Movable
  pages free     65536
        present  65536
"""
DRAM = {"node": 0, "zones": ["DMA32", "Normal"], "tier": 4, "promised": {
    "from_nodes": [0], "read_latency_ns": 80, "write_latency_ns": 85,
    "read_mb_per_s": 20000, "write_mb_per_s": None}}
CXL = {"node": 2, "zones": ["Movable"], "tier": 22, "promised": {
    "from_nodes": [0], "read_latency_ns": 250, "write_latency_ns": 300,
    "read_mb_per_s": 5000, "write_mb_per_s": 5000}}
HBM = [{"level": 1, "size_bytes": 64 << 30, "line_bytes": 64, "direct_mapped": True,
        "write_policy": "write-back"},
       {"level": 2, "size_bytes": 1 << 40, "line_bytes": None, "direct_mapped": None,
        "write_policy": None}]
NODES = [{"node": 0, "cpus": "0-1", "memory_bytes": 1 << 30},
         {"node": 1, "cpus": "2-3", "memory_bytes": 0},
         {"node": 2, "cpus": "", "memory_bytes": 1 << 28}]


def promise(node, access, initiators, *words):
    path = f"{tiers.NODES}/node{node}/{access}/initiators"
    fake.put(dict(zip(tiers.PROMISES.values(), words)), path.lstrip("/"))
    for initiator in initiators:
        Path(f"{path}/node{initiator}".lstrip("/")).mkdir(parents=True)


class Sysfs(fake.Measured):
    """The files of a machine with DRAM on node 0 and CXL memory on node 2."""
    def setUp(self):
        super().setUp()
        fake.put({"/proc/zoneinfo": ZONEINFO, f"{tiers.TIERS}/memory_tier4/nodelist": "0",
                  f"{tiers.TIERS}/memory_tier22/nodelist": "2-3", f"{tiers.TIERS}/uevent": ""})
        promise(0, "access0", [0], 1, 1, 1, 1)
        promise(0, "access1", [0], 80, 85, 20000, 0)
        promise(2, "access0", [0], 250, 300, 5000, 5000)

    def test_zones_tiers_and_promises(self):
        self.assertEqual(tiers.describe(), [DRAM, CXL])

    def test_a_machine_whose_firmware_promises_nothing(self):
        for name in "node/node0/access1", "node/node0/access0":
            for path in Path("sys/devices/system", name, "initiators").glob("*_*"):
                path.write_text("0\n", encoding="ascii")
        self.assertIsNone(tiers.describe()[0]["promised"])

    def test_caches_in_front_of_memory(self):
        path = f"{tiers.NODES}/node0/memory_side_cache"
        fake.put({f"{path}/uevent": "", f"{path}/power/size": "1"} | {
            f"{path}/index{level}/{file}": word for level, words in (
                (1, (64 << 30, 64, 0, 0)), (2, (1 << 40, "", 2, 2)), (3, (0, 64, 0, 1)))
            for file, word in zip(("size", "line_size", "indexing", "write_policy"), words)})
        self.assertEqual(tiers.describe(), [DRAM | {"memory_side_cache": HBM}, CXL])

    def test_a_machine_that_knows_nothing(self):
        with mock.patch.dict(os.environ, MEMCACHE_SYSROOT="nowhere"):
            self.assertEqual(tiers.describe(), [])

    def test_a_run_has_them_in_its_record(self):
        with mock.patch.object(hardware, "describe", return_value={"slots": [], "why": "x"}):
            self.run_("bandwidth size=4K")
        [found] = results.load("out")
        self.assertEqual(found.machine["tiers"], [DRAM, CXL])
        self.assertEqual(found.machine["modules"], {"slots": [], "why": "x"})
        json.loads(Path("out").read_text(encoding="ascii").splitlines()[0])


def latency(cpu, node, ns):
    return fake.figure("latency", {"size_bytes": 64 << 20, "cpu": str(cpu), "node": node},
                       {"ns_per_load": ns}) | {"memory_node": node}


def runs(known, *found):
    [run] = fake.runs_of(fake.BARE, ("latency", list(found)), nodes=NODES, suite="tiers",
                         **({"tiers": known} if known else {}))
    run.request["section"] = next(one.title for one in suite.load("tiers").sections if one.title)
    return [run]


def printed(found):
    return "\n".join(report.lines(found))


FOUND = (latency(0, 0, 90.0), latency(0, 2, 400.0), latency(2, 0, 140.0), latency(2, 2, 460.0))


class Suite(fake.unittest.TestCase):
    def test_the_place_of_a_result(self):
        [run] = runs([DRAM, CXL], *FOUND)
        for result, wanted in zip(run.results, (
                ("DMA32,Normal", 4, 80, 20000, "yes"), ("Movable", 22, 250, 5000, "yes"),
                ("DMA32,Normal", 4, 80, 20000, "no"), ("Movable", 22, 250, 5000, "no"))):
            self.assertEqual(tuple(value(run, result, key) for key in (
                "memory_zones", "memory_tier", "promised_ns", "promised_mb_per_s", "near")), wanted)

    def test_an_older_record_has_no_tiers(self):
        [run] = runs(None, *FOUND)
        for key, wanted in {"memory_zones": None, "memory_tier": None, "promised_ns": None,
                            "near": "yes"}.items():
            self.assertEqual(value(run, run.results[0], key), wanted)
        # From node 1 to node 0, and to node 2, which has no CPUs.
        self.assertEqual([value(run, one, "near") for one in run.results[2:]], ["no", "yes"])

    def test_the_table_has_the_promise_beside_the_figure(self):
        text = printed(runs([DRAM, CXL], *FOUND))
        self.assertRegex(text, r"memory node +ns_per_load +promised_ns +memory_tier +memory_zones")
        self.assertRegex(text, r"\n *0 +90.00 +80 +4 +DMA32,Normal\n")
        self.assertRegex(text, r"\n *2 +400.00 +250 +22 +Movable\n")
        self.assertNotIn("460", text)

    def test_without_promises_all_nodes_count(self):
        text = printed(runs(None, latency(0, 0, 90.0), latency(0, 2, 400.0)))
        self.assertRegex(text, r"\n *0 +90.00 +na +na +na\n")

    def test_a_working_set_that_fits_a_cache_in_front_of_memory(self):
        """That of node 0 has 64 GiB and 1 TiB. What a cache of the CPU served is no matter."""
        text = " ".join(printed(runs([DRAM | {"memory_side_cache": HBM}, CXL], *FOUND)).split())
        said = "In {} of {} results the working set fits the memory-side cache of node {} ({})"
        self.assertIn(said.format(2, 4, 0, "1024G"), text)
        small = [HBM[0] | {"size_bytes": 16 << 20}]
        for known in ([DRAM, CXL], [DRAM | {"memory_side_cache": small}, CXL]):
            self.assertNotIn("memory-side", printed(runs(known, *FOUND)))
        cached = [DRAM | {"memory_side_cache": HBM[:1]}, CXL]
        found = [one | {"level": "l3"} for one in FOUND[:1]] + [FOUND[0] | {"level": "memory"}]
        text = " ".join(printed(runs(cached, *found)).split())
        self.assertIn(said.format(1, 2, 0, "64G"), text)

    def test_the_picture_has_both(self):
        [found] = charts.charts({"a.jsonl": runs([DRAM, CXL], *FOUND)})
        self.assertEqual((found.kind, found.x, found.y), ("bars", "memory_node", "ns_per_load"))
        self.assertEqual([(one.name, [(p.x, p.y) for p in one.points]) for one in found.series],
                         [("measured", [(0, 90.0), (2, 400.0)]), ("promised", [(0, 80), (2, 250)])])
        [found] = charts.charts({"a.jsonl": runs(None, *FOUND[:2])})
        self.assertEqual([one.name for one in found.series], ["measured"])

    def test_the_machine_is_described_by_node(self):
        found = runs([DRAM, CXL | {"promised": None, "memory_side_cache": HBM[:1]}], *FOUND)
        with mock.patch.object(document.draw, "inline", return_value="<svg/>"):
            text = fake.one_line(fake.terminal_lines(document.parts({"a.jsonl": found})))
        self.assertIn("node 0: DMA32, Normal, tier 4, promised reads 80 ns and 20000 MB/s, "
                      "promised writes 85 ns; node 2: Movable, tier 22, memory-side cache of 64G",
                      text)
