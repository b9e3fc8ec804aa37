# SPDX-License-Identifier: GPL-2.0-only
"""The names that other tools have for what memcache measures, and the page that maps their
options."""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

import fake
import made_up
from mc.commands import cli
from mc.records import check, keys, suite, tests
from mc.running import plan

sys.path.insert(0, str(fake.TOP / "Documentation/sphinx"))
import calls

USER = fake.TOP / "build/user/memcache-user"
MODES = ("latency_matrix", "idle_latency", "bandwidth_matrix", "peak_injection_bandwidth",
         "max_bandwidth", "loaded_latency", "c2c_latency", "c2c_bandwidth", "memory_bandwidth_scan")
# As the help of these programs lists them.
OPTIONS = {"mlc": "abBcCdDeEfgGhHiIjJkKlLmMnopPqQrRStTuUvwxXYZ", "lat_mem_rd": "PWNt",
           "bw_mem": "PWN", "likwid-bench": "haltpsiwWdf", "multichase": "acmsHTtnov"}
# The CPUs that this process may use, if they are as they are everywhere.
ALL = f"0-{max(os.sched_getaffinity(0))}" if os.sched_getaffinity(0) - {0} else "0"
# Calls of other programs, and what they are here.
CALLS = {
    "bw_mem 64M rd": "bandwidth size=64M op=read",
    "bw_mem -P 4 512k cp": "bandwidth cpu=0-3 size=4096k op=copy",
    "bw_mem -P 2 1500k rd": "bandwidth cpu=0-1 size=3000k op=read",
    "numactl -C 2-5 ./bw_mem -P 2 -N 5 32M bzero":
        "bandwidth cpu=2-3 repeat=5 size=64M op=rep_stosb data=zero",
    "bw_mem -P 1 64m rd": "bandwidth cpu=0 size=64m op=read",
    "bw_mem 8m bzero": "bandwidth size=8m op=rep_stosb data=zero",
    "taskset -c 0 bw_mem 8m fcp": "bandwidth cpu=0 size=16m op=copy",
    "perf bench mem memcpy -s 2M": "bandwidth op=copy size=4M",
    "lat_mem_rd -P 1 64": "latency size=1K..64M stride=64 pattern=stride",
    "numactl --localalloc --physcpubind=0 lat_mem_rd -P 1 -t 256M 128":
        "latency size=1K..256M stride=128 pattern=random cpu=0 node=local",
    "lat_mem_rd 256m 128": "latency size=1K..256M pattern=stride stride=128",
    "lat_mem_rd 1 4096": "latency size=8K..1M pattern=stride stride=4096",
    "lat_mem_rd -t 64 128 256": "latency size=1K..64M pattern=random stride=128,256",
    "lat_ctx -s 16 2 8": "os item=context set=16K processes=2,8",
    "lat_syscall null": "os item=getppid",
    "lat_syscall stat /etc/hosts": "os item=stat",
    "lat_tcp -W 5 localhost": "os item=tcp",
    "lat_proc fork": "os item=fork_exit",
    "lat_sig catch": "os item=signal_catch",
    "lat_select -n 200 tcp": "os item=select_tcp descriptors=200",
    "lat_mmap 2m x": "os item=mmap file=2m",
    "lat_tcp localhost": "os item=tcp",
    "numactl --membind 0 --physcpubind 0,2 -- ./multichase -m 1g -T4k":
        "latency size=1g stride=256 pattern=page cpu=0 node=0",
    "multichase -X -p2m -o": "latency size=256M stride=256 pattern=stride cpu=any page=2m",
    "multichase -a -v -c simple -t 1 -m 1048576 -s 128":
        "latency size=1048576 stride=128 pattern=random",
    "likwid-bench -t stream_avx_fma -w S0:100kB:1":
        "bandwidth width=32 op=triad size=99968 cpu=0",
    "likwid-bench -t stream_mem_avx512 -W N:1GB:1:1:2 -s 2":
        "bandwidth width=64 op=nttriad size=1000000000 cpu=0 node=local time=2",
    "likwid-bench -t triad_avx -w N:1MB:1 -i 8388608":
        "bandwidth width=32 op=triad4 size=1000000 cpu=0 repeat=10000",
    "likwid-bench -t load_mem -w M0:64KB:1": "bandwidth width=16 op=ntread size=64000 cpu=0",
    "likwid-bench -t load_mem -w M0:64kB:1": "bandwidth width=16 op=ntread size=64000 cpu=0",
    "likwid-bench -t copy -w N:1MB": f"bandwidth width=8 op=copy size=1000000 cpu={ALL}",
    "mlc --idle_latency -b200m -c0 -i0": "latency size=200m cpu=0 node=0",
    "mlc --idle_latency -b 2000 -c 3 -j1": "latency size=2000K cpu=3 node=1",
    "mlc_avx512 --max_bandwidth -b100m -k0,2-4 -W3":
        "bandwidth op=rw21 width=16 cpu=0,2-4 node=local size=400m",
    "mlc --loaded_latency -R -t5 -d 100 -c2 -k 0-1":
        "loaded node=local delay=100 op=read time=5 cpu=0-1,2 latency_cpu=2",
    "mlc --loaded_latency -d0 -T": "bandwidth node=local op=read width=16 cpu=all",
    "mlc --loaded_latency -d0 -T -c0": "bandwidth node=local op=read width=16 cpu=all",
    "mlc --loaded_latency -d0 -T -c0 -k1": "bandwidth node=local op=read width=16 cpu=1",
    "mlc --loaded_latency -T -Z -W7": "bandwidth node=local op=ntrw21 width=64 cpu=all",
    "mlc --max_bandwidth -X":
        "bandwidth op=read,rw21,rw11,write,nttriad width=16 cpu=all node=local smt=off",
    "mlc --loaded_latency -r -d0": "loaded node=local delay=0",
    "taskset -c 2-5 likwid-bench -t copy -w N:1MB:2:1:2":
        "bandwidth width=8 op=copy size=1000000 cpu=2,4",
    "mlc --c2c_latency -C 64 -l128": "c2c size=64K stride=128",
    "mlc --c2c_latency -c0 -w24 -e -r": "c2c cpu=0,24 state=hitm prefetch=keep",
    "mlc --c2c_bandwidth -b64 -X -Y": "c2c loads=independent size=64K smt=off",
    "mlc --idle_latency -Z": "latency size=auto",
    "mlc --loaded_latency -d0 -Y": "loaded node=local delay=0",
    "mlc --latency_matrix": "suite latency-matrix",
    "mlc --idle_latency": "latency size=auto",
    "perf bench mem memcpy size=4M": "bandwidth op=copy size=4M",
    "mlc -T --loaded_latency": "bandwidth op=read cpu=all node=local width=16",
    "bandwidth op=load_avx,store_avx": "bandwidth width=32 op=read,write",
    "mlc --latency_matrix -X": "suite latency-matrix smt=off",
    "mbw -n 5 256": "bandwidth op=copy repeat=5 size=512M",
    "sudo perf bench mem memset --size 1MB --nr_loops 5 -f default":
        "bandwidth op=write size=1MB repeat=5",
    "likwid-pin -c 0 ./stream": "bandwidth op=copy,scale,add,triad cpu=0 node=local",
    "numactl -N all -p 1 -a ./stream": f"bandwidth op=copy,scale,add,triad cpu={ALL} node=1",
    "numactl --physcpubind=1 --membind=1 ./stream":
        "bandwidth op=copy,scale,add,triad cpu=1 node=1",
    "STREAM size=64M": "bandwidth op=copy,scale,add,triad cpu=all node=local size=64M",
    "/opt/stream_c.exe": "bandwidth op=copy,scale,add,triad cpu=all node=local",
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
    "bandwidth op=stream_mem_avx512_fma": "bandwidth width=64 op=nttriad",
    "bandwidth op=1:1 cpus=each": "bandwidth op=rw11 measure=each",
    "bandwidth type=write-back iterations=3": "bandwidth type=wb repeat=3",
    "mmio bar=00:05.0/2": "mmio target=00:05.0/2",
    "latency duration=1": "latency time=1",
    "pointer_chase size=1M": "latency size=1M",
    "numa": "suite latency-matrix",
}
# The calls whose options have rows of their own.
MODE_OF = {"mlc bandwidth-matrix": "mlc --bandwidth_matrix", "mlc mlc": "mlc"}
MIXES = (*range(2, 20), 21, 23, 27)
# The loops that likwid-bench 5.2 lists, without the ends that say how wide accesses are.
KERNELS = ("clcopy clload clstore copy copy_mem daxpy daxpy_mem daxpy_sp daxpy_sp_mem ddot "
           "ddot_sp divide load load_mem peakflops peakflops_sp store store_mem stream "
           "stream_mem stream_sp stream_sp_mem sum sum_sp triad triad_mem triad_sp "
           "triad_sp_mem update update_sp").split()


