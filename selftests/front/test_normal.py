# SPDX-License-Identifier: GPL-2.0-only
"""Results beside what is published of their CPU: which figure is compared with which, when a figure
is outside, what is said of it and what is not, and where it shows."""

import json
import os
import re
from pathlib import Path
from unittest import mock

import fake
from mc import Failure
from mc.analysis import contribution, fleet, normal, reference
from mc.analysis import names as cpu_names
from mc.commands import cli
from mc.commands import reference as reference_command
from mc.output import document, report, terminal
from mc.output import fleet as fleet_output
from mc.output import normal as output
from mc.running.machine import platform

MODEL = "GenuineIntel 6 158"
ROWS = [[MODEL, "l1d_kib", 32, 32, 32, 9, "one", 2017],
        [MODEL, "l2_kib", 256, 256, 256, 9, "one", 2017],
        [MODEL, "l1_cycles", 4, 4, 4, 4, "one", 2017],
        [MODEL, "l3_cycles", 40, 44, 48, 4, "one+two", 2017],
        [MODEL, "memory_ns", 60, 65, 70, 4, "one", None],
        [MODEL, "memory_stride_ns", 5, 5, 5, 1, "one", 2017],
        [MODEL, "copy_mb_per_s", 10000, 12000, 14000, 4, "one", 2017],
        [MODEL, "write_mb_per_s", 8000, 9000, 9900, 4, "one", 2017],
        [MODEL, "memory_bits", 64, 128, 128, 9, "one", None],
        ["GenuineIntel 6 143", "memory_bits", 64, 128, 512, 9, "one", None],
        [MODEL, "dtlb_entries", 64, 64, 64, 1, "one", 2017],
        [MODEL, "stlb_entries", 1024, 1024, 1024, 1, "one", 2017],
        [MODEL, "dtlb_miss_cycles", 8, 8, 8, 1, "one", 2017],
        [MODEL, "c2c_near_ns", 20, 20, 20, 1, "one", None],
        [MODEL, "c2c_far_ns", 80, 80, 80, 1, "one", None],
        [MODEL, "socket_read_mb_per_s", 30000, 30000, 30000, 1, "one", 2017],
        [MODEL, "uc_read_mb_per_s", 200, 200, 200, 1, "one", 2017],
        ["unnamed", "uc_read_mb_per_s", 100, 100, 100, 1, "two", None],
        [f"{MODEL} maker,chip", "memory_ns", 100, 100, 100, 1, "one", 2017]]
ALLOWED = {reference.spread_of(*row[:2]): [1.5, 1.3, 1.2] for row in ROWS} | {
    "copy_mb_per_s and write_mb_per_s on a chip": [1.3, 1.2, 1.1]}
DATA = reference.parse(json.dumps({
    "schema": 1, "sources": {name: {"title": f"Source {name}", "url": f"https://{name}.example",
                                    "licence": "MIT", "method": "loads"}
                             for name in ("one", "two")},
    "allowances": ALLOWED, "models": {MODEL: "Kaby"}, "figures": ROWS}))
CPU = {"kernel": "6.1.0", "cpu": "Some CPU", "hypervisor": None, "cpu_vendor": "GenuineIntel",
       "cpu_family": 6, "cpu_model": 158, "cpu_stepping": 10, "cpus_online": "0-1",
       "nodes": [{"node": 0, "cpus": "0-1", "memory_bytes": 8 << 30}],
       "caches": [{"cpus": "0-1", "level": level, "kind": kind, "size_bytes": kib << 10,
                   "shared_by_cpus": sharers}
                  for level, kind, kib, sharers in ((1, "data", 32, 1), (1, "code", 32, 1),
                                                    (2, "unified", 256, 1),
                                                    (3, "unified", 8192, 2))]}
LOADED = {"load": 9.0, "runnable": 9, "cpus": 2, "found": [{"kind": "load", "what": "load 9"}]}
OFF = {"known": True, "msr": "0x1a4", "mask": "0xf", "state": "off"}


def latency(level, ns, cycles=None, size=1 << 30, **more):
    return fake.figure("latency", {"pattern": "random", "stride_bytes": 64, "page": "thp",
                                   "size_bytes": size},
                       {"ns_per_load": ns, "cycles_per_load": cycles, "level": level,
                        "core_mhz": 4000, "core_mhz_after": 4000, "steady": "yes"}) | more


def rate(op, mb_per_s, **more):
    return fake.result(f"bandwidth op={op} size=1G", mb_per_s, level="memory", page="thp") | more


def slots(filled, empty=""):
    """A module of 8 GiB and 3200 MT/s in each of these channels, and none in others."""
    return fake.modules(*(fake.slot(f"{name}1", name, 8 * (name in filled))
                          for name in filled + empty))


class Case(fake.InDirectory):
    def setUp(self):
        super().setUp()
        self.enterContext(mock.patch.object(reference, "data", lambda: DATA))

    def runs(self, *found, **about):
        test = found[0]["test"]
        return fake.runs_of(CPU | about, (f"{test} size=1G", list(found)))

    def expected(self, result, **about):
        return reference.expected(CPU | about, result)

    def remark(self, result, **about):
        [one] = normal.results_with_references(self.runs(result, **about))
        return normal.sentence(one)

    def figures(self, runs):
        """The table of figures at the beginning of a page."""
        [grid] = [part for part in document.parts({"a.jsonl": runs})
                  if getattr(part, "strong", ())]
        return grid


