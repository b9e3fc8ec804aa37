# SPDX-License-Identifier: GPL-2.0-only
"""make bench-peers: what it knows about the peers and about cores."""

import sys
import unittest
from unittest import mock

import fake

BENCH = fake.TOP / "tools/bench"
sys.path.insert(0, str(BENCH))

peers = fake.load_script("peers", BENCH / "peers")
CONFIG = peers.read_config()


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
