# SPDX-License-Identifier: GPL-2.0-only
"""memcache-user in the place of other programs: what six harnesses read of those, they read of it.
Each parser is written from what the harness does with the program's output, both streams of it."""

import ctypes
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

import fake

USER = fake.TOP / "build/user/memcache-user"
NUMBER = r"([0-9]+(?:\.[0-9]+)?)"
TWO = len(os.sched_getaffinity(0)) > 1
SET_MEMPOLICY = {"x86_64": 238, "aarch64": 237}.get(os.uname().machine, -1)
PREFERRED, BIND, INTERLEAVE = 1, 2, 3


def bind_memory(mode: int, node: int) -> bool:
    """As numactl does, for this process and those that it starts."""
    nodes = (ctypes.c_ulong * 16)(1 << node)
    return not ctypes.CDLL(None).syscall(SET_MEMPOLICY, mode, nodes if mode else None, 64)


class Answer:
    """What a call has printed, each stream and both as one, and what it had to say."""

    def __init__(self, *words: str, env: dict | None = None, link: bool = False):
        with tempfile.TemporaryDirectory() as directory:
            notes, results = Path(directory, "notes"), Path(directory, "results")
            program = Path(directory, words[0])
            program.symlink_to(USER)
            command = [program, *words[1:]] if link else [USER, "--as", *words]
            done = subprocess.run(command, capture_output=True, text=True, timeout=300,
                                  env={**os.environ, "MEMCACHE_NOTES": str(notes),
                                       "MEMCACHE_RESULTS": str(results), **(env or {})})
            self.notes = notes.read_text() if notes.exists() else ""
            lines = results.read_text().splitlines() if results.exists() else []
            self.results = [one for one in map(json.loads, lines) if one["record"] == "result"]
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.lines = (self.out + self.err).splitlines()


def measured(answer: Answer) -> list[dict]:
    """The results with a figure. A busy host may leave others without one: those have no row, and
    the status says so."""
    found = [one for one in answer.results if one["samples"]]
    assert answer.status == (len(found) < len(answer.results)), answer.notes
    return found


def stream_rows(answer: Answer) -> dict[str, list[float]]:
    """As DCPerf and LKP read STREAM."""
    return {match[1]: [float(word) for word in match[2].split()] for line in answer.lines
            if (match := re.match(r"(Copy|Scale|Add|Triad):\s+(.*)$", line))}