class Lookup(Case):
    def test_cycles_of_a_cache_become_ns_at_the_clock_of_the_core(self):
        found = self.expected(latency("l3", 11.0, 44.0))
        self.assertEqual((10, 11, 12, 0), (found.low, found.typical, found.high, found.outside))

    def test_each_result_has_its_figure(self):
        for result, figure in (
                (latency("l1", 1.0, 4.0), "l1_cycles"), (latency("memory", 70.0), "memory_ns"),
                (latency(None, 6.0, pattern="stride"), "memory_stride_ns"),
                (rate("copy", 11000.0), "copy_mb_per_s"),
                (rate("read", 30000.0, threads=2), "socket_read_mb_per_s"),
                (rate("read", 210.0, type="uc"), "uc_read_mb_per_s")):
            with self.subTest(figure):
                self.assertEqual(figure, self.expected(result).reference.figure)

    def test_nothing_is_said_without_a_reference(self):
        for result in (latency("l2", 3.0, 12.0), rate("triad", 9.0), rate("copy", 9.0, threads=2),
                       rate("copy", 9.0, level="l3"), rate("read", 200.0, type="uc",
                                                           effective="unknown"),
                       latency("memory", 70.0, verified="failed"),
                       latency("memory", 70.0, remote_threads=1),
                       latency("memory", 70.0, memory_object="a.so"),
                       latency("memory", 70.0, target="pci:00:05.0/2"),
                       latency(None, 6.0, size=1 << 20, pattern="stride"),
                       fake.figure("c2c", {}, {"ns_per_line": 50.0})):
            self.assertIsNone(self.expected(result), result)
        for about in ({"cpu_model": 159}, {"cpu_vendor": ""}, {"hypervisor": "tcg"},
                      {"simulated": {"qemu": "8.2", "prices": {}}}):
            self.assertIsNone(self.expected(latency("memory", 70.0), **about), about)
        self.assertEqual([], output.parts(self.runs(latency("memory", 70.0), cpu_model=159)))

    def test_memory_of_another_node_is_not_compared(self):
        nodes = [{"node": node, "cpus": cpus, "memory_bytes": 8 << 30}
                 for node, cpus in ((0, "0"), (1, "1"))]
        for node, local in ((0, True), (1, False), (None, False)):
            one = latency("memory", 70.0, cpu="0", memory_node=node, remote_threads=None)
            self.assertEqual(local, self.expected(one, nodes=nodes) is not None, node)
            self.assertIsNotNone(self.expected(one))            # the only node

    def test_a_virtual_machine_is_no_whole_socket(self):
        self.assertIsNone(self.expected(rate("read", 9.0, threads=2), hypervisor="kvm"))
        self.assertIsNone(self.expected(rate("read", 9.0, threads=2), hypervisor="unknown"))

    def test_a_cpu_with_other_caches_is_another_one(self):
        caches = [cache | {"size_bytes": 2 << 20} if cache["level"] == 2 else cache
                  for cache in CPU["caches"]]
        runs = self.runs(latency("memory", 300.0), caches=caches, hypervisor="kvm")
        self.assertEqual([], normal.results_with_references(runs))
        self.assertIn("its L2 cache has 2048 KiB; a CPU of this number has 256",
                      " ".join(terminal.lines(output.parts(runs))))

    def test_the_chip_decides_on_memory_only(self):
        self.assertEqual(100, self.expected(latency("memory", 9.0), platform="maker,chip").typical)
        self.assertEqual(1, self.expected(latency("l1", 1.0, 4.0), platform="maker,chip").typical)
        self.assertEqual(65, self.expected(latency("memory", 9.0), platform="maker,other").typical)

    def test_kinds_of_cores_and_steppings_are_models(self):
        self.assertEqual("GenuineIntel 6 85 steppings 5-7", reference.model_of(
            CPU | {"cpu_model": 85, "cpu_stepping": 7}))
        kinds = [{"cpus": "0-3", "cpu_family": 6, "cpu_model": 151, "cpu_stepping": 2,
                  "core_type": "performance"},
                 {"cpus": "4-7", "cpu_family": 6, "cpu_model": 151, "cpu_stepping": 2,
                  "core_type": "efficiency"}]
        self.assertEqual("GenuineIntel 6 151 efficiency",
                         reference.model_of(CPU | {"kinds": kinds}, 5))


def transfer(ns, **more):
    return fake.figure("c2c", {"state": "hitm", "home": "writer", "writer_cpu": 0, "reader_cpu": 1,
                               "siblings": "no", "cpu": "0-1"}, {"ns_per_line": ns}) | more


def translation(ns, **more):
    """A load in L1 takes 1 ns, so a cycle takes 0.25 ns."""
    return fake.figure("tlb", {"cpu": "0", "pages": 256, "page_bytes": 4096},
                       {"tlb_ns": ns, "packed_ns_per_load": 1.0}) | more


