# SPDX-License-Identifier: GPL-2.0-only
"""What is promised (Documentation/stable.txt): a change of each kind is seen, growth is not."""

import json
import re
import subprocess
import sys
from pathlib import Path
from unittest import mock

import fake
from mc import status
from mc.commands import cli
from mc.output import export
from mc.records.results import Run

sys.path.insert(0, str(fake.TOP / "tools"))
import stable

TESTS, SCHEMA, RUN = "tools/memcache/mc/tests.json", "schema", "module/kernel/run.c"
RECORD = "module/core/record.h"
FILES = ("module/kernel/control.c", "module/kernel/buffers.c", "module/kernel/main.c",
         "module/core/counter.c", "tools/user/main.c", RUN, RECORD, TESTS, stable.PAGE,
         stable.OBJECT, stable.USER)
# A file, what it has, what it has instead, and the section and word that are then missed.
CHANGES = (
    ("module/kernel/control.c", '{ "buffers", 0400', '{ "buffers", 0600', "files: buffers=0400"),
    (RUN, r'"\nstate: %s', r'"\nis: %s', "lines of run: state:"),
    (RUN, " eta_s=", " eta=", "words of progress: eta_s="),
    (RUN, 'state = "refused"', 'state = "rejected"', "states: refused"),
    (RUN, "ERRNO(ETIME)", "ERRNO(ETIMEDOUT)", "errors: ETIME"),
    ("module/core/counter.c", '{ "scale", off', '{ "factor", off', "words of counters: scale"),
    ("module/kernel/main.c", "param(size_mb", "param(size", "parameters: size_mb"),
    (TESTS, '"name": "pipe"', '"name": "pipes"', "tests: pipe"),
    (TESTS, '"name": "warmup"', '"name": "warm"', "keys of every test: warmup:number"),
    (TESTS, '"ntcopy"', '"copynt"', "keys of bandwidth: op=ntcopy"),
    (TESTS, '"max": 70368744177664', '"max": 4096',
     "keys of every test: size=1024..70368744177664"),
    (SCHEMA, '"clock_khz": {"type": "integer"', '"clock_khz": {"type": "number"',
     "record machine: integer=clock_khz"),
    (SCHEMA, '"partly"', '"partially"', "record result: effective=partly"),
    (SCHEMA, '"unreadable"', '"secret"', "record prefetch: state=unreadable"),
    ("module/kernel/buffers.c", " blocks=", " parts=", "words of buffers: blocks="),
    (SCHEMA, '"bytes_per_core_cycle":', '"rate":',
     "record bandwidth: null|number=bytes_per_core_cycle"),
    ("tools/user/main.c", "  --translate ", "  --transform ",
     "options of memcache-user: --translate"),
    (RECORD, "MC_ABI\t\t1", "MC_ABI\t\t0", "numbers: abi=1"),
    (stable.OBJECT, "size_t bytes;", "unsigned int bytes;", "shared object: b"),
    (stable.USER, '"memcache_memory"', '"memory"', "shared object: memcache_memory"))


class Stable(fake.InDirectory):
    def setUp(self):
        super().setUp()
        self.addCleanup(stable.options.cache_clear)
        fake.put({name: (fake.TOP / name).read_text() for name in FILES})
        Path(SCHEMA).write_text(json.dumps(json.loads(subprocess.check_output(
            [fake.TOP / "tools/describe", "schema"]))))
        self.old = self.promised()

    def promised(self):
        with mock.patch.object(stable, "TOP", Path()):
            return stable.promised(*(json.loads(Path(name).read_text())
                                     for name in (TESTS, SCHEMA)))

    def change(self, name, has, instead):
        text = Path(name).read_text()
        self.assertIn(has, text)
        Path(name).write_text(text.replace(has, instead))
        return text

    def assert_missed(self, missed):
        section, _, word = missed.partition(": ")
        problems = "\n".join(stable.broken(self.old, self.promised()))
        self.assertRegex(problems, rf"stable.txt: {re.escape(section)}: (.* )?{re.escape(word)}")

    def test_a_change_of_each_kind(self):
        for name, has, instead, missed in CHANGES:
            with self.subTest(missed):
                text = self.change(name, has, instead)
                self.assert_missed(missed)
                Path(name).write_text(text)
        for change, missed in (
                (mock.patch.object(status, "WRONG", 3), "exit statuses: WRONG=2"),
                (mock.patch.dict(cli.WORDS, clear=True), "commands: list"),
                (mock.patch.object(cli, "by_option",
                                   lambda of, real=cli.by_option: {*real(of)} - {"--where"}),
                 "options: run=--where"),
                (mock.patch.dict(export.UNITS, mhz=("mhz", 1)),
                 "metrics memcache_TEST_*: core_hertz"),
                (mock.patch.object(Run, "suite", None), "labels of memcache_verdict_info: suite"),
                (mock.patch.object(export.Measured, "path", lambda one, _: one.name),
                 "names: lkp=")):
            with self.subTest(missed), change:
                stable.options.cache_clear()
                self.assert_missed(missed)

    def test_a_new_number_and_growth_break_nothing(self):
        self.change(TESTS, '"max": 70368744177664', '"max": 70368744177665')
        self.change(TESTS, '"ntcopy", "rmw"', '"ntcopy", "new", "rmw"')
        self.assertEqual([*stable.broken(self.old, self.promised())], [])
        self.assertIn("op=new", self.promised()["keys of bandwidth"])
        self.change(RUN, " eta_s=", " eta=")
        self.change(SCHEMA, '"clock_khz":', '"khz":')
        self.change(RECORD, "MC_ABI\t\t1", "MC_ABI\t\t2")
        self.assertIn("clock_khz", "\n".join(stable.broken(self.old, self.promised())))
        self.change(RECORD, "MC_SCHEMA\t1", "MC_SCHEMA\t2")
        self.assertEqual([*stable.broken(self.old, self.promised())], [])

    def test_what_is_experimental_is_not_promised_and_must_be_there(self):
        self.change(stable.PAGE, "* ``test tail``",
                    "* ``record pipe``, ``keys of pipe: write``: x\n* ``test tail``")
        self.assertNotIn("tail", self.old["tests"])
        self.assertNotIn("record tail", self.old)
        self.assertNotIn("pairs", " ".join(self.old["keys of c2c"]))
        with self.assertRaisesRegex(SystemExit, "nothing is called keys of pipe: write"):
            self.promised()
