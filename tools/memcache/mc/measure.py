# SPDX-License-Identifier: GPL-2.0-only
"""`memcache run`: requests one after the other, results to a file as they come."""

import errno
import io
import json
import os
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from mc import Failure, emit, report, results, say, suite
from mc.debugfs import Debugfs
from mc.fit import NAMES, fit
from mc.progress import Progress
from mc.side import Outcome, Side
from mc.suite import Request
from mc.user import User

# After these the requests that follow are not tried: somebody else measures,
# or has written to `stop`.
STOPPING = (errno.EBUSY, errno.ECANCELED, errno.EINTR)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def command(words: list[str], output: str | None, where: str | None = None,
            sides: list[Side] | None = None) -> int:
    sides = sides or [Debugfs(), User()]
    requests = plan(words, sides)
    jobs = list(assign(requests, sides, where))
    for side in dict.fromkeys(job.side for job in jobs):
        side.check()
    jobs = fitted(jobs, sides)
    path, file = create(output, requests)
    with Stop(sides) as stop:
        with file, Progress(len(jobs)) as progress:
            session = Session(file, progress, stop)
            session.measure(jobs)
        if session.runs:
            emit([*report.lines(session.runs), "", f"Results: {path}"])
        else:
            os.unlink(path)
    return 128 + stop.signum if stop.signum else session.status


def plan(words: list[str], sides: list[Side]) -> list[Request]:
    """The requests that these words ask for: suites, request lines, or the
    words of a request line that came without quotes."""
    lines: list[str] = []
    for word in words:
        if lines and "=" in word.split(" ")[0]:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [request for line in lines for request in _requests(line, sides)]


def _requests(line: str, sides: list[Side]) -> list[Request]:
    words = line.split()
    if not words or "\n" in line or "\0" in line:
        raise Failure("a request is one line: TEST [key=value]...", 2)
    if suite.exists(words[0]):
        if len(words) > 1:
            raise Failure(f"{words[0]} is a suite: it takes no keys ({' '.join(words[1:])})", 2)
        return suite.load(words[0]).requests
    if len(words) == 1:
        tests = {test for side in sides for test in side.tests()}
        if words[0] not in tests:
            raise Failure(f"no suite {words[0]}; there are: {', '.join(suite.names())}" + (
                "" if tests else " (and there is no module loaded, and no memcache-user, that "
                "could have such a test)"), 2)
    return [Request(line.strip())]


@dataclass(frozen=True)
class Job:
    """A request on one side."""
    side: Side
    request: Request


def assign(requests: list[Request], sides: list[Side], where: str | None) -> Iterator[Job]:
    """Each request on each side it is for, one right after the other."""
    for request in requests:
        for side in sides:
            if (where or request.where) in (side.where, "both"):
                yield Job(side, request)


def fitted(jobs: list[Job], sides: list[Side]) -> list[Job]:
    """The jobs, without what a side can't measure; that is said."""
    tests = {side.where: side.tests() for side in sides} if _on_both(jobs) else {}
    wb_only = {side.where: side.wb_only() for side in {job.side for job in jobs}}
    kept: list[Job] = []
    lost: dict[tuple, list[str]] = {}
    for job in jobs:
        line, why = fit(job.request.line, job.side.where, wb_only[job.side.where])
        test = job.request.line.split()[0]
        if test not in tests.get(job.side.where, [test]) and any(
                test in names for names in tests.values()):
            line, why = None, f"no test {test} there"
        if why:
            lost.setdefault((job.side.where, bool(line), why), []).append(job.request.name)
        if line:
            kept.append(Job(job.side, replace(job.request, line=line)))
    for (where, part, why), names in lost.items():
        name = names[0] if len(names) == 1 else f"{len(names)} requests"
        say(f"{name}: {'in part left out' if part else 'skipped'} in {NAMES[where]}: {why}")
    if not kept:
        raise Failure("nothing is left to measure")
    return kept


def _on_both(jobs: list[Job]) -> bool:
    return len({job.side.where for job in jobs}) > 1


def create(output: str | None, requests: list[Request]) -> tuple[str, io.RawIOBase]:
    """The results file, always a new one."""
    if output:
        return output, _create(output)
    words = dict.fromkeys(r.suite or r.line.split()[0] for r in requests)
    name = re.sub(r"[^\w.+-]", "_", "+".join(words))[:80]
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    base = f"results/{name}-{os.uname().release}-{stamp}"
    for more in ("", *(f"-{n}" for n in range(2, 100))):
        if not os.path.exists(f"{base}{more}.jsonl"):
            break
    return f"{base}{more}.jsonl", _create(f"{base}{more}.jsonl")


def _create(path: str) -> io.RawIOBase:
    try:
        directory = os.path.dirname(path)
        if directory and not os.path.exists(directory):
            os.makedirs(directory)
        return open(path, "xb", buffering=0)
    except FileExistsError:
        raise Failure(f"{path} is there already: nothing is overwritten", 2) from None
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}", 2) from None


class Stop:
    """Remembers a signal that asks to stop, and hands it on to the sides. Set up
    even where a shell has Ctrl-C ignored."""

    def __init__(self, sides: list[Side]) -> None:
        self.sides = sides
        self.signum = 0

    def __enter__(self) -> "Stop":
        self.before = {number: signal.signal(number, self._take) for number in SIGNALS}
        return self

    def __exit__(self, *_error) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def _take(self, signum: int, _frame: object) -> None:
        self.signum = self.signum or signum
        for side in self.sides:
            side.interrupt()


@dataclass
class Session:
    """Requests being run; `status` is what the program will exit with."""
    file: io.RawIOBase
    progress: Progress
    stop: Stop
    runs: list[results.Run] = field(default_factory=list)
    status: int = 0

    def measure(self, jobs: list[Job]) -> None:
        """Run them all, whatever becomes of one, unless the rest would fail, too."""
        try:
            for number, job in enumerate(jobs, 1):
                self.progress.start(number, job.request, job.side)
                outcome = job.side.run(job.request.line)
                self.keep(job, outcome)
                if not self.go_on(job, outcome):
                    break
        except Failure as failure:
            self.fail(str(failure))
        except OSError as error:    # of the results file: a full disk, say
            self.fail(f"{self.file.name}: {error.strerror}")

    def keep(self, job: Job, outcome: Outcome) -> None:
        """Results: into the list, and into the file at once."""
        if not outcome.records:
            return
        lines = outcome.records.splitlines()
        run = results.parse((f"{line}\n".encode() for line in lines), job.side.source)[0]
        run.request |= {"label": job.request.label, "suite": job.request.suite}
        self.runs.append(run)
        # The numbers stay as the kernel wrote them.
        lines[1] = json.dumps(run.request, separators=(",", ":"), ensure_ascii=False)
        data = "".join(f"{line}\n" for line in lines).encode(errors="replace")
        while data:
            data = data[self.file.write(data):]

    def go_on(self, job: Job, outcome: Outcome) -> bool:
        if self.stop.signum:
            count = sum(len(run.results) for run in self.runs)
            self.progress.say(f"stopped; results kept: {count}")
            return False
        if outcome.error:
            self.fail(f"{job.request.name}{_side(job)}: {outcome.name}: {outcome.why}")
        return outcome.error not in STOPPING

    def fail(self, text: str) -> None:
        self.status = 1
        self.progress.say(text)


def _side(job: Job) -> str:
    return " (user)" if job.side.where == "user" else ""