class OtherTests(Case):
    @staticmethod
    def third(*kinds, nodes=1):
        """A machine with these kinds of L3: their CPUs, their size, and how many share each."""
        return {"nodes": CPU["nodes"] * nodes, "caches": CPU["caches"][:3] + [
            CPU["caches"][3] | {"cpus": cpus, "size_bytes": mib << 20, "shared_by_cpus": sharers}
            for cpus, mib, sharers in kinds]}

    def test_a_changed_line_is_near_or_far(self):
        apart = self.third(("0", 96, 1), ("1", 32, 1))
        for result, about, figure, slow in (
                (transfer(29.0), {}, "c2c_near_ns", False),
                (transfer(31.0), {}, "c2c_near_ns", True),
                (transfer(9.0), {}, "c2c_near_ns", False),
                (transfer(100.0), apart, "c2c_far_ns", False),
                (transfer(121.0), apart, "c2c_far_ns", True)):
            with self.subTest(f"{figure} {result['ns_per_line']}"):
                found = self.expected(result, **about)
                self.assertEqual((figure, int(slow)), (found.reference.figure, found.outside))
        for more in ({"state": "hit"}, {"siblings": "yes"}, {"home": "reader"}, {"reader_cpu": 9},
                     {"ns_per_line": None}):
            self.assertIsNone(self.expected(transfer(39.0, **more)), more)
        for about in ({"hypervisor": "kvm"}, {"caches": CPU["caches"][:3]},
                      self.third(("0-127", 32, 8)), self.third(("0-1", 32, 1)),
                      self.third(("0-1", 32, None)),
                      self.third(("0", 96, 1), ("1", 32, 1), nodes=2)):
            self.assertIsNone(self.expected(transfer(390.0), **about), about)

    def test_a_changed_line_is_on_the_node_of_its_writer(self):
        """`home` counts only where no node was asked for."""
        nodes = [{"node": node, "cpus": cpus, "memory_bytes": 8 << 30}
                 for node, cpus in ((0, "0-1"), (1, "2-3"))]
        for more, compared in (({"node": "auto", "memory_node": 0}, True),
                               ({"node": "0", "memory_node": 0}, True),
                               ({"node": "1", "memory_node": 1}, False),
                               ({"node": "1", "memory_node": None}, False),
                               ({"memory_node": "mixed"}, False),
                               ({"memory_node": 1, "writer_cpu": None}, False)):
            with self.subTest(more):
                found = self.expected(transfer(60.0, **more), nodes=nodes)
                self.assertEqual(compared, found is not None)
        self.assertIsNotNone(self.expected(transfer(60.0, node="0")))       # the only node

    def test_a_miss_of_the_first_tlb(self):
        for ns, slow in ((2.0, False), (2.9, False), (3.1, True)):      # 8 cycles x 1.5 are 3 ns
            found = self.expected(translation(ns))
            self.assertEqual(("dtlb_miss_cycles", 2.0, slow),
                             (found.reference.figure, found.typical, found.slow))
        for more in ({"pages": 64}, {"pages": 1024}, {"page_bytes": 2 << 20}, {"tlb_ns": None},
                     {"packed_ns_per_load": None}, {"type": "uc"}):
            self.assertIsNone(self.expected(translation(3.0, **more)), more)


class Numbers(Case):
    def test_a_file_may_have_any_numbers(self):
        """What can't be is not compared; all else is, and JSON has it."""
        fast = rate("read", 1e29, level="l1", bytes_per_core_cycle=1e-29)
        for result, about, compared in (
                (translation(1e-29, packed_ns_per_load=1e29), {}, False),
                (translation(1e29, packed_ns_per_load=1e-29), {}, False),
                (translation(1e29), {}, True),
                (latency("l1", 1e-29, 4.0), {}, False), (latency("l1", 1e29, 4.0), {}, False),
                (latency("l1", 1.0, 1e-29), {}, False), (latency("l1", 1.0, 1e29), {}, False),
                (latency("l1", 1e-29, 1e-29), {}, False), (latency("l1", 1e29, 1e29), {}, True),
                (latency("memory", 1e-29), {}, False), (latency("memory", 1e29), {}, True),
                (rate("copy", 9.0) | {"mb_per_s": 1e-29}, {}, False),
                (rate("copy", 1e29), {}, True), (rate("copy", 0.001), {}, True),
                (fast, {"cpu_model": 0x55}, False)):
            with self.subTest(result):
                runs = self.runs(result, **about)
                [given] = normal.with_expected(runs)[0].results
                self.assertEqual(compared, "expected" in given)
                self.assertNotIn("Infinity", json.dumps(given))
                self.assertTrue(terminal.lines(output.parts(runs)) or not compared)
        for wrong in {"pages": "256"}, {"pages": "x"}, {"packed_ns_per_load": 1e-320}:
            self.assertRaises(Failure, self.runs, translation(3.0, **wrong))


