# SPDX-License-Identifier: GPL-2.0-only
"""The names that other tools have for what memcache measures, and the page that maps their
options."""

import contextlib
import io
import re
import subprocess

import fake
from mc import Failure
from mc.records import check, elsewhere, keys, suite, tests
from mc.running import plan

PAGE = fake.TOP / "Documentation/other-tools.rst"
MODES = ("latency_matrix", "idle_latency", "bandwidth_matrix", "peak_injection_bandwidth",
         "max_bandwidth", "loaded_latency", "c2c_latency", "memory_bandwidth_scan")
# As the help of these programs lists them.
OPTIONS = {"options": "abBcCdDeEfgGhHiIjJkKlLmMnopPqQrRStTuUvwxXYZ", "lat_mem_rd": "PWNt",
           "likwid-bench": "haltpsiwWdf"}
# Their values are others than ours: masks, numbers of instructions, files, pairs of options.
OTHER_VALUES = ["-m", "-K", "-M", "-W21", "-W23", "-W27"]
# Calls of other programs, and what they are here; empty: only the front end has it.
CALLS = {
    "bw_mem 64M rd": "bandwidth size=64M op=read",
    "bw_mem -P 4 512k cp": "bandwidth size=512k op=copy cpu=0-3",
    "bw_mem 8m bzero": "bandwidth size=8m op=rep_stosb data=zero",
    "lat_mem_rd 64": "latency size=1K..64M",
    "lat_mem_rd 64 128": "latency size=1K..64M stride=128 pattern=stride",
    "lat_mem_rd -t 64 128": "latency size=1K..64M stride=128 pattern=random",
    "lat_ctx -s 16 2 8": "os item=context processes=2,8 set=16K",
    "lat_ctx -s0 2": "os item=context processes=2 set=0K",
    "lat_syscall null": "os item=getppid",
    "lat_syscall stat /etc/hosts": "os item=stat",
    "lat_proc fork": "os item=fork_exit",
    "lat_sig catch": "os item=signal_catch",
    "lat_select -n 200 tcp": "os item=select_tcp descriptors=200",
    "lat_mmap 2m x": "os item=mmap file=2m",
    "lat_tcp localhost": "os item=tcp",
    "likwid-bench -t triad_avx -w S0:100kB:1": "bandwidth width=32 op=triad size=100kB cpu=0",
    "likwid-bench -t stream_mem_avx512 -w N:1GB:4 -s 2":
        "bandwidth width=64 op=nttriad size=1GB cpu=0-3 time=2",
    "likwid-bench -t copy -W S0:1MB": "bandwidth op=copy size=1MB smt=off",
    "mlc --idle_latency -b200m -c0": "latency size=200m cpu=0",
    "mlc --idle_latency -b 2000 -c 3": "latency size=2000K cpu=3",
    "mlc --loaded_latency -R -t5 -d100 -c2": "loaded node=local op=read time=5 delay=100 "
                                             "latency_cpu=2",
    "mlc --max_bandwidth -X": "bandwidth op=read,rw31,rw21,rw11,triad cpu=all node=local smt=off",
    "mlc --c2c_latency -C 64": "c2c size=64K",
    "mlc --latency_matrix": "",
    "mbw -n 5 256": "bandwidth op=copy size=256M repeat=5",
    "STREAM size=64M": "bandwidth op=copy,triad cpu=all node=local size=64M",
    "/opt/stream_c.exe": "bandwidth op=copy,triad cpu=all node=local",
    "triad": "bandwidth op=triad",
    "ntwrite size=1M": "bandwidth op=ntwrite size=1M",
    "hitm": "c2c state=hitm",
    "peak cpu=0": "bandwidth op=read,rw31,rw21,rw11,triad cpu=0 node=local",
    "bandwidth op=2:1,3:1": "bandwidth op=rw21,rw31",
    "bandwidth op=load_avx512 threads=2": "bandwidth width=64 op=read cpu=0-1",
    "bandwidth threads=1": "bandwidth cpu=0",
    "bandwidth cpus=0-1": "bandwidth cpu=0-1",
    "bandwidth type=write-back iterations=3": "bandwidth type=wb repeat=3",
    "mmio bar=00:05.0/2": "mmio target=00:05.0/2",
    "latency duration=1": "latency time=1",
    "pointer_chase size=1M": "latency size=1M",
    "numa": "",
}
MIXES = (*range(2, 20), 21, 23, 27)


