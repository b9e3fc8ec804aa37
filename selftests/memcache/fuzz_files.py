#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""WRITES random writes to all writable files, a few of them at once, with stops,
signals and reads from a second process. Whatever is written, the errno is one
that the ABI file names, `run` says why and names the key, nothing is left
behind, and the module still measures.

SEED=a number repeats the same writes; the moments at which the second process
disturbs them depend on the machine.
"""

import ctypes
import errno
import json
import mmap
import os
import random
import re
import signal
import sys
import time
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
import grammar  # noqa: E402
import module  # noqa: E402
import place  # noqa: E402
import spoilt  # noqa: E402
from module import Wrong, must  # noqa: E402

WRITES = int(os.environ.get("WRITES") or 300)
SEED = int(os.environ.get("SEED") or time.time_ns() % 10**9)
SKIPPED = 4     # an exit status that kselftest knows
# kselftest's install puts the ABI files beside this program; in a checkout they lie elsewhere.
ABI = [Path(__file__).resolve().parent,
       Path(os.environ.get("TOP", "."), "Documentation/ABI/testing")]
WITNESS = Path("/sys/kernel/debug/mc_witness/state")
STATES = {0: "done", errno.EINVAL: "refused", errno.EOPNOTSUPP: "refused",
          errno.EINTR: "stopped", errno.ECANCELED: "stopped", errno.ETIME: "stopped"}
# These signals end a run; the others that are sent must not.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGWINCH, signal.SIGURG)


def documented():
    """{file: errnos that its entry in the ABI file names}."""
    found = {}
    text = "".join(file.read_text() for folder in ABI
                   for file in sorted(folder.glob("debugfs-memcache*")))
    for entry in text.split("\nWhat:")[1:]:
        names = set(re.findall(r"\bE[A-Z0-9]+\b", entry)) & set(dir(errno))
        found[Path(entry.split()[0]).name] = {getattr(errno, name) for name in names}
    return found


class Disturber:
    """A second process, which stops runs, sends signals to the first process, and reads
    any file at any offset."""

    def __init__(self, seed):
        # Two bytes tell it to rest, and say that it does.
        self.state = mmap.mmap(-1, 2)
        self.pid = os.fork()
        if not self.pid:
            try:
                self.disturb(random.Random(seed), os.getppid())
            except BaseException as problem:    # pylint: disable=broad-except
                print(f"# disturber: {problem!r}", flush=True)
                os._exit(1)

    def disturb(self, rng, victim):
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        actions = {lambda: module.write("stop", b"x" * rng.randrange(9)): 2,
                   lambda: os.kill(victim, rng.choice(SIGNALS)): 2,
                   lambda: self.look(rng): 6}
        while True:
            self.state[1] = self.state[0]
            time.sleep(rng.random() ** 3 / 2)
            if not self.state[0]:
                rng.choices(list(actions), actions.values())[0]()

    @staticmethod
    def look(rng):
        name = rng.choice(module.readable())
        with open(module.FILES / name, "rb", buffering=0) as file:
            for _ in range(rng.randrange(4)):
                part = os.pread(file.fileno(), rng.choice((0, 1, 7, 100, 4096, 70000)),
                                rng.choice((0, 0, 1, 50, 1000, 4095, 4096, 100000, 2**62)))
                must(re.fullmatch(rb"[ -~\n]*", part), "not text in", name)

    def rests(self, yes):
        self.state[0] = yes
        while self.state[1] != yes:
            must(not os.waitpid(self.pid, os.WNOHANG)[0], "the second process has died")
            time.sleep(0.001)

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


class Fuzz:
    def __init__(self):
        self.rng = random.Random(SEED)
        self.tests = grammar.parse(module.read("tests"))
        self.keys = {key.name for keys in self.tests.values() for key in keys}
        self.place = place.Place(16)
        self.lines = spoilt.of(self.tests, self.rng, os.cpu_count(), [place.FILE], self.place.wrong)
        self.allowed = documented()
        self.files = {name: [] for name in module.writable()}
        self.kinds, self.outcomes = Counter(), Counter()
        # The second of the two pages can't be read.
        self.pages = mmap.mmap(-1, 2 * mmap.PAGESIZE)
        self.page = ctypes.addressof(ctypes.c_char.from_buffer(self.pages))
        must(not module.LIBC.mprotect(ctypes.c_void_p(self.page + mmap.PAGESIZE), mmap.PAGESIZE, 0),
             "mprotect")

    # ------------------------------------------------------------- ways to write

    def opened(self, name):
        """One of several descriptors, with random flags; some are reopened now and then."""
        pool = self.files[name]
        if len(pool) < 8:
            flags = self.rng.choice((os.O_WRONLY, os.O_RDWR if name in module.readable()
                                     else os.O_WRONLY))
            for flag in (os.O_APPEND, os.O_NONBLOCK, os.O_TRUNC, os.O_CREAT, os.O_SYNC):
                flags |= flag * self.rng.choice((0, 0, 1))
            pool.append(os.open(module.FILES / name, flags | os.O_CLOEXEC, 0o600))
        fd = self.rng.choice(pool)
        if self.rng.random() < 0.05:
            pool.remove(fd)
            os.close(fd)
            return self.opened(name)
        if self.rng.random() < 0.05:
            must(not module.failed(module.LIBC.lseek(fd, ctypes.c_long(self.rng.randrange(9999)),
                                                     os.SEEK_SET)) or name == "stop", "lseek")
        return fd

    def call(self, name, data):
        """(result, errno) of one write(2), or pwrite(2)."""
        fd, size = self.opened(name), ctypes.c_size_t(len(data))
        ctypes.set_errno(0)
        if self.rng.random() < 0.03:
            offset = ctypes.c_long(self.rng.choice((0, 1, 4095, 2**31, 2**40, 2**62)))
            result = module.LIBC.pwrite(fd, data, size, offset)
        else:
            result = module.LIBC.write(fd, data, size)
        return result, module.failed(result)

    def one(self):
        """Choose a file and bytes, write them, and check the result."""
        name = self.rng.choices(list(self.files), [20 if name == "run" else 2
                                                   for name in self.files])[0]
        kind, data = self.lines.draw(name)
        before = module.read("results.jsonl") if self.rng.random() < 0.1 else None
        result, error = self.call(name, data)
        self.kinds[kind] += 1
        self.outcomes[f"{name} {module.name_of(error)}"] += 1
        must(result == (-1 if error else len(data)), name, "took", result, "of", len(data))
        self.judge(name, data, error, before)
        if b"path=" in data and error not in (0, errno.EINVAL, errno.EOPNOTSUPP):
            self.place.restore()
        if kind == "valid" and name == "run" and error in (0, errno.EINVAL, errno.EOPNOTSUPP):
            named = module.status()["error"].split()[1].rstrip(":") if error else None
            self.lines.requests.learn(data.decode(), named)

    def bad_pointer(self):
        """Write from memory that is not mapped, or whose end is not; nothing may change."""
        name = self.rng.choice(list(self.files))
        before = module.read("run")
        address = self.rng.choice((0, 1, self.page + mmap.PAGESIZE - 5, self.page + mmap.PAGESIZE,
                                   2**47 - 4096, 2**47, 2**63 - 1, 2**64 - 4096))
        self.pages[mmap.PAGESIZE - 5:mmap.PAGESIZE] = b"overh"
        error = module.failed(module.LIBC.write(self.opened(name), ctypes.c_void_p(address),
                                                ctypes.c_size_t(self.rng.choice((6, 100, 4096)))))
        self.kinds["bad pointer"] += 1
        self.outcomes[f"{name} {module.name_of(error)}"] += 1
        # The module does not even read what is written to stop.
        must(error == errno.EFAULT or (name == "stop" and not error), name, module.name_of(error))
        must(name != "run" or module.read("run") == before, "EFAULT left a trace")

    def crowd(self):
        """Several processes write at once: at most one of them runs; the others get EBUSY."""
        gate, go = os.pipe()
        children = []
        for _ in range(self.rng.randint(2, 4)):
            data = self.lines.draw()[1]
            pid = os.fork()
            if not pid:
                os.read(gate, 1)
                os._exit(module.write("run", data))
            children.append(pid)
        os.write(go, b"x" * len(children))
        os.close(go)
        os.close(gate)
        for pid in children:
            status = os.waitpid(pid, 0)[1]
            error = os.waitstatus_to_exitcode(status)
            self.kinds["crowd"] += 1
            self.outcomes[f"run {module.name_of(error)}"] += 1
            must(error in self.allowed["run"] | {0}, "one of many:", error)
        self.place.restore()

    def read_only(self):
        """Write to a file that is not for writing: root may open it, but not write."""
        name = self.rng.choice(sorted(set(module.readable()) - set(self.files)))
        error = module.write(name, self.lines.draw()[1])
        self.kinds["read-only"] += 1
        must(error == errno.EINVAL, name, module.name_of(error))

    # ------------------------------------------------------------- what must hold

    def judge(self, name, data, error, before):
        never = {errno.EBUSY, errno.EBADMSG, errno.ENODEV, errno.EFAULT}
        must(not error or error in self.allowed[name] - never,
             name, module.name_of(error), "is not what the ABI file has:", data[:200])
        must(name != "stop" or not error, "stop:", module.name_of(error))
        if name != "run" or error == errno.ESPIPE:
            return
        must(module.read("progress") == "idle\n", "a run is on")
        status = module.status()
        must(status["state"] in (STATES.get(error) or "refused failed"), status, error)
        if not error:
            must("error" not in status and
                 status["request"].split()[0] == data.split()[0].decode(), status, data)
            return
        must(status["error"].startswith(module.name_of(error) + " "), status, error)
        if error == errno.EINVAL:
            self.names_key(status["error"], data)
            # The kind of a file shows only when its turn comes; earlier results are kept.
            must(before in (None, module.read("results.jsonl")) or b"path=" in data,
                 "the results changed by", data)

    def names_key(self, text, data):
        """EINVAL: the error quotes something that was written, or a key."""
        name = re.match(r"EINVAL ('(.*?)(\.\.\.)?'|[\w.+-]+): ", text)
        must(name, "names nothing:", text)
        if name[2] is not None:
            shown = re.sub(rb"[^ -~]", b"?", data)
            must(name[2].encode() in shown, "names what was not written:", text, data[:200])
        else:
            must(name[1] in ("test", "line", *self.keys), "names neither a key nor a word:", text)

    def goes_on(self):
        """Without disturbance, every test measures; nothing is left behind."""
        must("counters" not in self.files or not module.write("counters", "\n"), "counters")
        self.place.restore()
        for test in self.lines.requests.names:
            line = self.lines.requests.base(test)
            error = module.write("run", line)
            must(not error, line, module.name_of(error), module.status())
        _, request, *results = map(json.loads, module.read("results.jsonl").splitlines())
        must(request["state"] == "done" and request["records"] == len(results) >= 1, request)
        must(module.read("buffers").endswith("leaked_pages=0\n"), "pages have leaked")
        until = time.monotonic() + 30
        while module.threads():
            must(time.monotonic() < until, "a thread is left")
            time.sleep(0.01)

    # -------------------------------------------------------------------- the fuzz

    def go(self):
        ways = {self.one: 960, self.bad_pointer: 20, self.read_only: 15, self.crowd: 5}
        self.lines.requests.keep(module.refusal)
        print("# tests:", *self.lines.requests.names, flush=True)
        disturber = Disturber(SEED)
        told = every = max(WRITES // 20, 200)
        try:
            while (done := self.kinds.total()) < WRITES:
                if done >= told:
                    disturber.rests(True)
                    self.goes_on()
                    print(f"# {done} writes", flush=True)
                    disturber.rests(False)
                    told += every
                self.rng.choices(list(ways), ways.values())[0]()
            disturber.rests(True)
            self.goes_on()
        finally:
            disturber.end()
            self.place.end()
            for fds in self.files.values():
                for fd in fds:
                    os.close(fd)


def witnessed():
    """The number of pages that the witness saw changed and that are not write-back now."""
    numbers = dict(line.split("=") for line in WITNESS.read_text().splitlines() if "=" in line)
    return int(numbers["away"])


def tell(number, name, problem):
    if problem:
        print(f"# {problem}")
    print(f"{'not ok' if problem else 'ok'} {number} {name}", flush=True)
    return bool(problem)


def main():
    if not module.path():
        print("TAP version 13\n1..0 # SKIP no memcache.ko: "
              "MEMCACHE_KO=$(tools/guest/build -k host) builds it in a checkout; where packages "
              "are installed, memcache-selftests does")
        return SKIPPED
    print(f"TAP version 13\n1..2\n# SEED={SEED} WRITES={WRITES}", flush=True)
    for number in SIGNALS:
        signal.signal(number, lambda *_: None)
    witness = module.path("WITNESS_KO", "mc_witness")
    module.unload()
    if witness:
        module.unload("mc_witness")
        must(not module.load(file=witness), "insmod mc_witness")
    must(not module.load("size_mb=2"), "insmod memcache")
    fuzz, problem = Fuzz(), None
    try:
        fuzz.go()
    except Wrong as wrong:
        problem = wrong
    print(f"# {fuzz.kinds.total()} writes: {dict(fuzz.kinds)}\n# outcomes: {dict(fuzz.outcomes)}")
    failed = tell(1, "every write ends as the ABI file says, and the module goes on", problem)
    error = module.unload()
    problem = f"rmmod: {module.name_of(error)}" if error else ""
    if witness:
        problem = problem or (f"{witnessed()} pages are not write-back" if witnessed() else "")
        module.unload("mc_witness")
    failed |= tell(2, "the module unloads, and every page is write-back", problem)
    return failed


if __name__ == "__main__":
    sys.exit(main())
