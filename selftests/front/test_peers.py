# SPDX-License-Identifier: GPL-2.0-only
"""make bench-peers: its cells, its rounds, and what it knows about the peers."""

import itertools
import os
import random
import sys
import tempfile
import time
import tomllib
import unittest
from pathlib import Path
from unittest import mock

import fake

BENCH = fake.TOP / "tools/bench"
sys.path.insert(0, str(BENCH))

peers = fake.load_script("peers", BENCH / "peers")
CONFIG = tomllib.loads((BENCH / "peers.toml").read_text()) | \
    tomllib.loads(peers.CORES.read_text())


def peer(name="peer", op="write", **more):
    return {"name": name, "op": op, "command": name, "reports": "mean", "writes": "constant"} | more


def figures(value):
    return {"mean": value, "best": 1.1 * value}


class Configuration(unittest.TestCase):
    def test_each_peer_is_complete(self):
        for one in CONFIG["peer"]:
            with self.subTest(one["name"], op=one["op"]):
                self.assertIn(one["op"], peers.ARRAYS)
                self.assertIn(one["reports"], ("mean", "best"))
                self.assertIn(one["unit"], [*peers.UNITS, "ns/line"])
                self.assertTrue(("package" in one) != ("source" in one))
                self.assertEqual("writes" in one, one["op"] in peers.WRITING)
                self.assertIn(one.get("writes", "zero"),
                              ("zero", "constant", "counter", "half zero"))

    def test_each_command_can_be_filled_in(self):
        with mock.patch.object(peers.shutil, "which", return_value="/bin/true"), \
             mock.patch.object(peers, "output_of", return_value=None) as said:
            for one in peers.peer_forms(CONFIG):
                size = one.get("sizes", ["512K"])[0]
                cell = peers.Cell(one["op"], size, one.get("threads", 2), speed=1000.0)
                self.assertIsNone(peers.their_figure(one, cell))
                self.assertNotRegex(" ".join(said.call_args[0][0]), "[{}]")

    def test_ns_for_a_line_is_a_rate(self):
        self.assertEqual(peers.in_our_unit(0.5, "ns/line"), 128000.0)
        self.assertEqual(peers.in_our_unit(2.0, "GB/s"), 2000.0)


class Streaming(unittest.TestCase):
    """A function of glibc is compared with streaming stores where it uses them."""

    @staticmethod
    def taken(lengths, size, threads=1):
        cells = [peers.Cell(op, size, threads) for op in ("copy", "ntcopy")]
        one = peer(op="copy", streams_from="x86_non_temporal_threshold")
        return [cell.op for cell in cells for part in peers.peers_by_length(one, lengths)
                if peers.can_measure(part, cell)]

    def test_the_length_of_an_array_of_a_thread_counts(self):
        lengths = {"x86_non_temporal_threshold": 128 << 20}
        self.assertEqual(self.taken(lengths, "8M"), ["copy"])
        self.assertEqual(self.taken(lengths, "256M"), ["ntcopy"])
        self.assertEqual(self.taken(lengths, "256M", 2), ["copy"])
        self.assertEqual(self.taken({}, "256M"), ["copy"])

    def test_the_length_is_glibcs(self):
        text = ("glibc.cpu.x86_shstk:\n"
                "glibc.cpu.x86_non_temporal_threshold: 0xc0000 (min: 0x4040, max: 0xfff)\n")
        with mock.patch.object(peers, "output_of", return_value=text), \
             mock.patch.object(peers.Path, "exists", return_value=True):
            self.assertEqual(peers.tunables(), {"x86_non_temporal_threshold": 0xc0000})
        with mock.patch.object(peers.Path, "exists", return_value=False):
            self.assertEqual(peers.tunables(), {})


class Zeros(unittest.TestCase):
    def test_like_meets_like(self):
        zero, other = peer(writes="zero"), peer()
        cells = {data: peers.Cell("write", "16K", 1, data) for data in ("any", "zero")}
        for one, which in ((zero, [True, False]), (other, [False, True])):
            self.assertEqual([peers.can_measure(one, cells["zero"]),
                              peers.can_measure(one, cells["any"])], which)

    def test_ours_writes_zeros_too(self):
        self.assertIn("data=zero", peers.words(peers.Cell("copy", "16K", 1, "zero"), ""))
        self.assertNotIn("data", peers.words(peers.Cell("copy", "16K", 1), "width=32"))