def rows(section):
    """The rows of the table of a section, as lists of cells."""
    text = re.split(r"\n[^\n]+\n-+\n", PAGE.read_text())
    titles = re.findall(r"\n([^\n]+)\n-+\n", PAGE.read_text())
    [table] = [body for title, body in zip(titles, text[1:]) if title.endswith(section)]
    found = [re.split(r"\n     - ", row) for row in table.split("\n   * - ")[1:]]
    return [[" ".join(cell.split()) for cell in row] for row in found]


class Elsewhere(fake.unittest.TestCase):
    def test_what_a_row_names_exists(self):
        known = {operation["name"] for operation in tests.OPERATIONS}
        for row in (elsewhere.Row(**said) for said in tests.ELSEWHERE):
            with self.subTest(row):
                self.assertTrue(not row.suite or suite.exists(row.suite))
                test, _, _ = row.ours.partition(" ")
                if test and "=" not in test:
                    self.assertIn(test, tests.TESTS)
                for word in re.split(r"[ |]", row.ours)["=" not in test:]:
                    key, _, value = word.partition("=")
                    self.assertIn(key, {key for one in tests.TESTS for key in tests.key_names(one)})
                    if key == "op" and value != "*":
                        self.assertLessEqual(set(value.split(",")), known)

    def test_words_hide_no_test_and_no_suite(self):
        for word in (*elsewhere.rows(), *elsewhere.programs()):
            self.assertNotIn(word, tests.TESTS)
            self.assertTrue(word == "mlc" or not suite.exists(word), word)

    def test_each_mode_of_mlc_is_understood(self):
        for mode in MODES:
            self.assertTrue(elsewhere.is_mode(f"--{mode}"), mode)

    def test_options_that_have_a_counterpart_on_the_page_are_understood(self):
        for section, name in (("options", "mlc"), ("bw_mem and lat_mem_rd", "lat_mem_rd"),
                              ("likwid-bench", "likwid-bench")):
            told = [option for row in rows(section) if not row[-1].startswith(r"\-")
                    and re.match(r"``\w+=", row[-1])
                    for option in re.findall(r"``(-\w+)``", row[0])]
            self.assertTrue(told)
            lacking = [option for option in told if not elsewhere._option(
                elsewhere.rows(name), option)[0] and option not in elsewhere.rows(name)]
            self.assertEqual(lacking, OTHER_VALUES if name == "mlc" else [], name)

    def test_both_programs_understand_the_same(self):
        """memcache-user says what a call is, and measures nothing, since the last is wrong."""
        text = subprocess.run([fake.TOP / "tools/tests"], check=True, capture_output=True,
                              text=True).stdout
        known = keys.parse(text)
        done = subprocess.run([fake.TOP / "build/user/memcache-user", *CALLS, "nosuch"],
                              capture_output=True, text=True).stderr
        for call, ours in CALLS.items():
            with self.subTest(call):
                name, *given = call.split()
                line = call
                if elsewhere.program(name) and not all("=" in word for word in given):
                    line, _ = elsewhere.translated(elsewhere.program(name), given)
                line, _ = elsewhere.usual(line, known) if line else ("", "")
                self.assertEqual(line, ours)
                self.assertEqual(check.wrong(ours, known) if ours else "", "")
                self.assertIn(f"memcache-user: {call}: " + (
                    f"this is {ours}\n" if ours else "the front end measures this: memcache run "),
                    done)

    def test_what_has_no_counterpart_is_named(self):
        for call in ("mlc --c2c_latency -S2", "bw_mem 64M xx", "likwid-bench -t", "mbw -b 4 5"):
            name, *given = call.split()
            with self.subTest(call), self.assertRaisesRegex(Failure, f"^{name}: .* has no count"):
                elsewhere.translated(name, given)
        with self.assertRaisesRegex(Failure, "^op=all: name the operations"):
            elsewhere.usual("bandwidth op=all", keys.parse(fake.TESTS))

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
