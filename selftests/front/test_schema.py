# SPDX-License-Identifier: GPL-2.0-only
"""The schema of results: it has what the tests have, and lets nothing else pass.
Records of the programs are held against it in selftests/host, uml and bats."""

import copy
import json
import re
import subprocess
import unittest
from pathlib import Path

import fake
from mc.analysis import pcm, traffic
from mc.commands import import_
from mc.records import derived, fields, keys, tests
from mc.records.results import HISTOGRAMS

check = fake.load_script("check_schema", fake.TOP / "tools/check/schema")
SCHEMA = check.schema()
COMMON = ("type", "size_bytes", "cpu", "smt", "node", "irq", "disturbed", "page",
          "prefetch", "repeat", "warmup", "target", "offset_bytes", "write")
ADDED = ("sched",)      # older results do not have it
MACHINE = fake.machine() | {
    "version": "1.2", "kernel_version": "#1", "cpu_vendor": "GenuineIntel", "cpu_family": 6,
    "cpu_model": 85, "cpu_stepping": 4, "microcode": "0x1f", "width_max_bytes": 64,
    "kinds": [{"cpus": "0-3", "cpu_family": 6, "cpu_model": 85, "cpu_stepping": 4,
               "core_type": None}],
    "caches": [{"cpus": "0-3", "level": 1, "kind": "data", "size_bytes": 32768, "line_bytes": 64,
                "ways": 8, "shared_by_cpus": 2}],
    "cpus_online": "0-3", "nodes": [{"node": 0, "cpus": "0-3", "memory_bytes": None}],
    "clock_khz": 2100000, "clock_cost_ns": 1.5, "recognised": ["interrupt"],
    "page_table_levels": 4, "pat": ["wb"] * 8,
    "prefetch": {"known": False, "msr": None, "mask": None, "state": None}, "lockdown": False}
TRAFFIC = {key: None for key in ("payload_bytes", "dram_read_bytes", "dram_write_bytes",
                                 "amplification_read", "amplification_write", "dram_counted_ns",
                                 "dram_idle_read_mb_per_s", "dram_idle_write_mb_per_s")}
RESULT = fake.result("bandwidth", 1000.0) | TRAFFIC | dict.fromkeys(fields.EVENTS) | {
    f"{event}_ran_percent": None for event in fields.EVENTS} | {
    "pattern": "sequential", "smt": "on", "dram_why": "no_counters", "events_why": "no_counters",
    "level": "memory", "own_loop": None, "ns_per_piece": None, "function_uses": None,
    "target": "ram", "offset_bytes": 0, "write": "no", "physical_range": None,
    "memory_zone": None, "memory_object": None, "warmup_ns": 10000000.0, "steady": "yes",
    "placements": 8, "core_mhz_after": 3000}
REQUEST = fake.request("bandwidth", 1)


class Schema(unittest.TestCase):
    def setUp(self):
        self.checker = check.validator()

    def problems(self, record):
        return list(check.problems([json.dumps(record)], self.checker))

    def test_it_is_a_schema(self):
        self.checker.check_schema(SCHEMA)

    def test_good_records(self):
        for record in (MACHINE, MACHINE | {"dram_counters": None}, MACHINE | {
                "dram_counters": {"kind": "AMD, data fabric", "nodes": [0, 1]}}, REQUEST, RESULT,
                REQUEST | {"label": "a", "suite": None, "directives": ["@title A"]}):
            self.assertEqual(self.problems(record), [])

    def test_every_fact_of_a_result(self):
        wanted = {*fields.FACTS, *TRAFFIC, "dram_why", *COMMON, "record", "test", "where"}
        self.assertEqual(set(SCHEMA["$defs"]["result"]["required"]), wanted)

    def test_each_event_has_the_share_of_the_time_that_it_ran(self):
        self.assertEqual([name for name in fields.FACTS if name.endswith("_ran_percent")],
                         [f"{event}_ran_percent" for event in fields.EVENTS])

    def test_what_must_not_pass(self):
        def without(record, key):
            return {k: v for k, v in record.items() if k != key}

        deep = copy.deepcopy(MACHINE)
        deep["memory_types"]["wb"]["extra"] = 1
        whose = copy.deepcopy(MACHINE)
        del whose["caches"][0]["cpus"]
        kind = copy.deepcopy(MACHINE)
        kind["kinds"][0]["core_type"] = "other"
        for record in (RESULT | {"extra": 1}, MACHINE | {"extra": 1}, REQUEST | {"extra": 1},
                       RESULT | {"ns_per_load": 1.0}, deep, whose, kind, MACHINE | {"schema": 2},
                       RESULT | {"median_ns": -1}, RESULT | {"median_ns": "1"},
                       RESULT | {"effective": "maybe"}, RESULT | {"test": "nonsense"},
                       RESULT | {"samples": 1.5}, RESULT | {"op": "fly"}, {"record": "other"},
                       REQUEST | {"state": "lost"}, MACHINE | {"pat": ["wb"]}, {},
                       *(without(RESULT, key) for key in RESULT),
                       *(without(REQUEST, key) for key in REQUEST),
                       *(without(MACHINE, key) for key in MACHINE)):
            with self.subTest(set(record) ^ set(RESULT)):
                self.assertTrue(self.problems(record))

    def test_nothing_is_not_good(self):
        self.assertEqual(list(check.problems([], self.checker)), ["empty"])

    def test_what_pcm_adds(self):
        added = set(re.findall(r"dram_pcm_\w+", json.dumps(SCHEMA)))
        source = Path(import_.__file__).read_text()
        self.assertIn("dram_pcm_samples", source)
        self.assertEqual(added, {"dram_pcm_samples", "dram_pcm_read_mb_per_s",
                                 "dram_pcm_write_mb_per_s", "dram_pcm_amplification_read",
                                 "dram_pcm_amplification_write", *(
                                     f"dram_pcm_{kind}_{way}_mb_per_s"
                                     for kind in traffic.PCM_OTHERS for way in pcm.WAYS)})