class StandIn(fake.unittest.TestCase):
    def silent(self, answer, stream):
        """Nothing is on the other stream, and what was to say is in the notes."""
        self.assertEqual(getattr(answer, stream), "")
        self.assertEqual([line for line in answer.lines if "memcache-user" in line], [])

    def test_linaro_reads_lmbench(self):
        for op in "rd", "wr", "rdwr", "cp", "frd", "fwr", "fcp", "bzero", "bcopy":
            answer = Answer("bw_mem", "-N", "1", "1m", op, link=op == "rd")
            with self.subTest(op):
                [line] = answer.lines
                mb, rate = map(float, line.split())
                self.assertEqual((mb, answer.status), (1.05, 0))
                twice = 2 if op in ("rdwr", "cp", "fcp", "bcopy") else 1
                self.assertAlmostEqual(rate, answer.results[0]["mb_per_s"] / twice, delta=0.1)
                self.silent(answer, "out")
        answer = Answer("lat_mem_rd", "-N", "1", "1m", "64", "128")
        parts = "\n".join(answer.lines).split("\n\n")
        rows = [line.split() for part in parts for line in part.splitlines()[1:]]
        self.assertEqual([part.splitlines()[0] for part in parts], ['"stride=64', '"stride=128'])
        self.assertEqual([size for size, _ in rows].count("0.12500"), 2)
        self.assertLessEqual({"0.00098", "1.00000"}, {size for size, _ in rows})
        self.assertEqual([ns for _, ns in rows], [f"{one['ns_per_load_min']:.3f}"
                                                  for one in answer.results])
        self.silent(answer, "out")
        self.assertIn("sizes double", answer.notes)

    def test_perfkit_and_dcperf_read_multichase(self):
        for option in "-a", "-v":
            answer = Answer("multichase", option, *"-c simple -t 1 -m 65536 -s 64".split())
            [one] = answer.results
            wanted = one["ns_per_load_min"] if option == "-v" else (
                one["ns_per_load"] * one["mean_ns"] / one["median_ns"])
            self.assertAlmostEqual(float(answer.out.split()[-1]), wanted, delta=0.002)
            self.silent(answer, "err")
            # DCPerf takes lines of two words at most, parted by a single blank.
            [words] = (line.split(" ") for line in answer.lines)
            self.assertLessEqual(len(words), 2)
            self.assertAlmostEqual(float(words[-1]), wanted, delta=0.002)

    def test_kerncraft_reads_likwid(self):
        listed = dict(line.split(" - ", 1) for line in Answer("likwid-bench", "-a").lines)
        self.assertLessEqual({"load", "copy_avx", "stream_mem_avx512", "update_sse",
                              "triad_avx_fma"}, set(listed))
        self.assertFalse({"daxpy", "ddot_avx", "load_mem_sse", "copy_avx_fma"} & set(listed))
        for kernel in "load", "store_sse", "copy", "stream", "triad_mem_sse", "update", "load_mem":
            answer = Answer("likwid-bench", "-t", kernel, "-W", "S0:64kB:1:1:1", "-i", "2")
            with self.subTest(kernel):
                values = dict(re.findall(r"^([^:\n]+):\s+([0-9.e+-]+)", answer.out, re.M))
                self.assertEqual((values["Size (Byte)"], answer.status), ("64000", 0))
                [one] = answer.results
                rate = float(values["MByte/s"])
                self.assertAlmostEqual(rate, one["mb_per_s"] * one["median_ns"] / one["mean_ns"],
                                       delta=rate / 1000)
                self.assertAlmostEqual(rate * 1e6 * float(values["Time"]),
                                       float(values["Data volume (Byte)"]), delta=rate * 10)
                self.silent(answer, "err")
        answer = Answer("likwid-bench", "-t", "daxpy", "-W", "S0:64kB:1:1:1")
        self.assertEqual((answer.lines, answer.status), ([], 2))
        self.assertIn("no loop does this", answer.notes)

    def test_dcperf_and_lkp_read_stream(self):
        answer = Answer("stream", "size=3M", "repeat=2", env={"OMP_NUM_THREADS": "1"})
        self.assertIn("This system uses 8 bytes per array element.", answer.lines)
        [size] = re.findall(r"Array size = (\d+)", answer.out)
        rows = stream_rows(answer)
        self.assertRegex(answer.out, r"Function    Best Rate MB/s  Avg time")
        for name, arrays in ("Copy", 2), ("Scale", 2), ("Add", 3), ("Triad", 3):
            best, mean, least, most = rows[name]
            self.assertLessEqual(least, mean)
            self.assertLessEqual(mean, most)
            self.assertAlmostEqual(least, arrays * 8 * int(size) / best / 1e6, delta=1e-6)
        self.assertEqual(answer.status, 0)
        self.assertIn("Solution Validates", answer.out)
        self.silent(answer, "err")

    @fake.unittest.skipUnless(TWO, "one CPU")
    def test_perfspect_reads_mlc(self):
        answer = Answer("mlc", "--idle_latency", "-b64", "-t0.1", "-c1", "-i9999", link=True)
        self.assertRegex(answer.out, rf"\(\s*{NUMBER}\s*ns\s*\)")
        self.assertIn("no CPU 9999: memory is on the measuring CPU's node", answer.notes)
        self.silent(answer, "err")
        self.assertIn(f"{answer.results[0]['ns_per_load']:.1f}", answer.out)
        for words, count, more in ((["-X"], 19, 0), (["-d0", "-T"], 1, 0), (["-d0", "-R"], 1, 0),
                                   (["-d100", "-W3"], 1, 1 / 3), (["-d9", "-W5"], 1, 1),
                                   (["-d100", "-W7"], 1, 0)):
            answer = Answer("mlc", "--loaded_latency", *words, "-b64", "-t0.02")
            with self.subTest(words):
                rows = re.findall(r"^ (\d{5})\s+(\d+\.\d+)\s+(\d+\.\d+)$", answer.out, re.M)
                self.assertEqual(len(answer.results), count)
                for (_, ns, rate), one in zip(rows, measured(answer), strict=True):
                    load = one.get("load_mb_per_s", one["mb_per_s"])
                    self.assertEqual(ns, f"{one.get('ns_per_load', 0):.2f}")
                    self.assertAlmostEqual(float(rate), one["mb_per_s"] + more * load, delta=0.3)
                self.assertEqual("prints 0.00" in answer.notes, "-T" in words)
                self.silent(answer, "err")
        for mode in "--latency_matrix", "--bandwidth_matrix":
            answer = Answer("mlc", mode, "-b64", "-X", "-t0.02")
            with self.subTest(mode):
                rows = [line.split("\t") for line in answer.lines if re.match(r"\s+\d+\t", line)]
                cells = [cell.strip() for row in rows for cell in row[1:-1]]
                key = "ns_per_load" if "latency" in mode else "mb_per_s"
                self.assertEqual([cell for cell in cells if cell != "-"],
                                 [f"{one[key]:.1f}" for one in measured(answer)])
                self.assertEqual(len(cells), len(rows) ** 2)
                self.silent(answer, "err")

    @fake.unittest.skipUnless(TWO, "one CPU")
    def test_mlc_alone_measures_all(self):
        answer = Answer("mlc", "-b64", "-t0.02")
        # Reads are measured twice: the matrix comes later.
        rates = {one["op"]: one["mb_per_s"] for one in reversed(measured(answer))
                 if one["test"] == "bandwidth"}
        for title, op, factor in (("ALL Reads        :", "read", 1),
                                  ("3:1 Reads-Writes :", "rw21", 4 / 3),
                                  ("2:1 Reads-Writes :", "rw11", 3 / 2),
                                  ("1:1 Reads-Writes :", "write", 2),
                                  ("Stream-triad like:", "nttriad", 1)):
            rate = re.findall(rf"(?m)^{title}\t{NUMBER}", answer.out)
            self.assertEqual(len(rate), op in rates)
            self.assertAlmostEqual(float(*rate), factor * rates.get(op, 0), delta=0.3)
        lines = {one["state"]: one["ns_per_line"] for one in measured(answer)
                 if one["test"] == "c2c" and one["writer_cpu"] == min(os.sched_getaffinity(0))}
        for title, state in ("HIT ", "hit"), ("HITM", "hitm"):
            self.assertEqual(f"Local Socket L2->L2 {title} latency\t{lines.get(state, 0):.1f}"
                             in answer.lines, state in lines)
        self.assertEqual(len(re.findall(r"^ \d{5}\t", answer.out, re.M)),
                         sum(one["test"] == "loaded" for one in measured(answer)))
        self.assertNotRegex(answer.out, r"Intel|v3\.")
        self.silent(answer, "err")

    @fake.unittest.skipUnless(TWO, "one CPU")
    def test_two_cpus_of_mlc_c2c(self):
        reader, writer, *_ = sorted(os.sched_getaffinity(0))
        for mode, key in ("latency", "ns_per_line"), ("bandwidth", "mb_per_s"):
            for words, title in ((), "HITM"), (("-H",), "HIT "):
                answer = Answer("mlc", f"--c2c_{mode}", f"-c{reader}", f"-w{writer}", "-C64",
                                *words)
                lines = [f"Local Socket L2->L2 {title} {mode}\t{one[key]:.1f}"
                         for one in measured(answer) if one["writer_cpu"] == writer]
                self.assertEqual(answer.lines, lines)
                self.assertEqual("no output is published" in answer.notes, mode == "bandwidth")
        # A mode that a timeout ends prints the rows that it has measured.
        answer = Answer("mlc", "--c2c_latency", "-t60", "-C64", "timeout=1")
        self.assertEqual((answer.status, answer.lines), (1, [
            f"Local Socket L2->L2 HITM latency\t{one['ns_per_line']:.1f}"
            for one in answer.results if one["samples"] and one["writer_cpu"] == reader]))

    def test_both_streams_as_one_have_rows_alone(self):
        """As a harness sees a call that ends in 2>&1: nothing of ours is between its rows."""
        matrix = r"\t\tNuma node|Numa node[\t \d]+|[\d. \t-]+"
        rows = (("bw_mem -N 1 64k rd", r"[\d.]+ [\d.]+"),
                ("lat_mem_rd -N 1 1 64", r'"stride=64|[\d.]+ [\d.]+'),
                ("multichase -a -v -c simple -t 1 -m 65536 -s 64", r" *[\d.]+"),
                ("likwid-bench -t copy -W S0:64kB:1:1:1 -i 2", r"[\w ()/]+:\t+[\de.+-]+( sec)?"),
                ("likwid-bench -a", r"\w+ - .+"),
                ("stream size=3M repeat=2", "(A variant|This system|Array|Number|Function|Solution)"
                 r" .+|\w+:( +[\d.]+){4}"),
                ("mlc --idle_latency -b64 -t0.02 -c0 -i9999", r"Each iteration .*\(\t[\d.]+\tns\)"),
                ("mlc --latency_matrix -b64 -t0.02", matrix),
                ("mlc --bandwidth_matrix -b64 -X -t0.02", matrix),
                ("mlc --peak_injection_bandwidth -b64 -t0.02", r"[\w: -]+:\t[\d.]+\t"),
                ("mlc --loaded_latency -d0 -T -b64 -t0.02",
                 r"Inject\t.*|Delay\t.*|=+| \d{5}\t +[\d.]+\t +[\d.]+"))
        for call, row in rows:
            with self.subTest(call), tempfile.TemporaryDirectory() as directory:
                done = subprocess.run(
                    ["sh", "-c", f'exec "$0" --as {call} 2>&1', USER], stdout=subprocess.PIPE,
                    text=True, env={**os.environ, "MEMCACHE_NOTES": f"{directory}/notes"})
                lines = list(filter(None, done.stdout.splitlines()))
                self.assertTrue(lines or done.returncode)
                self.assertEqual([line for line in lines if not re.fullmatch(row, line)], [])

    def test_stream_obeys_its_environment(self):
        cpu = max(os.sched_getaffinity(0))
        for value, wanted in (str(cpu), str(cpu)), ("0 1", "0-1"):
            answer = Answer("stream", "size=3M", "repeat=1", env={
                "GOMP_CPU_AFFINITY": value, "OMP_PROC_BIND": "true"})
            self.assertEqual({one["cpu"] for one in answer.results}, {wanted}, answer.notes)
        for name, value, why in (("OMP_PLACES", "cores", "write the CPUs"),
                                 ("OMP_THREAD_LIMIT", "1", "write OMP_NUM_THREADS")):
            answer = Answer("stream", "size=3M", env={name: value})
            self.assertEqual((answer.lines, answer.status), ([], 2))
            self.assertIn(f"{name}={value}: {why}", answer.notes)

    def test_memory_that_was_bound_stays_there(self):
        """Where numactl has bound the process to a node, that node's memory is measured."""
        self.addCleanup(bind_memory, 0, 0)
        for mode in BIND, PREFERRED:
            if not bind_memory(mode, 0):
                self.skipTest("no memory can be bound")
            for call in "stream size=3M repeat=1", "bw_mem -N 1 64k rd", "lat_mem_rd -N 1 1 64":
                answer = Answer(*call.split())
                self.assertEqual({one["node"] for one in answer.results}, {0}, answer.notes)
        bind_memory(INTERLEAVE, 0)
        answer = Answer("stream", "size=3M")
        self.assertEqual((answer.lines, answer.status), ([], 2))
        self.assertIn("-i 0: memory is of one node", answer.notes)

    def test_mlc_takes_the_largest_pages(self):
        there = [page for page in ("2m", "thp", "4k") if subprocess.run(
            [USER, "latency", "size=64K", "repeat=1", f"page={page}"], capture_output=True,
            text=True).returncode == 0]
        for words, page in ((), there[0]), (("page=4k",), "4k"):
            answer = Answer("mlc", "--idle_latency", "-b64", "-t0.02", *words)
            self.assertEqual({one["page"] for one in answer.results}, {page}, answer.notes)

    def test_rows_that_are_lost(self):
        """A full disk, or a stream that is closed, is no success."""
        for call, stream in (("bw_mem -N 1 64k rd", 2), ("multichase -m 64k -n 1", 1)):
            for place in f"{stream}>/dev/full", f"{stream}>&-":
                done = subprocess.run(["sh", "-c", f'exec "$0" --as {call} {place}', USER],
                                      capture_output=True, text=True)
                self.assertEqual((done.stdout + done.stderr, done.returncode), ("", 1), place)

    def test_notes_without_a_file_are_on_no_stream(self):
        for path in "/nosuch/notes", "":
            answer = Answer(*"multichase -m 64k -n 1".split(), env={"MEMCACHE_NOTES": path})
            self.assertEqual((answer.err, answer.status, len(answer.lines)), ("", 0, 1))

    def test_what_was_not_measured_has_no_row(self):
        """Nor has anything else a line that a harness could take for a result."""
        for call, why in (("bw_mem 1m xx", "xx has no counterpart here"),
                          ("bw_mem 8 rd", "size: '8' is outside"),
                          ("mlc --c2c_readerbw_matrix -X", "has each pair of CPUs"),
                          ("mlc --memory_bandwidth_scan", "has no layout here"),
                          ("mlc --nosuch", "--nosuch has no counterpart here"),
                          ("mlc --idle_latency -c9999", "cpu: '9999' names"),
                          ("mlc --latency_matrix --bandwidth_matrix -Q -W13", "no loop is known"),
                          ("likwid-bench -t clload -w N:1MB", "loops take all of a line"),
                          ("likwid-bench -t _avx -w N:1MB", "no loop is known"),
                          ("lat_mem_rd -x", "-x has no counterpart"), ("lat_mem_rd 0", "size: "),
                          ("multichase -c work:5", "loads alone"), ("multichase -m 8", "size: "),
                          ("stream -x", "-x has no counterpart"), ("stream size=9", "size: ")):
            answer = Answer(*call.split())
            self.assertEqual((answer.lines, answer.status), ([], 2), call)
            self.assertIn(why, answer.notes)
        for words, which in ([], ""), (["nosuch"], ", not nosuch"):
            done = subprocess.run([USER, "--as", *words], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, f"--as needs mlc, .* or multichase{which}\n$")
