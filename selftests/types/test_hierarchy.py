# SPDX-License-Identifier: GPL-2.0-only
"""The caches of the prices: what each load takes, the level that a record names, and what the
registers list. Rows of selftests/core/answers.txt are about lines and the TLB."""

import json
import os

import room
from room import machine

K, M = 1 << 10, 1 << 20
LINE = 64
NAMES = ("l1", "l2", "l3")

# Two levels of cache, two levels of other sizes, ways and prices, and three levels. L1 has
# fewer lines than the TLB has entries, or more.
SETS = {
    "32K, 1M": {
        "l1_bytes": 32 * K, "l1_ways": 8, "l1_ns": 0, "l2_bytes": M, "l2_ways": 16,
        "l2_ns": 10, "l3_bytes": 0, "l3_ways": 16, "l3_ns": 0, "memory_ns": 80,
        "flush_ns": 0, "tlb_entries": 1024, "tlb_miss_ns": 30},
    "48K, 768K": {
        "l1_bytes": 48 * K, "l1_ways": 12, "l1_ns": 1, "l2_bytes": 768 * K, "l2_ways": 12,
        "l2_ns": 7, "l3_bytes": 0, "l3_ways": 16, "l3_ns": 0, "memory_ns": 120,
        "flush_ns": 150, "tlb_entries": 64, "tlb_miss_ns": 9},
    "32K, 256K, 2M": {
        "l1_bytes": 32 * K, "l1_ways": 8, "l1_ns": 0, "l2_bytes": 256 * K, "l2_ways": 8,
        "l2_ns": 4, "l3_bytes": 2 * M, "l3_ways": 16, "l3_ns": 23, "memory_ns": 143,
        "flush_ns": 40, "tlb_entries": 1536, "tlb_miss_ns": 17},
}
if room.FILE_GIVEN:
    SETS = {os.environ["PRICES"]: {}}

ONCE = "warmup=1 repeat=1"
QUIET = f"irq=off {ONCE}"


def caches(cost):
    """The name, bytes and price of each level; memory has no limit."""
    return [(name, cost[f"{name}_bytes"], cost[f"{name}_ns"]) for name in NAMES
            if cost[f"{name}_bytes"]] + [("memory", 1 << 62, cost["memory_ns"])]


