# SPDX-License-Identifier: GPL-2.0-only
"""Exports: each read again by the rules of its format, and compared with the records."""

import csv
import io
import json
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path
from unittest import mock

import fake
from mc import Failure
from mc.commands import cli
from mc.commands import export as command
from mc.output import export
from mc.records.results import HISTOGRAMS
from test_plot import latency, matrix
from test_report import attributes

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)?\}})? (\S+)")
UNESCAPED = {r"\\": "\\", r"\"": '"', r"\n": "\n"}


def prometheus(text):
    """The samples in an exposition of Prometheus' text format: (name, labels) to a
    value. Asserts what the format's description demands, and that of the textfile
    collector, which takes no times."""
    assert text.endswith("\n")
    found, types, helps, order = {}, {}, set(), []
    for line in text.splitlines():
        if line.startswith("# "):
            _, kind, name, rest = line.split(" ", 3)
            assert re.fullmatch(NAME, name) and name not in order, line
            if kind == "HELP":
                assert name not in helps, line
                helps.add(name)
            else:
                assert kind == "TYPE" and rest == "gauge" and name not in types, line
                types[name] = rest
            continue
        match = SAMPLE.fullmatch(line)
        assert match, line
        name, labels, value = match.groups()
        assert name in types and name in helps, line
        if name not in order:
            order.append(name)
        assert order[-1] == name, f"{name}: not in one group"
        pairs = tuple(sorted((key, re.sub(r"\\.", lambda m: UNESCAPED[m[0]], quoted))
                             for key, quoted in re.findall(rf'({NAME})="((?:[^"\\]|\\.)*)"',
                                                           labels or "")))
        assert len(dict(pairs)) == len(pairs) and (name, pairs) not in found, line
        found[name, pairs] = float(value)
    return found


def with_label(found, name, **labels):
    [value] = [value for (one, pairs), value in found.items()
               if one == name and labels.items() <= dict(pairs).items()]
    return value


class Itself(fake.InDirectory):
    def test_results_are_not_written_over(self):
        data = fake.jsonl(*fake.runs_of(fake.BARE, ("bandwidth op=read", [
            fake.result("bandwidth op=read", 1000.0)])))
        Path("a").write_bytes(data)
        os.link("a", "b")
        for output in "a", "./a", "b":
            fake.refused(self, "the results themselves", command.export, "csv", ["a"], output)
        self.assertEqual(Path("a").read_bytes(), data)


