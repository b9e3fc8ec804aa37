# SPDX-License-Identifier: GPL-2.0-only
"""Completion: a shell gets all commands, options, suites, tests, keys and values."""

import os
from unittest import mock

import fake
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


class Complete(fake.InDirectory):
    def setUp(self):
        super().setUp()
        fake.program("memcache-user", USER)
        self.enterContext(mock.patch.dict(os.environ, MEMCACHE_USER="./memcache-user",
                                          MEMCACHE_DEBUGFS="."))

    def words(self, *typed: str) -> list[str]:
        status, said, _ = fake.output_of(cli.main, ["complete", *typed])
        self.assertEqual(status, 0)
        return [line.partition("\t")[0] for line in said.splitlines()]

    def test_words(self):
        """Commands, options and their values, suites, tests, keys and values. Files are left to the
        shell."""
        self.assertIn("--version", self.words("memcache", "--"))
        self.assertIn("--dry-run", self.words("memcache", "run", "--d"))
        request = "memcache", "run", "bandwidth"
        for typed, wanted in (
                (("memcache", ""), [*cli.COMMANDS]), (("memcache", "do"), ["doctor"]),
                (("memcache", "nonsense", ""), []),
                (("memcache", "run", "--where", ""), [*suite.WHERE]),
                (("memcache", "run", "-o", ""), []),
                (("memcache", "run", ""), ["bandwidth", "latency", *suite.names()]),
                (("memcache", "suites", ""), suite.names()),
                (("memcache", "suites", "ml"), ["mlc", "mlc-quick"]),
                ((*request, "s"), ["size=", "smt=", "server"]),
                ((*request, "smt=on", "s"), ["size=", "size=auto", "server"]),
                ((*request, "t"), ["type=", "type=wb", "type=wc", "type=uc", "tail", "tail-quick",
                                   "tiers"]),
                ((*request, "op=r"), ["op=read"]),
                ((*request, "type=wb,"), ["type=wb,wc", "type=wb,uc"]),
                ((*request, "nonsense="), []),
                (("memcache", "run", "bandwidth op=copy ty"),
                 [f"bandwidth op=copy type={type}" for type in ("", "wb", "wc", "uc")]),
                (("memcache", "run", "mlc "), []),
                (("memcache-user", "--"), ["--own", "--counters"]),
                (("memcache-user", "--counters", ""), []),
                (("memcache-user", "--own", "lat"), ["latency"]),
                (("memcache-user", "latency s"), ["latency size=", "latency size=16M"]),
                *((("memcache", command, ""), [])
                  for command in ("show", "compare", "plot", "report"))):
            with self.subTest(typed):
                self.assertEqual(self.words(*typed), wanted)

    def test_a_text_about_each(self):
        self.assertEqual(fake.output_of(cli.main, ["complete", "memcache", "sui"])[1],
                         f"suites\t{cli.COMMANDS['suites']}\n")

    def test_a_wrong_call(self):
        self.assertEqual(fake.output_of(cli.main, ["complete", "memcache"])[0], 2)
