# SPDX-License-Identifier: GPL-2.0-only
"""Several CPUs and nodes, on both architectures: what one CPU pays for what another one does.
The figures follow from prices that are not those of tools/sim/prices, and from the instructions
that the machine counted."""

import contextlib
import json
import subprocess
import unittest
from dataclasses import dataclass

import room
from room import machine
from test_hierarchy import sample

LINE = 64
CPUS = 4        # nodes 0 and 1 have two each
NODES = 3       # the last one has no CPU
NODE_LIST = ",".join(map(str, range(NODES)))

# Each pair of nodes has another price.
KEPT = {"uc_load_ns": 173, "uc_store_ns": 211, "wc_load_ns": 157, "wc_line_ns": 47,
        "memory_ns": 91, "memory_ns_0_1": 157, "memory_ns_1_0": 169,
        "memory_ns_0_2": 239, "memory_ns_1_2": 263,
        "clean_ns": 53, "clean_ns_0_1": 113, "clean_ns_1_0": 127,
        "dirty_ns": 67, "dirty_ns_0_1": 139, "dirty_ns_1_0": 151,
        "l1_ns": 0, "l2_ns": 12, "l2_bytes": 1 << 20, "flush_ns": 0, "service_ns": 0,
        "prefetch_lines": 0, "tlb_entries": 4096, "tlb_miss_ns": 0}
FREE = {key: 0 for key in ("uc_load_ns", "uc_store_ns", "wc_load_ns", "wc_line_ns", "wc_word_ns",
                           "l1_ns", "l2_ns", "memory_ns", "clean_ns", "dirty_ns", "home_ns",
                           "flush_ns", "tlb_miss_ns", "service_ns")}
# A line's home is asked where its copies are.
HOME = KEPT | {"home_ns": 19, "home_ns_0_1": 37, "home_ns_1_0": 43}
# All CPUs pay the same for memory of node 0.
EVEN = KEPT | {"memory_ns_1_0": KEPT["memory_ns"]}
# Counts of where a line was found. A window's own code has some lines, too.
FOUND = ("l1", "l2", "l3", "clean", "dirty", "memory")
OWN_LINES = 200

# Part of the time in which a thread moves nothing, because it ends a window and begins another.
PAUSES = 0.01
SCANS = 5       # tries until two scans take the same region

# Requests whose times repeat, and by which part they may differ. The threads of loaded and mix meet
# at the start only, some ns earlier or later.
TWICE = {
    "latency size=2M page=4k irq=off cpu=2 node=0 repeat=1 warmup=1": 0,
    "bandwidth type=uc op=read,write width=8 size=64K page=4k irq=off cpu=0 node=1 "
    "verify=off repeat=1 warmup=1": 0,
    "bandwidth op=read width=16 size=8M page=4k irq=off verify=off cpu=0-2 node=0 "
    "repeat=2 warmup=1": 0,
    "c2c state=hitm,hit size=16K irq=off repeat=2 cpu=0,2": 0,
    "loaded op=read size=8M page=4k cpu=0-2 node=0 irq=off delay=0 repeat=1": 0.0002,
    "mix groups=0:chase+1-2:read size=8M page=4k node=0 irq=off repeat=1": 0.0002,
}


@contextlib.contextmanager
def busy_host():
    """Eight processes that want all of the host's CPUs."""
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(8)]
    try:
        yield
    finally:
        for one in busy:
            one.kill()
            one.wait()


def node_of(cpu):
    return int(cpu) // (CPUS // 2)


def price(key, here, there, prices=KEPT):
    """The price that a CPU of one node pays for memory or caches of another."""
    return prices.get(f"{key}_{here}_{there}", prices[key])


@dataclass
class Seen:
    """A record, and the windows of each CPU while it was made."""
    result: dict
    windows: dict[int, list[dict]]

    def of_cpu(self, cpu):
        return self.windows.get(int(cpu), [])


