# SPDX-License-Identifier: GPL-2.0-only
"""Several CPUs and nodes, on both architectures: what one CPU pays for what another one does.
Each figure is predicted from the prices and from a run in which only instructions take time."""

import json
import subprocess
import unittest

from room import TOP, machine

# Each pair of nodes has another price.
PAIRS = {"memory_ns": 80, "memory_ns_0_1": 140, "memory_ns_1_0": 150,
         "clean_ns": 60, "clean_ns_0_1": 110, "clean_ns_1_0": 120,
         "dirty_ns": 70, "dirty_ns_0_1": 130, "dirty_ns_1_0": 170,
         "l1_ns": 0, "l2_ns": 10, "l2_bytes": 1 << 20, "tlb_entries": 4096, "tlb_miss_ns": 0}
FREE = {key: 0 for key in ("uc_load_ns", "uc_store_ns", "wc_load_ns", "wc_line_ns", "wc_word_ns",
                           "l1_ns", "l2_ns", "memory_ns", "clean_ns", "dirty_ns", "flush_ns",
                           "tlb_miss_ns", "service_ns")}
# The service of a controller that two CPUs keep busy: its queue never empties.
SERVICE = 100


class Several(unittest.TestCase):
    kernel, programs = "6.1", "build/user"
    ways = ("width=1", "store=c_loop", "store=rep_movsb")

    @classmethod
    def setUpClass(cls):
        subprocess.run(["make", "-s", "-C", TOP / "tools/sim"], check=True)
        files = {"memcache.ko": TOP / f"build/{cls.kernel}-gcc/module/memcache.ko",
                 "memcache-user": TOP / cls.programs / "memcache-user"}
        cls.machine = machine.Machine(files, kernel=cls.kernel, cpus=2, nodes=2)
        cls.addClassCleanup(cls.machine.close)
        cls.cost = dict(cls.machine.cost)       # those of the file
        cls.machine.sh("insmod /memcache.ko size_mb=8")

    def ask(self, line, **prices):
        """The results of a request, with these prices on top of the file's."""
        self.machine.prices(**prices)
        text = self.machine.sh(f"cd {machine.DEBUGFS}; echo '{line}' >run || "
                               "{ cat run; exit 1; }; cat results.jsonl")
        records = [json.loads(one) for one in text.splitlines()]
        return [one for one in records if one["record"] == "result"]

    def prices_paid(self, line, key, **prices):
        """Each result with what its figure is more than without prices."""
        without = self.ask(line, **FREE)
        return [(one, one[key] - free[key])
                for one, free in zip(self.ask(line, **prices), without, strict=True)]

    def test_types_are_real(self):
        # A request makes a verdict. Its memory may be of either node, seen from its CPU.
        own = self.cost["memory_ns"]
        self.ask("bandwidth size=4K repeat=1 warmup=0",
                 **self.cost | {"memory_ns_0_1": own, "memory_ns_1_0": own})
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

    def test_latency_of_each_pair_of_nodes(self):
        for one, paid in self.prices_paid("latency size=2M page=4k irq=off cpu=0,1 node=0,1 "
                                          "repeat=1 warmup=1", "ns_per_load", **PAIRS):
            pair = (int(one["cpu"]), int(one["memory_node"]))
            key = "memory_ns" if pair[0] == pair[1] else "memory_ns_{}_{}".format(*pair)
            with self.subTest(pair=pair):
                # The code of a window has lines of its own, which cost something, too.
                self.assertAlmostEqual(paid, PAIRS[key], delta=0.1)

    def test_lines_of_another_cpu_cost_what_their_state_says(self):
        for state, key in (("hitm", "dirty_ns"), ("hit", "clean_ns")):
            seen = self.prices_paid(f"c2c type=wb state={state} size=16K cpu=0-1 repeat=1",
                                    "ns_per_line", **PAIRS)
            self.assertEqual(len(seen), 2)
            for one, paid in seen:
                with self.subTest(state=state, writer=one["writer_cpu"]):
                    # The reader's node, then the writer's.
                    pair = f"{key}_{one['reader_cpu']}_{one['writer_cpu']}"
                    self.assertAlmostEqual(paid, PAIRS[pair], delta=0.01)

    def test_threads_share_what_a_controller_serves(self):
        """Two CPUs ask for more lines than the controller of one node serves: a line in
        SERVICE ns, whoever asks."""
        line = ("bandwidth type=wb op=read width=16 size=4M page=4k irq=off cpu={} node=0 "
                "repeat=1 warmup=1")
        prices = PAIRS | {"service_ns": SERVICE}
        alone, = self.ask(line.format("0"), **prices)
        both, = self.ask(line.format("0-1"), **prices)
        most = 64 / SERVICE * 1000
        self.assertLessEqual(alone["mb_per_s"], most)
        self.assertAlmostEqual(both["mb_per_s"], most, delta=most / 200)

    def test_latency_under_load_is_that_of_a_closed_queue(self):
        """One CPU follows pointers, the other one loads as fast as it can. With two customers
        and a server that always has one to serve, each turn takes two services (Denning and
        Buzen, "The Operational Analysis of Queueing Network Models", 1978: the asymptotic
        bound). When the other one comes rarely, a turn takes what a load takes alone."""
        results = self.ask("loaded op=read size=4M page=4k cpu=0-1 delay=0,100000 repeat=1",
                           **PAIRS | {"memory_ns_1_0": 80, "service_ns": SERVICE})
        busy, rare = (one["ns_per_load"] for one in results)
        # While it begins a pass, the other one asks for nothing.
        self.assertLessEqual(busy, 2 * SERVICE)
        self.assertGreater(busy, 2 * SERVICE * 0.96)
        self.assertAlmostEqual(rare, SERVICE, delta=1)


class SeveralArm64(Several):
    kernel, programs = "6.1-arm64", "build/user-arm64"
    ways = ("width=16", "width=32", "store=c_loop", "store=st1", "store=st4", "store=dgh")


if __name__ == "__main__":
    unittest.main()