class Judged(Case):
    def test_the_allowance_decides(self):
        self.assertEqual(0, self.expected(latency("memory", 83.0)).outside)     # 70 x 1.2 = 84
        self.assertTrue(self.expected(latency("memory", 85.0)).slow)
        self.assertEqual(0, self.expected(latency(None, 7.4, pattern="stride")).outside)
        self.assertTrue(self.expected(latency(None, 7.6, pattern="stride")).slow)   # one machine

    def test_better_is_not_abnormal(self):
        for result in (latency("memory", 20.0), rate("copy", 30000.0)):
            self.assertFalse(self.expected(result).slow)
            self.assertNotEqual(0, self.expected(result).outside)
            self.assertEqual("", self.remark(result))

    def test_a_remark_names_what_the_record_shows(self):
        slow, alone = latency("memory", 140.0), {"known": True, "hypervisor": "kvm"}
        for result, about, long, causes in (
                (rate("copy", 5000.0), {}, False, {}), (slow, {}, True, {}),
                (slow, {"prefetch": OFF}, True, {}),
                (slow | {"page": "4k"}, {}, True, {"small_pages": {}}),
                (slow | {"steady": "no"}, {}, True, {"not_settled": {}}),
                (slow | {"core_mhz_after": 2000}, {}, True,
                 {"clock_changed": {"before": 4000, "after": 2000}}),
                (slow | {"cv_percent": 50.0}, {}, True, {"result_disturbed": {}}),
                (slow, {"quiet": LOADED}, True, {"load 9": {}}),
                (latency(None, 60.0, pattern="stride"), {"prefetch": OFF}, True,
                 {"prefetchers_off": {}}),
                (slow, slots("AC", empty="B"), True, {"channels_empty": {"channels": ["B"]}}),
                # Words are weaker in a virtual machine.
                (latency("l3", 34.0, 136.0), {"hypervisor": "kvm"}, True,
                 {"shared_with_guests": alone | {"l3": True}}),
                (latency("memory", 340.0), {"hypervisor": "unknown"}, True,
                 {"shared_with_guests": {"known": False, "hypervisor": "unknown", "l3": False}})):
            with self.subTest(causes):
                said = self.remark(result, **about)
                self.assertEqual({getattr(one, "id", one): getattr(one, "facts", {})
                                  for one in said.facts["causes"]}, causes)
                self.assertEqual((said.id, said.facts["machines"], said.facts["long"]),
                                 ("slow_figure", 4 - 3 * (result["pattern"] == "stride"), long))
                self.assertEqual(said.facts["guest"], "hypervisor" in about)
                if causes == {}:
                    self.assertAlmostEqual(said.facts["times"], 2.0 if long else 0.5)

    def test_figures_that_are_low_together_count_earlier_than_each(self):
        for copy, write, low in ((9000.0, 7200.0, True), (9200.0, 7200.0, False),
                                 (9000.0, 8500.0, False)):
            with self.subTest(f"{copy} {write}"):
                runs = self.runs(rate("copy", copy), rate("write", write))
                found = normal.results_with_references(runs)
                self.assertEqual([low] * 2, [one.expected.slow for one in found])
                self.assertEqual(["slower" if low else "no"] * 2, self.outside(runs))
        runs = self.runs(rate("copy", 9000.0), rate("write", 7200.0))
        said = normal.sentence(normal.results_with_references(runs)[0]).facts
        self.assertEqual((round(said["percent"]), said["with_it"], said["causes"]),
                         (90, "write to memory, one core", []))
        runs = self.runs(rate("copy", 9000.0), rate("write", 7200.0, page="4k"))
        self.assertEqual([False] * 2, [one.expected.slow
                                       for one in normal.results_with_references(runs)])

    def outside(self, runs):
        """What JSON says of each result."""
        return [result["expected_outside"] for run in normal.with_expected(runs)
                for result in run.results]

    def test_json_and_the_page_say_of_each_result_what_the_report_says(self):
        """Of all requests of a file together, and of each size."""
        copy, write = rate("copy", 9000.0), rate("write", 7200.0)
        half = {"size_bytes": 1 << 29}
        for requests, said in (
                ([[copy], [write]], ["slower"] * 2),
                ([[copy], [write, write | half]], ["slower"] * 3),
                ([[copy | half, copy], [write]], ["slower"] * 3),
                ([[copy | half | {"mb_per_s": 9200.0}, copy], [write]], ["no"] + ["slower"] * 2),
                ([[copy | {"page": "4k"}], [write]], ["no"] * 2), ([[copy]], ["no"])):
            with self.subTest(requests):
                runs = fake.runs_of(CPU, *((f"bandwidth size={i + 1}G", found)
                                           for i, found in enumerate(requests)))
                self.assertEqual(said, self.outside(runs))
                self.assertEqual("slower" in said, "which counts since" in "".join(
                    map(normal.sentence, normal.results_with_references(runs))))
                grid = self.figures(runs)
                cells = [row[grid.names.index("published of this CPU")] for row in grid.rows]
                self.assertEqual("slower" in said, any("↓" in cell for cell in cells), cells)

    def test_one_result_stands_for_a_figure(self):
        runs = self.runs(*(latency("memory", 60.0 + i, size=1 << 25 + i) for i in range(3)))
        found = normal.results_with_references(runs)
        self.assertEqual([62.0], [one.expected.value for one in found])
        runs = self.runs(*(latency("l3", ns, 4 * ns) for ns in (10., 11., 30.)))
        found = normal.results_with_references(runs)
        self.assertEqual([11.0], [one.expected.value for one in found])


