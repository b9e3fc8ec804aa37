# SPDX-License-Identifier: GPL-2.0-only
"""Measuring: what is asked of the kernel, what is kept, how it ends."""

import contextlib
import errno
import io
import json
import os
import pwd
import signal
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import fake
from mc import Failure
from mc.commands import cli
from mc.commands.run import measure
from mc.records import continued, results, rounds, suite
from mc.running import debugfs, plan
from mc.running.side import Outcome

SUITE = "cache-attributes"


class Run(fake.Measured):
    def test_the_records_have_the_name_of_this_machine(self):
        for asked, uname, told in ((None, "node07", "node07"), (None, "localhost", None),
                                   ("rack1-3", "node07", "rack1-3"), ("none", "node07", None),
                                   ("localhost", "node07", "localhost")):
            with self.subTest(f"{asked} {uname}"), mock.patch("os.uname") as name:
                name.return_value = mock.Mock(nodename=uname, release="6.1")
                self.run_("bandwidth size=4K", host=asked)
                self.assertEqual(results.load("out")[0].machine.get("host"), told)
                os.unlink("out")

    def test_words_that_are_refused(self):
        for more, said in (
                *(({"host": name}, "^--host: a name has 1 to 64") for name in ("", "  ", "x" * 65)),
                ({"output": "nosuch/out"}, "^-o nosuch/out: there is no directory nosuch$"),
                ({"output": "a/b/out"}, "^-o a/b/out: there is no directory a/b$"),
                *(({"output": path}, f"^-o {path}: ")
                  for path in ("/dev/null/out", "/proc/nosuch/out"))):
            fake.refused(self, said, self.run_, "bandwidth size=4K", **more)
        # Only the directory results is made.
        self.assertFalse(os.path.exists("nosuch") or os.path.exists("a"))

    def test_a_reason_that_many_requests_share_is_said_once(self):
        self.write("s", b"".join(b"%d: bandwidth size=%dK\n" % (i, i) for i in range(4, 9)))
        self.run_("./s", errors=dict.fromkeys(range(1, 5), (errno.EOPNOTSUPP, None)))
        said = self.err.getvalue()
        self.assertEqual(said.count("skipped: "), 2, said)
        self.assertIn("3 requests more: skipped: ", said)

    def test_a_suite(self):
        self.assertEqual(self.run_(SUITE), 0)
        requests = suite.load(SUITE).requests
        self.assertEqual(self.kernel.asked, 5 * [r.line.replace("{first}", "0") for r in requests])
        runs = rounds.load("out")
        self.assertEqual([run.label for run in runs], [r.label for r in requests])
        self.assertEqual({run.suite for run in runs}, {SUITE})
        self.assertIn("What stands out", self.out.getvalue())
        self.assertTrue(self.out.getvalue().endswith("\nResults: out\n"))

    def test_show_says_what_is_missing_after_a_power_cut(self):
        self.run_("bandwidth size=4K", "bandwidth size=8K", "latency size=4K", "latency size=4K")
        self.assertNotIn("without any result", self.out.getvalue())
        lines = Path("out").read_bytes().splitlines(keepends=True)
        self.assertEqual(json.loads(lines[1])["planned"], [
            "bandwidth size=4K", "bandwidth size=8K", "latency size=4K", "latency size=4K"])
        second = [n for n, line in enumerate(lines) if b'"machine"' in line][1]
        Path("cut").write_bytes(b"".join(lines[:second]))
        # Of two runs in a file, each has requests of its own.
        Path("two").write_bytes(b"".join(lines[:second] + lines))
        for name in ("cut", "two"):
            status, out, _ = fake.output_of(cli.main, ["show", name])
            self.assertEqual(status, 0)
            self.assertTrue(out.endswith(
                "\n3 requests without any result, as the run ended early or could not measure "
                "them\n- bandwidth size=8K\n- latency size=4K (2 times)\n"), out)

    def test_results_are_on_the_disk_before_the_next_request(self):
        stored = []
        kernel = fake.Kernel()
        asked = kernel.run
        kernel.run = lambda line: (stored.append(f"asked {line}"), asked(line))[1]
        with mock.patch.object(os, "fsync", lambda _: stored.append(
                f"stored {len(results.load('out'))}")):
            self.run_("bandwidth size=4K", "bandwidth size=8K", kernel=kernel)
            self.assertEqual(stored, ["asked bandwidth size=4K", "stored 1",
                                      "asked bandwidth size=8K", "stored 2"])
            stored.clear()
            self.run_("bandwidth size=4K", output="-")      # may be a pipe
        self.assertEqual(stored, [])

    def test_a_mistyped_suite_is_refused_before_the_module_is_loaded(self):
        with mock.patch("mc.commands.run.module.keep_loaded") as loaded:
            status, _, err = fake.output_of(cli.main, ["run", "cache-atributes"])
        self.assertEqual(status, 2)
        self.assertIn("Did you mean cache-attributes?", err)
        loaded.assert_not_called()

    def test_a_single_request_is_never_missing(self):
        self.run_("bandwidth size=4K")
        self.assertNotIn("planned", results.load("out")[0].request)

    def test_a_line_a_minute_when_not_on_a_terminal(self):
        sizes = "4K", "8K", "16K"
        for every, lines in ((3600, 1), (0, 3)):
            with mock.patch("mc.running.progress.LINE_S", every):
                self.run_(*(f"bandwidth size={size}" for size in sizes))
            self.assertEqual(self.err.getvalue(), "".join(
                f"memcache: [{n}/3] bandwidth size={size}\n"
                for n, size in enumerate(sizes[:lines], 1)))
            os.unlink("out")

    def test_numbers_stay_as_the_kernel_wrote_them(self):
        kernel = fake.Kernel()
        write = kernel._write

        def zeros(name, line):
            error = write(name, line)
            kernel.files["results.jsonl"] = kernel.files["results.jsonl"].replace(
                "9000.0", "9000.000")
            return error
        kernel._write = zeros
        self.run_("bandwidth", kernel=kernel)
        self.assertIn('"mb_per_s":9000.000,', Path("out").read_text())

    def test_names_of_results_files(self):
        with mock.patch("time.strftime", return_value="T"):
            for more in ("", "-2", "-3"):
                self.run_(SUITE, output=None)
                self.assertIn(f"Results: results/{SUITE}-{os.uname().release}-T{more}.jsonl\n",
                              self.out.getvalue())

    def test_what_root_makes_belongs_to_the_owner_of_the_directory(self):
        given, theirs = [], SimpleNamespace(st_uid=1000, st_gid=100, st_mode=0o40755)
        with mock.patch("os.geteuid", return_value=0), \
                mock.patch("os.stat", return_value=theirs), \
                mock.patch("os.fstat", return_value=theirs), \
                mock.patch("os.path.exists", lambda path: os.access(path, os.F_OK)), \
                mock.patch("os.fchown", lambda file, *owner: given.append(
                    (os.readlink(f"/proc/self/fd/{file}").removeprefix(f"{os.getcwd()}/"),
                     *owner))):
            results.create_directory("mine")
            results.create_directory("mine")
            results.create("mine/out").close()
            results.create("here").close()
        self.assertEqual(given, [(path, 1000, 100) for path in ("mine", "mine/out", "here")])

    def test_what_a_user_makes_is_not_handed_over(self):
        with mock.patch("os.geteuid", return_value=1000), mock.patch("os.fchown") as change:
            results.create_directory("mine")
            results.create("mine/out").close()
        change.assert_not_called()

    def test_nothing_is_overwritten(self):
        self.write("out", b"precious")
        fake.refused(self, "out exists already", self.run_, SUITE)
        self.assertEqual(Path("out").read_bytes(), b"precious")
        self.assertEqual(self.kernel.asked, [])

    def test_a_refused_request_leaves_no_trace_of_the_one_before(self):
        self.assertEqual(self.run_("bandwidth size=4K", "bandwidth size=5K", "bandwidth size=8K",
                                   errors={2: (errno.EINVAL, None)}), 2)
        self.assertEqual(len(self.kernel.asked), 3)
        self.assertEqual([run.label for run in results.load("out")],
                         ["bandwidth size=4K", "bandwidth size=8K"])
        self.assertIn("memcache: bandwidth size=5K: EINVAL: size: no; 4K to 1G would be right\n",
                      self.err.getvalue())

    def test_nothing_measured_leaves_no_file(self):
        self.assertEqual(self.run_("bandwidth width=64", errors={1: (errno.EOPNOTSUPP, None)}), 1)
        self.assertIn("EOPNOTSUPP: size: no; 4K", self.err.getvalue())
        self.assertFalse(Path("out").exists())
        self.assertEqual(self.out.getvalue(), "")

    def test_what_a_failed_request_measured_is_kept(self):
        for error in (errno.ETIME, errno.EBADMSG):
            self.assertEqual(self.run_("bandwidth type=wb,uc,wc", errors={1: (error, 2)},
                                       output=str(error)), 1)
            self.assertEqual(len(results.load(str(error))[0].results), 2)
            self.assertIn("Requests that did not succeed", self.out.getvalue())
        self.assertIn("VERIFICATION FAILED", self.out.getvalue())

    def test_what_the_same_request_measured_before_is_not_taken_for_it(self):
        self.run_("bandwidth timeout=1", "bandwidth timeout=1",
                  errors={1: (errno.ETIME, 1), 2: (errno.ETIME, 0)})
        self.assertEqual(len(results.load("out")), 1)

    def test_a_request_cannot_choose_where_results_go(self):
        kernel = fake.Kernel()
        kernel.files["tests"] = ""      # so that the requests reach the module
        self.run_(f"../{Path.cwd().name}/x y=1", "a\udcff z=1", output=None, kernel=kernel)
        self.assertEqual([p.parent.name for p in Path("results").iterdir()], ["results"])
        self.assertEqual(os.listdir(), ["results"])

    def test_a_busy_module_ends_it(self):
        self.assertEqual(self.run_(SUITE, errors={2: (errno.EBUSY, None)}), 1)
        self.assertEqual(len(self.kernel.asked), 2)
        self.assertEqual(len(results.load("out")), 1)

    def test_who_keeps_the_module_busy(self):
        def busy(progress: str) -> str:
            Path("progress").write_text(progress)
            with mock.patch.object(debugfs.Debugfs, "_write", return_value=errno.EBUSY):
                return debugfs.Debugfs(".").run("bandwidth").why
        self.write("run", b"request: latency size=1M\nstate: running\n")
        self.write("results.jsonl", b"")
        name = Path("/proc/self/comm").read_text().strip()
        try:
            login = int(Path("/proc/self/loginuid").read_text())
        except OSError:
            login = debugfs.NOBODY
        user = pwd.getpwuid(os.getuid() if login == debugfs.NOBODY else login).pw_name
        self.assertEqual(
            busy(f"running 3/12 elapsed_s=1.5 eta_s=4.5 pid={os.getpid()}\n"),
            f"another run is on, started by {name} (process {os.getpid()}, user {user}): "
            "3 of 12 samples, 4.5 s left: latency size=1M")
        self.assertEqual(
            busy("running 0/12 elapsed_s=0.1 eta_s=na pid=0\n"),
            "another run is on, started by process 0: 0 of 12 samples: latency size=1M")
        self.assertEqual(busy("idle\n"), "another run is on")

    def test_a_lost_connection_ends_no_run(self):
        kernel = fake.Kernel()
        reader, writer = os.pipe()
        os.close(reader)
        with open(writer, "w") as gone, contextlib.redirect_stderr(gone), \
                contextlib.redirect_stdout(io.StringIO()):
            measure(["bandwidth size=4K", "bandwidth size=8K"], "out", None, [kernel])
            with contextlib.suppress(OSError):
                gone.close()
        self.assertEqual(len(results.load("out")), 2)

    def test_records_that_make_no_sense_are_an_error(self):
        kernel = fake.Kernel()
        kernel._write = lambda name, line: 0
        kernel.files["results.jsonl"] = "nonsense\n"
        self.assertEqual(self.run_("bandwidth size=4K", kernel=kernel), 1)
        self.assertIn("results.jsonl:1: not JSON", self.err.getvalue())

    def test_a_full_disk_loses_no_figure_on_the_screen(self):
        os.symlink("/dev/full", "full")
        with mock.patch("mc.records.results.create", lambda path: open("full", "wb", buffering=0)):
            self.assertEqual(self.run_("bandwidth size=4K"), 1)
        self.assertIn("No space left on device", self.err.getvalue())
        self.assertIn("9000.0", self.out.getvalue())

    def test_a_suite_may_leave_out_what_is_not_there_and_a_person_is_told(self):
        left = "memcache: bandwidth size=4K type=wb,uc: in part left out in the kernel: type=uc "
        with mock.patch.object(fake.Kernel, "has_wb_only", return_value=True):
            self.assertEqual(self.run_("bandwidth size=4K type=wb,uc"), 1)
            self.assertIn(left, self.err.getvalue())
            self.assertEqual(self.kernel.asked, ["bandwidth size=4K type=wb"])
            self.assertEqual(self.run_(SUITE, output="suite"), 0)

    def test_a_module_of_another_version(self):
        def said(module: str, program: str) -> str:
            Path("machine").write_text(f'{{"version":"{module}"}}')
            side = debugfs.Debugfs(".")
            with mock.patch("mc.version.version", lambda: program):     # is said once
                return "".join(fake.output_of(side.check)[2] for _ in range(2))
        Path("run").touch()
        self.assertEqual(
            said("1.0", "1.1-dirty"), "memcache: the loaded module is of version 1.0, and this "
            "program of version 1.1-dirty; rmmod memcache, then load the one that belongs to "
            f"this program: {'' if os.geteuid() == 0 else 'sudo '}make load\n")
        for module, program in ("1.1", "1.1"), ("unknown", "1.1"), ("1.0", "unknown"):
            self.assertEqual(said(module, program), "")

    def test_a_file_is_open_as_long_as_the_run_lasts(self):
        def files() -> list[str]:
            return [os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd")
                    if os.path.exists(f"/proc/self/fd/{name}")]
        held = []
        kernel = fake.Kernel()
        kernel.hold = debugfs.Debugfs(".").hold
        write = kernel._write
        kernel._write = lambda *given: (held.append(files()), write(*given))[1]
        self.write("progress", b"idle\n")
        self.run_("bandwidth size=4K", "bandwidth size=8K", kernel=kernel)
        self.assertEqual(len(held), 2)
        for each in held:
            self.assertIn(os.path.realpath("progress"), each)
        self.assertNotIn(os.path.realpath("progress"), files())

    def test_a_module_unloaded_in_between(self):
        kernel = fake.Kernel()
        write = kernel._write
        kernel._write = lambda name, line: write(name, line) if not kernel.asked else \
            debugfs.Debugfs("/nowhere")._write(name, line)
        self.assertEqual(self.run_(SUITE, kernel=kernel), 1)
        self.assertIn("the module is not loaded", self.err.getvalue())
        self.assertEqual(len(results.load("out")), 1)


