# SPDX-License-Identifier: GPL-2.0-only
"""memcache fleet: how often it is right, which hosts are compared, and what is printed."""

import json
import os
import random
import re
import shutil
import subprocess
from math import exp
from pathlib import Path
from unittest import mock

import fake
from mc.analysis import fleet, outliers
from mc.analysis.series import Left
from mc.commands import fleet as command
from mc.output import fleet as output
from mc.records import rounds

START, HOUR = 1790000000 * 10 ** 9, 3600 * 10 ** 9
FLEETS, FIGURES = 100, 20       # simulated fleets, results of each host
OPS = ("read", "write", "copy", "ntwrite")
# The modes of a copy of 16 KiB on one virtual machine, as shares of its highest speed.
MODES = tuple(speed / 207 for speed in (142, 159, 176, 207))


def measured(chance, hosts, slow=1.0, noise=0.012, outliers_too=False, again=True, modes=(1.0,)):
    """Measurements of a fleet whose host 0 is slow, each host twice. Each figure of each
    measurement has one of the modes."""
    for round_ in range(1 + again):
        for host in range(hosts):
            run = 1 - chance.uniform(0.1, 0.4) * (outliers_too and chance.random() < 0.07)
            speed = run * (slow if host == 0 else 1)
            times = {(f"r{i}", "kernel", ""):
                     1000 / (speed * chance.choice(modes) * (1 + chance.gauss(0, noise)))
                     for i in range(FIGURES)}
            facts = {fact.name: "same" for fact in fleet.FACTS}
            yield fleet.Measurement(f"host{host}", "", round_, facts, times, Left())


class Rates(fake.unittest.TestCase):
    """How often it is right, over 100 fleets of each kind."""
    long = True

    def found(self, seed, hosts, **about):
        """How often host 0 was found, and how often any other."""
        chance = random.Random(seed)
        right = others = 0
        for _ in range(FLEETS):
            one = fleet.fleet(measured(chance, hosts, **about))
            names = [host.name for _, host in one.hosts_with_findings(True)]
            right += "host0" in names
            others += len(set(names) - {"host0"})
        return right, others

    def test_no_false_alarm(self):
        for hosts, noise in ((5, 0.012), (30, 0.012), (5, 0.03), (8, 0.04), (30, 0.03)):
            with self.subTest(hosts=hosts, noise=noise):
                self.assertEqual(self.found(hosts, hosts, noise=noise), (0, 0))

    def test_figures_of_several_modes(self):
        """Two measurements of a host are in the slowest mode now and then."""
        for modes in (MODES, (1.0, 0.7), (1.0, 1.0, 1.0, 0.7), (1.0, *9 * (0.7,))):
            for hosts in 5, 8, 20:
                with self.subTest(hosts=hosts, modes=modes):
                    right, others = self.found(hosts, hosts, modes=modes)
                    self.assertLessEqual(right + others, 0.01 * FLEETS * hosts)
        right, others = self.found(1, 20, modes=MODES, slow=0.4)
        self.assertGreaterEqual(right, 0.98 * FLEETS)
        self.assertLessEqual(others, 0.01 * FLEETS * 20)

    def test_nobody_can_tell_where_the_spread_hides_a_slow_host(self):
        for modes, number in (MODES, 20), ((1.0,), 0):
            found = fleet.fleet(measured(random.Random(1), 20, modes=modes))
            self.assertEqual(len(found.unsure_hosts), number)

    def test_runs_that_something_disturbed(self):
        """7 % of the runs are 10 to 40 % slower. Of two that are, a host is called slow."""
        right, others = self.found(2, 20, outliers_too=True)
        self.assertLess(right + others, 0.01 * FLEETS * 20)
        self.assertGreater(right + others, 0)

    def test_a_slow_host_is_found(self):
        for slow, hosts in (0.85, 5), (0.85, 8), (0.85, 30), (0.9, 5), (0.9, 20):
            with self.subTest(hosts=hosts, slow=slow):
                right, others = self.found(3 if slow > 0.85 else hosts, hosts, slow=slow)
                self.assertGreaterEqual(right, 0.98 * FLEETS)
                self.assertEqual(others, 0)

    def test_once_is_not_enough(self):
        one = fleet.fleet(measured(random.Random(1), 10, slow=0.85, again=False))
        self.assertEqual(one.hosts_with_findings(True), [])
        self.assertEqual([host.name for _, host in one.hosts_with_findings(False)], ["host0"])


