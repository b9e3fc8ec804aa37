# SPDX-License-Identifier: GPL-2.0-only
"""The machine's shape, placeholders that stand for it, and what requests make."""

from dataclasses import replace
from pathlib import Path

import fake
import made_up
from mc.records import keys, shape, suite, template

# Cores (0,4) (1,5) on node 0, (2,6) (3,7) on 1.
SERVER = replace(fake.shape(8, smt=2, nodes=2), width=64)
CACHES = [{"level": 1, "kind": "data", "size_bytes": 48 << 10, "shared_by_cpus": 2},
          {"level": 1, "kind": "code", "size_bytes": 32 << 10, "shared_by_cpus": 2},
          {"level": 3, "kind": "unified", "size_bytes": 33 << 20, "shared_by_cpus": 4},
          {"level": 2, "kind": "unified", "size_bytes": 1 << 20, "shared_by_cpus": 2}]
# Two kinds of core: performance cores of two threads, and efficiency cores.
HYBRID = [{"cpus": cpus, "level": level, "kind": kind, "size_bytes": size << 10,
           "shared_by_cpus": shared}
          for cpus, level, kind, size, shared in (
              ("0-3", 1, "data", 48, 2), ("0-3", 2, "unified", 1280, 2),
              ("0-7", 3, "unified", 24576, 8), ("4-9", 1, "data", 32, 1),
              ("4-9", 1, "code", 64, 1), ("4-9", 2, "unified", 2048, 4))]
EXPANDED = {
    "t cpu={cpus}": ["t cpu=0-7"],
    "t cpu={cores}": ["t cpu=0-3"],
    "t cpu={last}": ["t cpu=7"],
    "t cpu={cpus 1 to 20}": ["t cpu=1-7"],
    "t groups={cpus but the last}:read+{last}:chase": ["t groups=0-6:read+7:chase"],
    "t node={nodes}": ["t node=0,1"],
    "t cpu={a cpu of each node} node={nodes}": ["t cpu=0,2 node=0,1"],
    "t cpu={two cores of each node}": ["t cpu=0-3"],
    "t cpu={first, last and any}": ["t cpu=0", "t cpu=7", "t cpu=any"],
    "t cpu={each core}": ["t cpu=0", "t cpu=1", "t cpu=2", "t cpu=3"],
    "t cpu={each node's cpus} node={nodes}": ["t cpu=0-1,4-5 node=0,1", "t cpu=2-3,6-7 node=0,1"],
    "t cpu={each node's cpus} node={each node}": [
        "t cpu=0-1,4-5 node=0", "t cpu=0-1,4-5 node=1", "t cpu=2-3,6-7 node=0",
        "t cpu=2-3,6-7 node=1"],
    "t cpu={each share of the cores} smt={each smt}": [
        "t cpu=0,2,4,6 smt=off", "t cpu=0,2,4,6 smt=on", "t cpu=0-7 smt=off", "t cpu=0-7 smt=on"],
    "t width={each width}": ["t width=16", "t width=32", "t width=64"],
    "t size={memory size}": ["t size=128M"],
    "t size={memory size for all}": ["t size=256M"],
    "t size=4K..{96M or less}": ["t size=4K..96M"],
    "t size=1M,{4G or less},{8G or less}": ["t size=1M,2G"],
    "t bytes={1G or less, 20 times} size=4K": ["t bytes=64M size=4K"],
    "t size={128M to memory size}": ["t size=128M"],
    "t size={32M to memory size}": ["t size=32M,64M,128M"],
    "t node={each node} size={256G of all nodes}": ["t node=0 size=128G", "t node=1 size=128G"],
    "t bytes={1M or less, 20 times}": ["t bytes=1M"],
    "t op=a,b": ["t op=a,b"],
}


class Beyond(fake.unittest.TestCase):
    def test_suites_and_the_engine_have_one_rule_of_memory(self):
        text = (fake.TOP / "module/core/level.h").read_text()
        self.assertIn(f"#define MC_BEYOND\t{shape.BEYOND}ULL\n", text)