class Words(fake.unittest.TestCase):
    def setUp(self):
        # No word is one of another program, so that memcache-user would change nothing.
        self.enterContext(mock.patch("mc.running.plan.our_words", lambda lines, *_: lines))

    def planned(self, *words):
        place = plan.Place([fake.Kernel()])
        return [request.line for request in plan.requests(list(words), place)]

    def test_lines_suites_and_bare_tests(self):
        self.assertEqual(self.planned("bandwidth size=4K", "bandwidth"),
                         ["bandwidth size=4K", "bandwidth"])
        self.assertEqual(len(self.planned(SUITE, "bandwidth size=4K")), 9)

    def test_a_line_without_quotes(self):
        self.assertEqual(self.planned("bandwidth", "size=4K", "op=read", "bandwidth"),
                         ["bandwidth size=4K op=read", "bandwidth"])

    def test_what_is_neither(self):
        for words, said in ((["nosuch"], r"no suite nosuch and no such test\. Tests: bandwidth, "
                                         ".*Suites: .*cache-attributes"), ([""], "one line"),
                            (["bandwidth\nsize=4K"], "one line"), (["./nosuch"], "no suite")):
            self.refused(words, said)

    def refused(self, words, said):
        fake.refused(self, said, self.planned, *words)

    def test_a_mistake_is_named_and_what_was_meant(self):
        for line, said in (
                ("bandwidthh size=4K", r"^test: 'bandwidthh' is not one of bandwidth\|.*; did you "
                                       r"mean bandwidth\?$"),
                ("bandwidthh", r"no such test\. Did you mean bandwidth\? "),
                ("cache-atributes", r"no such test\. Did you mean cache-attributes\? "),
                ("bandwidth sizze=4K", "^'sizze': not a key of bandwidth; did you mean size"),
                ("bandwidth threads=0", "^'threads': not a key of bandwidth; it has: op, "),
                ("bandwidth opp=read", "^'opp': not a key of bandwidth; did you mean op[?]$"),
                ("bandwidth op=reead", r"^op: 'reead' is not one of read\|.*; did you mean read\?"),
                ("bandwidth op=read,x", r"^op: 'x' is not one of read\|[^;]*$"),
                ("bandwidth size=4K size=8K", "^size: is given twice$"),
                ("ramp idle=5", r"^idle: '5' is not one of 0\.\.1s"),
                ("ramp idle=0,5min", r"^idle: '5min' is not "),
                ("ramp idle=1001ms", r"^idle: '1001ms' is not "),
                ("bandwidth size", "^'size': not key=value$"),
                ("bandwidth size=", "^size: has no value$"),
                ("bandwidth size=1", r"^size: '1' is not one of "),
                ("bandwidth size=1.3M", r"^size: '1\.3M' is not one of "),
                ("bandwidth size=4K..99999999G", "^size: '4K..99999999G' is not"),
                ("bandwidth repeat=many", r"^repeat: 'many' is not one of 1\.\.1000000$"),
                ("bandwidth repeat=1.5", r"^repeat: '1\.5' is not one of 1\.\.1000000$"),
                ("bandwidth timeout=0.5", r"^timeout: '0\.5' is not one of 0\.\.86400$"),
                ("bandwidth time=0.0004", r"^time: '0\.0004' is not one of 0\|0\.001\.\.86400$"),
                ("bandwidth time=0.000", r"^time: '0\.000' is not"),
                ("bandwidth time=86400.001", r"^time: '86400\.001' is not "),
                ("bandwidth time=1.", r"^time: '1\.' is not "),
                ("bandwidth time=.4", r"^time: '\.4' is not ")):
            self.refused([line], said)

    def test_what_can_only_be_right(self):
        for line in ("bandwidth size=4k..16M,1g node=auto,0 cpu=0-3:2 repeat=1..8", "file path=/x",
                     "bandwidth time=0", "bandwidth time=0.4", "latency time=2.125 timeout=30",
                     "bandwidth time=0.001", "bandwidth time=86400.000",
                     "ramp idle=0,1us,1000ms,1s",
                     "mix groups=0,2:read:size=4K+1,3:chase:node=0 size=4K,8K"):
            self.assertEqual(self.planned(line), [line])
            self.assertEqual(self.planned(*line.split()), [line])

    def test_what_no_side_can_say(self):
        with mock.patch.object(fake.Kernel, "tests", return_value={}):
            self.assertEqual(self.planned("teleport speed=9"), ["teleport speed=9"])
            self.refused(["teleport"], "no suite teleport .and no module loaded, and no")


