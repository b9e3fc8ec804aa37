# SPDX-License-Identifier: GPL-2.0-only
"""The simulated machine as the front end sees it: what is said of its results."""

import json
import os
import re
import subprocess
import unittest
from unittest import mock

import fake
from mc import Failure
from mc.output import comparison, export, report
from mc.records import prices as price_list
from mc.records import tests
from mc.running import mark
from mc.running.debugfs import Debugfs
from mc.running.user import User

PRICES = {"uc_load_ns": 200, "uc_store_ns": 200, "wc_load_ns": 200, "wc_line_ns": 60,
          "wc_word_ns": 200, "wc_buffers": 8, "l1_bytes": 32768, "l1_ways": 8, "l1_ns": 0,
          "l2_bytes": 1 << 20, "l2_ways": 16, "l2_ns": 10, "l3_bytes": 0, "l3_ways": 16,
          "l3_ns": 0, "memory_ns": 80, "flush_ns": 0, "tlb_entries": 1536, "tlb_miss_ns": 30}
ABOUT = {"qemu": "10.0", "prices": PRICES}
DEAR = {"qemu": "10.0", "prices": PRICES | {"uc_load_ns": 333}}
SIMULATED = fake.BARE | {"simulated": ABOUT}


def runs(about=SIMULATED, line="bandwidth type=wb,uc", speed=1000.0):
    found = [fake.result(f"bandwidth type={name}", speed) for name in ("wb", "uc", "wc")]
    return fake.runs_of(about, (line, found))


class Results(unittest.TestCase):
    def test_the_report_begins_with_it(self):
        lines = report.lines(runs())
        self.assertTrue(" ".join(lines).startswith(
            "A SIMULATED MACHINE (QEMU 10.0): its times follow from its prices, and are of no real "
            "hardware. Prices 0d7ab813, in ns: UC load 200, store 200; WC load 200, whole line 60, "
            "part of one 200 each 8 bytes, 8 buffers; L1 0 (32K, 8 ways), L2 10 (1M, 16 ways), "
            "memory 80; flush 0; TLB of 1536 entries, miss 30. Linux 6.1.0-50-amd64, Intel(R) "
            "Xeon(R) Gold 6252, simulated, clock: tsc"))
        self.assertIn("WB, UC and WC: page tables and timing show what was asked for, on this "
                      "simulated machine.", lines)

    def test_a_third_level_and_keys_that_are_new(self):
        more = PRICES | {"l3_bytes": 8 << 20, "l3_ns": 40, "new_ns": 7}
        text = " ".join(report.lines(runs(fake.BARE | {"simulated": ABOUT | {"prices": more}})))
        self.assertIn("L3 40 (8M, 16 ways), memory 80", text)
        self.assertIn("miss 30; new_ns 7.", text)

    def test_never_the_same_machine(self):
        other = fake.machine()
        for first, second in ((other | {"simulated": ABOUT}, other),
                              (other, other | {"simulated": ABOUT}),
                              (other | {"simulated": ABOUT}, other | {"simulated": DEAR})):
            with self.assertRaisesRegex(Failure, ":3: mixed: simulated is"):
                fake.runs(first, fake.request("bandwidth", 0), second, fake.request("bandwidth", 0))

    def test_not_an_object(self):
        with self.assertRaisesRegex(Failure, "`simulated` of the machine has a value that can't"):
            runs(fake.BARE | {"simulated": "yes"})

    def test_prices_are_numbers(self):
        report.lines(runs(fake.BARE | {"simulated": {"prices": {}}}))
        for prices in (None, [], {"uc_load_ns": "\33[2J"}, {"x": [1]}):
            with self.assertRaisesRegex(Failure, "`simulated.prices.* has a value that can't be"):
                runs(fake.BARE | {"simulated": {"prices": prices}})

    def test_compared_with_a_real_machine(self):
        files = {"a": runs(), "b": runs(fake.BARE, speed=900.0)}
        parts, status = comparison.parts(files)
        lines = fake.terminal_lines(parts)
        text = "\n".join(lines)
        self.assertEqual(status, 1)
        self.assertIn("Gold 6252, simulated by QEMU 10.0, prices 0d7ab813 B ",
                      " ".join(text.split()))
        self.assertIn("any of it: one machine is simulated, the other is not", text)
        self.assertIn("--mixed-verdicts compares them nevertheless", text)
        parts, status = comparison.parts(files, mixed=True)
        lines = fake.terminal_lines(parts)
        self.assertIn("3 compared: 0 faster, 0 slower, 0 same, 3 can't tell.", lines)

    def test_compared_with_other_prices(self):
        files = {"a": runs(), "b": runs(fake.BARE | {"simulated": DEAR}, speed=900.0)}
        parts, status = comparison.parts(files)
        lines = fake.terminal_lines(parts)
        self.assertEqual(status, 0)
        # No run of a simulated machine differs from another, so that one is enough.
        self.assertIn("3 compared: 0 faster, 3 slower, 0 same, 0 can't tell.", lines)
        names = [line.rpartition("prices ")[2] for line in lines[:2]]
        self.assertEqual(len(set(names)), 2)

    def test_it_is_no_virtual_machine_and_no_bare_metal(self):
        def random(about, side):
            asked = {"op": "read", "count": 8, "mode": "independent"}
            found = [fake.figure("random", asked | {"op": op}, {"ns_per_access": 1.0}, where=side)
                     for op in ("read", "write")]
            return fake.runs_of(about, ("random", found))

        kernel, user = random(SIMULATED, "kernel"), random(SIMULATED, "user")
        text = "\n".join(fake.terminal_lines(comparison.parts(
            {"a": kernel, "b": user, "c": random(fake.BARE, "kernel")}, mixed=True)[0]))
        self.assertIn("OS overhead", text)
        self.assertNotIn("hypervisor overhead", text)
        self.assertIn("simulated by QEMU 10.0, prices 0d7ab813", text)

    def test_exported(self):
        for form, write in export.FORMS.items():
            with self.subTest(form):
                both = [write(runs(about)) for about in (SIMULATED, fake.BARE)]
                self.assertRegex(both[0], "QEMU.10.0.*0d7ab813")
                self.assertNotIn("QEMU", both[1])


