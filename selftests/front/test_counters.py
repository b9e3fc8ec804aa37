# SPDX-License-Identifier: GPL-2.0-only
"""Counters of DRAM traffic: found in trees of sysfs made up here, after what the
kernel's drivers register; set for a run."""

import errno
import os
import subprocess
from functools import partial
from pathlib import Path
from unittest import mock

import fake
from mc.records import results
from mc.running import counters, counting, debugfs, user

MIB = "6.103515625e-5"
FORMAT = {"format/event": "config:0-7", "format/umask": "config:8-15"}
SERVER = FORMAT | {"format/edge": "config:18", "format/thresh": "config:24-31"}
RUNNING = FORMAT | {"events/dclk": "event=0xff,umask=0x10"}


def scaled(**events):
    """Events, each of 64 bytes, as uncore_imc has them."""
    files = {}
    for name, terms in events.items():
        files |= {f"events/{name}": terms, f"events/{name}.scale": MIB,
                  f"events/{name}.unit": "MiB"}
    return files


CAS = SERVER | scaled(cas_count_read="event=0x04,umask=0x0f",
                      cas_count_write="event=0x04,umask=0x30") | {"events/clockticks": "event=0x00"}
ICX_RUNNING = RUNNING | scaled(read="event=0xff,umask=0x20", write="event=0xff,umask=0x21")
SYSTEM = "sys/devices/system"
UMC = {"format/event": "config:0-7", "format/rdwrmask": "config:8-9"}


class Tree(fake.InDirectory):
    def pmu(self, name, kind, cpumask="0", **files):
        wanted = {"type": kind, "cpumask": cpumask} | files
        fake.put({file: text for file, text in wanted.items() if text is not None},
                 f"{counters.DEVICES}/{name}")