class Names(fake.unittest.TestCase):
    """A test and a suite may have the same name."""

    def planned(self, *words, tests=None):
        kernel = fake.Kernel()
        with mock.patch.object(kernel, "tests", return_value=tests) if tests is not None \
                else contextlib.nullcontext():
            return plan.requests(list(words), plan.Place([kernel]))

    def test_a_request_is_a_request(self):
        for line in ("loaded op=read delay=0", "c2c state=hitm"):
            for tests in (None, {}):        # also if nothing is loaded or built
                [request] = self.planned(line, tests=tests)
                self.assertEqual((request.line, request.suite), (line, None))

    def test_a_name_alone_is_the_suite(self):
        with mock.patch("mc.records.shape.machine_shape", return_value=fake.shape(4, nodes=2)):
            for name in ("loaded", "c2c"):
                self.assertEqual({request.suite for request in self.planned(name)}, {name})

    def test_a_path_is_always_the_suite(self):
        with mock.patch("mc.records.shape.machine_shape", return_value=fake.shape(4)):
            [request] = self.planned(f"{suite.directory()}/loaded", "delay=0")
        self.assertEqual(request.suite, "loaded")
        self.assertIn(" delay=0 ", request.line)


class Quick(fake.Measured):
    def test_the_quick_form_of_a_suite(self):
        self.assertEqual(suite.with_quick_forms(["mlc", "loaded repeat=1", "type=wb"]),
                         ["mlc-quick", "loaded-quick repeat=1", "type=wb"])
        self.assertEqual(suite.with_quick_forms(["mlc-quick"]), ["mlc-quick"])
        for word in ("c2c", "latency size=4K", "latency", "triad", "bw_mem 64M rd", "nosuch",
                     "loaded_latency", "mlc --max_bandwidth", f"{suite.directory()}/c2c"):
            fake.refused(self, f"^{word} has no quick form; these have: ampl.*, mlc, ",
                         suite.with_quick_forms, ["mlc", word])
        path = f"{suite.directory()}/loaded"
        self.assertEqual(suite.with_quick_forms([path]), [f"{path}-quick"])

    def test_those_that_are_offered(self):
        self.assertEqual([name for name in suite.names_offered() if name.endswith("quick")], [])
        self.assertEqual({name.removesuffix("-quick") for name in suite.names()},
                         set(suite.names_offered()))


