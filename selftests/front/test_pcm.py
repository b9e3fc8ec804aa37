# SPDX-License-Identifier: GPL-2.0-only
"""pcm-memory's files, made up here in the forms that its versions have had,
joined to a run."""

import codecs
import json
import os
import time
from functools import partial
from pathlib import Path
from unittest import mock

import fake
from mc.analysis import pcm, traffic
from mc.commands import import_
from mc.output import layout
from mc.records import recording, results
from mc.records.suite import Layout

S = 10**9
NOON = 1768478400 * S                   # 2026-01-15 12:00:00 UTC
# Two sockets, of which the second has an empty channel.
NEW = """\
,,SKT0,SKT0,SKT0,SKT0,SKT0,SKT1,SKT1,SKT1,SKT1,SKT1,System,System,System
Date,Time,Ch0Read,Ch0Write,Mem Read (MB/s),Mem Write (MB/s),Memory (MB/s),Ch0Read,Ch0Write,\
Mem Read (MB/s),Mem Write (MB/s),Memory (MB/s),Read,Write,Memory
"""
ROW = "2026-01-15,{},  {},   {},  {},   {},  0.00,,,    0.00,    0.00,  0.00,  {},  {},  0.00\n"
OLD = """\
;;SKT0;SKT0;SKT0;SKT0;System;System;System
Date;Time;Mem Read (MB/s);Mem Write (MB/s); P. Write (T/s); Memory (MB/s);Read;Write;Memory
2026-1-15;12:0:1;  10.00;   1.00;   7;  11.00;   10.00;   1.00;   11.00
2026-1-15;12:0:2;  20.00;   2.00;   7;  22.00;   20.00;   2.00;   22.00
2026-1-15;12:0:3;  30.00;   3.00;   7;  33.00;   30.00;   3.00;   33.00
2026-1-15;12:0:4;  40.00;   4.00;   7;  44.00;   40.00;   4.00;   44.00
"""


