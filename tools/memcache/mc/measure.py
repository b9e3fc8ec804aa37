# SPDX-License-Identifier: GPL-2.0-only
"""`memcache run`: requests one after the other, results to a file as they come."""

import errno
import io
import json
import os
import re
import signal
import time
from dataclasses import dataclass, field

from mc import Failure, emit, report, results, suite
from mc.debugfs import Debugfs, Outcome
from mc.progress import Progress
from mc.suite import Request

# After these the requests that follow are not tried: somebody else measures,
# or has written to `stop`.
STOPPING = (errno.EBUSY, errno.ECANCELED, errno.EINTR)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def command(words: list[str], output: str | None, debugfs: Debugfs | None = None) -> int:
    debugfs = debugfs or Debugfs()
    requests = plan(words, debugfs)
    debugfs.check()
    path, file = create(output, requests)
    with Stop() as stop:
        with file, Progress(debugfs, len(requests)) as progress:
            session = Session(debugfs, file, progress, stop)
            session.measure(requests)
        if session.runs:
            emit([*report.lines(session.runs), "", f"Results: {path}"])
        else:
            os.unlink(path)
    return 128 + stop.signum if stop.signum else session.status


def plan(words: list[str], debugfs: Debugfs) -> list[Request]:
    """The requests that these words ask for: suites, request lines, or the
    words of a request line that came without quotes."""
    lines: list[str] = []
    for word in words:
        if lines and "=" in word.split(" ")[0]:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [request for line in lines for request in _requests(line, debugfs)]


def _requests(line: str, debugfs: Debugfs) -> list[Request]:
    words = line.split()
    if not words or "\n" in line or "\0" in line:
        raise Failure("a request is one line: TEST [key=value]...", 2)
    if suite.exists(words[0]):
        if len(words) > 1:
            raise Failure(f"{words[0]} is a suite: it takes no keys ({' '.join(words[1:])})", 2)
        return suite.load(words[0]).requests
    tests = debugfs.tests()
    if len(words) == 1 and words[0] not in tests:
        raise Failure(f"no suite {words[0]}; there are: {', '.join(suite.names())}"
                      + ("" if tests else " (and no module is loaded that could have such a test)"),
                      2)
    return [Request(line.strip())]


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
    """Remembers a signal that asks to stop. The signal itself ends the write
    that measures; set up even where a shell has Ctrl-C ignored."""

    def __init__(self) -> None:
        self.signum = 0

    def __enter__(self) -> "Stop":
        self.before = {number: signal.signal(number, self._take) for number in SIGNALS}
        return self

    def __exit__(self, *_error) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def _take(self, signum: int, _frame: object) -> None:
        self.signum = self.signum or signum


@dataclass
class Session:
    """Requests being run; `status` is what the program will exit with."""
    debugfs: Debugfs
    file: io.RawIOBase
    progress: Progress
    stop: Stop
    runs: list[results.Run] = field(default_factory=list)
    status: int = 0

    def measure(self, requests: list[Request]) -> None:
        """Run them all, whatever becomes of one, unless the rest would fail, too."""
        try:
            for number, request in enumerate(requests, 1):
                self.progress.start(number, request)
                outcome = self.debugfs.run(request.line)
                self.keep(request, outcome)
                if not self.go_on(request, outcome):
                    break
        except Failure as failure:
            self.fail(str(failure))
        except OSError as error:    # of the results file: a full disk, say
            self.fail(f"{self.file.name}: {error.strerror}")

    def keep(self, request: Request, outcome: Outcome) -> None:
        """Results: into the list, and into the file at once."""
        if not outcome.records:
            return
        lines = outcome.records.splitlines()
        run = results.parse((f"{line}\n".encode() for line in lines),
                            str(self.debugfs.path / "results.jsonl"))[0]
        run.request |= {"label": request.label, "suite": request.suite}
        self.runs.append(run)
        # The numbers stay as the kernel wrote them.
        lines[1] = json.dumps(run.request, separators=(",", ":"), ensure_ascii=False)
        data = "".join(f"{line}\n" for line in lines).encode(errors="replace")
        while data:
            data = data[self.file.write(data):]

    def go_on(self, request: Request, outcome: Outcome) -> bool:
        if self.stop.signum:
            count = sum(len(run.results) for run in self.runs)
            self.progress.say(f"stopped; results kept: {count}")
            return False
        if outcome.error:
            self.fail(f"{request.name}: {outcome.name}: {outcome.why}")
        return outcome.error not in STOPPING

    def fail(self, text: str) -> None:
        self.status = 1
        self.progress.say(text)
