# SPDX-License-Identifier: GPL-2.0-only
"""Results files: what is read, and that a bad one is refused by name and line."""

import codecs
import json
import random
from unittest import mock

import fake
from mc import Failure
from mc.output import report
from mc.records import fields, reading, results

MACHINE = fake.machine()
REQUEST = fake.request("bandwidth op=write type=wb", 1)
RESULT = fake.result("bandwidth op=write type=wb", 9000.0)
GOOD = [MACHINE, REQUEST, RESULT]


BAD = {
    "empty": (b"", 1, "empty"),
    "blank": (b"\n", 1, "not JSON"),
    "text": (b"Results of Monday\n", 1, "not JSON"),
    "binary": (b"\x7fELF\x02\x01\0\xff\n", 1, "not JSON"),
    "an array": (b"[1,2]\n", 1, "not a record"),
    "another record": (b'{"record":"sample"}\n', 1, "not a record"),
    "deep nesting": (b"[" * 100000 + b"\n", 1, "not JSON"),
    "half a line": (fake.jsonl(*GOOD)[:-20], 3, "cut short"),
    "a line without its end": (fake.jsonl(*GOOD)[:-1], 3, "cut short"),
    "results missing": (fake.jsonl(MACHINE, REQUEST), 3, "cut short: 1 more"),
    "results missing in the middle": (fake.jsonl(MACHINE, REQUEST, *GOOD), 3, "cut short: 1 more"),
    "only a machine": (fake.jsonl(MACHINE), 2, "cut short: no request"),
    "two machines": (fake.jsonl(MACHINE, *GOOD), 2, "cut short: no request"),
    "no machine": (fake.jsonl(REQUEST, RESULT), 1, "no machine"),
    "a result too many": (fake.jsonl(*GOOD, RESULT), 4, "belongs to no request"),
    "a result first": (fake.jsonl(RESULT), 1, "belongs to no request"),
    "another kernel": (fake.jsonl(*GOOD, MACHINE | {"kernel": "6.12.1"}), 4, "mixed: kernel"),
    "another CPU": (fake.jsonl(*GOOD, MACHINE | {"cpu": "AMD"}), 4, "mixed: cpu"),
    "another hypervisor": (fake.jsonl(*GOOD, MACHINE | {"hypervisor": "kvm"}), 4, "mixed: hyperv"),
    "another test": (fake.jsonl(MACHINE, REQUEST, RESULT | {"test": "latency"}), 3, "mixed"),
    "a newer schema": (fake.jsonl(MACHINE | {"schema": 2}), 1, "schema 2 is newer"),
    "no schema": (fake.jsonl({k: v for k, v in MACHINE.items() if k != "schema"}), 1, "schema"),
    "schema is text": (fake.jsonl(MACHINE | {"schema": "1"}), 1, "schema"),
    "types are text": (fake.jsonl(MACHINE | {"memory_types": "wb"}), 1, "memory_types"),
    "no kernel": (fake.jsonl({k: v for k, v in MACHINE.items() if k != "kernel"}), 1, "kernel"),
    "no state": (fake.jsonl(MACHINE, REQUEST | {"state": None}), 2, "state"),
    "no count": (fake.jsonl(MACHINE, REQUEST | {"records": -1}), 2, "records"),
    "a label that is none": (fake.jsonl(MACHINE, REQUEST | {"label": 7}), 2, "label"),
    "a time in words": (fake.jsonl(MACHINE, REQUEST, RESULT | {"median_ns": "9"}), 3, "median_ns"),
    "a negative speed": (fake.jsonl(MACHINE, REQUEST, RESULT | {"mb_per_s": -1}), 3, "mb_per_s"),
    "half a sample": (fake.jsonl(MACHINE, REQUEST, RESULT | {"samples": 1.5}), 3, "samples"),
    "true as a number": (fake.jsonl(MACHINE, REQUEST, RESULT | {"mb_per_s": True}), 3, "mb_per_s"),
    "a list as a value": (fake.jsonl(MACHINE, REQUEST, RESULT | {"op": ["x"]}), 3, "op"),
    "not a number": (fake.jsonl(MACHINE, REQUEST, RESULT | {"mb_per_s": float("nan")}), 3, "NaN"),
    "infinity": (fake.jsonl(MACHINE, REQUEST) + fake.jsonl(RESULT).replace(b"9000.0", b"1e999"), 3,
                 "mb_per_s"),
    **{f"no histogram: {bad}": (fake.jsonl(MACHINE, REQUEST, RESULT | {"histogram_ns_count": bad}),
                                3, "histogram_ns_count") for bad in (
        3, [3], [[1]], [[1, -1]], [[1, 0.5]], [["1", 1]], [[2, 1], [1, 1]])},
}


