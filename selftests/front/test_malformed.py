# SPDX-License-Identifier: GPL-2.0-only
"""Results files that somebody, or something, has changed: no command may end with a traceback.
`RUNS=1000000 tools/check/front test_malformed` tries more of them."""

import copy
import json
import os
import random
import resource
import signal
import sys
from pathlib import Path
from unittest import mock

import fake
from mc import LONGEST, message_lines
from mc.commands import cli
from mc.output import draw
from mc.records import schema
from test_plot import latency

RUNS = int(os.environ.get("RUNS", "300"))
VALUES = (None, True, -1, 0, 5, 2**70, -1.5, 1e300, "", "x", "=1+1", "\x1b[2J", "0-3", "$\\frac$",
          [], [1], [[]], [{}], {}, {"a": 1}, {"node": "x"},
          10**400, 2**63, "\ud800", "a" * 200000, "1, 2, 3, 4, 5, 6, 7, 8, 9. x " * 280,
          "x|" * 50000, "0-999999", "0-999999," * 2000 + "0", ["a" * 9999] * 99, {"a" * 99999: 1})
CPU_S, BYTES = 60, 1 << 30      # that no command needs for any of these files
LONG = "1, 2, 3, 4, 5, 6, 7, 8, 9. x " * 3000
COMMANDS = (("show", "{0}"), ("show", "--wide", "{0}"), ("compare", "{0}", "{1}"),
            ("check", "{0}", "--baseline", "{1}"), ("trend", "{0}", "{1}", "{1}", "{1}"),
            ("fleet", "hosts"), ("report", "{0}", "-o", "page.html"),
            ("export", "--format", "csv", "{0}"), ("export", "--format", "prometheus", "{0}"),
            ("export", "--format", "kcidb", "{0}"), ("record", "store.db", "{0}"),
            ("compare", "--reference", "{0}"), ("reference", "{0}"),
            ("report", "{0}", "--contribute", "given.json"))
MACHINE = {
    "version": "1.2", "kernel": "6.1.0-50-amd64", "kernel_version": "#1 SMP", "cpu": "CPU",
    "cpu_vendor": "AuthenticAMD", "cpu_family": 25, "cpu_model": 33, "cpu_stepping": 1,
    "microcode": "0x1", "hypervisor": None, "width_max_bytes": 32, "cpus_online": "0-3",
    "kinds": [{"cpus": "0-3", "cpu_family": 25, "cpu_model": 33, "cpu_stepping": 1,
               "core_type": None}],
    "caches": [{"level": 1, "kind": "data", "size_bytes": 32768, "ways": 8, "line_bytes": 64,
                "shared_by_cpus": 1, "cpus": "0-3"}],
    "nodes": [{"node": 0, "cpus": "0-1", "memory_bytes": 8 << 30},
              {"node": 1, "cpus": "2-3", "memory_bytes": 8 << 30}],
    "process": {"cpus": "0-3", "nodes": "0-1", "memory_limit_bytes": None},
    "last_cache": {"size_bytes": 32 << 20, "by": "search", "searched": "2026-11-29T10:00:00Z"},
    "clock_khz": 3000000, "clock_cost_ns": 10.0, "recognised": ["interrupt"],
    "modules": {"why": None, "slots": [
        {"slot": "A1", "channel": "A", "channel_source": "smbios", "size_bytes": 8 << 30,
         "width_bits": 64, "rated_mt_per_s": 3200, "mt_per_s": 3200}], "edac": [
        {"unit": "mc0/dimm0", "label": "A1", "location": "channel 0 slot 0",
         "channel": "mc0 channel 0", "memory_type": "DDR4", "size_bytes": 8 << 30}]},
    "tiers": [{"node": 0, "zones": ["Normal"], "tier": 4, "promised": None}],
    "quiet": {"load": 0.1, "runnable": 1, "cpus": 4, "found": []},
    "dram_counters": {"kind": "perf", "nodes": [0, 1]},
    "lockdown": False, "page_table_levels": 4,
    "prefetch": {"known": True, "msr": "0x1a4", "mask": "0xf", "state": "on"},
}


def records():
    """The records of a file, as the module and the front end write them."""
    about = fake.BARE | MACHINE
    runs = fake.runs_of(about, ("bandwidth op=read size=1G", [
        fake.result("bandwidth op=read size=1G", 10000.0 + i, level="memory", core_mhz=3000)
        for i in range(3)]), ("latency size=1G", [
            fake.figure("latency", {"pattern": "random", "stride_bytes": 64, "size_bytes": 1 << 30},
                        {"ns_per_load": ns, "cycles_per_load": 3.0 * ns, "level": level,
                         "core_mhz": 3000, "core_mhz_after": 2000, "page": "4k"})
            for level, ns in (("l1", 9.0), ("l3", 90.0), ("memory", 900.0))]))
    return [record for run in runs for record in (run.machine, run.request, *run.results)]