class Prometheus(unittest.TestCase):
    def test_figures_are_in_base_units(self):
        found = prometheus(export.prometheus(attributes() + latency()))
        speed = fake.published()["uc", "ntwrite"]
        self.assertAlmostEqual(with_label(
            found, "memcache_bandwidth_bytes_per_second", type="uc", label="ntwrite"),
            speed * 1e6, delta=1)
        self.assertAlmostEqual(with_label(
            found, "memcache_latency_seconds_per_load_min", size_bytes="4096"), 0.9e-9)
        self.assertAlmostEqual(with_label(
            found, "memcache_latency_core_hertz", size_bytes="4096"), 4e9)
        self.assertAlmostEqual(with_label(
            found, "memcache_bandwidth_cv_ratio", type="uc", label="ntwrite"), 0.01)

    def test_type_method_and_width_are_labels_and_the_verdict_is_told_apart(self):
        runs = attributes() + attributes(fake.BARE, fake.NO)
        found = prometheus(export.prometheus(runs))
        for name in "memcache_bandwidth_bytes_per_second", "memcache_verdict_info":
            each = [dict(pairs) for one, pairs in found if one == name]
            self.assertEqual(len(each), sum(len(run.results) for run in runs))
            for key, values in (("type", {"wb", "uc", "wc"}), ("width_bytes", {"8", "16"}),
                                ("op", {"write", "ntwrite", "read"})):
                self.assertEqual({labels[key] for labels in each}, values)
        for key, values in (("effective", {"yes", "no"}), ("attribute", {"wb", "uc-", "wc"}),
                            ("verified", {"ok"})):
            self.assertEqual({labels[key] for labels in each}, values)
        self.assertEqual({value for (name, _), value in found.items()
                          if name == "memcache_bandwidth_effective"}, {0, 1})

    def test_names_and_labels_outlive_outcomes(self):
        def names(form, runs):
            text = export.FORMS[form](runs)
            if form == "prometheus":
                return {one for one in prometheus(text) if one[0] != "memcache_verdict_info"}
            if form == "kcidb":
                return {one["id"] for one in json.loads(text)["tests"]}
            return set(re.findall(r"TEST_CASE_ID=(\S+)|^(\S+): ", text, re.M))
        for form in "prometheus", "kcidb", "lkp", "lava":
            good = names(form, attributes())
            self.assertEqual(names(form, attributes(verified="failed")), good)
            self.assertEqual(names(form, attributes(fake.BARE, fake.NO)), good)
            # An outcome that is not known has no figure.
            lost = good - names(form, attributes(effective=dict.fromkeys(fake.YES, "unknown")))
            self.assertTrue(all("effective" in str(one) for one in lost), lost)

    def test_alike_records_stay_apart(self):
        found = prometheus(export.prometheus(matrix() + matrix()))
        self.assertEqual(len({pairs for name, pairs in found if dict(pairs).get("repetition")
                              and name != "memcache_verdict_info"}), 56)

    def test_the_machine(self):
        found = prometheus(export.prometheus(matrix()))
        self.assertEqual(with_label(found, "memcache_machine_info", cpu=fake.BARE["cpu"],
                                    kernel=fake.BARE["kernel"]), 1)
        self.assertEqual(found["memcache_last_run_timestamp_seconds", ()], 1790000000)

    def test_any_label_is_quoted(self):
        runs = attributes()
        runs[0].request["label"] = evil = 'a"b\\c\n1{},='
        found = prometheus(export.prometheus(runs))
        self.assertIn(evil, {dict(pairs).get("label") for _, pairs in found})

    def test_names_of_a_record_can_t_forge_a_line(self):
        for evil in ('x"} 1\nforged{a="', "a\nforged_total", "9", "a\x1b[2J"):
            for place in ("figure", "key", "test"):
                runs = latency()
                for result in runs[0].results:
                    if place == "test":
                        result["test"] = evil
                    else:
                        result[evil] = 1 if place == "figure" else "word"
                text = export.prometheus(runs)
                self.assertNotIn("\x1b", text)
                for name, _ in prometheus(text):
                    self.assertTrue(name.startswith("memcache_"), name)

    def test_what_was_not_measured_is_no_sample(self):
        runs = latency()
        for result in runs[0].results:
            result["core_mhz"] = None
        self.assertNotIn("core_hertz", export.prometheus(runs))

    @unittest.skipUnless(shutil.which("promtool"), "no promtool: the package prometheus has it")
    def test_promtool(self):
        done = subprocess.run(["promtool", "check", "metrics"], text=True, check=False,
                              input=export.prometheus(attributes() + latency() + matrix()),
                              capture_output=True)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))