class Elsewhere(fake.unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.known = keys.parse(fake.described_tests())

    def planned(self, *words):
        """The requests for these words, and what is said."""
        said, kernel = [], fake.Kernel()
        with mock.patch.object(kernel, "tests", return_value=self.known):
            return plan.requests(list(words), plan.Place([kernel], say=said.append)), said

    def refused(self, said, *words):
        fake.refused(self, said, self.planned, *words)

    def test_what_a_row_names_exists(self):
        known = {operation["name"] for operation in tests.OPERATIONS}
        keys = {key for test in self.known.values() for key in test} | {
            ":each", ":array", ":bytes", ":threads", ":within", ":on", ":with", ":at"}
        rows, programs = calls.rows(), {row.of for row in calls.rows()}
        words = {(row.of, calls.readable(row.word)) for row in rows}
        self.assertEqual(len(rows), len(re.findall(r"^(?:CALL|WORD)\(", calls.TABLE.read_text(),
                                                   re.M)))
        program = USER.read_bytes()
        for row in rows:
            with self.subTest(row):
                for text in row.means, row.note:
                    self.assertTrue(f"{text}\0".encode() in program, text)
                self.assertIn(row.how, ("EXACT", "MORE", "SAME", "NONE"))
                self.assertTrue(row.note or row.how == "EXACT")
                self.assertTrue(row.means or not row.of)
                if row.ours in programs - {""}:
                    continue
                for number, word in enumerate(row.ours.split()):
                    key, equals, value = word.partition("=")
                    if key == ":suite":
                        self.assertTrue(suite.exists(value))
                    elif word.startswith("-"):
                        self.assertIn((row.of, word), words)
                    elif word and not equals:
                        self.assertEqual(number, 0)
                        self.assertIn(word, tests.TESTS)
                    elif word:
                        self.assertIn(key.rstrip("+"), keys)
                    if key == "op" and value not in ("", "*"):
                        self.assertLessEqual(set(value.split(",")), known)

    def test_words_hide_no_test_and_no_suite(self):
        for word in (*(calls.readable(row.word) for row in calls.rows() if not row.of),
                     *tests.CALLS):
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
                    self.assertIn(f"{call}: this is the suite {name}", said[-1])
                    self.assertIn(f"memcache-user: {call}: the front end measures this: memcache "
                                  f"run {name}\n", done)
                else:
                    [one] = found
                    self.assertEqual(sorted(one.line.split()), sorted(ours.split()))
                    self.assertEqual(check.first_mistake(one.line, self.known), "")
                    self.assertEqual(said[-1], f"{call}: this is {one.line}")
                    self.assertEqual(len(said), len({*said}))
                    self.assertIn(f"memcache-user: {call}: this is {one.line}\n", done)

    def test_words_without_their_key(self):
        for words, lines in (("bandwidth write 4K", "bandwidth op=write size=4K"),
                             ("bandwidth read copy", "bandwidth op=read;bandwidth op=copy"),
                             ("latency size 4K cpu = 1", "latency size=4K cpu=1"),
                             ("latency size= 4K", "latency size=4K"),
                             ("latency size =4K", "latency size=4K"),
                             ("line bandwidth", "line;bandwidth")):
            self.assertEqual(";".join(one.line for one in self.planned(*words.split())[0]), lines)

    def test_words_for_a_suite(self):
        found, _ = self.planned("cache-attributes", "threads=2", "iterations=3")
        self.assertTrue(found and all("cpu=0-1" in one.line and "repeat=3" in one.line
                                      for one in found))
        self.refused("^op=all: name the operations", "cache-attributes", "op=all")

    def test_what_has_no_counterpart_is_named(self):
        for call in ("bw_mem 64M xx", "mbw -b 4 5", "bw_pipe x", "mlc_avx512 --nosuch",
                     "stream 5", "lat_syscall fstat",
                     "likwid-bench -t copy -W C1:1MB", "likwid-bench -t copy -w S0",
                     "likwid-bench -t copy -w S0:100kB:2:1", "likwid-bench -w S0:1MB:1:1:0",
                     "likwid-bench -t copy -w N:1MB:x", "likwid-bench -t copy -w S0:1MB:",
                     "likwid-bench -t copy -w N:99999999999GB",
                     "likwid-bench -t copy -w N:1MB:2:1:4294967297", "likwid-bench -t copy -w N:10",
                     "likwid-bench -t sum_sp -w N:1MB:1", "multichase -x", "perf stat ls"):
            self.refused(f"^{call.split()[0].replace('_avx512', '')}: .* has no count", call)
        for row in calls.rows():
            if row.of and row.how == "NONE" and row.word:
                self.refused(f"^{row.of.split()[0]}: {calls.readable(row.word)[0]}.*: "
                             f"{re.escape(row.note)}",
                             f"{MODE_OF.get(row.of, row.of)} "
                             + calls.readable(row.word).replace("*", "5,x"))
        for kernel in "daxpy_mem_sse", "daxpy_avx_fma", "clload", "ddot_sp":
            self.refused(f"^likwid-bench: -t {kernel}: ", f"likwid-bench -t {kernel} -w N:1MB:1")
        for call, why in (
                *((f"bw_mem -P {n} 8M rd", f"-P {n} is no number of CPUs$")
                  for n in ("x", 0, "4x")),
                *((f"bw_mem -P {n} 8M rd", f"-P {n} is more than these CPUs$")
                  for n in (99999, 2 ** 32 + 1)),
                ("numactl -C 0-2 bw_mem -P 4 64M rd", "-P 4 is more than these CPUs$"),
                ("likwid-bench -t copy -w N:1MB:9999", "-w .* is more than these CPUs$"),
                ("numactl -C +0 bw_mem 64M rd", "-C [+]0 names no CPUs$"),
                ("likwid-bench -t copy -w S99:100kB:1", "-w .* names no CPUs$"),
                ("taskset -c 0 likwid-bench -t copy -w N:1MB -W N:2MB", ".* two requests; "),
                ("numactl -C 1 mlc --idle_latency -c0", "-c0 and -C 1 are two requests; "),
                *((call, ".* is no whole number, or has a unit that it does not know$")
                  for call in (
                    "lat_mem_rd 2g 64", "lat_mem_rd 64k", "lat_mem_rd 0.5", "bw_mem 1g rd",
                    "bw_mem 1.5M rd", "bw_mem 128MB rd", "mbw 1G",
                    "likwid-bench -t copy -w N:1MB:1 -i 12345x"))):
            self.refused(f"^(?!numactl|taskset)[a-z_-]+: {why}", call)
        for second, why in ("-w N:1MB:1", "has a CPU twice"), ("-w S99:1MB:1", "names no CPUs"), (
                "-i 9 -w N:1MB:2", "has a CPU twice"):
            self.refused(f"^likwid-bench: -w S0:1MB:1 {second.removeprefix('-i 9 ')} {why}$",
                         f"likwid-bench -t copy -w S0:1MB:1 {second}")
        self.refused("^numactl: -m 0,1: memory is of one node; write its number$",
                     "numactl -m 0,1 stream")
        for call, key in (("bw_mem", "op="), ("bw_mem rd", "size="), ("lat_mem_rd -t", "size="),
                          ("mbw -q", "size="), ("likwid-bench -w N:1MB", "op="),
                          ("likwid-bench -t copy", "size=")):
            self.refused(f"^{call.split()[0]}: .* has no counterpart here without {key}$", call)
        for call in ("likwid-bench -t", "bw_mem 64M rd -P", "mlc --loaded_latency -d -R",
                     "mbw 5 -n", "lat_ctx -s"):
            self.refused(f"^{call.split()[0]}: -. needs a value$", call)
        self.refused("^op=all: name the operations", "bandwidth op=all")
        self.refused("^likwid-bench: -t copy_avx_avx512: no loop is known to do this$",
                     "likwid-bench -t copy_avx_avx512 -w N:1MB:1")
        self.refused("^mlc: -i x: ", "mlc --idle_latency -i x")
        for call, why in (("--loaded_latency -w0", "-w0: loaded has no state="),
                          ("--max_bandwidth -l128", "-l128: bandwidth has no stride="),
                          ("--c2c_latency -Q -r", "-Q: c2c has no op="),
                          ("--c2c_latency -Y -L -d 5", "-d 5: c2c has no delay=")):
            self.refused(f"^mlc: {why}$", f"mlc {call}")
        for end in "_fma", "_avx", "_sse_fma", "copy_avx_avx512":   # an end of nothing, or two
            self.refused(f"^op: '{end}' is not one of [^(]*$", f"bandwidth op={end}")

    def test_a_size_of_each_thread_needs_their_number(self):
        self.refused("^mlc: -b100: it is the size of a thread; write the size of all: size=$",
                     "mlc --bandwidth_matrix -b100")

    def test_a_size_of_each_thread_counts_the_cpus_that_a_test_takes_by_itself(self):
        lines = [subprocess.run([str(USER), "--translate", f"mlc {mode} -b4m"], text=True,
                                capture_output=True, check=True).stdout
                 for mode in ("--loaded_latency", "--loaded_latency -kall", "--max_bandwidth",
                              "--loaded_latency -d0 -T")]
        sizes = [re.search("size=[0-9]+m", line)[0] for line in lines]
        self.assertEqual(set(sizes), {f"size={4 * len(os.sched_getaffinity(0))}m"})

    def test_the_environment_of_stream(self):
        stream = "bandwidth op=copy,scale,add,triad cpu={} node=local"
        for call, cpus in (
                ("taskset 0x8000000000000105 ./stream", "0,2,8,63"),
                ("taskset -- 8000000000000105 ./stream", "0,2,8,63"), ("taskset F ./stream", "0-3"),
                ("OMP_NUM_THREADS=8 ./stream", "0-7"), ("GOMP_CPU_AFFINITY=0,2 ./stream", "0,2"),
                ("GOMP_CPU_AFFINITY=0,2 numactl -C 1 ./stream", "0,2"),
                ("numactl -C 1-2 taskset -c 0 ./stream", "0"),
                ("OMP_PROC_BIND=true OMP_NUM_THREADS=2 taskset -c 1-5 ./stream_c.exe", "1-2")):
            [one], _ = self.planned(call)
            self.assertEqual(one.line, stream.format(cpus))
        for word in "OMP_PROC_BIND=spread", "OMP_PLACES=cores", "KMP_AFFINITY=scatter":
            self.refused(f"^stream: {word}: write the CPUs: cpu=0,8$", f"{word} ./stream")
        self.assertEqual(cli._as_run("OMP_NUM_THREADS=8 taskset -c 0-7 ./stream".split()),
                         ["run", "OMP_NUM_THREADS=8 taskset -c 0-7 ./stream"])
        self.refused("^'LD_PRELOAD': not a key of bandwidth", "LD_PRELOAD=x.so ./stream")

    def test_the_environment_of_the_process(self):
        """STREAM obeys OpenMP's variables, unless the call says otherwise."""
        for call, env, cpus in (("stream", {"OMP_NUM_THREADS": "8"}, "0-7"),
                                ("OMP_NUM_THREADS=2 ./stream", {"OMP_NUM_THREADS": "8"}, "0-1"),
                                ("stream cpu=0", {"OMP_NUM_THREADS": "8"}, "0"),
                                ("mbw 8", {"OMP_NUM_THREADS": "8"}, None)):
            with mock.patch.dict(os.environ, env):
                [one], _ = self.planned(call)
            self.assertEqual(re.findall(r" cpu=(\S+)", one.line), [cpus] if cpus else [])
        with mock.patch.dict(os.environ, {"OMP_PLACES": "cores"}):
            self.refused("^stream: OMP_PLACES=cores: write the CPUs", "stream")

    def test_memcache_user_takes_keys_with_blanks(self):
        for words in "latency size = 4K", "latency size= 4K", "latency size =4K":
            done = subprocess.run([USER, "--translate", *words.split()], capture_output=True,
                                  text=True)
            self.assertEqual((done.stdout, done.stderr), ("latency size=4K\n", ""))
        done = subprocess.run([USER, "--translate", "random size=", "chase cpu=0"],
                              capture_output=True, text=True)
        self.assertEqual(done.stdout, "random size=\nlatency cpu=0\n")

    def test_a_note_is_of_what_is_measured(self):
        for call, said in (("-t load -w N:1MB:1", True), ("-t load_avx -w N:1MB:1", False)):
            _, notes = self.planned(f"likwid-bench {call}")
            self.assertEqual(any("width=8 is in general registers" in one for one in notes), said)

    def test_nodes_and_packages(self):
        """On machines with several nodes, of which some have no memory, or no CPUs."""
        for name, cpus in (
                ("2990wx", {"numactl -N 1 ./stream": "8-15,40-47", "numactl -N1 mbw 8": "8",
                            "likwid-bench -t load -w M3:1GB:3": "24-25,56"}),
                ("cxl", {"numactl -N0-1 -m2 ./stream": "0-127", "numactl -N 2 ./stream": None,
                         "mlc --idle_latency -c40 -i100": "40",
                         "OMP_NUM_THREADS=8 numactl -N1 ./stream": "32-39",
                         "numactl -N1 mlc --loaded_latency": "32-63,96-127",
                         "likwid-bench -t load -w S1:1GB:2:1:2": "32-33",
                         "likwid-bench -t load -W S0:1GB:2:1:2 -W S1:1GB:2:1:2": "0-1,32-33",
                         "taskset -c 0,32 likwid-bench -t load -W S0:1GB -W S1:1GB": "0,32",
                         "taskset -c 0 likwid-bench -t load -W S0:1GB -W S1:1GB": None,
                         "likwid-bench -t load -w S0:1GB:2 -w S1:1GB:2": "0,32,64,96",
                         "likwid-bench -t load -w N:1GB:2:1:64 -w M1:1GB:2:1:2": None,
                         "likwid-bench -t load -W S0:1GB:2 -W S1:1GB:3": None,
                         "likwid-bench -t load -W S0:1GB:2 -W S1:2GB:2": None,
                         "likwid-bench -t load -W S1:1GB": "32-63,96-127"}),
                ("epyc-guest", {"numactl -N0 bw_mem -P 2 8m rd": "5,70",
                                "likwid-bench -t load -w N:1GB:4": None})):
            with tempfile.TemporaryDirectory() as root:
                made_up.machines()[name].write(Path(root))
                for call, wanted in cpus.items():
                    done = subprocess.run([USER, "--translate", call], capture_output=True,
                                          text=True, env={**os.environ, "MEMCACHE_SYSROOT": root})
                    with self.subTest(call, machine=name):
                        self.assertEqual(re.findall(r" cpu=(\S+)", done.stdout),
                                         [wanted] if wanted else [])
                        self.assertIn("node=1" if "-i100" in call else "", done.stdout)
                        self.assertIn("size=2000000000" if wanted and call.count("-W") > 1 else "",
                                      done.stdout)

    def test_no_word_is_dropped(self):
        for call in ("mlc --latency_matrix --bandwidth_matrix",
                     "mlc --idle_latency --latency_matrix",
                     "mlc --loaded_latency -b100 -b 200",
                     "likwid-bench -t copy -w N:1MB:1 -w N:2MB:1",
                     "mlc --max_bandwidth -W3 -W5", "mlc --loaded_latency -R -W3",
                     "likwid-bench -t copy -w S0:1MB:1 -i 9 -W S1:1MB:1", "bw_mem 64M rd cp",
                     "lat_syscall null read", "bw_mem 64M rd op=copy", "bw_mem 1m size=4M rd",
                     "lat_tcp -W 5 -W 6", "likwid-bench -t load_avx -w N:1MB -t load_fma"):
            self.refused(f"^{call.split()[0].lower()}: .* are two requests; make two calls$", call)
        self.refused("^lat_ctx: more than 64 words$", f"lat_ctx -s 0 {' '.join(['2'] * 70)}")
        self.refused("^'suite': ", "bandwidth suite op=read")
        for words in ("-l128 -r", "-r -l128", "-r -l128 -U"):
            [one], _ = self.planned(f"mlc --idle_latency {words}")
            self.assertEqual(set(one.line.split()[2:]), {"stride=128", "pattern=random"})

    def test_the_manual_has_all_programs(self):
        page = (fake.TOP / "Documentation/other-tools.rst").read_text()
        self.assertEqual(set(" ".join(re.findall(r"calls:: ((?:.|\n {5,})+)", page)).split()),
                         {row.of.split()[0] for row in calls.rows() if row.of})
        self.assertIn("``--idle_latency`` | idle latency of a CPU | \"≈ ``latency size=auto``; ",
                      calls.table(["mlc"]))
        self.assertNotIn("bw_mem", calls.table(["mlc"]))

    def test_without_memcache_user(self):
        wrong = (("bw_mem 64M rd", "^test: 'bw_mem' is not one of "), ("triad", "^no suite triad "),
                 ("bandwidth threads=2", "^'threads': not a key of bandwidth; "),
                 ("cache-attributes threads=2", "^cache-attributes: 'threads': not a key of "))
        for line, fault in wrong:
            with mock.patch("mc.running.user.find", return_value=None):
                self.refused(f"{fault}.*memcache-user, which .*, is not there: make user", line)
            # One that does not know the option, and one that can't be executed.
            for other in (shutil.which("false"), str(calls.TABLE)):
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

    def test_an_option_without_its_value_takes_no_request_for_it(self):
        for typed in "bandwidth -o", "triad --store", "run latency --host":
            fake.refused(self, f"^{typed.split()[-1]} has no value", cli._as_run, typed.split())

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

    def test_every_option_and_every_loop_has_a_row(self):
        known = {(row.of, calls.readable(row.word).rstrip("*")) for row in calls.rows()}
        for program, letters in OPTIONS.items():
            for letter in letters:
                self.assertIn((program, f"-{letter}"), known)
        for mix in MIXES:
            self.assertIn(("mlc", f"-W{mix}"), known)
        for mode in MODES:
            self.assertIn(("mlc", f"--{mode}"), known)
        lines = [f"likwid-bench -t {kernel}{end} -w N:1MB:1" for kernel in KERNELS
                 for end in ("", "_sse", "_avx_fma", "_avx512")]
        said = subprocess.run([USER, "--translate", *lines], capture_output=True, text=True).stderr
        self.assertEqual(set(re.findall(r"(\w+) has no counterpart", said)),
                         {f"{kernel}" for kernel in KERNELS
                          if "sp" in kernel and not kernel.startswith(("daxpy", "ddot",
                                                                       "peakflops"))})