class Placeholders(fake.InDirectory):
    def test_each(self):
        for line, wanted in EXPANDED.items():
            self.assertIsNone(template.unknown_placeholder(line))
            self.assertEqual(template.expand(line, SERVER), wanted)

    def test_a_desktop(self):
        small = fake.shape(1, cache=0, memory=256 << 20)
        for line, wanted in (("t size={memory size}", "t size=64M"), ("t cpu={cpus}", "t cpu=0"),
                             ("t size={48M or less},{96M or less},{128M or less}",
                              "t size=48M,64M"),
                             ("t cpu={a cpu of each node} node={nodes}", "t cpu=0 node=0"),
                             ("t cpu={two cores of each node}", "t cpu=0")):
            self.assertEqual(template.expand(line, small), [wanted])

    def test_twenty_readers_with_a_file_each(self):
        """The shape of the study, on machines with more CPUs than that and with fewer."""
        for cpus, memory, wanted in ((64, 512 << 30, "cpu=1-20 bytes=1G"),
                                     (20, 64 << 30, "cpu=1-19 bytes=512M"),
                                     (2, 4 << 30, "cpu=1 bytes=32M"),
                                     (1, 256 << 20, "cpu=0 bytes=2M")):
            shape = fake.shape(cpus, memory=memory)
            found, lacking = suite.load("amplification-each").requests_for(shape)
            self.assertEqual((len(found), lacking), (5, {}))
            cpu, size = wanted.split()
            for request in found:
                asked = request.line.split()
                self.assertLessEqual({cpu, "files=each", "readers=20"}, set(asked))
                self.assertEqual(size in asked, "op=write" in asked)

    def test_shares_of_cores(self):
        found = template.expand("t cpu={each share of the cores}", fake.shape(16, nodes=2))
        self.assertEqual(found, ["t cpu=0,8", "t cpu=0,4,8,12", "t cpu=0,2,4,6,8,10,12,14",
                                 "t cpu=0-2,4-6,8-10,12-14", "t cpu=0-15"])
        one = fake.shape(1)
        for name, wanted in (("each share of the cores", "0"), ("each smt", "on"),
                             ("each width", "16")):
            self.assertEqual(template.expand(f"t x={{{name}}}", one), [f"t x={wanted}"])

    def test_what_becomes_the_same_is_there_once(self):
        self.write("s", b"bandwidth cpu=0\nbandwidth cpu={last}\n@section more\nbandwidth cpu=0\n")
        for cpus, lines in ((8, ["0", "7", "0"]), (1, ["0", "0"])):
            found, _ = suite.load("./s").requests_for(fake.shape(cpus))
            self.assertEqual([r.line for r in found], [f"bandwidth cpu={cpu}" for cpu in lines])

    def test_what_a_machine_lacks(self):
        for needs, said in (("2 nodes", ""), ("4 cores", ""), ("8 cpus", ""),
                            ("3 nodes", "it takes 3 nodes, and this machine has 2"),
                            ("5 cores", "it takes 5 cores, and this machine has 4")):
            self.assertEqual(template.reason_against(needs, SERVER), said)


