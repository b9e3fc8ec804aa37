# SPDX-License-Identifier: GPL-2.0-only
"""Tables and the report: shapes, widths, and what must not be overlooked."""

import os
from unittest import mock

import fake
from mc.analysis.verdict import Type
from mc.output import report, terminal
from mc.parts import Grid, Heading, Picture, Sentence, bullets
from mc.records import units


def attributes(about=fake.BARE, effective=fake.YES, **more):
    """A run of cache-attributes with the published figures."""
    return fake.cache_attributes(lambda *which: fake.published()[which], about, effective, **more)


def listing(*words, **more):
    found = [fake.result(f"bandwidth {w}", 1000.0, **more) for w in words]
    return fake.runs(fake.machine(), fake.request("bandwidth", len(found)), *found)


def columns(count):
    return mock.patch.dict(os.environ, COLUMNS=str(count))


class Hardware(fake.unittest.TestCase):
    """What is said of hardware: nothing where the machine is emulated."""

    def test_a_clock_that_moved_is_said(self):
        runs = listing("size=4K", "size=8K")
        for clock, said in ((3000, False), (2900, False), (2500, True)):
            runs[0].results[1]["core_mhz"] = clock
            text = fake.one_line(report.lines(runs))
            self.assertEqual("The core's clock was measured between 2500 and 3000 MHz" in text,
                             said)

    def test_nothing_is_concluded_from_an_emulator(self):
        runs = listing("size=4K", "size=8K", prefetch="ineffective")
        runs[0].results[1]["core_mhz"] = 2500
        scan = fake.runs_of(fake.BARE, ("scan", [fake.figure(
            "scan", {"region_bytes": 64, "begin_mib": at}, {"mb_per_s": 1.0, "covered_bytes": 64})
            for at in range(9)]))
        for name, said in ((None, True), ("kvm", True), ("tcg", False)):
            for run in (*runs, *scan):
                run.machine["hypervisor"] = name
            text = fake.one_line([*report.lines(runs), *report.lines(scan)])
            for what in ("The core's clock was measured", "prefetchers were on",
                         "Regions slower than others"):
                self.assertEqual(what in text, said, (name, what))


class Levels(fake.unittest.TestCase):
    """Who measures a cache is told so."""

    def test_a_load_that_fits_caches(self):
        found = [fake.figure("loaded", {"op": "read", "delay_cycles": delay}, {
            "ns_per_load": 20.0, "mb_per_s": 9000.0, "level": level})
            for delay, level in ((0, "l3"), (100, "l3"), (200, "memory"), (300, None))]
        for some, said in ((found, {"count": (2, 4), "levels": ["l3"], "load": True,
                                    "guess": True}), (found[2:], None)):
            runs = fake.runs_of(fake.BARE, ("loaded", some))
            self.assertEqual(fake.said(report.parts(runs)).get("fits_caches"), said)

    def test_bandwidth_of_a_cache(self):
        """In a list the column says it, in a suite's table a line below."""
        self.assertIn("l3", " ".join(report.lines(listing("size=4K", "size=1M", level="l3"))))
        for runs, said in ((listing("size=4K", level="l3"), False),
                           (attributes(level="l3"), True), (attributes(level="memory"), False)):
            self.assertEqual("fits_caches" in fake.said(report.parts(runs)), said)

    def told(self, *chases, held=None, **machine):
        """What a report says of bandwidth of 16M in L3, if these latencies were measured, too: of
        each id how many of two results, and whether that is a guess."""
        lines = [f"bandwidth op={op} size=16M" for op in ("read", "write")]
        found = [fake.result(line, 1000.0) | {"level": "l3", "threads": 1} | (held or {})
                 for line in lines]
        loads = [fake.figure("latency", {"pattern": "random", "stride_bytes": 64,
                                         "size_bytes": size << 20} | more,
                             {"ns_per_load": 9.0, "level": level})
                 for size, level, *rest in chases for more in (rest or [{}])]
        asked = [("latency", loads)] if loads else []
        said = fake.said(report.parts(fake.runs_of(
            fake.KVM, *asked, ("bandwidth", found), suite="bandwidth-sweep-quick", **machine)))
        return {name: (*facts["count"], facts.get("guess")) for name, facts in said.items()
                if name in ("between", "fits_caches", "memory_by_latency", "memory_by_report",
                            "no_caches")}

    def test_whether_latency_shows_the_level(self):
        fits, guess, memory = ({"fits_caches": (2, 2, False)}, {"fits_caches": (2, 2, True)},
                               {"memory_by_latency": (2, 2, False)})
        two = {"threads": 2, "cpu": "0-1"}
        reported = [{"cpus": "0", "level": 1, "kind": "data", "size_bytes": 32768}]
        last = {"size_bytes": 32 << 20, "by": "cpu", "searched": None}
        found = last | {"by": "search", "searched": "2026-11-29T10:00:00Z"}
        for chases, held, machine, said in (
                *(([one], {}, {}, fits) for one in ((16, "l3"), (32, "l3"))),
                *((other, {}, {}, guess) for other in (
                    [], [(8, "l3")], [(16, "l3", {"pattern": "stride"})],
                    [(16, "memory", {"type": "uc"})], [(32, "memory")],
                    [(16, "l3", {"stride_bytes": 4096})], [(16, None)])),
                ([(16, "between")], {}, {}, guess | {"between": (1, 1, None)}),
                ([], {"level": "between"}, {}, {"between": (2, 2, None)}),
                ([], {"level": "memory"}, {"last_cache": last}, {"memory_by_report": (2, 2, None)}),
                ([], {"level": "memory"}, {"last_cache": found}, {}),
                ([], {"level": "between"}, {"last_cache": found}, {"between": (2, 2, None)}),
                *(([one], {}, {}, memory) for one in ((16, "memory"), (4, "memory"))),
                # Two threads of 8M each. A chase in L3 does not show that there is room for two.
                ([(8, "memory")], two, {}, memory), ([(16, "memory")], two, {}, guess),
                ([(16, "l3")], two, {}, guess),
                ([], {"level": "l4"}, {}, guess),
                # A CPU that reports no caches, one that reports some, and a record without them.
                ([], {"level": None}, {"caches": []}, {"no_caches": (2, 2, None)}),
                ([], {"level": None}, {"caches": reported}, {}), ([], {"level": None}, {}, {})):
            with self.subTest((chases, held, machine)):
                self.assertEqual(self.told(*chases, held=held, **machine), said)

    def test_latency_of_another_kind_of_core(self):
        caches = [{"cpus": cpus, "level": 3, "kind": "unified", "size_bytes": size << 20}
                  for cpus, size in (("0", 32), ("1", 32), ("2", 4))]
        for cpu, known in (("0", True), ("1", True), ("2", False)):
            said = self.told((16, "memory", {"cpu": cpu}), caches=caches)
            self.assertEqual("memory_by_latency" in said, known)


