# SPDX-License-Identifier: GPL-2.0-only
"""memcache record: results in a store and out of it, several writers, a damaged store."""

import codecs
import os
import random
import re
import sqlite3
import subprocess
from pathlib import Path
from unittest import mock

import fake
from mc import Failure
from mc.commands import record
from mc.output import entries
from mc.records import database, reading, results
from mc.records.database import PAGE
from mc.records.store import with_store_entries

READ = "bandwidth op=read size=4K repeat=20"
WRITERS, EACH = 6, 8


def a_file(name, speed=10000.0, many=3, kernel="6.1.0-50-amd64", requests=2, start=0):
    """A results file as the module writes it."""
    found = []
    for request in range(requests):
        found += [fake.machine(fake.BARE | {"kernel": kernel}, fake.YES, version="1.2"),
                  fake.request(READ, many, suite="s\u00fc\u00df"),
                  *(fake.result(READ, speed + request + number,
                                started_unix_ns=1790000000000000000 + 10 ** 12 * start)
                    for number in range(many))]
    return Path(fake.save(name, *found)).read_bytes()


class Record(fake.InDirectory):
    def test_a_machine_with_several_requests(self):
        whole = a_file("whole")
        machine, *rest = whole.splitlines(keepends=True)
        once = machine + b"".join(line for line in rest if line != machine)
        Path("once").write_bytes(once)
        Path("cut").write_bytes(once[:-20])
        for name in "once", "cut":
            self.memcache("record", f"{name}.store", name)
            self.memcache("record", f"{name}.store", "--export", f"{name}-out")
        [kept] = Path("once-out").iterdir()
        self.assertEqual(kept.read_bytes(), whole)

    def memcache(self, *words, status=0):
        done = fake.front(*words, COLUMNS="80")
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout if status == 0 else done.stdout + done.stderr


class Listing(fake.unittest.TestCase):
    def test_it_is_one_table_on_any_terminal(self):
        name = "cache-attributes-6.18.44-fc-v769-20261126-175501.jsonl"
        made = [database.Entry(number, b"", name, 0, 1790000000 * 10 ** 9, 44, "6.18.44-fc-v769",
                               "cpu", "0-856-g35eb8e89e5c8") for number in (1, 2)]
        for wide, has in ((60, ("results",)), (80, ("kernel", "results")),
                          (100, ("kernel", "version", "results")), (200, ("version", name))):
            with self.subTest(wide), mock.patch("mc.output.terminal.width", return_value=wide):
                lines = fake.terminal_lines(entries.listing("runs.db", made))
                self.assertEqual(len(lines), 5, "names, two entries, a gap, the sum")
                self.assertLessEqual(max(map(len, lines)), wide)
                for text in (*has, "cache-attri"):
                    self.assertIn(text, "\n".join(lines))


