# SPDX-License-Identifier: GPL-2.0-only
"""Is a memory type real? The machine knows, so each verdict has a right answer. The native test
`verdict` has the edges of each."""

import json

import room
from room import machine


def of_loop(instructions, own, accesses):
    """The time of an access in the verdict's loops: instructions of eight rounds, each of which
    ends with two more, and of the window around them, a nanosecond each. The record has three
    decimals."""
    return room.rounded((8 * (instructions + 2) + own) * 1000, 8 * accesses) / 1000


def told(the_room):
    return json.loads(the_room.machine.sh(f"cat {machine.DEBUGFS}/machine"))["memory_types"]


class Verdicts(room.Tests):
    """The cost of memory comes on top of what the loops' instructions take: eight reloads, eight
    reloads after a flush and a fence, and eight stores that fill a line, and a fence."""
    own = 16, 16, 16        # instructions of a window around each loop
    attributes = {"wb": "wb", "uc": "uc-", "wc": "wc"}      # that the page tables have

    @classmethod
    def setUpClass(cls):
        reloads, flushed, combine = cls.own
        cls.reload_ns = of_loop(8, reloads, 8)
        cls.flushed_ns = of_loop(3 * 8, flushed, 8)
        cls.combine_ns = of_loop(8 + 1, combine, 1)
        super().setUpClass()

    def verdicts(self, **prices):
        self.room.load(**prices)
        return self.room.verdicts()

    def test_with_prices_all_are_real(self):
        self.assertEqual(self.verdicts(), {"wb": "yes", "uc": "yes", "wc": "yes"})
        found, cost = told(self.room), self.room.machine.cost
        self.assertEqual({name: one["attribute"] for name, one in found.items()},
                         {name: self.attributes[name] for name in found})
        self.assertEqual(found["wb"]["reload_ns"], round(self.reload_ns + cost["l1_ns"], 3))
        self.assertEqual(found["wb"]["reference_ns"], round(self.flushed_ns + cost["memory_ns"], 3))
        self.assertEqual(found["uc"]["reload_ns"], round(self.reload_ns + cost["uc_load_ns"], 3))
        self.assertEqual(found["wc"]["reload_ns"], round(self.reload_ns + cost["wc_load_ns"], 3))
        self.assertEqual(found["uc"]["combine_ns"],
                         round(self.combine_ns + 8 * cost["uc_store_ns"], 3))
        self.assertEqual(found["wc"]["combine_ns"], round(self.combine_ns + cost["wc_line_ns"], 3))

    def test_records_have_the_verdict(self):
        self.room.load()
        run = self.room.ask(f"bandwidth type={','.join(self.attributes)} op=write size=64K "
                            "repeat=1 warmup=0")
        self.assertEqual([(r["type"], r["attribute"], r["effective"]) for r in run.results],
                         [(*item, "yes") for item in self.attributes.items()])

    def test_without_prices_none_is(self):
        found = self.verdicts(**room.FREE)
        self.assertEqual((found["uc"], found["wc"]), ("no", "no"))
        self.assertNotEqual(found["wb"], "yes")

    def test_tlb_misses_decide_nothing(self):
        missing = {"tlb_entries": 16, "tlb_miss_ns": 500}
        self.assertEqual(self.verdicts(**missing), {"wb": "yes", "uc": "yes", "wc": "yes"})
        found = self.verdicts(**room.FREE | missing)
        self.assertEqual((found["uc"], found["wc"]), ("no", "no"))

    def test_a_busy_bus_decides_nothing(self):
        busy = {"service_ns": 20, "refresh_every_ns": 2000, "refresh_ns": 400}
        self.assertEqual(self.verdicts(**busy), {"wb": "yes", "uc": "yes", "wc": "yes"})
        self.assertEqual(self.verdicts(**busy, wc_early=158)["wc"], "partly")

    def test_wc_is_partly_effective_where_few_bursts_leave_whole(self):
        for early, verdict in ((0, "yes"), (15, "yes"), (158, "partly"), (482, "partly"),
                               (1000, "unknown")):
            with self.subTest(early=early):
                self.assertEqual(self.verdicts(wc_early=early),
                                 {"wb": "yes", "uc": "yes", "wc": verdict})
                found, planted = told(self.room), 100 * (1 - early / 1000) ** 7
                self.assertLessEqual(found["wc"]["whole_low_percent"], planted)
                self.assertGreaterEqual(found["wc"]["whole_high_percent"], planted)
                self.assertIsNone(found["uc"]["whole_percent"])

    def test_wc_line_dearer_than_uc(self):
        self.assertEqual(self.verdicts(wc_line_ns=1700),
                         {"wb": "yes", "uc": "yes", "wc": "unknown"})


