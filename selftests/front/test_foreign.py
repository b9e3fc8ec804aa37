# SPDX-License-Identifier: GPL-2.0-only
"""`memcache import` of what other programs print: records that compare, plot, trend and fleet take.
The texts are parts of published outputs."""

import contextlib
import json
import re
import subprocess
from pathlib import Path

import fake
from mc import Failure
from mc.commands import cli
from mc.output import comparison, terminal
from mc.records import fields, foreign, results

MLC = """\
Intel(R) Memory Latency Checker - v3.11b
Measuring idle latencies for sequential access (in ns)...
\t\tNuma node
Numa node\t     0\t     1
       0\t  82.1\t 141.0
       1\t 141.5\t  81.5

Measuring Peak Injection Memory Bandwidths for the system
Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)
ALL Reads        :\t158844.5\t
3:1 Reads-Writes :\t150658.6\t
1:1 Reads-Writes :\t143355.4\t
Stream-triad like:\t128158.7\t

Measuring Memory Bandwidths between nodes within system
Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)
Using Read-only traffic type
\t\tNuma node
Numa node\t     0\t     1
       0\t79670.3\t34393.4
       1\t34385.7\t     -

Measuring Loaded Latencies for the system
==========================
 00000\t329.26\t 159154.0
 00100\t  0.00\t 159225.6

Measuring cache-to-cache transfer latency (in ns)...
Local Socket L2->L2 HIT  latency\t45.0
Remote Socket L2->L2 HITM latency (data address homed in writer socket)
\t\t\tReader Numa Node
Writer Numa Node     0\t     1\t
            0\t     -\t 112.8\t
            1\t 112.7\t     -\t
Remote Socket L2->L2 HITM latency (data address homed in reader socket)
\t\tReader Socket
Writer Socket         0         1
            0         -     176.5
            1     177.3         -
Each iteration took 29.1 base frequency clocks (\t11.7\tns)
"""
STREAM = """\
STREAM version $Revision: 5.10 $
This system uses 8 bytes per array element.
Array size = 1000000 (elements), Offset = 0 (elements)
Number of Threads counted = 1
Copy:           19440.3     0.000834     0.000823     0.000852
Triad:          21230.9     0.001140     0.001130     0.001151
"""
LMBENCH = """\
[lmbench3.0 results for Linux box 5.4.0-42-generic]
"Memory read bandwidth
1.05 17205.09

"libc bcopy unaligned
1.05 9205.09

"stride=128
0.00049 0.000
64.00000 91.500
"""
LIKWID = """\
LIKWID MICRO BENCHMARK
Test: stream_mem_avx_fma
Using 2 threads
Size (Byte):            2000000000
MByte/s:                14479.33
"""
MULTICHASE = "nr_threads = 1\ntotal_memory = 268435456 (256.0 MiB)\nstride = 256\n91.230\n"
TINYMEMBENCH = """\
tinymembench v0.4.9 (simple benchmark for memory throughput and latency)
 C copy                                               :   7153.3 MB/s (3.7%)
 standard memset                                      :   5833.2 MB/s (1.0%)
block size : single random read / dual random read, [MADV_HUGEPAGE]
      1024 :    0.0 ns          /     0.0 ns
  67108864 :   69.4 ns          /    94.7 ns
"""
# Each program's text, its version, and of some records the keys and figures, by their place.
CASES = {
    "mlc": (MLC, "3.11b", {
        0: {"test": "latency", "node": 0, "ns_per_load": 82.1, "size_bytes": None},
        2: {"cpu": "node 1", "node": 0, "ns_per_load": 141.5}, 4: {"ns_per_load": 11.7},
        5: {"op": "read", "mb_per_s": 158844.5},
        6: {"op": "rw21", "mb_per_s": 150658.6 * 3 / 4, "tool_mb_per_s": 150658.6},
        7: {"op": "write", "mb_per_s": 143355.4 / 2}, 8: {"op": "nttriad", "mb_per_s": 128158.7},
        11: {"cpu": "node 1", "node": 0, "mb_per_s": 34385.7}, 12: {"mb_per_s": 159225.6},
        13: {"test": "loaded", "op": "read", "delay_cycles": 0, "ns_per_load": 329.26},
        14: {"test": "c2c", "state": "hit", "cpu": None, "ns_per_line": 45.0},
        15: {"state": "hitm", "home": "writer", "cpu": "node 0 to node 1", "ns_per_line": 112.8},
        18: {"home": "reader", "cpu": "node 1 to node 0", "ns_per_line": 177.3}}),
    "stream": (STREAM, "5.10", {
        0: {"op": "copy", "size_bytes": 16000000, "threads": 1, "mb_per_s_max": 19440.3},
        1: {"op": "triad", "size_bytes": 24000000, "min_ns": 1.13e6, "width_bytes": None}}),
    "lmbench": (LMBENCH, "3.0", {
        0: {"op": "read", "mb_per_s": 17205.09, "size_bytes": 1050000},
        1: {"op": "bcopy", "mb_per_s": 2 * 9205.09, "tool_mb_per_s": 9205.09},
        2: {"size_bytes": 512, "stride_bytes": 128, "ns_per_load": None},
        3: {"size_bytes": 64 << 20}}),
    "likwid": (LIKWID, None, {0: {"op": "nttriad", "width_bytes": 32, "threads": 2,
                                  "size_bytes": 2000000000, "mb_per_s": 14479.33}}),
    "multichase": (MULTICHASE, None, {0: {"test": "latency", "size_bytes": 256 << 20,
                                          "stride_bytes": 256, "ns_per_load": 91.23}}),
    "tinymembench": (TINYMEMBENCH, "0.4.9", {
        0: {"op": "C copy", "mb_per_s": 2 * 7153.3}, 1: {"op": "standard memset"},
        2: {"ns_per_load": None}, 3: {"size_bytes": 64 << 20, "page": "thp", "ns_per_load": 69.4}}),
    "mess": ("12000.5 320\n98000 512.5\n", None, {
        1: {"test": "loaded", "mb_per_s": 98000.0, "cycles_per_load": 512.5,
            "ns_per_load": None}}),
}