class Keys(fake.InDirectory):
    """The keys of a suite can be replaced on the command line."""

    def planned(self, *words):
        with mock.patch("mc.records.shape.machine_shape", return_value=fake.shape(4)):
            return plan.requests(list(words), plan.Place([fake.Kernel()]))

    def test_in_every_line(self):
        planned = self.planned(SUITE, "size=64M", "cpu=1", "time=0.4")
        wanted = suite.load(SUITE).requests
        self.assertEqual([r.label for r in planned], [r.label for r in wanted])
        self.assertEqual([r.line for r in planned], [
            r.line.replace("size=16M", "size=64M").replace("{first}", "1") + " time=0.4"
            for r in wanted])

    def test_where_the_test_takes_them(self):
        self.write("s", b"bandwidth op=read,write\nlatency pattern=random\nloaded op=write\n")
        self.assertEqual([r.line for r in self.planned("./s", "pattern=stride", "repeat=3")], [
            "bandwidth op=read,write repeat=3", "latency pattern=stride repeat=3",
            "loaded op=write repeat=3"])
        self.assertEqual([r.line for r in self.planned("./s", "op=ntread")], [
            "bandwidth op=ntread", "latency pattern=random", "loaded op=write"])

    def test_lines_that_become_equal_are_measured_once(self):
        self.write("s", b"bandwidth size=4K\nbandwidth size=8K\na: bandwidth size=1M\n")
        self.assertEqual([(r.label, r.line) for r in self.planned("./s", "size=64K")],
                         [(None, "bandwidth size=64K"), ("a", "bandwidth size=64K")])

    def test_mistakes(self):
        for word, said in (("sizze=4K", "^cache-attributes: 'sizze': not a key of bandwidth; "
                                        "did you mean size"),
                           ("op=reead", "op: 'reead' is not one of .*; did you mean read"),
                           ("size=1", "size: '1' is not"), ("warmup=0.5", "warmup: '0.5' is ")):
            fake.refused(self, said, self.planned, SUITE, word)
        for words in (["size=4K", "size=8K"], ["size="]):
            fake.refused(self, "given twice|has no value", self.planned, SUITE, *words)
        fake.refused(self, "'size': not key=value", self.planned, f"{SUITE} size")


