# SPDX-License-Identifier: GPL-2.0-only
"""target=: a range of the machine's memory that its kernel leaves alone, mapped as drivers map
a BAR, and a device's BAR. What an access costs is known, and so is what the test mmio must find."""

import json
import unittest

import accesses
import room

BATCHES = 8192
RUNS = {1: 10, 4: 8, 8: 7, 16: 6}       # lengths of runs, 512 bytes at most
ROUNDS = 5
SINGLE = 4096 // 16    # windows of bursts that are timed one by one
WIDTHS = tuple(RUNS)
# The machine's name for the type that accesses have.
SEEN = {"uc": "uc", "np": "uc", "wc": "wc", "wt": "wt", "wb": "wb"}


def access_ns(op: str, kind: str, width: int, cost: dict[str, int]) -> int:
    """The price of 64 bytes, each accessed once, one behind the other; burst: of one burst."""
    n = 64 // width
    uncached = {"load": cost["uc_load_ns"], "store": cost["uc_store_ns"]}
    if SEEN[kind] == "uc":
        stored, loaded = n * uncached["store"], n * uncached["load"]
    else:
        # A load of a line sends what was stored of it, by words of 8 bytes.
        sent = max(n, 8) * cost["wc_word_ns"]
        stored = sent if op == "write_read" else cost["wc_line_ns"]
        loaded = n * cost["wc_load_ns"]
    return {"read": loaded, "write": stored, "burst": stored, "write_read": stored + loaded}[op]


class Target:
    """kinds: the kernel's attribute for each type. target: what is measured."""
    any_prices = True
    # Only UC and WC memory has a price.
    prices = dict.fromkeys(("l2_ns", "l3_ns", "memory_ns", "flush_ns", "tlb_miss_ns"), 0)
    kinds = {"uc": "uc-", "np": "uc", "wc": "wc"}
    target, effective = "", "yes"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.take()

    @classmethod
    def take(cls):
        """Make the target ready, when the module is loaded."""

    def setUp(self):
        self.room.machine.prices(**(self.room.file_prices | self.prices))

    def mmio(self, line):
        # Another thread may run between two windows. Without disturbed=keep the module then leaves
        # out the second one.
        return self.room.ask(f"mmio target={self.target} size=32K repeat=1 warmup=0 irq=off "
                             f"disturbed=keep {line}")

    def sample(self, result, windows):
        """The windows of the sample, and its passes. Grains, then runs, and then single bursts were
        timed after it. The time in the record is that of these windows, to the picosecond."""
        op, width, kind = result["op"], result["width_bytes"], SEEN[result["type"]]
        if op == "burst":
            windows = windows[:-ROUNDS * (1 + RUNS[width]) - SINGLE]
        each = 64 if op == "burst" else width * (2 if op == "write_read" else 1)

        def moved(window):
            return room.moved([window], kind)
        batches = accesses.last(windows, BATCHES * result["batch_accesses"] * each, moved)
        windows, n = windows[:-len(batches)], 0
        while (n := n + 1) <= len(windows):
            passes, rest = divmod(sum(map(moved, windows[-n:])), result["accesses_per_pass"] * each)
            ticks = room.total(windows[-n:], "ticks")
            if not rest and ticks * 1000 // passes == round(result["median_ns"] * 1000):
                return windows[-n:], passes
        raise AssertionError(f"no windows have the time of {result}")

    def exact(self, line):
        run, cost = self.mmio(line), self.room.machine.cost
        self.assertTrue(run.results)
        for number, result in enumerate(run.results):
            op, kind, width = result["op"], result["type"], result["width_bytes"]
            with self.subTest(op=op, type=kind, width=width):
                windows, passes = self.sample(result, run.windows_of(number))
                done = passes * result["accesses_per_pass"]
                loads = done if op in ("read", "write_read") else 0
                stores = done * 64 // width if op == "burst" else done if op != "read" else 0
                for name, n in (("load", loads), ("store", stores)):
                    self.assertEqual(room.count(windows, SEEN[kind], name), {width: n} if n else {})
                lines = done if op == "burst" else done * width // 64
                self.assertEqual(room.total(windows, "charged"),
                                 lines * access_ns(op, kind, width, cost))
                self.assertEqual(round(result["ns_per_access"] * 1000),
                                 room.rounded(round(result["median_ns"] * 1000), 1024))
        return run.results

    def test_times_of_reads_and_writes(self):
        for op in ("read", "write", "write_read", "burst"):
            found = self.exact(f"write=yes type={','.join(self.kinds)} op={op} "
                               f"width={','.join(map(str, WIDTHS))}")
            self.assertEqual([(r["type"], r["attribute"]) for r in found[::len(WIDTHS)]],
                             list(self.kinds.items()))
            self.assertEqual({r["effective"] for r in found}, {self.effective})

    def test_bandwidth(self):
        cost = self.room.machine.cost
        run = self.room.ask(f"bandwidth target={self.target} write=yes type=uc,wc "
                            "op=read,write,copy width=8 size=64K offset=64K irq=off verify=off "
                            "repeat=1 warmup=0 disturbed=keep")
        self.assertEqual(len(run.results), 6)
        for number, result in enumerate(run.results):
            with self.subTest(op=result["op"], type=result["type"]):
                windows = accesses.sample(result, run.windows_of(number))
                self.assertEqual(accesses.differences(result, windows), [])
                self.assertEqual(room.total(windows, "charged"),
                                 accesses.cost_ns(accesses.of(result), result["type"], cost))
                self.assertRegex(result["physical_range"], r"^0x\w*10000\+64K$")