class Command(Record):
    def test_in_and_out_without_loss(self):
        """Spaces, escapes and numbers stay as they were written."""
        files = {name: a_file(name, 9000.0 + number) for number, name in enumerate("abc")}
        strange = files["c"].replace(b'"clock":"tsc"', b'"clock" : "t\\u0073c", "\xc3\xa4": 1.50')
        Path("c").write_bytes(strange)
        self.assertEqual(self.memcache("record", "runs.db", *"abc").splitlines(),
                         [f"{name}: recorded as runs.db:{i}" for i, name in enumerate("abc", 1)])
        self.assertEqual(with_store_entries(["runs.db:3", "a", "runs.db:1-2"]),
                         ["runs.db:3", "a", "runs.db:1", "runs.db:2"])
        self.memcache("record", "runs.db", "--export", "out")
        for name, data in (files | {"c": strange}).items():
            self.assertEqual(Path("out", name).read_bytes(), data)
        self.assertEqual(sorted(os.listdir(".")), ["a", "b", "c", "out", "runs.db"])

    def changed(self, *statements):
        """A store with a file, after these statements of SQL."""
        Path("runs.db").unlink(missing_ok=True)
        a_file("a")
        self.memcache("record", "runs.db", "a")
        with sqlite3.connect("runs.db") as base:
            for statement in statements:
                base.execute(statement)

    def test_a_name_from_a_store_is_no_path(self):
        for named, written in (("../escaped", "escaped"), ("/tmp/b", "b"), ("c/../..", None),
                               ("/", None), ("", None), ("a\nb", None), ("..", None)):
            self.changed(f"UPDATE entry SET name = '{named}'")
            self.memcache("record", "runs.db", "--export", f"out{len(named)}")
            self.assertEqual(os.listdir(f"out{len(named)}"), [written or "entry-1.jsonl"])
            self.assertFalse(Path("escaped").exists())
            for path in Path(f"out{len(named)}").iterdir():
                path.unlink()

    def test_tables_that_are_none_are_refused(self):
        forever = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) " \
                  "SELECT i AS entry FROM n"
        for statements in (("DROP TABLE entry", f"CREATE VIEW entry AS {forever}"),
                           ("CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM run; END",)):
            self.changed(*statements)
            for words in (("show", "runs.db"), ("record", "runs.db"), ("record", "runs.db", "a")):
                self.assertIn("its tables are not those", self.memcache(*words, status=2))

    def test_tables_are_exactly_those_of_a_store(self):
        for place, name, text in (
                ("name TEXT NOT NULL", "entry", "name TEXT GENERATED ALWAYS AS "
                 "(hex(zeroblob(450000000))) VIRTUAL"),
                ("version TEXT", "entry", "version TEXT, x"),
                ("(entry)", "run_of_entry", "(hex(zeroblob(450000000)))"),
                ("text", "result", "' || CAST(x'ff' AS TEXT) || '")):
            with self.subTest(text):
                self.changed("PRAGMA writable_schema=1",
                             f"UPDATE sqlite_master SET sql = replace(sql, '{place}', '{text}') "
                             f"WHERE name = '{name}'")
                for words in (("fleet", "runs.db"), ("record", "runs.db", "a")):
                    self.assertRegex(self.memcache(*words, status=2),
                                     "its tables are not those|is damaged|runs.db: ")

    def test_runs_that_share_results_are_damage(self):
        """A small store could stand for any number of lines."""
        self.changed(*["INSERT INTO run SELECT NULL, entry, machine, 1, 6, digest, text "
                       "FROM run"] * 9)
        with mock.patch.object(reading, "MOST", 1 << 20), \
                self.assertRaisesRegex(Failure, "damaged: more than 1 MiB"), \
                database.open_store("runs.db") as store:
            store.lines(1)

    def test_values_of_other_types_are_damage(self):
        for table, column, value in (
                ("entry", "digest", "'x'"), ("entry", "kernel", "x'00'"),
                ("entry", "name", "x'00'"), ("entry", "added_unix_ns", "'x'"),
                ("entry", "started_unix_ns", "1.5"),
                ("entry", "version", "x'00'"), ("run", "first", "'x'"),
                ("run", "records", "x'00'"),
                ("run", "first", str(2**63 - 1)), ("run", "text", "x'00'"),
                ("machine", "text", "x'00'"), ("result", "text", "x'00'")):
            with self.subTest(f"{table}.{column}"):
                self.changed(f"UPDATE {table} SET {column} = {value}")
                self.assertIn("runs.db is damaged", self.memcache("show", "runs.db:1", status=2))

    def test_the_same_file_is_kept_once(self):
        Path("b").write_bytes(codecs.BOM_UTF8 + a_file("a"))
        self.memcache("record", "runs.db", "a")
        self.assertEqual(self.memcache("record", "runs.db", "b"), "b: is already runs.db:1\n")
        self.assertIn("1 file, 6 results", self.memcache("record", "runs.db"))

    def test_an_export_overwrites_nothing(self):
        first, second = a_file("a"), a_file("b", 5000.0)
        self.memcache("record", "runs.db", "a")
        os.rename("b", "a")
        self.memcache("record", "runs.db", "a")
        for _ in range(2):
            self.memcache("record", "runs.db", "--export", "out")
            self.assertEqual(Path("out/a").read_bytes(), first)
            self.assertEqual(Path("out/a-2").read_bytes(), second)
            self.assertEqual(len(os.listdir("out")), 2)

    def test_an_export_to_a_full_disk_names_the_file(self):
        a_file("a")
        self.memcache("record", "runs.db", "a")
        with mock.patch.object(results, "create", lambda _: open("/dev/full", "wb", buffering=0)):
            fake.refused(self, "^out/a: No space left on device", record.export, "runs.db", "out",
                         status=1)

    def test_list(self):
        a_file("new.jsonl", start=2, kernel="6.12.0-1-amd64")
        a_file("old.jsonl", start=1)
        self.memcache("record", "runs.db", "new.jsonl", "old.jsonl")
        said = self.memcache("record", "runs.db").splitlines()
        self.assertEqual(said[0].split(), "entry measured, UTC kernel version results file".split())
        self.assertEqual([line.split()[0] for line in said[1:3]], ["2", "1"])
        self.assertIn("6.12.0-1-amd64", said[2])
        self.assertEqual(said[-1], "runs.db: 2 files, 12 results")
        self.assertLessEqual(max(map(len, said)), 80)
        self.assertIn("1 file,", self.memcache("record", "runs.db:2"))

    def test_every_command_reads_an_entry(self):
        a_file("a")
        a_file("b", 8000.0, start=1)
        self.memcache("record", "runs.db", "a", "b")
        self.assertEqual(self.memcache("show", "runs.db:1"), self.memcache("show", "a"))
        self.assertEqual(self.memcache("export", "--format", "csv", "runs.db:2"),
                         self.memcache("export", "--format", "csv", "b"))
        self.assertIn("0.80x", self.memcache("compare", "runs.db:1", "runs.db:2"))
        self.assertIn("stands for 2 results files", self.memcache("show", "runs.db", status=2))

    def test_check_takes_the_entries_of_a_kernel(self):
        for number, (kernel, speed) in enumerate((
                ("6.1", 10000), ("6.1", 10100), ("6.1", 9900),
                ("6.2", 8000), ("6.2", 8100), ("6.2", 7900))):
            a_file(f"{number}", speed, many=1, requests=1, kernel=kernel, start=number)
            self.memcache("record", "runs.db", f"{number}")
        for newer, status in (("runs.db:6.2", 1), ("runs.db:4-6", 1), ("runs.db:4,5,6", 1),
                              ("runs.db:1-3", 0)):
            said = self.memcache("check", newer, "--baseline", "runs.db:6.1", status=status)
            self.assertNotIn("There is one run of a side", said)

    def test_what_is_wrong(self):
        a_file("a")
        self.write("bad", b"no record\n")
        self.write("text.db", b"no database\n" * 1000)
        sqlite3.connect("other.db").execute("CREATE TABLE x (y)").connection.close()
        self.memcache("record", "runs.db", "a")
        for words, said in (("nosuch.db", "there is no such store"),
                            ("runs.db nosuch", "nosuch: No such file"),
                            ("runs.db bad", "bad:1: not JSON"),
                            ("runs.db:7", "has no entry 7"),
                            ("runs.db:6.1.0-5", "Did you mean 6.1.0-50-amd64?"),
                            ("other.db a", "no store of memcache"),
                            ("text.db a", "is damaged"),
                            ("runs.db a --export out", "take no FILE"),
                            ("/proc/new.db a", "memcache: /proc/new.db: "),
                            ("/proc/new.db --recover runs.db", "memcache: /proc/new.db: "),
                            ("runs.db --recover runs.db", "is not overwritten")):
            with self.subTest(words):
                self.assertIn(said, self.memcache("record", *words.split(), status=2))
        self.assertIn("1 file,", self.memcache("record", "runs.db"))

    def test_a_file_that_is_cut_short(self):
        """Its complete lines are kept, as other commands use them."""
        data = a_file("a")
        for end, kept in ((-1, 7), (-2000, 6)):
            Path("a").write_bytes(data[:end])
            self.memcache("record", f"{kept}.db", "a")
            self.memcache("record", f"{kept}.db", "--export", f"out{kept}")
            self.assertTrue(data.startswith(Path(f"out{kept}/a").read_bytes()))

    def test_a_store_that_may_only_be_read(self):
        a_file("a")
        self.memcache("record", "runs.db", "a")
        os.chmod("runs.db", 0o444)
        before = os.listdir(".")
        with database.open_store("runs.db") as there:
            self.assertEqual(len(there.entries()), 1)
            self.assertEqual(os.listdir("."), before)
            with self.assertRaises(sqlite3.OperationalError):
                there.base.execute("DELETE FROM entry")


