# SPDX-License-Identifier: GPL-2.0-only
"""Pictures: which are drawn of what, and that nothing in them hides another thing."""

import builtins
import os
import sys
import unittest
import warnings
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from unittest import mock
from xml.etree import ElementTree

import fake
from mc import Failure
from mc.commands import cli, plot
from mc.output import charts, draw, hover
from mc.output.captions import captions
from mc.records import results
from mc.records.suite import Layout
from test_draw import CACHES, NODES, SWEEP, c2c, sweep
from test_report import attributes

CPUS = range(8)


def loaded(*delays):
    return [fake.figure("loaded", {"op": "read", "delay_cycles": delay},
                        {"mb_per_s": 90000 / (1 + delay / 50),
                         "ns_per_load": 90 + 900 / (9 + delay)})
            for delay in delays]


def ramp(idle_ns, *speeds):
    """The whole, and steps with these speeds."""
    asked = {"idle_ns": idle_ns, "op": "copy", "steps": len(speeds)}
    return [fake.figure("ramp", asked, {"scope": "whole", "step": None, "at_us": None,
                                        "mb_per_s": speeds[-1]}),
            *(fake.figure("ramp", asked, {"scope": "step", "step": i + 1,
                                          "at_us": 125.0 + 250 * i, "mb_per_s": speed})
              for i, speed in enumerate(speeds))]


def latency(**more):
    return fake.runs_of(fake.BARE, ("latency", sweep(SWEEP)), caches=CACHES, **more)


def matrix():
    found = c2c([(a, b) for a in CPUS for b in CPUS if a != b])
    return fake.runs_of(fake.BARE, ("c2c", found), nodes=NODES, suite="c2c")


def chart(*runs):
    [found] = charts.charts({f"{i}.jsonl": one for i, one in enumerate(runs)})
    return found


def chart_of(found, about=fake.BARE, **more):
    """The chart of these results of one request."""
    return chart(fake.runs_of(about, (found[0]["test"], found), **more))


