# SPDX-License-Identifier: GPL-2.0-only
"""A run: jobs are measured one after the other, and each result goes to the file at once."""

import errno
import io
import json
import os
import re
import signal
import time
from dataclasses import dataclass, field

from mc import Failure
from mc.records import results
from mc.records.suite import Request
from mc.running.plan import Job
from mc.running.progress import Progress
from mc.running.side import Outcome, Side
from mc.status import DONE, FAILED, WRONG

# After these errors no further request is tried: another run is on, somebody wrote to `stop`, or
# a signal came.
STOPPING = (errno.EBUSY, errno.ECANCELED, errno.EINTR)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def create(output: str | None, requests: list[Request],
           side: Side) -> tuple[str, io.FileIO]:
    """Create the results file, which must be a new one."""
    if output:
        return output, results.create(output)
    words = dict.fromkeys(r.suite or r.line.split()[0] for r in requests)
    name = re.sub(r"[^\w.+-]", "_", "+".join(words))[:80]
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    base = f"results/{name}-{side.release()}-{stamp}"
    for more in ("", *(f"-{n}" for n in range(2, 100))):
        if not os.path.exists(f"{base}{more}.jsonl"):
            break
    return f"{base}{more}.jsonl", results.create(f"{base}{more}.jsonl")


class Stop:
    """Remembers a signal that asks to stop and passes it on to the sides. It also handles
    Ctrl-C where the shell has set that to be ignored."""

    def __init__(self, sides: list[Side]) -> None:
        self.sides = sides
        self.signum = 0

    def __enter__(self) -> "Stop":
        self.before = {number: signal.signal(number, self._take) for number in SIGNALS}
        return self

    def __exit__(self, *_error: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def _take(self, signum: int, _frame: object) -> None:
        self.signum = self.signum or signum
        for side in self.sides:
            side.interrupt()


@dataclass
class Session:
    """The jobs of a run.

    files: the files to which the records go, by their names
    status: the exit status of the program
    """
    files: dict[str, io.FileIO]
    progress: Progress
    stop: Stop
    runs: list[results.Run] = field(default_factory=list)
    status: int = DONE

    def measure(self, jobs: list[Job]) -> None:
        """Run all jobs. If one fails, the rest is still tried unless it would fail as well."""
        try:
            for number, job in enumerate(jobs, 1):
                self.progress.start(number, job.request, job.side)
                outcome = job.side.run(job.request.line)
                self.keep(job, outcome)
                if not self.go_on(job, outcome):
                    break
        except Failure as failure:
            self.fail(str(failure))

    def keep(self, job: Job, outcome: Outcome) -> None:
        """Append the results of a job to the list and to the file."""
        if not outcome.records:
            return
        lines = outcome.records.splitlines()
        run = results.parse((f"{line}\n".encode() for line in lines), job.side.source)[0]
        run.request |= {"label": job.request.label, "suite": job.request.suite}
        if job.request.section:
            run.request["section"] = job.request.section
        if job.request.directives:
            run.request["directives"] = job.request.directives
        if job.round:
            run.request["round"] = job.round
        self.runs.append(run)
        # The numbers stay as the kernel wrote them.
        lines[1] = json.dumps(run.request, separators=(",", ":"), ensure_ascii=False)
        data = "".join(f"{line}\n" for line in lines).encode(errors="replace")
        for name, file in self.files.items():
            left = data
            try:
                while left:
                    left = left[file.write(left):]
            except OSError as error:    # for example a full disk
                name = "stdout" if name == "-" else name
                raise Failure(f"{name}: {error.strerror}") from None

    def go_on(self, job: Job, outcome: Outcome) -> bool:
        if self.stop.signum:
            count = sum(len(run.results) for run in self.runs)
            self.progress.say(f"stopped; results kept: {count}")
            return False
        if outcome.error == errno.EOPNOTSUPP and job.request.suite:
            self.progress.say(f"{job.request.name}{_side(job)}: skipped: {outcome.why}")
        elif outcome.error:
            wrong = outcome.error == errno.EINVAL and not job.request.suite
            self.fail(f"{job.request.name}{_side(job)}: {outcome.name}: {outcome.why}",
                      WRONG if wrong else FAILED)
        return outcome.error not in STOPPING

    def fail(self, text: str, status: int = FAILED) -> None:
        self.status = max(self.status, status)
        self.progress.say(text)


def _side(job: Job) -> str:
    return " (user)" if job.side.where == "user" else ""