class Run(Record):
    def run_it(self, *words):
        self.write("tests", fake.described_tests().encode())
        self.write("records", a_file("a", requests=1))
        fake.program("user", '#!/bin/sh\n[ "$1" = --tests ] && exec cat tests\n'
                     "exec cat records\n")
        return fake.front("run", "--where", "user", *words, "bandwidth", MEMCACHE_USER="./user",
                          MEMCACHE_DEBUGFS="nowhere")

    def test_a_run_is_kept_at_once(self):
        done = self.run_it("--store", "runs.db", "-o", "now.jsonl")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Results: now.jsonl, runs.db:1\n", done.stdout)
        self.memcache("record", "runs.db", "--export", "out")
        self.assertEqual(Path("out/now.jsonl").read_bytes(), Path("now.jsonl").read_bytes())

    def test_a_store_that_can_not_be_used_is_said_before_it_measures(self):
        self.write("text.db", b"no database\n" * 1000)
        for store, output, said in (("text.db", "now.jsonl", "is damaged"),
                                    ("/proc/new.db", "now.jsonl", "memcache: /proc/new.db: "),
                                    ("runs.db", "-", "--store keeps a file")):
            done = self.run_it("--store", store, "-o", output)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(said, done.stderr)
            self.assertFalse(Path("now.jsonl").exists())


