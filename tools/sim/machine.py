# SPDX-License-Identifier: GPL-2.0-only
"""The simulated machine for tests: a guest on QEMU with our plugin, whose memory has known prices.

    with Machine(cpus=2) as machine:
        machine.sh("insmod /memcache.ko")
        machine.prices(uc_load_ns=300)
        print(machine.counts()["cpus"])
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from orders import DEBUGFS, Broken, Orders  # noqa: F401 # the tests have DEBUGFS from here

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
PRICES = HERE / "prices"


class Machine(Orders):
    """One boot of the machine.

    files: host paths of the module and of memcache-user by their names in the guest's root
    kernel: name of a kernel (tools/guest/kernel)
    append: more of the kernel's command line
    prices: a price file
    timeout: seconds that a script may take
    """
    clock_mhz = 1000

    def __init__(self, files: dict[str, Path], kernel: str = "6.1", append: str = "",
                 prices: Path = PRICES, cpus: int = 1, nodes: int = 1, timeout: float = 600):
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
            "APPEND": append, "PRICES": str(prices), "GUEST_LOG": str(self.console),
            "SIM_CONTROL": str(self.tmp / "control"), "TIMEOUT": "100000",
            "MEMCACHE_KO": str(files["memcache.ko"]),
            "MEMCACHE_USER": str(files["memcache-user"])}
        with open(self.room / "said", "wb") as said:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", TOP / "tools/guest/run", "stock", "--",
                 HERE / "agent", self.room],
                env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                start_new_session=True)
        try:
            self._wait()
            self.control = socket.socket(socket.AF_UNIX)
            self.control.connect(str(self.tmp / "control"))
            self.answers = self.control.makefile("r")
            self.cost = self._ask("hello")["prices"]
        except BaseException:
            self.close()
            raise

    def _wait(self) -> int:
        """Wait for the end of a script, and return its status. The first one is the boot."""
        until = time.monotonic() + self.timeout
        status = self.room / "status"
        while not status.exists():
            if self.process.poll() is not None:
                raise Broken((self.room / "said").read_text(errors="replace"))
            if time.monotonic() > until:
                raise Broken(f"no answer in {self.timeout:.0f} s; the console ends with:\n"
                             f"{self.console.read_text(errors='replace')[-1000:]}")
            time.sleep(0.02)
        number = int(status.read_text())
        status.unlink()
        return number

    def _ask(self, line: str) -> dict:
        assert self.control
        self.control.sendall(f"{line}\n".encode())
        answer = json.loads(self.answers.readline() or '{"error":"the machine has died"}')
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def run(self, script: str) -> tuple[int, str]:
        """Run a shell script in the guest; return its exit status and its output."""
        (self.room / "script.new").write_text(script)
        (self.room / "script.new").rename(self.room / "script")
        status = self._wait()
        return status, (self.room / "output").read_text(errors="replace")

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
        if self.control:
            self.control.close()
        shutil.rmtree(self.tmp, ignore_errors=True)
        shutil.rmtree(self.room, ignore_errors=True)