class Suites(fake.Measured):
    """Parts that a machine can't do are skipped; the rest is measured."""

    SUITE = b"""@title T
@takes 2 s a record
narrow: bandwidth width=8
wide:   bandwidth width=64
new:    bandwidth op=teleport,read
strange: teleport
@section Two nodes
@needs 2 nodes
bandwidth node={nodes}
"""

    def setUp(self):
        super().setUp()
        self.write("s", self.SUITE)
        self.enterContext(mock.patch("mc.records.shape.machine_shape",
                                     return_value=fake.shape(4)))

    def test_each_with_a_sentence(self):
        self.assertEqual(self.run_("./s", errors={2: (errno.EOPNOTSUPP, None)}), 0)
        self.assertEqual(self.kernel.asked, ["bandwidth width=8", "bandwidth width=64",
                                             "bandwidth op=read"])
        said = self.err.getvalue()
        for text in ("bandwidth: skipped: it takes 2 nodes, and this machine has 1\n",
                     "new: in part left out in the kernel: op=teleport is not a value that it can "
                     "measure\n", "strange: skipped in the kernel: no test teleport there\n",
                     "wide: skipped: size: no; 4K", "s: 3 requests, 3 records, about 6 s"):
            self.assertIn(text, said)
        self.assertEqual([run.label for run in results.load("out")], ["narrow", "new"])

    def test_a_part_is_named_where_another_has_the_same_test(self):
        self.write("s", self.SUITE.replace(b"narrow: ", b""))
        self.assertEqual(self.run_("./s"), 0)
        self.assertIn("bandwidth (Two nodes): skipped: it takes 2 nodes, and this machine has 1\n",
                      self.err.getvalue())

    def test_nothing_of_it(self):
        self.assertEqual(self.run_("./s", errors=dict.fromkeys(
            (1, 2, 3), (errno.EOPNOTSUPP, None))), 1)
        self.assertFalse(Path("out").exists())

    def test_what_a_person_typed_is_checked_before_anything_is_measured(self):
        with self.assertRaisesRegex(Failure, "op: 'teleport' is not one of"):
            self.run_("bandwidth size=4K", "bandwidth op=teleport")
        self.assertEqual((self.kernel.asked, os.listdir()), ([], ["s"]))

    def test_ones_own_keep_their_title_tables_and_notes(self):
        self.write("mine", b"@title Mine\n@note Above.\n@table rows=op columns=type "
                           b"value=mb_per_s\nbandwidth op=read type=wb,uc\n@section Part\n"
                           b"@note Mind.\n@table rows=type columns=label value=cv_percent\n"
                           b"one: bandwidth type=wb,uc\ntwo: bandwidth type=wb,uc size=8K\n")
        self.assertEqual(self.run_("./mine"), 0)
        self.assertEqual([run.request["directives"] for run in results.load("out")], [
            ["@title Mine", "@note Above.", "@table rows=op columns=type value=mb_per_s"],
            *2 * [["@title Mine", "@section Part", "@note Mind.",
                   "@table rows=type columns=label value=cv_percent"]]])
        os.unlink("mine")       # results are shown wherever the suite is
        from mc.output import report
        shown = "\n".join(report.lines(results.load("out")))
        self.assertEqual(f"{shown}\n\nResults: out\n", self.out.getvalue())
        for text in ("Mine (MB/s)\n",
                     "op / type      wb    uc\nread       9000.0  90.0\n", "\nAbove.\n",
                     "\nPart (cv_percent)\n\ntype   one   two\nWB    1.00  1.00\n", "\nMind.\n"):
            self.assertIn(text, shown)

    SEARCH = b"@title T\n@search streams=1,2,4 width=16,8 fence=none,sfence\n" \
             b"@table rows=label values=mb_per_s,streams,width_bytes,fence best=mb_per_s\n" \
             b"@table rows=label columns=streams value=mb_per_s best=mb_per_s\n" \
             b"up: bandwidth op=write\ndown: bandwidth op=read\n"

    @staticmethod
    def speed(_memory, line):
        asked = {"streams": "1", "width": "8", **dict(w.split("=") for w in line.split()[1:])}
        better = -1 if asked["op"] == "read" else 1
        return 1000.0 + better * 100 * int(asked["streams"]) + 3 * int(asked["width"]) \
            + (asked.get("fence") == "sfence")

    def search(self, *words, **more):
        self.write("mine", self.SEARCH)
        return self.run_("./mine", *words, speed=self.speed, **more)

    def test_a_search_goes_on_from_what_was_best(self):
        self.assertEqual(self.search(), 0)
        self.assertEqual(self.kernel.asked, [
            *(f"bandwidth op=write streams={n}" for n in (1, 2, 4)),
            *(f"bandwidth op=write streams=4 width={n}" for n in (16, 8)),
            *(f"bandwidth op=write streams=4 width=16 fence={how}" for how in ("none", "sfence")),
            *(f"bandwidth op=read streams={n}" for n in (1, 2, 4)),
            *(f"bandwidth op=read streams=1 width={n}" for n in (16, 8)),
            *(f"bandwidth op=read streams=1 width=16 fence={how}" for how in ("none", "sfence"))])
        for text in ("label  mb_per_s  streams  width   fence\n"
                     "up       1449.0        4     16  sfence\n"
                     "down      949.0        1     16  sfence\n",
                     "up: one stream 1124.0, best 1449.0 (streams=4 fence=sfence); "
                     "down: one stream 949.0, the best form\n",
                     "label / streams       1       2       4\n"
                     "up               1124.0  1224.0  1449.0\n"
                     "down              949.0   824.0   624.0\n"):
            self.assertIn(text, self.out.getvalue())

    def test_what_is_wrong_never_wins(self):
        self.search(errors={3: (errno.EBADMSG, 1), 6: (errno.EINVAL, None)})
        self.assertEqual(self.kernel.asked[2:7], [
            "bandwidth op=write streams=4",
            *(f"bandwidth op=write streams=2 width={n}" for n in (16, 8)),
            *(f"bandwidth op=write streams=2 width=16 fence={how}" for how in ("none", "sfence"))])

    def test_what_is_typed_is_not_searched_for(self):
        self.search("streams=2")
        self.assertEqual(self.kernel.asked[:5], [
            "bandwidth op=write streams=2",
            *(f"bandwidth op=write streams=2 width={n}" for n in (16, 8)),
            *(f"bandwidth op=write streams=2 width=16 fence={how}" for how in ("none", "sfence"))])

    def test_a_dry_run_tells_what_a_search_tries(self):
        self.search(dry=True)
        self.assertIn("up: bandwidth op=write streams=4\nup: bandwidth op=write width=16    "
                      "# width=16 in the best line before\n", self.out.getvalue())

    def test_those_that_come_with_it_are_named_only(self):
        self.run_(SUITE)
        self.assertNotIn("directives", results.load("out")[0].request)

    def test_where_there_are_two_nodes(self):
        with mock.patch("mc.records.shape.machine_shape", return_value=fake.shape(4, nodes=2)):
            self.run_("./s")
        self.assertEqual(self.kernel.asked[-1], "bandwidth node=0,1")
        self.assertEqual([run.section for run in results.load("out")][-2:], [None, "Two nodes"])

    def test_a_dry_run(self):
        self.assertEqual(self.run_("./s", dry=True), 0)
        self.assertEqual(self.out.getvalue().splitlines()[1:], [
            "narrow: bandwidth width=8", "wide: bandwidth width=64", "new: bandwidth op=read"])
        self.assertEqual((self.kernel.asked, os.listdir()), ([], ["s"]))
        self.write("again", self.out.getvalue().encode())
        self.assertEqual([r.line for r in suite.load("./again").requests],
                         ["bandwidth width=8", "bandwidth width=64", "bandwidth op=read"])


