# SPDX-License-Identifier: GPL-2.0-only
"""What the tests share: a machine that is not there, and records as the kernel
writes them."""

import atexit
import contextlib
import csv
import errno
import functools
import importlib.machinery
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import traceback
import types
import unittest
from collections.abc import Iterable
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
FRONT = TOP / "tools/memcache/memcache"
os.environ["COLUMNS"] = "100"       # whatever terminal the tests run on
# Other work on this machine must not get into what `run` prints. Tests of it name a machine.
os.environ["MEMCACHE_SYSROOT"] = str(HERE / "nowhere")
sys.path.insert(0, str(FRONT.parent))

from mc import Failure, errno_name  # noqa: E402
from mc.analysis.words import Say  # noqa: E402
from mc.commands import cli  # noqa: E402
from mc.commands.run import measure  # noqa: E402
from mc.output import draw  # noqa: E402
from mc.output.terminal import lines as terminal_lines  # noqa: E402, F401
from mc.records import fields, results  # noqa: E402
from mc.records import shape as shapes  # noqa: E402
from mc.records import suite as suites  # noqa: E402
from mc.running import debugfs  # noqa: E402

# All of the front end: else each process of front() imports what its command needs.
for path in FRONT.parent.glob("mc/*/[a-z]*.py"):
    importlib.import_module(f"mc.{path.parent.name}.{path.stem}")

PRESETS = {"op": "read", "width": "max", "fence": "none", "verify": "each", "readback": "off",
           "streams": "1", "data": "counter",
           "pattern": "sequential", "type": "wb", "size": "16M", "cpu": "0",
           "node": "auto", "irq": "on", "disturbed": "leave_out", "page": "direct",
           "prefetch": "keep", "repeat": "10", "warmup": "2"}
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
ATTRIBUTES = {"wb": "wb", "wc": "wc", "uc": "uc-"}