class Others(unittest.TestCase):
    def test_kcidb(self):
        runs = attributes(verified="failed")
        found = json.loads(export.kcidb(runs))
        self.assertEqual(found["version"], {"major": 5, "minor": 0})
        self.assertEqual(found.keys(), {"version", "checkouts", "builds", "tests"})
        [build], [checkout] = found["builds"], found["checkouts"]
        self.assertEqual({test["build_id"] for test in found["tests"]}, {build["id"]})
        self.assertEqual(build["checkout_id"], checkout["id"])
        ids = [test["id"] for test in found["tests"]]
        self.assertEqual(len(ids), len(set(ids)))
        for test in found["tests"]:
            self.assertRegex(test["id"], r"^[a-z0-9_]+:.*$")
            self.assertRegex(test["build_id"], r"^[a-z0-9_]+:.*$")
            self.assertRegex(test["origin"], r"^[a-z0-9_]+$")
            self.assertRegex(test["path"], r"^([a-zA-Z0-9_-]+(\.[a-zA-Z0-9_-]+)*)?$")
            self.assertRegex(test["start_time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$")
            self.assertEqual(test["status"], "FAIL")
            self.assertIsInstance(test["number"]["value"], (int, float))
            self.assertLessEqual(test["number"].keys(), {"value", "unit", "prefix"})
            self.assertLessEqual(test.keys(), {
                "id", "build_id", "origin", "environment", "path", "comment", "log_url", "status",
                "number", "start_time", "duration", "output_files", "misc"})
        [speed] = [test["number"] for test in found["tests"]
                   if test["path"] == "memcache.bandwidth.mb_per_s"
                   and (test["misc"]["type"], test["misc"]["label"]) == ("wc", "read")]
        self.assertEqual(speed, {"value": fake.published()["wc", "read"] * 1e6, "unit": "B/s",
                                 "prefix": "metric"})

    def test_kcidb_of_a_build(self):
        found = json.loads(export.kcidb(latency(), "ours", "maestro:1234"))
        self.assertEqual(found.keys(), {"version", "tests"})
        self.assertEqual({(test["origin"], test["build_id"], test["id"].split(":")[0])
                          for test in found["tests"]}, {("ours", "maestro:1234", "ours")})
        [build] = json.loads(export.kcidb(latency(), "ours"))["builds"]
        self.assertEqual((build["origin"], build["id"].split(":")[0]), ("ours", "ours"))

    def test_kcidb_of_good_data(self):
        self.assertEqual({test["status"] for test in json.loads(
            export.kcidb(latency()))["tests"]}, {"DONE"})

    def test_lkp(self):
        found = {}
        for line in export.lkp(attributes() + matrix()).splitlines():
            key, value = line.split(": ")
            self.assertRegex(key, r"^[A-Za-z0-9_.-]+$")
            self.assertNotIn(key, found)
            found[key] = float(value)
        [speed] = [value for key, value in found.items() if key.endswith(".mb_per_s")
                   and ".label_read." in key and ".type_uc." in key]
        self.assertEqual(speed, fake.published()["uc", "read"])

    def test_lava(self):
        found = {}
        for line in export.lava(latency()).splitlines():
            match = re.fullmatch(r"<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=([\w.-]+) "
                                 r"RESULT=(pass|fail) UNITS=(\S+) MEASUREMENT=(\S+)>", line)
            name, result, unit, value = match.groups()
            self.assertNotIn(name, found)
            found[name] = result, unit, float(value)
        [one] = [value for name, value in found.items()
                 if ".size_bytes_4096." in name and name.endswith(".ns_per_load_min")]
        self.assertEqual(one, ("pass", "ns", 0.9))
        self.assertIn("RESULT=fail", export.lava(attributes(verified="failed")))

    def test_csv(self):
        runs = attributes() + latency()
        rows = list(csv.DictReader(io.StringIO(export.csv(runs))))
        flat = [result for run in runs for result in run.results]
        self.assertEqual(len(rows), len(flat))
        for row, result in zip(rows, flat):
            self.assertEqual(row["machine_cpu"], fake.BARE["cpu"])
            for key, value in result.items():
                if key in ("record", *HISTOGRAMS):
                    self.assertNotIn(key, row)
                else:
                    self.assertEqual(row[key], "" if value is None else str(value), key)


    def test_no_cell_of_csv_is_a_formula_or_drives_a_terminal(self):
        runs = attributes()
        runs[0].request["label"] = "=1+1\x1b[2J"
        runs[0].results[0]["@key"] = "+2"
        runs[0].results[0]["minus"] = -1.5
        found = list(csv.DictReader(io.StringIO(export.csv(runs))))
        self.assertEqual([found[0][key] for key in ("label", "'@key", "minus")],
                         ["'=1+1?[2J", "'+2", "-1.5"])


class Files(fake.InDirectory):
    def export(self, *words):
        fake.save("a.jsonl", *matrix())
        status, said, _ = fake.output_of(command.export, "prometheus", ["a.jsonl"], *words)
        self.assertEqual(status, 0)
        return said

    def test_one_result_stands_for_all_rounds(self):
        """In CSV, each round has its row."""
        fake.save("rounds", *fake.records_of_rounds("bandwidth", 1000.0, 3000.0, 2000.0))
        for form in export.FORMS:
            out = self.said(form, "rounds")
            self.assertNotIn("repetition", out)
            if form == "csv":
                self.assertEqual([row["mb_per_s"] for row in csv.DictReader(out.splitlines())],
                                 ["1000.0", "3000.0", "2000.0"])
            if form == "lava":
                self.assertEqual(re.findall(r"mb_per_s RES.*MEASUREMENT=(\S+)>", out), ["2000.0"])

    def test_results_of_several_files_are_told_apart(self):
        """In each form, and nothing of them is lost. No result is a repetition of another one."""
        for name in "a", "b":
            fake.save(f"{name}.jsonl", *matrix())
        for form in export.FORMS:
            once, twice = self.said(form, "a.jsonl"), self.said(form, "a.jsonl", "b.jsonl")
            for name in "a", "b":
                count = len(re.findall(f"{name}[.-]jsonl", twice))
                self.assertGreaterEqual(count, len(matrix()[0].results), form)
            self.assertNotIn("repetition", twice)
            self.assertNotIn("jsonl", once)
        machines = prometheus(self.said("prometheus", "a.jsonl", "b.jsonl"))
        self.assertEqual([dict(pairs)["file"] for (name, pairs) in machines
                          if name == "memcache_machine_info"], ["a.jsonl", "b.jsonl"])
        with self.assertRaisesRegex(Failure, "b.jsonl: these are the results themselves"):
            self.said("csv", "a.jsonl", "b.jsonl", output="b.jsonl")

    def said(self, form, *names, output=None):
        return fake.output_of(command.export, form, [*names], output)[1]

    def test_markdown(self):
        """Each table is one: a row of dashes below the names, and so many cells in each row. Data
        are no markup. Figures, comparison and tables are those of the page and of the report."""
        runs = attributes() + latency()
        for run in runs:
            run.machine["cpu"] = "a|b <c> *d* #1"
        fake.save("a.jsonl", *runs)
        fake.save("b.jsonl", *latency())
        one, two = self.said("markdown", "a.jsonl"), self.said("markdown", "a.jsonl", "b.jsonl")
        for text, titles in (one, ["Results"]), (
                two, ["Comparison", "Results of A: a.jsonl", "Results of B: b.jsonl"]):
            self.assertIn(r"a\|b \<c\> \*d\* \#1", text)
            self.assertEqual(re.findall("(?m)^## (.*)", text), titles)
            for table in re.findall(r"(?m)(?:^\|.*\n)+", text):
                names, dashes, *rows = [re.split(r"(?<!\\)\|", row) for row in table.splitlines()]
                self.assertTrue(all(re.fullmatch(" ---:? ", cell) for cell in dashes[1:-1]), table)
                self.assertTrue(rows and all(len(row) == len(names) for row in rows), table)
        self.assertRegex(one, r"\n\| Latency of [^|]* \| \*\*[\d.]+ ns\*\* \|")
        self.assertRegex(two, r"\n\| what \| speed of B \| A \| B \|\n")
        self.assertRegex(one, r"\n### .*\n\n\| ")

    def test_to_stdout(self):
        self.assertEqual(self.export(None), export.prometheus(matrix()))

    def test_to_a_file_that_is_never_half(self):
        Path("a.prom").write_text("old")
        seen = []
        replace = os.replace

        def swap(made, path, **folders):
            seen.append((Path(made).read_text(), Path(path).read_text()))
            replace(made, path, **folders)

        with mock.patch("os.replace", swap):
            self.export("a.prom")
        self.assertEqual(seen, [(export.prometheus(matrix()), "old")])
        self.assertEqual(Path("a.prom").read_text(), export.prometheus(matrix()))
        self.assertEqual(sorted(os.listdir()), ["a.jsonl", "a.prom"])
        # The collector takes *.prom only, and another user reads them.
        self.assertEqual(os.stat("a.prom").st_mode & 0o044, 0o044 & ~self.mask())

    @staticmethod
    def mask():
        mask = os.umask(0)
        os.umask(mask)
        return mask

    def test_a_full_disk_leaves_the_old_one(self):
        Path("a.prom").write_text("old")
        fake.save("a.jsonl", *matrix())
        with mock.patch("os.fsync", side_effect=OSError(28, "No space left on device")), \
                self.assertRaisesRegex(Failure, "a.prom: No space left"):
            command.export("prometheus", ["a.jsonl"], "a.prom")
        self.assertEqual(Path("a.prom").read_text(), "old")
        self.assertEqual(sorted(os.listdir()), ["a.jsonl", "a.prom"])

    def test_options_of_kcidb(self):
        parse = cli.parser("export").parse_args
        fake.save("a.jsonl", *fake.runs_of(fake.BARE, ("latency", [])))
        for words in (["--origin", "Ours"], ["--build-id", "1234"]):
            with self.subTest(words), self.assertRaises(SystemExit):
                fake.output_of(parse, ["export", "--format", "kcidb", *words, "a.jsonl"])
        with self.assertRaisesRegex(Failure, "belong to --format kcidb"):
            command.command(parse(["export", "--format", "csv", "--origin", "ours", "a.jsonl"]))

    def test_no_results(self):
        fake.save("a.jsonl", *fake.runs_of(fake.BARE, ("bandwidth", [])))
        fake.refused(self, "no results", command.export, "csv", ["a.jsonl"], None, status=1)

    def test_every_form_takes_any_results(self):
        for form, make in export.FORMS.items():
            with self.subTest(form):
                args = cli.parser("export").parse_args(["export", "--format", form, "a.jsonl"])
                self.assertEqual(args.format, form)
                self.assertTrue(make(attributes() + latency() + matrix()))
