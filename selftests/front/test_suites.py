# SPDX-License-Identifier: GPL-2.0-only
"""Suite files: the grammar, and that those we ship ask for what there is."""

import os
import re
from pathlib import Path
from unittest import mock

import fake
from mc.records import check, keys, suite
from mc.records.places import PLACES
from mc.records.shape import UNITS
from mc.records.tests import ASKED
from mc.running import plan

# The figures and facts that tables of suites may be made of, by test.
FIGURES = {
    "os": "item processes set_bytes", "overhead": "item", "pipe": "block_bytes mb_per_s pipe_bytes",
    "bandwidth": "mb_per_s mb_per_s_max threads cv_percent",
    "latency": "ns_per_load ns_per_load_min cycles_per_load level stride_bytes",
    "c2c": "state home writer_cpu reader_cpu siblings ns_per_line",
    "loaded": "delay_cycles delay_ns ns_per_load mb_per_s load_mb_per_s",
    "mix": "scope group group_op mb_per_s ns_per_load",
    "file": "mb_per_s ios_per_s dram_read_mb_per_s dram_write_mb_per_s amplification_read "
            "amplification_write cached_percent file_bytes",
    "ramp": "idle_ns ms_to_95 lost_bytes mb_per_s first_mb_per_s core_mhz first_core_mhz",
    "scan": "begin_mib covered_bytes mb_per_s ns_per_load",
    "tlb": "pages ns_per_load packed_ns_per_load tlb_ns",
}
BAD = {
    "": "no request line",
    "# only a comment\n@title nothing\n": "no request line",
    "write bandwidth op=write\n": ":1: neither",
    "write: bandwidth op\n": ":1: neither",
    "a: bandwidth op=read\na: bandwidth op=write\n": ":2: the label a is used twice",
    "@heading x\nbandwidth\n": ":1: no directive @heading",
    "@title\nbandwidth\n": ":1: @title without a text",
    "@table rows=type columns=label\nbandwidth\n": ":1: wanted: @table",
    "@table rows=type columns=label value=\nbandwidth\n": ":1: wanted: @table",
    "@table rows=type columns=label value=x colour=\nbandwidth\n": ":1: wanted: @table",
    "@table rows=type\nbandwidth\n": ":1: wanted: @table",
    "@search cpu={nonsense}\na: bandwidth\n": ":1: no placeholder {nonsense}",
    "@search streams\na: bandwidth\n": ":1: 'streams': not key=value",
    "@search cpu=0,1 cpu=2\na: bandwidth\n": ":1: cpu: is given twice",
    "@search cpu=0,1\na: bandwidth\nbandwidth\n":
        "bad: a line of a section with @search has no label",
    "@table rows=type columns=label values=x\nbandwidth\n": ":1: wanted: @table",
    "@section a\nbandwidth\n@section a\n": ":3: there is a section a already",
    "@needs nodes\nbandwidth\n": ":1: wanted: @needs",
    "@needs 2 disks\nbandwidth\n": ":1: wanted: @needs",
    "@takes long\nbandwidth\n": ":1: wanted: @takes",
    "bandwidth cpu={all}\n": ":1: no placeholder {all}",
    "bandwidth cpu={}\n": ":1: no placeholder {}",
    "bandwidth size={64 or less}\n": ":1: no placeholder {64 or less}",
    "bandwidth {cpus}\n": ":1: neither",
    "@where there\nbandwidth\n": ":1: @where is one of kernel, user, both",
    **{f"@rounds {wrong}\nbandwidth\n": ":1: @rounds is a number from 1 to 1000"
       for wrong in ("0", "x", "1001")},
}


SHOWN = ("@title A title", "@note Mind.", "@note That.",
         "@table rows=type columns=label value=mb_per_s")


