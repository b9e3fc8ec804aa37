# SPDX-License-Identifier: GPL-2.0-only
"""How results are drawn: matrices, curves, histograms, the levels of a sweep."""

import fake
from mc.analysis import levels, spread
from mc.output import layout, report
from mc.records import suite
from mc.records.suite import Layout

NODES = [{"node": 0, "cpus": "0-1,4-5", "memory_bytes": 1 << 30},
         {"node": 1, "cpus": "2-3,6-7", "memory_bytes": 1 << 30}]
CACHES = [{"level": level, "kind": kind, "size_bytes": size << 10, "shared_by_cpus": 1}
          for level, kind, size in ((1, "data", 48), (1, "code", 32), (2, "unified", 1024),
                                    (3, "unified", 32768))]


def c2c(pairs, state="hitm", home="writer", ns=None, **more):
    return [fake.figure("c2c", {"state": state, "home": home, "cpu": "0-3,4"},
                        {"writer_cpu": a, "reader_cpu": b,
                         "siblings": "yes" if abs(a - b) == 4 else "no",
                         "ns_per_line": ns or 100.0 * a + b, "ns_per_line_min": 1.0,
                         "lines": 1024}, **more) for a, b in pairs]


def latency(size, ns, level=None, **more):
    return fake.figure("latency", {"pattern": "random", "stride_bytes": 64, "size_bytes": size},
                       {"ns_per_load": ns * 1.1, "ns_per_load_min": ns, "level": level,
                        "p50_ns_per_load": ns, "p99_ns_per_load": 2 * ns,
                        "p999_ns_per_load": 3 * ns, "core_mhz": 4000, "loads_per_pass": 1024,
                        "histogram_ns_count": [[ns, 900], [2 * ns, 99], [1e6 * ns, 1]]} | more)


def tlb(extra):
    """What loads of so many pages take beyond a hit of the TLB."""
    return [fake.figure("tlb", {"size_bytes": 4096 * pages}, {
        "pages": pages, "page_bytes": 4096, "ns_per_load": 0.9 + ns, "packed_ns_per_load": 0.9,
        "tlb_ns": ns}) for pages, ns in extra.items()]


def sweep(times):
    return [latency(4096 << i, ns) for i, ns in enumerate(times)]


SWEEP = [0.9] * 4 + [3.2] * 5 + [15.0] * 3 + [60.0, 110.0, 110.0]    # from 4K to 64M


def text(runs):
    return "\n".join(report.lines(runs))