class Writers(Record):
    def test_several_at_once_lose_nothing(self):
        """All of them also make the store."""
        files = {f"{writer}-{number}": a_file(f"{writer}-{number}", 1000.0 * writer + number + 1)
                 for writer in range(WRITERS) for number in range(EACH)}
        running = [subprocess.Popen([fake.FRONT, "record", "runs.db", *(
            f"{writer}-{number}" for number in range(EACH))], stdout=subprocess.PIPE)
            for writer in range(WRITERS)]
        for one in running:
            one.communicate()
            self.assertEqual(one.returncode, 0)
        self.memcache("record", "runs.db", "--export", "out")
        self.assertEqual({name: Path("out", name).read_bytes() for name in os.listdir("out")},
                         files)

    def test_a_killed_writer_leaves_nothing_half_done(self):
        a_file("a")
        self.memcache("record", "runs.db", "a")
        with database.open_store("runs.db", new=True) as there:
            there.base.execute("BEGIN IMMEDIATE")
            there.base.execute("INSERT INTO result VALUES (99, 'half')")
            there.base.execute("PRAGMA cache_spill = 1")
            dead = {name: Path(name).read_bytes() for name in os.listdir(".") if "db" in name}
        for name, data in dead.items():
            Path(f"killed/{name}").parent.mkdir(exist_ok=True)
            Path(f"killed/{name}").write_bytes(data)
        self.assertIn("1 file,", self.memcache("record", "killed/runs.db"))
        a_file("b", 5.0)
        self.memcache("record", "killed/runs.db", "b")
        with database.open_store("killed/runs.db") as there:
            self.assertEqual([(e.number, e.records) for e in there.entries()], [(1, 6), (2, 6)])

    def test_a_busy_store(self):
        a_file("a")
        self.memcache("record", "runs.db", "a")
        with mock.patch.object(database, "WAIT_S", 0), \
                database.open_store("runs.db", new=True) as one:
            one.base.execute("BEGIN IMMEDIATE")
            with self.assertRaisesRegex(Failure, "nothing was recorded"), \
                    database.open_store("runs.db", new=True) as other:
                other.add(other.entries()[0], [])
            with database.open_store("runs.db") as reader:     # which does not wait for a writer
                self.assertEqual(len(reader.entries()), 1)


