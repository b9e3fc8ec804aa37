#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""soak.py: mixed runs for MINUTES; prints TAP.

Requests are drawn from the file `tests` (see grammar.py). In between: runs that are
stopped, interrupted or killed, two writers at once, wrong lines,
reads of every file at any offset, the devices
mapped, the module unloaded and loaded. What a run leaves behind is looked at
after each, memory and threads every 15 seconds (flat.py).

MINUTES=60, SEED=a number: draws the same requests again (when a stop comes is up
to the machine). MEMCACHE_KO is the module.
"""

import errno
import json
import mmap
import os
import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "memcache"))
import grammar  # noqa: E402
import module  # noqa: E402
import place  # noqa: E402
from flat import Flat  # noqa: E402
from module import Wrong, must  # noqa: E402

MINUTES = float(os.environ.get("MINUTES") or 60)
SEED = int(os.environ.get("SEED") or time.time_ns() % 10**9)
SAMPLE_EVERY = 15       # seconds
STANDARD = "size_mb=16"
OTHERS = ("size_mb=0", "size_mb=1", "size_mb=3 numa_node=0", "size_mb=64")
LARGEST = 16 << 20
# A line that the kernel refuses as a whole although each of its values will do.
REFUSALS = (errno.EINVAL, errno.EOPNOTSUPP)
ENDLESS = (("repeat", "1000000"), ("warmup", "0"), ("item", "clock"), ("timeout", "0"))


class Soak:
    def __init__(self):
        self.rng = random.Random(SEED)
        self.counts = Counter()
        self.flat = Flat()
        self.loaded(STANDARD)
        self.requests = grammar.Requests(grammar.parse(module.read("tests")), self.rng,
                                         os.cpu_count(), LARGEST, [place.FILE])
        # Twice as large as all of them.
        self.place = place.Place(2 * (place.MOST + 1) * LARGEST >> 20)
        self.requests.keep(module.refusal)
        print("# tests:", *self.requests.names, flush=True)

    # ------------------------------------------------------------ what holds

    def loaded(self, parameters):
        with self.flat.apart():
            error = module.load(parameters)
        must(not error, "insmod", parameters, module.name_of(error))

    def unloaded(self):
        error = module.unload()
        must(not error, "rmmod", module.name_of(error))

    def idle(self):
        must(module.read("progress") == "idle\n", "progress says", module.read("progress"))
        must(module.read("buffers").endswith("leaked_pages=0\n"), "pages have leaked")

    def results(self, error):
        """They are whole, their data verified; the request's error is the write's."""
        machine, request, *results = map(json.loads, module.read("results.jsonl").splitlines())
        must(machine["record"] == "machine", "no machine record")
        must(request["errno"] == error, "errno", request["errno"], "is not", error)
        must(request["records"] == len(results), "records are not all there")
        # A test can have more than one result of a point: of each CPU in turn.
        must(error or len(results) >= request["points"], "points are not all there")
        must(len(module.read("results").splitlines()) == 1 + len(results), "rows are not all there")
        for result in results:
            must(result["verified"] != "failed", "data were wrong:", result)
            must(result["samples"] + result["left_out"] > 0, "nothing was measured:", result)
            must(error or result["samples"] + result["left_out"] == result["repeat"],
                 "samples are missing:", result)
        self.counts["results"] += len(results)

    def refused(self, line, error):
        """It is explained, by the same errno and a key."""
        status = module.status()
        must(status["state"] == "refused", "state after", module.name_of(error), status)
        must(status.get("error", "").startswith(module.name_of(error) + " "), status)
        key = status["error"].split()[1].rstrip(":")
        must((line.split()[0], key) in self.requests.values, "names no key:", line, status)
        self.requests.learn(line, key)

    # ---------------------------------------------------------------- actions

    def run(self):
        # What chance has made too long is cut short.
        line = self.requests.draw([("timeout", self.rng.choice(("1", "2", "4")))])
        before = module.read("results.jsonl")
        error = module.write("run", line)
        self.counts[module.name_of(error)] += 1
        if error in REFUSALS:
            return self.refused(line, error)
        must(error in (0, errno.ETIME), module.name_of(error), "from", line, module.status())
        self.requests.learn(line)
        self.counts["files"] += not error and line.startswith("file ")
        must(module.status()["state"] == ("stopped" if error else "done"), module.status())
        # A run that measured nothing leaves those before it in place.
        if not error or module.read("results.jsonl") != before:
            self.results(error)
        if error:
            self.place.restore()
        return None

    def ended_early(self):
        """A run that would last: ended by stop or a signal; rmmod is refused meanwhile."""
        line = self.requests.draw(ENDLESS)
        how = self.rng.choice(("stop", signal.SIGINT, signal.SIGTERM, signal.SIGKILL))
        pid = os.fork()
        if not pid:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os._exit(module.write("run", line))
        try:
            started = self.wait_until_running(pid)
            if started:
                must(module.unload() == errno.EAGAIN, "rmmod while a run is on")
                must(module.write("run", self.requests.draw()) == errno.EBUSY, "a second run")
                time.sleep(self.rng.random() / 5)
            if started and how == "stop":
                must(not module.write("stop", "1"), "stop")
            elif started:
                os.kill(pid, how)
        finally:
            _, status = os.waitpid(pid, 0)
        error = os.waitstatus_to_exitcode(status)
        if not started:
            self.counts["not started"] += 1
            return
        must(error == (errno.ECANCELED if how == "stop" else -how), "ended with", error, "by", how)
        self.counts[f"ended by {how if how == 'stop' else how.name}"] += 1
        status = module.status()
        must(status["state"] == "stopped", line, status)
        must(status["error"].startswith("ECANCELED " if how == "stop" else "EINTR "), line, status)
        self.place.restore()

    def wait_until_running(self, pid):
        """Whether it is on; False: it has come back at once."""
        while module.read("progress") == "idle\n":
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return False
            time.sleep(0.01)
        return True

    def wrong_line(self):
        before = module.read("results.jsonl")
        line = self.requests.draw() + self.rng.choice((" =", " x=1", " type=", " repeat=0", "\t"))
        must(module.write("run", line) == errno.EINVAL, "taken:", line)
        must(module.read("results.jsonl") == before, "the results changed")
        self.counts["wrong lines"] += 1

    def reads(self):
        for name in module.readable():
            with open(module.FILES / name, "rb", buffering=0) as file:
                whole = file.readall()
                offset = self.rng.randrange(len(whole) + 2)
                part = os.pread(file.fileno(), self.rng.randrange(1, 5000), offset)
                # These two read the page tables and the caches anew.
                must(name in ("buffers", "machine") or whole[offset:].startswith(part),
                     name, "at", offset)
        json.loads(module.read("machine"))
        self.counts["reads"] += 1

    def devices(self):
        for path in sorted(module.DEVICES.glob("memcache_*")):
            with open(path, "r+b", buffering=0) as file:
                length = self.rng.choice((1, 5, 512, 4096)) * mmap.PAGESIZE
                with mmap.mmap(file.fileno(), length) as pages:
                    pages[0] = pages[length - 1] = self.rng.randrange(256)
                must(module.unload() == errno.EAGAIN, "rmmod while a device is open")
        self.counts["mappings"] += 1

    def reload(self):
        if self.rng.random() < 0.5:
            self.unloaded()
            self.loaded(self.rng.choice(OTHERS))
            self.run()
        self.unloaded()
        self.loaded(STANDARD)
        self.counts["reloads"] += 1

    # ---------------------------------------------------------------- the soak

    def mix(self):
        actions = {self.run: 75, self.ended_early: 8, self.wrong_line: 5, self.reads: 6,
                   self.devices: 4, self.reload: 2}
        end = time.monotonic() + 60 * MINUTES
        begin = due = time.monotonic()
        told = 0
        while (now := time.monotonic()) < end:
            if now >= due:
                self.idle()
                self.place.restore()    # so that files take as much as ever
                self.flat.sample(now - begin)
                due = now + SAMPLE_EVERY
            if now >= begin + told * 300:
                print(f"# {told * 5} min: {dict(self.counts)}", flush=True)
                told += 1
            self.rng.choices(list(actions), actions.values())[0]()
            self.counts["actions"] += 1
        self.idle()


def main():
    print(f"TAP version 13\n# SEED={SEED} MINUTES={MINUTES:g}", flush=True)
    problem = None
    soak = Soak()
    try:
        soak.mix()
    except Wrong as wrong:
        problem = wrong
    print(f"# {dict(soak.counts)}")
    print(f"# {problem}" if problem else f"# held for {MINUTES:g} minutes")
    print("not ok" if problem else "ok", "1 - every run ended as it should, data verified")
    lines, flat, no_threads = soak.flat.report()
    print(*("# " + line for line in lines), sep="\n")
    print("ok" if flat else "not ok", "2 - memory is flat")
    print("ok" if no_threads else "not ok", "3 - no thread of the module is left between runs")
    soak.place.end()
    error = module.unload()
    print("not ok" if error else "ok", "4 - the module unloads\n1..4", flush=True)


if __name__ == "__main__":
    main()