def new(*rows):
    """Rows of (seconds after noon, MB/s read, written); None: an empty cell."""
    lines = []
    for at, read, write in rows:
        clock = time.strftime("%H:%M:%S", time.gmtime(NOON // S + int(at)))
        cells = ["" if value is None else f"{value:.2f}" for value in (read, write)]
        lines.append(ROW.format(f"{clock}.{round(at % 1 * 1000):03}", *cells * 3))
    return (NEW + "".join(lines)).encode()


def measured(begun, seconds, op="read", **more):
    """A record that began so many seconds after noon, and took so long."""
    record = fake.result(f"bandwidth size=16M op={op} repeat=8 warmup=2", 5000.0)
    return record | {"started_unix_ns": int(NOON + begun * S), "mean_ns": seconds * S / 10} | more


class InZone(fake.InDirectory):
    def setUp(self):
        super().setUp()
        self.zone("UTC")
        self.addCleanup(time.tzset)

    def zone(self, name):
        self.enterContext(mock.patch.dict(os.environ, TZ=name))
        time.tzset()

    def load(self, content):
        return pcm.load(self.write("f.csv", content if isinstance(content, bytes)
                                   else content.encode()))

    def refused(self, content, what):
        fake.refused(self, what, self.load, content)


class Files(InZone):
    def test_with_commas(self):
        found = self.load(new((0.5, 1.0, 2.0), (1.0, 3.0, None), (1.5, 5.0, 6.0)))
        self.assertEqual([(s.number, s.start - NOON, s.end - NOON, s.read, s.write) for s in found],
                         [(1, 0, S // 2, 1.0, 2.0), (2, S // 2, S, 3.0, None),
                          (3, S, S * 3 // 2, 5.0, 6.0)])

    def test_with_semicolons(self):
        """Whole seconds: each ended within the second that follows."""
        found = self.load(OLD)
        self.assertEqual([(s.start - NOON, s.end - NOON, s.read, s.write) for s in found[:2]],
                         [(0, 2 * S, 10.0, 1.0), (S, 3 * S, 20.0, 2.0)])

    def test_with_both_and_persistent_memory(self):
        found = self.load(",,SKT0,SKT0,SKT0,SKT0,SKT0,System,System,System,System,System,System,"
                          "System\nDate,Time,Mem Read (MB/s),Mem Write (MB/s), PMM_Read, PMM_Write;"
                          " Memory (MB/s),DRAMRead,DRAMWrite,PMMREAD;PMMWrite,Read,Write,Memory\n"
                          "2026-1-15,12:0:1,1.00,2.00,5.00,5.00,13.00,1.00,2.00,5.00,5.00,6.00,"
                          "7.00,13.00\n")
        self.assertEqual((found[0].read, found[0].write), (1.0, 2.0))

    def test_sockets_only(self):
        text = "\n".join(line.rpartition(";System")[0].replace(";System", "") if i == 0
                         else line for i, line in enumerate(OLD.splitlines()))
        text = text.replace("Read;Write;Memory", "x;y;z")
        two = text.replace("Mem Read (MB/s);Mem Write (MB/s); P. Write (T/s); Memory (MB/s)",
                           "Mem Read (MB/s);Mem Write (MB/s);Mem Read (MB/s);Mem Write (MB/s)")
        self.assertEqual((self.load(text)[0].read, self.load(text)[0].write), (10.0, 1.0))
        self.assertEqual((self.load(two)[0].read, self.load(two)[0].write), (17.0, 12.0))

    def test_forms_of_the_same_file(self):
        """Groups that are named once, text before, no end of the last line, and killed while it
        wrote."""
        for text in (OLD.replace("SKT0;SKT0;SKT0;SKT0;System;System;System", "SKT0;;;;System;;"),
                     "Intel PCM\n\n" + OLD, OLD.rstrip("\n"), OLD + "2026-1-15;12:0:5;  5"):
            found, _, err = fake.output_of(self.load, text)
            self.assertEqual([s.write for s in found], [1.0, 2.0, 3.0, 4.0])
        self.assertIn("ends in the middle of a row", err)

    def test_columns_that_come_and_go(self):
        found, _, err = fake.output_of(self.load, OLD.replace("  20.00;   2.00;   7;  22.00;",
                                                            "  20.00;   2.00;"))
        self.assertEqual([s.read for s in found], [10.0, None, 30.0, 40.0])
        self.assertIn("1 of 4 rows have another number of columns", err)

    def test_messages_of_pcm(self):
        """Before, between and after rows; with commas; in the middle of a row."""
        first, second, *rows = OLD.splitlines(True)
        for text in ("Cleaning up\n", " Closed perf event handles\n Zeroed uncore PMU registers\n",
                     "WARNING: Custom counter 1, 2 is in use; skipped\n", "Delay: 1,0\n\n",
                     "2026-1-15;12:0INFO: Core C6 residency;\n", "2026-1-15 done"):
            for at in range(len(rows) + 1):
                whole = "".join([first, second, *rows[:at], text, *rows[at:]])
                if at < len(rows) and not text.endswith("\n"):
                    continue
                found, _, err = fake.output_of(self.load, whole)
                self.assertEqual([s.read for s in found], [10.0, 20.0, 30.0, 40.0], text)
                self.assertIn(f"of other text, the first is {at + 3}: ", err)

    def test_a_message_between_the_rows_of_names(self):
        first, rest = OLD.split("\n", 1)
        self.assertEqual([s.read for s in self.load(f"{first}\nINFO: 1; 2; 3\n{rest}")],
                         [10.0, 20.0, 30.0, 40.0])

    def test_memory_with_columns_of_its_own(self):
        """The names that pcm-memory has on Sapphire Rapids, on Granite Rapids, with persistent
        memory (memory mode, too), and with HBM. The value of each column is its number."""
        mem, end = "Mem Read (MB/s),Mem Write (MB/s)", "Read,Write,Memory"
        for groups, read, others, within in (
                ({"SKT0": f"{mem},CXL.mem_P0Write,CXL.cache_P0hst->dv",
                  "SKT1": f"{mem},CXL.mem_P0Write,CXL.cache_P0hst->dv",
                  "System": f"CXLRead,{end}"}, 11, {"cxl_read": 10, "cxl_write": 4 + 8}, {}),
                ({"SKT0": f"{mem},Memory (MB/s),CXL.mem_P0Read,CXL.mem_P0Write,"
                          "CXL.cache_P0dv->hst,CXL.mem_P1Read,CXL.mem_P1Write",
                  "System": end}, 10, {"cxl_read": 5 + 8, "cxl_write": 6 + 9}, {}),
                ({"SKT0": f"Ch0PMM_Read,Ch0PMM_Write,{mem},PMM_Read (MB/s), PMM_Write (MB/s),"
                          "iMC0 NM read hit rate",
                  "System": f"DRAMRead,DRAMWrite,PMMREAD,PMMWrite,{end}"}, 9,
                 {"pmm_read": 11, "pmm_write": 12}, {}),
                ({"SKT0": f"{mem},PMM_Read (MB/s),PMM_Write (MB/s),PMM_MM_Bw/DRAM_Bw",
                  "System": end}, 7, {}, {"pmm_read": 4, "pmm_write": 5}),
                ({"SKT0": f"{mem},EDC_Ch0Read,EDC_Ch0Write,HBM Read (MB/s),HBM Write (MB/s),"
                          "HBM (MB/s)", "System": end}, 9, {}, {"hbm_read": 6, "hbm_write": 7}),
                ({"SKT0": f"{mem},EDC_Ch0Read,EDC_Ch0Write,EDC_Ch1Read,EDC_Ch1Write"}, 2,
                 {"hbm_read": 4 + 6, "hbm_write": 5 + 7}, {})):
            rows = [["", ""], ["Date", "Time"], ["2026-01-15", "12:00:01.000"]]
            for group, names in groups.items():
                for name in names.split(","):
                    for row, cell in zip(rows, (group, name, str(len(rows[0])))):
                        row.append(cell)
            [found] = self.load("".join(",".join(row) + "\n" for row in rows))
            with self.subTest(groups):
                self.assertEqual((found.read, found.others, found.within), (read, others, within))

    def test_an_interruption_is_no_interval(self):
        found = self.load(new((1, 1, 1), (2, 1, 1), (3, 1, 1), (60, 1, 1)))
        self.assertEqual(found[3].start - NOON, 59 * S)

    def test_the_hour_that_comes_twice(self):
        self.zone("CET-1CEST,M3.5.0,M10.5.0/3")
        rows = "".join(f"2026-10-25;{clock};1;1;7;2;1;1;2\n" for clock in (
            "1:59:0", "2:29:0", "2:59:0", "2:29:0", "2:59:0", "3:29:0"))
        found = self.load("".join(OLD.splitlines(True)[:2]) + rows)
        self.assertEqual({b.end - a.end for a, b in zip(found, found[1:])}, {1800 * S})

    def test_refused(self):
        names = "".join(OLD.splitlines(True)[:2])
        for content, what in (
                ("", ":1: not of pcm-memory"), ("a,b\n1,2\n", ":1: not of pcm-memory"),
                (OLD.partition("\n")[2], ":1: not of pcm-memory"),
                (b"\xff\xfe\x00", "not text"), (names, ":3: no samples in this file"),
                (names.replace("Read;Write;M", "x;y;M").replace("Mem Read", "x"),
                 ":2: neither System's Read and Write nor"),
                (OLD.replace("20.00", "2x"), ":4: '2x' is not a number of MB/s"),
                (OLD.replace("20.00", "nan"), ":4: 'nan' is not a number"),
                (OLD.replace("12:0:2", "25:0:2"), ":4: 2026-1-15,25:0:2 is not a date and time"),
                (OLD.replace("12:0:2", "noon"), ":4: 2026-1-15,noon is not a date and time"),
                (names + "2026-1-15\n", ":3: 2026-1-15, is not a date and time")):
            self.refused(content, what)
        fake.refused(self, "nosuch: No such file", pcm.load, "nosuch")


class Joining(InZone):
    def import_(self, *records, csv=None, output=None):
        fake.save("run", fake.machine(), fake.request("bandwidth", len(records)), *records)
        self.write("f.csv", csv or new(*((n / 2, 100.0 * n, 10.0 * n) for n in range(1, 13))))
        self.status, out, _ = fake.output_of(import_.join, "f.csv", "run", output)
        self.text = " ".join(out.split())
        return results.load(output)[0].results if output else []

    def test_samples_that_lie_within(self):
        """The second record ends within the 9th sample."""
        first, second, third = self.import_(
            measured(0.9, 2.2), measured(3.1, 1.0, "write"), measured(5.9, 0.01, "copy"),
            output="out")
        self.assertEqual(self.status, 0)
        self.assertEqual([(r["dram_pcm_samples"], r["dram_pcm_read_mb_per_s"],
                           r["dram_pcm_write_mb_per_s"]) for r in (first, second, third)],
                         [(4, 450.0, 45.0), (1, 800.0, 80.0), (0, None, None)])
        for row in ("read 2026-01-15 12:00:00 2.200 3-6 5000.0 450.0 45.0",
                    "write 2026-01-15 12:00:03 1.000 8 5000.0 800.0 80.0",
                    "copy 2026-01-15 12:00:05 0.010 none 5000.0 na na",
                    "5 of 12 samples lie within a record", "Results: out"):
            self.assertIn(row, self.text)

    def test_amplification(self):
        """Ten passes of 16 MiB in 2 s are 83.886 MB/s, while pcm saw 350 and 35."""
        found = self.import_(measured(0, 3, op="write", mean_ns=2e8),
                             measured(4, 2, mean_ns=2e8, payload_bytes=10 ** 8),
                             csv=new(*((n / 2, 350.0, 35.0) for n in range(1, 13))), output="out")
        self.assertEqual([(r["dram_pcm_amplification_read"], r["dram_pcm_amplification_write"])
                          for r in found], [(4.172, 0.417), (0.7, 0.07)])
        self.assertRegex(self.text, r"write .* 350\.0 35\.0 4\.17 0\.42")
        self.assertEqual(found[0].get("amplification_read"), None)

    def test_no_amplification_without_payload_or_overlap(self):
        for more in ({"mb_per_s": None}, {"mean_ns": None}, {"started_unix_ns": NOON + 99 * S}):
            [record] = self.import_(measured(0, 3) | more, output=f"out{len(str(more))}")
            self.assertIsNone(record["dram_pcm_amplification_read"])

    def test_amplification_in_a_suites_table(self):
        [record] = self.import_(measured(0, 3, amplification_read=None), output="out")
        runs = results.load("out")
        shown = fake.terminal_lines(layout.draw(Layout("op", None, ("amplification_read",)),
                                                [(runs[0], record)]))
        self.assertEqual(shown[-1].split(),
                         ["read", f"{record['dram_pcm_amplification_read']:.2f}"])

    def cxl(self, read, other, *rest):
        """A file in which the memory with columns of its own moved so much."""
        head = NEW.replace("System,System,System", "System,System,System,System").replace(
            "Memory (MB/s),Read,Write", "Memory (MB/s),CXLRead,Read,Write")
        rows = new(*((n / 2, read, 1.0) for n in range(1, 13))).decode().splitlines()[2:]
        return (head + "".join(f"{row.rpartition(f'  {read:.2f}')[0]}  {other:.2f},  {read:.2f}"
                               f"{row.rpartition(f'  {read:.2f}')[2]}\n" for row in rows)).encode()

    def test_no_ratio_without_the_traffic_of_other_memory(self):
        for other, ratio in ((20000.0, None), (10.0, 8.941)):
            [record] = self.import_(measured(0, 3), csv=self.cxl(500.0, other), output=f"o{other}")
            self.assertEqual((record["dram_pcm_amplification_read"],
                              record["dram_pcm_cxl_read_mb_per_s"]), (ratio, other))
            said = f"pcm saw {other:.0f} MB/s of CXL traffic (read), which Read and Write do not " \
                   "include."
            self.assertIn(said, self.text)
            shown = fake.terminal_lines(traffic.parts(results.load(f"o{other}")))
            self.assertIn(said, fake.one_line(shown))

    def test_no_ratio_of_memory_that_pcm_does_not_see(self):
        record = measured(0, 3, memory_node=2)
        nodes = [{"node": 0, "cpus": "0-3", "memory_bytes": 1}, {"node": 2, "cpus": ""}]
        [run] = fake.runs_of(fake.BARE, ("bandwidth", [record]), nodes=nodes)
        [one] = pcm.join([run], self.load(new(*((n / 2, 500.0, 1.0) for n in range(1, 13)))))
        self.assertEqual((one.rate("read"), one.amplification("read")), (500.0, None))
        run.machine["nodes"][1]["cpus"] = "4-7"
        self.assertIsNotNone(one.amplification("read"))

    def test_numbers_stay_as_they_were(self):
        """Also those of a file with the mark of an editor, and of an entry of a store."""
        self.import_(measured(0, 3, mb_per_s=5000.25), output="out")
        before, after = (Path(name).read_text().splitlines() for name in ("run", "out"))
        self.assertEqual(before[:2], after[:2])
        self.assertTrue(after[2].startswith(before[2].removesuffix("}") + ","))
        Path("marked").write_bytes(codecs.BOM_UTF8 + Path("run").read_bytes())
        list(recording.keep("runs.db", ["run"]))
        for name in "marked", "runs.db:1":
            fake.output_of(import_.join, "f.csv", name, f"{name}.out")
            self.assertEqual(Path(f"{name}.out").read_text().splitlines(), after)

    def test_which_samples_count(self):
        """A record ends where the next one begins; passes make a sample; some samples tell
        nothing."""
        for records, rows, told in (
                ([measured(0, 5), measured(2, 1)], None, (4, 250.0)),
                ([measured(0, 0.5, passes_per_sample=4)], None, (4, 250.0)),
                ([measured(0, 2)], new((1, None, 4), (2, 7, 4)), (2, 7.0))):
            Path("out").unlink(missing_ok=True)
            first, *_ = self.import_(*records, csv=rows, output="out")
            self.assertEqual((first["dram_pcm_samples"], first["dram_pcm_read_mb_per_s"]), told)

    def test_in_the_report(self):
        self.import_(measured(0, 3), output="out")
        text = fake.one_line(fake.terminal_lines(traffic.parts(results.load("out"))))
        self.assertIn("bandwidth 5000.0 350.0 35.0 6", text)
        self.assertIn("from pcm-memory", text)

    def test_another_time_zone(self):
        self.import_(measured(7200, 3))
        self.assertEqual(self.status, 1)
        self.assertIn("The records began 2026-01-15 14:00:00 to 2026-01-15 14:00:00 UTC: if "
                      "pcm ran in another time zone, put TZ=ZONE", self.text)
        self.zone("EST+2")
        self.import_(measured(7200, 3))
        self.assertEqual(self.status, 0)

    def test_too_short(self):
        self.import_(measured(1.1, 0.2))
        self.assertEqual(self.status, 1)
        self.assertIn("No record took long enough to have a whole sample of 0.5 s", self.text)

    def test_never_twice_and_nothing_overwritten(self):
        self.import_(measured(0, 3), output="out")
        fake.refused(self, "out: has figures of pcm already", import_.join, "f.csv", "out", None)
        fake.refused(self, "out exists already", self.import_, measured(0, 3), output="out")

    def test_the_command(self):
        self.import_(measured(0, 3))
        front = partial(fake.front, "import")
        done = front("pcm", "f.csv")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("read 12 100.0 650.0 1200.0 650.0", " ".join(done.stdout.split()))
        self.assertIn("2026-01-15 12:00:00 to 2026-01-15 12:00:06 UTC", done.stdout)
        done = front("pcm", "f.csv", "run", "-o", "joined")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads(Path("joined").read_text().splitlines()[2])[
            "dram_pcm_samples"], 6)
        for words in (("pcm", "nosuch"), ("perf", "f.csv"), ("pcm", "f.csv", "f.csv"),
                      ("pcm", "f.csv", "-o", "x")):
            self.assertEqual(front(*words).returncode, 2, words)
