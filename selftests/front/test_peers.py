# SPDX-License-Identifier: GPL-2.0-only
"""make bench-peers: what it knows about cores."""

import sys
import unittest

import fake

BENCH = fake.TOP / "tools/bench"
sys.path.insert(0, str(BENCH))

peers = fake.load_script("peers", BENCH / "peers")


class Cores(unittest.TestCase):
    def test_each_entry_is_complete(self):
        for one in peers.ports.CORES:
            with self.subTest(one.name):
                self.assertTrue(one.source)
                self.assertLessEqual(one.both, one.load + one.store)
                self.assertGreater(one.load_cycles, 2)
                self.assertEqual(one.measured, one.vendor != "Arm")

    def test_the_limit(self):
        """MB/s at 1 MHz are bytes a cycle."""
        names = {one.name: one for one in peers.ports.CORES}
        for name, wanted in (("Golden Cove, server", (128, 64, 128, 192)),
                             ("Neoverse N1", (32, 32, 32, 32)),
                             ("Neoverse V2 (also NVIDIA Grace)", (48, 32, 48, 48))):
            found = tuple(peers.limit(peers.Cell(op, "16K", 1), names[name], 1.0)
                          for op in ("read", "write", "copy", "triad"))
            self.assertEqual(found, wanted, name)
        cell = peers.Cell("latency", "16K", 1)
        self.assertEqual(peers.limit(cell, names["Neoverse N1"], 2000.0), 2.0)
