# SPDX-License-Identifier: GPL-2.0-only
"""The simulated machine for tests: a guest on QEMU with our plugin, whose memory has known prices.

    machine = Machine(cpus=2)
    machine.load(uc_load_ns=300)
    print(machine.counts()["cpus"])
    machine.close()
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
sys.path.append(str(TOP / "tools/check"))
import phases  # noqa: E402

PRICES = HERE / "prices"
DEBUGFS = "/sys/kernel/debug/memcache"


class Broken(Exception):
    """The machine does not start, has died, or does not answer."""


class Failed(Exception):
    """A script in the guest ended with a status other than 0."""

    def __init__(self, status: int, output: str):
        super().__init__(f"status {status}: {output.strip()}")
        self.status = status
        self.output = output


class Machine:
    """One boot of the machine. The guest's root has the module and memcache-user.

    kernel: name of a kernel (tools/guest/kernel)
    append: more of the kernel's command line
    prices: a price file
    devices: PCI devices (DEVICES= of tools/guest/run)
    timeout: seconds that a script may take
    ko: the module, by default memcache's; user_tool: memcache-user
    cost: its prices by their keys; those of the file are file_prices
    """
    cost: dict[str, int]

    def __init__(self, kernel: str = "6.1", append: str = "", prices: Path = PRICES, cpus: int = 1,
                 nodes: int = 1, devices: str = "", timeout: float = 600, ko: Path | None = None):
        self.ko = ko or TOP / f"build/{kernel}-gcc/module/memcache.ko"
        arch = "-arm64" if kernel.endswith("-arm64") else ""
        self.user_tool = TOP / f"build/user{arch}/memcache-user"
        rooms = TOP / "build/sim"
        rooms.mkdir(parents=True, exist_ok=True)
        self.timeout = timeout
        # The guest sees build/; the path of a socket must be short.
        self.room = Path(tempfile.mkdtemp(prefix="room-", dir=rooms))
        self.tmp = Path(tempfile.mkdtemp(prefix="memcache-sim-"))
        self.control: socket.socket | None = None
        self.console = self.room / "console"
        environment = os.environ | {
            "ACCEL": "sim", "CPUS": str(cpus), "NODES": str(nodes), "KERNEL": kernel,
            "APPEND": append, "PRICES": str(prices), "DEVICES": devices,
            "GUEST_LOG": str(self.console),
            "SIM_CONTROL": str(self.tmp / "control"), "TIMEOUT": "100000",
            "MEMCACHE_KO": str(self.ko), "MEMCACHE_USER": str(self.user_tool)}
        with open(self.room / "said", "wb") as output:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", TOP / "tools/guest/run", "stock", "--",
                 HERE / "agent", self.room],
                env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                start_new_session=True)
        try:
            self._boot()
            phases.note("testing")
            self.control = socket.socket(socket.AF_UNIX)
            self.control.connect(str(self.tmp / "control"))
            self.answers = self.control.makefile("r")
            self.cost = self._ask("hello")["prices"]
            self.file_prices = dict(self.cost)
        except BaseException:
            self.close()
            raise

    def _boot(self) -> None:
        """Wait until the agent in the guest runs scripts. tools/guest/run may have to start a guest
        again, with which nobody is connected then."""
        until = time.monotonic() + self.timeout
        while self.process.poll() is None and time.monotonic() < until:
            self.scripts = socket.socket(socket.AF_UNIX)
            self.scripts.settimeout(self.timeout)
            try:
                self.scripts.connect(str(self.tmp / "control.scripts"))
                self._status(":")
                return
            except OSError:
                self.scripts.close()
                time.sleep(0.02)
        raise self._broken("does not boot")

    def _status(self, script: str) -> int:
        """Have the agent run a script; return its status. OSError: no answer comes."""
        self.scripts.sendall(script.encode() + b"\0")
        answer = b""
        while not answer.endswith(b"\n"):
            if not (more := self.scripts.recv(8)):
                raise OSError("the connection has ended")
            answer += more
        return int(answer)

    def _broken(self, why: str) -> Broken:
        """The error for a machine that is of no use any more. It ends."""
        said, console = (path.read_text(errors="replace")[-1000:] if path.exists() else ""
                         for path in (self.room / "said", self.console))
        self.close()
        return Broken(f"the machine {why}: {said}\nThe console ends with:\n{console}")

    def _ask(self, line: str) -> dict:
        """Give an order; return the answer. ValueError: the machine refuses the order."""
        assert self.control
        self.control.sendall(f"{line}\n".encode())
        answer = json.loads(self.answers.readline() or '{"error":"the machine has died"}')
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def run(self, script: str) -> tuple[int, str]:
        """Run a shell script in the guest; return its exit status and its output."""
        try:
            status = self._status(script)
        except OSError as error:
            raise self._broken(f"does not answer ({error})") from error
        return status, (self.room / "output").read_text(errors="replace")

    def sh(self, script: str) -> str:
        """Run a shell script that must succeed; return its output."""
        status, output = self.run(script)
        if status:
            raise Failed(status, output)
        return output

    def prices(self, **changed: int) -> None:
        """Change prices by their keys. Caches and buffers are empty afterwards."""
        self._ask("prices " + " ".join(f"{key}={value}" for key, value in changed.items()))
        self.cost |= changed

    def load(self, parameters: str = "size_mb=2", **prices: int) -> None:
        """Load the module anew, with these prices; the others are those of the file. Its standing
        buffers are small, since setting, clearing and flushing pages takes time."""
        self.run("rmmod memcache")
        self.prices(**(self.file_prices | prices))
        self.sh(f"insmod /memcache.ko {parameters}")

    def counts(self) -> dict:
        """The counts since the last call, all of them: those of each of the `windows`, and of each
        of the `cpus`, with its caches and TLBs."""
        return self._ask("counts")

    def watch(self, *windows: str) -> None:
        """Count in windows that open and close in the code of these functions. The arguments
        are four addresses, and that of a function that is called when a record begins."""
        self._ask("window")
        for window in windows:
            self._ask(f"window {window}")

    def hold_timers(self, hold: bool) -> None:
        """Let no timer of the machine interrupt a CPU while one runs, or let them again."""
        self._ask(f"timers {'hold' if hold else 'run'}")

    def slow_memory(self, begin: int, end: int, node: int) -> None:
        """Have these physical addresses cost what memory of another node does. With begin == end,
        all memory costs again what that of its own node does."""
        self._ask(f"memory {begin:x} {end:x} {node}" if begin != end else "memory")

    def send_nmis(self, over: threading.Event, every: float) -> int:
        """Have QEMU send an NMI to each CPU every so many seconds until the event is set. Linux
        takes them on CPU 0 only, or on all with apic_extnmi=all. x86 only. Return: their number."""
        sent = 0
        with socket.socket(socket.AF_UNIX) as monitor, monitor.makefile("r") as answers:
            monitor.connect(str(self.tmp / "control.qmp"))
            answers.readline()      # QEMU's greeting
            order = "qmp_capabilities"
            while True:
                monitor.sendall(json.dumps({"execute": order}).encode())
                # Events come between, too.
                while "return" not in (answer := json.loads(answers.readline())):
                    if "error" in answer:
                        raise ValueError(answer["error"]["desc"])
                if over.wait(every):
                    return sent
                order = "inject-nmi"
                sent += 1

    def price_functions(self, *ranges: str) -> None:
        """Have the accesses of these functions of the kernel cost something, too. An argument
        has the addresses where a function begins and ends."""
        self._ask("function")
        for one in ranges:
            self._ask(f"function {one}")

    def close(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()
        self.scripts.close()
        if self.control:
            self.control.close()
        shutil.rmtree(self.tmp, ignore_errors=True)
        shutil.rmtree(self.room, ignore_errors=True)