def places(value, path=()):
    """The path of each value in these records."""
    yield path
    inside = value.items() if isinstance(value, dict) else \
        enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        yield from places(inner, (*path, key))


def mutated(rng, good):
    """The records with one to three values replaced, removed or doubled."""
    bad = copy.deepcopy(good)
    for _ in range(rng.choice((1, 1, 2, 3))):
        path = rng.choice([path for path in places(bad) if len(path) > 1])
        there = bad
        for key in path[:-1]:
            there = there[key]
        how = rng.random()
        if how < 0.2:
            del there[path[-1]]
        elif how < 0.3 and isinstance(there, list):
            there.append(copy.deepcopy(there[path[-1]]))
        else:
            there[path[-1]] = copy.deepcopy(rng.choice(VALUES))
    return bad


class TakesTooLong(BaseException):
    """No `except Exception` of the program takes it."""


def too_long(*_):
    raise TakesTooLong


class Malformed(fake.InDirectory):
    def run_(self, words):
        """The exit status of a command. An exception is the failure of the test."""
        signal.setitimer(signal.ITIMER_PROF, CPU_S)
        try:
            status, out, self.said = fake.output_of(cli.main, list(words))
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        self.assertNotIn("\x1b", out + self.said)
        self.assertLess(len(self.said), 3000)
        return status

    def setUp(self):
        super().setUp()
        self.enterContext(mock.patch.object(        # takes long
            draw, "inline", lambda *about: "<svg></svg>"))
        self.addCleanup(signal.signal, signal.SIGPROF, signal.signal(signal.SIGPROF, too_long))
        has = BYTES + int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        before = resource.getrlimit(resource.RLIMIT_AS)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_AS, before)
        resource.setrlimit(resource.RLIMIT_AS, (has, before[1]))
        self.good = records()
        os.mkdir("hosts")
        for name in ("good", *(f"hosts/n{i}" for i in range(5))):
            fake.save(f"{name}.jsonl", *self.good)

    def test_no_command_ends_with_a_traceback(self):
        rng = random.Random(1)
        refused = 0
        for number in range(RUNS):
            bad = mutated(rng, self.good)
            fake.save("bad.jsonl", *bad)
            fake.save("hosts/n2.jsonl", *bad)
            words = [word.format("bad.jsonl", "good.jsonl")
                     for word in COMMANDS[number % len(COMMANDS)]]
            try:
                refused += self.run_(words) != 0
            except Exception as error:
                self.fail(f"{' '.join(words)}: {type(error).__name__}: {error}\n"
                          f"{json.dumps([b for b, g in zip(bad, self.good) if b != g])}")
        print(f"# {RUNS} files, {refused} refused", file=sys.stderr)

    def test_values_that_no_measurement_gives_are_refused(self):
        for at, key, value in ((1, "line", " "), (1, "where", True),
                               (2, "started_unix_ns", 10**29), (2, "started_unix_ns", 2**63),
                               (2, "ns_per_load", "x"), (2, "p99_ns_per_load", "1"),
                               (2, "cycles_per_load", "x"), (2, "core_mhz_after", "x"),
                               (2, "bytes_per_core_cycle", "1"), (2, "first_core_mhz", "1"),
                               (1, "label", "\ud800"), (1, "suite", "a" * 9999), (0, "cpu", LONG),
                               (2, "samples", 10**400), (2, "lines", "x"), (2, "median_ns", LONG),
                               (1, "x", {"y": [10**400]}), (0, "nodes", [{}] * 99999)):
            with self.subTest(key=key, value=value):
                bad = copy.deepcopy(self.good)
                bad[at][key] = value
                fake.save("bad.jsonl", *bad)
                for words in (("show", "bad.jsonl"), ("record", "store.db", "bad.jsonl"),
                              ("report", "bad.jsonl", "-o", "page.html")):
                    self.assertEqual(self.run_(words), 2)
                    self.assertLess(max(map(len, self.said.splitlines())), 300)

    def test_many_of_a_kind_are_refused(self):
        """What a report would draw in a column, or compare each with each."""
        result = self.good[2]
        for bad in ([self.good[0], self.good[1] | {"records": 99},
                     *({f"k{i}_{j}": 1 for j in range(99)} | result for i in range(99))],
                    [self.good[0] | {"kinds": self.good[0]["kinds"] * 99}, *self.good[1:]]):
            fake.save("bad.jsonl", *bad)
            self.assertEqual(self.run_(("show", "--wide", "bad.jsonl")), 2)
        for name in ("bad.jsonl", "bad.csv"):
            with open(name, "wb") as file:
                file.truncate(1 << 40)
        os.mkfifo("hosts/pipe.jsonl")
        os.symlink("/dev/zero", "hosts/zero.jsonl")
        for words in (("show", "bad.jsonl"), ("record", "store.db", "bad.jsonl"),
                      ("show", "/dev/zero"), ("run", "./bad.jsonl"), ("loop", "bad.jsonl"),
                      ("import", "pcm", "bad.csv", "good.jsonl"), ("compare", "bad.csv")):
            with self.subTest(words=words):
                self.assertNotEqual(self.run_(words), 0)
        self.assertIn(self.run_(("fleet", "hosts")), (0, 3))

    def test_a_message_repeats_a_part_of_what_is_wrong(self):
        for text in (LONG, "x|" * 99999, "a" * 200000, "., " * 99999):
            self.assertLess(sum(map(len, message_lines(text))), 3 * LONGEST)

    def test_parts_of_a_machine_may_be_missing(self):
        for key, value in (("caches", [{}]), ("nodes", [{}])):
            fake.save("bad.jsonl", self.good[0] | {key: value}, *self.good[1:])
            self.assertEqual(self.run_(("report", "bad.jsonl", "-o", "page.html")), 0)

    def test_a_machine_may_have_more_than_is_known(self):
        machine = {key: value for key, value in self.good[0].items() if key != "kinds"}
        fake.save("bad.jsonl", machine | {"core_type": -1}, *self.good[1:])
        for words in (("show", "bad.jsonl"), ("reference", "bad.jsonl")):
            self.assertEqual(self.run_(words), 0)

    def test_no_result_has_a_size(self):
        fake.save("bad.jsonl", *(one | {"size_bytes": None, "level": "l3"}
                                 if one["record"] == "result" else one for one in self.good))
        self.assertEqual(self.run_(("show", "bad.jsonl")), 0)

    def test_rounds_may_lack_statistics(self):
        for key, values in (("samples", (0,)), ("op", (5,)), ("min_ns", (None, 0)),
                            ("max_ns", (None, 0)), ("mean_ns", (None, 0))):
            for value in values:
                for which in (slice(1), slice(None)):
                    runs = fake.records_of_rounds("bandwidth op=read size=1G", 1.0, 1.1, 1.2)
                    for one in [one for one in runs if one["record"] == "result"][which]:
                        one[key] = value
                    fake.save("bad.jsonl", *runs)
                    for words in (("show", "bad.jsonl"), ("report", "bad.jsonl", "-o", "a.html")):
                        with self.subTest(key=key, value=value, words=words):
                            self.assertEqual(self.run_(words), 0)

    def test_a_curve_may_lack_a_size(self):
        runs = latency()
        runs[0].results[0]["size_bytes"] = None
        fake.save("bad.jsonl", *runs)
        self.assertEqual(self.run_(("show", "bad.jsonl")), 0)

    def test_what_is_no_text_is_not_kept(self):
        Path("bad.jsonl").write_bytes(b"\xd5\r\xc1\n")
        self.assertEqual(self.run_(("record", "store.db", "bad.jsonl")), 2)

    def test_fleet_leaves_a_bad_file_out_by_its_name(self):
        for key, value in (("nodes", [1]), ("nodes", 5), ("memory_bytes", "x"),
                           ("modules", {"slots": [{}, 5]}), ("caches", [{"level": "x"}])):
            with self.subTest(key=key):
                bad = copy.deepcopy(self.good)
                bad[0][key] = value
                if key == "memory_bytes":
                    bad[0]["nodes"][0][key] = value
                fake.save("hosts/n2.jsonl", *bad)
                status, out, err = fake.output_of(cli.main, ["fleet", "hosts"])
                self.assertEqual(status, 1)
                self.assertIn("n2.jsonl", out + err)

    def test_all_of_a_record_is_looked_at(self):
        """The example has a value in each part that the schema knows of."""
        self.assertIsNone(schema.wrong_place(self.good[0]))
        for path in places(self.good[0]):
            if not path:
                continue
            bad = copy.deepcopy(self.good[0])
            there = bad
            for key in path[:-1]:
                there = there[key]
            there[path[-1]] = {"no": ["such"]} if not isinstance(there[path[-1]], dict) else 5
            if path[0] not in ("record", "schema", "where"):
                self.assertIsNotNone(schema.wrong_place(bad), path)