class Matrices(fake.unittest.TestCase):
    def draw(self, wanted, found, **more):
        """The words of each line of the tables; None if there is none of this layout."""
        [run] = fake.runs_of(fake.BARE, (found[0]["test"], found), nodes=NODES, **more)
        grids = layout.draw(wanted, [(run, result) for result in run.results])
        return None if grids is None else [line.split() for line in fake.terminal_lines(grids)]

    def test_pairs_of_many_cpus_are_shown_by_class(self):
        """More than 64 CPUs make no matrix that anybody could read."""
        found = [{**one, "shares": "core" if one["writer_cpu"] < 2 else "nothing",
                  "node_distance": 10 if one["writer_cpu"] < 2 else 21}
                 for one in c2c([(cpu, cpu + 1) for cpu in range(67)])]
        self.assertEqual(self.draw(layout.layouts_of("c2c")[0], found[::-1])[1:], [
            ["core", "51.50", "1.00", "102.00", "2"],
            ["nothing,", "distance", "21", "3435.00", "203.00", "6667.00", "65"]])

    def test_every_pair_of_cpus(self):
        found = c2c([(0, 1), (0, 4), (1, 0), (1, 4), (4, 0)]) + c2c([(0, 1)], "hit")
        self.assertEqual(self.draw(layout.layouts_of("c2c")[0], found), [
            ["state=hitm"],
            ["writer", "cpu", "/", "reader", "cpu", "0", "1", "4"],
            ["0", "-", "1.00", "4.00*"], ["1", "100.00", "-", "104.00"],
            ["4", "400.00*", "na", "-"], [],
            ["state=hit"], ["writer", "cpu", "/", "reader", "cpu", "0", "1"],
            ["0", "-", "1.00"], ["1", "na", "-"], [],
            ["*", "siblings:", "two", "CPUs", "of", "one", "core"]])

    def test_no_siblings_no_mark(self):
        self.assertNotIn("*", str(self.draw(layout.layouts_of("c2c")[0], c2c([(0, 1), (1, 0)]))))

    def test_places_take_the_median(self):
        found = c2c([(0, 1)], ns=10.0) + c2c([(1, 0)], ns=20.0) + c2c([(0, 4)], ns=3.0) + \
            c2c([(0, 2), (2, 0)], ns=100.0) + c2c([(0, 3)], ns=140.0)
        self.assertEqual(self.draw(Layout("state", "pair", ("ns_per_line",)), found), [
            ["state", "/", "pair", "local", "sibling", "remote"],
            ["hitm", "15.00", "3.00", "100.00"]])
        lines = self.draw(Layout("writer_node", "reader_node", ("ns_per_line",),
                                 (("pair", "remote"),)), found)
        self.assertEqual([line[-2:] for line in lines],
                         [["0", "1"], ["-", "120.00"], ["100.00", "-"]])

    def test_nodes_of_cpus_and_memory(self):
        found = [latency(1 << 20, 80.0 + 10 * cpu + 50 * node, cpu=str(cpu), node=str(node),
                         memory_node=node) for cpu in (0, 2) for node in (0, 1)]
        self.assertEqual(
            self.draw(Layout("cpu_node", "memory_node", ("ns_per_load_min",)), found),
            [["cpu", "node", "/", "memory", "node", "0", "1"],
             ["0", "80.00", "130.00"], ["1", "100.00", "150.00"]])

    def test_memory_that_does_not_say_where_it_is(self):
        found = [latency(1 << 20, 80.0, node="1", memory_node=None),
                 latency(1 << 20, 90.0, node="0", memory_node=None)]
        lines = self.draw(Layout("cpu_node", "memory_node", ("ns_per_load_min",)), found)
        self.assertEqual(lines[-1], ["0", "90.00", "80.00"])

    def test_what_was_not_measured_is_na(self):
        found = [latency(1 << 14, 1.0), latency(1 << 15, 2.0, stride_bytes=1024),
                 latency(1 << 15, 3.0, ns_per_load_min=None)]
        self.assertEqual(
            self.draw(Layout("size_bytes", "stride_bytes", ("ns_per_load_min",)), found),
            [["size", "/", "stride", "64", "1K"], ["16K", "1.00", "na"], ["32K", "na", "2.00"]])

    def test_sizes_rise_and_other_keys_make_tables_of_their_own(self):
        found = [latency(size, 1.0, page=page) for page in ("4k", "2m")
                 for size in (1 << 20, 1 << 14)]
        lines = self.draw(Layout("size_bytes", None, ("ns_per_load_min",)), found)
        self.assertEqual([line[0] for line in lines if line],
                         ["page=4k", "size", "16K", "1M", "page=2m", "size", "16K", "1M"])

    def test_the_same_twice_is_no_matrix(self):
        self.assertIsNone(self.draw(layout.layouts_of("c2c")[0], c2c([(0, 1), (0, 1)])))

    def test_nothing_of_what_is_wanted(self):
        self.assertEqual(self.draw(Layout("state", "pair", ("ns_per_line",),
                                          (("pair", "remote"),)), c2c([(0, 1)])), [])

    def test_loaded_latency_without_a_suite(self):
        found = [fake.figure("loaded", {"op": "read", "delay_cycles": delay},
                             {"latency_cpu": 0, "ns_per_load": 90.0 + delay, "mb_per_s": 1000.0,
                              "load_mb_per_s": 900.0, "delay_ns": delay / 4}, verified="off")
                 for delay in (0, 100)]
        shown = text(fake.runs_of(fake.BARE, ("loaded delay=0,100", found)))
        self.assertRegex(shown, "loaded\n\ndelay cycles +delay_ns +ns_per_load +mb_per_s +load_mb"
                                "_per_s\n0 +0.00 +90.00 +1000.0 +900.0\n100 +25.00 +190.00 ")
        self.assertNotIn("verified", shown)