class Grammar(fake.InDirectory):
    def test_directives_labels_and_comments(self):
        self.write("one", b"# c\n@title A title\n@note Mind.\n@note That.\n"
                          b"@table rows=type columns=label value=mb_per_s\n\n"
                          b"  w:  bandwidth   op=write  size=4K\nlatency\n")
        found = suite.load("./one")
        self.assertEqual((found.name, found.title), ("one", "A title"))
        [section] = found.sections
        self.assertEqual(section.notes, ["Mind.", "That."])
        self.assertEqual(section.layouts, [suite.Layout("type", "label", ("mb_per_s",))])
        self.assertEqual(found.requests, [
            suite.Request("bandwidth op=write size=4K", "w", "one", directives=SHOWN),
            suite.Request("latency", None, "one", directives=SHOWN)])

    def test_sections(self):
        self.write("one", b"@takes 1.5 s a record\nbandwidth\n@section Second\n@needs 2 nodes\n"
                          b"@table rows=state values=a,b home=writer\n@note n\na: latency\n"
                          b"@section Third\na: latency cpu={two cores of each node}\n")
        found = suite.load("./one")
        self.assertEqual([(r.section, r.label, r.record_s) for r in found.requests], [
            (None, None, 1.5), ("Second", "a", 1.5), ("Third", "a", 1.5)])
        second = found.section("Second")
        self.assertEqual(second.layouts, [
            suite.Layout("state", None, ("a", "b"), (("home", "writer"),))])
        self.assertEqual((second.needs, second.notes), (["2 nodes"], ["n"]))
        self.assertIsNone(found.section("Fourth"))
        self.assertEqual(found.requests[2].line, "latency cpu={two cores of each node}")

    def test_a_search(self):
        self.write("one", b"@search cpu={each share of the cores} smt={each smt} streams=1,2\n"
                          b"@table rows=label values=mb_per_s best=mb_per_s op=read\n"
                          b"a: bandwidth cpu=0 op=read\nb: bandwidth op=write\n")
        found = suite.load("./one")
        [section] = found.sections
        self.assertEqual(section.search, ["cpu={each share of the cores}", "smt={each smt}",
                                          "streams=1,2"])
        self.assertEqual(section.layouts, [
            suite.Layout("label", None, ("mb_per_s",), (("op", "read"),), "mb_per_s")])
        for machine, steps in (
                # What has one value only is nothing to search for.
                (fake.shape(2), [("cpu=0", ""), ("cpu=0-1", ""), ("streams=1", "streams=1"),
                                 ("streams=2", "streams=2")]),
                (fake.shape(1), [("streams=1", ""), ("streams=2", "")]),
                (fake.shape(2, smt=2), [("smt=off", ""), ("smt=on", ""),
                                        ("streams=1", "streams=1"), ("streams=2", "streams=2")])):
            requests, _ = found.requests_for(machine)
            self.assertEqual([(r.label, r.line, r.tries) for r in requests], [
                (label, check.with_words(line, [word]), tries)
                for label, line in (("a", "bandwidth cpu=0 op=read"), ("b", "bandwidth op=write"))
                for word, tries in steps])

    def test_a_placeholder_of_a_search_may_have_a_comma(self):
        self.write("one", b"@search size={1G or less, 2 times},4K\na: bandwidth\n")
        requests, _ = suite.load("./one").requests_for(fake.shape(memory=1 << 30))
        self.assertEqual([r.line for r in requests], ["bandwidth size=128M", "bandwidth size=4K"])

    def test_a_record_describes_the_suite_that_it_is_of(self):
        found = suite.suite_of_request({"suite": "gone", "directives": list(SHOWN)})
        self.assertEqual((found.name, found.title), ("gone", "A title"))
        self.assertEqual(found.section(None).notes, ["Mind.", "That."])
        self.assertEqual(suite.suite_of_request({"suite": "c2c"}).title, "Cache to cache")
        for record in ({}, {"suite": "gone"}, {"suite": "../suites/c2c"},
                       {"suite": "c2c", "directives": ["@table nonsense"]}):
            self.assertIsNone(suite.suite_of_request(record))

    def test_bad_files_are_refused_by_line(self):
        for text, said in BAD.items():
            self.write("bad", text.encode())
            fake.refused(self, re.escape(said), suite.load, "./bad")

    def test_a_file_that_is_not_text_is_refused(self):
        self.write("bad", b"\xff\xff\0\1")
        fake.refused(self, "bad: not text", suite.load, "./bad")

    def test_no_name_leads_out_of_the_directory(self):
        for name in ("", ".", "..", "../suites", "nosuch", "-x", "a b"):
            self.assertFalse(suite.exists(name), name)

    def test_another_directory_can_be_named(self):
        self.write("mine", b"bandwidth\n")
        self.enterContext(mock.patch.dict(os.environ, MEMCACHE_SUITES=str(Path.cwd())))
        self.assertEqual(suite.names(), ["mine"])


