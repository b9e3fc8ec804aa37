# SPDX-License-Identifier: GPL-2.0-only
"""Exhibits of the museum (tools/museum) of each kind: a price, a function of the kernel as it was,
its answer where it can't know one, and pages that a driver frees. `make museum` shows all."""

import sys
import unittest.mock

import room
from room import TOP, machine

sys.path.insert(0, str(TOP / "tools/museum"))
import museum


class Exhibits(room.Tests):
    cpus = 2

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        museum.build(["ioremap"])
        cls.halls = {}
        # The hall is in the machine of other tests.
        with unittest.mock.patch.object(machine, "Machine", lambda *_, **__: cls.room.machine):
            museum.visit_of(cls.halls, ())

    def test_memcache_notices_the_mistake(self):
        for name in ("guest-pat", "ioremap", "memremap", "left-uc"):
            with self.subTest(name):
                exhibit = museum.EXHIBITS[name]
                before, after = museum.show(self.halls, exhibit)
                self.assertTrue(museum.has_noticed(exhibit, before, after), f"{before}; {after}")