class Tables(fake.unittest.TestCase):
    def test_names_are_split_between_words(self):
        name = "flat from the pages"
        self.assertEqual(terminal.split(name, 1), [name])
        self.assertEqual(terminal.split(name, 2), ["flat from", "the pages"])
        self.assertEqual(terminal.split(name, 3), ["flat", "from the", "pages"])
        for word in ("read", "ntwrite_nofence_deferred", "1:1-reads-writes", "|1   10   100|"):
            self.assertEqual(terminal.split(word, 3), [word])

    def test_columns_stand_under_their_names(self):
        for grid, lines in (
                (Grid(["type", "x"], [["WB", "1.0"], ["UC", "100.0"]]),
                 ["type      x", "WB      1.0", "UC    100.0"]),
                (Grid([], [["CPU", "x"], ["Clock", "tsc"]], 2), ["CPU    x", "Clock  tsc"])):
            self.assertEqual(terminal.table(grid), lines)

    def test_a_table_too_wide_goes_on_below(self):
        lines = terminal.table(Grid(["size", *(f"c{i}" for i in range(40))],
                                    [["4K", *("123456.7" for _ in range(40))]]))
        self.assertLessEqual(max(map(len, lines)), terminal.width())
        self.assertEqual(" ".join(lines).split().count("123456.7"), 40)
        self.assertEqual(sum(line.startswith("4K") for line in lines), lines.count("") + 1)

    def test_what_goes_on_below_repeats_all_that_tells_rows_apart(self):
        grid = Grid(["op", "size", *(f"c{i}" for i in range(40))],
                    [[op, size, *("123456.7" for _ in range(40))]
                     for op in ("read", "write") for size in ("4K", "8K")], keys=2)
        blocks = "\n".join(terminal.table(grid)).split("\n\n")
        self.assertGreater(len(blocks), 1)
        for block in blocks:
            self.assertEqual([line.split()[:2] for line in block.splitlines()], [
                ["op", "size"], ["read", "4K"], ["read", "8K"], ["write", "4K"], ["write", "8K"]])

    def test_a_matrix_is_turned_before_it_is_split(self):
        grid = Grid(["size / op", *(f"operation_{i}" for i in range(9))],
                    [[size, *(str(i) for i in range(9))] for size in ("4K", "8K")], matrix=True)
        lines = terminal.table(grid)
        self.assertEqual(lines[0].split(), ["op", "/", "size", "4K", "8K"])
        self.assertEqual([line.split() for line in lines[1:]],
                         [[f"operation_{i}", str(i), str(i)] for i in range(9)])
        with columns(200):
            self.assertEqual(len(terminal.table(grid)), 3)

    def test_rows_that_are_too_wide_become_lists(self):
        grid = Grid(["operation", "working set", "figure"],
                    [["a-long-operation", "a-long-working-set", "1.0"]], keys=2)
        with columns(40):
            self.assertEqual(terminal.table(grid), [
                "operation a-long-operation, working set", "a-long-working-set", "  figure 1.0"])

    def test_no_word_is_torn(self):
        path = "/sys/kernel/debug/memcache/results-of-the-other-machine.jsonl"
        with columns(40):
            self.assertEqual(terminal.wrap_lines(f"They are in {path} now.", "- "),
                             ["- They are in", f"  {path}", "  now."])

    def test_the_width_is_that_of_the_terminal(self):
        for told, wanted in (("10", 40), ("64", 64), ("999", 200)):
            with columns(told):
                self.assertEqual(terminal.width(), wanted)
        with mock.patch.dict(os.environ), mock.patch("sys.__stdout__", None):
            del os.environ["COLUMNS"]
            self.assertEqual(terminal.width(), 80)

    def test_where_empty_lines_stand(self):
        grid = Grid(["a"], [["1"]], title="one", note="two")
        parts = [Sentence("Before."), Heading("Title"), Sentence("A."), grid, grid,
                 *bullets(["b", "c"]), Sentence("Apart.", gap=True), Sentence("d", code="typed"),
                 Heading("Close", gap=False), Picture("Drawn", "<svg/>", ["of this"])]
        self.assertEqual(terminal.lines(parts), [
            "Before.", "", "Title", "A.", "", "one", "a", "1", "", "two", "", "one", "a", "1", "",
            "two", "", "- b", "- c", "", "Apart.", "typed d", "Close", "[Drawn]", "of this"])

    def test_what_must_not_be_wrapped_is_not(self):
        text = "word " * 60
        self.assertEqual(terminal.lines([Sentence(text, wrap=False)]), [text])
        self.assertGreater(len(terminal.lines([Sentence(text)])), 1)

    def test_values(self):
        for key, value, shown in (("mb_per_s", None, "na"), ("size_bytes", 16 << 20, "16M"),
                                  ("size_bytes", 1000, "1000"), ("size_bytes", 0, "0"),
                                  ("mb_per_s", 9.06, "9.1"), ("median_ns", 1.75, "1.75"),
                                  ("width_bytes", 8, "8"), ("cpu", "0-3,8", "0-3,8")):
            self.assertEqual(units.text(key, value), shown)


