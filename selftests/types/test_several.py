# SPDX-License-Identifier: GPL-2.0-only
"""Several CPUs and nodes, on both architectures: what one CPU pays for what another one does, where
no row of answers.txt can say it."""

import json

import room
from room import machine

LINE = 64

# Each pair of nodes has another price. Node 2 has no CPU.
FREE = room.FREE | {"clean_ns": 0, "dirty_ns": 0, "service_ns": 0, "tlb_entries": 4096}
KEPT = FREE | {"memory_ns": 91, "memory_ns_0_1": 157, "memory_ns_1_0": 169,
               "memory_ns_0_2": 239, "memory_ns_1_2": 263}
# All CPUs pay the same for memory of node 0.
EVEN = FREE | {"memory_ns": 91, "clean_ns": 53, "dirty_ns": 67, "l2_ns": 12}

# Part of the time in which a thread moves nothing, because it ends a window and begins another.
PAUSES = 0.01
SCANS = 5       # tries until two scans take the same region


class Several(room.Tests):
    cpus, nodes, parameters, holds_timers = 4, 3, "size_mb=8", True
    ways = ("width=1", "store=c_loop", "store=rep_movsb")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.machine, cls.cost = cls.room.machine, cls.room.file_prices
        # A set in small pieces has a longer list of them, which other tests may cause.
        cls.machine.sh("echo 3 >/proc/sys/vm/drop_caches; echo 1 >/proc/sys/vm/compact_memory")

    def ask(self, line, **prices):
        """The results of a request, with these prices on top of the file's."""
        self.machine.prices(**prices)
        return self.room.ask(line).results

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

    def test_memory_of_a_node_without_cpus(self):
        line = "latency size=4M page=4k irq=off cpu=0,2 repeat=1 warmup=1 node=2"
        twice = {key: 2 * KEPT[key] for key in ("memory_ns_0_2", "memory_ns_1_2")}
        records = self.ask(line, **KEPT), self.ask(line, **KEPT | twice)
        for key, found, dear in zip(twice, *records, strict=True):
            self.assertEqual((found["memory_node"], found["level"]), (2, "memory"))
            self.assertAlmostEqual(dear["ns_per_load"] - found["ns_per_load"], KEPT[key],
                                   delta=KEPT[key] * PAUSES)

    def test_threads_share_what_a_controller_serves(self):
        """N threads of a period T, each of which asks for a line in it, and a controller with a
        service S: together they get N/T or 1/S, whichever is less (Denning and Buzen, "The
        Operational Analysis of Queueing Network Models", 1978, the asymptotic bounds). Service
        and period are constant here, so that the bounds are reached."""
        line = "bandwidth op=read width=16 size=8M page=4k irq=off verify=off node=0 repeat=1 " \
            "warmup=1 cpu="
        alone, = self.ask(f"{line}0", **EVEN | {"memory_ns": 2 * EVEN["memory_ns"]})
        period = LINE * 1000 / alone["mb_per_s"] - EVEN["memory_ns"]
        service = 37
        for n in range(1, 5):
            found, = self.ask(f"{line}0-{n - 1}", **EVEN | {"service_ns": service})
            want = LINE * 1000 * min(n / period, 1 / service)
            with self.subTest(threads=n):
                self.assertAlmostEqual(found["mb_per_s"], want, delta=want * PAUSES)

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
            busy, rare = (one["ns_per_load"] for one in self.ask(
                f"loaded op=read size=8M page=4k cpu={cpus} node=0 irq=off delay=0,100000 "
                "repeat=1", **EVEN | {"service_ns": service}))
            with self.subTest(customers=n):
                self.assertLessEqual(busy, n * service)
                self.assertGreater(busy, n * service * (1 - 2 * PAUSES))
                # Alone it asks once in a service.
                self.assertAlmostEqual(rare, service, delta=1)

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
        self.addCleanup(self.machine.slow_memory, 0, 0, 0)
        usual, found, slow = self.scan_usual_and_slow()
        more = KEPT["memory_ns_0_2"] - KEPT["memory_ns"]
        for region in usual.keys() & found.keys():
            one, now, longer = usual[region], found[region], more * (region == slow)
            with self.subTest(slow=region == slow):
                self.assertAlmostEqual(now["ns_per_load"] - one["ns_per_load"], longer, delta=0.1)
                period = LINE * 1000 / one["mb_per_s"] + longer
                # Each sample has a few windows, with instructions of their own.
                self.assertAlmostEqual(now["mb_per_s"], LINE * 1000 / period, delta=LINE / period)


class SeveralArm64(Several):
    kernel = "6.1-arm64"
    ways = ("width=16", "width=32", "store=c_loop", "store=st1", "store=st4", "store=dgh")
