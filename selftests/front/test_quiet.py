# SPDX-License-Identifier: GPL-2.0-only
"""What disturbs a machine, as its files say it before a run."""

import shutil
from pathlib import Path
from unittest import mock

import fake
from mc.commands import doctor
from mc.running import quiet
from mc.running.machine import Machine


def stat(busy, steal=(), running=1, at=0):
    """/proc/stat `at` ticks later; a CPU has been busy for so many of eight ticks."""
    lines = [f"cpu{i} {100 + at * ran // 8} 0 0 {1000 + at * (8 - ran - stolen) // 8} 0 0 0 "
             f"{7 + at * stolen // 8} 0 0"
             for i, (ran, stolen) in enumerate(zip(busy, steal or [0] * len(busy)))]
    return "\n".join(["cpu  1 2 3 4 5 6 7 8 9 0", *lines, f"procs_running {running}", ""])


class Quiet(fake.Measured):
    def look(self, busy=(0, 0, 0, 0), cpus=None, load="0.10", files=(), **more):
        fake.put({"proc/loadavg": f"{load} 1.00 1.00 1/99 999\n", **dict(files),
                  "proc/stat": stat(busy, **more)}, end="")
        later = stat(busy, at=8, **more)
        return quiet.look(Machine(module={}), cpus,
                          wait=lambda _: Path("proc/stat").write_text(later) and None)

    def said(self, *args, **more):
        return [(one.kind, one.what) for one in self.look(*args, **more).found]

    def test_a_quiet_machine(self):
        seen = self.look((0, 1, 3, 0), load="3.99", running=2)
        self.assertEqual(seen.record(), {"load": 3.99, "runnable": 1, "cpus": 4, "found": []})

    def test_what_disturbs(self):
        """Load; other work on the CPUs asked for, and on their siblings; stolen time; clocks."""
        siblings = {f"sys/devices/system/cpu/cpu{i}/topology/thread_siblings_list": text
                    for i, text in enumerate(("0,2\n", "1,3\n", "0,2\n", "1,3\n"))}
        clocks = {f"sys/devices/system/cpu/cpu{i}/cpufreq/{name}": f"{text}\n" for i in range(4)
                  for name, text in (("scaling_governor", "powersave" if i else "performance"),
                                     ("scaling_max_freq", 2000000 if i == 2 else 3500000),
                                     ("cpuinfo_max_freq", 3500000))}
        half = ("busy", "CPU 1 ran other work for 50 % of 80 ms")
        for more, *said in (
                ({"load": "20.10"}, ("load", "the load is 20.1 on 4 CPUs")),
                ({"busy": (0,), "load": "1.50"}, ("load", "the load is 1.5 on 1 CPU")),
                ({"busy": (0, 8, 0, 4)}, ("busy", "CPUs 1, 3 ran other work for up to 100 % of 80 "
                                          "ms")),
                ({"busy": (0, 4, 0, 8), "cpus": [0, 1]}, half),
                ({"busy": (0, 8, 0, 4), "cpus": [0, 2]},),
                ({"busy": (0, 0, 8, 8), "cpus": [0], "files": siblings}, (
                    "sibling", "CPU 2 ran other work on the core of a CPU that is to be measured")),
                ({"busy": (0, 4, 0, 0), "cpus": [1, 2], "steal": (0, 2, 0, 0)}, half,
                 ("steal", "a hypervisor took 25 % of a CPU's time")),
                ({"files": clocks}, ("governor", "the governor of CPUs 1, 2, 3 is powersave"),
                 ("limit", "the clock of CPU 2 is limited to 2000 of 3500 MHz")),
                ({"files": clocks, "cpus": [0]},)):
            with self.subTest(said):
                self.assertEqual(self.said(**more), said)
                shutil.rmtree("sys", ignore_errors=True)

    def test_a_group_that_has_too_little_time(self):
        for files, said in (
                ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
                  "sys/fs/cgroup/a/cpu.max": "150000 100000\n",
                  "sys/fs/cgroup/a/cpu.stat": "nr_periods 9\nnr_throttled 7\n"},
                 "/sys/fs/cgroup/a gives processes the time of 1.5 CPUs, and has stopped them 7 "
                 "times"),
                ({"proc/self/cgroup": "4:cpu:/c\n", "sys/fs/cgroup/cpu/c/cpu.cfs_quota_us": "50000",
                  "sys/fs/cgroup/cpu/c/cpu.cfs_period_us": "100000"},
                 "/sys/fs/cgroup/cpu/c gives processes the time of 0.5 CPUs")):
            self.assertEqual(self.said(cpus=[0, 1], files=files), [("quota", said)])
        self.assertEqual(self.said(cpus=[0], files={
            "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "150000 100000\n"}), [])

    def test_a_group_that_was_stopped_during_a_run(self):
        self.look(files={"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "900000 100000",
                         "sys/fs/cgroup/a/cpu.stat": "nr_periods 9\nnr_throttled 7\n"})
        before = quiet.stops(Machine(module={}))
        self.assertEqual(before, {"/sys/fs/cgroup/a": 7})
        self.assertEqual(list(quiet.stopped_since(before, before)), [])
        [said] = quiet.stopped_since(before, {"/sys/fs/cgroup/a": 12, "/sys/fs/cgroup": 9})
        self.assertIn("/sys/fs/cgroup/a has too little CPU time for this run: its processes were "
                      "stopped 5 times meanwhile", said)

    def test_what_is_not_known_is_null(self):
        seen = quiet.look(Machine(module={}), wait=self.fail)
        self.assertEqual(seen.record(), {"load": None, "runnable": None, "cpus": None, "found": []})

    def test_no_tick_is_no_idleness(self):
        """The clock of a machine without ticks may stand still: nothing is known then."""
        self.look()
        seen = quiet.look(Machine(module={}), wait=lambda _: None)
        self.assertEqual(seen.found, [])

    def test_the_cpus_that_requests_name(self):
        for lines, wanted in ((["latency cpu=1,3"], [1, 3]), (["latency cpu=0-2", "os cpu=5"],
                              [0, 1, 2, 5]), (["latency"], None), (["latency cpu=all"], None),
                              (["mix cpu=0-1 groups=read:0"], None),
                              (["latency cpu=1", "latency latency_cpu=2"], None)):
            self.assertEqual(quiet.named_cpus(lines), wanted, lines)

    def test_doctor(self):
        self.look(load="20.00")
        lines, _ = doctor.examine()
        self.assertIn("warn the load is 20 on 4 CPUs (end other work, or wait until it has ended)",
                      fake.one_line(lines))

    def test_a_run_says_it_and_keeps_it(self):
        self.look(load="20.00")
        with mock.patch("mc.running.quiet.LOOK_S", 0):
            self.run_("bandwidth")
        self.assertIn("memcache: not quiet: the load is 20 on 4 CPUs (end other work, or wait "
                      "until it has ended)\n", self.err.getvalue())
        self.assertIn('"quiet":{"load":20.0,"runnable":0,"cpus":4,"found":[{"kind":"load",'
                      '"what":"the load is 20 on 4 CPUs"}]}', Path("out").read_text())