class Cells(unittest.TestCase):
    def wanted(self, tests="data=counter|zero", *found, **settings):
        with mock.patch.dict(os.environ, settings), \
             mock.patch.object(peers, "output_of", return_value=tests), \
             mock.patch.object(sys, "stderr"):
            return [str(cell) for cell in peers.wanted_cells(dict(enumerate(found)))]

    def test_all(self):
        self.assertEqual(len(self.wanted()), 7 * 4 * 2 + 2 * 4)

    def test_some(self):
        self.assertEqual(self.wanted(CELLS="latency 8M,write 512K 1"),
                         ["write 512K 1", "latency 8M 1"])
        self.assertEqual(self.wanted(OPS="copy", SIZES="16K", THREADS="2"), ["copy 16K 2"])

    def test_zeros_where_a_peer_writes_them(self):
        more = {"OPS": "write", "SIZES": "16K", "THREADS": "1"}
        zero = peer(writes="zero", sizes=["16K"])
        self.assertEqual(self.wanted("data=counter|zero", zero, **more),
                         ["write 16K 1", "write 16K 1 zeros"])
        self.assertEqual(self.wanted("no such key", zero, **more), ["write 16K 1"])

    def test_none(self):
        with self.assertRaises(SystemExit):
            self.wanted(CELLS="fly 16K")


