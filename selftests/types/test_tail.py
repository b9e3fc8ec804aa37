# SPDX-License-Identifier: GPL-2.0-only
"""Single accesses on a machine whose memory pauses for its refresh: the test finds the period and
the length of the pauses, and no period where there is none."""

import concurrent.futures
import itertools
import re
import threading
import unittest

import accesses
import room
from room import machine

LINE = "tail {} size=1M repeat=2 count=20000 warmup=0"
PAUSES = ((7800, 350), (3900, 295))


def blamed_in(result):
    """How many spikes each cause has that has any."""
    return {one["cause"]: one["count"] for one in result["tail"]["causes"] if one["count"]}


class Tail(room.Tests):
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


class Causes(room.Tests):
    """What is planted on CPU 1, and what the test blames for its spikes. The kernel counts these
    interrupts, too. QEMU sends NMIs. An access lasts until CPU 0, which works, has come as far, so
    nearly all interrupts come during one."""
    cpus, prices = 2, {"uc_load_ns": 5000}
    LINE = "tail type=uc cpu=1 size=1M repeat=2 count=8000 warmup=0 spike=5300ns irq={}"

    def interrupts(self):
        """The interrupts of CPU 1 until now, by their names."""
        told = self.room.machine.sh("cat /proc/interrupts")
        return {name: int(count) for name, count in
                re.findall(r"^ *(\w+): +\d+ +(\d+)", told, re.M)}

    def measure(self, irq):
        """The result, how many spikes each known cause has, and the interrupts meanwhile. The shell
        on CPU 0 starts no program: to read one from the disk would take too long."""
        self.room.machine.sh(f"""cd {machine.DEBUGFS}
            (until read -r word _ <progress && [ $word = running ]; do :; done
            while read -r word _ <progress && [ $word = running ]; do :; done
            ) </dev/null >/dev/null 2>&1 &""")
        before = self.interrupts()
        result = self.room.ask(self.LINE.format(irq)).result
        came = {name: count - before[name] for name, count in self.interrupts().items()}
        blamed = blamed_in(result)
        print(f"# irq={irq} blamed: {blamed} came: {came}")
        return result, blamed, came

    def assert_adds_up(self, result):
        """All spikes have a cause, and the sum of the causes is the time beyond the median. The
        histogram has that, too, in bins that are 1.6 % wide."""
        known = [one for one in result["tail"]["causes"] if one["count"] is not None]
        self.assertEqual(sum(one["count"] for one in known), result["spikes"])
        spikes = [(ns, count) for ns, count in result["histogram_ns_count"]
                  if ns > result["spike_limit_ns"]]
        beyond = sum((ns - result["ns_per_access"]) * count for ns, count in spikes)
        width = 0.02 * sum(ns * count for ns, count in spikes)
        self.assertLessEqual(abs(sum(one["excess_ns"] for one in known) - beyond), width)

    def test_nmis(self):
        over = threading.Event()
        with concurrent.futures.ThreadPoolExecutor() as pool:
            sending = pool.submit(self.room.machine.send_nmis, over, 0.005)
            try:
                result, blamed, came = self.measure("off")
            finally:
                over.set()
        print(f"# sent: {sending.result()}")
        self.assertEqual(list(blamed), ["nmi"])
        self.assertTrue(5 <= blamed["nmi"] <= came["NMI"])
        self.assert_adds_up(result)

    def test_interrupts_of_the_timer(self):
        result, blamed, came = self.measure("on")
        self.assertLessEqual(set(blamed), {"interrupt", "softirq"})
        self.assertTrue(5 <= sum(blamed.values()) <= sum(came.values()))
        self.assert_adds_up(result)


class Events(room.Tests):
    """A PMU counts for the thread what the machine does: walks of page tables, and cycles of a
    clock that stands still now and then. The native test `tail` has all else that follows from
    counts."""
    ENTRIES, STILL, COUNT = 256, 8000, 8000
    CYCLES = 1 << 8         # k is 1 (selftests/modules/mc_pmu.c)

    def measure(self, event, config, line, **prices):
        """The run, and how many spikes each cause has."""
        self.room.load(**room.FREE | prices)
        kind = self.room.load_pmu("mc_core")
        self.room.machine.sh(f"echo '{event} type={kind} config={room.SIMULATED | config}' "
                             f">{machine.DEBUGFS}/counters")
        run = self.room.ask(f"tail {line} repeat=1 count={self.COUNT} warmup=0 irq=off")
        blamed = blamed_in(run.result)
        print(f"# {line}: {blamed}")
        return run, blamed

    def test_loads_beyond_the_reach_of_the_tlb(self):
        """The samples' windows are the last ones. The test has some walks beside its accesses."""
        run, blamed = self.measure(
            "dTLB-load-misses", 0, f"flush=no places=all page=4K size={4 * self.ENTRIES * 9 // 8}K",
            tlb_miss_ns=3000, tlb_entries=self.ENTRIES, tlb2_entries=0)
        walks = itertools.accumulate(window["did"]["walks"] for window in reversed(run.windows))
        self.assertEqual(list(blamed), ["walk"])
        self.assertGreater(blamed["walk"], 400)
        self.assertTrue(any(blamed["walk"] <= n <= 1.01 * blamed["walk"] for n in walks))

    def test_a_clock_that_stands_still(self):
        """The test waits for a ninth of the time, so that phases shift: what falls into that is no
        access's. One that begins before a window may end in it."""
        run, blamed = self.measure("cycles", self.CYCLES, "type=uc size=1M", uc_load_ns=2000,
                                   still_every_ns=97000, still_ns=self.STILL)
        sample = accesses.last([window["did"] for window in run.windows], self.COUNT,
                               lambda did: sum(room.count([did], "uc", "load").values()))
        # How often it stood still in each window.
        still = [did["still_ns"] // self.STILL for did in sample]
        self.assertEqual(list(blamed), ["frequency"])
        self.assertGreater(blamed["frequency"], 100)
        self.assertLessEqual(blamed["frequency"], sum(still) + len(still))
        self.assertGreater(blamed["frequency"], 0.8 * sum(still))


if __name__ == "__main__":
    unittest.main()
