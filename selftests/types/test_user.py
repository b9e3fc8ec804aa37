# SPDX-License-Identifier: GPL-2.0-only
"""Strings and the kernel's own functions, whose accesses have many widths, and hints on both sides.
test_times has the loops, which are the same in a process (tools/check/same-loops)."""

import unittest

import accesses
import room

# What memcpy_toio() and the others are, or call, on x86 and arm64.
FUNCTIONS = ("memcpy_toio", "memcpy_fromio", "memset_io", "memset", "memset_orig", "__memset",
             "__memset_io", "__memcpy_toio", "__memcpy_fromio", "__iowrite64_copy",
             "__memcpy_flushcache", "memcpy_flushcache", "memcpy", "memcpy_orig", "__memcpy",
             "__pi_memcpy", "__pi_memset")


class Sides(room.Tests):
    copies = ("rep_movsb", "rep_stosb", "memcpy_toio", "memcpy_fromio", "memset_io",
              "__iowrite64_copy", "memcpy_flushcache")

    def test_strings_and_kernel_functions_move_the_bytes_of_the_payload(self):
        self.room.watch_functions(*FUNCTIONS)
        self.addCleanup(self.room.watch_functions)
        for op in self.copies:
            run = self.room.ask(f"bandwidth type=uc,wc op={op} size=24K irq=off verify=off "
                                "warmup=0 repeat=1")
            for number, result in enumerate(run.results):
                with self.subTest(op=op, type=result["type"]):
                    self.moves(run, number)

    def test_a_hint_is_given_for_each_line(self):
        for measure in (self.room.ask, self.room.user):
            run = measure("bandwidth op=read_prefetchnta,write_prefetchw,read,write width=8,16 "
                          "size=24K irq=on verify=off warmup=0 repeat=1")
            for number, result in enumerate(run.results):
                lines = result["payload_bytes"] * result["passes_per_sample"] // accesses.LINE
                windows = accesses.last(run.windows_of(number), lines, lambda w: w["hint"])
                with self.subTest(op=result["op"], where=result["where"]):
                    self.assertEqual(room.total(windows, "hint"),
                                     lines if "prefetch" in result["op"] else 0)

    def moves(self, run, number):
        """The accesses add up to the bytes of the payload, whatever their width."""
        result = run.results[number]
        windows, kind = accesses.sample(result, run.windows_of(number)), result["type"]
        payload = result["payload_bytes"] * result["passes_per_sample"]
        loaded = int(payload * accesses.LOADED[result["op"]])
        for access, bytes_ in (("load", loaded), ("store", payload - loaded)):
            self.assertEqual(sum(width * n for width, n in
                                 room.count(windows, kind, access).items()), bytes_)


@room.takes_long
class SidesArm64(Sides):
    """memcpy(), which memcpy_flushcache() calls, copies some bytes twice."""
    kernel = "6.1-arm64"
    copies = "memcpy_toio", "memcpy_fromio", "memset_io", "__iowrite64_copy"


if __name__ == "__main__":
    unittest.main()