class Several(room.Tests):
    cpus, nodes, parameters = CPUS, NODES, "size_mb=8"
    ways = ("width=1", "store=c_loop", "store=rep_movsb")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.machine, cls.cost = cls.room.machine, cls.room.file_prices

    def ask(self, line, **prices):
        """The results of a request, with these prices on top of the file's."""
        return [seen.result for seen in self.measure(line, **prices)]

    def measure(self, line, **prices):
        """The same, with the windows that the machine saw."""
        self.machine.prices(**prices)
        run = self.room.ask(line)
        return [Seen(result, {cpu: [w["did"] for w in run.windows
                                    if (w["record"], w["cpu"]) == (number, cpu)]
                              for cpu in range(CPUS)})
                for number, result in enumerate(run.results, 1)]

    def paid(self, windows, accesses, prices):
        """Check that so many accesses paid the first price, and those that were served otherwise
        what that costs. prices: by what the machine counts. Others are the window's own code's;
        the nodes of those in memory and in other CPUs' caches are not known."""
        (name, each), *_ = prices.items()
        others = {at: room.total(windows, at) for at in FOUND}
        others[name] -= accesses
        self.assertGreaterEqual(others[name], 0)
        rest = room.total(windows, "charged") - accesses * each - sum(
            others[at] * ns for at, ns in prices.items() if at != name)
        rest -= room.total(windows, "waited_ns")
        unknown = others["memory"] + others["clean"] + others["dirty"]
        self.assertLess(unknown, OWN_LINES * len(windows))
        dearest = max(ns for key, ns in self.machine.cost.items() if key.startswith((
            "memory_ns", "clean_ns", "dirty_ns")))
        self.assertGreaterEqual(rest, 0)
        self.assertLessEqual(rest, unknown * dearest)

    def chased(self, seen, cpu, prices):
        """Check the latency of a chase, to the picosecond."""
        result = seen.result
        loads = result["loads_per_pass"]
        windows, passes = sample(seen.of_cpu(cpu), loads, 0,
                                 lambda ps: ps == round(result["median_ns"] * 1000))
        self.assertEqual(round(result["ns_per_load"] * 1000),
                         room.rounded(room.total(windows, "ticks") * 1000 // passes, loads))
        self.paid(windows, passes * loads, prices)
        return windows

    def test_types_are_real(self):
        # A request makes a verdict. Its memory may be of any node, seen from its CPU.
        own = self.cost["memory_ns"]
        self.ask("bandwidth size=4K repeat=1 warmup=0", **self.cost | {
            key: own for key in KEPT if key.startswith("memory_ns")})
        told = json.loads(self.machine.sh(f"cat {machine.DEBUGFS}/machine"))["memory_types"]
        self.assertEqual({one["effective"] for one in told.values()}, {"yes"}, told)
        cost = self.cost
        self.assertEqual(round(told["uc"]["reload_ns"] - told["wb"]["reload_ns"]),
                         cost["uc_load_ns"])
        self.assertEqual(round(told["wb"]["reference_ns"] - told["wb"]["reload_ns"]),
                         cost["memory_ns"] + 2)     # the flush, and the fence

    def test_each_way_to_store_a_line_has_its_share_of_whole_bursts(self):
        # Functions of the kernel, such as memcpy_toio(), have no prices here. The last request is
        # one of the file's prices, whose verdict stays for other tests.
        for early, low, high in ((1000, 0, 0), (158, 0, 85), (0, 99, 100)):
            for store in ("width=8", *self.ways):
                with self.subTest(early=early, store=store):
                    found, = self.ask(f"mmio type=wc op=burst {store} size=16K irq=off repeat=1",
                                      **self.cost | {"wc_early": early})
                    self.assertLessEqual(low, found["whole_percent"])
                    self.assertLessEqual(found["whole_percent"], high)

    def test_latency_of_each_node_from_each_node(self):
        """The requests of the suites latency-matrix and tiers; node 2 has no CPU."""
        found = self.measure("latency size=4M page=4k irq=off cpu=0,2 repeat=1 warmup=1 "
                             "disturbed=keep "
                             f"node={NODE_LIST}", **KEPT)
        self.assertEqual(len(found), 2 * NODES)
        for seen in found:
            cpu, node = seen.result["cpu"], int(seen.result["memory_node"])
            each = price("memory_ns", node_of(cpu), node)
            with self.subTest(cpu=cpu, node=node):
                windows = self.chased(seen, cpu, {"memory": each, "l2": KEPT["l2_ns"]})
                loop = room.total(windows, "ticks") - room.total(windows, "charged")
                loads = seen.result["loads_per_pass"]
                self.assertAlmostEqual(seen.result["ns_per_load"] - each, loop / loads, delta=0.1)
                self.assertEqual(seen.result["level"], "memory")

    def test_bandwidth_of_each_node_from_each_node(self):
        """The requests of the suites bandwidth-matrix and tiers: a line costs each thread its
        instructions and its price."""
        for cpus in ("0-1", "2-3"):
            for seen in self.measure(f"bandwidth op=read width=16 size=4M page=4k irq=off "
                                     f"cpu={cpus} node={NODE_LIST} verify=off repeat=1 "
                                     "warmup=1",
                                     **KEPT):
                node = int(seen.result["memory_node"])
                first = int(cpus[0])
                each = price("memory_ns", node_of(first), node)
                with self.subTest(cpus=cpus, node=node):
                    loop = max(map(self.instructions, (seen.of_cpu(first),
                                                       seen.of_cpu(first + 1))))
                    want = 2 * LINE * 1000 / (loop + each)
                    self.assertAlmostEqual(seen.result["mb_per_s"], want, delta=want * PAUSES / 2)

    def instructions(self, windows):
        """Nanoseconds of instructions for each line from memory, in windows that loaded many."""
        some = [w for w in windows if w["memory"] > 1000]
        return (room.total(some, "ticks") - room.total(some, "charged")) / room.total(
            some, "memory")

    def test_lines_of_another_cpu_cost_what_their_state_says(self):
        """Each pair of three CPUs, in both directions. The loop is the same for all of them. The
        node that has the lines in its memory is asked first."""
        line = "c2c size=16K irq=off repeat=1 "
        loop = {one["ns_per_line"] for one in self.ask(f"{line} state=hitm cpu=0,2", **FREE)}
        self.assertEqual(len(loop), 1)
        found = self.ask(f"{line} state=hitm,hit home=writer,reader cpu=0,1,2", **HOME)
        self.assertEqual(len(found), 4 * 6)
        self.assertEqual(len({(one["writer_cpu"], one["reader_cpu"]) for one in found}), 6)
        for one in found:
            writer, reader = node_of(one["writer_cpu"]), node_of(one["reader_cpu"])
            key = {"hitm": "dirty_ns", "hit": "clean_ns"}[one["state"]]
            with self.subTest(state=one["state"], writer=one["writer_cpu"],
                              reader=one["reader_cpu"], home=one["home"]):
                home = writer if one["home"] == "writer" else reader
                self.assertEqual(round(one["ns_per_line"] - min(loop), 3),
                                 price(key, reader, writer) + price("home_ns", reader, home, HOME))
                self.assertEqual(int(one["memory_node"]), home)

    def test_threads_share_what_a_controller_serves(self):
        """N threads of a period T, each of which asks for a line in it, and a controller with a
        service S: together they get N/T or 1/S, whichever is less (Denning and Buzen, "The
        Operational Analysis of Queueing Network Models", 1978, the asymptotic bounds). Service
        and period are constant here, so that the bounds are reached."""
        service = 37
        for cpus, n in (("0", 1), ("0-1", 2), ("0-2", 3), ("0-3", 4)):
            seen, = self.measure("bandwidth op=read width=16 size=8M page=4k irq=off verify=off "
                                 f"cpu={cpus} node=0 repeat=1 warmup=1",
                                 **EVEN | {"service_ns": service})
            period = self.instructions(seen.of_cpu(0)) + EVEN["memory_ns"]
            want = LINE * 1000 * min(n / period, 1 / service)
            with self.subTest(threads=n):
                self.assertAlmostEqual(seen.result["mb_per_s"], want, delta=want * PAUSES)

    def test_groups_of_a_mix_share_what_a_controller_serves(self):
        """Each thread has its turn once in N services, whether it follows pointers or streams. A
        line that is written is loaded before, and written back later: two services."""
        service = 61
        for groups, shares, n in (("0-1:read+2-3:read", (2, 2), 4), ("0:chase+1-2:read", (1, 2), 3),
                                  ("0:read+1:write", (1, 1), 3)):
            found = self.ask(f"mix groups={groups} size=8M page=4k node=0 repeat=1 irq=off",
                             **EVEN | {"service_ns": service})
            most = LINE * 1000 / service
            moved = most * sum(shares) / n
            by_group = [one for one in found if one["scope"] == "group"]
            total, = (one for one in found if one["scope"] == "total")
            with self.subTest(groups=groups):
                self.assertAlmostEqual(total["mb_per_s"], moved, delta=moved * PAUSES)
                for one, share in zip(by_group, shares, strict=True):
                    want = most * share / n
                    self.assertAlmostEqual(one["mb_per_s"], want, delta=want * 2 * PAUSES)
                    if one["ns_per_load"] is not None:
                        self.assertAlmostEqual(one["ns_per_load"], n * service,
                                               delta=n * service * 2 * PAUSES)

    def test_latency_under_load_is_that_of_a_closed_queue(self):
        """One CPU follows pointers, the others load as fast as they can. With N customers and a
        server that always has one to serve, each turn takes N services (the bounds above; D/D/1
        with a closed population). When the others come rarely, a load takes what it takes alone,
        because what is periodic falls into step."""
        service = 113
        for cpus, n in (("0-1", 2), ("0-2", 3)):
            found = self.measure(f"loaded op=read size=8M page=4k cpu={cpus} node=0 irq=off "
                                 "delay=0,100000 repeat=1", **EVEN | {"service_ns": service})
            busy, rare = (seen.result["ns_per_load"] for seen in found)
            for seen in found:
                with self.subTest(customers=n, delay=seen.result["delay_cycles"]):
                    self.chased(seen, 0, {"memory": EVEN["memory_ns"], "l2": EVEN["l2_ns"]})
            with self.subTest(customers=n):
                self.assertLessEqual(busy, n * service)
                self.assertGreater(busy, n * service * (1 - 2 * PAUSES))
                # Alone it asks once in a service.
                self.assertAlmostEqual(rare, service, delta=1)

    def test_random_accesses_cost_what_serves_them(self):
        for seen in self.measure("random op=read mode=dependent,independent count=8192 size=8M "
                                 f"page=4k irq=off cpu=0 node={NODE_LIST} repeat=1 "
                                 "warmup=0", **KEPT):
            result = seen.result
            with self.subTest(mode=result["mode"], node=result["memory_node"]):
                each = price("memory_ns", 0, int(result["memory_node"]))
                window, = (w for w in seen.of_cpu(0)
                           if w["ticks"] * 1000 == round(result["median_ns"] * 1000))
                self.assertEqual(round(result["ns_per_access"] * 1000),
                                 room.rounded(window["ticks"] * 1000, result["accesses"]))
                # The number that chose a line before may choose it again.
                hits = window["l1"] + window["l2"]
                self.assertGreaterEqual(window["memory"] + hits, result["accesses"])
                # The few lines of the window's own code may be in memory of another node.
                own = window["charged"] - window["memory"] * each - window["l2"] * KEPT["l2_ns"]
                self.assertLessEqual(abs(own), 16 * each)

    def scan_regions(self):
        """The regions of free memory, by their address and how much of each was free."""
        return {(int(one["physical_address"], 16), one["covered_bytes"]): one for one in self.ask(
            "scan region=2M size=6M op=read node=0 cpu=0 repeat=1 warmup=0 irq=off", **KEPT)}

    def scan_usual_and_slow(self):
        """Scan twice, the second time with a slow region. Return: the regions of both, and which
        is slow. Other memory may be free the second time, so this may take some tries."""
        for _ in range(SCANS):
            self.machine.slow_memory(0, 0, 0)
            usual = self.scan_regions()
            slow = list(usual)[1]
            self.machine.slow_memory(slow[0], slow[0] + (2 << 20), 2)
            found = self.scan_regions()
            if slow in found:
                return usual, found, slow
        return self.fail(f"none of {SCANS} scans took the slow region again")

    def test_scan_finds_the_slow_region(self):
        # After an interrupt, the code of a window would be read from memory again.
        self.machine.hold_timers(True)
        self.addCleanup(self.machine.hold_timers, False)
        self.addCleanup(self.machine.slow_memory, 0, 0, 0)
        usual, found, slow = self.scan_usual_and_slow()
        more = price("memory_ns", 0, 2) - price("memory_ns", 0, 0)
        for region in usual.keys() & found.keys():
            one, now, longer = usual[region], found[region], more * (region == slow)
            with self.subTest(slow=region == slow):
                self.assertAlmostEqual(now["ns_per_load"] - one["ns_per_load"], longer, delta=0.1)
                period = LINE * 1000 / one["mb_per_s"] + longer
                # Each sample has a few windows, with instructions of their own.
                self.assertAlmostEqual(now["mb_per_s"], LINE * 1000 / period, delta=LINE / period)

    def test_prefetcher_brings_lines_until_it_is_off(self):
        """With prefetch_lines, a page's first line comes from memory, the others from L2."""
        switch = "keep,off" if self.kernel == "6.1" else "keep"
        for seen in self.measure("latency pattern=stride size=2M page=4k irq=off cpu=0 node=0 "
                                 f"repeat=1 warmup=1 disturbed=keep prefetch={switch}",
                                 **KEPT | {"prefetch_lines": 2}):
            off, loads = seen.result["prefetch"] == "off", seen.result["loads_per_pass"]
            windows, passes = sample(
                seen.of_cpu(0), loads, 0,
                lambda ps, want=seen.result["median_ns"]: ps == round(want * 1000))
            first = passes * loads // (4096 // LINE)
            with self.subTest(prefetch=seen.result["prefetch"]):
                self.assertEqual(room.rounded(room.total(windows, "ticks") * 1000 // passes, loads),
                                 round(seen.result["ns_per_load"] * 1000))
                memory = passes * loads if off else first
                served = {"memory": KEPT["memory_ns"], "l2": KEPT["l2_ns"]}
                self.assertIn(room.total(windows, "memory") - memory,
                              range(OWN_LINES * len(windows)))
                self.assertIn(room.total(windows, "l2") - (passes * loads - memory),
                              range(OWN_LINES * len(windows)))
                self.paid(windows, memory, served)
                if off:
                    self.assertEqual(room.total(windows, "prefetched"), 0)

    @room.takes_long
    def test_two_runs_give_the_same_times(self):
        """The second one beside eight busy processes. No timer interrupts the threads between
        their windows. A device may still do so: lines that differ have another try."""
        self.machine.hold_timers(True)
        self.addCleanup(self.machine.hold_timers, False)
        differ = TWICE
        for _ in range(3):
            quiet = self.median_times(differ)
            with busy_host():
                beside = self.median_times(differ)
            differ = {line: part for line, part in differ.items()
                      if any(abs(one - other) > part * one for one, other
                             in zip(quiet[line], beside[line], strict=True))}
            if not differ:
                return
        self.fail("\n".join(f"{line}: {quiet[line]}, then {beside[line]}" for line in differ))

    def median_times(self, lines):
        return {line: [one["median_ns"] for one in self.ask(line, **KEPT | {"service_ns": 37})]
                for line in lines}


class SeveralArm64(Several):
    kernel = "6.1-arm64"
    ways = ("width=16", "width=32", "store=c_loop", "store=st1", "store=st4", "store=dgh")
    # Turns are taken by the same code. The busy processes take minutes from this machine.
    test_two_runs_give_the_same_times = None


if __name__ == "__main__":
    unittest.main()
