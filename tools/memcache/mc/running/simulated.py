# SPDX-License-Identifier: GPL-2.0-only
"""The two sides of the simulated machine, whose memory types have known prices.
MEMCACHE_MACHINE names the socket of that machine. tools/types/run sets the variable and
describes what goes over the socket."""

import errno
import json
import os
import socket
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from shlex import quote

from mc import Failure
from mc.advice import advice
from mc.records import keys
from mc.running.counters import Found
from mc.running.debugfs import STANDARD, Debugfs, why
from mc.running.mark import marked
from mc.running.side import Outcome, Side
from mc.running.user import NUMBERS, User, outcome

USER = "/memcache-user"
MARK = "--- memcache ---\n"     # between the parts of a script's output
STOPPED = Outcome(errno.EINTR, "stopped by a signal")

# Runs a request and prints its records; after an error also the reasons.
RUN = """cd {directory} || exit
cat results.jsonl >/tmp/before
echo {line} 2>/tmp/why >run && exec cat results.jsonl
cmp -s results.jsonl /tmp/before || cat results.jsonl
echo '{mark}'
cat /tmp/why
echo '{mark}'
cat run
exit 1
"""
RUN_USER = """{user} -j -- {line} 2>/tmp/why
status=$?
echo '{mark}'
cat /tmp/why
exit $status
"""


def sides(path: str) -> list[Side]:
    """The sides of the machine at this socket."""
    machine = Machine(path)
    return [Kernel(machine), Process(machine)]


class Machine:
    """The machine at the other end of the socket. It takes one order at a time, so it can't be
    asked for its progress during a measurement."""

    def __init__(self, path: str):
        self.path = Path(path)
        self.connection: socket.socket | None = None
        self.stopped = False
        self.known: dict | None = None

    def ask(self, **order: str) -> dict:
        """Its answer to an order; empty after interrupt()."""
        try:
            data = self._exchange(json.dumps(order).encode() + b"\n")
        except OSError as error:
            if self.stopped:
                return {}
            raise Failure(f"the simulated machine can't be reached ({self.path}: "
                          f"{error.strerror}): {advice('simulated')}") from None
        finally:
            self.connection = None
        if self.stopped:
            return {}
        if not data.endswith(b"\n"):
            raise Failure("the simulated machine has ended")
        answer = json.loads(data)
        if "error" in answer:
            raise Failure(f"simulated machine: {answer['error']}")
        return answer

    def _exchange(self, data: bytes) -> bytes:
        with socket.socket(socket.AF_UNIX) as connection:
            directory = os.open(self.path.parent, os.O_RDONLY)
            try:                # a path through /proc may have any length
                connection.connect(f"/proc/self/fd/{directory}/{self.path.name}")
            finally:
                os.close(directory)
            self.connection = connection
            if self.stopped:    # by a signal that came before the connection
                return b""
            connection.sendall(data)
            with connection.makefile("rb") as stream:
                return stream.readline()

    def sh(self, script: str) -> tuple[int, str]:
        """Run a script in its shell and return exit status and output."""
        answer = self.ask(script=script)
        return answer.get("status", 1), answer.get("output", "")

    def about(self) -> dict:
        """The description of the machine in its records."""
        if self.known is None:
            self.known = self.ask()
        return self.known

    def marked(self, records: str) -> str:
        return marked(records, json.dumps(self.about(), separators=(",", ":")))

    def interrupt(self) -> None:
        self.stopped = True
        if self.connection:
            try:
                self.connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass            # no longer connected


class Simulated(Side):
    """The common part of both sides of the simulated machine."""
    simulated: Machine
    here = False

    def check(self) -> None:
        self.simulated.about()

    def held(self) -> AbstractContextManager:
        return nullcontext()    # nobody else can unload the module of that machine

    def has_device(self, path: str) -> bool:
        return True

    def release(self) -> str:
        return f"{self.simulated.sh('uname -r')[1].strip()}-simulated"

    def progress(self) -> str:
        return ""

    def counters(self) -> str:
        return ""

    def discover(self) -> Found:
        raise Failure("a simulated machine has no counters of DRAM traffic")

    def count(self, text: str) -> None:
        self.discover()

    def interrupt(self) -> None:
        self.simulated.interrupt()


class Kernel(Simulated, Debugfs):
    def __init__(self, machine: Machine):
        super().__init__(STANDARD)
        self.simulated = machine
        self.source = "results.jsonl of the simulated machine"

    def _read(self, name: str) -> str:
        status, text = self.simulated.sh(f"cat {self.path / name}")
        if status:
            raise Failure(f"simulated machine: {text.strip() or STOPPED.why}")
        return self.simulated.marked(text) if name == "machine" else text

    def run(self, line: str) -> Outcome:
        status, text = self.simulated.sh(RUN.format(directory=self.path, line=quote(line),
                                                    mark=MARK.strip()))
        if self.simulated.stopped:
            return STOPPED
        records, *rest = text.split(MARK)
        kept = self.simulated.marked(records)
        if not status:
            return Outcome(0, records=kept)
        if len(rest) != 2:
            raise Failure(f"simulated machine: {text.strip()}")
        error = NUMBERS.get(rest[0].strip().rpartition(": ")[2], errno.EIO)
        return Outcome(error, why(error, rest[1]), kept)


class Process(Simulated, User):
    def __init__(self, machine: Machine):
        super().__init__(USER)
        self.simulated = machine
        self.source = f"{USER} on the simulated machine"

    def tests(self) -> keys.Tests:
        return keys.parse(self.simulated.sh(f"{USER} --tests")[1])

    def run(self, line: str) -> Outcome:
        status, text = self.simulated.sh(RUN_USER.format(user=USER, line=quote(line),
                                                         mark=MARK.strip()))
        if self.simulated.stopped:
            return STOPPED
        records, _, said = text.partition(MARK)
        return outcome(status, self.simulated.marked(records), said)