class Damaged(Record):
    """Recovery gives back what can be read, and nothing that was not recorded."""

    def setUp(self):
        super().setUp()
        self.files = {f"f{n:02}": a_file(f"f{n:02}", 1000.0 * (n + 1), many=8, start=n)
                      for n in range(20)}
        self.memcache("record", "runs.db", *self.files)
        self.data = Path("runs.db").read_bytes()

    def recovered(self):
        """The files that come out, by their numbers, and how many of them are whole. What the
        command says of them is right, and all of their runs were recorded."""
        done = fake.front("record", "new.db", "--recover", "runs.db")
        with database.open_store("new.db") as there:
            found = {one.number: b"".join(there.lines(one.number)) for one in there.entries()}
        os.unlink("new.db")
        files = dict(enumerate(self.files.values(), 1))
        known = {run for data in files.values() for run in self.runs(data)}
        for data in found.values():
            self.assertLessEqual(set(self.runs(data)), known)
        whole, part, lost = (int(number) for number in re.search(
            r"(\d+) files? whole, (\d+) in part, (\d+) lost", done.stdout).groups())
        self.assertEqual(whole + part, len(found), done.stdout + done.stderr)
        self.assertGreaterEqual(sum(found.get(n) == files[n] for n in files), whole)
        self.assertEqual(done.returncode, 1 if part + lost else 0)
        return list(found.values()), whole

    def runs(self, data):
        return [str((run.machine, run.request, run.results))
                for run in results.parse(data.splitlines(keepends=True), "recovered")]

    def test_nothing_is_wrong(self):
        self.assertEqual(self.recovered(), ([*self.files.values()], 20))

    def test_the_first_page_is_gone(self):
        for bad in (bytes(PAGE), b"x" * 100 + self.data[100:PAGE]):
            Path("runs.db").write_bytes(bad + self.data[PAGE:])
            self.assertIn("--recover runs.db", self.memcache("record", "runs.db", status=2))
            self.assertEqual(self.recovered(), ([*self.files.values()], 20))

    def test_pages_are_gone(self):
        """Of each page, and of many at once."""
        pages = len(self.data) // PAGE
        chance = random.Random(21)
        for bad in [[page] for page in range(1, pages, 9)] + [
                chance.sample(range(7, pages), pages // 10) for _ in range(3)]:
            with self.subTest(bad):
                data = bytearray(self.data)
                for page in bad:
                    data[page * PAGE:(page + 1) * PAGE] = chance.randbytes(PAGE)
                Path("runs.db").write_bytes(data)
                found, _ = self.recovered()
                self.assertTrue(found)
                if len(bad) == 1:       # at worst, a page of many runs
                    self.assertGreater(len(found), 5)

    def test_a_wrong_digit_is_said(self):
        self.assertEqual(self.data.count(b'"mb_per_s":5000.0,'), 1)
        Path("runs.db").write_bytes(self.data.replace(b'"mb_per_s":5000.0,', b'"mb_per_s":6000.0,'))
        self.assertIn("is damaged", self.memcache("show", "runs.db:5", status=2))
        self.memcache("show", "runs.db:4")
        found, whole = self.recovered()
        self.assertEqual((len(found), whole), (20, 19))
        self.assertEqual(len(self.runs(found[4])), 1)

    def test_the_end_is_gone(self):
        Path("runs.db").write_bytes(self.data[:len(self.data) * 2 // 3])
        self.assertIn("damaged", self.memcache("record", "runs.db", "--export", "out", status=2))
        _, whole = self.recovered()
        self.assertGreater(whole, 5)

    def test_no_store_at_all(self):
        Path("runs.db").write_bytes(b"")
        self.assertIn("nothing can be read",
                      self.memcache("record", "new.db", "--recover", "runs.db", status=2))
        self.assertFalse(Path("new.db").exists())