class Outliers(fake.unittest.TestCase):
    def test_the_spread_is_2_percent_at_least(self):
        [far] = outliers.distances([100.0] * 9, [110.0])
        self.assertAlmostEqual(far.spreads, 4.7655, places=3)
        self.assertAlmostEqual(far.chance, 0.00037, places=4)     # t with 10.5 degrees of freedom
        self.assertAlmostEqual(far.speed, 100 / 110)
        self.assertTrue(far.slow)

    def test_what_is_slow(self):
        """Not what a wider spread hides, nor what hosts that differ from themselves by 10 % have,
        nor what is faster."""
        times = [90.0, 95.0, 100.0, 105.0, 110.0]
        for usual, mine, own, slow in (
                (times, times, (), 0), (times, [115.0], (), 0), (times, [150.0], (), 1),
                ([100.0] * 9, [110.0], [0.01] * 30, 0), ([100.0] * 9, [50.0], (), 0)):
            found = outliers.distances(usual, mine, **({"own": own} if own else {}))
            self.assertEqual(sum(one.slow for one in found), slow, mine)
        # By hand: 6 and n/2 observations of the spread, or 6 and those of each host.
        for usual, mine, own, spreads, blurred in (
                (times, 115.0, (), 2.6932, False), ([100.0] * 9, 110.0, [0.04], 1.2246, True),
                ([100.0] * 9, 110.0, [0.01] * 30, 1.0399, True)):
            [far] = outliers.distances(usual, [mine], own)
            self.assertAlmostEqual(far.spreads, spreads, places=4)
            self.assertEqual(far.blurred, blurred, mine)

    def test_jumps_from_mode_to_mode(self):
        """Of half of the distance or more, by each host here, and in other results."""
        far = outliers.Distance(100 * exp(0.2), 100.0, 9.0, 0.001, True, False)
        others = [0.05, 0.08, 0.12, 0.3]
        for own, jumps, chance in (
                ([0.01, 0.15, 0.2], others, 0.25), ([0.01, 0.02, 0.15], others, 0.0625),
                ((), (), 0.001), ([0.01] * 9, [0.05] * 9 + [0.3], 0.001), ((), [0.3], 0.25)):
            found = outliers.with_chance_of_modes(far, own, jumps)
            self.assertAlmostEqual(found.chance, chance)

    def test_the_limit_grows_with_what_is_found(self):
        """Benjamini and Hochberg: the greatest p(k) that is at most k/m of 1 %."""
        self.assertEqual(outliers.limit([], 100), 0)
        self.assertEqual(outliers.limit([0.0002], 100), 0)
        self.assertEqual(outliers.limit([0.0001], 100), 0.0001)
        self.assertEqual(outliers.limit([0.0003, 0.00001, 0.00025, 0.00026], 100), 0.0003)

    def test_the_probability_of_a_machine(self):
        """Simes: the least of m p(k) / k."""
        self.assertEqual(outliers.chance_of_machine([], 10), 1)
        self.assertAlmostEqual(outliers.chance_of_machine([0.004, 0.002, 0.003], 10), 0.04 / 3)

    def test_student(self):
        """Tables say 0.001 for these."""
        for value, freedom in ((4.501, 8), (4.144, 10), (3.552, 20), (3.174, 100)):
            self.assertAlmostEqual(outliers._tail(value, freedom), 0.001, delta=0.00003)
        self.assertAlmostEqual(outliers._tail(1, 1), 0.25, delta=0.004)
        self.assertEqual((outliers._tail(0, 5), outliers._tail(-1, 5)), (1, 1))