class Types(fake.unittest.TestCase):
    def test_attributes_of_arm64_fit_the_types(self):
        for name, attribute in (("wb", "wb"), ("wc", "nc"), ("uc", "nGnRE")):
            self.assertTrue(Type(name, attribute, "yes").real, name)
        for name, attribute in (("wc", "nGnRE"), ("uc", "nc"), ("wb", "nc")):
            self.assertFalse(Type(name, attribute, "yes").is_as_asked, name)


class NoMemory(fake.unittest.TestCase):
    def test_no_verdict_on_memory_that_was_not_there(self):
        """Its page is still as asked for: auto."""
        found = [fake.figure("os", {"item": "getpid"}, {"operations_per_sample": 16384},
                             page="auto", effective="unknown", attribute=None)]
        text = "\n".join(report.lines(fake.runs_of(fake.BARE, ("os item=getpid", found))))
        self.assertIn("getpid", text)
        self.assertNotIn("effective", text)
        self.assertNotIn("do not take", text)


class CacheAttributes(fake.unittest.TestCase):
    def test_rows_and_columns_of_memcachetest(self):
        with columns(200):
            lines = report.lines(attributes())
        [wb] = [line for line in lines if line.startswith("WB  ") and "." in line][:1]
        self.assertEqual(wb.split(), "WB 14605.7 12493.9 11718.8 20481.4 20584.2 20351.1 13888.6 "
                                     "13198.0".split())
        head = lines[lines.index(wb) - 1].split()
        self.assertEqual(head, "type write write_nofence write_ucfence ntwrite ntwrite_nofence "
                               "ntwrite_nofence_deferred ntwrite_ucfence read".split())
        self.assertEqual([lines[lines.index(wb) + i].split()[0] for i in (1, 2)], ["UC", "WC"])

    def test_on_a_narrow_terminal_types_are_columns(self):
        with columns(80):
            lines = report.lines(attributes())
        start = lines.index("Access speed by memory type (MB/s)")
        self.assertEqual([line.split() for line in lines[start + 2:start + 5]],
                         [["WB", "UC", "WC"], ["write", "14605.7", "228.2", "25622.5"],
                          ["write_nofence", "12493.9", "226.7", "25378.2"]])

    def test_it_fits_any_terminal(self):
        for runs in (attributes(), attributes(fake.TCG, fake.NO), attributes(verified="failed"),
                     attributes(mb_per_s=1234567.8), listing("size=4K", "size=8K")):
            for count in (40, 72, 80, 100, 132, 200):
                for wide in (False, True):
                    with columns(count):
                        self.assertLessEqual(max(map(len, report.lines(runs, wide))), count)

    def test_emulation_is_said_plainly(self):
        text = "\n".join(report.lines(attributes(fake.TCG, fake.NO)))
        self.assertIn("hypervisor: tcg", text)
        for name in "", "unknown":      # "" is of an older version
            runs = fake.runs_of(fake.BARE | {"hypervisor": name}, ("bandwidth", [
                fake.result("bandwidth", 9000.0)]))
            self.assertIn("hypervisor: unknown", "\n".join(report.lines(runs)))
        self.assertIn("- Nothing: on an emulated machine", text)
        self.assertIn("MEMORY TYPES HAVE NO EFFECT ON THIS MACHINE", text)
        self.assertNotIn("faster", text)
        self.assertNotIn("slower", text)

    def test_failed_verification_is_loud(self):
        runs = attributes()
        runs[1].results[2]["verified"] = "failed"
        text = "\n".join(report.lines(runs))
        self.assertIn("*** VERIFICATION FAILED", text)
        self.assertIn("- write_nofence op=write", text)
        self.assertIn("!25378.2", text)
        self.assertIn("verified in 23 of 24", text)

    def test_what_was_not_measured_is_na(self):
        runs = attributes()
        runs[0].results[0]["mb_per_s"] = None
        with columns(200):
            self.assertRegex("\n".join(report.lines(runs)), r"WB +na +12493.9")

    def test_samples_that_were_left_out_or_disturbed_are_counted(self):
        for more, said in (
                ({"left_out": 2, "left_out_why": "clock"}, "48 samples were left out (clock)"),
                ({"disturbed_interrupt": 3, "disturbed_steal": 1, "windows_left_out": 2},
                 "72 of 240 samples saw interrupts; 24 of 240 samples saw stolen time; "
                 "48 timed windows were left out of samples that count.")):
            self.assertIn(said, " ".join(report.lines(attributes(**more), wide=True)))
        self.assertNotIn("saw", " ".join(report.lines(attributes(), wide=True)))

    def test_a_cell_wanted_twice_makes_it_a_list(self):
        runs = attributes()
        runs[0].results.append(dict(runs[0].results[0], size_bytes=4096))
        text = "\n".join(report.lines(runs, wide=True))
        self.assertRegex(text, r"label +type +size +median_ns +cv_percent +mb_per_s\n")
        self.assertRegex(text, r"\nwrite +wb +4K ")