class Width(Case):
    REMARK = "he memory modules that the firmware lists are 64 bits wide together, those of 9 " \
             "machines of this model up to 128: 25600 MB/s at most, where 128 bits of this speed " \
             "have 51200 MB/s."

    def text(self, runs):
        return fake.one_line(terminal.lines(output.parts(runs)))

    def test_half_of_the_channels_shows_without_any_slow_figure(self):
        for names, empty, about, said in (
                ("A", "B", {}, True), ("AB", "", {}, False), ("AAA", "B", {}, True),
                ("A", "", {}, False), ("A", "A", {}, False), ("AAA", "", {}, False),
                ("A", "B", {"hypervisor": "kvm"}, False), ("A", "B", {"cpu_model": 159}, False),
                ("A", "B", {"nodes": CPU["nodes"] * 2}, False)):
            with self.subTest(f"{names} {empty} {about}"):
                runs = self.runs(rate("copy", 11000.0), **slots(names, empty) | about)
                self.assertEqual(said, f"T{self.REMARK}" in self.text(runs))
        self.assertEqual([], normal.remark_on_width(CPU))

    def test_a_socket_with_fewer_channels_than_others_of_its_model_is_full(self):
        for names, empty, most in (("ABCD", "", None), ("ABC", "D", None), ("AB", "CD", 256),
                                   ("ABCD", "EFGH", 512), ("AB", "CDEFGHIJ", 512)):
            with self.subTest(names + empty):
                about = CPU | {"cpu_model": 143} | slots(names, empty)
                said = "".join(normal.remark_on_width(about))
                self.assertEqual(most is not None, bool(said))
                self.assertIn(f"up to 512: {25600 * len(names)} MB/s at most, where {most} bits of "
                              "this speed" if most else "", said)

    def test_it_is_a_cause_of_a_low_rate(self):
        runs = self.runs(rate("copy", 5000.0), **slots("A", "B"))
        said = self.text(runs)
        self.assertEqual(1, said.count("bits wide"))
        self.assertIn(f"What can do that here: Channel B has no module; t{self.REMARK}", said)


