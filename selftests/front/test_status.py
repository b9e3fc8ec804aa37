# SPDX-License-Identifier: GPL-2.0-only
"""The exit status of every command, as a shell sees it, and the one table of them."""

import os
import signal
import subprocess
import time
from pathlib import Path

import fake
from mc import status
from mc.commands import cli

USER = """#!/bin/sh
[ "$1" = --tests ] && exec cat tests
cat machine records
case $3 in *repeat=71*) touch begun; sleep 600 & trap 'kill $!; exit 143' TERM; wait ;; esac
"""


def record(**more):
    return fake.result("bandwidth", 9000.0, where="user", **more)


class Table(fake.unittest.TestCase):
    def test_every_command_says_what_its_1_means(self):
        self.assertEqual(set(status.PARTS), set(cli.COMMANDS))

    def test_so_has_every_help(self):
        for command in ["", *cli.COMMANDS]:
            shown = fake.front(*command.split(), "--help", COLUMNS="80")
            self.assertEqual((shown.returncode, shown.stderr), (0, ""))
            self.assertTrue(shown.stdout.endswith(status.text(command) + "\n"), shown)
            self.assertLessEqual(max(map(len, shown.stdout.splitlines())), 80)


class Commands(fake.InDirectory):
    """Every command in every case that its number tells."""

    def setUp(self):
        super().setUp()
        machine = fake.machine() | {"where": "user"}
        one = fake.request("bandwidth", 1, where="user")
        for name, found in (("good", [machine, one, record()]),
                            ("again", [machine, one, record()]),
                            ("other", [machine, one, record(op="write")]),
                            ("none", [machine, one | {"records": 0}]), ("bad", [one]),
                            ("machine", [machine]), ("records", [one, record()])):
            fake.save(name, *found)
        self.write("tests", fake.described_tests().encode())
        fake.program("user", USER)
        self.settings = {"MEMCACHE_DEBUGFS": "nowhere", "MEMCACHE_USER": "./user"}

    def memcache(self, words, **more):
        return fake.front(*words.split(), **self.settings | more)

    def ends(self, wanted, *commands):
        for words in commands:
            done = self.memcache(words)
            with self.subTest(words):
                self.assertEqual(done.returncode, wanted, done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assertTrue(done.stdout or done.stderr)

    def test_0_all_was_done(self):
        self.ends(0, "", "--help", "run --where user bandwidth size=4K", "show good again",
                  "run --dry-run bandwidth size=4K", "suites", "suites c2c",
                  "export --format csv good", "compare good again")

    def test_1_a_part_was_not(self):
        self.ends(1, "run", "run --where kernel bandwidth", "run bandwidth type=uc",
                  "run --where user bandwidth irq=on,off",
                  "run --where user bandwidth type=uc", "doctor", "counters",
                  "compare good other", "export --format csv none", "plot good")

    def test_2_the_command_is_wrong(self):
        self.ends(2, "nosuch", "run nosuch", "run bandwidthh size=4K", "run bandwidth sizze=4K",
                  "run --where user bandwidth op=reead", "run --dry-run bandwidth op=reead",
                  "run --dry-run nosuch", "run --where user -o good bandwidth", "run --fast x",
                  "show", "show nosuch", "show bad", "compare", "compare nosuch good",
                  "compare good", "compare good good", "plot nosuch", "plot good -o x.doc",
                  "report nosuch", "export good", "export --format csv nosuch",
                  "export --format nosuch good", "import", "import pcm nosuch", "doctor x",
                  "counters --nosuch", "suites nosuch")

    def test_130_and_143_stopped(self):
        for signum, wanted in (signal.SIGINT, 130), (signal.SIGTERM, 143):
            run = subprocess.Popen([fake.FRONT, *"run --where user -o".split(), f"{wanted}",
                                    "bandwidth repeat=71"], env=os.environ | self.settings,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            while not Path("begun").exists() and run.poll() is None:
                time.sleep(0.01)
            run.send_signal(signum)
            said = run.communicate()[1]
            os.unlink("begun")
            self.assertEqual(run.returncode, wanted, said)
            self.assertIn("stopped; results kept: 1", said)
            self.assertTrue(Path(str(wanted)).exists())