class Rounds(unittest.TestCase):
    def setUp(self):
        self.cell = peers.Cell("write", "512K", 1)
        self.peers = {str(i): peer(f"p{i}") for i in range(4)}

    def run_round(self, own=lambda form: 100.0, their=lambda name: 100.0):
        """One round; the order of the forms in it."""
        order = []

        def ours(_, form):
            order.append(form)
            return figures(own(form))

        def theirs(one, _):
            order.append(one["name"])
            return their(one["name"])

        with mock.patch.multiple(peers, our_figures=ours, their_figure=theirs,
                                 huge_pages=mock.Mock(),
                                 calibrate=lambda cell, forms: cell.repeats.update(
                                     dict.fromkeys(forms, 5))):
            peers.one_round(self.cell, CONFIG, self.peers)
        return order

    def test_the_order_is_drawn_anew(self):
        random.seed(1)
        orders = [self.run_round() for _ in range(8)]
        self.assertEqual({frozenset(order) for order in orders}, {frozenset(orders[0])})
        self.assertEqual(len(orders[0]), 4 + len(peers.forms(CONFIG, self.cell)))
        self.assertGreater(len({tuple(order) for order in orders}), 4)
        self.assertGreater(len({order[0].startswith("p") for order in orders}), 1)

    def test_the_forms_of_both_sides_are_counted(self):
        self.run_round()
        self.assertEqual(self.cell.forms, (len(peers.forms(CONFIG, self.cell)), 4))

    def test_slow_forms_leave_after_the_trials(self):
        def slow(name):
            return 50.0 if name in ("p0", "width=16") else 100.0
        for _ in range(peers.TRIALS):
            order = self.run_round(slow, slow)
            self.assertIn("p0", order)
        order = self.run_round(slow, slow)
        self.assertNotIn("p0", order)
        self.assertNotIn("width=16", order)
        self.assertEqual(self.cell.forms[1], 4)

    def test_a_peer_that_fails_leaves(self):
        self.run_round()
        self.run_round(their=lambda name: None if name == "p1" else 100.0)
        self.assertEqual(list(map(len, self.cell.peers.values())), [2, 2, 2])
        self.assertNotIn("1", self.cell.peers)

    def test_a_form_runs_again_until_its_seconds_are_over(self):
        clock, values = itertools.count(0, 1), iter([5.0, 9.0, 7.0, 8.0, 6.0])
        with mock.patch.object(peers, "EACH_S", 4), \
             mock.patch.object(peers.time, "monotonic", lambda: next(clock)):
            self.assertEqual(peers.median_of_round(lambda: next(values)), 7.0)     # of 5, 9 and 7
        self.assertEqual(list(values), [8.0, 6.0])
        self.assertEqual(peers.median_of_round(iter([5.0, 9.0]).__next__), 5.0)
        with mock.patch.object(peers, "EACH_S", 4):
            self.assertIsNone(peers.median_of_round(lambda: None))

    def test_the_spread_of_each_form(self):
        with mock.patch.multiple(peers, EACH_S=1, median_of_round=lambda run: run()):
            for value in (100.0, 110.0, 100.0):
                self.run_round(lambda form: value if form else 100.0,
                               lambda name: value * 0.5 if name == "p0" else 100.0)
        rows = peers.spread_rows([self.cell], self.peers)
        self.assertEqual(len(rows), 4 + len(peers.forms(CONFIG, self.cell)))
        self.assertEqual([rows[0][2], rows[-1][2]], ["0.00%", "5.59%"])
        self.assertIn(["write 512K 1", "50.0", "5.59%", "p0"], rows)
        self.assertIn(["write 512K 1", "100.0", "0.00%", "memcache-user"], rows)

    def test_both_sides_begin_on_cores_that_have_worked(self):
        cell = peers.Cell("read", "16K", 2)
        with mock.patch.object(peers, "output_of", return_value='{"record": "result"}') as said:
            peers.result_of(cell, "bandwidth", 3)
            peers.their_figure(peer(command="theirs", regex="(x)", unit="MB/s"), cell)
        begins = [call[0][0][:6] for call in said.call_args_list]
        self.assertEqual(begins[0], begins[1])
        self.assertEqual(begins[0][:3], ["taskset", "-c", "0-1"])
        self.assertIn("memcache-user --own 'bandwidth", begins[0][5])

    def test_ctrl_c_leaves_whole_rounds(self):
        def stop(name):
            raise KeyboardInterrupt
        self.run_round()
        with self.assertRaises(KeyboardInterrupt):
            self.run_round(their=stop)
        lengths = {len(v) for v in [*self.cell.own["mean"].values(), *self.cell.peers.values()]}
        self.assertEqual((lengths, self.cell.rounds), ({1}, 1))

    def test_the_row(self):
        for _ in range(6):
            self.run_round(their=lambda name: 80.0 if name != "p2" else 90.0)
        row = peers.row(self.cell, None, self.peers)
        self.assertEqual(len(row), len(peers.HEAD))
        found = dict(zip(peers.HEAD, row))
        self.assertEqual([found[key] for key in ("peer", "ratio", "95%", "verdict", "by")],
                         ["p2", "1.11x", "1.11-1.11", "ahead", "mean"])
        self.assertEqual(found["forms"], f"{len(peers.forms(CONFIG, self.cell))}:4")
        written = [text for head, text in zip(peers.HEAD, row) if head == "writes"]
        self.assertEqual(written, ["counter", "constant"])
        self.assertEqual(peers.summary([row]), "# 1 cell: 1 ahead, 0 equal, 0 behind")

    def test_a_row_without_peers(self):
        self.peers = {}
        self.run_round()
        row = peers.row(self.cell, None, self.peers)
        self.assertEqual(len(row), len(peers.HEAD))
        self.assertEqual(row[peers.HEAD.index("verdict")], "na")


class Time(unittest.TestCase):
    def test_the_minutes_end_it(self):
        with mock.patch.dict(os.environ, MINUTES="1"), mock.patch.object(sys, "stderr"), \
             mock.patch.object(peers, "one_round") as one_round, \
             mock.patch.object(time, "monotonic", side_effect=[0.0, 61.0]):
            peers.measure([peers.Cell("read", "16K", 1)], CONFIG, {})
        one_round.assert_not_called()

    def test_the_estimate(self):
        cell, one = peers.Cell("write", "16K", 1), peer(seconds=5.0)
        without = peers.seconds(cell, CONFIG, {})
        self.assertGreater(without, 0)
        self.assertAlmostEqual(peers.seconds(cell, CONFIG, {"0": one}), without + 5.0)


