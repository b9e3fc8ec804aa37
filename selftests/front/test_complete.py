# SPDX-License-Identifier: GPL-2.0-only
"""Completion: a shell gets all commands, options, suites, tests, keys and values."""

import contextlib
import io
import os
import tempfile
import unittest
from unittest import mock

from mc.commands import cli
from mc.records import suite

USER = """\
#!/bin/sh
case $1 in
--help) echo 'usage: memcache-user [--own] [--counters FILE] REQUEST' ;;
--tests) cat <<END
bandwidth: memory bandwidth
  op=read           read|write|copy           what the loop does
  type=wb           wb|wc|uc                  memory type
  size=auto         auto|1K..65536G           the whole working set
  smt=on            on|off                    of each core one CPU
latency: latency of loads
  size=16M          auto|1K..65536G           the whole working set
END
esac
"""


class Complete(unittest.TestCase):
    def setUp(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        self.program = f"{directory}/memcache-user"
        with open(self.program, "w", encoding="ascii") as file:
            file.write(USER)
        os.chmod(self.program, 0o755)
        self.enterContext(mock.patch.dict(os.environ, MEMCACHE_USER=self.program,
                                          MEMCACHE_DEBUGFS=directory))

    def words(self, *typed: str) -> list[str]:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertEqual(cli.main(["complete", *typed]), 0)
        return [line.partition("\t")[0] for line in said.getvalue().splitlines()]

    def test_commands_and_options(self):
        self.assertEqual(self.words("memcache", ""), list(cli.COMMANDS))
        self.assertEqual(self.words("memcache", "do"), ["doctor"])
        self.assertIn("--version", self.words("memcache", "--"))
        self.assertIn("--dry-run", self.words("memcache", "run", "--d"))
        self.assertEqual(self.words("memcache", "nonsense", ""), [])

    def test_values_of_options(self):
        self.assertEqual(self.words("memcache", "run", "--where", ""), list(suite.WHERE))
        self.assertEqual(self.words("memcache", "run", "-o", ""), [])

    def test_suites_and_tests(self):
        every = self.words("memcache", "run", "")
        self.assertEqual(every, ["bandwidth", "latency", *suite.names()])
        self.assertEqual(self.words("memcache", "suites", ""), suite.names())
        self.assertEqual(self.words("memcache", "suites", "ml"), ["mlc", "mlc-quick"])

    def test_keys_and_values(self):
        request = "memcache", "run", "bandwidth"
        self.assertEqual(self.words(*request, "s"), ["size=", "smt=", "server"])
        self.assertEqual(self.words(*request, "smt=on", "s"),
                         ["size=", "size=auto", "server"])
        self.assertEqual(self.words(*request, "t"),
                         ["type=", "type=wb", "type=wc", "type=uc", "tail", "tail-quick",
                          "tiers"])
        self.assertEqual(self.words(*request, "op=r"), ["op=read"])
        self.assertEqual(self.words(*request, "type=wb,"), ["type=wb,wc", "type=wb,uc"])
        self.assertEqual(self.words(*request, "nonsense="), [])

    def test_a_request_in_quotes(self):
        self.assertEqual(self.words("memcache", "run", "bandwidth op=copy ty"),
                         [f"bandwidth op=copy type={type}" for type in ("", "wb", "wc", "uc")])
        self.assertEqual(self.words("memcache", "run", "mlc "), [])

    def test_the_program_of_user_space(self):
        self.assertEqual(self.words("memcache-user", "--"), ["--own", "--counters"])
        self.assertEqual(self.words("memcache-user", "--counters", ""), [])
        self.assertEqual(self.words("memcache-user", "--own", "lat"), ["latency"])
        self.assertEqual(self.words("memcache-user", "latency s"),
                         ["latency size=", "latency size=16M"])

    def test_files_are_left_to_the_shell(self):
        for command in "show", "compare", "plot", "report":
            self.assertEqual(self.words("memcache", command, ""), [])

    def test_a_text_about_each(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            cli.main(["complete", "memcache", "sui"])
        self.assertEqual(said.getvalue(), f"suites\t{cli.COMMANDS['suites']}\n")

    def test_a_wrong_call(self):
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(cli.main(["complete", "memcache"]), 2)