def front(*words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """What `memcache WORDS` does in a process with these variables in its environment. It is a fork
    of this one: starting Python and importing the front end take longer than most commands."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = os.fork()
        if not child:
            status = 1
            try:
                atexit._clear()
                os.environ.update(settings)
                for number, file in (0, open(os.devnull)), (1, out), (2, err):
                    os.dup2(file.fileno(), number)
                sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")
                status = cli.main(list(words))
            except SystemExit as end:
                status = end.code
            except BaseException:
                traceback.print_exc()
            finally:
                atexit._run_exitfuncs()
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(status or 0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(words, status, out.read(), err.read())


def output_of(call, *words, **more) -> tuple:
    """What a function returns, and what it prints on stdout and on stderr."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        returned = call(*words, **more)
    return returned, out.getvalue(), err.getvalue()


def put(files: dict, top: Path | str = ".", end: str = "\n") -> None:
    """Write these files of a made-up machine, by their paths below `top`."""
    for name, text in files.items():
        path = Path(top, name.lstrip("/"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}{end}")


def one_line(lines: Iterable[str]) -> str:
    """The words of these lines, however the lines were filled."""
    return " ".join(" ".join(lines).split())


def load_script(name: str, path: Path) -> types.ModuleType:
    """A program without the ending .py, as the module `name`."""
    loader = importlib.machinery.SourceFileLoader(name, str(path))
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module      # dataclasses look there
    loader.exec_module(module)
    return module


@functools.cache
def described_tests() -> str:
    """The contents of the file `tests`."""
    return subprocess.check_output([TOP / "tools/tests"], text=True)


YES, NO = (dict.fromkeys(("wb", "wc", "uc"), word) for word in ("yes", "no"))
BARE = {"kernel": "6.1.0-50-amd64", "cpu": "Intel(R) Xeon(R) Gold 6252", "hypervisor": None}
TCG = {"kernel": "6.1.0-50-amd64", "cpu": "Intel Xeon Processor (Cascadelake)", "hypervisor": "tcg"}
KVM = BARE | {"hypervisor": "kvm"}
# What a `machine` record has of a run with counters that see all memory.
COUNTERS = {"dram_counters": {"kind": "Intel, CAS commands", "nodes": [0]},
            "nodes": [{"node": 0, "cpus": "0-3", "memory_bytes": 8 << 30}]}


def rows_of(name: str) -> list[dict[str, str]]:
    """The rows of a file of published figures."""
    with open(HERE / name, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def published() -> dict[tuple[str, str], float]:
    """memcachetest's published figures by type and test, in MB/s."""
    return {(name, row["test"]): float(row[name]) for name in ("wb", "uc", "wc")
            for row in rows_of("published.csv")}


def shape(cpus: int = 4, smt: int = 1, nodes: int = 1, cache: int = 32 << 20,
          memory: int = 8 << 30) -> shapes.Shape:
    """A machine with so many CPUs to a core, on so many nodes, a cache on each."""
    cores = tuple(tuple(range(core, cpus, cpus // smt)) for core in range(cpus // smt))
    each = len(cores) // nodes
    return shapes.Shape(tuple(range(cpus)), cores, tuple(
        shapes.Node(node, tuple(sorted(sum(cores[node * each:(node + 1) * each], ()))), memory)
        for node in range(nodes)), cache, cpus // nodes, memory // 4)


def machine(about: dict = BARE, effective: dict[str, str] = YES, **more) -> dict:
    types = {name: {"attribute": ATTRIBUTES[name], "effective": effective[name],
                    "reload_ns": 250.0 if effective[name] == "yes" and name != "wb" else 1.2}
             for name in ("wb", "wc", "uc")}
    return {"record": "machine", "schema": 1, "abi": 1, "where": "kernel", **about, "clock": "tsc",
            "memory_types": types, **more}


def slot(name: str, channel: str | None = None, gib: int = 16, speed: int = 3200, **more) -> dict:
    """A slot of a machine with a module of so many GiB, 0: without one."""
    keys = "size_bytes", "width_bits", "rated_mt_per_s", "mt_per_s"
    return {"slot": name, "channel": channel} | (dict(zip(keys, (gib << 30, 64, speed, speed)))
                                                 if gib else dict.fromkeys(keys)) | more


def modules(*slots: dict) -> dict:
    """What a `machine` record has of these slots."""
    return {"modules": {"why": None, "slots": [*slots]}}


def request(line: str, records: int, **more) -> dict:
    return {"record": "request", "test": line.split()[0], "where": "kernel", "line": line,
            "state": "done", "errno": 0, "error": None, "points": records,
            "records": records} | more


def result(line: str, speed: float, cv: float = 1.0, effective: str = "yes", **more) -> dict:
    """A result of this request at so many MB/s; samples scatter evenly round it."""
    words = line.split()
    asked = PRESETS | dict(word.split("=") for word in words[1:])
    width = 16 if asked["width"] == "max" else int(asked["width"])
    count = int(asked["size"].rstrip("KMG")) * UNITS.get(asked["size"][-1], 1)
    keys = {"op": asked["op"], "width_bytes": width, "fence": asked["fence"],
            "verify": asked["verify"], "readback": asked["readback"],
            "streams": int(asked["streams"]), "data": asked["data"], "pattern": asked["pattern"],
            "align_bytes": int(asked.get("align", 0)),
            "distance_bytes": asked.get("distance", "auto"),
            "tail_bytes": int(asked.get("tail", 0)),
            "extent_bytes": asked.get("extent", "auto"), "piece_bytes": asked.get("piece", "none"),
            "type": asked["type"], "size_bytes": count,
            "cpu": asked["cpu"], "node": asked["node"], "irq": asked["irq"],
            "disturbed": asked["disturbed"], "page": asked["page"], "prefetch": asked["prefetch"],
            "repeat": int(asked["repeat"]), "warmup": int(asked["warmup"])}
    median = 1000 * count / speed
    facts = {"attribute": ATTRIBUTES[asked["type"]], "effective": effective, "memory_node": 0,
             "threads": 1, "remote_threads": 0, "started_unix_ns": 1790000000000000000,
             "window_max_ns": None,
             "verified": "ok", "samples": keys["repeat"], "left_out": 0, "left_out_why": None,
             "disturbed_interrupt": 0, "disturbed_migration": 0, "disturbed_steal": None,
             "disturbed_preemption": 0, "disturbed_neighbour": 0,
             "windows_left_out": 0,
             "min_ns": median * (1 - 2 * cv / 100), "median_ns": median,
             "max_ns": median * (1 + 2 * cv / 100), "mean_ns": median, "sd_ns": median * cv / 100,
             "p50_ns": median, "p99_ns": median * (1 + 2 * cv / 100), "cv_percent": cv}
    return {"record": "result", "test": words[0], "where": "kernel", **keys, **facts,
            "mb_per_s": speed, "mb_per_s_max": speed, "traversed_bytes": count,
            "passes_per_sample": 1, "core_mhz": 3000, "bytes_per_core_cycle": speed / 3000,
            } | more


def figure(test: str, asked: dict, figures: dict, **more) -> dict:
    """A result of any test: what was asked, facts, its figures."""
    like = result("bandwidth", 1000.0)
    facts = {key: like[key] for key in fields.FACTS if key in like}
    keys = asked | {"type": "wb", "size_bytes": 1 << 20, "cpu": "0", "node": "auto", "irq": "on",
                    "disturbed": "leave_out", "page": "4k", "prefetch": "keep", "repeat": 10,
                    "warmup": 2} | asked
    return {"record": "result", "test": test, "where": "kernel", **keys, **facts, **figures} | more


def runs_of(about: dict, *requests: tuple[str, list[dict]], suite: str | None = None,
            **more) -> list[results.Run]:
    """Runs of these request lines, of a suite or `label: line`, with their results."""
    records = []
    for line, outcomes in requests:
        label, _, rest = line.rpartition(": ")
        records += [machine(about, **more),
                    request(rest, len(outcomes), suite=suite, label=label or None), *outcomes]
    return runs(*records)


def records_of_rounds(line: str, *speeds: float, label: dict | None = None, about: dict = BARE,
                      cv: float = 0.2, **more) -> list[dict]:
    """The records of a request that was measured in rounds, at these speeds."""
    records = []
    for number, speed in enumerate(speeds, 1):
        one = result(line, speed, cv) | more
        where = one["where"]
        records += [machine(about) | {"where": where},
                    request(line, 1, round=number, where=where, **(label or {})), one]
    return records


def cache_attributes(speed, about: dict = BARE, effective: dict[str, str] = YES,
                     factors: tuple[float, ...] | list[float] = (1.0,), **more
                     ) -> list[results.Run]:
    """The suite at speed(type, test), times these factors in so many rounds."""
    found = []
    for asked in suites.load("cache-attributes").requests:
        line = asked.line.replace(" type=wb,uc,wc", "")
        for number, factor in enumerate(factors):
            found += runs(machine(about, effective), request(
                asked.line, 3, label=asked.label, suite="cache-attributes",
                **({"round": number} if factors[1:] else {})), *(
                    result(f"{line} type={name}", factor * speed(name, asked.label),
                           effective=effective[name], **more) for name in ("wb", "uc", "wc")))
    return found


def speeds_around(speed: float, spread: float = 0.001) -> list[float]:
    """The speeds of five rounds that differ by so much."""
    return [speed * (1 + spread * step) for step in (0, -1, 1, -0.5, 0.5)]


def lines(*records: dict) -> list[bytes]:
    return [json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records]


def jsonl(*found: dict | results.Run) -> bytes:
    """A results file of these records and runs."""
    return b"".join(line for one in found for line in (
        lines(one.machine, one.request, *one.results) if isinstance(one, results.Run) else
        lines(one)))


def save(name: str, *found: dict | results.Run) -> str:
    """Write a results file."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_bytes(jsonl(*found))
    return name


def program(name: str, text: str) -> None:
    """Write a program that tests start in place of another one."""
    Path(name).write_text(text)
    Path(name).chmod(0o755)


def said(parts) -> dict[str, dict]:
    """The conclusions in these parts of a report, or among these texts: the facts of each id."""
    texts = (getattr(part, "text", part) for part in parts)
    return {text.id: text.facts for text in texts if isinstance(text, Say)}


def runs(*records: dict) -> list[results.Run]:
    return results.parse(lines(*records), "test")


def refused(test: unittest.TestCase, said: str, call, *words, status: int = 2, **more) -> None:
    """The call ends with a message of this pattern, and the status of a command that is wrong, or
    another one."""
    with test.subTest(words), test.assertRaisesRegex(Failure, said) as raised:
        call(*words, **more)
    test.assertEqual(raised.exception.status, status)


def in_user_space(some: list[results.Run]) -> list[results.Run]:
    """These runs as those of memcache-user."""
    for run in some:
        for record in (run.request, *run.results):
            record["where"] = "user"
    return some


def axes(chart: draw.Chart):
    """The axes of a chart, as it is drawn."""
    with draw.matplotlib().rc_context(draw.STYLE):
        return draw.figure([chart], []).subfigs[0].subfigs[0].axes[0]


class Kernel(debugfs.Debugfs):
    """A module in memory: answers bandwidth requests over types, at a speed
    that `speed(type, line)` gives. `errors[n]` is what becomes of the n-th."""

    def __init__(self, about=BARE, speed=None, errors=None):
        super().__init__("/nowhere")
        self.about = about
        self.speed = speed or (lambda memory, _: {"wb": 9e3, "wc": 9.5e3, "uc": 90.0}[memory])
        self.errors = errors or {}
        self.asked: list[str] = []
        self.files = {"tests": described_tests(),
                      "progress": "idle\n", "run": "", "results.jsonl": "",
                      "machine": json.dumps(machine(self.about))}

    def check(self):
        pass

    def hold(self):
        return contextlib.nullcontext()

    def _read(self, name):
        return self.files[name]

    def _write(self, name, line):
        self.asked.append(line)
        error, keep = self.errors.get(len(self.asked), (0, None))
        if error and keep is None:
            self.files["run"] = f"request: {line}\nstate: refused\nerror: " \
                                f"{errno_name(error)} size: no; 4K to 1G would be right\n"
            return error
        types = dict(w.split("=") for w in line.split()[1:]).get("type", "wb").split(",")[:keep]
        outcomes = [result(" ".join(w for w in line.split() if not w.startswith("type="))
                           + f" type={name}", self.speed(name, line)) for name in types]
        for record in outcomes:
            record["started_unix_ns"] += len(self.asked)
        if error == errno.EBADMSG:
            outcomes[-1]["verified"] = "failed"
        state = {0: "done", errno.EINTR: "stopped", errno.ECANCELED: "stopped",
                 errno.ETIME: "stopped"}.get(error, "failed")
        why = "verify: it did not hold" if error else None
        asked = request(line, len(outcomes), state=state, errno=error, error=why)
        if outcomes:
            self.files["results.jsonl"] = jsonl(machine(self.about), asked, *outcomes).decode()
        self.files["run"] = f"request: {line}\nstate: {state}\n"
        self.files["run"] += f"error: {errno_name(error)} {why}\n" if why else ""
        return error


class InDirectory(unittest.TestCase):
    """Each test in an empty directory of its own, below which the machine has its files."""

    def setUp(self):
        self.enterContext(contextlib.chdir(self.enterContext(tempfile.TemporaryDirectory())))
        self.enterContext(mock.patch.dict(os.environ, MEMCACHE_SYSROOT=os.getcwd()))

    def write(self, name: str, content: bytes) -> str:
        Path(name).write_bytes(content)
        return name

    def memcache(self, *words: str, status: int = 0) -> str:
        """What a command says on a terminal of 80 columns, on one line."""
        done = front(*words, COLUMNS="80")
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertLessEqual(max(map(len, done.stdout.splitlines()), default=0), 80)
        return " ".join((done.stdout + done.stderr).split())


class Measured(InDirectory):
    def run_(self, *words, kernel=None, speed=None, errors=None, output="out", where=None,
             users=(), **more):
        """The status of `run`. `kernel`, or one with this speed and these errors, and `users`: the
        sides; what is printed is in out and err."""
        self.kernel = kernel or Kernel(speed=speed, errors=errors)
        self.out, self.err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(self.out), contextlib.redirect_stderr(self.err):
            return measure(list(words), output, where, [self.kernel, *users], **more)