class Shown(Case):
    def test_in_a_report(self):
        said = "\n".join(report.lines(self.runs(latency("memory", 140.0))))
        self.assertRegex(said, r"load from memory +140.0 ns +60.00 to 70.00 ns +4 +2.0x ↓")
        said = "\n".join(report.lines(self.runs(latency("l2", 3.0, 12.0))))
        self.assertNotIn("Is this normal?", said)

    def test_whose_l3_it_is(self):
        said = "\n".join(report.lines(self.runs(latency("l3", 11.0, 44.0), hypervisor="kvm")))
        self.assertIn("load from L3, the host's", said)
        said = "\n".join(report.lines(self.runs(latency("l3", 11.0, 44.0), hypervisor="unknown")))
        self.assertNotIn("the host's", said)

    def test_on_a_page(self):
        grid = self.figures(self.runs(latency("memory", 140.0)))
        at = grid.names.index("published of this CPU")
        self.assertEqual("60.00 to 70.00 ns\n4 machines, 2.0x ↓", grid.rows[0][at])
        grid = self.figures(self.runs(latency("memory", 140.0), cpu_model=159))
        self.assertEqual(["what", "measured"], grid.names)

    def command(self, *words):
        return fake.output_of(cli.main, [*words])[:2]

    def test_in_json_which_can_be_read_again(self):
        fake.save("a.jsonl", *self.runs(latency("memory", 140.0)),
                  *self.runs(latency("l2", 3.0, 12.0)))
        _, said = self.command("show", "--json", "a.jsonl")
        told = [json.loads(line) for line in said.splitlines()]
        found = [one for one in told if one["record"] == "result"]
        said_of = {one["id"]: one for one in told if one["record"] == "conclusion"}
        Path("a.jsonl").write_text(said)
        self.assertEqual(0, self.command("show", "a.jsonl")[0])
        self.assertEqual((65, 60, 70, 4, "one", "slower"), tuple(
            found[0][f"expected{key}"] for key in (
                "", "_low", "_high", "_machines", "_sources", "_outside")))
        self.assertFalse([key for key in found[1] if key.startswith("expected")])
        self.assertEqual([*said_of], ["slow_figure", "types_real"])
        slow = said_of["slow_figure"]
        self.assertIn("2.0 times as long as on", slow["text"])
        self.assertEqual((slow["facts"]["times"], slow["facts"]["machines"]), (2.0, 4))

    def test_compare_with_the_reference(self):
        slow, fast = latency("memory", 140.0), rate("read", 384000.0, level="l1",
                                                    bytes_per_core_cycle=128.0)
        for model, one, status, told in (
                (158, slow, 0, "2.0x ↓"), (159, slow, 1, "Nothing is published of this CPU"),
                (143, fast, 1, " 100 %\n\nNothing is published of this CPU")):
            fake.save("a.jsonl", *self.runs(one, cpu_model=model))
            found, said = self.command("compare", "--reference", "a.jsonl")
            self.assertEqual(status, found)
            self.assertIn(told, said)

    def test_the_list(self):
        status, said = self.command("reference", "i7-7700")
        self.assertEqual(0, status)
        self.assertRegex(said, r"load from L3, cycles +40 +44 +48 +4 +one\+two 2017")
        self.assertIn("two: Source two, https://two.example (MIT). Loads.", said)
        _, said = self.command("reference", "--list")
        self.assertRegex(said, rf"(?m)^Intel +16  {MODEL} +Kaby Lake, Coffee Lake$")
        self.assertNotIn("unnamed", said)
        with mock.patch.dict(reference.data().names, {"Arm 8 1": "Cortex-X"}):
            self.assertIn("published of Arm 8 1 a,b (Cortex-X) that",
                          str(reference_command.parts("Arm 8 1 a,b")))
        with mock.patch.dict(os.environ, COLUMNS="40"):
            self.assertEqual(said, self.command("reference", "--list")[1])
        by = {order: [re.split("  +", line) for line in self.command(
            "reference", "--list", "--sort", order)[1].splitlines()[1:]]
            for order in ("core", "model", "figures")}
        for order, key in (("core", lambda row: (row[0], row[3])),
                           ("figures", lambda row: -int(row[1])),
                           ("model", lambda row: [row[2].split()[0], *(
                               int(part) for part in row[2].split() if part.isdigit())])):
            self.assertEqual([key(row) for row in by[order]], sorted(map(key, by["core"])), order)
        for words, told in ((["nothing"], "called nothing."), (["--list", "nothing"], "nothing."),
                            (["core"], "core."), (["Cortex-X1"], "X1. memcache"),
                            (["sapphirr", "rapids"], "mean Sapphire Rapids?")):
            status, said, warned = fake.output_of(cli.main, ["reference", *words])
            self.assertEqual((2, ""), (status, said))
            self.assertIn("nothing is known of a CPU that is called", warned)
            self.assertIn(told, warned)
        self.assertEqual({"Intel"}, {line.split()[0] for line in fake.output_of(
            cli.main, ["reference", "intel"])[1].splitlines()[1:]})

    def test_names_as_people_write_them(self):
        for name, *wanted in (
                ("9950X", "AuthenticAMD 26 68"), ("7950x", "AuthenticAMD 25 97"),
                ("Ryzen Threadripper 7970X", "AuthenticAMD 25 24"),
                ("EPYC 9654", "AuthenticAMD 25 17"), ("EPYC 9965", "AuthenticAMD 26 17"),
                ("AMD EPYC 7763 64-Core Processor", "AuthenticAMD 25 1"),
                ("sapphire rapids", "GenuineIntel 6 143"), ("Xeon 8480", "GenuineIntel 6 143"),
                ("Intel(R) Xeon(R) Gold 6252 CPU @ 2.10GHz", "GenuineIntel 6 85 steppings 5-7"),
                ("E5-2680 v4", "GenuineIntel 6 79"), ("i9-13900K", "GenuineIntel 6 183"),
                ("i7-1185G7", "GenuineIntel 6 140"), ("graviton3", "Arm 8 3392"),
                ("Ice Lake", "GenuineIntel 6 126", "GenuineIntel 6 106"),
                ("Raspberry Pi 4", "Arm 8 3336 brcm,bcm2711"), ("M1", "Apple 8 35"),
                ("Celeron N5105", "GenuineIntel 6 156"), ("nothing",), ("Lake S",),
                ("AMD 9654", "AuthenticAMD 25 17"), ("9654P", "AuthenticAMD 25 17"),
                ("AMD EPYC 7R13 Processor", "AuthenticAMD 25 1"), ("7742", "AuthenticAMD 23 49"),
                ("EPYC 9R14", "AuthenticAMD 25 17"), ("EPYC 4564P", "AuthenticAMD 25 97"),
                ("Ryzen 5 5500", "AuthenticAMD 25 80"), ("5600X", "AuthenticAMD 25 33"),
                ("7945HX", "AuthenticAMD 25 97"), ("7735HS", "AuthenticAMD 25 68"),
                ("AMD Ryzen 7 5800H with Radeon Graphics", "AuthenticAMD 25 80"),
                ("FX-8350", "AuthenticAMD 21 2"), ("SPR", "GenuineIntel 6 143"),
                ("i9-9900X", "GenuineIntel 6 85 steppings 0-4"),
                ("i9-9900K", "GenuineIntel 6 158"), ("i3-8121U", "GenuineIntel 6 102"),
                ("Skylake-X", "GenuineIntel 6 85 steppings 0-4"), ("KNL", "GenuineIntel 6 87"),
                ("i7-4770HQ", "GenuineIntel 6 70"), ("i7-4770K", "GenuineIntel 6 60"),
                ("12th Gen Intel(R) Core(TM) i7-12700K", "GenuineIntel 6 151"),
                ("13th Gen Intel(R) Core(TM) i5-13500", "GenuineIntel 6 191"),
                ("Xeon W-2295", "GenuineIntel 6 85 steppings 5-7"), ("N150", "GenuineIntel 6 190"),
                ("Xeon D-1541", "GenuineIntel 6 86"), ("CortexA72", "Arm 8 3336"),
                ("icelake", "GenuineIntel 6 126", "GenuineIntel 6 106"),
                *((pi, "Arm 8 3336 brcm,bcm2711") for pi in (
                    "raspi 4b", "RPi4", "Pi 400", "Raspberry Pi 4 Model B Rev 1.4")),
                ("M1 Max", "Apple 8 41"), ("ThunderX2",), ("Intel",), ("core",), ("z",)):
            self.assertEqual(wanted, cpu_names.meant(name), name)
        for family, some, other in (("Xeon", "GenuineIntel 6 143", "GenuineIntel 6 151"),
                                    ("i7", "GenuineIntel 6 151", "GenuineIntel 6 143"),
                                    ("zen5", "AuthenticAMD 26 2", "AuthenticAMD 25 1"),
                                    ("Ryzen 9", "AuthenticAMD 25 97", "AuthenticAMD 25 1"),
                                    ("EPYC", "AuthenticAMD 25 1", "AuthenticAMD 25 33")):
            self.assertIn(some, cpu_names.meant(family), family)
            self.assertNotIn(other, cpu_names.meant(family), family)
        self.assertIn("AuthenticAMD 26 68", cpu_names.meant("Zen 5"))
        for name, said in (("i9-13900K", "published of GenuineIntel 6 183 (Raptor Lake)"),
                           ("i7-7700", r"GenuineIntel 6 158 (Kaby)"), ("zen 5", "Granite Ridge"),
                           (f"{MODEL} maker,chip", f"load from memory, ns{100:>32}")):
            for word in "reference", "is-this-normal":
                self.assertIn(said, self.command(word, name)[1])

    def test_figures_of_unnamed_cpus_are_compared_with_none(self):
        self.assertIsNone(self.expected(rate("read", 10.0, type="uc"), cpu_model=159))
        self.assertIsNone(contribution._published("uc_write_mb_per_s"))

    def test_of_this_machine(self):
        for told, said in (
                ({}, "Nothing is known of this CPU: memcache-user"),
                (CPU | {"cpu_model": 1}, "Nothing is published of this model"),
                (CPU | {"caches": [{"level": 1, "kind": "data", "size_bytes": 64 << 10}]},
                 "its L1 data cache has 64 KiB; a CPU of this number has 32"),
                (CPU, "load from memory, ns")):
            with mock.patch("mc.commands.reference.user.machine", lambda told=told: dict(told)), \
                    mock.patch("mc.commands.reference.platform", dict):
                self.assertIn(said, self.command("reference")[1])