class Files(fake.InDirectory):
    def test_a_good_file_is_read(self):
        for mark in (b"", codecs.BOM_UTF8):
            [run] = results.load(self.write("good", mark + fake.jsonl(*GOOD)))
            self.assertEqual((run.machine, run.request, run.results), (MACHINE, REQUEST, [RESULT]))

    def test_what_is_complete_is_used(self):
        whole = fake.jsonl(*GOOD, *GOOD)
        for end, said, kept in (
                (fake.jsonl(*GOOD)[:-20], "6: cut short in the middle of a line", 2),
                (fake.jsonl(*GOOD)[:-1], "6: cut short in the middle of a line", 2),
                (fake.jsonl(MACHINE), "5: cut short: no request follows the machine", 1),
                (fake.jsonl(MACHINE)[:9], "4: cut short in the middle of a line", 1),
                (fake.jsonl(MACHINE, REQUEST), "6: cut short: 1 more result belongs to the", 2),
                (fake.jsonl(MACHINE, REQUEST | {"records": 2}, RESULT), "7: cut short: 1 more", 2)):
            with self.subTest(end):
                cut = self.write("cut", fake.jsonl(*GOOD) + end)
                runs, _, err = fake.output_of(results.load, cut)
                self.assertEqual((len(runs), runs[0].results), (kept, [RESULT]))
                self.assertIn(f"memcache: cut:{said}", err)
                self.assertIn("; the complete lines are used: ", err)
                report.lines(runs)
        self.assertEqual(fake.output_of(results.load, self.write("whole", whole))[2], "")

    def test_several_requests_are_of_the_machine_before_them(self):
        runs = results.parse(fake.lines(*GOOD, REQUEST, RESULT, *GOOD), "x")
        self.assertEqual([(run.machine, run.results) for run in runs], [(MACHINE, [RESULT])] * 3)

    def test_bad_files_are_refused_by_name_and_line(self):
        for name, (content, line, said) in BAD.items():
            with self.subTest(name):
                fake.refused(self, f"^bad:{line}: .*{said}", results.load,
                             self.write("bad", content))

    def test_files_that_are_none(self):
        for name in ("nosuch", "."):
            fake.refused(self, f"^{name}: ", results.load, name)

    def test_damage_never_ends_in_a_traceback(self):
        good = fake.jsonl(*GOOD, MACHINE, REQUEST, RESULT | {"type": "uc"})
        dice = random.Random(1)
        for _ in range(1500):
            content = bytearray(good)
            for _ in range(dice.randint(1, 4)):
                at = dice.randrange(len(content))
                content[at:at + dice.randint(0, 9)] = dice.choice(
                    [b"", b'"', b"{", b"null", b"1e300", b"-1", b"\n", b"[]", b"0", b"\xff", b","])
            try:
                report.lines(results.parse(bytes(content).splitlines(keepends=True), "x"))
            except Failure:
                pass


