# SPDX-License-Identifier: GPL-2.0-only
"""Exhibits of the museum (tools/museum) of each kind: a price, a driver's mistake, and one that a
kernel module plants. `make museum` shows all."""

import sys
import unittest

from room import TOP

sys.path.insert(0, str(TOP / "tools/museum"))
import museum


class Exhibits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        museum.build(["vram"])
        cls.halls = {}

    @classmethod
    def tearDownClass(cls):
        for visit in cls.halls.values():
            visit.machine.close()

    def test_memcache_notices_the_mistake(self):
        for name in ("guest-pat", "vram", "memremap"):
            with self.subTest(name):
                before, after = museum.show(self.halls, museum.EXHIBITS[name])
                self.assertTrue(museum.has_noticed(before, after), f"{before}; {after}")
                self.assertNotEqual(before.state, after.state)