class OfTheMachine(fake.InDirectory):
    def found(self, record, total=1 << 22, available=1 << 21):
        fake.put({"proc/meminfo": f"MemTotal: {total} kB\nMemAvailable:   {available} kB"})
        return shape.machine_shape(record)

    def test_from_the_record(self):
        found = self.found({"cpus_online": "0-2,5", "caches": CACHES, "nodes": [
            {"node": 0, "cpus": "0-1", "memory_bytes": 1 << 30},
            {"node": 2, "cpus": "2,5", "memory_bytes": 2 << 30}]})
        self.assertEqual(found.cpus, (0, 1, 2, 5))
        self.assertEqual((found.cache, found.shared_by, found.width), (33 << 20, 4, 16))
        self.assertEqual(self.found({"width_max_bytes": 32}).width, 32)
        self.assertEqual([(n.number, n.cpus) for n in found.nodes], [(0, (0, 1)), (2, (2, 5))])
        self.assertEqual(found.memory, 256 << 20, "a quarter of the smaller node")
        self.assertEqual(found.cores, ((0,), (1,), (2,), (5,)))

    def test_what_a_process_may_use(self):
        machine = {"cpus_online": "0-3", "nodes": [
            {"node": 0, "cpus": "0-1", "memory_bytes": 8 << 30},
            {"node": 1, "cpus": "2-3", "memory_bytes": 8 << 30},
            {"node": 2, "cpus": "", "memory_bytes": 8 << 30}]}
        for process, cpus, nodes, memory in (
                ({"cpus": "1", "nodes": "0", "memory_limit_bytes": 100 << 20}, (1,),
                 [(0, (1,))], 50 << 20),
                ({"cpus": "3", "nodes": "0,2", "memory_limit_bytes": None}, (3,),
                 [(0, ()), (2, ())], 1 << 30),
                ({"cpus": "0-63", "nodes": "0-9", "memory_limit_bytes": 1 << 50}, (0, 1, 2, 3),
                 [(0, (0, 1)), (1, (2, 3)), (2, ())], 1 << 30),
                ({"cpus": "24", "nodes": "0"}, (24,), [(0, ())], 1 << 30),     # lxcfs
                ({"cpus": "x", "nodes": "9"}, (0, 1, 2, 3),
                 [(0, (0, 1)), (1, (2, 3)), (2, ())], 1 << 30)):
            found = self.found(machine | {"process": process})
            self.assertEqual(found.cpus, cpus)
            self.assertEqual([(n.number, n.cpus) for n in found.nodes], nodes)
            self.assertEqual(found.memory, memory)
            self.assertEqual({cpu for core in found.cores for cpu in core}, set(cpus))

    def test_each_cpu_has_the_caches_of_its_kind(self):
        machine = {"cpus_online": "0-9", "caches": HYBRID}
        for cpu, wanted in (("0", [(1, 48), (2, 1280), (3, 24576)]),
                            ("4-7", [(1, 32), (2, 2048), (3, 24576)]),
                            ("9", [(1, 32), (2, 2048)]),
                            ("3,9", [(1, 32), (1, 48), (2, 1280), (2, 2048), (3, 24576)]),
                            ("any", [(1, 32), (1, 48), (2, 1280), (2, 2048), (3, 24576)])):
            self.assertEqual(shape.data_caches(machine, cpu),
                             [(level, size << 10) for level, size in wanted])
        self.assertEqual(shape.data_caches({"caches": CACHES}, "7"), [
            (1, 48 << 10), (2, 1 << 20), (3, 33 << 20)])
        found = self.found(machine)
        self.assertEqual((found.cache, found.shared_by), (24 << 20, 8))

    def test_a_fourth_level_is_the_last_cache(self):
        """128M of eDRAM."""
        edram = {"level": 4, "kind": "unified", "size_bytes": 128 << 20, "shared_by_cpus": 4}
        found = self.found({"cpus_online": "0-3", "caches": [*CACHES, edram]})
        self.assertEqual((found.cache, found.shared_by), (128 << 20, 4))
        self.assertEqual(template.expand("t size={memory size}", replace(found, memory=1 << 30)),
                         ["t size=512M"])

    def test_from_sysfs(self):
        """The last cache is that of the highest level, not the largest one."""
        made_up.MadeUp("x | 2x1 | 1x2 48 32M/1 16M/1 | 4 | |").write(Path())
        Path("sys/devices/system/node/node1/meminfo").unlink()
        found = shape.machine_shape({})
        self.assertEqual(found.cores, ((0, 2), (1, 3)))
        self.assertEqual([(n.number, n.cpus, n.memory) for n in found.nodes],
                         [(0, (0, 2), 4 << 30), (1, (1, 3), None)])
        self.assertEqual((found.cache, found.shared_by, found.memory), (16 << 20, 2, 1 << 30))

    def test_a_machine_that_tells_nothing(self):
        for record in ({}, {"caches": "x", "nodes": [3], "cpus_online": "?"}):
            found = self.found(record)
            self.assertTrue(found.cpus)
            self.assertEqual([n.number for n in found.nodes], [0])
            self.assertEqual((found.cache, found.memory), (0, 1 << 30))

    def test_lists_of_cpus(self):
        for text, wanted in (("0-2,5", [0, 1, 2, 5]), ("3", [3]), ("", []), ("any", []),
                             ("1,x", []), ("2-1", [])):
            self.assertEqual(shape.numbers(text), wanted)
        self.assertEqual(shape.cpu_list([5, 0, 1, 2, 2, 8]), "0-2,5,8")


class Tests(fake.unittest.TestCase):
    def test_what_tests_says(self):
        found = keys.parse(fake.described_tests())
        self.assertEqual(found["latency"]["pattern"],
                         keys.Key("random", ("random", "page", "stride")))
        self.assertEqual(found["latency"]["size"].choices, ())
        self.assertEqual(found["bandwidth"]["cpu"].choices, ())
        self.assertLessEqual({*found["line"]}, {*found["tlb"]})
        self.assertEqual([found[test]["disturbed"].preset for test in ("tlb", "overhead")],
                         ["leave_out", "keep"])
        self.assertEqual(found["overhead"]["disturbed"].choices, ("leave_out", "keep"))
        self.assertNotIn(keys.EVERY, found)
        self.assertEqual(keys.parse("nonsense\n  x\n"), {})