class Blocking(fake.Kernel):
    """Its second write blocks until a signal ends it, as a long run's does."""

    def __init__(self, signum=signal.SIGINT):
        super().__init__(errors={2: (errno.EINTR, 1)})
        self.signum = signum
        self.path = Path.cwd()
        os.mkfifo("pipe")
        self.pipe = os.open("pipe", os.O_RDWR | os.O_NONBLOCK)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(self.pipe, bytes(1 << 16))

    def _write(self, name, line):
        error = super()._write(name, line)
        if error:
            threading.Thread(target=self._interrupt, args=(threading.get_native_id(),)).start()
            return debugfs.Debugfs._write(self, "pipe", line)
        return error


    def _interrupt(self, thread):
        """Once that one waits in write(2)."""
        while not Path(f"/proc/self/task/{thread}/syscall").read_text().startswith("1 "):
            time.sleep(0.01)
        os.kill(os.getpid(), self.signum)


class Stopping(fake.Measured):
    def stop(self, signum=signal.SIGINT):
        kernel = Blocking(signum)
        self.addCleanup(os.close, kernel.pipe)
        status = self.run_(SUITE, kernel=kernel)
        self.assertEqual(len(kernel.asked), 2, "no write is done again")
        return status

    def test_a_signal_keeps_what_was_measured(self):
        """Each has a status of its own. Ctrl-C works where a shell has it ignored, too."""
        before = signal.getsignal(signal.SIGINT)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        for signum, handler, status in ((signal.SIGINT, before, 130),
                                        (signal.SIGTERM, before, 143),
                                        (signal.SIGINT, signal.SIG_IGN, 130)):
            with self.subTest((signum, handler)):
                signal.signal(signal.SIGINT, handler)
                self.assertEqual(self.stop(signum), status)
                self.assertEqual([len(run.results) for run in results.load("out")], [3, 1])
                self.assertIn("stopped; results kept: 4; with --continue out, the "
                              "same command measures the rest\n", self.err.getvalue())
                self.assertIn("Results: out", self.out.getvalue())
                os.unlink("out")
                os.unlink("pipe")

    def test_a_stop_from_outside(self):
        self.assertEqual(self.run_(SUITE, errors={2: (errno.ECANCELED, 1)}), 1)
        self.assertEqual(len(self.kernel.asked), 2)
        self.assertEqual([len(run.results) for run in results.load("out")], [3, 1])
        self.assertIn("write_nofence: ECANCELED: verify: it did not hold", self.err.getvalue())


