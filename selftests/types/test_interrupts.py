# SPDX-License-Identifier: GPL-2.0-only
"""Interrupts that the machine delivers while the clock runs: none with irq=off, and with
irq=on those that the record tells of."""

import accesses
import room

# Threads that rest wake up by an interrupt, often just before the clock starts. With sched=keep,
# none rests.
LINE = ("bandwidth type={type} op=write width=8 size=512K verify=off warmup=0 repeat=12 "
        "sched=keep")


def interrupted(run):
    """For each sample, how many of its windows had an interrupt. The windows of the core's clock,
    which come between samples, do not count."""
    return [sum(window["interrupts"] > 0 for window in sample
                if room.moved([window], run.result["type"]))
            for sample in accesses.samples(run.result, run.windows_of(0))]


class Interrupts(room.Tests):
    def test_none_with_interrupts_off(self):
        for kind in ("wc", "uc"):
            with self.subTest(type=kind):
                run = self.room.ask(LINE.format(type=kind) + " irq=off")
                self.assertGreater(room.total(run.cpus, "interrupts"), 0)     # between windows
                # Memory is filled in windows, too; those leave interrupts on.
                self.assertEqual(interrupted(run), [0] * run.result["samples"])
                self.assertEqual(run.result["disturbed_interrupt"], 0)
                if not run.result["disturbed_preemption"]:
                    self.assertEqual(run.result["windows_left_out"], 0)

    def test_those_of_the_record_with_interrupts_on(self):
        """`disturbed=keep` leaves no sample out, so that samples are easy to tell apart. The record
        tells of those that were seen, and perhaps of one more: the module reads the counter of
        interrupts some nanoseconds before the clock starts and after it stops."""
        run = self.room.ask(LINE.format(type="uc") + " irq=on disturbed=keep")
        seen = sum(n > 0 for n in interrupted(run))
        self.assertGreater(seen, 0)
        self.assertIn(run.result["disturbed_interrupt"] - seen, (0, 1))
