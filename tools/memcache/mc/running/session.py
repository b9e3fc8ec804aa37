# SPDX-License-Identifier: GPL-2.0-only
"""A run: jobs are measured one after the other, and each result goes to the file at once."""

import errno
import io
import json
import os
import re
import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from mc import Failure, grouped, plural
from mc.records import check, continued, derived, results, tests
from mc.records.best import is_better
from mc.records.suite import Request
from mc.running import counters, hardware, tiers
from mc.running.machine import platform
from mc.running.plan import Job
from mc.running.progress import Progress
from mc.running.side import Outcome, Side
from mc.status import DONE, FAILED, WRONG

# After these errors no further request is tried: another run is on, somebody wrote to `stop`, or
# a signal came.
STOPPING = (errno.EBUSY, errno.ECANCELED, errno.EINTR)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def create(output: str | None, requests: list[Request], side: Side) -> tuple[str, io.FileIO]:
    """Create the results file, which must be a new one."""
    if output:
        try:
            return output, results.create(output)
        except Failure as failure:
            raise Failure(f"-o {failure}", failure.status) from None
    words = dict.fromkeys(r.suite or r.line.split()[0] for r in requests)
    name = re.sub(r"[^\w.+-]", "_", "+".join(words))[:80]
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    base = f"results/{name}-{side.release()}-{stamp}"
    for more in ("", *(f"-{n}" for n in range(2, 100))):
        if not os.path.exists(f"{base}{more}.jsonl"):
            break
    try:
        results.create_directory("results")
        return f"{base}{more}.jsonl", results.create(f"{base}{more}.jsonl")
    except Failure as failure:
        raise Failure(f"{failure}; -o names another file", failure.status) from None


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
    runs: those that were measured; at first, those of a run that is continued
    planned: the names of all jobs. The first request in the file has them, so that a file that
             ends early can tell what is missing
    status: the exit status of the program
    """
    files: dict[str, io.FileIO]
    progress: Progress
    stop: Stop
    runs: list[results.Run] = field(default_factory=list)
    planned: list[str] = field(default_factory=list)
    status: int = DONE
    skipped: dict[str, int] = field(default_factory=dict)   # by the reason, how many after one
    machine_extras: dict | None = None       # what is added to `machine`, once it was asked for
    host: str = ""                  # the name of this machine in the records; empty: none
    quiet: dict | None = None       # what disturbed the machine before the run; None: no look
    last_cache: dict | None = None  # as a process knows it: the module does not
    # Of each label, the best result and the line that gave it.
    best: dict[tuple, tuple[dict, str]] = field(default_factory=dict)

    def measure(self, jobs: list[Job]) -> None:
        """Run all jobs. If one fails, the rest is still tried unless it would fail as well."""
        self.planned = [job.name for job in jobs]
        there = grouped((run.request["job"], run) for run in self.runs)
        try:
            if self.runs:
                self._write(results.json_lines(self.runs))
            for number, job in enumerate(map(self.with_best_words, jobs), 1):
                for run in there.get(number, []):
                    self._keep_best(job, run)
                if not (line := continued.rest(job.request.line, there.get(number, []))):
                    continue
                job = replace(job, request=replace(job.request, line=line))
                self.progress.start(number, job.request, job.side)
                before = hardware.errors()
                outcome = job.side.run(job.request.line)
                self.keep(number, job, outcome, hardware.new_errors(before, hardware.errors()))
                if not self.can_go_on(job, outcome):
                    break
        except Failure as failure:
            self.fail(str(failure))
        for why, more in self.skipped.items():
            if more:
                self.progress.say(f"{plural(more, 'request')} more: skipped: {why}")

    def with_best_words(self, job: Job) -> Job:
        """The job; if it is a step of a search, with all that was the best until now."""
        request = job.request
        if not request.tries or _key_of_search(job) not in self.best:
            return job
        _, line = self.best[_key_of_search(job)]
        return replace(job, request=replace(request, line=check.with_words(line, [request.tries])))

    def keep(self, number: int, job: Job, outcome: Outcome, errors: dict[str, int]) -> None:
        """Append the results of a job, which has this number, to the list and to the file. The
        front end adds what the side can't know: labels, the machine's memory modules and tiers,
        which memory its counters cover, memory errors during the job."""
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
        if errors:
            run.request["memory_errors"] = errors
        if len(self.planned) > 1:
            run.request["job"] = number
            if not self.runs:
                run.request["planned"] = self.planned
        self.runs.append(run)
        self._keep_best(job, run)
        if more := {key: one for key, one in
                    (self._extras_of_machine() | _coverage(job.side, run)).items()
                    if key not in run.machine}:
            run.machine |= more
            lines[0] = results.with_more(lines[0], more)
        # The numbers stay as the kernel wrote them, unless a figure was derived from them.
        if derived.figure_names(run.request["test"]):
            lines[2:] = map(results.as_text, run.results)
        lines[1] = json.dumps(run.request, separators=(",", ":"), ensure_ascii=False)
        self._write(lines)

    def _write(self, lines: Iterable[str]) -> None:
        data = results.as_data(lines)
        for name, file in self.files.items():
            results.write_all(file, name, data)

    def _keep_best(self, job: Job, run: results.Run) -> None:
        figure = tests.test_of(job.request.test).main()
        for result in run.results if figure else ():
            before, _ = self.best.get(_key_of_search(job), ({}, ""))
            if is_better(result, before, str(figure)):
                self.best[_key_of_search(job)] = result, job.request.line

    def _extras_of_machine(self) -> dict:
        """The memory modules and tiers, and what disturbed before the run."""
        if self.machine_extras is None:
            self.machine_extras = {"modules": hardware.describe(), "tiers": tiers.describe(),
                                   **platform()}
            if self.host:
                self.machine_extras["host"] = self.host
            if self.quiet:
                self.machine_extras["quiet"] = self.quiet
            if self.last_cache:
                self.machine_extras["last_cache"] = self.last_cache
        return self.machine_extras

    def can_go_on(self, job: Job, outcome: Outcome) -> bool:
        if self.stop.signum:
            count = sum(len(run.results) for run in self.runs)
            self.progress.say(f"stopped; results kept: {count}" + "".join(
                f"; with --continue {name}, the same command measures the rest"
                for name in self.files if name != "-" and len(self.planned) > 1))
            return False
        if outcome.error == errno.EOPNOTSUPP and job.request.suite:
            # A reason that is that of many requests is said once, and then their number.
            self.skipped[outcome.why] = self.skipped.get(outcome.why, -1) + 1
            if not self.skipped[outcome.why]:
                self.progress.say(f"{job.name}: skipped: {outcome.why}")
        elif outcome.error:
            wrong = outcome.error == errno.EINVAL and not job.request.suite
            self.fail(f"{job.name}: {outcome.name}: {outcome.why}",
                      WRONG if wrong else FAILED)
        return outcome.error not in STOPPING

    def fail(self, text: str, status: int = FAILED) -> None:
        self.status = max(self.status, status)
        self.progress.say(text)


def _coverage(side: Side, run: results.Run) -> dict:
    """What the counters cover, if these results have counts of them."""
    if all(result.get("dram_read_bytes") is None for result in run.results):
        return {}
    return {"dram_counters": counters.coverage(side.counters(), side.discover())}


def _key_of_search(job: Job) -> tuple:
    """The key under which a search compares results: side, suite, section and label."""
    return job.side.where, job.request.suite, job.request.section, job.request.label
