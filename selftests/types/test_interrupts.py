# SPDX-License-Identifier: GPL-2.0-only
"""Interrupts that the machine delivers while the clock runs: none with irq=off, and with
irq=on those that the record tells of."""

import unittest

import accesses
import room
from room import machine

LINE = "bandwidth type={type} op=write width=8 size=512K verify=off warmup=0 repeat=12"


class Interrupts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.room = room.Room(prices=machine.PRICES)
        cls.addClassCleanup(cls.room.close)
        cls.room.load()

    def test_none_with_interrupts_off(self):
        for kind in ("wc", "uc"):
            with self.subTest(type=kind):
                run = self.room.ask(LINE.format(type=kind) + " irq=off")
                self.assertGreater(run.everything["interrupts"], 0)     # between windows
                # Memory is filled in windows, too; those leave interrupts on.
                for sample in accesses.samples(run.result, run.windows_of(0)):
                    self.assertEqual(room.total(sample, "interrupts"), 0)
                self.assertEqual(run.result["disturbed_interrupt"], 0)
                if not run.result["disturbed_preemption"]:
                    self.assertEqual(run.result["windows_left_out"], 0)

    def test_those_of_the_record_with_interrupts_on(self):
        """`disturbed=keep` leaves no sample out, so that samples are easy to tell apart."""
        run = self.room.ask(LINE.format(type="uc") + " irq=on disturbed=keep")
        result, windows = run.result, run.windows_of(0)
        samples = accesses.samples(result, windows)
        self.assertEqual(len(samples), result["samples"])
        hit = sum(room.total(sample, "interrupts") > 0 for sample in samples)
        self.assertGreater(hit, 0)
        self.assertEqual(result["disturbed_interrupt"], hit)

    def test_windows_that_are_left_out_had_one(self):
        run = self.room.ask(LINE.format(type="uc") + " irq=on")
        result, windows = run.result, run.windows_of(0)
        hit = sum(window["interrupts"] > 0
                  for sample in accesses.samples(result, windows) for window in sample)
        self.assertGreater(hit, 0)
        # A window before which other threads had the CPU is left out, too.
        self.assertGreaterEqual(result["windows_left_out"], hit)
        if not result["disturbed_preemption"]:
            self.assertEqual(result["windows_left_out"], hit)
