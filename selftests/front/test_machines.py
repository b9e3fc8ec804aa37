# SPDX-License-Identifier: GPL-2.0-only
"""What differs between two machine records, and who says it: fleet, trend, compare, check."""

import functools
import random

import fake
from mc.analysis import machines
from mc.output import terminal

GIB = 1 << 30
slot = functools.partial(fake.slot, gib=32)


def machine(*slots, memory=0, about=fake.BARE, **more):
    told = {"nodes": [{"node": 0, "cpus": "0-31", "memory_bytes": memory * GIB}]} if memory else {}
    modules = fake.modules(*slots) if slots else {}
    return fake.machine(about, fake.YES, **told, **modules, **more)


def eight(lost=""):
    """Slots that all have one name; that of the channel tells them apart."""
    return [slot("DIMM 0", f"P0 CHANNEL {name}", gib=32 * (name not in lost))
            for name in "ABCDEFGH"]


def changes(before, after):
    return machines.changes(machines.facts(before, []), machines.facts(after, []))


class Differences(fake.unittest.TestCase):
    def test_none(self):
        self.assertEqual(changes(machine(*eight()), machine(*eight())), [])

    def test_a_module_that_went_missing(self):
        for before, after, said in (
                (eight(), eight("H"), "32G 3200 MT/s at DIMM 0 (P0 CHANNEL H) missing"),
                (eight("H"), eight(), "32G 3200 MT/s at DIMM 0 (P0 CHANNEL H) more"),
                # Nothing tells these slots apart.
                ([slot("DIMM")] * 4, [slot("DIMM")] * 3, "32G 3200 MT/s at DIMM missing"),
                ([slot("DIMM")] * 4, [slot("DIMM")] * 2,
                 "32G 3200 MT/s at DIMM and 32G 3200 MT/s at DIMM missing"),
                # Empty slots are not listed.
                (eight()[:2], eight()[:1], "32G 3200 MT/s at DIMM 0 (P0 CHANNEL B) missing"),
                ([slot("A1"), slot("B1")], [slot("A1"), slot("B1", gib=16)],
                 "32G 3200 MT/s at B1 missing, 16G 3200 MT/s at B1 more"),
                ([slot("A1"), slot("B1")], [slot("A1", speed=2933), slot("B1", speed=2933)],
                 "modules 2 x 32G 3200 MT/s -> 2 x 32G 2933 MT/s"),
                ([slot("A1"), slot("B1")], [slot("A2"), slot("B2")],
                 "32G 3200 MT/s at A1 and 32G 3200 MT/s at B1 missing, "
                 "32G 3200 MT/s at A2 and 32G 3200 MT/s at B2 more")):
            with self.subTest(said):
                self.assertEqual(changes(machine(*before), machine(*after)), [said])

    def test_memory_of_nodes(self):
        self.assertEqual(changes(machine(memory=256), machine(memory=224)),
                         ["memory 256.0 GiB -> 224.0 GiB"])
        self.assertEqual(changes(machine(memory=256), machine(memory=255)), [])

    def test_a_host_may_take_the_memory_of_a_guest(self):
        for name in "kvm", "unknown":
            about = fake.BARE | {"hypervisor": name}
            self.assertEqual(changes(machine(*eight(), memory=256, about=about),
                                     machine(*eight("H"), memory=192, about=about)), [])

    def test_what_is_not_known_is_no_change(self):
        self.assertEqual(changes(machine(*eight(), memory=256, microcode="0x1"),
                                 machine(microcode=None)), [])

    def test_others(self):
        before, after = (machine(kernel_version=f"#{n}", microcode=f"0x{n}", lockdown=n > 1,
                                 version=f"1.{n}", prefetch={"state": ["on", "off"][n - 1]},
                                 cpus_online=f"0-{n}") for n in (1, 2))
        self.assertEqual(changes(before, after), [
            "microcode 0x1 -> 0x2", "nodes CPUs 0-1 -> CPUs 0-2", "prefetch on -> off",
            "kernel_version #1 -> #2", "lockdown False -> True", "version 1.1 -> 1.2"])


