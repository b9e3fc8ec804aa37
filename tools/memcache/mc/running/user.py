# SPDX-License-Identifier: GPL-2.0-only
"""The side of user space: the program memcache-user, which is called for each request. The variable
MEMCACHE_LOOP names the loop of op=own, MEMCACHE_MEMORY the object that makes the memory."""

import errno
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from mc import Failure
from mc.advice import advice
from mc.records import keys
from mc.running.mark import description, with_mark
from mc.running.side import Outcome, Side
from mc.status import WRONG

NAME = "memcache-user"
HERE = Path(__file__).resolve().parents[2]
BUILT = HERE.parent.parent / "build/user" / NAME
SAID = re.compile(rf"^{NAME}: (?P<errno>[^:\n]+): (?P<why>.*)", re.M)
NUMBERS = {os.strerror(number): number for number in errno.errorcode}


def find() -> str | None:
    """The path of the program: MEMCACHE_USER, beside the front end, in build/user, or in PATH."""
    if chosen := os.environ.get("MEMCACHE_USER"):
        return chosen if os.access(chosen, os.X_OK) else None
    for path in (HERE / NAME, BUILT):
        if os.access(path, os.X_OK):
            return str(path)
    return shutil.which(NAME)


def explain_test(test: str) -> int:
    """Print the keys of a test. Returns an exit status."""
    sys.stdout.flush()
    return subprocess.run([find() or NAME, "--tests", test], check=False).returncode


def our_words(lines: list[str], fault: str, say: Callable[[str], object]) -> list[str]:
    """These requests, in which something is wrong, with the words of other programs put into ours.
    A line `suite NAME [key=value]...` stands for a suite. The Failure says what has no counterpart;
    it is `fault`, with advice, if memcache-user is not there. `say` is told what differs from the
    other program."""
    program = find()
    if not program:
        raise Failure(f"{fault} ({NAME}, which knows words of other programs, is not there: "
                      f"{advice('memcache-user')})", WRONG)
    try:
        done = subprocess.run([program, "--translate", "--", *lines], capture_output=True,
                              text=True, errors="replace", stdin=subprocess.DEVNULL)
    except OSError:
        raise Failure(fault, WRONG) from None
    if done.returncode < 0:
        raise Failure(f"{fault} ({NAME} --translate: ended by signal {-done.returncode})", WRONG)
    translated, (message, _, _) = done.stdout.splitlines(), done.stderr.partition("\n")
    if len(translated) == len(lines):
        for note in done.stderr.splitlines():
            say(note.removeprefix(f"{NAME}: "))
        return translated
    raise Failure(message.removeprefix(f"{NAME}: ") if message.startswith(f"{NAME}: ") else fault,
                  WRONG)


def count_records(lines: list[str]) -> list[int] | None:
    """The number of records that each of these requests makes on this machine, as the engine
    counts them; None if it is not known."""
    program = find()
    if not program or not lines:
        return None
    # A call takes so many words only.
    parts = [lines[at:at + 500] for at in range(0, len(lines), 500)]
    try:
        counts = [subprocess.run([program, "--records", "--", *part], capture_output=True,
                                 text=True, stdin=subprocess.DEVNULL, check=True).stdout.split()
                  for part in parts]
        return [int(count) for part in counts for count in part]
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None


class User(Side):
    where = "user"

    def __init__(self, program: str | None = None):
        self.program = program or find()
        self.source = self.program or NAME
        self.child: subprocess.Popen | None = None
        self.stopped = False
        self.counted = ""
        self.passed: tuple[int, ...] = ()   # open files that the program shall have, too

    def check(self) -> None:
        if not self.program:
            raise Failure(f"there is no {NAME}: {advice('memcache-user')} (looked for in "
                          "build/user, beside this program and in PATH; MEMCACHE_USER may name "
                          "it); without it: --where kernel")

    def tests(self) -> keys.Tests:
        try:
            return keys.parse(subprocess.run([self.source, "--tests"], capture_output=True,
                                             text=True, check=True).stdout)
        except (OSError, subprocess.CalledProcessError):
            return {}

    def machine(self) -> dict:
        if not self.program:
            return {}
        import json
        try:
            done = subprocess.run([self.source, "--machine"], capture_output=True, text=True,
                                  errors="replace", stdin=subprocess.DEVNULL)
            return json.loads(with_mark(done.stdout.partition("\n")[0]))
        except (OSError, ValueError):
            return {}

    def last_cache(self) -> dict | None:
        """The last cache in front of memory, after a search for it, which the program makes once
        after each start of the machine. In a simulated machine a search takes too long."""
        if not (known := self.machine().get("last_cache")):
            return None
        if not (known.get("searched") or description() or os.environ.get("MEMCACHE_SYSROOT")):
            subprocess.run([self.source, "--search"], stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, check=False)
        return self.machine().get("last_cache")

    def counters(self) -> str:
        return self.counted

    def count(self, text: str) -> None:
        self.counted = text

    def run(self, line: str) -> Outcome:
        if not self.counted:
            return self._run([], line)
        from tempfile import NamedTemporaryFile
        with NamedTemporaryFile("w", prefix="memcache-counters-") as file:
            file.write(self.counted)
            file.flush()
            return self._run(["--counters", file.name], line)

    def _run(self, options: list[str], line: str) -> Outcome:
        for option in ("loop", "memory"):
            if named := os.environ.get(f"MEMCACHE_{option.upper()}"):
                options = [*options, f"--{option}", named]
        try:
            self.child = subprocess.Popen(
                [self.source, "-j", *options, "--", line], text=True, errors="replace",
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                pass_fds=self.passed)
        except OSError as error:
            raise Failure(f"{self.source}: {error.strerror}") from None
        if self.stopped:        # by a signal that came before the child was started
            self.interrupt()
        records, errors = self.child.communicate()
        return outcome(self.child.returncode, with_mark(records), errors)

    def interrupt(self) -> None:
        self.stopped = True
        if self.child and self.child.returncode is None:
            self.child.terminate()


def outcome(status: int, records: str, errors: str) -> Outcome:
    """The outcome of the request, from the exit status and the output of memcache-user."""
    # A request without results has only a machine record.
    kept = records if records.count("\n") > 1 else ""
    if status == 0:
        return Outcome(0, records=kept)
    match = SAID.search(errors)
    if match:
        return Outcome(NUMBERS.get(match["errno"], errno.EIO), match["why"], kept)
    if status in (-2, -15, 130, 143):
        return Outcome(errno.EINTR, "stopped by a signal", kept)
    why = errors.strip().partition("\n")[0] or (
        f"ended by signal {-status}" if status < 0 else f"exit status {status}")
    return Outcome(errno.EIO, why, kept)


def machine() -> dict:
    """Its `machine` record of this machine; empty if it is not built."""
    return User().machine()