def around(size):
    """Numbers on both sides of a size. At the size itself the result depends on the few
    lines that a window uses besides those of the test."""
    return [size * eighths // 8 // LINE * LINE for eighths in (4, 6, 9, 16)]


def served(cost, size):
    """What serves loads that go round so many bytes: the name and price of the first level
    that holds them all. A smaller level has lost each line when its turn comes again."""
    return next((name, ns) for name, bytes_, ns in caches(cost) if size <= bytes_)


def loads_of_8(windows):
    return room.count(windows, "wb", "load").get(8, 0)


def sample(windows, loads, figure_ps):
    """The last windows that took as long as a sample, and their passes of so many loads. figure_ps:
    the time of a pass, in picoseconds. Windows of the calibration come before those of a sample,
    and those of batches after them."""
    for end in range(len(windows), 0, -1):
        for begin in range(end - 1, -1, -1):
            some = windows[begin:end]
            passes = loads_of_8(some) // loads
            if passes > 0 and room.total(some, "ticks") * 1000 // passes == figure_ps:
                return some, passes
            if passes > 1:
                break
    raise AssertionError("no windows took as long as the sample")


def undisturbed(ask, line):
    """A run of this request in which no window was left out. Another thread may run between two
    windows; the time of such a sample is an estimate from the others."""
    for _ in range(20):
        run = ask(line)
        if not any(result["windows_left_out"] for result in run.results):
            return run
    raise AssertionError(f"disturbed each time: {line}")


class Hierarchy(room.Tests):
    any_prices, prices, holds_timers = True, room.FREE, True
    sets = SETS
    level_of_4m = "between"     # beside a search that found 2M
    windows_differ_ns = 12      # by instructions of the code around their loops

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # One pass, and one with twice the loads, give the time of a load and of a window.
        few, many = undisturbed(cls.room.ask, f"latency size=1M,2M {QUIET}").results
        cls.load_ns = (many["median_ns"] - few["median_ns"]) / (M // LINE)
        cls.window_ns = few["median_ns"] - M // LINE * cls.load_ns
        cls.seen = {}
        for name, prices in cls.sets.items():
            cls.room.load(**prices)
            cost = dict(cls.room.machine.cost)
            sizes = sorted({size for _, bytes_, _ in caches(cost)[:-1]
                            for size in around(bytes_)} | {4 * caches(cost)[-2][1]})
            cls.seen[name] = (
                cost,
                undisturbed(cls.room.ask, f"latency size={','.join(map(str, sizes))} {QUIET}"),
                [ask(f"latency size=8M stride=4096 {ONCE}").result
                 for ask in (cls.room.ask, cls.room.user)])

    def test_each_load_takes_what_its_level_costs(self):
        for name, (cost, sweep, _) in self.seen.items():
            with self.subTest(prices=name):
                prices = [cost[f"{level}_ns"] for level in (*NAMES, "memory")]
                for number, result in enumerate(sweep.results):
                    with self.subTest(size=result["size_bytes"]):
                        level, price = served(cost, result["size_bytes"])
                        windows, passes = sample(
                            sweep.windows_of(number), result["loads_per_pass"],
                            round(result["median_ns"] * 1000))
                        loads = passes * result["loads_per_pass"]
                        # The window's own code loads and stores, too, in any level. Code that
                        # runs between two windows takes lines from a level: a load of such a
                        # line counts in a farther one.
                        others = {at: room.total(windows, at) for at in (*NAMES, "memory")}
                        others[level] -= loads
                        self.assertGreaterEqual(sum(others.values()), 0)
                        self.assertLess(sum(map(abs, others.values())), 200 * len(windows))
                        rest = room.total(windows, "ticks") - loads * (self.load_ns + price) - sum(
                            n * ns for n, ns in zip(others.values(), prices))
                        rest -= room.total(windows, "walks") * cost["tlb_miss_ns"]
                        if len(windows) == 1:
                            self.assertEqual(rest, self.window_ns)
                        else:
                            self.assertAlmostEqual(rest / len(windows), self.window_ns,
                                                   delta=self.windows_differ_ns)

    def test_records_name_the_level(self):
        for name, (cost, sweep, far) in self.seen.items():
            with self.subTest(prices=name):
                last = caches(cost)[-2][1]
                # Lines a page apart use few sets of a cache.
                for result in (*sweep.results, *far):
                    size = result["size_bytes"]
                    with self.subTest(size=size, where=result["where"]):
                        self.assertEqual(result["level"], "between" if last < size < 4 * last else
                                         served(cost, size)[0])

    def test_the_registers_list_the_caches_of_the_prices(self):
        one = {"l1_bytes": 64 * K, "l1_ways": 2, "l2_bytes": 0, "l3_bytes": 0}
        many_sets = {"l1_bytes": 4 * M, "l1_ways": 1, "l2_bytes": 12 * M, "l2_ways": 3,
                     "l3_bytes": 64 * M, "l3_ways": 16}
        for prices in (*SETS.values(), one, many_sets):
            with self.subTest(prices=prices):
                self.room.load(**prices)
                cost = self.room.machine.cost
                told = json.loads(self.room.machine.sh(f"cat {machine.DEBUGFS}/machine"))
                self.assertEqual(
                    [(f"l{cache['level']}", cache["size_bytes"], cache["ways"])
                     for cache in told["caches"] if cache["kind"] != "code"],
                    [(name, size, cost[f"{name}_ways"]) for name, size, _ in caches(cost)[:-1]])

    @room.takes_long
    def test_a_search_finds_a_cache_that_no_table_lists(self):
        self.addCleanup(self.room.machine.sh, "rm -rf /run/memcache-found")
        self.room.machine.sh("rm -rf /run/memcache-found")
        self.room.load(**SETS["32K, 256K, 2M"] | {"l3_unlisted": 1})
        said = self.room.machine.sh("/memcache-user --search 2>&1")
        told = json.loads(self.room.machine.sh("/memcache-user --machine"))
        self.assertEqual((told["last_cache"]["size_bytes"], told["last_cache"]["by"]),
                         (2 * M, "search"), said)
        self.assertLess(max(one["level"] for one in told["caches"]), 3)
        # The note that says why is on the other stream.
        told = self.room.machine.sh("/memcache-user -j 'bandwidth size=4M repeat=1' 2>/dev/null")
        self.assertEqual(room.parsed(told).result["level"], self.level_of_4m)

    def test_prefetcher_goes_and_comes_back(self):
        self.room.load(prefetch_lines=4, l2_bytes=M, l2_ways=16, l2_ns=10, l3_bytes=0,
                       memory_ns=80, tlb_miss_ns=0)
        run = self.room.ask("bandwidth type=wb op=read width=16 size=2M page=4k cpu=0 "
                            f"prefetch=keep,off {QUIET}")
        on, off = ([window["prefetched"] for window in run.windows_of(number)]
                   for number in range(2))
        self.assertGreater(max(on), 2 * M // LINE * 0.9)
        self.assertEqual(set(off), {0})
        self.assertEqual([result["prefetch"] for result in run.results], ["keep", "off"])
        # Of five lines, four come from L2 in place of memory.
        self.assertLess(run.results[0]["median_ns"] * 4, run.results[1]["median_ns"])
        told = json.loads(self.room.machine.sh(f"cat {machine.DEBUGFS}/machine"))
        self.assertEqual(told["prefetch"]["state"], "on")


@room.takes_long
class HierarchyArm64(Hierarchy):
    kernel = "6.1-arm64"
    sets = dict([*SETS.items()][-1:])       # the same code finds the levels of the others
    level_of_4m = None          # Linux lists no size of a cache there
    windows_differ_ns = 32      # the first one of a sample takes 30 more
    # No prefetcher of arm64 can be switched off.
    test_prefetcher_goes_and_comes_back = None