class Choice(unittest.TestCase):
    def test_pairs_of_many_cpus(self):
        """By node; all CPUs only if most pairs are known, those of a node and a core side by
        side."""
        nodes = [{"node": 0, "cpus": "0-32,66-98"}, {"node": 1, "cpus": "33-65"}]
        pairs = [(a, b) for a in range(70) for b in range(70) if a != b]
        drawn = [charts.charts({"x": fake.runs_of(fake.BARE, ("c2c", [
            {**one, "shares": "core" if abs(one["writer_cpu"] - one["reader_cpu"]) == 66 else "l3"
             if one["writer_cpu"] % 66 < 33 and one["reader_cpu"] % 66 < 33 else "nothing"}
            for one in c2c(some)]), nodes=nodes)}) for some in (pairs[::9], pairs)]
        self.assertEqual([[one.row for one in some] for some in drawn],
                         [["writer_node"], ["writer_node", "writer_cpu"]])
        self.assertEqual(drawn[0][0].rows, [0, 1])
        dense, order = drawn[1][1], [0, 66, 1, 67, 2, 68, 3, 69, *range(4, 66)]
        self.assertEqual((dense.rows, dense.columns), (order, order))
        self.assertLess(draw.height(dense), 7)

    def test_latency_over_size_with_its_levels(self):
        found = chart(latency())
        self.assertEqual((found.kind, found.x), ("curves", "size_bytes"))
        points = found.series[0].points
        self.assertEqual([point.y for point in points], [ns * 1.1 for ns in SWEEP])
        self.assertEqual([point.low for point in points], SWEEP)
        self.assertEqual([mark.name for mark in found.marks], ["L1", "L2", "L3", "memory"])
        self.assertEqual(found.caches, [("L1", 48 << 10), ("L2", 1 << 20), ("L3", 32 << 20)])

    def test_an_emulated_machine_has_no_levels(self):
        self.assertEqual(chart_of(sweep(SWEEP), fake.TCG).marks, [])

    def test_a_curve_for_each_stride(self):
        drawn = chart_of([fake.figure("latency", {"pattern": "stride", "stride_bytes": stride,
                                                  "size_bytes": size << 10},
                                      {"ns_per_load": 1.0 * stride, "ns_per_load_min": 1.0})
                          for stride in (64, 4096) for size in (64, 16, 256)])
        self.assertEqual([(one.name, [point.x >> 10 for point in one.points])
                          for one in drawn.series],
                         [("stride 64", [16, 64, 256]), ("stride 4K", [16, 64, 256])])

    def test_bandwidth_over_size_by_operation_and_type(self):
        drawn = chart_of([fake.result(f"bandwidth op={op} type={memory} size={size}", 1000.0)
                          for op in ("read", "write") for memory in ("wb", "uc")
                          for size in ("4K", "64K", "1M")])
        self.assertEqual([one.name for one in drawn.series],
                         ["read WB", "read UC", "write WB", "write UC"])
        self.assertEqual((drawn.kind, drawn.y), ("curves", "mb_per_s"))

    def test_a_title_without_its_places_has_no_colon_at_its_end(self):
        for title, short in (
                ("Idle: CPUs (rows), memory (columns) (ns)", "Idle (ns)"),
                ("Reads only: all CPUs of a node (rows), memory (columns)", "Reads only"),
                ("Idle latency, from a CPU of each node (rows) to each node's memory (columns)",
                 "Idle latency"),
                ("Lines: within a node, writers (rows), readers (columns)",
                 "Lines: within a node")):
            self.assertEqual(charts.PLACED.sub("", title), short)

    def test_the_caches_of_the_cpu_in_any_sweep_over_size(self):
        """Several CPUs have more than the caches of one."""
        for cpu, marked in (("0", ["L1", "L2", "L3"]), ("0-3", [])):
            found = chart_of([
                fake.figure("bandwidth", {"op": "read", "size_bytes": 4096 << i, "cpu": cpu},
                            {"mb_per_s": 1e5}) for i in range(15)], caches=CACHES)
            self.assertEqual([name for name, _ in found.caches], marked)

    def test_loaded_latency_is_over_bandwidth_in_the_order_of_delays(self):
        drawn = chart_of(loaded(1000, 0, 50))
        self.assertEqual((drawn.x, drawn.y, drawn.ends), ("mb_per_s", "ns_per_load", (1000, 0)))
        self.assertEqual([round(point.x) for point in drawn.series[0].points], [90000, 45000, 4286])

    def test_the_speed_after_a_pause_is_over_time(self):
        drawn = chart_of([*ramp(0, 9.0, 9.0, 9.0), *ramp(20000000, 3.0, 6.0, 9.0)])
        self.assertEqual((drawn.x, drawn.y, drawn.linear), ("at_us", "mb_per_s", True))
        self.assertEqual([(one.name, [(point.x, point.y) for point in one.points])
                          for one in drawn.series], [
            ("idle 0", [(125.0, 9.0), (375.0, 9.0), (625.0, 9.0)]),
            ("idle 20ms", [(125.0, 3.0), (375.0, 6.0), (625.0, 9.0)])])

    def test_a_matrix(self):
        drawn = chart(matrix())
        self.assertEqual((drawn.kind, drawn.row, drawn.x), ("matrix", "writer_cpu", "reader_cpu"))
        self.assertEqual((drawn.rows, drawn.columns), (list(CPUS), list(CPUS)))
        cells = {point.x: point.y for point in drawn.series[0].points}
        self.assertEqual((cells[3, 5], (3, 3) in cells), (305.0, False))

    def test_numbers_that_nobody_could_read_are_not_written(self):
        pairs = [(a, b) for a in range(16) for b in range(16) if a != b]
        drawn = chart_of(c2c(pairs, ns=0.123), suite="c2c")
        for width, many in ((draw.ACROSS, True), (draw.NARROW, False)):
            [axes, _] = draw.figure([drawn], [], width).subfigs[0].subfigs[0].axes
            self.assertEqual(len(axes.texts) > 200, many, width)

    def test_pairs_of_one_place_are_their_median(self):
        """As in the table: not the first of them."""
        found = [{**result, "ns_per_line": ns} for ns, result in zip(
            (50.0, 90.0, 70.0), c2c([(0, 1), (1, 0), (0, 5)]))] + c2c([(0, 2)], ns=200.0)
        runs = fake.runs_of(fake.BARE, ("c2c", found), nodes=NODES)
        cells = [(0, run, result) for run in runs for result in run.results]
        [bars] = charts._layout_charts(Layout("pair", "state", ("ns_per_line",)), cells)
        self.assertEqual([(series.name, [(p.x, p.y) for p in series.points])
                          for series in bars.series],
                         [("local", [("hitm", 70.0)]), ("remote", [("hitm", 200.0)])])

    def test_results_alike_are_their_median(self):
        drawn = chart_of([fake.result(f"bandwidth size={size}", speed)
                          for size in ("4K", "64K", "1M") for speed in (1000.0, 3000.0, 2000.0)])
        self.assertEqual([point.y for point in drawn.series[0].points], [2000.0] * 3)

    def test_a_search_is_drawn_as_its_table_is(self):
        runs = [run for label, op in (("reads", "read"), ("writes", "write"))
                for width, speed in ((32, 950.0), (8, 900.0), (16, 1000.0))
                for run in fake.runs_of(fake.BARE, (f"{label}: bandwidth op={op} width={width}", [
                    fake.result(f"bandwidth op={op} width={width}", speed)]))]
        for run in runs:
            run.request |= {"suite": "s", "directives": [
                "@title S", "@table rows=label values=mb_per_s best=mb_per_s",
                "@table rows=label columns=width_bytes value=mb_per_s best=mb_per_s"]}
        won, widths = charts.charts({"a": runs})
        self.assertEqual((won.kind, won.title, won.columns), ("bars", "S", ["reads", "writes"]))
        self.assertEqual([[point.y for point in one.points] for one in won.series],
                         [[1000.0, 1000.0]])
        self.assertEqual((widths.kind, widths.title, widths.columns),
                         ("bars", "S: by width", [8, 16, 32]))
        self.assertEqual([point.y for point in widths.series[0].points], [950.0, 900.0, 1000.0])

    def test_memory_types_as_groups_of_bars(self):
        drawn = chart(attributes())
        self.assertEqual([one.name for one in drawn.series], ["WB", "UC", "WC"])
        self.assertEqual(drawn.columns[:2], ["write", "write_nofence"])
        self.assertEqual(drawn.series[1].points[0].y, fake.published()["uc", "write"])
        self.assertFalse(drawn.has_unreal_points)

    def test_a_type_without_effect_is_marked(self):
        drawn = chart(attributes(fake.TCG, fake.NO))
        self.assertTrue(drawn.has_unreal_points and drawn.is_emulated)
        self.assertTrue(all(point.real for point in drawn.series[0].points))

    def test_files_and_sides_are_overlaid(self):
        both = chart(latency() + fake.in_user_space(latency()))
        self.assertEqual([source.name for source in both.sources], ["kernel", "user"])
        drawn = chart(latency(), latency())
        self.assertEqual([source.name for source in drawn.sources], ["A", "B"])
        self.assertEqual([(one.name, one.source) for one in drawn.series], [("", 0), ("", 1)])

    def test_what_the_system_costs(self):
        items = {"loop": 0.4, "getpid": 110.0, "fork_exit": 8e4}
        drawn = chart_of([fake.figure("os", {"item": item}, {}, median_ns=ns)
                          for item, ns in items.items()], suite="server")
        self.assertEqual((drawn.kind, drawn.y, drawn.columns), ("bars", "median_ns", list(items)))
        self.assertEqual([point.y for point in drawn.series[0].points], list(items.values()))

    def test_long_names_of_bars_are_not_cut_off(self):
        """Names of memory objects would leave no room for the bars."""
        drawn = chart_of([fake.result(f"bandwidth op={op} size=64M", 1000.0, memory_object=name)
                          for op in ("read", "write")
                          for name in ("vulkan:0.4:mapped+device+coherent+and+more", "cuda:wc:0")])
        with warnings.catch_warnings(), draw.matplotlib().rc_context(draw.STYLE):
            warnings.simplefilter("error")
            whole = draw.figure([drawn], [], draw.NARROW)
        [axes] = whole.axes
        for name in axes.yaxis.get_ticklabels():
            self.assertGreaterEqual(name.get_window_extent().x0, 0)
        self.assertGreater(axes.bbox.width, whole.bbox.width / 4)

    def test_what_makes_no_curve_is_bars_beside_it(self):
        found = [fake.result(f"bandwidth op={op} size={size}", 1000.0)
                 for op, sizes in (("read", ("4K", "64K", "1M")), ("copy", ("4K", "8K")))
                 for size in sizes]
        curves, bars = charts.charts({"a": fake.runs_of(fake.BARE, ("bandwidth", found))})
        self.assertEqual((curves.title, len(curves.series[0].points)), ("bandwidth: read", 3))
        self.assertEqual((bars.title, bars.columns), ("bandwidth: copy", ["size 4K", "size 8K"]))

    def test_a_pipe_over_its_blocks(self):
        drawn = chart_of([fake.figure("pipe", {"block_bytes": 4096 << i, "cpu": "0"},
                                      {"mb_per_s": 1000.0}) for i in range(4)])
        self.assertEqual((drawn.kind, drawn.x, len(drawn.series)), ("curves", "block_bytes", 1))

    def test_data_that_did_not_hold_is_not_drawn(self):
        runs = latency()
        runs[0].results[3]["verified"] = "failed"
        drawn = chart(runs)
        self.assertEqual((len(drawn.series[0].points), drawn.left_out), (len(SWEEP) - 1, 1))

    def test_what_is_not_known_is_not_drawn(self):
        found = loaded(0, 100, 1000, 5000)
        found[1]["ns_per_load"] = None
        self.assertEqual(len(chart_of(found).series[0].points), 3)

    def test_more_curves_than_can_be_told_apart(self):
        found = [fake.result(f"bandwidth op=read repeat=5 cpu={cpu} size={size}", 1000.0)
                 for cpu in range(30) for size in ("4K", "64K", "1M")]
        drawn = charts.charts({"a": fake.runs_of(fake.BARE, ("bandwidth", found))})
        self.assertEqual([len(one.series) for one in drawn], [12, 12, 6])