class Continued(fake.Measured):
    """Of what was interrupted, the rest is measured."""

    def test_requests(self):
        asked = ["bandwidth size=4K", "bandwidth size=8K type=wb,uc", "bandwidth size=16K"]
        self.run_(*asked, errors={2: (errno.EINTR, 1)})
        before = Path("out").read_bytes()
        self.assertEqual(self.run_(*asked, output="more", begun="out"), 0)
        self.assertEqual(self.kernel.asked, asked[1:])
        self.assertEqual(Path("out").read_bytes(), before)
        self.assertEqual([(len(run.results), run.request["job"]) for run in results.load("more")],
                         [(1, 1), (2, 2), (1, 3)])
        for words, kernel, said in (
                (asked[:2], None, "^out is of other requests than these"),
                (asked, fake.Kernel(fake.BARE | {"kernel": "9"}), "^out is of another machine")):
            fake.refused(self, said, self.run_, *words, kernel=kernel, output="other", begun="out")
            self.assertFalse(os.path.exists("other"))

    def test_pairs_of_cpus(self):
        """Twelve results in parts of five; the second part is stopped after one of them."""
        def c2c(line):
            words = dict(word.split("=") for word in line.split()[1:])
            skip, most = (int(words.get(key, 0)) for key in ("skip", "most"))
            kept = {5: 1}.get(skip, most) if stop else most
            made = [fake.result("c2c cpu=0-3", 9e3) | {
                "test": "c2c", "where": "user", "writer_cpu": i // 3, "reader_cpu": i % 3 + 9}
                for i in range(skip, min(skip + kept, 12))]
            lines.append((skip, most))
            error = errno.EINTR if stop and skip else 0
            return Outcome(error, "", b"".join(fake.lines(
                fake.machine(), fake.request(line, len(made), errno=error, test="c2c",
                                             state="stopped" if error else "done"),
                *made)).decode())
        line = "c2c cpu=0-3 state=hit"
        side = fake.Kernel()
        with mock.patch.object(continued, "PART", 5), mock.patch.object(side, "run", c2c), \
                mock.patch.object(plan, "count_records", lambda lines: [12] * len(lines)):
            side.where = "user"
            lines, stop = [], True
            self.run_(line, kernel=side, where="user")
            self.assertEqual(lines, [(0, 5), (5, 5)])
            self.assertEqual([len(run.results) for run in rounds.load("out")], [6])
            self.assertIn("1 request without any result", self.out.getvalue())
            lines, stop = [], False
            self.assertEqual(self.run_(line, kernel=side, where="user", output="more",
                                       begun="out"), 0)
        self.assertEqual(lines, [(6, 4), (10, 5)])
        [run] = rounds.load("more")
        self.assertEqual(run.request["state"], "done")
        self.assertEqual([3 * r["writer_cpu"] + r["reader_cpu"] - 9 for r in run.results],
                         [*range(12)])
        self.assertNotIn("did not succeed", self.out.getvalue())