class Commands(fake.InDirectory):
    """The same difference in each of them."""
    LINE = "bandwidth op=triad size=4G repeat=10"
    SAID = "32G 3200 MT/s at DIMM 0 (P0 CHANNEL H) missing"

    def file(self, name, day, lost="", **more):
        rate = self.chance.gauss(70000.0 if lost else 100000.0, 300)
        about = machine(*eight(lost), memory=224 if lost else 256, **more)
        result = fake.result(self.LINE, rate, started_unix_ns=(1790000000 + day * 86400) * 10**9)
        return fake.save(name, about, fake.request(self.LINE, 1), result)

    def setUp(self):
        super().setUp()
        self.chance = random.Random(1)

    def text(self, parts):
        return fake.one_line(terminal.lines(parts))

    def test_compare(self):
        from mc.output import comparison
        from mc.records import rounds
        files = {name: rounds.load(self.file(name, day, lost))
                 for day, (name, lost) in enumerate((("a", ""), ("b", "H"), ("c", "")), 1)}
        said = self.text(comparison.parts({"a": files["a"], "b": files["b"]})[0])
        self.assertIn(f"Different about B: {self.SAID}; memory 224.0 GiB instead of 256.0 GiB.",
                      said)
        self.assertNotIn("Different", self.text(
            comparison.parts({"a": files["a"], "c": files["c"]})[0]))
        said = self.text(comparison.parts(files)[0])
        self.assertIn(f"Different about B: {self.SAID}; memory", said)
        self.assertNotIn("Different about C", said)

    def test_check(self):
        from mc.analysis import regression
        from mc.commands import check
        from mc.output import regression as output
        pairings = regression.pairings(check._batches_of([self.file("a", 1)]),
                                       check._batches_of([self.file("b", 2, "H")]))
        answers = [one for pairing in pairings for one in regression.answers(pairing, 0.05)]
        self.assertIn(f"Different now: {self.SAID}; memory 224.0 GiB instead of 256.0 GiB.",
                      self.text(output.parts(pairings, answers, 0.05)))

    def test_machines_of_two_kinds_are_not_told_apart(self):
        """Their names say that they differ, and so does everything about them."""
        from mc.output import comparison
        from mc.records import rounds
        files = {"a": rounds.load(self.file("a", 1)),
                 "b": rounds.load(self.file("b", 2, "H", about=fake.BARE | {"cpu": "other"}))}
        self.assertNotIn("Different", self.text(comparison.parts(files)[0]))

    def test_trend(self):
        from mc.analysis.trend import Origin
        from mc.output import trend
        from mc.records import rounds
        days = [rounds.load(self.file(f"{n}", n, "" if n < 9 else "H")) for n in range(8, 10)]
        before, after = (Origin("x", 1, machines.facts(runs[0].machine, [])) for runs in days)
        self.assertEqual(trend.newest_change(before, after),
                         f"{self.SAID}, memory 256.0 GiB -> 224.0 GiB")
        self.assertEqual(trend.newest_change(after, after),
                         "the records tell of nothing that is new there")

    def test_fleet(self):
        from mc.analysis import fleet
        from mc.output import fleet as output
        from mc.records import rounds
        found = fleet.fleet(
            fleet.measurement(f"node{host:02}", "", rounds.load(self.file(
                f"{round_}-{host}", round_, "H" if host == 7 else "")))
            for round_ in (1, 2) for host in range(8))
        said = self.text(output.parts(found))
        self.assertIn(f"Different from its group: {self.SAID}; memory 224.0 GiB instead of "
                      "256.0 GiB.", said)
        self.assertIn(f"less than 5 are like them: node07 ({self.SAID}; memory", said)