class Drawing(fake.InDirectory):
    def setUp(self):
        super().setUp()
        self.library = draw.matplotlib()

    def texts(self, runs):
        """Every text of the picture with its place; drawn as it will be, without a warning."""
        files = {f"{i}.jsonl": one for i, one in enumerate(runs)}
        found = charts.charts(files)
        with self.library.rc_context(draw.STYLE), warnings.catch_warnings():
            warnings.simplefilter("error")
            figure = draw.figure(found, captions(files))
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            from matplotlib.text import Text
            drawn = []
            with mock.patch.object(Text, "draw", lambda text, *_: drawn.append(text)):
                FigureCanvasAgg(figure).draw()
        return figure, [(text.get_text(), text.get_window_extent()) for text in drawn
                        if text.get_visible() and text.get_text().strip()]

    def clear(self, *runs):
        """No text covers another one, or is cut off."""
        figure, texts = self.texts(runs)
        self.assertGreater(len(texts), 8)
        for (a, box), (b, other) in combinations(texts, 2):
            inside = box.shrunk(0.97, 0.9)
            self.assertFalse(inside.overlaps(other.shrunk(0.97, 0.9)), f"{a!r} and {b!r}")
        for text, box in texts:
            self.assertTrue(box.x0 >= -1 and box.y0 >= -1 and box.x1 <= figure.bbox.x1 + 1
                            and box.y1 <= figure.bbox.y1 + 1, text)
        return [text for text, _ in texts]

    def test_what_is_written_in_each_kind(self):
        for runs, words in (
                ([attributes()], ("write_ucfence", "WB", "UC", "WC", "14\u2009606")),
                ([latency(), latency()], ("L1 min 0.9 ns", "memory min 110 ns", "L2 1M",
                                          "working set", "64K", "A", "B")),
                ([fake.runs_of(fake.BARE, ("ramp", [
                    *ramp(0, *[9.0] * 40), *ramp(1000000, *[3.0] * 12, *[9.0] * 28)]))],
                 ("idle 0", "idle 1ms", "time after the pause, us", "0")),
                ([fake.runs_of(fake.BARE, ("loaded", loaded(0, 8, 50, 200, 1000, 20000)))],
                 ("delay 20000 cycles",)), ([matrix()], ("writer cpu",)),
                ([latency() + matrix() + fake.runs_of(
                    fake.BARE, ("loaded", loaded(0, 50, 200, 1000)))], ())):
            with self.subTest(words):
                texts = self.clear(*runs)
                self.assertLessEqual({*words}, {*texts})
                self.assertTrue("WB" not in words or any(
                    "MB/s" in text and "log scale" in text for text in texts))

    def test_bars_of_two_files(self):
        texts = self.clear(attributes(), attributes(fake.TCG, fake.NO))
        self.assertTrue(any(draw.UNREAL in text for text in texts))
        caption = " ".join(texts[-1].split())
        self.assertIn("A: 0.jsonl. Linux 6.1.0-50-amd64, Intel(R) Xeon(R) Gold 6252", caption)
        self.assertIn("MEMORY TYPES HAVE NO EFFECT ON THIS MACHINE", caption)

    def test_names_of_points_hide_no_point(self):
        """Also where further files have points just there."""
        delays = 0, 100, 500, 2500, 20000
        runs = [fake.runs_of(fake.BARE, ("loaded", [
            fake.figure("loaded", {"op": "read", "delay_cycles": delay},
                        {"mb_per_s": float(mb), "ns_per_load": float(ns)})
            for delay, (mb, ns) in zip(delays, measured)])) for measured in (
                ((15549, 180), (2083, 304), (254, 271), (181, 640), (207, 309)),
                ((13379, 264), (1575, 373), (402, 163), (166, 635), (57, 1262)))]
        for found in (runs, [latency(), latency()]):
            figure, texts = self.texts(found)
            [axes] = [axes for part in figure.subfigs for inner in part.subfigs
                      for axes in inner.axes]
            dots = [tuple(place) for line in axes.lines if line.get_transform() == axes.transData
                    for place in axes.transData.transform(line.get_xydata())]
            for text, box in texts:
                if text.startswith("delay") or " ns" in text and "min" in text:
                    self.assertFalse([dot for dot in dots if box.contains(*dot)], text)

    def test_labels_of_ticks_do_not_collide(self):
        names = {f"a-very-long-name-of-{i}": 12345.0 * i for i in range(20, 23)}
        runs = fake.runs_of(fake.BARE, ("os", [
            fake.figure("os", {"item": item}, {}, median_ns=ns) for item, ns in names.items()]))
        wide = [fake.figure("c2c", {"state": "hit"}, {
            "writer_cpu": a, "reader_cpu": b, "ns_per_line": 50.0})
            for a in range(0, 3000, 60) for b in range(0, 3000, 60) if a != b]
        for found in (runs, fake.runs_of(fake.BARE, ("c2c", wide), suite="c2c")):
            with mock.patch.object(draw.figure, "__defaults__", (draw.NARROW,)):
                self.clear(found)

    def test_a_legend_tells_files_apart(self):
        files = {"a": self.sweeps(), "b": self.sweeps(), "c": self.sweeps()}
        [found] = charts.charts(files)
        legend = fake.axes(found).get_legend()
        lines, names = legend.get_lines(), [text.get_text() for text in legend.get_texts()]
        self.assertEqual(names, [f"{file} {op}" for op in ("read", "write") for file in "ABC"])
        looks = {(line.get_color(), line.get_marker(), line.get_fillstyle()) for line in lines}
        self.assertEqual(len(looks), 6)
        self.assertEqual({line.get_fillstyle() for line in lines}, {"full", "none", "left"})

    def sweeps(self):
        return fake.runs_of(fake.BARE, ("bandwidth", [
            fake.figure("bandwidth", {"op": op, "size_bytes": 4096 << i},
                        {"mb_per_s": 1e5 / (i + 1)})
            for op in ("read", "write") for i in range(6)]))

    def test_bars_of_very_different_times(self):
        times = {"loop": 0.4, "getpid": 110.0, "fork_exit": 8e4, "fork_exec": 987654.0}
        found = [fake.figure("os", {"item": item}, {}, median_ns=ns) for item, ns in times.items()]
        runs = fake.runs_of(fake.BARE, ("os", found), suite="server")
        for width in (draw.WIDTH, draw.NARROW):
            with mock.patch.object(draw.figure, "__defaults__", (width,)):
                self.assertIn("987\u2009654", self.clear(runs))

    def save(self, name, *runs):
        for i, one in enumerate(runs):
            fake.save(f"{i}.jsonl", *one)
        with mock.patch("sys.stderr"):
            return plot.plot([f"{i}.jsonl" for i in range(len(runs))], name)

    def test_files(self):
        """By default beside the results. The same results have the same picture, and nothing is
        warned of."""
        for name, start in ((None, b"<?xml"), ("a.svg", b"<?xml"), ("a.png", b"\x89PNG"),
                            ("a.pdf", b"%PDF"), ("a.html", b"<!DOCTYPE html>")):
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertEqual(self.save(name, latency()), 0)
                self.assertTrue(Path(name or "0.svg").read_bytes().startswith(start))
        ElementTree.parse("a.svg")
        self.assertEqual(Path("0.svg").read_bytes(), Path("a.svg").read_bytes())
        self.assertEqual(sorted(os.listdir()),
                         ["0.jsonl", "0.svg", "a.html", "a.pdf", "a.png", "a.svg"])
        text = Path("a.html").read_text()
        self.assertEqual(text.count("<figure"), 1)
        self.assertRegex(text, r'aria-label="4K; [\d.]+ ns a load"')

    def test_what_can_not_be_drawn(self):
        for name, runs, said in (
                ("a.gif", latency(), "a.gif: wanted a name that ends in .svg, .png"),
                ("no/a.svg", latency(), "no/a.svg: No such file"),
                ("a.svg", fake.runs_of(fake.BARE, ("bandwidth", [])), "nothing to draw")):
            with self.assertRaisesRegex(Failure, said):
                self.save(name, runs)
        self.write("x.csv", b"machine,mode\n")      # published figures are no results
        with self.assertRaises(Failure):
            plot.plot(["x.csv"], "a.svg")


