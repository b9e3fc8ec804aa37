# SPDX-License-Identifier: GPL-2.0-only
"""The simulated machine as the front end sees it: measuring by way of a socket, at the
other end of which a machine is made up here; and what is said of its results."""

import contextlib
import io
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
import unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from unittest import mock

import fake
from mc import Failure
from mc.commands import cli
from mc.commands.run import measure
from mc.output import comparison, export, report
from mc.records import prices as price_list
from mc.records import results
from mc.running import mark, simulated
from mc.running.debugfs import Debugfs
from mc.running.user import User

YES = {"wb": "yes", "wc": "yes", "uc": "yes"}
PRICES = {"uc_load_ns": 200, "uc_store_ns": 200, "wc_load_ns": 200, "wc_line_ns": 60,
          "wc_word_ns": 200, "wc_buffers": 8, "l1_bytes": 32768, "l1_ways": 8, "l1_ns": 0,
          "l2_bytes": 1 << 20, "l2_ways": 16, "l2_ns": 10, "l3_bytes": 0, "l3_ways": 16,
          "l3_ns": 0, "memory_ns": 80, "flush_ns": 0, "tlb_entries": 1536, "tlb_miss_ns": 30}
ABOUT = {"bochs": "2.7", "prices": PRICES}
DEAR = {"bochs": "2.7", "prices": PRICES | {"uc_load_ns": 333}}
SIMULATED = fake.BARE | {"simulated": ABOUT}


