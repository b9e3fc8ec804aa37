# SPDX-License-Identifier: GPL-2.0-only
"""The program as a person starts it, against plain files in place of debugfs."""

import os
import pty
import re
import signal
import subprocess
from pathlib import Path
from unittest import mock

import fake
from mc import Failure, out_of, plural
from mc.commands import cli
from mc.records import results, suite, tests
from mc.running import debugfs
from mc.running import module as loading

GOOD = fake.jsonl(fake.machine(), fake.request("bandwidth", 1), fake.result("bandwidth", 9000.0))


class Counts(fake.unittest.TestCase):
    def test_one_is_no_plural(self):
        self.assertEqual([plural(count, "sample") for count in (0, 1, 2)],
                         ["0 samples", "1 sample", "2 samples"])
        self.assertEqual([out_of(1, total, "result") for total in (1, 5)],
                         ["1 of 1 result", "1 of 5 results"])


class Program(fake.InDirectory):
    def memcache(self, *words, **settings):
        return fake.front(*words, **{"MEMCACHE_DEBUGFS": "debugfs"} | settings)

    def module(self, run=""):
        os.mkdir("debugfs")
        for name, content in (("run", run), ("progress", "idle\n"),
                              ("tests", "bandwidth: x\n"), ("results.jsonl", GOOD.decode())):
            Path("debugfs", name).write_text(content)

    def fails(self, done, status, *said):
        self.assertEqual(done.returncode, status, done.stderr)
        for text in said:
            self.assertIn(text, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_run(self):
        self.module()
        done = self.memcache("run", "bandwidth size=4K", "-o", "out")
        self.assertEqual((done.returncode, done.stderr), (0, "memcache: [1/1] bandwidth size=4K\n"))
        self.assertEqual(Path("debugfs/run").read_text(), "bandwidth size=4K\n")
        self.assertIn("9000.0", done.stdout)
        self.assertEqual(self.memcache("show", "out").stdout,
                         done.stdout.removesuffix("\nResults: out\n"))

    def test_an_error_of_a_kernel_file(self):
        self.module()
        os.unlink("debugfs/run")
        os.symlink("/proc/self/oom_score_adj", "debugfs/run")   # EINVAL to such a line
        self.fails(self.memcache("run", "bandwidth size=4K"), 2,
                   "memcache: bandwidth size=4K: EINVAL: Invalid argument\n")

    def test_no_module(self):
        done = self.memcache("run", "cache-attributes")
        self.fails(done, 1, "memcache: no debugfs: the module is not loaded: "
                            f"{loading.how_to_load()}; without it: --where user\n")
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertFalse(os.path.exists("results"))

    def test_words_that_are_refused(self):
        """Suites, options, words, commands, a directory in place of results."""
        for words, *said in (
                ("run cache-atributes", "no suite cache-atributes ",
                 " Did you mean cache-attributes? ", "  cache-attributes "),
                ("run mlc-quik", " Did you mean mlc-quick? "),
                ("run ./nosuch", "no suite ./nosuch: there is no such file"),
                ("show", "usage: memcache show"),
                ("run --quik x", "memcache: run: no option --quik. Did you mean --qui"),
                ("doctor --fast", "memcache: doctor: no option --fast. `memcache doctor -"),
                ("doctor x", "memcache: doctor takes no word x. `memcache doctor --help`"),
                ("measure", "memcache: no command measure. There are:\n  run "),
                ("rapport x", "memcache: no command rapport. Did you mean report? There are:\n"
                 "  run "),
                ("xyzzy x", "memcache: no command xyzzy. There are:\n  run "),
                ("--quik x", "memcache: no option --quik. Did you mean --quick? `"),
                ("--fast x", "memcache: no option --fast. `memcache run --help` "),
                ("UC x", "memcache: no command UC. Did you mean bandwidth type=uc? "),
                ("thp x", "memcache: no command thp. Did you mean bandwidth page=thp? "),
                ("auto x", "memcache: no command auto. There are"),
                ("--list x", "memcache: no option --list. Did you mean list? `"),
                ("lmbench x", "memcache: no command lmbench. `memcache import lmbench "),
                (" x", "memcache: no command . There are:\n  run "),
                *((f"{command} ./", "such as ./*.jsonl")
                  for command in ("show", "compare", "report", "export --format csv"))):
            with self.subTest(words):
                done = self.memcache(*words.split(" "))
                self.fails(done, 2, *said)
                self.assertLess(max(map(len, done.stderr.splitlines())), 100)

    def test_what_is_in_a_suite(self):
        shown = self.memcache("suites", "c2c").stdout
        self.assertTrue(shown.startswith("Cache to cache\n\nCache to cache, by what"))
        self.assertIn("(needs 2 nodes)", " ".join(shown.split()))
        self.assertIn("\n  c2c cpu={cpus} state=hitm,hit ", shown)
        self.fails(self.memcache("suites", "mcl"), 2,
                   "memcache: no suite mcl. Did you mean mlc? There are:\n  amplification ")

    def test_a_dry_run_needs_no_module(self):
        done = self.memcache("run", "--dry-run", "latency-matrix")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"# latency-matrix: 1 request in 3 rounds, \d+ records, "
                                      r"about .*\n# in 3 rounds; this is one\n"
                                      r"latency pattern=random cpu=\d\S* node=\d\S* size=\d+[MG] ")
        self.assertFalse(os.path.exists("results"))

    def test_a_run_of_nothing_is_the_usual_suite(self):
        done = self.memcache("run", "--dry-run")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout, self.memcache("run", "--dry-run", "cache-attributes").stdout)

    def test_suites(self):
        self.assertRegex(self.memcache("suites").stdout,
                         r"cache-attributes +\d+ s +Access speed by memory type "
                         r"\(--quick: \d+ s\)\n")

    def test_alone_it_measures_this_machine_and_says_what_else_there_is(self):
        fake.program("user", "#!/bin/sh\n[ $1 = --save ] && echo 'GB/s  L1' && exit ${STATUS:-0}\n")
        done = self.memcache(MEMCACHE_USER="./user")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("GB/s  L1\nMore: memcache run "), done.stdout)
        self.assertLessEqual(len(done.stdout.splitlines()), 3)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        commands = re.findall(r"memcache (\w+)", done.stdout)
        self.assertLessEqual({"run", "doctor", "list", "help"}, {*commands})
        self.assertLessEqual({*commands}, {*cli.COMMANDS, *cli.WORDS})
        failed = self.memcache(MEMCACHE_USER="./user", STATUS="1")
        self.assertEqual((failed.returncode, failed.stdout), (1, "GB/s  L1\n"))

    def test_words_that_a_person_tries(self):
        for words, same in ((("help",), ("--help",)), (("version",), ("--version",)),
                            (("-V",), ("--version",)), (("help", "run"), ("run", "--help")),
                            (("is", "this", "normal?", "i7-7700"), ("reference", "i7-7700")),
                            (("Is_it-normal",), ("reference",)), (("normal",), ("reference",)),
                            (("mlc", "-h"), ("run", "-h")), (("Help",), ("help",)),
                            (("Suites", "c2c"), ("suites", "c2c")), (("tests",), ("list",))):
            self.assertEqual(self.memcache(*words).stdout, self.memcache(*same).stdout)
        for words in (["help", "latency"], ["latency", "--help"]):
            self.assertIn("\n  stride=64 ", self.memcache(*words).stdout)
            self.assertIn("usage: memcache run", self.memcache(*words, MEMCACHE_USER="no").stdout)
        listed = self.memcache("list").stdout
        for word in (*suite.names_offered(), *tests.TESTS):
            self.assertRegex(listed, rf"(?m)^{word} ")

    def test_without_memcache_user_it_says_what_it_can_do(self):
        done = self.memcache(MEMCACHE_USER="./none")
        self.fails(done, 0, "memcache-user is not there")
        self.assertEqual(done.stdout, self.memcache("--help").stdout)
        for word in cli.COMMANDS:
            self.assertRegex(done.stdout, rf"\n    {word} ")

    def test_show_of_a_bad_file_shows_nothing(self):
        self.write("good", GOOD)
        self.write("bad", GOOD[:-5])
        done = self.memcache("show", "good", "bad")
        self.fails(done, 2, "memcache: bad:3: cut short")
        self.assertEqual(done.stdout, "")

    def test_after_a_full_disk_the_complete_lines_are_shown(self):
        self.write("full", GOOD + GOOD[:-5])
        done = self.memcache("show", "full")
        self.fails(done, 0, "memcache: full:6: cut short in the middle of a line; the complete "
                            "lines are used: 1 result\n")
        self.assertIn("9000.0", done.stdout)
        with open("full", "rb") as file:        # the same through a pipe
            same = subprocess.run([fake.FRONT, "show", "-"], stdin=file, capture_output=True,
                                  text=True)
        self.fails(same, 0, "memcache: -:6: cut short")
        self.assertEqual(same.stdout, done.stdout)

    def test_a_dash_is_standard_output(self):
        self.module()
        done = self.memcache("run", "bandwidth size=4K", "-o", "-")
        self.fails(done, 0)
        self.assertEqual(os.listdir(), ["debugfs"])
        [run] = results.parse(done.stdout.encode().splitlines(keepends=True), "stdout")
        self.assertEqual(run.results[0]["mb_per_s"], 9000.0)
        shown = subprocess.run([fake.FRONT, "show", "-"], input=done.stdout, capture_output=True,
                               text=True)
        self.fails(shown, 0)
        self.assertIn("9000.0", shown.stdout)
        for words, begins in (("export --format csv -", "machine_kernel,"),
                              ("export --format csv - -o -", "machine_kernel,"),
                              ("report - -o -", "<!DOCTYPE html>"),
                              ("report -", "<!DOCTYPE html>")):
            made = subprocess.run([fake.FRONT, *words.split()], input=done.stdout,
                                  capture_output=True, text=True)
            self.fails(made, 0)
            self.assertTrue(made.stdout.startswith(begins), made.stdout[:100])
        self.assertEqual(os.listdir(), ["debugfs"])

    def test_records_on_standard_output(self):
        self.module()
        full = subprocess.run(f"{fake.FRONT} run bandwidth -o - >/dev/full", shell=True, text=True,
                              env=os.environ | {"MEMCACHE_DEBUGFS": "debugfs"}, capture_output=True)
        self.fails(full, 1, "memcache: stdout: No space left on device\n")
        done = self.memcache("run", "--json", "bandwidth size=4K", "-o", "out")
        self.fails(done, 0, "memcache: results: out\n")
        self.assertEqual(done.stdout, Path("out").read_text())
        self.write("cut", GOOD + GOOD[:-5])
        shown = self.memcache("show", "--json", "out", "cut")
        self.fails(shown, 0, "memcache: cut:6: cut short")
        runs = results.parse(shown.stdout.encode().splitlines(keepends=True), "stdout")
        self.assertEqual([len(run.results) for run in runs], [1, 1, 0])
        self.assertEqual(runs[0], results.load("out")[0])

    def test_rates_in_other_units(self):
        self.write("good", GOOD)
        for unit, heading, number in (
                ("MB/s", "mb_per_s", "9000.0"), ("GB/s", "gb_per_s", "9.000"),
                ("MiB/s", "mib_per_s", "8583.1"), ("GiB/s", "gib_per_s", "8.382")):
            done = self.memcache("show", "--units", unit, "good")
            self.fails(done, 0)
            self.assertRegex(done.stdout, rf"(?m)^.*\b{heading}\b.*\n(.* )?{number}\b")
        self.module()
        done = self.memcache("run", "--units", "GiB/s", "bandwidth", "-o", "out")
        self.assertRegex(done.stdout, r"(?m)^8\.382 ")
        self.assertEqual(results.load("out")[0].results[0]["mb_per_s"], 9000.0)
        for command in "run", "show", "compare", "plot", "report":
            self.fails(self.memcache(command, "--units", "mph", "good"), 2, "invalid choice: 'mph'")
        self.write("other", GOOD)
        for words, cell in (("", "9000.0 MB/s +9000.0 MB/s"),
                            ("--units GiB/s", "8.382 GiB/s +8.382 GiB/s")):
            done = self.memcache("compare", *words.split(), "good", "other")
            self.assertRegex(done.stdout, rf"(?m)^\S+ +{cell} +1\.00x")
        done = self.memcache("report", "--units", "GiB/s", "-o", "-", "good", "other")
        self.fails(done, 0)
        page = done.stdout
        for text in ">GiB/s<", "8.382 GiB/s", "GiB/s is 2^30 bytes of payload a second":
            self.assertTrue(text in page, text)
        for text in "mb_per_s", "MB/s":
            self.assertFalse(text in page, text)

    def test_what_takes_no_output(self):
        self.write("good", GOOD)
        for words, status in {"show good": 1, "suites": 1, "--help": 1, "compare -h": 1, "list": 1,
                              "check good --baseline good": 125, "fleet good": 125}.items():
            for where, why in (">/dev/full", "No space left on device"), (">&-", "Bad file descri"):
                done = subprocess.run(f"{fake.FRONT} {words} {where}", shell=True,
                                      capture_output=True, text=True)
                with self.subTest(words + where):
                    self.fails(done, status, f"memcache: stdout: {why}")
                    self.assertEqual(done.stderr.count("\n"), 1)
        for where in "2>&-", "2>/dev/full":
            done = subprocess.run(f"env -u PYTHONUNBUFFERED {fake.FRONT} show nosuch {where}",
                                  shell=True, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", ""))

    def test_ctrl_c_at_any_moment(self):
        """Also while Python still imports modules."""
        self.write("good", GOOD)
        for module in ("argparse", "json"):
            self.write(f"{module}.py", b"import os, signal\n"
                                       b"os.kill(os.getpid(), signal.SIGINT)\n")
            # What a shell without a terminal starts in the background ignores SIGINT.
            done = subprocess.run(["env", "--default-signal=INT", fake.FRONT, "show", "good"],
                                  capture_output=True, text=True,
                                  env=os.environ | {"PYTHONPATH": os.getcwd()})
            os.unlink(f"{module}.py")
            self.assertIn(done.returncode, (-signal.SIGINT, 130), done.stderr)
            self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_show_of_several_names_them(self):
        self.write("one", GOOD)
        self.write("two", GOOD)
        self.assertEqual([line for line in self.memcache("show", "one", "two").stdout.splitlines()
                          if line.startswith("===")], ["=== one", "=== two"])

    def test_a_file_cannot_drive_the_terminal(self):
        self.write("bad", GOOD.replace(b"Intel(R)", b"\\u001b[2J\\n\\u009b"))
        self.assertTrue(self.memcache("show", "bad").stdout.replace("\n", "").isprintable())

    def test_nor_can_an_error_in_it(self):
        for number, content in enumerate((
                GOOD.replace(b'"test":"bandwidth"', b'"test":"\\u001b[2Jx"', 1),
                GOOD.replace(b'"record":"machine"', b'"record":"\\u009b2J"'),
                GOOD.replace(b'"schema":1', b'"schema":"\\u001b[2J"'),
                b"\x1b[2J\n")):
            self.write(f"bad\033{number}", content)
            done = self.memcache("show", f"bad\033{number}")
            self.fails(done, 2, "memcache: bad?")
            self.assertTrue(done.stderr.replace("\n", "").isprintable(), done.stderr)

    def test_any_locale_will_do(self):
        self.write("good", GOOD.replace(b"Intel(R)", "Æ".encode()))
        done = subprocess.run([fake.FRONT, "show", "good"], capture_output=True, text=True,
                              env=os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0",
                                                "PYTHONCOERCECLOCALE": "0"})
        self.fails(done, 0)

    def test_a_reader_that_leaves(self):
        self.write("good", GOOD)
        done = subprocess.run(f"{fake.FRONT} show good good good | head -n 1; "
                              "exit ${PIPESTATUS[0]}", shell=True, executable="/bin/bash",
                              capture_output=True, text=True)
        self.fails(done, 0)
        self.assertEqual(done.stderr, "")

    def test_progress_on_a_terminal(self):
        self.module()
        Path("debugfs/progress").write_text("running 3/4 elapsed_s=1 eta_s=2\n")
        leader, follower = pty.openpty()
        with open(leader, "rb", buffering=0) as terminal:
            done = subprocess.run([fake.FRONT, "run", "bandwidth size=4K"], stderr=follower,
                                  env=os.environ | {"MEMCACHE_DEBUGFS": "debugfs"},
                                  stdout=subprocess.DEVNULL)
            os.close(follower)
            shown = terminal.read(4096)
        self.assertEqual(done.returncode, 0)
        self.assertTrue(shown.endswith(b"\r\033[K"), shown)     # nothing is left of it