class Records(fake.unittest.TestCase):
    def test_what_was_asked_stands_before_the_facts(self):
        keys = fields.request_keys(RESULT)
        self.assertEqual(keys["size_bytes"], 16 << 20)
        self.assertIn("warmup", keys)
        for key in ("record", "test", "where", "attribute", "mb_per_s"):
            self.assertNotIn(key, keys)

    def test_columns_have_the_keys_of_each_result(self):
        """Also of results with other fields, such as an object that made the memory."""
        all_results = [RESULT, RESULT | {"memory_object": "dax0.0", "size_bytes": 4096},
                       fake.result("latency", 5.0), RESULT | {"stride_bytes": 64}, {"new": 1}]
        columns = fields.request_columns(all_results)
        for number, result in enumerate(all_results):
            self.assertEqual({key: values[number] for key, values in columns.items()
                              if values[number] is not fields.ABSENT}, fields.request_keys(result))

    def test_results_share_their_words(self):
        """Ten thousand results need less memory then. Numbers, and words that differ, remain."""
        count = results.COMBINATIONS + 2
        told = [RESULT | {"memory_object": f"shm {i}"} for i in range(count)]
        told += [RESULT, RESULT | {"mb_per_s": 7, "samples": 3}, RESULT | {"mb_per_s": 7.5}]
        [run] = results.parse(fake.lines(MACHINE, REQUEST | {"records": len(told)}, *told), "x")
        self.assertEqual(run.results, told)
        self.assertEqual(json.dumps(run.results), json.dumps(told))
        *_, one, _, other = run.results
        for key in ("op", "verified"):
            self.assertIs(one[key], other[key])
        self.assertFalse(one != told[-3] or other != told[-1])
        other["new"] = 1
        self.assertEqual((one | {"a": 2}, [*other][-1], len(other), other.get("op")),
                         (told[-3] | {"a": 2}, "new", len(told[-1]) + 1, RESULT["op"]))

    def test_results_that_share_little_may_have_fewer_bytes(self):
        for more, most in (({"mb_per_s": 0}, 500), ({"memory_object": ""}, 4)):
            told = [RESULT | {key: value + type(value)(i) for key, value in more.items()}
                    for i in range(500)]
            lines = fake.lines(MACHINE, REQUEST | {"records": 500}, *told)
            with self.subTest(more), mock.patch.object(reading, "MOST", 5 * len(lines[-1])), \
                    mock.patch.object(results, "COMBINATIONS", 2):
                if most < 500:
                    fake.refused(self, "x:[4-7]: more than 0 MiB", results.parse, lines, "x")
                else:
                    self.assertEqual(results.parse(lines, "x")[0].results, told)

    def test_figures_are_the_tests_own(self):
        self.assertEqual(list(fields.figures(RESULT)),
                         ["mb_per_s", "mb_per_s_max", "traversed_bytes", "passes_per_sample",
                          "core_mhz", "bytes_per_core_cycle"])

    def test_a_kernel_that_writes_numbers_with_zeros_is_read(self):
        text = json.dumps(RESULT).replace("9000.0", "9000.000")
        lines = [*fake.lines(MACHINE, REQUEST), text.encode() + b"\n"]
        self.assertEqual(results.parse(lines, "x")[0].results[0]["mb_per_s"], 9000.0)


class Sorted(fake.unittest.TestCase):
    """Other programs may write the keys of an object in any order."""

    def test_a_file_with_sorted_keys_is_shown_alike(self):
        from mc.output import comparison, report
        from test_draw import c2c
        found = [fake.result(f"bandwidth op={op} size={size}", 1000.0)
                 for op in ("read", "copy") for size in ("4K", "1M")]
        records = [MACHINE, fake.request("bandwidth", len(found)), *found,
                   MACHINE, fake.request("c2c", 2), *c2c([(0, 1), (1, 0)])]
        plain = fake.runs(*records)
        turned = [fake.runs(*({key: record[key] for key in sorted(record, reverse=back)}
                              for record in records)) for back in (False, True)]
        for runs in turned:
            self.assertEqual(report.lines(runs), report.lines(plain))
            self.assertEqual([fields.request_keys(r) for run in runs for r in run.results],
                             [fields.request_keys(r) for run in plain for r in run.results])
            parts, status = comparison.parts({"a": plain, "b": runs})
            lines = fake.terminal_lines(parts)
            self.assertEqual(status, 0)
            self.assertIn("6 compared: 0 faster, 0 slower, 0 same, 6 can't tell.", lines)
