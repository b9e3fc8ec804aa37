# SPDX-License-Identifier: GPL-2.0-only
"""file: the bytes of memory that are read and written for each byte of a file. They follow from
the sizes of caches, which are not those of tools/sim/prices: a transfer either fits them, or is
much larger. The machine's memory controllers count what they move, and perf reads their counts."""

import os
import subprocess
import unittest

import room
from room import machine

K, M, LINE = 1 << 10, 1 << 20, 64
SMALL, LARGE = 16 * K, M        # transfers
FILE = 2 * M

# The caches. Pages lie anywhere, so a set may have to hold the lines of all pages of a small
# transfer and of its part of the file. What L2 loses, L3 has.
SETS = {
    "192K": {"l1_bytes": 24 * K, "l1_ways": 6, "l2_bytes": 192 * K, "l2_ways": 12, "l3_bytes": 0},
    "64K, 320K, prefetcher": {
        "l1_bytes": 16 * K, "l1_ways": 4, "l2_bytes": 64 * K, "l2_ways": 8, "l3_bytes": 320 * K,
        "l3_ways": 20, "prefetch_lines": 3},
}
# Bytes read and written for each byte of the file. A store first reads its line, and the line is
# written when it leaves the caches. A process has the same ones.
ANSWERS = {
    # The file is read; the copy stays in the caches, and is compared there.
    f"op=read transfer={SMALL} check=off,on": (1, 0),
    # The line that the copy is stored to is read, and written.
    f"op=read transfer={LARGE} check=off": (2, 1),
    # The comparison reads the copy.
    f"op=read transfer={LARGE} check=on": (3, 1),
    # The pattern stays in the caches. The file's line is read, and written.
    f"op=write transfer={SMALL} bytes={FILE}": (1, 1),
    # The pattern is written to memory, and read from there.
    f"op=write transfer={LARGE} bytes={FILE}": (3, 2),
}
# Two readers go through the file at a distance that no cache holds.
SHARED = {f"op=read transfer={SMALL} readers=2 cpu=0-1 files=shared": (1, 0)}
# On a disk in RAM, whose driver copies each block.
ON_DISK = {
    f"op=read transfer={SMALL} direct=on": (1, 0),
    f"op=read transfer={LARGE} direct=on": (2, 1),
    f"op=write transfer={SMALL} bytes={FILE} direct=on": (1, 1),
    f"op=read transfer={SMALL} cache=drop": (2, 1),
    f"op=write transfer={SMALL} bytes={FILE} cache=drop": (3, 2),
}
# More or less than that, for each byte. The module's own code and stacks have lines, too. So has
# the code of ext4 and of the disk's driver, which are modules; and the page cache has new pages in
# each sample, some of which the caches hold.
OWN, OWN_ON_DISK = 0.01, 0.2


class File(room.Tests):
    cpus, any_prices = 2, True
    # The kernel's functions that copy. No other function of the kernel moves any line.
    copies = ("memcpy", "__memcpy", "memcpy_orig", "memcpy_erms",
              "copy_user_generic_unrolled", "copy_user_generic_string",
              "copy_user_enhanced_fast_string")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.addClassCleanup(cls.room.watch_functions)
        cls.room.watch_functions(*cls.copies)
        cls.sh = cls.room.machine.sh
        cls.sh("mkdir -p /run/memory /run/disk; mount -t tmpfs none /run/memory")
        cls.pmu_type = cls.room.load_pmu("uncore_imc_0")
        lines = "".join(f"dram_{what} type={cls.pmu_type} config={k << 8 | room.SIMULATED} cpu=0 "
                        f"scale={LINE}\n" for k, what in enumerate(("read", "write")))
        cls.sh(f"tee /run/counters {machine.DEBUGFS}/counters <<<'{lines}'")

    def answers(self, ask, table, path, own=OWN):
        """own: how much may be missing or added."""
        self.room.ask(f"file op=write path={path} bytes={FILE} repeat=1 warmup=0")
        for name, caches in SETS.items():
            self.room.machine.prices(**(self.room.file_prices | room.FREE | caches))
            for keys, (read, written) in table.items():
                run = ask(f"file path={path} {keys} warmup=1 repeat=1")
                for result in run.results:
                    with self.subTest(caches=name, keys=keys, check=result["check"]):
                        self.assertAlmostEqual(result["amplification_read"], read, delta=own)
                        self.assertAlmostEqual(result["amplification_write"], written, delta=own)
                        self.assertEqual(result["dram_why"], None)

    def test_in_the_kernel(self):
        self.answers(self.room.ask, ANSWERS | SHARED, "/run/memory/f")

    def test_in_a_process(self):
        self.answers(lambda line: self.room.user(line, "--counters /run/counters"), ANSWERS,
                     "/run/memory/f")

    def test_on_a_disk(self):
        self.mount_disk()
        self.answers(self.room.ask, ON_DISK, "/run/disk/f", OWN_ON_DISK)

    def mount_disk(self):
        """Mount ext4 on a disk in RAM, for this test only. ext4 writes to it at any time, with the
        functions that are watched. The options keep ext4 from starting a thread that does so."""
        # The guest sees this directory. An x86 host's mke2fs does not run on arm64.
        image = self.room.machine.room / "image"
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-b", "4096", "-O", "^has_journal", image,
                        "8M"], check=True, capture_output=True,
                       env=os.environ | {"PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"})
        self.sh(f"modprobe -a brd ext4; echo {SMALL // K} >/sys/block/ram0/queue/read_ahead_kb; "
                f"dd status=none if={image} of=/dev/ram0 bs=1M; "
                "mount -t ext4 -o noinit_itable,no_prefetch_block_bitmaps /dev/ram0 /run/disk")
        self.addCleanup(self.sh, "umount /run/disk; rmmod brd")


@room.takes_long
class FileArm64(File):
    kernel = "6.1-arm64"
    copies = ("__memcpy", "__pi_memcpy", "__arch_copy_from_user", "__arch_copy_to_user")


if __name__ == "__main__":
    unittest.main()