class Found(Tree):
    def lines(self):
        self.found = counters.discover()
        return self.found.text.splitlines()

    def counts(self, *rows, begin=0):
        """The counters from this one on: each row has a name, type, config and some CPUs."""
        self.assertEqual(self.lines()[begin:], [
            f"dram_{name} type={kind} config={config:#x} cpu={cpu} scale=64"
            for name, kind, config, *cpus in rows for cpu in cpus])

    def refused(self, remark, **changes):
        """One PMU of two is broken: none is taken, and why is said."""
        with self.subTest(remark):
            self.pmu("uncore_imc_0", 20, **CAS)
            self.pmu("uncore_imc_1", 21, **(CAS | changes))
            self.assertEqual(self.lines(), [])
            self.assertIn(f"uncore_imc_1: {remark}", self.found.remarks)
            subprocess.run(["rm", "-r", "sys"], check=True)

    def test_a_server_of_two_packages(self):
        for number in (10, 2):
            self.pmu(f"uncore_imc_{number}", 20 + number, "0,28", **CAS)
        self.pmu("uncore_cha_0", 40, "0,28", **FORMAT)
        self.pmu("uncore_imc_free_running_0", 41, "0,28", **ICX_RUNNING)
        self.counts(("read_imc_2", 22, 0xf04, 0, 28), ("write_imc_2", 22, 0x3004, 0, 28),
                    ("read_imc_10", 30, 0xf04, 0, 28), ("write_imc_10", 30, 0x3004, 0, 28))
        self.assertEqual(self.found.remarks, [])

    def test_several_events_of_a_channel(self):
        self.pmu("uncore_imc_0", 20, **SERVER, **scaled(
            cas_count_read_sch0="event=0x05,umask=0xcf",
            cas_count_read_sch1="event=0x06,umask=0xcf",
            cas_count_write_sch0="event=0x05,umask=0xf0",
            cas_count_write_sch1="event=0x06,umask=0xf0"))
        self.counts(("read_imc_0_sch0", 20, 0xcf05, 0), ("read_imc_0_sch1", 20, 0xcf06, 0),
                    ("write_imc_0_sch0", 20, 0xf005, 0), ("write_imc_0_sch1", 20, 0xf006, 0))

    def test_two_names_of_one_event(self):
        self.pmu("uncore_imc_0", 20, **CAS, **scaled(cas_count_read_all="event=0x04,umask=0x0f"))
        self.assertEqual([line.split()[0] for line in self.lines()],
                         ["dram_read_imc_0_read", "dram_write_imc_0"])

    def test_free_running_where_the_channels_have_no_events(self):
        """Linux 6.1 on Sapphire Rapids; clients since Tiger Lake."""
        self.pmu("uncore_imc_0", 20, "0", **SERVER)
        self.pmu("uncore_imc_free_running_0", 21, **ICX_RUNNING)
        self.counts(("read_imc_free_running_0", 21, 0x20ff, 0),
                    ("write_imc_free_running_0", 21, 0x21ff, 0))
        self.pmu("uncore_imc_free_running_1", 22, **RUNNING, **scaled(
            data_total="event=0xff,umask=0x10", data_read="event=0xff,umask=0x20",
            data_write="event=0xff,umask=0x30"))
        self.counts(("read_imc_free_running_1", 22, 0x20ff, 0),
                    ("write_imc_free_running_1", 22, 0x30ff, 0), begin=2)

    def test_a_client(self):
        self.pmu("uncore_imc", 11, **{"format/event": "config:0-7"}, **scaled(
            data_reads="event=0x01", data_writes="event=0x02", gt_requests="event=0x03"))
        self.counts(("read_imc", 11, 0x1, 0), ("write_imc", 11, 0x2, 0))

    def test_amd_memory_controllers(self):
        """The kernel names no event; each is of one package."""
        self.pmu("amd_umc_0", 16, "0", **UMC)
        self.pmu("amd_umc_12", 28, "64", **UMC)
        self.pmu("amd_df", 15, "0,64", **{"format/event": "config:0-7,32-37"})
        self.counts(("read_amd_umc_0", 16, 0x10a, 0), ("write_amd_umc_0", 16, 0x20a, 0),
                    ("read_amd_umc_12", 28, 0x10a, 64), ("write_amd_umc_12", 28, 0x20a, 64))
        self.pmu("amd_umc_0", 16, **{"events/umc_cas_cmd.rd": "event=0x0b",
                                     "events/umc_cas_cmd.wr": "event=0x0c"})
        self.assertEqual(self.lines()[0], "dram_read_amd_umc_0 type=16 config=0xb cpu=0 scale=64")

    def test_the_nodes_that_they_cover(self):
        """Two packages of two nodes each, a node of HBM, and one behind a memory-side cache."""
        fake.put({f"cpu/cpu{cpu}/topology/physical_package_id": cpu // 2 for cpu in range(4)}
                 | {f"node/node{node}/cpulist": node for node in range(4)}
                 | {"node/node4/cpulist": ""}, SYSTEM)
        for mask, nodes in (("0", [0, 1]), ("1,2", [0, 1, 2, 3]), ("3", [2, 3]), ("9", [])):
            self.pmu("uncore_imc_0", 20, mask, **CAS)
            self.assertEqual(counters.discover().nodes, nodes)
        self.pmu("uncore_imc_0", 20, "0", **CAS)
        fake.put({"node/node1/memory_side_cache/index1/size": 1 << 34}, SYSTEM)
        found = counters.discover()
        self.assertEqual((found.nodes, found.uncounted_text), ([0], ""))
        fake.put({"node/has_memory": "0-4"}, SYSTEM)
        found = counters.discover()
        self.assertEqual(found.uncounted_text, "the memory of node 1-4 is not counted")
        self.assertEqual(counters.coverage(f"cycles\n{found.text}", found),
                         {"kind": "Intel, CAS commands", "nodes": [0]})
        for text in ("", "cycles\n", found.text.splitlines()[0], f"{found.text}dram_read_x\n"):
            self.assertIsNone(counters.coverage(text, found))
        self.assertIsNone(counters.coverage("", counters.Found()))

    def test_amd_data_fabric(self):
        form = {"format/event": "config:0-7,32-37", "format/umask": "config:8-15,24-27"}
        self.pmu("amd_df", 15, "0,64", **form)
        self.assertEqual(self.lines(), [])
        self.assertEqual(self.found.remarks,
                         ["amd_df: the kernel names no events of reads and writes"])
        self.pmu("amd_df", 15, "0,64", **form, **{
            "events/local_processor_read_data_beats_cs0": "event=0x1f,umask=0x7fe",
            "events/local_processor_write_data_beats_cs0": "event=0x11f,umask=0x7ff"})
        self.counts(("read_amd_df", 15, 0x700fe1f, 0, 64), ("write_amd_df", 15, 0x10700ff1f, 0, 64))

    def test_broken(self):
        read = "events/cas_count_read"
        for remark, changes in (
                ("type can't be read", {"type": None}), ("type is 'x'", {"type": "x"}),
                ("cpumask can't be read", {"cpumask": None}),
                ("cpumask names no CPU", {"cpumask": ""}),
                ("no event of writes", {"events/cas_count_write": None}),
                ("'' is not a term of an event", {read: ""}),
                ("'event=?' is not a term of an event", {read: "event=?"}),
                ("format/mask can't be read", {read: "event=4,mask=1"}),
                ("umask=0x100 does not fit into config:8-15", {read: "umask=0x100"}),
                ("umask=0x0f goes to 'config1:0-7', and there is room for config only",
                 {"format/umask": "config1:0-7"}),
                ("'config:9-8' is not a place of bits", {"format/umask": "config:9-8"}),
                ("events/cas_count_read.unit can't be read", {f"{read}.unit": None}),
                ("cas_count_read: its scale and unit make no number of bytes",
                 {f"{read}.unit": "parsecs"}),
                ("cas_count_read: its scale and unit make no number of bytes",
                 {f"{read}.scale": "inf"}),
                ("cas_count_read: 0.0 bytes a count", {f"{read}.scale": "0"}),
                ("cas_count_read: 1.5 bytes a count", {f"{read}.scale": "1.5",
                                                       f"{read}.unit": "Bytes"})):
            self.refused(remark, **changes)
        self.refused("without the events that others of its kind have",
                     **{name: None for name in CAS if name.startswith("events/")})

    def test_broken_ones_make_way_for_the_next_kind(self):
        self.pmu("uncore_imc_0", 20, **(CAS | {"format/umask": "config1:0-7"}))
        self.pmu("uncore_imc_free_running_0", 21, **ICX_RUNNING)
        self.assertEqual(len(self.lines()), 2)
        self.assertEqual(len(self.found.remarks), 1)

    def test_too_many(self):
        for number in range(65):
            self.pmu(f"uncore_imc_{number}", 20 + number, "0,1", **CAS)
        self.assertEqual(self.lines(), [])
        self.assertEqual(self.found.remarks, ["Intel, CAS commands: 260 counters, 256 at most"])

    def test_the_command(self):
        front = partial(fake.front, "counters", MEMCACHE_DEBUGFS=".")
        done = front()
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no counters of DRAM traffic: none in /sys/bus", done.stderr)
        self.assertNotIn("resctrl", done.stderr)
        fake.put({f"{counters.RESCTRL}/mon_L3_00/mbm_total_bytes": 1})
        self.assertIn("counts traffic beyond the L3, which is not the same", front().stderr)
        self.pmu("uncore_imc_0", 20, **CAS)
        lines = "dram_read_imc_0 type=20 config=0xf04 cpu=0 scale=64\n" \
                "dram_write_imc_0 type=20 config=0x3004 cpu=0 scale=64\n"
        done = front()
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, lines, ""))
        self.write("counters", b"")
        self.assertEqual(front("--set").returncode, 0)
        self.assertEqual(Path("counters").read_text(), lines)
        self.assertEqual(front("--set", "--clear").returncode, 2)
        self.write("counters", b"")
        self.assertEqual(front("--clear").returncode, 0)
        self.assertEqual(Path("counters").read_text(), "\n")
        os.unlink("counters")
        done = front("--set")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the module is not loaded", done.stderr)

    def test_around_a_command(self):
        self.pmu("uncore_imc_0", 20, **CAS)
        fake.program("program", '#!/bin/sh\n[ "$1 $3" = "--counters --count" ] || exit 99\n'
                     'cp "$2" given; shift 3; exec "$@"\n')
        front = partial(fake.front, "counters", MEMCACHE_USER="./program")
        done = front("--", "sh", "-c", "echo $1; exit 6", "sh", "--set")
        self.assertEqual((done.stdout, done.returncode), ("--set\n", 6), done.stderr)
        self.assertEqual(Path("given").read_text(), counters.discover().text)
        done = front("--set", "--", "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("take no command", done.stderr)
        Path(counters.DEVICES, "uncore_imc_0", "type").unlink()
        done = front("--", "touch", "ran")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no counters of DRAM traffic", done.stderr)
        self.assertFalse(Path("ran").exists())

    def test_a_guest_is_told_so(self):
        fake.put({"proc/cpuinfo": "flags : pat hypervisor", "sys/class/dmi/id/sys_vendor": "QEMU"})
        self.assertIn("this is a virtual machine (kvm)", counting.absence(counters.Found()))


class Kernel(fake.Kernel):
    """With a file `counters`, that may refuse what is written."""

    def __init__(self, before="", refuse="", **more):
        super().__init__(**more)
        self.files["counters"] = before
        self.refuse = refuse
        self.during: list[str] = []

    def _write(self, name, line):
        if name != "counters":
            self.during.append(self.files["counters"])
            return super()._write(name, line)
        if self.refuse and line:
            self.files["counters"] += f"# not taken: {self.refuse}\n"
            return errno.EINVAL
        self.files["counters"] = f"{line}\n" if line else ""
        return 0


class Runs(Tree, fake.Measured):
    def run_(self, kernel, *words, **more):
        return super().run_(*words or ["bandwidth size=4K"], kernel=kernel, count=True, **more)

    def test_they_are_set_for_a_run_only(self):
        self.pmu("uncore_imc_0", 20, **CAS)
        for before in ("", "dram_read type=1 config=0x0 cpu=0 scale=1\n"):
            kernel = Kernel(before)
            self.assertEqual(self.run_(kernel, "bandwidth size=4K", "bandwidth size=8K"), 0)
            self.assertEqual(kernel.during, [counters.discover().text] * 2)
            self.assertEqual(kernel.files["counters"], before)
            os.unlink("out")

    def test_the_results_say_what_they_cover(self):
        self.pmu("uncore_imc_0", 20, **CAS)
        fake.put(dict.fromkeys(("cpu/cpu0/topology/physical_package_id", "node/node0/cpulist"), 0),
                 SYSTEM)
        told = {"kind": "Intel, CAS commands", "nodes": [0]}
        counted = dict(fake.result("bandwidth", 1000.0), dram_read_bytes=1)
        for text, record, wanted in ((counters.discover().text, counted, told),
                                     ("dram_read type=1 config=0x0 cpu=0 scale=1\n", counted, None),
                                     ("", fake.result("bandwidth", 1000.0), "nothing")):
            with mock.patch.object(fake, "result", lambda *_, record=record: record):
                super().run_("bandwidth size=4K", kernel=Kernel(text))
            self.assertEqual(results.load("out")[0].machine.get("dram_counters", "nothing"), wanted)
            os.unlink("out")

    def test_and_so_when_it_fails(self):
        self.pmu("uncore_imc_0", 20, **CAS)
        kernel = Kernel(errors={1: (errno.EINVAL, None)})
        self.assertEqual(self.run_(kernel), 2)
        self.assertEqual(kernel.files["counters"], "")
        self.write("out", b"precious")
        fake.refused(self, "out exists already", self.run_, kernel)
        self.assertEqual(kernel.files["counters"], "")

    def test_without_any_it_is_measured_all_the_same(self):
        kernel = Kernel()
        self.assertEqual(self.run_(kernel), 0)
        self.assertEqual(kernel.during, [""])
        self.assertIn("no counters of DRAM traffic", self.err.getvalue())

    def test_the_module_refuses_them(self):
        self.pmu("uncore_imc_0", 20, **CAS)
        kernel = Kernel(refuse="counters: line 1: can't be opened")
        fake.refused(self, "counters: counters: line 1: can't be opened$", self.run_, kernel,
                     status=1)
        self.assertEqual(kernel.asked, [])
        self.assertFalse(Path("out").exists())

    def test_what_was_refused_before_is_no_counter(self):
        kernel = Kernel("dram_read type=1 config=0x0 cpu=0 scale=1\n# not taken: x\n")
        self.assertEqual(kernel.counters(), "dram_read type=1 config=0x0 cpu=0 scale=1\n")

    def test_in_user_space(self):
        self.pmu("uncore_imc_0", 20, **CAS)
        fake.save("machine", fake.machine() | {"where": "user"})
        fake.save("records", fake.request("bandwidth", 1, where="user"),
                  fake.result("bandwidth", 8000.0) | {"where": "user"})
        fake.program("program", '#!/bin/bash\n[ "$1" = --tests ] && exit\n'
                     '[ "$2" = --counters ] && cp "$3" given && echo "$5" >asked\n'
                     "cat machine records\n")
        self.assertEqual(self.run_(Kernel(), users=[user.User("./program")], where="user"), 0)
        self.assertEqual(Path("asked").read_text(), "bandwidth size=4K\n")
        self.assertEqual(Path("given").read_text(), counters.discover().text)
        self.assertEqual(results.load("out")[0].where, "user")

    def test_a_real_file_takes_them_in_one_write(self):
        self.write("counters", b"")
        debugfs.Debugfs(".").count("a\nb\n")
        self.assertEqual(Path("counters").read_text(), "a\nb\n")
