# SPDX-License-Identifier: GPL-2.0-only
"""memcache-user on the module's three devices, in the same machine: the process executes
the same accesses as the kernel. Also operations that are not accesses of one width:
streaming stores to write-back memory, strings, the kernel's own functions, reading back."""

import unittest

import accesses
import room

OPS = ("read", "ntread", "write", "ntwrite", "copy", "ntcopy", "rmw", "triad", "nttriad", "rw31",
       "rw21", "rw11", "rw32", "ntrw31", "ntrw91")

# What memcpy_toio() and the others are, or call, on x86 and arm64.
FUNCTIONS = ("memcpy_toio", "memcpy_fromio", "memset_io", "memset", "memset_orig", "__memset",
             "__memset_io", "__memcpy_toio", "__memcpy_fromio", "__iowrite64_copy",
             "__memcpy_flushcache", "memcpy_flushcache", "memcpy", "memcpy_orig", "__memcpy",
             "__pi_memcpy", "__pi_memset")


def choices(ops):
    """The operations with their widths and sizes, and how many these are. There are few requests,
    because starting the program takes longer than measuring."""
    for fits, widths, size in (
            (lambda op: op not in accesses.WIDE and "rw31" not in op, (8, 16, 32), "24K"),
            (lambda op: "rw31" in op, (8, 16, 32), "32K"),
            (lambda op: op in accesses.WIDE, (16, 32), "24K")):
        if found := [op for op in ops if fits(op)]:
            yield (f"op={','.join(found)} width={','.join(map(str, widths))} size={size}",
                   len(found) * len(widths))


class Sides(room.Tests):
    ops = OPS
    most = 32       # bytes that an instruction accesses at once
    copies = ("rep_movsb", "rep_stosb", "memcpy_toio", "memcpy_fromio", "memset_io",
              "__iowrite64_copy", "memcpy_flushcache")

    def seen(self, run, number):
        return accesses.sample(run.results[number], run.windows_of(number))

    def test_a_process_executes_the_accesses_of_the_payload(self):
        for some, n in choices(self.ops):
            run = self.room.user(f"bandwidth type=uc,wc {some} irq=on verify=off warmup=0 repeat=1")
            self.assertEqual(len(run.results), 2 * n)
            for number, result in enumerate(run.results):
                result["width_bytes"] = min(result["width_bytes"], self.most)
                with self.subTest(type=result["type"], op=result["op"],
                                  width=result["width_bytes"]):
                    self.assertEqual(result["where"], "user")
                    self.assertEqual(result["effective"], "yes")
                    self.assertEqual(accesses.differences(result, self.seen(run, number)), [])

    def test_streaming_stores_to_write_back_memory(self):
        """Streaming stores are exact on WB, too, where not all other stores are the loop's."""
        for measure in (self.room.ask, self.room.user):
            for some, n in choices(accesses.STREAMING):
                run = measure(f"bandwidth type=wb {some} verify=off warmup=0 repeat=1")
                self.assertEqual(len(run.results), n)
                for number, result in enumerate(run.results):
                    done, width = accesses.of(result), result["width_bytes"]
                    streamed = [room.count([w], "wb", "streaming").get(width, 0)
                                for w in run.windows_of(number)]
                    with self.subTest(op=done.op, width=width, where=result["where"]):
                        last = accesses.last(streamed, done.stores)
                        self.assertEqual(sum(last), done.stores, streamed)
                        self.assertGreaterEqual(result["passes_per_sample"], 1)

    def test_strings_and_kernel_functions_move_the_bytes_of_the_payload(self):
        self.room.watch_functions(*FUNCTIONS)
        self.addCleanup(self.room.watch_functions)
        for op in self.copies:
            run = self.room.ask(f"bandwidth type=uc,wc op={op} size=24K irq=off verify=off "
                                "warmup=0 repeat=1")
            for number, result in enumerate(run.results):
                with self.subTest(op=op, type=result["type"]):
                    self.moves(run, number)

    def test_reading_back_loads_what_was_stored(self):
        for op, width in (("write", 8), ("write", 16), ("ntwrite", 32)):
            if op not in self.ops:
                continue
            run = self.room.ask(f"bandwidth type=uc,wc op={op} width={width} readback=on "
                                "size=24K irq=off verify=off warmup=0 repeat=1")
            for number, result in enumerate(run.results):
                kind, windows = result["type"], run.windows_of(number)[-1:]
                half = result["payload_bytes"] * result["passes_per_sample"] // 2
                with self.subTest(op=op, width=width, type=kind):
                    self.assertEqual(room.count(windows, kind, "store"), {width: half // width})
                    self.assertEqual(room.count(windows, kind, "load"), {width: half // width})

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
        windows, kind = self.seen(run, number), result["type"]
        payload = result["payload_bytes"] * result["passes_per_sample"]
        loaded = int(payload * accesses.LOADED[result["op"]])
        for access, bytes_ in (("load", loaded), ("store", payload - loaded)):
            self.assertEqual(sum(width * n for width, n in
                                 room.count(windows, kind, access).items()), bytes_)


@room.takes_long
class SidesArm64(Sides):
    """A loop of 32 bytes makes two accesses of 16 there. Stores are never told to be streaming.
    memcpy(), which memcpy_flushcache() calls, copies some bytes twice."""
    kernel = "6.1-arm64"
    ops = tuple(op for op in OPS if not op.startswith("nt"))
    most = 16
    copies = "memcpy_toio", "memcpy_fromio", "memset_io", "__iowrite64_copy"
    test_streaming_stores_to_write_back_memory = None


if __name__ == "__main__":
    unittest.main()
