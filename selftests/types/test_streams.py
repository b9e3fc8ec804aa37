# SPDX-License-Identifier: GPL-2.0-only
"""Loops that go through an array in several streams, loops that flush behind each line, and
random accesses. QEMU has no accesses of 64 bytes: tools/check/wide-loops compares those loops
with the ones of 32 bytes."""

import accesses
import room

OPS = ("read", "ntread", "write", "ntwrite", "copy", "ntcopy", "rmw", "triad", "nttriad")
WIDTHS = (16, 32)
# Another thread may run between two windows. Without disturbed=keep the module then leaves out
# the second one, and estimates the time of the sample from the first.
COMMON = "irq=off verify=off warmup=0 repeat=1 disturbed=keep"


class Streams(room.Tests):
    def exact(self, line):
        """Each result has the accesses of its payload, and takes their time."""
        run = self.room.ask(line)
        for number, result in enumerate(run.results):
            windows = accesses.sample(result, run.windows_of(number))
            with self.subTest(type=result["type"], width=result["width_bytes"],
                              streams=result["streams"]):
                self.assertEqual(accesses.differences(result, windows), [])
                charged = accesses.cost_ns(accesses.of(result), result["type"],
                                           self.room.machine.cost)
                # Everything charged in the windows belongs to the loop, except what the
                # code of the window itself costs in the caches.
                self.assertGreaterEqual(room.total(windows, "charged"), charged)
                self.assertEqual(round(result["median_ns"] * 1000),
                                 room.total(windows, "ticks") * 1000 // result["passes_per_sample"])

    def test_streams(self):
        for op in OPS:
            for width in WIDTHS:
                with self.subTest(op=op):
                    self.exact(f"bandwidth type=uc,wc op={op} width={width} streams=2,4 "
                               f"size=96K {COMMON}")

    def test_flushes(self):
        """One flush after each line. All stores of 16 bytes and more are the loop's."""
        for op, key in (("write_clflushopt", "flush"), ("write_clwb", "clwb")):
            for width in WIDTHS:
                run = self.room.ask(f"bandwidth type=wb op={op} width={width} size=96K {COMMON}")
                done = accesses.of(run.result)
                windows = run.windows_of(0)
                last = accesses.last([w[key] for w in windows], done.stored // accesses.LINE)
                with self.subTest(op=op, width=width):
                    self.assertEqual(sum(last), done.stored // accesses.LINE)
                    self.assertEqual(room.count(windows[-len(last):], "wb", "store")[width],
                                     done.stores)

    def test_random_accesses(self):
        """There are as many loads and stores of 8 bytes as accesses in the record."""
        for op, access in (("read", "load"), ("write", "store")):
            run = self.room.ask(f"random type=uc,wc op={op} count=4096 size=64K {COMMON}")
            for number, result in enumerate(run.results):
                windows = run.windows_of(number)
                n = result["accesses"]
                counts = [room.count([w], result["type"], access).get(8, 0) for w in windows]
                with self.subTest(op=op, type=result["type"]):
                    self.assertEqual(sum(accesses.last([c for c in counts if c], n)), n)