class Peak(Case):
    def test_modules_and_ports(self):
        self.assertEqual((51200, "modules"), normal.peak(
            self.runs(rate("read", 40000.0), **slots("AB"))[0], rate("read", 40000.0)))
        fast = rate("read", 300000.0, level="l1", bytes_per_core_cycle=100.0)
        [run] = self.runs(fast, cpu_model=0x55)
        self.assertEqual((384000, "ports"), normal.peak(run, fast))
        self.assertIn("78 %", "\n".join(terminal.lines(output.parts([run]))))
        self.assertIsNone(normal.peak(self.runs(rate("read", 1.0))[0], rate("read", 1.0)))


class Platform(fake.InDirectory):
    def test_the_most_general_name_of_the_device_tree(self):
        for files, found in (({}, {}), ({"proc/device-tree/compatible": "some,board\0maker,chip\0"},
                                        {"platform": "maker,chip"})):
            fake.put(files, end="")
            self.assertEqual(found, platform())


class Contributions(Case):
    GOOD = (latency("l1", 1.0, 4.0), latency("memory", 70.0, size=1 << 28),
            latency("memory", 75.0, size=1 << 30), latency("l2", 3.0, 12.0))

    def test_figures_of_the_model_alone(self):
        told = contribution.contribution(self.runs(*self.GOOD, host="alice-pc", platform="m,chip7",
                                                   microcode="0xf0"))
        self.assertEqual(
            {"schema": 1, "model": MODEL, "platform": "m,chip7", "year": 2026, "figures": {
                "l1_cycles": 4.0, "l1d_kib": 32, "l1i_kib": 32, "l2_cycles": 12.0, "l2_kib": 256,
                "l3_kib": 8192, "memory_ns": 75.0}}, told)
        self.assertEqual([], contribution.problems(json.loads(json.dumps(told))))
        for word in ("alice", "6.1.0", "0xf0", "Some CPU"):
            self.assertNotIn(word, json.dumps(told))

    def test_doubtful_results_are_left_out(self):
        for more in ({"steady": "no"}, {"cv_percent": 50.0}, {"page": "4k"},
                     {"verified": "failed"}):
            told = contribution.contribution(self.runs(latency("l1", 1.0, 4.0),
                                                       latency("memory", 75.0, **more)))
            self.assertNotIn("memory_ns", told["figures"], more)

    def test_uncached_memory_must_be_real(self):
        for effective, there in (("yes", True), ("unknown", False)):
            told = contribution.contribution(fake.runs_of(
                CPU, ("latency", [latency("l1", 1.0, 4.0)]),
                ("bandwidth", [rate("read", 90.0, type="uc", effective=effective)])))
            self.assertEqual(there, "uc_read_mb_per_s" in told["figures"])

    def test_what_is_of_no_use_is_refused(self):
        caches = [cache | {"size_bytes": 3 << 20} for cache in CPU["caches"]]
        for found, about, why in (
                (self.GOOD, {"hypervisor": "kvm"}, "has kvm"),
                (self.GOOD, {"hypervisor": "unknown"}, "may have one"),
                (self.GOOD, {"hypervisor": ""}, "may have one"),
                (self.GOOD, {"simulated": {"qemu": "8.2", "prices": {}}}, "is simulated"),
                (self.GOOD, {"cpu_vendor": ""}, "which CPU"),
                (self.GOOD, {"caches": caches}, "another CPU"),
                ([fake.figure("c2c", {}, {"ns_per_line": 50.0})], {}, "no result")):
            fake.refused(self, why, contribution.contribution, self.runs(*found, **about), status=1)

    def test_files_are_checked(self):
        good = {"schema": 1, "model": MODEL, "platform": None, "year": 2026,
                "figures": {"l1_cycles": 4}}
        self.assertEqual([], contribution.problems(good))
        for more in ({"schema": 2}, {"model": "Fast CPU"}, {"platform": "My PC"}, {"year": "now"},
                     {"figures": {}}, {"figures": {"speed": 4}}, {"figures": {"l1_cycles": 0}},
                     {"figures": {"l1_cycles": True}}, {"host": "alice"}, {"schema": True},
                     {"schema": "1"}, {"year": 2026.0}, {"figures": {"l1_cycles": 400}},
                     {"figures": {"l1_cycles": 0.1}}, {"figures": {"l1d_kib": 32.5}},
                     {"model": "GenuineIntel 6 85"}, {"model": f"{MODEL} steppings 0-4"},
                     {"model": "GenuineIntel 6 85 steppings 0-9"}):
            self.assertTrue(contribution.problems(good | more), more)
        for more in ({"model": "GenuineIntel 6 85 steppings 5-7"}, {"platform": "hi,hi3660_v1"},
                     {"model": f"{MODEL} efficiency"}, {"figures": {"l1_cycles": 5.5}},
                     {"figures": {"uc_write_mb_per_s": 0.1}}):
            self.assertEqual([], contribution.problems(good | more), more)
        self.assertTrue(contribution.problems([]))

    def test_all_files_are_of_one_machine(self):
        mine, other = self.runs(*self.GOOD), self.runs(*self.GOOD)
        self.assertTrue(contribution.contribution(mine + other))
        for more in ({"hypervisor": "kvm"}, {"cpu_model": 159}, {"platform": "m,chip7"},
                     {"host": "bob-pc"}):
            with self.assertRaises(Failure, msg=more):
                contribution.contribution(mine + self.runs(*self.GOOD, **more))

    def test_what_is_not_known_is_not_said(self):
        """A clock that was never set, and a system on a chip without a usual name."""
        runs = self.runs(*self.GOOD, platform="My PC")
        for result in runs[0].results:
            result["started_unix_ns"] = 5 * 10**9
        told = contribution.contribution(runs)
        self.assertEqual((None, None), (told["year"], told["platform"]))
        self.assertEqual([], contribution.problems(told))

    def test_what_can_not_be_is_not_written(self):
        with self.assertRaisesRegex(Failure, "l1_cycles"):
            contribution.contribution(self.runs(latency("l1", 100.0, 400.0)))

    def test_the_command(self):
        fake.save("a.jsonl", *self.runs(*self.GOOD))
        status, _, said = fake.output_of(cli.main, ["report", "a.jsonl", "--contribute", "my.json"])
        self.assertEqual(0, status)
        self.assertIn(f"7 figures of {MODEL}", said)
        self.assertEqual([], contribution.problems(json.loads(Path("my.json").read_text())))

    def test_the_files_that_are_there(self):
        for path in (fake.TOP / "tools/reference/contributed").glob("*.json"):
            self.assertEqual([], contribution.problems(json.loads(path.read_text())), path)