class Range(Target, room.Tests):
    target = "phys:0x18000000+1M any_range=yes"

    def test_write_through_memory_is_cached(self):
        (result,) = (run := self.mmio("type=wt op=read width=8")).results
        self.assertEqual(result["attribute"], "wt")
        seen, passes = self.sample(result, run.windows_of(0))
        self.assertEqual(room.count(seen, "wt", "load"), {8: passes * result["accesses_per_pass"]})
        # Its 32 KiB fit the caches.
        self.assertEqual(room.total(seen, "memory"), 0)


class BarArm64(Target, room.Tests):
    """A device's BAR of 1 MiB, with memory behind it. No test follows pointers there, so nothing is
    known of the effect of its type."""
    kernel = "6.1-arm64"
    kinds = {"uc": "nGnRE", "np": "nGnRnE", "wc": "nc"}
    effective = "unknown"

    @classmethod
    def take(cls):
        cls.target = "pci:" + cls.room.machine.sh(
            "cd /sys/bus/pci/devices; for device in *; do "
            "[ $(cat $device/vendor)$(cat $device/device) = 0x1af40x1110 ] || continue; "
            "echo memcache >$device/driver_override; echo $device >/sys/bus/pci/drivers_probe; "
            "echo $device; done").strip() + "/2"


class Look(room.Tests):
    """Mappings that mc_maps makes, as the file `mappings` says, and as the machine sees accesses
    through them. Beyond RAM there is nothing, which x86 reads all the same."""
    at, apart = 0x8_0000_0000, 16 << 20
    # Each mapping's attribute, the type of accesses, and the bytes of its pages, if they matter.
    types = (("wc", "wc", 2 << 20), ("uc-", "uc", 4096), ("uc", "uc", 4096), ("wt", "wt", 4096),
             ("wc", "wc", 4096), ("wb", "wb", 0), ("uc-", "uc", 4096))

    def find(self) -> int:
        return self.at

    def test_each_row_has_the_type_that_accesses_have(self):
        machine, at = self.room.machine, self.find()
        machine.sh(f"insmod {self.room.pmu.with_name('mc_maps.ko')} at={at} apart={self.apart}")
        self.addCleanup(machine.sh, "rmmod mc_maps")
        ram, left = map(int, machine.sh("cd /sys/module/mc_maps/parameters; cat ram left").split())
        told = machine.sh(f"cd {room.machine.DEBUGFS}; "
                          f"echo phys={at}+{4 * self.apart},{ram}+4K,{left}+4K >mappings; "
                          "echo \"$(<mappings)\"")
        rows = [row for row in map(json.loads, told.splitlines()) if row["record"] == "mapping"]
        places = [*((at + n * self.apart, "vmalloc") for n in range(4)),
                  (ram, "vmalloc"), (ram, "direct"), (left, "direct")]
        for number, ((place, area), known) in enumerate(zip(places, self.types)):
            # The first mapping of the device may be so long that it has the others' memory, too.
            row = min((row for row in rows if row["area"] == area and 0 <= place - int(
                row["physical_range"].partition("+")[0], 16) < row["bytes"]),
                key=lambda row: row["bytes"])
            machine.counts()
            machine.sh(f"echo {number} >/sys/module/mc_maps/parameters/touch")
            (cpu,) = machine.counts()["cpus"]
            seen = [kind for kind in ("wb", "wt", "wc", "uc")
                    if room.count([cpu], kind, "load").get(1, 0) >= 1000]
            self.assertEqual(((row["attribute"], *seen), row["page_bytes"]),
                             (known[:2], known[2] or row["page_bytes"]), row)


class LookArm64(Look):
    """In the device's BAR."""
    kernel, apart = "6.1-arm64", 64 << 10
    types = (("nc", "wc", 0), ("nGnRE", "uc", 4096), ("nGnRnE", "uc", 4096),
             ("wb", "wb", 4096), ("nc", "wc", 4096), ("wb", "wb", 0))

    def find(self) -> int:
        return int(self.room.machine.sh(
            "cd /sys/bus/pci/devices; for device in *; do "
            "[ $(cat $device/vendor)$(cat $device/device) = 0x1af40x1110 ] || continue; "
            "[ -e $device/driver ] || echo 1 >$device/enable; "
            "sed -n '3s/ .*//p' $device/resource; done"), 16)


if __name__ == "__main__":
    unittest.main()