class Manual(unittest.TestCase):
    def test_its_page_opens_with_pictures_of_real_results(self):
        text = (fake.TOP / "Documentation/pictures.rst").read_text()
        drawn = [line.split()[2:] for line in text.splitlines() if line.startswith(".. drawn::")]
        self.assertLess(text.index(".. drawn::"), text.index("-" * 8))
        elsewhere = "".join(page.read_text() for page in (
            fake.TOP / "Documentation").glob("*.rst") if page.name != "pictures.rst")
        for path in (fake.TOP / "Documentation/examples").glob("*.jsonl"):
            name = str(path.relative_to(fake.TOP))
            self.assertTrue(name in sum(drawn, []) or name in elsewhere, name)
        for names in drawn:
            files = {name: results.load(str(fake.TOP / name)) for name in names}
            self.assertTrue(charts.charts(files))
            for [run] in files.values():
                self.assertEqual(run.request["state"], "done")
                self.assertFalse(run.machine.get("simulated"))


class Without(fake.InDirectory):
    def test_matplotlib_is_named(self):
        real = builtins.__import__

        def missing(name, *words):
            if name.partition(".")[0] == "matplotlib":
                raise ImportError(name)
            return real(name, *words)

        with mock.patch.object(builtins, "__import__", missing), \
                self.assertRaisesRegex(Failure, f"matplotlib, which {sys.executable} has not: "):
            draw.matplotlib()

    def test_settings_of_others_are_not_read(self):
        """matplotlib evaluates a cycler in a matplotlibrc, and looks for one where it runs."""
        import subprocess
        evil = "axes.prop_cycle: cycler('color', [open('/dev/stderr', 'w').write('READ') and 'r'])"
        folder = os.getcwd()
        fake.put(dict.fromkeys(("matplotlibrc", "memcache-mpl/matplotlibrc", "mine/matplotlibrc"),
                               evil))
        done = subprocess.run(
            [sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1]); "
             "from mc.output import draw; "
             "print(draw.matplotlib().rcParams['axes.prop_cycle'].by_key())",
             str(fake.TOP / "tools/memcache")], check=True, text=True,
            env=os.environ | {"TMPDIR": folder, "MPLCONFIGDIR": f"{folder}/mine",
                              "MATPLOTLIBRC": f"{folder}/mine"}, capture_output=True)
        self.assertNotIn("READ", done.stderr)
        self.assertNotIn("'color': [1]", done.stdout)

    def test_the_cache_of_fonts_is_private(self):
        draw._private_directory.cache_clear()
        self.addCleanup(draw._private_directory.cache_clear)
        with mock.patch("pwd.getpwuid", return_value=SimpleNamespace(pw_dir=os.getcwd())):
            shared = Path(".cache/memcache-plot").absolute()
            self.assertEqual(draw._private_directory(), str(shared))
            self.assertEqual(shared.stat().st_mode & 0o777, 0o700)
            for open_to_others in (0o777, 0o720):
                shared.chmod(open_to_others)
                draw._private_directory.cache_clear()
                own = draw._private_directory()
                self.assertNotEqual(own, str(shared))
                self.assertEqual(os.stat(own).st_mode & 0o777, 0o700)

    def test_a_dollar_in_a_name_is_a_letter(self):
        runs = latency()
        for result in runs[0].results:
            result["op"] = r"$\frac$"
        runs[0].machine["cpu"] = r"$\frac$ $^"
        self.assertTrue(draw.picture(charts.charts({r"$\nosuch$": runs}), [r"$\frac$"], "svg"))

    def test_other_commands_do_not_load_it(self):
        import subprocess
        code = "import sys; from mc.commands import cli, show; " \
               "sys.exit('matplotlib' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", code], check=False,
                                        cwd=Path(cli.__file__).parent.parent.parent).returncode, 0)


