# SPDX-License-Identifier: GPL-2.0-only
"""Measuring in user space and on both sides, by a memcache-user made up here."""

import contextlib
import errno
import io
import os
import pty
import re
import signal
import subprocess
import threading
import time
from pathlib import Path
from unittest import mock

import fake
from mc import Failure
from mc.commands import cli
from mc.output import report
from mc.records import results, rounds, suite
from mc.running import fit, user

MACHINE = fake.lines(fake.machine() | {"where": "user"})[0].decode()
PROGRAM = """#!/bin/bash
[ "$1" = --tests ] && { echo 'bandwidth: x'; exit; }
[ "$1" = --machine ] && { cat machine; exit; }
echo "$3" >>asked
cat machine
case $3 in
*size=3*) echo 'memcache-user: Invalid argument: size: no' >&2; exit 1 ;;
*crash*) kill -SEGV $$ ;;
*wait*)
    trap 'cat records
          echo "memcache-user: Interrupted system call: run: stopped" >&2; exit 130' TERM
    touch begun; while :; do sleep 0.02; done ;;
esac
cat records
"""


class InUserSpace(fake.Measured):
    def setUp(self):
        super().setUp()
        fake.program("program", PROGRAM)
        Path("machine").write_text(MACHINE)
        record = fake.result("bandwidth", 8000.0) | {"where": "user", "attribute": None}
        fake.save("records", fake.request("bandwidth", 1, where="user"), record)
        self.user = user.User("./program")
        self.kernel = fake.Kernel()

    def run_(self, *words, where="user", **more):
        return super().run_(*words, where=where, kernel=self.kernel, users=[self.user], **more)

    def asked(self):
        return Path("asked").read_text().splitlines()

    def test_user(self):
        self.assertEqual(self.run_("bandwidth"), 0)
        self.assertEqual((self.kernel.asked, self.asked()), ([], ["bandwidth"]))
        [run] = results.load("out")
        self.assertEqual((run.where, run.results[0]["mb_per_s"]), ("user", 8000.0))
        self.assertIn("bandwidth, in user space\n", self.out.getvalue())
        self.assertIn("[1/1] bandwidth (user)\n", self.err.getvalue())

    def test_files_of_ones_own_are_named_by_variables(self):
        Path("program").write_text('#!/bin/sh\nprintf "%s\\n" "$@" >words\ncat machine records\n')
        for more, wanted in (
                ({}, []), ({"MEMCACHE_LOOP": "a b.so"}, ["--loop", "a b.so"]),
                ({"MEMCACHE_MEMORY": "m.so,wc"}, ["--memory", "m.so,wc"])):
            with mock.patch.dict(os.environ, more):
                self.user.run("bandwidth op=own")
            self.assertEqual(Path("words").read_text().splitlines(),
                             ["-j", *wanted, "--", "bandwidth op=own"])

    def test_kernel_is_what_a_request_line_is_for(self):
        self.assertEqual(self.run_("bandwidth", where=None), 0)
        self.assertEqual(self.kernel.asked, ["bandwidth"])
        self.assertFalse(os.path.exists("asked"))

    def test_both_by_turns(self):
        self.assertEqual(self.run_("bandwidth size=4K", "bandwidth size=8K", where="both"), 0)
        runs = results.load("out")
        self.assertEqual([run.where for run in runs], ["kernel", "user"] * 2)
        self.assertEqual(self.asked(), ["bandwidth size=4K", "bandwidth size=8K"])
        self.assertEqual("\n".join(report.lines(runs)) + "\n\nResults: out\n", self.out.getvalue())

    def test_rounds_alternate(self):
        self.assertEqual(self.run_("bandwidth size=4K", "bandwidth irq=off", where="both",
                                   both=3), 1)
        runs = results.load("out")
        self.assertEqual([(run.where, run.request.get("round")) for run in runs], [
            ("kernel", 1), ("user", 1), ("kernel", None), ("user", 2), ("kernel", 2),
            ("kernel", 3), ("user", 3)])
        shown = rounds.load("out")
        self.assertEqual([run.where for run in shown], ["kernel", "user", "kernel"])
        self.assertEqual([rounds.count(run.results[0]) for run in shown], [3, 3, 1])
        self.assertEqual("\n".join(report.lines(runs)) + "\n\nResults: out\n",
                         self.out.getvalue())
        self.assertIn("Measured in 3 rounds; the tables show the",
                          fake.one_line(report.lines(runs, wide=True)))

    def test_rounds_by_default(self):
        for words, wanted in ((["--where", "both"], (0, 3)),
                              (["--where", "both", "--rounds", "5"], (5, 3)),
                              ([], (0, 0)), (["--rounds", "2"], (2, 0))):
            with mock.patch("mc.commands.run.measure") as command:
                cli.main(["run", "bandwidth", *words])
            more = command.call_args.kwargs
            self.assertEqual((more["rounds"], more["both"]), wanted)
        for wrong in ("0", "-1", "x", "1001", ""):
            with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit):
                cli.main(["run", "bandwidth", "--rounds", wrong])

    def test_rounds_of_one_side(self):
        """Each round measures all requests before the next one begins."""
        lines = ["bandwidth size=4K", "bandwidth size=8K"]
        self.assertEqual(self.run_(*lines, where="user", rounds=3), 0)
        self.assertEqual(self.asked(), lines * 3)
        self.assertEqual([run.request["round"] for run in results.load("out")], [1, 1, 2, 2, 3, 3])

    def test_rounds_of_a_suite(self):
        self.write("s", b"@where both\n@rounds 2\nbandwidth size=4K\n")
        self.assertEqual(self.run_("./s", where=None), 0)
        self.assertEqual([run.where for run in results.load("out")],
                         ["kernel", "user", "user", "kernel"])

    def test_what_is_for_the_kernel_only(self):
        self.assertEqual(self.run_("bandwidth irq=off", "bandwidth irq=on,off", where="both"), 1)
        self.assertEqual(self.asked(), ["bandwidth irq=on"])
        self.assertEqual(len(self.kernel.asked), 2)
        self.assertIn("memcache: bandwidth irq=off: skipped in user space: irq=off is for the "
                      "kernel only\nmemcache: bandwidth irq=on,off: in part left out in user "
                      "space: irq=off is for the kernel only\n", self.err.getvalue())

    def test_nothing_left(self):
        fake.refused(self, "nothing is left to measure", self.run_, "bandwidth irq=off", status=1)
        self.assertFalse(os.path.exists("out"))

    def test_a_test_of_one_side(self):
        self.kernel.files["tests"] += "file: x\n"
        self.assertEqual(self.run_("file size=4K", "bandwidth", where="both"), 1)
        self.assertIn("file size=4K: skipped in user space: no test file there",
                      self.err.getvalue())

    def test_an_error(self):
        self.assertEqual(self.run_("bandwidth size=3", "bandwidth"), 2)
        self.assertIn("memcache: bandwidth size=3 (user): EINVAL: size: no\n", self.err.getvalue())
        self.assertEqual(len(results.load("out")), 1)

    def test_a_request_without_any_figure_has_failed(self):
        """It has not if some of its results have figures, and the others have none."""
        bad = {"where": "user", "attribute": None, "samples": 0, "left_out": 3,
               "left_out_why": "no_overlap", "mb_per_s": None, "median_ns": None}
        good = {"where": "user", "attribute": None}
        for kinds, status in ((bad, good), 0), ((bad, bad), 1), ((good, good), 0):
            fake.save("records", fake.request("bandwidth op=read,write", 2, where="user"), *(
                fake.result(f"bandwidth op={op}", 8000.0) | kind
                for op, kind in zip(("read", "write"), kinds)))
            self.assertEqual(self.run_("bandwidth op=read,write"), status)
            said = self.err.getvalue()
            self.assertEqual("no figure: the threads did not" in said, bad in kinds, said)
            self.assertEqual("op=read,write: it gave no figure at all" in said, bool(status), said)
            os.unlink("out")

    def test_a_crash(self):
        self.assertEqual(self.run_("bandwidth crash=1"), 1)
        self.assertIn("EIO: ended by signal 11", self.err.getvalue())
        self.assertFalse(os.path.exists("out"))

    def test_ctrl_c_keeps_what_was_measured(self):
        threading.Thread(target=self.stop_when_begun, daemon=True).start()
        self.assertEqual(self.run_("bandwidth", "bandwidth wait=1", "bandwidth"), 130)
        self.assertEqual(len(self.asked()), 2)
        self.assertEqual(len(results.load("out")), 2)
        self.assertIn("stopped; results kept: 2; with --continue out,", self.err.getvalue())

    @staticmethod
    def stop_when_begun():
        while not os.path.exists("begun"):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    def test_a_signal_before_there_is_a_child(self):
        self.user.interrupt()
        self.assertEqual(self.user.run("bandwidth wait=1").error, errno.EINTR)

    def test_not_built(self):
        with mock.patch("mc.running.user.find", return_value=None):
            self.user = user.User()
        for where in ("user", "both"):
            with self.assertRaisesRegex(Failure, "no memcache-user: make user .*--where k"):
                self.run_("bandwidth size=4K", where=where)
        self.assertEqual(self.kernel.asked, [])
        self.assertFalse(os.path.exists("out"))

    def test_where_it_is_found(self):
        with mock.patch.dict(os.environ, MEMCACHE_USER="./program"):
            self.assertEqual(user.find(), "./program")
        with mock.patch.dict(os.environ, MEMCACHE_USER="./none"):
            self.assertIsNone(user.find())

    def test_without_a_module_the_way_out_is_named(self):
        for way_out, *words in (
                (True, "run", "bandwidth size=4K type=wb,uc"), (False, "bandwidth", "irq=off"),
                (True, "bandwidth", "size=4K", "--where", "kernel"), (True, "cache-attributes"),
                (True, "run", "bandwidth size=4K", "mmio target=00:05.0/0"),
                (False, "latency", "type=uc"), (False, "bandwidth", "op=memset"),
                (False, "mmio", "op=burst", "store=memcpy_toio"),
                (True, "bandwidth", "op=memset,read")):
            done = self.without_module(*words)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn("the module is not loaded", done.stderr)
            self.assertEqual(way_out, "without it: --where user" in done.stderr, words)

    def without_module(self, *words):
        return fake.front(*words, "-o", "out.jsonl", MEMCACHE_DEBUGFS="none")

    def test_without_a_module_what_a_process_can_do_is_measured_and_said(self):
        for words in (["latency", "size=4K", "repeat=1"], ["triad", "8K", "repeat=1"]):
            done = self.without_module(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("memcache: in user space, without the module (", done.stderr)
            self.assertNotIn("--where user", done.stderr)
            self.assertEqual(results.load("out.jsonl")[0].request["where"], "user")
            os.unlink("out.jsonl")

    def test_the_overview_says_from_its_start_how_long_it_takes(self):
        leader, follower = pty.openpty()
        with open(leader, "rb", buffering=0) as terminal, \
                subprocess.Popen([user.find(), "--own"], stderr=follower, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL) as overview:
            said = b""
            while said.count(b"left") < 3:
                said += terminal.read(4096)
            overview.kill()
            os.close(follower)
        for minutes in re.findall(rb", (\d+):\d\d left", said):
            self.assertLess(int(minutes), 60, said)

    def test_the_engine_counts_records(self):
        for lines, wanted in ((["bandwidth size=4K,8K", "latency cpu=0 size=4K..64K"], [2, 5]),
                              (["ramp steps=8 cpu=0 idle=0"], [9]),
                              (["latency irq=off type=uc cpu=0 size=4K"], [1]),
                              (["scan region=64M size=64M cpu=0"], [1]),
                              (["scan region=64M size=256M op=read,write cpu=0"], [8]),
                              (["nosuch"], None), ([], None)):
            self.assertEqual(user.count_records(lines), wanted, lines)


class Fitting(fake.unittest.TestCase):
    def test_lines(self):
        with mock.patch("os.access", return_value=False):
            for line, where, wanted in (
                    ("bandwidth irq=on", "user", "bandwidth irq=on"),
                    ("bandwidth type=wb,uc,wc op=read", "user", "bandwidth type=wb op=read"),
                    ("bandwidth type=uc", "user", None), ("bandwidth fence=uc", "user", None),
                    ("bandwidth type=uc", "kernel", "bandwidth type=uc"),
                    ("bandwidth page=4k,2m", "kernel", "bandwidth page=4k"),
                    ("bandwidth page=direct", "user", None), ("bandwidth", "user", "bandwidth"),
                    ("bandwidth size= x", "user", "bandwidth size= x")):
                self.assertEqual(fit.fit(line, where)[0], wanted, line)

    def test_a_machine_with_write_back_only(self):
        for line, wanted in (("bandwidth type=wb,uc,wc", "bandwidth type=wb"),
                             ("bandwidth type=uc", None), ("bandwidth fence=uc", None),
                             ("bandwidth fence=none,uc", "bandwidth fence=none")):
            self.assertEqual(fit.fit(line, "kernel", wb_only=True)[0], wanted, line)
        self.assertFalse(fake.Kernel().has_wb_only())
        self.assertTrue(fake.Kernel({"page_table_levels": None}).has_wb_only())

    def test_a_target_needs_no_device_of_the_module(self):
        line = "mmio target=pci:0000:00:05.0/2 type=uc,wc"
        self.assertEqual(fit.fit(line, "user", has_device=lambda _: False), (line, ""))
        line = "mmio target=ram type=uc,wc"
        self.assertIsNone(fit.fit(line, "user", has_device=lambda _: False)[0])

    def test_devices(self):
        with mock.patch("os.access", return_value=True):
            self.assertEqual(fit.fit("bandwidth type=uc fence=uc", "user"),
                             ("bandwidth type=uc fence=uc", ""))


class Suites(fake.unittest.TestCase):
    def test_os_overhead(self):
        for name in ("os-overhead", "os-overhead-quick"):
            found, _ = suite.load(name).requests_for(fake.shape(cpus=2))
            lines = [request.line for request in found]
            self.assertEqual(len(lines), 12)
            for cpu in ("cpu=0", "cpu=1", "cpu=any"):
                self.assertEqual(sum(cpu in line.split() for line in lines), 4)
            self.assertTrue(all("irq=on,off" in line for line in lines))