class Bursts(room.Tests):
    """The share of bursts that leave whole, where a store may find that its buffer is sent before
    it is full."""
    WINDOWS, A_WINDOW = 4096 // 16, 16      # those at the end, in which single bursts are timed

    def share(self, store, early):
        """The record of bursts, and how many of them the machine saw leave whole."""
        self.room.machine.prices(**self.room.file_prices | {"wc_early": early})
        run = self.room.ask(f"mmio type=wc op=burst {store} size=16K irq=off repeat=1 warmup=0")
        seen = room.total(run.windows_of(0)[-self.WINDOWS:], "wc_lines")
        return run.result, seen

    def test_the_share_is_that_of_the_bursts_that_the_machine_counted(self):
        # The machine has no prices for functions of the kernel, such as memcpy_toio().
        for store in ("width=8", "width=1", "width=16", "store=c_loop", "store=rep_movsb"):
            for early in (0, 15, 158):
                with self.subTest(store=store, early=early):
                    found, seen = self.share(store, early)
                    of_all = self.WINDOWS * self.A_WINDOW
                    self.assertEqual(round(found["whole_percent"] * of_all / 100), seen)
                    self.assertEqual(seen == of_all, not early)

    def test_the_interval_has_the_planted_share(self):
        # Seven of the eight stores may do so. The verdict is from bursts of its own; with the last
        # share but one, nothing may show that any was whole.
        for early, effects in ((0, "yes"), (15, "yes"), (158, "partly"), (482, "partly"),
                               (627, "partly unknown"), (1000, "unknown")):
            with self.subTest(early=early):
                found, _ = self.share("width=8", early)
                self.assertLessEqual(found["whole_low_percent"], 100 * (1 - early / 1000) ** 7)
                self.assertGreaterEqual(found["whole_high_percent"], 100 * (1 - early / 1000) ** 7)
                self.assertIn(found["effective"], effects.split())


class VerdictsArm64(Verdicts):
    kernel = "6.1-arm64"
    own = 12, 12, 11
    attributes = {"wb": "wb", "uc": "nGnRE", "wc": "nc", "np": "nGnRnE"}
    # The same code judges there, and test_several has bursts. Each of these takes some seconds.
    test_tlb_misses_decide_nothing = test_a_busy_bus_decides_nothing = None
    test_wc_is_partly_effective_where_few_bursts_leave_whole = None
    test_wc_line_dearer_than_uc = None


class Mtrrs(room.Tests):
    """MTRRs that make all RAM uncached: write-back page attributes have no effect then, and
    there is no write-back memory to compare UC and WC with."""

    UNCACHED = 'echo "base=0 size=0x40000000 type=uncachable" >/proc/mtrr'
    BACK = ("n=$(sed -n 's/^reg0*\\([0-9]*\\): base=0x0* .*uncachable.*/\\1/p' /proc/mtrr); "
            'echo "disable=${n:-0}" >/proc/mtrr')
    LINE = "bandwidth type=wb,uc,wc op=write size=64K repeat=1 warmup=0 verify=off"

    def records(self):
        return {r["type"]: (r["attribute"], r["effective"])
                for r in self.room.ask(self.LINE).results}

    def test_set_before_and_after_the_module_was_loaded(self):
        nothing = {"wb": ("wb", "no"), "uc": ("uc-", "unknown"), "wc": ("wc", "unknown")}
        real = {"wb": ("wb", "yes"), "uc": ("uc-", "yes"), "wc": ("wc", "yes")}
        self.addCleanup(self.room.machine.sh, self.BACK)
        self.room.machine.sh(self.UNCACHED)
        self.room.load()
        self.assertEqual({name: one["effective"] for name, one in told(self.room).items()},
                         {"wb": "no", "uc": "unknown", "wc": "unknown"})
        self.assertEqual(self.records(), nothing)
        # Each run makes its verdict, which is not that from when the module was loaded.
        self.room.machine.sh(self.BACK)
        self.assertEqual(self.records(), real)
        self.room.machine.sh(self.UNCACHED)
        self.assertEqual(self.records(), nothing)


class NoPat(room.Tests):
    """Without PAT, a page that should be WC is UC-, and set_memory_wc() reports no error."""
    append = "nopat"

    def test_wc_is_not_claimed(self):
        self.assertEqual(self.room.verdicts(), {"wb": "yes", "uc": "yes", "wc": "unknown"})
        found = told(self.room)
        self.assertEqual(found["wc"]["attribute"], "uc-")
        self.assertEqual(found["wc"]["combine_ns"], found["uc"]["combine_ns"])