class Style(unittest.TestCase):
    def test_numbers_on_each_colour_can_be_read(self):
        """By WCAG 2, text needs a contrast of 4.5."""
        def luminance(colour):
            return sum(part * (one / 12.92 if one <= 0.04 else ((one + 0.055) / 1.055) ** 2.4)
                       for part, one in zip((0.2126, 0.7152, 0.0722), colour))

        for colour in [(grey / 255, grey / 255, grey / 255) for grey in range(256)] + [
                (0.49, 0.49, 0.47), (1.0, 0.0, 0.0), (0.26, 0.58, 0.76), (0.0, 0.0, 1.0)]:
            light = draw._is_light(SimpleNamespace(to_rgba=lambda y, c=colour: (*c, 1.0)), 0.0)
            text = draw.ON_LIGHT if light else draw.ON_DARK
            two = luminance([int(text[i:i + 2], 16) / 255 for i in (1, 3, 5)]), luminance(colour)
            self.assertGreaterEqual((max(two) + 0.05) / (min(two) + 0.05), 4.5, colour)

    def test_a_file_has_its_colour_in_every_chart(self):
        files = {"a": matrix(), "b": latency(), "c": latency() + fake.runs_of(
            fake.BARE, ("loaded", loaded(0, 50, 1000)))}
        drawn = [one for one in charts.charts(files) if one.kind == "curves"]
        styles = [[draw._style(one, series)["color"] for series in one.series] for one in drawn]
        self.assertEqual(styles, [[draw.COLOURS[1], draw.COLOURS[2]], [draw.COLOURS[2]]])


class Plain(unittest.TestCase):
    def test_numbers(self):
        for value, text in ((1234567, "1\u2009234\u2009567"), (146.4, "146"), (14.64, "14.6"),
                            (0.05, "0.05"), (0, "0"), (2.5, "2.5")):
            self.assertEqual(hover.number(value), text)

    def test_results_are_left_alone(self):
        runs = latency()
        before = [dict(result) for result in runs[0].results]
        charts.charts({"a": runs})
        self.assertEqual(runs[0].results, before)
        self.assertIsInstance(runs[0], results.Run)
