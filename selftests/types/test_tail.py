# SPDX-License-Identifier: GPL-2.0-only
"""Single accesses on a machine whose memory pauses for its refresh: the test finds the period and
the length of the pauses, and no period where there is none."""

import unittest

import room
from room import machine

LINE = "tail {} size=1M repeat=2 count=20000 warmup=0"
PAUSES = ((7800, 350), (3900, 295))


class Tail(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.room = room.Room(prices=machine.PRICES)
        cls.addClassCleanup(cls.room.close)

    def near(self, found, planted, step=0):
        self.assertLessEqual(abs(found - planted), planted / 100 + step)

    def test_refresh_is_found(self):
        for every, pause in PAUSES:
            self.room.load(refresh_every_ns=every, refresh_ns=pause)
            for what in ("op=read", "type=uc irq=off"):
                with self.subTest(f"{what} {every} {pause}"):
                    result = self.room.ask(LINE.format(what)).result
                    self.assertEqual(result["refresh"], "found")
                    self.near(result["refresh_period_ns"], every)
                    # It is the difference of two readings of a clock that has steps of 1 ns.
                    self.near(result["refresh_pause_ns"], pause, 1)
                    causes = {one["cause"]: one for one in result["tail"]["causes"]}
                    self.assertGreater(causes["refresh"]["count"], 500)
                    # What comes with interrupts on may be long for other reasons.
                    if "irq=off" in what:
                        self.assertEqual(causes["interrupt"]["count"], 0)
                        self.assertLess(result["unknown_percent"], 10)

    def test_without_refresh_none_is_found(self):
        self.room.load()
        result = self.room.ask(LINE.format("type=uc irq=off")).result
        self.assertNotEqual(result["refresh"], "found")
        self.assertIsNone(result["refresh_period_ns"])

    def test_an_access_costs_what_it_costs(self):
        """Beside the price of the access there are its instructions and those of the clock, which
        differ by some."""
        self.room.load(uc_load_ns=500)
        result = self.room.ask(LINE.format("type=uc irq=off")).result
        self.assertGreaterEqual(result["ns_per_access"], 500)
        self.assertLess(result["ns_per_access"], 530)


if __name__ == "__main__":
    unittest.main()