class Reasons(fake.unittest.TestCase):
    """Why there is no module to talk to."""

    def reason(self, error, uid=0, mounted=True, offered=True, modules=True):
        with mock.patch("os.geteuid", return_value=uid), \
             mock.patch("mc.running.module.takes_modules", return_value=modules), \
             mock.patch("os.path.ismount", return_value=mounted), \
             mock.patch("mc.running.debugfs.has_debugfs", return_value=offered), \
             mock.patch("pathlib.Path.exists", side_effect=error), \
             self.assertRaises(Failure) as raised:
            debugfs.Debugfs(debugfs.STANDARD).check()
        self.assertEqual(raised.exception.status, 1)
        return str(raised.exception)

    def test_each(self):
        denied, absent = PermissionError(13, "Permission denied"), FileNotFoundError(2, "")
        self.assertIn("for root only: run this with sudo", self.reason(denied, uid=1000))
        self.assertIn("mount -t debugfs debugfs /sys/kernel/debug",
                      self.reason(absent, mounted=False))
        self.assertIn("booted with debugfs=off; without it: --where user",
                      self.reason(absent, mounted=False, offered=False))
        self.assertIn("the module is not loaded: make load", self.reason(absent))
        self.assertEqual(self.reason(absent, mounted=False, modules=False),
                         "this kernel takes no modules: boot one that has CONFIG_MODULES=y, or use "
                         "a guest: make run; without it: --where user")
        self.assertIn("not mounted: sudo mount", self.reason(absent, uid=1000, mounted=False))
        self.assertIn("not loaded: sudo make load; ", self.reason(absent, uid=1000))

    def test_root_that_is_not_let_in(self):
        refused = PermissionError(1, "Operation not permitted")
        for text, said in (("none [integrity] confidentiality\n",
                            "the kernel is locked down (integrity) and takes no request; "
                            "without it: --where user"),
                           ("none integrity [confidentiality]\n", "(confidentiality)"),
                           ("[none] integrity confidentiality\n",
                            "not permitted: root has no CAP_SYS_ADMIN here")):
            with mock.patch("pathlib.Path.read_text", return_value=text):
                self.assertIn(said, self.reason(refused))
        with mock.patch("pathlib.Path.read_text", side_effect=FileNotFoundError(2, "")):
            self.assertIn("locked down, or root has no CAP_SYS_ADMIN", self.reason(refused))