class Foreign(fake.InDirectory):
    def command(self, *words):
        return fake.output_of(cli.main, ["import", *words])[:2]

    def test_every_program(self):
        checker = fake.load_script("check_schema", fake.TOP / "tools/check/schema")
        self.assertEqual(set(CASES), set(foreign.TOOLS))
        for tool, (text, version, wanted) in CASES.items():
            output = f"{tool}.jsonl"
            source = self.write(f"{tool}.txt", text.encode())
            status, printed = self.command(tool, source, "-o", output)
            runs = results.load(output)
            found = sum((run.results for run in runs), [])
            with self.subTest(tool):
                self.assertEqual(status, 0)
                self.assertIn(f"{tool} {version or 'of unknown version'}: ",
                              " ".join(printed.split()))
                self.assertEqual({one["tool_version"] for one in found}, {version})
                for place, record in wanted.items():
                    self.assertLessEqual(record.items(), found[place].items())
                self.assertEqual(list(checker.problems(
                    Path(output).read_text().splitlines(), checker.validator())), [])
                for command in ("show", "trend", "fleet"):
                    status, shown, _ = fake.output_of(cli.main, [command, output])
                    self.assertIn(status, (0, 1, 125))
                    self.assertNotIn("writer cpu", shown)   # no program says which it was
        self.assertEqual(results.load("lmbench.jsonl")[0].machine["kernel"], "5.4.0-42-generic")

    def test_files_of_any_system_are_read_alike(self):
        """The ends of lines and the marks of other systems, of a terminal; bytes that are none of
        UTF-8; two runs in a file. What is cut anywhere is read so far, or refused."""
        def records(data):
            Path("x.jsonl").unlink(missing_ok=True)
            self.command(tool, self.write("x", data), "-o", "x.jsonl")
            return [one | {"line": None} for run in results.load("x.jsonl") for one in run.results]

        for tool, (text, _, _) in CASES.items():
            data = text.encode()
            plain = records(data)
            for name, same in {
                    "DOS": data.replace(b"\n", b"\r\n"), "Mac": data.replace(b"\n", b"\r"),
                    "serial line": data.replace(b"\n", b"\r\r\n"), "mark": b"\xef\xbb\xbf" + data,
                    "PowerShell": text.encode("utf-16"), "colours": b"\x1b[1m" + data + b"\x1b[0m",
                    "Latin-1": data + b"\xe4\xb5s\n", "prompt": b"$ x\n" + data + b"$ \n"}.items():
                with self.subTest(tool, file=name):
                    self.assertEqual(records(same), plain)
            with self.subTest(tool):
                self.assertEqual(len(records(data + data)), 2 * len(plain))
            for end in range(0, len(data), 7):
                with contextlib.suppress(Failure):
                    foreign.load(tool, "x", data[:end].decode())
            for number in "inf", "nan", "1e999", "-5":
                with self.subTest(tool, number=number), contextlib.suppress(Failure):
                    found = foreign.load(tool, "x", re.sub(r"\d+\.\d+", number, text))
                    json.dumps([run.results for run in found], allow_nan=False)

    def test_matrices_of_caches_that_are_cut(self):
        """A row keeps its node if it is the only one, and stays with its own heading. A bandwidth,
        as of memcache-user in the place of MLC, is no time."""
        cut = MLC[:MLC.index("            1\t 112.7")]
        headless = re.sub(r"\t+Reader Numa Node\n.*\n.*112.8.*\n.*112.7.*\n", "", MLC)
        rate = MLC.replace("HITM latency (", "HITM bandwidth (")
        for text, wanted in ((cut, [("writer", "node 0 to node 1")]), (rate, []),
                             (headless, [("reader", "node 0 to node 1"),
                                             ("reader", "node 1 to node 0")])):
            found = sum((run.results for run in foreign.load("mlc", "x", text)), [])
            self.assertEqual([(one["home"], one["cpu"]) for one in found if one.get("home")],
                             wanted)

    def test_what_is_no_figure(self):
        for tool, text, said in (
                ("mlc", MLC.replace("82.1", "82..1"), "x: a figure can't be read: .*82..1"),
                ("likwid", LIKWID.replace(".33", ",33"), "x: a figure can't be read: .*14479,33"),
                ("stream", re.sub(r"(\d)\.", r"\1,", STREAM), "commas, which LC_ALL=C avoids"),
                ("multichase", STREAM, "no results of multichase"), ("mess", LMBENCH, "no results"),
                ("mlc", "\0\x07\x80", "x: no results of mlc in this file$")):
            fake.refused(self, said, foreign.load, tool, "x", text)
        for end, assert_said in (b"", self.assertIn), (b"\n", self.assertNotIn):
            self.write("x", b"Copy:  19440.3  0.000834  0.000823  0.0008" + end)
            assert_said("The file's last line has no end", self.command("stream", "x")[1])

    def test_what_is_compared(self):
        """Keys that a program does not tell may differ, those that it tells may not."""
        def ours(**keys):
            kernel = {"record": "result", "test": "bandwidth", "where": "user", "op": "copy",
                      "width_bytes": 64, "size_bytes": 16000000, "cpu": "0", "effective": "yes",
                      "threads": 1, "median_ns": 8e5, "mean_ns": 8e5, "mb_per_s": 20000.0}
            return results.Run({"kernel": "6.1", "cpu": "x", "schema": 1}, {
                "test": "bandwidth", "line": "bandwidth"}, [kernel | keys])

        theirs = foreign.load("stream", "x", STREAM)
        text = " ".join(terminal.lines(comparison.parts({"a": [ours()], "b": theirs})[0]))
        text = " ".join(text.split())
        self.assertIn("B was imported: stream 5.10; mb_per_s is of the mean time", text)
        self.assertIn("1 compared", text)
        self.assertIn(f"{19440.3 * 0.823 / 0.834 / 20000:.2f}x", text)
        for keys in {"threads": 2}, {"size_bytes": 4096}, {"op": "scale"}:
            text = "".join(terminal.lines(comparison.parts({"a": [ours(**keys)], "b": theirs})[0]))
            self.assertIn("Nothing in them can be compared", text)

    def test_what_another_record_of_the_file_tells(self):
        """MLC says the node of a cell of a matrix, and not that of its peak: any is its partner."""
        theirs = foreign.load("mlc", "x", MLC)
        ours = [results.Run({"kernel": "6.1", "cpu": "x", "schema": 1}, run.request, [
            {key: "local" if value is None else value for key, value in one.items()
             if key not in fields.IMPORTED and key not in fields.figures(one)}
            | {"threads": 1, "effective": "yes", "median_ns": 1.0, "writer_cpu": 0, "reader_cpu": 1}
            | fields.figures(one) for one in run.results]) for run in theirs]
        text = "".join(terminal.lines(comparison.parts({"a": ours, "b": theirs})[0]))
        self.assertIn(f"{sum(len(run.results) for run in theirs)} compared", text)
        self.assertNotIn("Without a partner", text)

    def test_standard_input(self):
        done = subprocess.run([fake.FRONT, "import", "mlc", "-", "-o", "-"], input=MLC, text=True,
                              capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines(), list(results.json_lines(
            foreign.load("mlc", "-", MLC))))

    def test_names_of_likwid(self):
        for name, op, width in (("load_mem", "ntread", 8), ("stream_sp_mem_avx", "nttriad", 32),
                                ("triad_sp_sse_fma", "triad4", 16), ("sum_sp_sse",) * 2 + (None,)):
            [run] = foreign.load("likwid", "x", LIKWID.replace("stream_mem_avx_fma", name))
            self.assertLessEqual({"op": op, "width_bytes": width}.items(), run.results[0].items())

    def test_options(self):
        machine = {"record": "machine", "schema": 1, "where": "user", "kernel": "6.1", "cpu": "x y",
                   "host": "box"}
        fake.save("ours", machine, {"record": "request", "test": "latency", "line": "latency",
                                    "state": "done", "records": 0})
        source = self.write("x", CASES["mess"][0].encode())
        status, _ = self.command("mess", source, "ours", "--mhz", "2000", "-o", "o")
        records = list(map(json.loads, Path("o").read_text().splitlines()))
        self.assertEqual((status, records[0]["cpu"], records[0]["host"]), (0, "x y", "box"))
        self.assertEqual(records[2]["ns_per_load"], 160.0)
        fake.refused(self, "no results of stream in this file", foreign.load, "stream", "x", MLC)
        for text in "", "\n\n", "nr_threads = 2\n91.0\n":
            with self.assertRaises(Failure):
                foreign.load("multichase", "x", text)
