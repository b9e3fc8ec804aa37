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
        blamed = {one["cause"]: one["count"] for one in result["tail"]["causes"] if one["count"]}
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


class Walks(room.Tests):
    """Loads at random from more pages or fewer than the TLB has entries. Only a walk of the page
    tables takes time. A PMU counts the machine's walks for the thread."""
    ENTRIES = 256
    prices = room.FREE | {"tlb_miss_ns": 3000, "tlb_entries": ENTRIES, "tlb2_entries": 0}
    LINE = "tail flush=no places=all page=4K size={}K repeat=1 count=8000 warmup=0 irq=off"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kind = cls.room.load_pmu("mc_core")

    def measure_causes(self, pages, event=room.SIMULATED):
        """What is blamed, and how often; and the walks of the last windows, added up."""
        self.room.machine.sh(f"echo 'dTLB-load-misses type={self.kind} config={event}' "
                             f">{machine.DEBUGFS}/counters")
        run = self.room.ask(self.LINE.format(4 * pages))
        blamed = {one["cause"]: one["count"] for one in run.result["tail"]["causes"]
                  if one["count"] or one["cause"] == "walk"}
        walks = [window["did"]["walks"] for window in run.windows]
        print(f"# {pages} pages, event {event}: {blamed}")
        return blamed, list(itertools.accumulate(reversed(walks)))

    def test_within_reach_there_is_none(self):
        blamed, walks = self.measure_causes(self.ENTRIES // 2)
        self.assertEqual((blamed, walks[5]), ({"walk": 0}, 0))

    def test_beyond_reach_each_is_found(self):
        """The samples' windows are the last ones. The test has some walks beside its accesses."""
        for pages in (self.ENTRIES, self.ENTRIES * 9 // 8):
            blamed, walks = self.measure_causes(pages)
            with self.subTest(pages=pages):
                self.assertEqual(list(blamed), ["walk"])
                self.assertGreater(blamed["walk"], 400)
                self.assertTrue(any(blamed["walk"] <= n <= 1.01 * blamed["walk"] for n in walks))

    def test_what_is_usual_is_no_cause(self):
        blamed, walks = self.measure_causes(4 * self.ENTRIES)
        self.assertEqual(blamed, {"walk": None})
        self.assertGreater(walks[-1], 4000)

    def test_what_is_not_counted_is_not_known(self):
        """An event that counts nothing, and one that can't be opened."""
        for event, walks in ((1, 0), (3, None)):
            blamed, _walks = self.measure_causes(self.ENTRIES * 9 // 8, event)
            with self.subTest(event=event):
                self.assertEqual(blamed.pop("walk"), walks)
                self.assertGreater(sum(blamed.values()), 400)
                self.assertLessEqual(set(blamed), {"unknown", "refresh"})


class Frequency(room.Tests):
    """The clock of the CPU stands still now and then. A PMU counts its cycles."""
    EVERY, STILL, PRICE, COUNT = 97000, 8000, 2000, 8000
    CYCLES = room.SIMULATED | 1 << 8        # k is 1 (selftests/modules/mc_pmu.c)
    LINE = f"tail type=uc size=1M repeat=1 count={COUNT} warmup=0 irq=off"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kind = cls.room.load_pmu("mc_core")

    def measure_causes(self, event, **prices):
        """What is blamed, and how often; and for each window of the sample, how often the clock
        stood still there."""
        self.room.load(uc_load_ns=self.PRICE, **prices)
        self.room.machine.sh(f"echo 'cycles type={self.kind} config={event}' "
                             f">{machine.DEBUGFS}/counters")
        run = self.room.ask(self.LINE)
        blamed = {one["cause"]: one["count"] for one in run.result["tail"]["causes"]
                  if one["count"] or one["cause"] == "frequency"}
        sample = accesses.last([window["did"] for window in run.windows], self.COUNT,
                               lambda did: sum(room.count([did], "uc", "load").values()))
        still = [did["still_ns"] // self.STILL for did in sample]
        print(f"# event {event:#x}, {prices}: {blamed} of {still}")
        return blamed, still

    def test_each_is_found(self):
        """The test waits for a ninth of the time, so that phases shift: what falls into that is no
        access's. One that begins before a window may end in it."""
        blamed, still = self.measure_causes(self.CYCLES, still_every_ns=self.EVERY,
                                            still_ns=self.STILL)
        self.assertEqual(list(blamed), ["frequency"])
        self.assertGreater(blamed["frequency"], 100)
        self.assertLessEqual(blamed["frequency"], sum(still) + len(still))
        self.assertGreater(blamed["frequency"], 0.8 * sum(still))

    def test_what_waits_for_memory_is_none(self):
        blamed, _still = self.measure_causes(self.CYCLES, refresh_every_ns=self.EVERY,
                                             refresh_ns=self.STILL)
        self.assertEqual(blamed.pop("frequency"), 0)
        self.assertGreater(sum(blamed.values()), 50)

    def test_what_is_not_counted_is_not_known(self):
        """An event that can't be opened, and one that counts no cycles."""
        for event, count in ((3, None), (1, 0)):
            blamed, _still = self.measure_causes(event, still_every_ns=self.EVERY,
                                                 still_ns=self.STILL)
            with self.subTest(event=event):
                self.assertEqual(blamed.pop("frequency"), count)
                self.assertEqual(list(blamed), ["unknown"])


if __name__ == "__main__":
    unittest.main()
