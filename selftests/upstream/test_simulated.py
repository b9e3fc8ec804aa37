# SPDX-License-Identifier: GPL-2.0-only
"""The KUnit test for the kernel (tools/upstream) on the simulated machine, where types have an
effect: it passes, and it fails for mistakes of the museum that are its business."""

import re
import sys
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tools/sim")]
import machine  # noqa: E402

IGNORED = {f"{kind}_ns": 0 for kind in ("uc_load", "uc_store", "wc_load", "wc_line", "wc_word")}
HOLE = "base=0x20000000 size=0x10000000 type=uncachable"


class Simulated(unittest.TestCase):
    def run_suite(self):
        """Run the suite; return the cases that failed and those that were skipped."""
        self.machine.run("dmesg -C; rmmod memtype")
        log = self.machine.sh("insmod /memcache.ko reserved=0x10000000; dmesg")
        print("\n".join("# " + line for line in log.splitlines()), flush=True)
        found = re.findall(r"\]     (not ok|ok) \d+ (memtype_\w+)(.*)$", log, re.M)
        self.assertEqual(len(found), 10, log)
        return ({name for result, name, _ in found if result == "not ok"},
                {name for _, name, more in found if "SKIP" in more})

    def test_passes_and_fails_as_the_machine_is(self):
        self.machine = machine.Machine("6.12", append="memmap=2M$0x10000000",
                                       ko=TOP / "build/upstream/memtype.ko")
        self.addCleanup(self.machine.close)
        self.assertEqual(self.run_suite(), (set(), {"memtype_acpi_tables"}))
        with self.subTest("the hypervisor ignores the guest's PAT"):
            self.machine.prices(**IGNORED)
            self.assertEqual(self.run_suite()[0], {
                "memtype_effect", "memtype_map_effect", "memtype_vmap_effect"})
            self.machine.prices(**self.machine.file_prices)
        with self.subTest("an MTRR leaves out RAM"):
            self.machine.sh(f"echo '{HOLE}' >/proc/mtrr")
            self.assertEqual(self.run_suite()[0], {"memtype_ram_is_cached"})
            self.machine.sh("echo disable=$(sed -n 's/^reg0*\\([0-9]*\\):.*uncachable.*/\\1/p' "
                            "/proc/mtrr | tail -n 1) >/proc/mtrr")
        with self.subTest("a driver has freed pages that are UC"):
            # Other cases get such pages, and fail, too.
            self.machine.sh(f"insmod {TOP}/build/upstream/plant.ko bug=left-uc")
            self.assertIn("memtype_free_pages_are_wb", self.run_suite()[0])