class Simulator(threading.Thread):
    """Answers orders as tools/types/run does. Scripts go to a shell, on this machine, for
    which the module's files lie in a directory here."""

    def __init__(self, directory: Path):
        super().__init__(daemon=True)
        self.files = directory / "debugfs"
        self.files.mkdir()
        self.tmp = directory / "tmp"
        self.tmp.mkdir()
        self.path = directory / "machine"
        self.orders: list[dict] = []
        self.answer = self.as_asked
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(str(self.path))
        self.socket.listen()
        self.start()

    def run(self):
        while True:
            connection, _ = self.socket.accept()
            with connection, connection.makefile("rb") as stream:
                line = stream.readline()
                if not line:
                    continue
                self.orders.append(json.loads(line))
                with contextlib.suppress(OSError):
                    connection.sendall(self.answer(self.orders[-1]))

    def as_asked(self, order: dict) -> bytes:
        if "script" not in order:
            return json.dumps(ABOUT).encode() + b"\n"
        script = order["script"].replace("/tmp/", f"{self.tmp}/")
        script = script.replace(simulated.STANDARD, str(self.files))
        script = script.replace(simulated.USER, f"{self.tmp.parent}/user")
        # What a write to the file `run` comes to.
        write = f"write() {{ {self.tmp.parent}/write \"$@\"; }}\n"
        script = write + script.replace("echo", "write", 1) if " >run" in script else script
        done = subprocess.run(["sh", "-c", script], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        return json.dumps({"status": done.returncode, "output": done.stdout}).encode() + b"\n"


# Instead of the kernel: measures all but size=5K, and what has `repeat=71` only in part.
WRITE = """#!/bin/sh
cd "$(dirname "$0")/debugfs"
echo "$1" >>asked
case $1 in
*size=5K*) printf 'request: %s\\nstate: refused\\nerror: EINVAL size: 4K to 1G would be right\\n' \
    "$1" >run; echo 'sh: write error: Invalid argument' >&2; exit 1 ;;
*repeat=71*) printf 'request: %s\\nstate: failed\\nerror: ETIME timeout: it was over\\n' "$1" >run
    cp half results.jsonl; echo 'sh: write error: Timer expired' >&2; exit 1 ;;
*repeat=72*) touch begun; while [ -e begun ]; do sleep 0.1; done ;;
esac
cp good results.jsonl
"""
USER = """#!/bin/sh
[ "$1" = --tests ] && { echo 'bandwidth: x'; exit; }
cat "$(dirname "$0")/debugfs/of_user"
case $3 in *size=5K*) echo 'memcache-user: Invalid argument: size: no' >&2; exit 1 ;; esac
"""


class Measuring(fake.InDirectory):
    def setUp(self):
        super().setUp()
        self.simulator = Simulator(Path.cwd())
        for name, text in ("write", WRITE), ("user", USER):
            Path(name).write_text(text)
            os.chmod(name, 0o755)
        files = self.simulator.files
        machine = fake.machine(fake.BARE, YES, clock_cost_ns=9.0)
        first = fake.result("bandwidth", 1000.0)
        good = fake.lines(machine, fake.request("bandwidth", 1), first)
        good[0] = good[0].replace(b"9.0", b"9.000")
        half = fake.lines(machine, fake.request("bandwidth", 1, state="stopped", errno=62), first)
        user = fake.lines(machine | {"where": "user"}, fake.request("bandwidth", 1, where="user"),
                          first | {"where": "user"})
        for name, lines in ("good", good), ("half", half), ("of_user", user):
            (files / name).write_bytes(b"".join(lines))
        for name, text in {"results.jsonl": "", "run": "", "asked": "", "tests": fake.TESTS,
                           "machine": good[0].decode()}.items():
            (files / name).write_text(text)
        patch = mock.patch.dict(os.environ, MEMCACHE_MACHINE=str(self.simulator.path))
        patch.start()
        self.addCleanup(patch.stop)

    def run_(self, *words, where=None, output="out", **more):
        self.out, self.err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(self.out), contextlib.redirect_stderr(self.err):
            return measure(list(words), output, where, **more)

    def front(self, *words):
        """The front end's commands; what they print."""
        self.out, self.err = io.StringIO(), io.StringIO()
        self.out.reconfigure = lambda **_how: None
        with contextlib.redirect_stdout(self.out), contextlib.redirect_stderr(self.err):
            return cli.main(list(words))

    def asked(self):
        return (self.simulator.files / "asked").read_text().splitlines()

    def test_the_kernel(self):
        self.assertEqual(self.run_("bandwidth cpu='0"), 0)
        self.assertEqual(self.asked(), ["bandwidth cpu='0"])
        [run] = results.load("out")
        self.assertEqual((run.machine["simulated"], run.where), (ABOUT, "kernel"))
        self.assertIn('"clock_cost_ns":9.000,', Path("out").read_text())
        self.assertIn("A SIMULATED MACHINE (Bochs 2.7)", self.out.getvalue())
        self.assertIn("[1/1] bandwidth cpu='0\n", self.err.getvalue())

    def test_both_sides(self):
        self.assertEqual(self.run_("bandwidth type=uc", where="both"), 0)
        self.assertEqual([run.where for run in results.load("out")], ["kernel", "user"])
        self.assertNotIn("skipped", self.err.getvalue())    # its devices are its own

    def test_errors_are_said_and_the_rest_goes_on(self):
        self.assertEqual(self.run_("bandwidth size=5K", "bandwidth repeat=71", "bandwidth"), 2)
        self.assertIn("memcache: bandwidth size=5K: EINVAL: size: 4K to 1G would be right\n",
                      self.err.getvalue())
        self.assertIn("memcache: bandwidth repeat=71: ETIME: timeout: it was over\n",
                      self.err.getvalue())
        self.assertEqual([run.request["state"] for run in results.load("out")],
                         ["stopped", "done"])

    def test_a_request_that_measured_nothing_keeps_nothing(self):
        self.run_("bandwidth")
        self.assertEqual(self.run_("bandwidth size=5K", output="other"), 2)
        self.assertFalse(os.path.exists("other"))

    def test_errors_of_user_space(self):
        self.assertEqual(self.run_("bandwidth size=5K", where="user"), 2)
        self.assertIn("(user): EINVAL: size: no\n", self.err.getvalue())

    def test_the_file_is_named_after_its_kernel(self):
        self.assertEqual(self.run_("bandwidth", output=None), 0)
        [name] = os.listdir("results")
        self.assertRegex(name, rf"^bandwidth-{os.uname().release}-simulated-\d+T\d+Z\.jsonl$")

    def test_ctrl_c_keeps_what_was_measured(self):
        threading.Thread(target=self.stop_when_begun, daemon=True).start()
        start = time.monotonic()
        self.assertEqual(self.run_("bandwidth", "bandwidth repeat=72", "bandwidth"), 130)
        self.assertLess(time.monotonic() - start, 300)
        self.assertEqual(len(self.asked()), 2)
        self.assertEqual(len(results.load("out")), 1)
        self.assertIn("stopped; results kept: 1\n", self.err.getvalue())

    def stop_when_begun(self):
        while not (self.simulator.files / "begun").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    def test_stopped_before_it_is_asked(self):
        machine = simulated.Machine(str(self.simulator.path))
        machine.interrupt()
        self.assertEqual(simulated.Kernel(machine).run("bandwidth"), simulated.STOPPED)
        self.assertEqual(self.asked(), [])

    def test_its_progress_is_not_asked_for(self):
        kernel, process = simulated.sides(str(self.simulator.path))
        self.assertEqual((kernel.progress(), process.progress()), ("", ""))
        self.assertEqual(self.simulator.orders, [])

    def test_it_dies_while_it_measures(self):
        for answer, wanted in (
                (b'{"error":"it has died"}\n', "simulated machine: it has died\n"),
                (b"", "the simulated machine has ended\n"),
                (b'{"status":1,"output":"cd: no such file\\n"}\n',
                 "simulated machine: cd: no such file\n")):
            self.simulator.answer = lambda order, answer=answer: (
                answer if "repeat=73" in order.get("script", "")
                else self.simulator.as_asked(order))
            with self.subTest(wanted):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink("out")
                self.assertEqual(self.run_("bandwidth", "bandwidth repeat=73", "bandwidth"), 1)
                self.assertEqual(self.err.getvalue().splitlines()[-1] + "\n",
                                 f"memcache: {wanted}")
                self.assertEqual(len(results.load("out")), 1)

    def test_nobody_there(self):
        with mock.patch.dict(os.environ, MEMCACHE_MACHINE="none/machine"), \
                self.assertRaisesRegex(Failure, "can't be reached .*make run GUEST=types"):
            self.run_("bandwidth size=4K")
        self.assertFalse(os.path.exists("out"))

    def test_it_has_no_counters(self):
        found = mock.Mock(counters=["one"], text="one")
        with mock.patch("mc.running.counters.discover", return_value=found), \
                self.assertRaisesRegex(Failure, "a simulated machine has no counters"):
            self.run_("bandwidth size=4K", count=True)

    def test_counters_are_looked_for_there(self):
        for words in ([], ["--set"], ["--clear"]):
            self.assertEqual(self.front("counters", *words), 1)
            self.assertEqual((self.out.getvalue(), self.err.getvalue()), (
                "", "memcache: a simulated machine has no counters of DRAM traffic\n"))

    def test_suites_take_as_long_as_there(self):
        """Pairs of CPUs are more on a larger machine; of one CPU there is none."""
        said = {}
        for cpus in "0", "0-1", "0-63":
            (self.simulator.files / "machine").write_text(
                fake.lines(fake.machine(fake.BARE, YES, cpus_online=cpus))[0].decode())
            self.assertEqual(self.front("suites"), 0)
            said[cpus] = re.search(r"^c2c +(-|\d+ \w+) ", self.out.getvalue(), re.M)[1]
        self.assertEqual(said["0"], "-")
        self.assertEqual(len(set(said.values())), 3)

    def test_doctor_examines_it(self):
        self.assertEqual(self.front("doctor"), 0)
        self.assertEqual(self.out.getvalue().splitlines()[0],
                         "ok    a simulated machine (Bochs 2.7), which MEMCACHE_MACHINE names; "
                         "this one is not examined")
        self.assertIn("ok    UC: page tables say uc-, effective=yes\n", self.out.getvalue())
        for word in ("root", "headers", "/dev/kvm", "debugfs"):
            self.assertNotIn(word, self.out.getvalue())
        (self.simulator.files / "machine").write_text(
            fake.lines(fake.machine(fake.BARE, YES | {"uc": "no"}))[0].decode())
        self.assertEqual(self.front("doctor"), 1)
        self.assertIn("fail  UC: ", self.out.getvalue())

    def test_a_machine_that_is_not_there(self):
        with mock.patch.dict(os.environ, MEMCACHE_MACHINE="none/machine"):
            self.assertEqual(self.front("doctor"), 1)
        self.assertIn("the simulated machine can't be reached", self.err.getvalue())

    def test_a_path_of_any_length(self):
        deep = Path("d" * 100) / "e"
        deep.mkdir(parents=True)
        (deep / "machine").symlink_to(self.simulator.path)
        os.rename(self.simulator.path, deep / "machine")
        with mock.patch.dict(os.environ, MEMCACHE_MACHINE=str(deep.absolute() / "machine")):
            self.assertEqual(self.run_("bandwidth size=4K"), 0)


def runs(about=SIMULATED, line="bandwidth type=wb,uc", speed=1000.0):
    found = [fake.result(f"bandwidth type={name}", speed) for name in ("wb", "uc", "wc")]
    return fake.measured(about, (line, found))


class Results(unittest.TestCase):
    def test_the_report_begins_with_it(self):
        lines = report.lines(runs())
        self.assertTrue(" ".join(lines).startswith(
            "A SIMULATED MACHINE (Bochs 2.7): its times follow from its prices, and are of no real "
            "hardware. Prices 0d7ab813, in ns: UC load 200, store 200; WC load 200, whole line 60, "
            "part of one 200 each 8 bytes, 8 buffers; L1 0 (32K, 8 ways), L2 10 (1M, 16 ways), "
            "memory 80; flush 0; TLB of 1536 entries, miss 30. Linux 6.1.0-50-amd64, Intel(R) "
            "Xeon(R) Gold 6252, simulated, clock: tsc"))
        self.assertIn("WB, UC and WC: as asked for, and real on this simulated machine.", lines)

    def test_a_third_level_and_keys_that_are_new(self):
        more = PRICES | {"l3_bytes": 8 << 20, "l3_ns": 40, "new_ns": 7}
        text = " ".join(report.lines(runs(fake.BARE | {"simulated": ABOUT | {"prices": more}})))
        self.assertIn("L3 40 (8M, 16 ways), memory 80", text)
        self.assertIn("miss 30; new_ns 7.", text)

    def test_a_real_machine_is_none(self):
        text = "\n".join(report.lines(runs(fake.BARE)))
        self.assertNotIn("simulated", text.lower())
        self.assertIn("as asked for, and real.", text)

    def test_never_the_same_machine(self):
        other = fake.machine(fake.BARE, YES)
        for first, second in ((other | {"simulated": ABOUT}, other),
                              (other, other | {"simulated": ABOUT}),
                              (other | {"simulated": ABOUT}, other | {"simulated": DEAR})):
            with self.assertRaisesRegex(Failure, ":3: mixed: simulated is"):
                fake.runs(first, fake.request("bandwidth", 0), second,
                          fake.request("bandwidth", 0))

    def test_not_an_object(self):
        with self.assertRaisesRegex(Failure, "`simulated` of the machine has a value that can't"):
            runs(fake.BARE | {"simulated": "yes"})

    def test_prices_are_numbers(self):
        report.lines(runs(fake.BARE | {"simulated": {"prices": {}}}))
        for prices in (None, [], {"uc_load_ns": "\33[2J"}, {"x": [1]}):
            with self.assertRaisesRegex(Failure, "`simulated.prices.* has a value that can't be"):
                runs(fake.BARE | {"simulated": {"prices": prices}})

    def test_compared_with_a_real_machine(self):
        files = {"a": runs(), "b": runs(fake.BARE, speed=900.0)}
        parts, status = comparison.parts(files)
        lines = fake.shown(parts)
        text = "\n".join(lines)
        self.assertEqual(status, 1)
        self.assertIn("Gold 6252, simulated by Bochs 2.7, prices 0d7ab813 B ",
                      " ".join(text.split()))
        self.assertIn("any of it: one machine is simulated, the other is not", text)
        self.assertIn("--mixed-verdicts compares them nevertheless", text)
        parts, status = comparison.parts(files, mixed=True)
        lines = fake.shown(parts)
        self.assertIn("3 compared: 0 faster, 0 slower, 0 same, 3 can't tell.", lines)

    def test_compared_with_other_prices(self):
        files = {"a": runs(), "b": runs(fake.BARE | {"simulated": DEAR}, speed=900.0)}
        parts, status = comparison.parts(files)
        lines = fake.shown(parts)
        self.assertEqual(status, 0)
        # No run of a simulated machine differs from another, so that one is enough.
        self.assertIn("3 compared: 0 faster, 3 slower, 0 same, 0 can't tell.", lines)
        names = [line.rpartition("prices ")[2] for line in lines[:2]]
        self.assertEqual(len(set(names)), 2)

    def test_it_is_no_virtual_machine_and_no_bare_metal(self):
        def random(about, side):
            asked = {"op": "read", "count": 8, "mode": "independent"}
            found = [fake.figure("random", asked | {"op": op}, {"ns_per_access": 1.0}, where=side)
                     for op in ("read", "write")]
            return fake.measured(about, ("random", found))

        kernel, user = random(SIMULATED, "kernel"), random(SIMULATED, "user")
        text = "\n".join(fake.shown(comparison.parts(
            {"a": kernel, "b": user, "c": random(fake.BARE, "kernel")}, mixed=True)[0]))
        self.assertIn("OS overhead", text)
        self.assertNotIn("hypervisor overhead", text)
        self.assertIn("simulated by Bochs 2.7, prices 0d7ab813", text)

    def test_exported(self):
        for form, write in export.FORMS.items():
            with self.subTest(form):
                both = [write(runs(about)) for about in (SIMULATED, fake.BARE)]
                self.assertRegex(both[0], "Bochs.2.7.*0d7ab813")
                self.assertNotIn("Bochs", both[1])


class Schema(unittest.TestCase):
    def setUp(self):
        check = ModuleType("check_schema")
        check.__file__ = str(fake.TOP / "tools/check/schema")
        SourceFileLoader("check_schema", check.__file__).exec_module(check)
        self.schema = json.loads(check.SCHEMA.read_text())["$defs"]["simulated"]
        self.problems = lambda record: list(check.problems([json.dumps(record)], check.validator()))

    def test_keys_are_those_of_a_price_file(self):
        lines = (fake.TOP / "tools/types/prices").read_text().splitlines()
        keys = [line.partition("=")[0].strip() for line in lines if "=" in line.partition("#")[0]]
        prices = self.schema["properties"]["prices"]
        self.assertEqual(sorted(keys), sorted(PRICES))
        self.assertEqual(sorted(keys), sorted(prices["required"]))

    def test_what_must_not_pass(self):
        def about(prices):
            return self.problems(fake.machine(SIMULATED, YES) | {"simulated": {
                "bochs": "2.7", "prices": prices}})

        good = about(PRICES)    # the machine that is made up has not all that one has
        self.assertFalse([problem for problem in good if "simulated" in problem])
        for prices in (PRICES | {"other_ns": 1}, PRICES | {"l1_ns": -1}, PRICES | {"l1_ns": "1"},
                       {key: value for key, value in PRICES.items() if key != "l1_ns"}):
            self.assertTrue([problem for problem in about(prices) if "simulated" in problem])

    def test_prices_of_qemu(self):
        shown = subprocess.run(["make", "-s", "-C", fake.TOP / "tools/sim"], check=False)
        self.assertEqual(shown.returncode, 0)
        prices = json.loads(subprocess.run(
            [fake.TOP / "build/sim/show", fake.TOP / "tools/sim/prices"], check=True,
            capture_output=True, text=True).stdout)

        def about(prices):
            return [problem for problem in self.problems(fake.machine(fake.BARE, YES) | {
                "simulated": {"qemu": "10.0.2", "prices": prices}}) if "simulated" in problem]

        self.assertEqual(about(prices), [])
        self.assertIn("memory_ns_0_1", prices)
        for wrong in (prices | {"other_ns": 1}, prices | {"memory_ns_0_8": 1},
                      prices | {"l1_ns": -1},
                      {key: value for key, value in prices.items() if key != "l1_ns"}):
            self.assertTrue(about(wrong))


class Marked(unittest.TestCase):
    """In the guest of the machine in QEMU, a variable describes it."""

    ABOUT = json.dumps({"qemu": "10.0.2", "prices": PRICES})
    RECORDS = '{"record":"machine","clock_cost_ns":9.000}\n{"record":"request"}\n'

    def test_the_first_record_is_marked(self):
        with mock.patch.dict(os.environ, MEMCACHE_SIMULATED=self.ABOUT):
            found = mark.marked(self.RECORDS)
        first, second = found.splitlines()
        self.assertEqual(json.loads(first)["simulated"], json.loads(self.ABOUT))
        self.assertIn('"clock_cost_ns":9.000,', first)
        self.assertEqual(second, '{"record":"request"}')
        self.assertEqual(mark.marked(self.RECORDS), self.RECORDS)

    def test_what_reads_the_files_and_the_program_marks(self):
        with mock.patch.dict(os.environ, MEMCACHE_SIMULATED=self.ABOUT):
            files = Debugfs()
            with mock.patch.object(Debugfs, "_read", return_value=self.RECORDS.splitlines()[0]):
                self.assertEqual(files.machine()["simulated"]["qemu"], "10.0.2")
            with mock.patch.object(Debugfs, "_read", return_value=self.RECORDS), \
                    mock.patch.object(Debugfs, "_write", return_value=0):
                self.assertIn('"simulated":', files.run("bandwidth").records)
            with mock.patch("subprocess.Popen") as program:
                program.return_value.communicate.return_value = (self.RECORDS, "")
                program.return_value.returncode = 0
                self.assertIn('"simulated":', User("x").run("bandwidth").records)

    def test_named(self):
        self.assertEqual(price_list.known({"simulated": json.loads(self.ABOUT)})["emulator"],
                         "QEMU 10.0.2")


if __name__ == "__main__":
    unittest.main()