class Shipped(fake.unittest.TestCase):

    def test_every_key_and_value_is_known(self):
        tests = keys.parse(fake.described_tests())
        self.assertTrue(suite.names())
        for name in suite.names():
            requests, lacking = suite.load(name).requests_for(fake.shape(8, smt=2, nodes=2))
            self.assertEqual(lacking, {}, name)
            for request in requests:
                with self.subTest(request.line):
                    self.check(request.line, tests)

    def check(self, line, tests):
        test, *words = line.split()
        asked = dict(word.split("=", 1) for word in words)
        self.assertEqual(len(asked), len(words), "a key twice")
        for key, values in asked.items():
            choices = tests[test][key].choices
            if choices:
                self.assertLessEqual(set(values.split(",")), set(choices))
            self.assertLessEqual(len(values.split(",")), 64, "a key has at most 64 values")
        self.assertLess(len(line), 4096)

    def test_every_table_is_made_of_what_results_have(self):
        known = fake.result("bandwidth", 1.0).keys() | PLACES.keys() | {"label", *ASKED}
        for name in suite.names():
            found = suite.load(name)
            for section in found.sections:
                tests = {r.line.split()[0] for r in found.requests if r.section == section.title}
                own = {word for test in tests for word in FIGURES.get(test, "").split()}
                for layout in section.layouts:
                    values = {one.partition(":")[0] for one in layout.values}
                    used = {layout.rows, layout.columns, *values, *dict(layout.only)}
                    self.assertLessEqual(used - {None}, known | own, name)

    def test_all_but_the_first_ones_say_how_long_they_take(self):
        untold = [name for name in suite.names() if suite.load(name).record_s is None]
        self.assertEqual(untold, [])

    def test_the_spread_between_rounds_is_in_each_file(self):
        """Nobody can tell equal from different without it."""
        once = {"peak-bandwidth", "memory-scan", "ramp", "amplification", "amplification-each",
                "amplification-quick"}
        for name in set(suite.names()) - once:
            for request in suite.load(name).requests:
                repeat = int(request.line.partition("repeat=")[2].split()[0])
                with self.subTest(f"{name}: {request.line}"):
                    self.assertGreaterEqual(request.rounds, 3)
                    self.assertGreaterEqual(request.rounds * repeat, 6)

    def test_a_simulated_machine_needs_one_round(self):
        request = suite.load("latency-sweep-quick").requests[0]
        job = plan.Job(fake.Kernel(), request)
        self.assertEqual(plan._count_rounds([job], 0), 3)
        self.assertEqual(plan._count_rounds([job, job], 5), 5)
        with mock.patch.dict(os.environ, {"MEMCACHE_SIMULATED": "{}"}):
            self.assertEqual(plan._count_rounds([job], 0), 1)
            self.assertEqual(plan._count_rounds([job, job], 0), 3)

    def test_a_small_machine_has_a_part_of_each(self):
        for name in suite.names():
            requests, lacking = suite.load(name).requests_for(fake.shape(2))
            with self.subTest(name):
                self.assertTrue(requests)
                self.assertTrue(all("2 nodes" in why for why in lacking))

    def test_one_cpu(self):
        requests, lacking = suite.load("mlc").requests_for(fake.shape(1))
        self.assertEqual(lacking, {"it takes 2 cpus, and this machine has 1": ["loaded", "c2c"]})
        self.assertEqual({r.line.split()[0] for r in requests}, {"latency", "bandwidth"})

    def test_latency_sweep_has_all_published_points_and_memory(self):
        published = {(1024 * int(row["buffer_kib"]), int(stride))
                     for row in fake.rows_of("latency_sweep.csv")
                     for stride, ns in row.items() if stride.isdigit() and ns}
        self.assertEqual(len(published), 111)
        for cache in (1 << 20, 96 << 20, 1 << 30):
            shape = fake.shape(2, cache=cache, memory=64 << 30)
            requests, _ = suite.load("latency-sweep").requests_for(shape)
            points = {pattern: set() for pattern in ("random", "stride")}
            for request in requests:
                asked = dict(word.split("=") for word in request.line.split()[1:])
                points[asked["pattern"]] |= {
                    (int(size[:-1]) * UNITS[size[-1]], int(stride))
                    for size in asked["size"].split(",")
                    for stride in asked.get("stride", "64").split(",")}
            self.assertLessEqual(published, points["stride"])
            for pattern, strides in (("random", {64}), ("stride", {64, 1024, 4096, 8192, 16384})):
                beyond = {stride for size, stride in points[pattern] if size >= 4 * cache}
                self.assertEqual(beyond, strides)

    def test_sets_of_memory_are_four_times_the_caches(self):
        """Suites with sets of fixed sizes: sweeps of caches, published settings, uncached types."""
        fixed = {"bandwidth-sweep-quick", "cache-attributes", "cache-attributes-quick",
                 "latency-sweep-quick", "line-tlb", "os-overhead", "os-overhead-quick"}
        cache, largest = 504 << 20, dict[tuple[str, str], int]()
        for name in suite.names():
            requests, _ = suite.load(name).requests_for(
                fake.shape(4, nodes=2, cache=cache, memory=64 << 30))
            for test, sizes in re.findall(r"\b(\w+) .*?\bsize=(\S+)",
                                          "\n".join(request.line for request in requests)):
                sizes = [int(s[:-1]) * UNITS[s[-1]] for s in re.split(r",|\.\.", sizes)]
                largest[name, test] = max(*sizes, 0, largest.get((name, test), 0))
        self.assertEqual({name for (name, _), size in largest.items() if size < 4 * cache}, fixed)

    def test_cache_attributes_is_memcachetests(self):
        requests = suite.load("cache-attributes").requests
        self.assertEqual({r.rounds for r in requests}, {5})     # 50 samples of each
        self.assertEqual([r.label for r in requests],
                         [test for memory, test in fake.published() if memory == "wb"])
        for request in requests:
            for word in ("type=wb,uc,wc", "size=16M", "cpu={first}", "repeat=10"):
                self.assertIn(word, request.line.split())
            wide = "width=16" if request.label.startswith("nt") else "width=8"
            self.assertIn(wide, request.line)
            fence = {"write": "sfence", "ntwrite": "sfence", "write_ucfence": "uc",
                     "ntwrite_ucfence": "uc"}.get(request.label, "none")
            self.assertIn(f"fence={fence}", request.line)