class Tests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The keys and the figures that the program's own table has of each test."""
        cls.told = {}
        for line in fake.described_tests().splitlines():
            if match := re.match(r"([a-z][\w ]*): ", line):
                own = cls.told.setdefault(match[1], {"keys": [], "figures": []})
            elif match := re.match(r"  > (\w+)", line):
                own["figures"].append(match[1])
            elif match := re.match(r"  (\w+)=", line):
                own["keys"].append(match[1])
        cls.every = cls.told.pop(keys.EVERY)["keys"]

    def test_each_value_that_a_key_takes(self):
        """A record has it as it was asked for, or what it became."""
        became = {"width": {"max"}, "capacity": set(), "page": set(), "cpu": {"all"},
                  "flush": {"auto"}, "sched": {"auto"}}
        common = SCHEMA["$defs"]["result"]["properties"]
        for test, own in keys.parse(fake.described_tests()).items():
            known = {**common, **SCHEMA["$defs"][test]["properties"]}
            for key, told in own.items():
                allowed = known.get(key, known.get(f"{key}_bytes", {})).get("enum")
                if told.choices and allowed:
                    with self.subTest(f"{test} {key}"):
                        self.assertLessEqual({*told.choices} - became.get(key, set()),
                                             {str(value) for value in allowed})

    def test_what_is_asked_for_is_told_from_figures_by_name(self):
        wanted = {*COMMON, *ADDED}
        for test, own in self.told.items():
            wanted |= set(SCHEMA["$defs"][test]["properties"]) - {*own["figures"], *HISTOGRAMS} \
                - derived.figure_names(test)
        self.assertEqual({key for test in self.told for key in tests.key_columns(test)}, wanted)
        self.assertFalse([name for own in self.told.values() for name in own["figures"]
                          if name in wanted])

    def test_files_that_follow_from_the_tables_are_new(self):
        made = subprocess.run([fake.TOP / "tools/describe", "--check"], capture_output=True,
                              text=True)
        self.assertEqual((made.stdout, made.returncode), ("", 0), made.stderr)

    def test_each_test_its_keys_and_figures(self):
        """The program's own table of tests against the schema, both ways."""
        self.assertEqual(self.every[0], "type")
        self.assertEqual({*self.told}, set(SCHEMA["$defs"]["result"]["properties"]["test"]["enum"]))
        for test, own in self.told.items():
            with self.subTest(test):
                properties = set(SCHEMA["$defs"][test]["properties"])
                self.assertLessEqual({*own["figures"]}, properties)
                others = properties - {*own["figures"], *HISTOGRAMS} - derived.figure_names(test)
                # A unit may follow: stride= is stride_bytes; bytes= may be file_bytes.
                for key in set(own["keys"]) - {"skip", "most"}:    # no result has these
                    self.assertTrue([name for name in properties if key in name], key)
                self.assertLessEqual(len(others), len(own["keys"]))
