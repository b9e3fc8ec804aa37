# SPDX-License-Identifier: GPL-2.0-only
"""The names that other tools have for what memcache measures, and the page that maps their
options."""

import contextlib
import io
import re
import shutil
import subprocess
from typing import NamedTuple
from unittest import mock

import fake
from mc import Failure
from mc.commands import cli
from mc.records import check, keys, suite, tests
from mc.running import plan

USER = fake.TOP / "build/user/memcache-user"
TABLE = fake.TOP / "tools/user/elsewhere.c"
PAGE = fake.TOP / "Documentation/other-tools.rst"
MODES = ("latency_matrix", "idle_latency", "bandwidth_matrix", "peak_injection_bandwidth",
         "max_bandwidth", "loaded_latency", "c2c_latency", "memory_bandwidth_scan")
# As the help of these programs lists them.
OPTIONS = {"options": "abBcCdDeEfgGhHiIjJkKlLmMnopPqQrRStTuUvwxXYZ", "lat_mem_rd": "PWNt",
           "likwid-bench": "haltpsiwWdf"}
# Their values are others than ours: masks, numbers of instructions, files, pairs of options.
OTHER_VALUES = ["-m", "-K", "-M", "-W21", "-W23", "-W27"]
# Calls of other programs, and what they are here.
CALLS = {
    "bw_mem 64M rd": "bandwidth size=64M op=read",
    "bw_mem -P 4 512k cp": "bandwidth size=2048k op=copy cpu=0-3",
    "bw_mem -P 2 1.5M rd": "bandwidth size=3M op=read cpu=0-1",
    "bw_mem -P 1 64m rd": "bandwidth size=64m op=read cpu=0",
    "bw_mem 8m bzero": "bandwidth size=8m op=rep_stosb data=zero",
    "lat_mem_rd -P 2 64": "latency size=1K..64M pattern=stride cpu=0-1",
    "lat_mem_rd 256": "latency size=1K..256M pattern=stride",
    "lat_mem_rd 64 128": "latency size=1K..64M pattern=stride stride=128",
    "lat_mem_rd -t 256": "latency size=1K..256M pattern=random",
    "lat_mem_rd -t 64 128": "latency size=1K..64M pattern=random stride=128",
    "lat_ctx -s 16 2 8": "os item=context processes=2,8 set=16K",
    "lat_ctx -s0 2": "os item=context processes=2 set=0K",
    "lat_syscall null": "os item=getppid",
    "lat_syscall stat /etc/hosts": "os item=stat",
    "lat_proc fork": "os item=fork_exit",
    "lat_sig catch": "os item=signal_catch",
    "lat_select -n 200 tcp": "os item=select_tcp descriptors=200",
    "lat_mmap 2m x": "os item=mmap file=2m",
    "lat_tcp localhost": "os item=tcp",
    "likwid-bench -t stream_avx -w S0:100kB:1": "bandwidth width=32 op=triad size=99968 cpu=0",
    "likwid-bench -t stream_mem_avx512_fma -w N:1.5GB:4 -s 2":
        "bandwidth width=64 op=nttriad size=1500000000 cpu=0-3 time=2",
    "likwid-bench -t load_mem -w N:9000B": "bandwidth op=ntread size=8960 cpu=all",
    "likwid-bench -t copy -W N:1MB": "bandwidth op=copy size=1000000 cpu=all smt=off",
    "mlc --idle_latency -b200m -c0": "latency size=200m cpu=0",
    "mlc --idle_latency -b 2000 -c 3": "latency size=2000K cpu=3",
    "mlc --max_bandwidth -b100m -k0,2-4 -W3":
        "bandwidth op=rw31 node=local size=400m cpu=0,2-4",
    "mlc --loaded_latency -R -t5 -d100 -c2": "loaded node=local op=read time=5 delay=100 "
                                             "latency_cpu=2",
    "mlc --max_bandwidth -X": "bandwidth op=read,rw31,rw21,rw11,triad cpu=all node=local smt=off",
    "mlc --c2c_latency -C 64": "c2c size=64K",
    "mlc --latency_matrix": "suite latency-matrix",
    "mlc --latency_matrix -X": "suite latency-matrix smt=off",
    "mbw -n 5 256": "bandwidth op=copy size=256M repeat=5",
    "STREAM size=64M": "bandwidth op=copy,triad cpu=all node=local size=64M",
    "/opt/stream_c.exe": "bandwidth op=copy,triad cpu=all node=local",
    "triad": "bandwidth op=triad",
    "TRIAD SIZE=4096B THREADS=2": "bandwidth op=triad size=4096B cpu=0-1",
    "Hitm": "c2c state=hitm",
    "LATENCY_MATRIX": "suite latency-matrix",
    "BANDWIDTH OP=2:1": "bandwidth op=rw21",
    "ntwrite size=1M": "bandwidth op=ntwrite size=1M",
    "hitm": "c2c state=hitm",
    "peak cpu=0": "bandwidth op=read,rw31,rw21,rw11,triad cpu=0 node=local",
    "bandwidth op=2:1,3:1": "bandwidth op=rw21,rw31",
    "bandwidth op=load_avx512 threads=2": "bandwidth width=64 op=read cpu=0-1",
    "bandwidth threads=1": "bandwidth cpu=0",
    "bandwidth cpus=0-1": "bandwidth cpu=0-1",
    "bandwidth op=1:1 cpus=each": "bandwidth op=rw11 measure=each",
    "bandwidth type=write-back iterations=3": "bandwidth type=wb repeat=3",
    "mmio bar=00:05.0/2": "mmio target=00:05.0/2",
    "latency duration=1": "latency time=1",
    "pointer_chase size=1M": "latency size=1M",
    "numa": "suite latency-matrix",
}
MIXES = (*range(2, 20), 21, 23, 27)