class Levels(fake.unittest.TestCase):
    def block(self, found, about=fake.BARE, **more):
        [run] = fake.runs_of(about, (found[0]["test"], found), **more)
        return "\n".join(fake.terminal_lines(levels.parts([(run, r) for r in run.results])))

    def test_caches_beside_what_the_cpu_says(self):
        found = self.block(sweep(SWEEP), caches=CACHES)
        for row in (r"L1 +4K +32K +4\dK +0.90 +3.6 +48K\n",
                    r"L2 +64K +1M +1\.\dM +3.20 +12.8 +1M\n",
                    r"L3 +2M +8M +1\dM +15.00 +60.0 +32M\n",
                    r"memory +(16|32)M +64M +110.00 +440.0\n"):
            self.assertRegex(found, row)
        self.assertIn("L3 ends at about", found)
        self.assertIn("but the CPU says 32M: others may use it at the same time", found)
        self.assertNotIn("L2 ends", found)

    def test_levels_of_disturbed_figures_are_marked(self):
        curve = [result | {"steady": "no"} if result["size_bytes"] <= 32 << 10 else result
                 for result in sweep(SWEEP)]
        found = self.block(curve, caches=CACHES)
        self.assertRegex(found, r"\n~L1 +4K +32K")
        self.assertRegex(found, r"\nL2 +64K")
        self.assertIn("Levels with a mark come from figures with that mark", found)
        self.assertNotIn("with that mark", self.block(sweep(SWEEP), caches=CACHES))

    def test_times_are_called_those_of_fastest_passes(self):
        """The median pass of these took a tenth longer."""
        rows = self.block(sweep(SWEEP), caches=CACHES).splitlines()
        head = next(row for row in rows if row.startswith("level "))
        self.assertRegex(head, r"ends at about +fastest ns +fastest cycles +CPU says$")
        ends = head.index("fastest ns") + len("fastest ns")
        self.assertTrue(next(row for row in rows if row.startswith("L1 "))[:ends].endswith(" 0.90"))

    def test_caches_of_the_cpu_that_was_measured(self):
        """0.9 ns up to 32K: an L1 of 48K, or of 32K."""
        mine = [cache | {"cpus": "0-3"} for cache in CACHES]
        other = [cache | {"cpus": "4-7", "size_bytes": 2 * cache["size_bytes"] // 3}
                 for cache in CACHES]
        for cpu, size in (("0", "48K"), ("5", "32K")):
            found = self.block([r | {"cpu": cpu} for r in sweep(SWEEP)], caches=mine + other)
            self.assertRegex(found, rf"\nL1 +4K .* {size}\n")

    def test_a_cache_that_is_not_as_the_cpu_says(self):
        small = [cache | {"size_bytes": 16 << 10} if cache["level"] == 1 else cache
                 for cache in CACHES]
        for times, about, caches, said in (
                (SWEEP, fake.KVM, CACHES, "a virtual machine may be told of more than it gets"),
                (SWEEP, fake.BARE, small, "L1 seems larger"),
                (SWEEP[:8], fake.BARE, CACHES, r"(?s)\nL2 +64K +512K +3.20.*does not reach memory"),
                (SWEEP, fake.BARE, [], r"\nL1 .* na\nL2 .* na\nL3 .* na\n"),
                (SWEEP, fake.TCG, CACHES,
                 r"\A(?!(?s:.*)L1)(?s:.*)No levels are named: an emulated machine")):
            with self.subTest(said):
                self.assertRegex(self.block(sweep(times), about, caches=caches), said)

    def test_a_curve_that_has_no_climb(self):
        """A flat one, one that begins behind a cache, and one that misses sizes."""
        flat = [latency(4096 << i, 90.0, "memory") for i in range(15)]
        self.assertIn("- No step shows L1, L2 and L3: the curve is flat.",
                      self.block(flat, caches=CACHES))
        late = [latency(8 << 20 << i, 15.0 if i < 3 else 110.0, "l3" if i < 3 else "memory")
                for i in range(7)]
        shown = self.block(late, caches=CACHES)
        self.assertIn("- No step shows L1 and L2: the first level of the curve is L3.", shown)
        gap = [latency(4096 << i, ns, "memory" if ns > 100 else None) for i, ns in
               enumerate([0.9] * 4 + [3.2] * 5 + [110.0] * 6)]
        shown = " ".join(self.block(gap, caches=CACHES).split())
        self.assertIn("- No step shows L3: no size between 1M and 2M was measured.", shown)
        self.assertRegex(shown, r" memory 2M ")
        climb = gap[:9] + [latency(size << 20, ns, "l3") for size, ns in ((2, 9.0), (4, 30.0))] + \
            gap[11:]
        shown = " ".join(self.block(climb, caches=CACHES).split())
        self.assertIn("- No step shows L3: the curve climbs from the level before to the next "
                      "without a stop.", shown)

    def test_passes_that_were_interrupted(self):
        # Slower than 99 of 100 loads: the median load is nearer to the truth.
        self.assertEqual(levels.load_ns({"ns_per_load_min": 900.0, "p99_ns_per_load": 400.0,
                                         "p50_ns_per_load": 130.0}), 130.0)
        self.assertEqual(levels.load_ns({"ns_per_load_min": 140.0, "p99_ns_per_load": 400.0,
                                         "p50_ns_per_load": 130.0}), 140.0)
        self.assertIsNone(levels.load_ns({"ns_per_load_min": None}))

    def test_what_makes_no_curve(self):
        for found in (sweep(SWEEP[:4]), [r | {"pattern": "stride"} for r in sweep(SWEEP)],
                      [r | {"type": "uc"} for r in sweep(SWEEP)]):
            self.assertEqual(self.block(found), "")

    def test_a_curve_for_each_setting(self):
        found = self.block(sweep(SWEEP) + [r | {"cpu": "1"} for r in sweep(SWEEP)])
        self.assertIn("Levels in this curve: cpu=0\n", found)
        self.assertIn("Levels in this curve: cpu=1\n", found)

    def test_sizes_are_matched_to_caches(self):
        for limits, sizes, wanted in (([50, 1000], [48, 1024, 32768], [0, 1]),
                                      ([50, 9000], [48, 1024, 32768], [0, 2]),
                                      ([50, 1000, 9000, 400000], [48, 1024, 32768],
                                       [0, 1, 2, None]),
                                      ([50], [], [None]), ([], [48], [])):
            self.assertEqual(levels.match(limits, sizes), wanted)

    def test_tlbs(self):
        extra = {16: 0.0, 32: 0.0, 64: 0.0, 96: 0.01, 128: 1.6, 256: 1.6, 512: 1.6, 2048: 1.7,
                 4096: 2.2, 6144: 9.5, 8192: 14.5, 12288: 15.3}
        found = tlb(extra)
        shown = self.block(found)
        self.assertIn("TLBs in this curve, pages of 4K", shown)
        for row in (r"L1 TLB +16 +96 +96\.\.127 +0.00 +1.60\n",
                    r"L2 TLB +128 +4096 +4096\.\.6143 +1.60 ", r"page walk +\d+ +12288 "):
            self.assertRegex(shown, row)
        self.assertNotIn("between", shown)      # one step, which climbs over an octave
        self.assertIn("No step", self.block(found[:4] + [dict(r, size_bytes=1) for r in found[:3]]))

    def test_a_page_walk_has_no_entries(self):
        """Two levels of page walks, of tables in a cache and in memory; after an L2 TLB, or not."""
        for second, name in ((1.6, "L2 TLB"), (12.0, "L2 TLB or page walk")):
            extra = {16: 0.0, 32: 0.0, 64: 0.0, 128: second, 256: second, 512: second,
                     1024: 25.0, 2048: 25.0, 4096: 25.0, 8192: 90.0, 16384: 90.0}
            shown = self.block(tlb(extra))
            self.assertRegex(shown, r"\nL1 TLB +16 +64 +64\.\.127 +0\.00 +\d")
            self.assertRegex(shown, r"\npage walk +1024 +4096 +25\.00\n")
            self.assertRegex(shown, r"\npage walk +8192 +16384 +90\.00\n?")
            self.assertRegex(shown, rf"\n{name} +128 +512 +" + (
                r"512\.\.1023 +1\.60 +23\.40\n" if name == "L2 TLB" else r"12\.00\n"))

    def test_several_steps_of_tlbs_are_not_one(self):
        extra = {64: 0.0, 128: 0.0, 256: 0.0, 512: 0.0, 1024: 0.0, 2048: 0.0, 4096: 12.0,
                 8192: 55.0, 16384: 163.0, 32768: 163.0}
        shown = self.block(tlb(extra))
        for row in (r"L1 TLB +64 +2048 +2048\.\.4095 +0.00 +12.00\n",
                    r"between +4096 +4096 +4096\.\.8191 +12.00 +43.00\n",
                    r"between +8192 +8192 +8192\.\.16383 +55.00 +108.00\n",
                    r"page walk +16384 +32768 +163.00"):
            self.assertRegex(shown, row)
        self.assertIn("a step of its own", " ".join(shown.split()))


class Slower(fake.unittest.TestCase):
    """Passes that took longer than their loads did in batches."""
    L1 = [{"cpus": "0", "level": 1, "kind": "data", "size_bytes": 32 << 10, "line_bytes": 64,
           "ways": 8, "shared_by_cpus": 1}]

    def shown(self, *found, **more):
        return " ".join(text(fake.runs_of(fake.BARE, ("latency", list(found)), **more)).split())

    def test_samples_that_were_interrupted(self):
        found = [latency(4096, 1.0)] + [
            latency(size, ns, ns_per_load=900.0, disturbed_interrupt=seen, samples=10)
            for size, ns, seen in ((8192, 100.0, 10), (16384, 120.0, 5))]
        self.assertIn("In 2 of them a load took longer on average than 99 of 100 loads did: their "
                      "passes were interrupted. The median load took 100.0 to 120.0 ns there.",
                      self.shown(*found))
        self.assertNotIn("longer on average", self.shown(found[0]))
        self.assertIn("their passes were interrupted", self.shown(
            latency(8192, 100.0, ns_per_load=900.0, disturbed_preemption=10, samples=10)))

    def test_no_reason_that_the_record_does_not_show(self):
        """None was interrupted, or what was interrupted is left out, or nobody can tell."""
        for facts in ({}, {"disturbed_interrupt": 1, "left_out": 1, "samples": 9},
                      {"disturbed_interrupt": 5, "left_out": 5, "samples": 5},
                      {"disturbed_interrupt": 3, "samples": 10},
                      {"disturbed_interrupt": 8, "windows_left_out": 8, "samples": 10},
                      {"disturbed_interrupt": None, "disturbed_migration": None}):
            found = latency(8192, 100.0, ns_per_load=900.0, **facts)
            self.assertIn("In 1 of them a load took longer on average than 99 of 100 loads did. "
                          "The median load took 100.0 ns there.",
                          self.shown(found, caches=self.L1))

    def test_lines_that_compete_for_few_sets(self):
        """Four sets of eight ways; the same lines close together do not compete."""
        for stride, lines, said in ((1024, 32, True), (1024, 64, True), (1024, 24, False),
                                    (64, 32, False), (4096, 8, True), (4096, 4, False)):
            found = latency(stride * lines, 1.2, ns_per_load=3.0, stride_bytes=stride)
            shown = self.shown(found, caches=self.L1)
            sets = "1 set" if stride == 4096 else "4 sets"
            self.assertEqual(f"did: their lines compete for few sets of L1 ({lines} lines in "
                             f"{sets} of 8). The median" in shown, said, shown)
        self.assertNotIn("compete", self.shown(
            latency(32768, 1.2, ns_per_load=3.0, stride_bytes=1024)))

    def test_a_difference_that_the_figures_do_not_show(self):
        found = latency(8192, 100.0)
        most = found["p99_ns_per_load"]
        for ns, said in ((1.04 * most, False), (1.06 * most, True)):
            self.assertEqual("longer on average" in self.shown(found | {"ns_per_load": ns}), said)

    def test_prefetchers_that_stayed_on(self):
        found = [latency(4096, 1.0, prefetch="ineffective"), latency(8192, 1.0)]
        self.assertIn("In 1 of them prefetch=off had no effect",
                      " ".join(text(fake.runs_of(fake.BARE, ("latency", found))).split()))


class Spread(fake.unittest.TestCase):
    def test_one_scale_for_all(self):
        found = [("a", latency(4096, 1.0)), ("b", latency(8192, 100.0))]
        lines = fake.terminal_lines(spread.parts("size", found))
        a, b = (next(line for line in lines if line.startswith(name + " ")) for name in "ab")
        self.assertEqual(a.split()[1:4], ["1.00", "2.00", "3.00"])
        self.assertEqual(a.split("|")[1].index("@"), lines[2].split("|")[1].index("1"))
        self.assertEqual(b.split("|")[1].index("@"), lines[2].split("|")[1].index("100"))
        self.assertEqual(a[-2:], "-|", "what is beyond is in the last column")
        self.assertLessEqual(max(map(len, lines)), 100)

    def test_wide_and_narrow(self):
        for times in ((1.0,), (0.9, 1e6), (0.0, 5.0), (250.0, 260.0)):
            lines = fake.terminal_lines(spread.parts(
                "size", [("x", latency(4096, ns)) for ns in times]))
            self.assertLessEqual(max(map(len, lines)), 100)
            pictures = [line.split("|")[1] for line in lines if line.count("|") == 2]
            self.assertEqual(len({len(picture) for picture in pictures}), 1)

    def test_a_single_one_is_called_by_its_test(self):
        line = "latency size=64M cpu=0 repeat=5 type=wb smt=on node=auto irq=on page=auto"
        [run] = fake.runs_of(fake.BARE, (line, [latency(64 << 20, 90.0)]))
        lines = report.lines([run], wide=True)
        start = lines.index("Distribution of the times of loads (ns)")
        self.assertEqual(lines[start + 3].split()[:4], ["latency", "90.00", "180.00", "270.00"])
        self.assertLess(max(map(len, lines)), 101)

    def test_accesses_are_not_called_loads(self):
        """A test of registers stores, too, and its percentiles have other names."""
        heading, grid, said = spread.parts("op", [("write", {
            "p50_ns_per_access": 2.5, "p99_ns_per_access": 3.5,
            "histogram_ns_count": [[1.0, 50], [10.0, 50]]})])
        self.assertEqual(heading.text, "Distribution of the times of accesses (ns)")
        self.assertEqual(grid.rows[0][1:4], ["2.50", "3.50", "na"])
        self.assertIn("Shares of accesses", said.text)

    def test_no_histogram_no_picture(self):
        self.assertEqual(spread.parts("x", [("a", {"histogram_ns_count": None}), ("b", {})]), [])
        self.assertEqual(spread.parts("x", [("a", latency(1, 1.0))] * 99), [])


class Verdicts(fake.unittest.TestCase):
    def test_a_file_of_write_back_memory_only_says_nothing_of_memory_types(self):
        for about, said, unsaid in ((fake.KVM, "- WB shows no cache at work", "timing show"),
                                    (fake.TCG, "- An emulated machine", "no cache at work")):
            shown = text(fake.runs_of(about, ("latency", [latency(4096, 1.0, effective="no")])))
            self.assertIn(said, shown)
            self.assertNotIn(unsaid, shown)
            self.assertNotIn("NO EFFECT", shown)


class Reports(fake.unittest.TestCase):
    def test_mlc(self):
        found = suite.load("mlc")
        requests, _ = found.requests_for(fake.shape(8, smt=2, nodes=2))
        runs = []
        for request in requests:
            [run] = fake.runs_of(fake.BARE, (request.line, answers(request.line)), suite="mlc",
                                 nodes=NODES)
            run.request |= {"label": request.label, "section": request.section}
            runs.append(run)
        shown = text(runs)
        titles = [section.title for section in found.sections if section.title]
        places = [shown.replace("\n", " ").index(title) for title in titles]
        self.assertEqual(places, sorted(places))
        for row in (r"cpu node / memory node +0 +1\n0 +80.00 +130.00\n1 +130.00 +80.00\n",
                    r"label +mb_per_s\nall-reads +4000.0\n3:1-reads-writes +4000.0\n",
                    r"cpu node / memory node +0 +1\n0 +9000.0 +5000.0\n1 +5000.0 +9000.0\n",
                    r"delay cycles +ns_per_load +mb_per_s +delay_ns\n0 +300.00 ",
                    r"\n20000 +80.00 ", r"state / pair +local +remote\nhit +40.00 +120.00\n",
                    r"home=writer\nwriter node / reader node +0 +1\n0 +- +120.00\n"):
            self.assertRegex(shown, row)
        self.assertNotRegex(shown, "sibling")


def answers(line):
    """What a machine of two nodes measures."""
    test, *words = line.split()
    keys = dict(word.split("=") for word in words)
    if test == "latency":
        return [latency(1 << 28, 1.0, ns_per_load=80.0 if cpu // 2 == node else 130.0,
                        cpu=str(cpu), node=str(node), memory_node=node)
                for cpu in (0, 2) for node in (0, 1)]
    if test == "c2c":
        return [result for state in ("hit", "hitm") for home in ("writer", "reader")
                for a in range(4) for b in range(4) if a != b
                for result in c2c([(a, b)], state, home, 40.0 if a // 2 == b // 2 else 120.0)]
    if test == "loaded":
        return [fake.figure("loaded", {"op": "read", "delay_cycles": int(delay)}, {
            "ns_per_load": 300.0 if delay == "0" else 80.0, "mb_per_s": 4000.0,
            "load_mb_per_s": 3900.0, "delay_ns": int(delay) / 4})
            for delay in keys["delay"].split(",")]
    nodes = keys.get("node", "auto").split(",")
    return [fake.figure("bandwidth", {"op": keys["op"], "cpu": keys["cpu"], "node": node}, {
        "mb_per_s": 4000.0 if node in ("auto", "local") else
        9000.0 if (keys["cpu"][0] == "0") == (node == "0") else 5000.0},
        memory_node=int(node) if node.isdigit() else "0-1" if node == "local" else 0)
        for node in nodes]
