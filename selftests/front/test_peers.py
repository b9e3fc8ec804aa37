# SPDX-License-Identifier: GPL-2.0-only
"""make bench-peers: its cells, its rounds, and what it knows about the peers."""

import random
import sys
import tomllib
import unittest
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


class Zeros(unittest.TestCase):
    def test_like_meets_like(self):
        zero, other = peer(writes="zero"), peer()
        cells = {data: peers.Cell("write", "16K", 1, data) for data in ("any", "zero")}
        for one, which in ((zero, [True, False]), (other, [False, True])):
            self.assertEqual([peers.can_measure(one, cells["zero"]),
                              peers.can_measure(one, cells["any"])], which)


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

    def test_both_sides_begin_on_cores_that_have_worked(self):
        cell = peers.Cell("read", "16K", 2)
        with mock.patch.object(peers, "output_of", return_value='{"record": "result"}') as said:
            peers.result_of(cell, "bandwidth", 3)
            peers.their_figure(peer(command="theirs", regex="(x)", unit="MB/s"), cell)
        begins = [call[0][0][:6] for call in said.call_args_list]
        self.assertEqual(begins[0], begins[1])
        self.assertEqual(begins[0][:3], ["taskset", "-c", "0-1"])
        self.assertIn("memcache-user --own 'bandwidth", begins[0][5])

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
