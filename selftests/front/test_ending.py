# SPDX-License-Identifier: GPL-2.0-only
"""Benchmarks that a signal ends: SIGTERM and SIGHUP are like Ctrl-C."""

import io
import os
import signal
import subprocess
import sys
import unittest
from contextlib import redirect_stderr, redirect_stdout
from unittest import mock

import fake

BENCH = fake.TOP / "tools/bench"
sys.path.insert(0, str(BENCH))
import ending  # noqa: E402

peers = fake.load_script("peers", BENCH / "peers")
# A benchmark with a file of its own, which says when a signal may come.
PROGRAM = """
import ending, sys, tempfile, time
def main():
    with tempfile.TemporaryDirectory() as folder:
        try:
            print(folder, flush=True)
            time.sleep(600)
        except ending.Ended as ended:
            time.sleep(0.05)
            print("the table", flush=True)
            if sys.argv[1:]:
                return ended.status
            raise
ending.run(main)
"""


class Signals(unittest.TestCase):
    def end_program(self, number, *words, ignored=()):
        """The status of the program after this signal, twice, and what it prints."""
        def set_signals():
            """Whatever the tests themselves ignore, as a shell's background job does SIGINT."""
            for each in ending.SIGNALS:
                signal.signal(each, signal.SIG_IGN if each in ignored else signal.SIG_DFL)

        with subprocess.Popen([sys.executable, "-c", PROGRAM, *words], text=True, env={
                **os.environ, "PYTHONPATH": str(BENCH)}, preexec_fn=set_signals,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            folder = process.stdout.readline().strip()
            for each in (*ignored, number, number):
                process.send_signal(each)
            said, errors = process.communicate(timeout=60)
        self.assertFalse(os.path.exists(folder))
        self.assertEqual(errors, "")
        return process.returncode, said

    def test_each_signal_leaves_the_table_and_no_files(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for words in ([], ["itself"]):
                with self.subTest(number, words=words):
                    self.assertEqual(self.end_program(number, *words),
                                     (128 + number, "the table\n"))

    def test_nohup_is_respected(self):
        self.assertEqual(self.end_program(signal.SIGTERM, ignored=[signal.SIGHUP]),
                         (128 + signal.SIGTERM, "the table\n"))


class Benchmarks(unittest.TestCase):
    def test_each_one_ends_so(self):
        programs = [path for path in BENCH.iterdir() if path.is_file() and os.access(path, os.X_OK)]
        self.assertGreater(len(programs), 5)
        for path in programs:
            with self.subTest(path.name):
                self.assertIn("ending.run(", path.read_text(encoding="utf-8"))

    def test_make_bench_peers_keeps_what_was_measured(self):
        """A signal during the second round: the table has the first one."""
        def one_round(cell, _config, _peers):
            if cell.rounds:
                os.kill(os.getpid(), number)
            cell.add({"": {"mean": 1000.0, "best": 1100.0}}, {"0": 900.0})

        before = {number: signal.getsignal(number) for number in ending.SIGNALS}
        one = {"name": "peer", "op": "read", "reports": "mean"}
        for number in ending.SIGNALS:
            with self.subTest(number), mock.patch.object(peers, "one_round", one_round), \
                 mock.patch.object(peers, "find_built"), \
                 mock.patch.object(peers, "peer_forms", return_value=[one]), \
                 mock.patch.object(peers, "wanted_cells",
                                   return_value=[peers.Cell("read", "16K", 1)]), \
                 redirect_stdout(io.StringIO()) as said, redirect_stderr(io.StringIO()):
                signal.signal(number, signal.SIG_DFL)   # the tests may ignore it
                try:
                    with self.assertRaises(SystemExit) as ended:
                        ending.run(peers.main)
                finally:
                    for each, handler in before.items():
                        signal.signal(each, handler)
                self.assertEqual(ended.exception.code, 128 + number)
                self.assertIn("medians of 1 round", said.getvalue())
                self.assertRegex(said.getvalue(), "read +16K")