class Schema(unittest.TestCase):
    def check_readme(self, machine):
        """The sample of README has these prices, and operations that there are."""
        readme = (fake.TOP / "README.md").read_text()
        ops = {one["name"] for one in tests.OPERATIONS}
        sample = " ".join(re.search(r"^    Prices .*?…$", readme, re.M | re.S)[0].split())
        self.assertTrue(price_list.text(machine).startswith(sample.removesuffix(" …")), sample)
        rows = re.search(r"WB +UC +WC\n((?:    \w+ .*\n)+)", readme)[1].split("\n")[:-1]
        self.assertLessEqual({row.split()[0].split("_")[0] for row in rows}, ops)
        user = re.search(r"\$ memcache-user\n((?:    .*\n|\n)+)", readme)[1]
        self.assertLessEqual({row.split()[0] for row in re.findall("^      (.*)", user, re.M)},
                             {"latency", *ops})

    def test_prices_of_qemu(self):
        check = fake.load_script("check_schema", fake.TOP / "tools/check/schema")
        subprocess.run(["make", "-s", "-C", fake.TOP / "tools/sim"], check=True)
        prices = json.loads(subprocess.check_output(
            [fake.TOP / "build/sim/show", fake.TOP / "tools/sim/prices"]))

        def about(prices):      # the machine that is made up has not all that one has
            record = json.dumps(fake.machine() | {"simulated": {"qemu": "10.0", "prices": prices}})
            return [problem for problem in check.problems([record], check.validator())
                    if "simulated" in problem]

        self.assertEqual(about(prices), [])
        self.assertIn("memory_ns_0_1", prices)
        self.check_readme({"simulated": {"qemu": "10.0", "prices": prices}})
        for wrong in (prices | {"other_ns": 1}, prices | {"memory_ns_0_8": 1},
                      prices | {"l1_ns": -1}, prices | {"l1_ns": "1"},
                      {key: value for key, value in prices.items() if key != "l1_ns"}):
            self.assertTrue(about(wrong))


class Marked(unittest.TestCase):
    """In the guest of the machine, a variable describes it."""

    ABOUT = json.dumps(ABOUT)
    RECORDS = '{"record":"machine","clock_cost_ns":9.000}\n{"record":"request"}\n'

    def test_the_first_record_is_marked(self):
        with mock.patch.dict(os.environ, MEMCACHE_SIMULATED=self.ABOUT):
            found = mark.with_mark(self.RECORDS)
        first, second = found.splitlines()
        self.assertEqual(json.loads(first)["simulated"], json.loads(self.ABOUT))
        self.assertIn('"clock_cost_ns":9.000,', first)
        self.assertEqual(second, '{"record":"request"}')
        self.assertEqual(mark.with_mark(self.RECORDS), self.RECORDS)

    def test_what_reads_the_files_and_the_program_marks(self):
        with mock.patch.dict(os.environ, MEMCACHE_SIMULATED=self.ABOUT):
            files = Debugfs()
            with mock.patch.object(Debugfs, "_read", return_value=self.RECORDS.splitlines()[0]):
                self.assertEqual(files.machine()["simulated"]["qemu"], "10.0")
            with mock.patch.object(Debugfs, "_read", return_value=self.RECORDS), \
                    mock.patch.object(Debugfs, "_write", return_value=0):
                self.assertIn('"simulated":', files.run("bandwidth").records)
            with mock.patch("subprocess.Popen") as program:
                program.return_value.communicate.return_value = (self.RECORDS, "")
                program.return_value.returncode = 0
                self.assertIn('"simulated":', User("x").run("bandwidth").records)

    def test_named(self):
        for about, name in ((ABOUT, "QEMU 10.0"),
                            ({"bochs": "2.7", "prices": PRICES}, "Bochs 2.7")):
            self.assertEqual(price_list.simulation({"simulated": about})["emulator"], name)