class Lists(fake.unittest.TestCase):
    def test_what_differs_makes_columns_the_rest_is_said_once(self):
        text = "\n".join(report.lines(listing("size=4K", "size=8K"), wide=True))
        self.assertRegex(text, r"size +median_ns +cv_percent +mb_per_s\n4K ")
        self.assertIn("All with: op=read width=16 fence=none", text)

    def test_what_was_varied_and_the_figure_come_first(self):
        runs = listing("op=read size=4K", "op=read size=8K", left_out=2, level="l1")
        runs[0].request["line"] = "bandwidth size=4K,8K cpu=0 repeat=3 warmup=2 fence=none"
        for result in runs[0].results:
            result["repeat"] = 3
        self.assertEqual(report.lines(runs)[2:], [
            "bandwidth", "", "size  mb_per_s  cv_percent  level",
            "4K      1000.0        1.00     l1",
            "8K      1000.0        1.00     l1", "", "With: repeat=3.", "",
            "WB: page tables and timing show what was asked for."])

    def test_a_type_that_is_not_real_says_so_in_its_row(self):
        found = [fake.result(f"bandwidth type={t}", 1000.0, effective=known)
                 for t, known in (("wb", "yes"), ("uc", "unknown"))]
        text = "\n".join(report.lines(fake.runs(
            fake.machine(), fake.request("bandwidth type=wb,uc", 2), *found)))
        self.assertRegex(text, r"type +mb_per_s +cv_percent +effective\nwb .* yes\nuc .* unknown\n")
        self.assertIn("do not take these rows", text)

    def test_a_request_that_measured_nothing(self):
        runs = fake.runs(fake.machine(), fake.request(
            "bandwidth size=1G", 0, state="failed", errno=12, error="size: no memory"))
        lines = report.lines(runs)
        self.assertIn("bandwidth: no results", lines)
        self.assertEqual(lines[-1], "- bandwidth size=1G: failed: ENOMEM size: no memory")

    def test_another_test_has_no_findings(self):
        runs = listing("size=4K")
        for record in (runs[0].request, *runs[0].results):
            record["test"] = "latency"
        self.assertNotIn("What stands out", report.lines(runs))