def modules(number):
    """So many modules in 8 slots."""
    return fake.modules(*(fake.slot(f"DIMM_{i}", gib=16 * (i < number)) for i in range(8)))


class Command(fake.InDirectory):
    def setUp(self):
        super().setUp()
        self.chance = random.Random(4)

    def host(self, name, slow=1.0, round_=1, kernel="6.1.0-50-amd64", results=(), **more):
        """A file of a host: the speeds of four operations, in four sizes. `slow`: of all, or of
        each size."""
        found = []
        about = fake.machine(fake.BARE | {"kernel": kernel}, fake.YES, microcode="0x1f",
                             cpus_online="0-3", **modules(8)) | more
        for size in "4K", "64K", "1M", "16M":
            line = f"bandwidth size={size}"
            speed = slow if isinstance(slow, float) else slow.get(size, 1)
            records = [fake.result(f"{line} op={op}", speed * self.chance.gauss(10000.0, 100),
                                   started_unix_ns=START + round_ * HOUR) for op in OPS]
            found += [about, fake.request(line, len(records)), *records]
        found += results
        fake.save(f"runs/{round_}/{name}.jsonl", *found)

    def hosts(self, number=12, first=0, round_=1, **more):
        for i in range(first, first + number):
            self.host(f"node{i:02}", round_=round_, **more)

    def test_records_name_their_host(self):
        """The names of the files do not matter then."""
        for i in range(4):
            self.host(f"file{i}", round_=i, host="node07")
        self.host("old", round_=1)
        hosts = [host for group in self.report(125)["groups"] for host in group.get("hosts", ())] \
            or self.memcache("fleet", "runs", status=125)
        self.assertIn("node07", str(hosts))
        self.assertNotIn("file", self.memcache("fleet", "runs", status=125))
        self.assertIn("2 hosts", self.memcache("fleet", "runs", status=125))

    def report(self, status):
        self.memcache("fleet", "runs", "-o", "fleet.json", status=status)
        return json.loads(Path("fleet.json").read_text())

    def test_what_is_said_of_hosts(self):
        """Of so many, from the first one on, in a round, with these facts. The newest two
        measurements of a host count, with the same kernel and microcode."""
        low, other = {"slow": 0.85}, {"slow": 0.85, "microcode": "0x20"}
        for measured, status, *said in (
                ([(12,)], 0, "12 hosts in 1 group, 192 results compared: 0 slow, 0 to be measured "
                 "again, 12 not found to be slow, 0 not known, 0 with too few similar hosts.",
                 "- 1: 12 hosts with Intel(R) Xeon(R) Gold 6252, no hypervisor, kernel "
                 "6.1.0-50-amd64, microcode 0x1f, CPUs 0-3, 8 x 16G 3200 MT/s."),
                ([(12,), (1, 5, 1, low), (1, 5, 2)], 0, "0 slow, 0 to be measured again"),
                ([(12,), (1, 5, 2, low), (1, 5, 3, low)], 1, "1 slow"),
                ([(12,), (1, 5, 2, low), (1, 5, 3, low), (1, 5, 4)], 0, "0 slow"),
                ([(12,), (1, 5, 1, low), (1, 5, 2, other)], 125, "0 slow, 1 to be measured again"),
                # Hosts of a slower kind are not slow.
                ([(8,), (6, 8, 1, {"slow": 0.5, "cpu": "slow"})], 0, "14 hosts in 2 groups"),
                ([(4,)], 125, "4 hosts in 0 groups, 0 results compared", "Too few like them to "
                 "compare, less than 5 node00, node01, node02 and node03"),
                ([(4,), (5, 10, 2, {"cpu": "other"})], 125, "node03"),
                ([(12, 0, 1, {"hypervisor": "tcg"})], 125,
                 "Left out: 192 results of emulated machines.")):
            with self.subTest(measured):
                for number, *place, more in ([*one, {}][:4] for one in measured):
                    self.hosts(number, *place, **more)
                text = self.memcache("fleet", "runs", status=status)
                for words in said:
                    self.assertIn(words, text)
                shutil.rmtree("runs")

    def test_a_slow_host_is_measured_again_first(self):
        self.hosts()
        self.host("node05", 0.85)
        said = self.memcache("fleet", "runs", status=125)
        self.assertIn("0 slow, 1 to be measured again, 11 not found to be slow", said)
        self.assertIn("node05, compared with group 1: 16 results slower in one measurement", said)
        self.assertEqual(self.memcache("fleet", "runs", "--again", status=125), "node05")

        self.host("node05", 0.85, round_=2)
        said = self.memcache("fleet", "runs", status=1)
        self.assertIn("1 slow, 0 to be measured again, 11 not found to be slow", said)
        self.assertIn("node05, compared with group 1: 16 results slower in two measurements", said)
        self.assertRegex(said, r"All 16 results have one speed, 0\.8\dx to 0\.8\dx ↓ of the "
                               "group's. Different from its group: nothing in its record.")
        self.assertEqual(self.memcache("fleet", "runs", "--again", status=1), "")

    def test_results_of_several_speeds_are_a_table(self):
        self.hosts()
        self.host("node05", {"4K": 0.8, "64K": 0.6, "1M": 0.7})
        said = self.memcache("fleet", "runs", status=125)
        self.assertRegex(said, r"bandwidth (op=\w+ )?width=16 size=64K page=direct [\d.]+ [nmu]s "
                               r"[\d.]+ [nmu]s 0\.\d\dx ↓")
        self.assertIn("... and 2 more Different from its group: nothing in its record.", said)
        self.host("node05", {"4K": 0.8, "64K": 0.8, "1M": 0.8})
        self.assertIn("12 of the 16 results that were compared have one speed, 0.",
                      self.memcache("fleet", "runs", status=125))

    def test_what_is_different(self):
        """In each round, a memory module, the prefetchers, the kernel, memory and the clock of the
        cores of a host are others."""
        self.hosts(20)
        for round_ in 1, 2:
            self.host("node03", 0.8, round_, **modules(7))
            self.host("node04", 0.8, round_, prefetch={"state": "off"})
            self.host("node05", 0.8, round_, kernel="6.12.0-1-amd64")
            self.host("node06", 0.8, round_, nodes=[
                {"node": 0, "cpus": "0-3", "memory_bytes": 1 << 30}])
        said = self.memcache("fleet", "runs", status=1)
        for about in ("16G 3200 MT/s at DIMM_7 missing", "prefetch off instead of na",
                      "kernel 6.12.0-1-amd64 instead of 6.1.0-50-amd64",
                      "memory 1.0 GiB instead of na"):
            self.assertIn(f"{about}.", said)
        self.assertIn("- compared with group 1, since less than 5 are like them: node05 (kernel "
                      "6.12.0-1-amd64 instead of 6.1.0-50-amd64).", said)
        found = self.report(1)
        self.assertEqual(sorted(one["host"] for one in found["slow"]),
                         ["node03", "node04", "node05", "node06"])
        [kernel] = (one["differs"] for one in found["slow"] if one["host"] == "node05")
        self.assertEqual(kernel, [{"fact": "kernel", "host": "6.12.0-1-amd64",
                                   "group": "6.1.0-50-amd64"}])

    def test_a_result_that_few_hosts_have(self):
        self.hosts(6)
        line = "latency"
        record = fake.figure("latency", {"stride_bytes": 64}, {"ns_per_load": 80.0})
        for i in range(4):
            self.host(f"node{i:02}", results=[fake.machine(), fake.request(line, 1), record])
        self.assertIn("96 results compared", self.memcache("fleet", "runs"))

    def test_a_store_says_the_same(self):
        self.hosts()
        for round_ in 1, 2:
            self.host("node05", 0.85, round_)
        names = sorted(map(str, Path("runs").rglob("*.jsonl")), reverse=True)
        self.memcache("record", "runs.db", *names)
        self.assertEqual(self.memcache("fleet", "runs.db", status=1),
                         self.memcache("fleet", "runs", status=1))

    def test_failed_verification(self):
        self.hosts()
        self.host("node02", results=[
            fake.machine(), fake.request("bandwidth", 1),
            fake.result("bandwidth", 10000.0, verified="failed")])
        said = self.memcache("fleet", "runs", status=1)
        self.assertIn("Data failed verification - node02: 1 result", said)
        self.assertIn("Left out: 1 result that failed verification.", said)

    def test_a_file_that_cannot_be_read(self):
        self.hosts()
        self.write("runs/1/node99.jsonl", b"no record\n")
        self.assertIn("node99.jsonl:1: not JSON", self.memcache("fleet", "runs", status=1))

    def test_many_files_are_read_by_several_processes(self):
        self.hosts(120)
        self.host("node77", 0.85)
        self.write("runs/1/node99.jsonl", b"no record\n")
        said = self.memcache("fleet", "runs", status=1)
        self.assertIn("119 hosts in 1 group, 1904 results compared: 0 slow, 1 to be measured again",
                      said)
        self.assertIn("node99.jsonl:1: not JSON", said)

    def test_one_process_reads_all_where_there_are_no_semaphores(self):
        with mock.patch.object(command, "ProcessPoolExecutor", side_effect=OSError):
            self.assertEqual(len(list(command._read_all(["none"] * 999, [""] * 999))), 999)

    def test_json(self):
        self.hosts()
        self.host("node05", 0.85)
        found = self.report(125)
        self.assertEqual((found["hosts"], found["compared"], found["slow"], found["too_few"]),
                         (12, 192, [], []))
        [again] = found["again"]
        self.assertEqual((again["host"], again["files"], len(again["results"])),
                         ("node05", ["runs/1/node05.jsonl"], 16))
        self.assertTrue(0.8 < again["results"][0]["speed"] < 0.9)
        self.assertFalse(again["results"][0]["confirmed"])

    def refreshed(self, *periods, first=0, **more):
        """Hosts whose memory is refreshed with these periods in ns; None: none was found."""
        for i, period in enumerate(periods, first):
            tail = fake.figure("tail", {"op": "read", "count": 1000}, {
                "ns_per_access": 100.0, "refresh": "found" if period else "not_found",
                "refresh_period_ns": period})
            self.host(f"node{i:02}", results=[fake.machine() | more,
                                              fake.request("tail", 1), tail], **more)

    def test_a_host_whose_refresh_is_doubled(self):
        """Others of its kind tell what is usual; those of another kind, and those whose period was
        not found, say nothing."""
        for periods, named in (
                ((7811.0, 7790.0, 7800.0, 3902.0, 7805.0, 7801.0), ["node03"]),
                ((7811.0, 3890.0, 7800.0, 3902.0, 7805.0, 7801.0, None), ["node01", "node03"]),
                ((7811.0, 7790.0, 7800.0, None, 7805.0, 7801.0), []),
                ((7811.0, 7790.0, 7800.0, 15600.0, 7805.0, 5100.0), []),
                ((3902.0, 3900.0, 3900.0, 7800.0, 3901.0, 3905.0), []),
                ((3902.0, None, None, 7800.0, None, None), [])):
            with self.subTest(periods):
                self.refreshed(*periods)
                self.refreshed(*(3900.0,) * 5, first=20, cpu="other")
                said, found = self.memcache("fleet", "runs"), self.report(0)
                self.assertEqual([one["host"] for one in found["refresh_doubled"]], named)
                self.assertEqual("Refresh comes twice as often" in said, bool(named))
        self.refreshed(*(7800.0,) * 5, 3900.0)
        self.assertIn("Refresh comes twice as often - node05: every 3.900 us, where those of "
                      "group 1 have 7.800 us, as above 85 C, by a setting of the firmware or in a "
                      "mode of fine granularity.", self.memcache("fleet", "runs"))
        self.assertEqual(self.report(0)["refresh_doubled"], [{
            "host": "node05", "group": 1, "period_ns": 3900.0, "group_period_ns": 7800.0}])

    def test_memory_of_another_generation(self):
        """It is compared with others, and may be refreshed twice as often as theirs."""
        for speed, first, periods in ((3200, 0, (7800.0,) * 6), (4800, 20, (3900.0,))):
            self.refreshed(*periods, first=first, **fake.modules(
                *(fake.slot(name, name, speed=speed) for name in "AB")))
        said = self.memcache("fleet", "runs")
        self.assertEqual(self.report(0)["refresh_doubled"], [])
        self.assertNotIn("Refresh", said)
        self.refreshed(*(7800.0,) * 6, 3900.0, first=30,
                       modules={"slots": [], "why": "no dmidecode"})
        self.assertIn("node36: every 3.900 us, where those of group 1 have 7.800 us, as above 85 "
                      "C, by a setting of the firmware or in a mode of fine granularity, or in "
                      "memory of another generation, since the modules are not known.",
                      self.memcache("fleet", "runs"))

    def test_a_page(self):
        """Its title says what was found. A heat map has each host and each result."""
        self.hosts()
        self.assertEqual(self.title(), "None of 12 hosts was found slow")
        self.host("node07", 0.85)
        self.assertEqual(self.title(), "1 of 12 hosts may be slow: measure node07 again")
        for round_ in 1, 2:
            self.host("node05", 0.85, round_)
        self.assertEqual(self.title(), "1 of 12 hosts is slow: node05; 1 to be measured again")
        self.memcache("fleet", "runs", "-o", "fleet.html", status=1)
        text = Path("fleet.html").read_text()
        self.assertIn(f"<h1>{self.title()}</h1>", text)
        self.assertEqual(text.count('class="slower">'), 32, "tables of two hosts")
        self.assertRegex(text, r"<title>node11, op=ntwrite size=16M: (1|1\.0\d|0\.9\d+) speed<")
        self.assertEqual(len(re.findall(r"<title>node\d\d, .*?<", text)), 2 * 12 * 16)
        with_pictures = text
        Path("none").mkdir()
        Path("none/matplotlib.py").write_text("raise ImportError")
        done = subprocess.run([fake.FRONT, "fleet", "runs", "-o", "fleet.html"], text=True,
                              env=os.environ | {"PYTHONPATH": "none"}, capture_output=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("written; without pictures: drawing needs", " ".join(done.stderr.split()))
        text = Path("fleet.html").read_text()
        self.assertNotIn("<svg", text)
        self.assertRegex(text, "(?s)<figure><h3>Group 1: speed .*<p>Not drawn: drawing needs "
                               "matplotlib, which /usr/bin/python3 has not: ")
        self.assertEqual(re.sub("(?s)<figure.*</figure>", "", with_pictures),
                         re.sub("(?s)<figure.*</figure>", "", text))
        self.host("node02", results=[
            fake.machine(), fake.request("bandwidth", 1),
            fake.result("bandwidth", 10000.0, verified="failed")])
        self.assertEqual(self.title(), "Memory of node02 did not hold what was written")

    def fleet(self):
        return fleet.fleet(fleet.measurement(path.stem, str(path), rounds.load(str(path)))
                           for path in Path("runs").rglob("*.jsonl"))

    def title(self):
        return output.title(self.fleet())

    def test_a_heat_map_has_the_slowest_of_many(self):
        self.hosts(50)
        self.host("node42", 0.85)
        [(chart, texts)] = output.heat_maps(self.fleet())
        self.assertEqual((len(chart.rows), chart.rows[0], len(chart.columns)), (40, "node42", 16))
        self.assertEqual(texts, ["Not drawn, as others are slower: 10 hosts."])

    def test_what_is_wrong(self):
        os.mkdir("empty")
        self.hosts(5)
        for words, said in (("empty", "no results files"),
                            ("runs -o x.doc", "ends in .html, .json")):
            self.assertIn(said, self.memcache("fleet", *words.split(), status=2))