def rows(section):
    """The rows of the table of a section, as lists of cells."""
    text = re.split(r"\n[^\n]+\n-+\n", PAGE.read_text())
    titles = re.findall(r"\n([^\n]+)\n-+\n", PAGE.read_text())
    [table] = [body for title, body in zip(titles, text[1:]) if title.endswith(section)]
    return fake.table_rows(table)


class Row(NamedTuple):
    """A row of the table, as struct mc_elsewhere in tools/user/elsewhere.h."""
    of: str
    word: str
    ours: str = ""
    suite: str = ""
    why: str = ""
    first: str = ""


def table():
    """The rows of the table in the source."""
    text = TABLE.read_text()
    peak = re.search(r'#define PEAK\s+(".*")', text)[1]
    for row in re.findall(r"\{ (\".*?) \}", text.replace("PEAK", peak), re.S):
        named = dict(re.findall(r'\.(\w+) = "(.*?)"', row))
        yield Row(*re.findall(r'"(.*?)"', re.sub(r'\.\w+ = ".*?"', "", row)), **named)


class Elsewhere(fake.unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text = subprocess.run([fake.TOP / "tools/tests"], check=True, capture_output=True,
                              text=True).stdout
        cls.known = keys.parse(text)

    def planned(self, *words):
        """The requests for these words, and what is said."""
        said, kernel = [], fake.Kernel()
        with mock.patch.object(kernel, "tests", return_value=self.known):
            return plan.requests(list(words), plan.Place([kernel], say=said.append)), said

    def refused(self, said, *words):
        with self.subTest(words), self.assertRaisesRegex(Failure, said) as raised:
            self.planned(*words)
        self.assertEqual(raised.exception.status, 2)

    def test_what_a_row_names_exists(self):
        known = {operation["name"] for operation in tests.OPERATIONS}
        keys = {key for test in self.known.values() for key in test}
        rows = list(table())
        self.assertEqual(len(rows), TABLE.read_text().count("{ \""))
        for row in rows:
            with self.subTest(row):
                self.assertTrue(not row.suite or suite.exists(row.suite))
                test, _, _ = row.ours.partition(" ")
                if test and "=" not in test:
                    self.assertIn(test, tests.TESTS)
                for word in re.split(r"[ |]", row.ours)["=" not in test:]:
                    key, _, value = word.partition("=")
                    self.assertIn(key, keys)
                    if key == "op" and value != "*":
                        self.assertLessEqual(set(value.split(",")), known)

    def test_words_hide_no_test_and_no_suite(self):
        for word in (*(row.word for row in table() if not row.of), *tests.CALLS):
            self.assertNotIn(word, tests.TESTS)
            self.assertTrue(word == "mlc" or not suite.exists(word), word)

    def test_calls_are_one_word_of_run(self):
        for typed, words in (
                *((f"--{mode} -e", ["run", f"mlc --{mode} -e"]) for mode in MODES),
                ("bw_mem -P 4 64M rd", ["run", "bw_mem -P 4 64M rd"]),
                ("run --where user /opt/STREAM -x", ["run", "--where", "user", "/opt/STREAM -x"]),
                ("run triad latency", ["run", "triad", "latency"]),
                ("show stream x", ["show", "stream", "x"])):
            self.assertEqual(cli._as_run(typed.split()), words)

    def test_options_that_have_a_counterpart_on_the_page_are_understood(self):
        for section, name in (("options", "mlc"), ("bw_mem and lat_mem_rd", "lat_mem_rd"),
                              ("likwid-bench", "likwid-bench")):
            told = [option for row in rows(section) if not row[-1].startswith(r"\-")
                    and re.match(r"``\w+=", row[-1])
                    for option in re.findall(r"``(-\w+)``", row[0])]
            self.assertTrue(told)
            said = subprocess.run([USER, "--translate", *(f"{name} {option} 1" for option in told)],
                                  capture_output=True, text=True).stderr
            lacking = [option for option in told
                       if re.search(rf"{name}: {option}(:| has no counterpart)", said)]
            self.assertEqual(lacking, OTHER_VALUES if name == "mlc" else [], name)

    def test_both_programs_understand_the_same(self):
        """memcache-user says what a call is, and measures nothing, since the last is wrong."""
        done = subprocess.run([USER, *CALLS, "nosuch"], capture_output=True, text=True).stderr
        for call, ours in CALLS.items():
            with self.subTest(call):
                found, said = self.planned(call)
                if ours.startswith("suite "):
                    _, name, *words = ours.split()
                    self.assertEqual({one.suite for one in found}, {name})
                    self.assertTrue(all(word in one.line for word in words for one in found))
                    self.assertIn(f"{call}: this is the suite {name}", said[0])
                    self.assertIn(f"memcache-user: {call}: the front end measures this: memcache "
                                  f"run {name}\n", done)
                else:
                    self.assertEqual([one.line for one in found], [ours])
                    self.assertEqual(check.first_mistake(ours, self.known), "")
                    self.assertEqual(said, [f"{call}: this is {ours}"])
                    self.assertIn(f"memcache-user: {call}: this is {ours}\n", done)

    def test_words_for_a_suite(self):
        found, _ = self.planned("cache-attributes", "threads=2", "iterations=3")
        self.assertTrue(found and all("cpu=0-1" in one.line and "repeat=3" in one.line
                                      for one in found))
        self.refused("^op=all: name the operations", "cache-attributes", "op=all")

    def test_what_has_no_counterpart_is_named(self):
        for call in ("mlc --c2c_latency -S2", "bw_mem 64M xx", "mbw -b 4 5", "bw_pipe x",
                     "stream 5", "lat_syscall fstat", "likwid-bench -t copy -w S1:100kB:1",
                     "likwid-bench -t copy -W M1:1MB", "likwid-bench -t copy -w S0",
                     "likwid-bench -t copy -w S0:100kB:2:1", "likwid-bench -w S0:1MB:2:1:2"):
            self.refused(f"^{call.split()[0]}: .* has no count", call)
        for call in ("bw_mem -P x 64M rd", "lat_mem_rd -P 0 64", "bw_mem -P4x 64M rd",
                     *(f"likwid-bench -w {one}" for one in ("N:1MB:x", "S0:1MB:", "S0:1MB"))):
            self.refused(f"^{call.split()[0]}: .* names no number of CPUs", call)
        for call in ("likwid-bench -t", "bw_mem 64M rd -P", "mlc --loaded_latency -d -R",
                     "mbw 5 -n", "lat_ctx -s"):
            self.refused(f"^{call.split()[0]}: -. needs a value$", call)
        self.refused("^op=all: name the operations", "bandwidth op=all")
        self.refused("^op: '_fma' is not one of ", "bandwidth op=_fma")

    def test_a_size_of_each_thread_needs_their_number(self):
        self.refused("^mlc: -b100 is the size of a thread; write that of all: size=$",
                     "mlc --max_bandwidth -b100 -X")

    def test_a_size_of_each_thread_counts_the_cpus_that_a_test_takes_by_itself(self):
        lines = [subprocess.run([str(USER), "--translate", f"mlc {mode} -b4m"], text=True,
                                capture_output=True, check=True).stdout
                 for mode in ("--loaded_latency", "--loaded_latency -k all")]
        sizes = [re.search("size=[0-9]+m", line)[0] for line in lines]
        self.assertEqual(sizes[0], sizes[1])

    def test_no_word_is_dropped(self):
        for call in ("mlc --latency_matrix --bandwidth_matrix", "mlc -b100 -b 200",
                     "mlc --max_bandwidth -W3 -W5", "mlc --loaded_latency -R -W3",
                     "likwid-bench -t copy -w S0:1MB:1 -w N:1MB:2", "bw_mem 64M rd cp",
                     "lat_syscall null read", "bw_mem 64M rd op=copy"):
            self.refused(f"^{call.split()[0].lower()}: .* are two requests; make two calls$", call)
        self.refused("^lat_ctx: more than 64 words$", f"lat_ctx -s 0 {' '.join(['2'] * 70)}")
        for words in ("-l128 -r", "-r -l128", "-r -l128 -U"):
            [one], _ = self.planned(f"mlc --idle_latency {words}")
            self.assertEqual(set(one.line.split()[2:]), {"stride=128", "pattern=random"})

    def test_the_manual_is_named_only_for_what_it_has(self):
        titles = " ".join(re.findall(r"\n([^\n]+)\n-+\n", PAGE.read_text()))
        title = PAGE.read_text().split("\n")[2]
        for name in tests.CALLS:
            if name.startswith("-"):
                continue
            said = subprocess.run([USER, "--translate", f"{name} -@"], capture_output=True,
                                  text=True).stderr
            listed = re.search(rf"\b{name}\b", titles, re.I)
            self.assertEqual(title in said, bool(listed), name)
        for call, why in (("mlc --loaded_latency -T", "bandwidth"),
                          ("likwid-bench -a", "memcache-user --tests bandwidth"),
                          ("mlc --loaded_latency -g delays", "delay="), ("mlc -o file", "mix"),
                          ("likwid-bench -f dir", "memcache loop"),
                          ("likwid-bench -t triad_avx", "four arrays"), ("mlc -K 8", "width=")):
            self.refused(f"^{call.split()[0]}: -.: (?!.*has no counterpart).*{why}", call)

    def test_without_memcache_user(self):
        wrong = (("bw_mem 64M rd", "^test: 'bw_mem' is not one of "), ("triad", "^no suite triad "),
                 ("bandwidth threads=2", "^'threads': is not a key of bandwidth; "),
                 ("cache-attributes threads=2", "^cache-attributes: 'threads': is not a key of "))
        for line, fault in wrong:
            with mock.patch("mc.running.user.find", return_value=None):
                self.refused(f"{fault}.*memcache-user, which .*, is not there: make user", line)
            # One that does not know the option, and one that can't be executed.
            for other in (shutil.which("false"), str(TABLE)):
                with mock.patch("mc.running.user.find", return_value=other):
                    self.refused(fault, line)
        for line in ("bandwidth size=4K size=8K", "bandwidth size", "bandwidth size="):
            with mock.patch("mc.running.user.find", return_value=None):
                self.refused("^(?!.*memcache-user)", line)

    def test_options_of_run_are_no_words_of_a_call(self):
        for typed, wanted in (
                ("run mlc --where user", ["run", "--where", "user", "mlc"]),
                ("run mlc loaded --dry-run", ["run", "--dry-run", "mlc", "loaded"]),
                ("run stream --dry-run", ["run", "--dry-run", "stream"]),
                ("run --quick mlc -o x.jsonl", ["run", "--quick", "-o", "x.jsonl", "mlc"]),
                ("--latency_matrix --where user",
                 ["run", "--where", "user", "mlc --latency_matrix"]),
                ("--wide -o x latency size=4K", ["run", "--wide", "-o", "x", "latency", "size=4K"]),
                ("TRIAD threads=2 --units GB/s", ["run", "--units", "GB/s", "TRIAD", "threads=2"]),
                ("c2c", ["run", "c2c"]), ("hitm", ["run", "hitm"]),
                ("mlc tail --quick", ["run", "--quick", "mlc", "tail"]),
                ("mmio target=00:05.0/0", ["run", "mmio", "target=00:05.0/0"]),
                ("mmio 00:05.0", ["mmio", "00:05.0"]), ("mmio", ["mmio"]),
                ("lat_mem_rd 64 128 -o x", ["run", "-o", "x", "lat_mem_rd 64 128"]),
                ("trend a -o x", ["trend", "a", "-o", "x"]), ("rapport x", ["rapport", "x"]),
                ("-o x report a", ["report", "a", "-o", "x"]),
                ("--where user steal", ["steal", "--where", "user"]),
                ("--help", ["--help"]), ("-V", ["-V"]), ("--nosuch", ["--nosuch"]),
                ("bw_mem -P 2 64m rd --where=user", ["run", "--where=user", "bw_mem -P 2 64m rd"])):
            with self.subTest(typed):
                self.assertEqual(cli._as_run(typed.split()), wanted)

    def test_ordinary_requests_start_no_process(self):
        with mock.patch("subprocess.Popen", side_effect=AssertionError), \
                mock.patch("mc.records.shape.machine_shape", return_value=fake.shape(4)):
            for words in (["bandwidth op=read,write type=WB size=1.5M"], ["latency", "repeat=3"],
                          ["cache-attributes"], ["mlc", "repeat=3"], ["loaded", "delay=0"],
                          ["latency", "4k..1M,1.5GB", "repeat=3"]):
                self.assertTrue(self.planned(*words)[0])

    def test_it_is_said_and_measured(self):
        place = plan.Place([fake.Kernel()], None)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            found = plan.requests(["latency_matrix", "repeat=3"], place)
        self.assertEqual([one.suite for one in found], ["latency-matrix"] * len(found))
        self.assertTrue(found and all("repeat=3" in one.line for one in found))
        self.assertIn("latency_matrix: this is the suite latency-matrix", said.getvalue())

    def test_no_row_is_empty(self):
        for section in ("modes", *OPTIONS):
            self.assertTrue(rows(section), section)
            for row in rows(section):
                self.assertEqual(len(row), 2 if section == "modes" else 3, row)
                self.assertTrue(all(row), row)
                self.assertFalse(row[-1].endswith(r"\-"), row)

    def test_every_option_has_a_row(self):
        for section, letters in OPTIONS.items():
            told = " ".join(row[0] for row in rows(section))
            for letter in letters:
                self.assertIn(f"``-{letter}``", told)
        told = " ".join(row[0] for row in rows("options"))
        for mix in MIXES:
            self.assertIn(f"``-W{mix}``", told)
        self.assertEqual({row[0].strip("`-") for row in rows("modes")[2:]}, set(MODES))

    def test_what_is_named_exists(self):
        ops = {op for op in re.findall(r"op=(\w+)(?![\w:])", PAGE.read_text())}
        known = {op["name"] for op in tests.OPERATIONS}
        self.assertLessEqual(ops, known)