X86 = """processor\t: 0
vendor_id\t: GenuineIntel
cpu family\t: {}
model\t\t: {}
model name\t: some
"""
ARM = """processor\t: 0
CPU implementer\t: {}
CPU architecture: 8
CPU variant\t: 0x3
CPU part\t: {}
"""


class Cores(unittest.TestCase):
    def test_each_entry_is_complete(self):
        for one in CONFIG["core"]:
            with self.subTest(one["name"]):
                self.assertTrue(one["source"])
                self.assertTrue(("family" in one) != ("implementer" in one and "parts" in one))
                self.assertLessEqual(one.get("both", 0), one["load"] + one["store"])
                self.assertGreater(one["load_cycles"], 2)
                if "implementer" in one:
                    self.assertFalse(one["measured"])

    def test_it_is_found(self):
        for text, name in ((X86.format(6, 0x8f), "Golden Cove, server"),
                           (X86.format(25, 1), "Zen 3 and 4"), (X86.format(6, 1), None),
                           (ARM.format("0x41", "0xd0c"), "Neoverse N1"),
                           (ARM.format("0x41", "0xd40"), "Neoverse V1"),
                           (ARM.format("0x41", "0xd49"), "Neoverse N2"),
                           (ARM.format("0x41", "0xd4f"), "Neoverse V2 (also NVIDIA Grace)"),
                           (ARM.format("0x61", "0xd4f"), None), ("processor: 0\n", None)):
            with self.subTest(text), mock.patch.object(peers.Path, "read_text", return_value=text):
                one = peers.core(CONFIG)
                self.assertEqual(one and one["name"], name)

    def test_the_limit(self):
        """MB/s at 1 MHz are bytes a cycle."""
        names = {one["name"]: one for one in CONFIG["core"]}
        for name, wanted in (("Golden Cove, server", (128, 64, 128, 192)),
                             ("Neoverse N1", (32, 32, 32, 32)),
                             ("Neoverse V2 (also NVIDIA Grace)", (48, 32, 48, 48))):
            found = tuple(peers.limit(peers.Cell(op, "16K", 1), names[name], 1.0)
                          for op in ("read", "write", "copy", "triad"))
            self.assertEqual(found, wanted, name)
        cell = peers.Cell("latency", "16K", 1)
        self.assertEqual(peers.limit(cell, names["Neoverse N1"], 2000.0), 2.0)

    def test_the_name_says_what_nobody_has_measured(self):
        names = [peers.core_name(one) for one in CONFIG["core"]]
        self.assertIn("Zen 5", names)
        self.assertIn("Neoverse N1, whose limits were never compared with figures", names)


class Programs(unittest.TestCase):
    def test_a_program_anywhere_in_the_folder(self):
        with tempfile.TemporaryDirectory() as top, \
             mock.patch.dict(os.environ, PEERS=top, PATH="/usr/bin"):
            folder = Path(top, "deep/er")
            folder.mkdir(parents=True)
            Path(folder, "multichase").touch(0o755)
            Path(top, "bw_mem").touch(0o644)        # not a program
            peers.find_built(CONFIG)
            self.assertEqual(os.environ["PATH"], f"{folder.resolve()}:/usr/bin")

    def test_no_such_folder(self):
        with mock.patch.dict(os.environ, PEERS="/no/such/folder"), \
             self.assertRaisesRegex(SystemExit, "PEERS=/no/such/folder is not a directory"):
            peers.find_built(CONFIG)

    def test_one_that_does_not_end(self):
        text = peers.output_of(["sh", "-c", "echo 42; sleep 600 & sleep 600"], limit_s=0.5)
        self.assertEqual(text, "42\n")

    def test_one_that_fails(self):
        self.assertIsNone(peers.output_of(["sh", "-c", "echo 42; exit 1"]))
        self.assertEqual(peers.output_of(["sh", "-c", "echo 42; exit 1"], whatever=True), "42\n")
        self.assertEqual(peers.output_of(["echo", "42"]), "42\n")


if __name__ == "__main__":
    unittest.main()