class Groups(Case):
    def fleet(self, *slow, **about):
        """A group of hosts; the latency of memory of each is so many times what is published."""
        return fleet.fleet(fleet.measurement(f"host{i}", f"host{i}.jsonl", self.runs(
            latency("memory", 65.0 * times), **about)) for i, times in enumerate(slow))

    def said(self, found):
        return " ".join("\n".join(terminal.lines(fleet_output.parts(found))).split())

    def test_all_of_a_fleet_can_be_slow(self):
        found = self.fleet(2.1, 2.2, 2.3, 2.2, 2.2, 1.0)
        self.assertIn("Group 1: load from memory: 5 of 6 hosts are slower than all 4 machines of "
                      "this model that are published; in the middle 2.0 times.", self.said(found))
        [told] = fleet_output.record(found)["below_references"]
        self.assertEqual((1, "memory_ns", 5, 6, 60, 70, 4), tuple(told[key] for key in (
            "group", "figure", "slow", "hosts", "expected_low", "expected_high",
            "expected_machines")))

    def test_a_slow_half_is_not_the_group(self):
        for found in (self.fleet(2.0, 2.0, 2.0, 1.0, 1.0, 1.0), self.fleet(*5 * [1.0]),
                      self.fleet(*6 * [2.0], cpu_model=159)):
            self.assertNotIn("published", self.said(found))

    def test_words_are_weaker_for_virtual_machines(self):
        self.assertIn("that need not be a fault", self.said(self.fleet(*5 * [2.0],
                                                                       hypervisor="kvm")))
