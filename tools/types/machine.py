# SPDX-License-Identifier: GPL-2.0-only
"""The simulated machine: a guest in Bochs whose memory types have known prices.

    with Machine() as machine:
        machine.sh("insmod /memcache.ko")
        machine.prices(uc_load_ns=300)
        print(machine.counts()["all"])

Two runs of the same orders take the same time to the nanosecond: the guest has one CPU,
and its time stands still while it waits for an order.
"""

import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
sys.path.insert(0, str(TOP / "tools/check"))
sys.path.append(str(TOP / "tools/sim"))     # it has a module named machine, too
import phases  # noqa: E402
from orders import DEBUGFS, Broken, Failed, Orders  # noqa: E402, F401 # others have these from here

BUILT = TOP / "build/types"
PRICES = HERE / "prices"
BOCHS = "bochs-bin"
BIOS = Path(os.environ.get("BOCHS_SHARE", "/usr/share/bochs")) / "BIOS-bochs-latest"

STATUS_UNKNOWN = 98     # as in bochs.h

# The clock that each CPU model needs; an instruction takes one tick of it. Other models
# don't start, or need a clock with which prices are not a whole number of ticks.
MODELS = {"corei7_haswell_4770": 1000, "corei7_skylake_x": 3500}     # MHz

# These options switch off parts of Linux that take long to start in an emulator. They
# also set a clock whose rate is known, so that the kernel does not measure it by another
# clock (HPET, PM timer).
CMDLINE = ("console=ttyS0 loglevel=5 panic=-1 mitigations=off nokaslr tsc=reliable "
           "tsc_early_khz={khz} cryptomgr.notests audit=0 apparmor=0 "
           "clearcpuid=xsaves,xsavec hpet=disable pmtmr=0")

RC = """\
config_interface: textconfig
display_library: term
romimage: file={bios}
vgaromimage: file={tmp}/vga.rom
optromimage1: file={tmp}/boot.rom, address=0xd0000
sound: driver=default, waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
megs: {mib}
cpu: model={model}, count=1, ips={ips}, reset_on_triple_fault=0
clock: sync=none, time0=1700000000
pci: enabled=1, chipset=i440fx
com1: enabled=1, mode=file, dev={console}
log: {tmp}/log
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
floppya: type=none
ata0: enabled=0
ata1: enabled=0
"""


class Unknown(Broken):
    """The witness does not know this host's version of Bochs, or the host has no Bochs."""


def rom(code: bytes) -> bytes:
    """An option ROM of one block. Its bytes must add up to 0."""
    image = bytearray(code[:511].ljust(512, b"\0"))
    image[511] = -sum(image[:511]) & 255
    return bytes(image)


def version() -> str:
    """The version that this host's Bochs prints."""
    try:
        said = subprocess.run([BOCHS, "--help"], capture_output=True, check=False,
                              stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise Unknown(f"there is no {BOCHS}") from None
    found = re.search(rb"Bochs x86 Emulator ([\d.]+)", said.stdout + said.stderr)
    return found[1].decode() if found else ""


class Machine(Orders):
    """One boot of the machine.

    kernel: directory of a kernel in the cache (tools/guest/kernel)
    files: host paths by the names that they get in the guest's root
    append: more of the kernel's command line
    prices: a price file
    model: the CPU, one of MODELS
    console: file for the kernel's console
    timeout: seconds that an order may take
    """

    def __init__(self, kernel: Path, files: dict[str, Path], append: str = "",
                 prices: Path = PRICES, model: str = "corei7_haswell_4770",
                 console: Path | None = None, timeout: float = 300, mib: int = 512):
        self.tmp = Path(tempfile.mkdtemp(prefix="memcache-types-"))
        self.console = console or self.tmp / "console"
        self.timeout = timeout
        self.screen = b""
        self.windows: list[str] = []
        self.clock_mhz = MODELS[model]
        phases.note("booting")
        try:
            self._prepare(kernel, files, model, mib)
            self._start(kernel, append, prices, mib)
            hello = self._ask("hello")
            phases.note("testing")
        except BaseException:
            self.close()
            raise
        self.bochs: str = hello["bochs"]
        self.cost = hello["prices"]

    # ------------------------------------------------------------- the start

    def _prepare(self, kernel: Path, files: dict[str, Path], model: str, mib: int) -> None:
        (self.tmp / "boot.rom").write_bytes(rom((BUILT / "boot.bin").read_bytes()))
        (self.tmp / "vga.rom").write_bytes(rom(b"\x55\xaa\x01\xcb"))     # it only returns
        (self.tmp / "bochsrc").write_text(RC.format(
            bios=BIOS, tmp=self.tmp, mib=mib, model=model, ips=self.clock_mhz * 1000000,
            console=self.console))
        (self.tmp / "rc").write_text("c\n")     # Debian's has its debugger: continue
        root = self.tmp / "root"
        for name in ("bin", "dev", "proc", "sys", "tmp"):
            (root / name).mkdir(parents=True)
        shutil.copy(kernel / "busybox", root / "bin/busybox")
        (root / "bin/sh").symlink_to("busybox")
        shutil.copy(HERE / "init", root / "init")
        for name, path in files.items():
            shutil.copy(path, root / name)
            if name.endswith(".ko"):
                subprocess.run(["strip", "--strip-debug", root / name], check=True)
        # The archive is the same each time, so that each boot is the same.
        for path in [root, *root.rglob("*")]:
            os.utime(path, (1700000000, 1700000000), follow_symlinks=False)
        names = sorted(str(path.relative_to(root)) for path in root.rglob("*"))
        with open(self.tmp / "initrd", "wb") as file:
            subprocess.run(["cpio", "--quiet", "-o", "-H", "newc", "-R", "0:0",
                            "--reproducible"], cwd=root, stdout=file, check=True,
                           input="\n".join(names).encode())

    def _start(self, kernel: Path, append: str, prices: Path, mib: int) -> None:
        orders, self.orders = os.pipe()
        answers_from, answers = os.pipe()
        self.answers = open(answers_from, "rb")
        self.screen_fd, terminal = pty.openpty()        # its text interface wants one
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 25, 80, 0, 0))
        environment = os.environ | {
            "LD_PRELOAD": str(BUILT / "witness.so"), "TERM": "linux",
            "TYPES_BOCHS": version(), "TYPES_ORDERS": str(orders), "TYPES_ANSWERS": str(answers),
            "TYPES_PRICES": str(prices), "TYPES_MHZ": str(self.clock_mhz),
            "TYPES_KERNEL": str(kernel / "vmlinux"), "TYPES_INITRD": str(self.tmp / "initrd"),
            "TYPES_MEM_MIB": str(mib),
            "TYPES_CMDLINE": f"{CMDLINE.format(khz=self.clock_mhz * 1000)} {append}"}
        self.process = subprocess.Popen(
            [BOCHS, "-q", "-f", self.tmp / "bochsrc", "-rc", self.tmp / "rc"],
            stdin=terminal, stdout=terminal, stderr=subprocess.PIPE, env=environment,
            pass_fds=(orders, answers), start_new_session=True)
        os.close(orders)
        os.close(answers)
        os.close(terminal)
        for stream in (self.screen_fd, self.process.stderr.fileno()):
            threading.Thread(target=self._drain, args=(stream,), daemon=True).start()

    def _drain(self, stream: int) -> None:
        """Keep the end of what Bochs says to its terminal."""
        try:
            while data := os.read(stream, 4096):
                self.screen = (self.screen + data)[-20000:]
        except OSError:
            pass        # the terminal is gone

    # ---------------------------------------------------------------- orders

    def _ask(self, line: str, more: bytes = b"") -> dict:
        try:
            self._tell(f"{line}\n".encode() + more)
            answer = self._answer()
        except BrokenPipeError:
            raise self._died() from None
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def _tell(self, data: bytes) -> None:
        while data:
            data = data[os.write(self.orders, data):]

    def _answer(self) -> dict:
        ready, _, _ = select.select([self.answers], [], [], self.timeout)
        if not ready:
            raise Broken(f"the simulated machine did not answer in {self.timeout:.0f} s; its "
                         f"console ends with:\n{self._last_words()}")
        line = self.answers.readline()
        if not line:
            raise self._died()
        return json.loads(line)

    def _died(self) -> Broken:
        status = self.process.wait()
        found = re.findall(rb"types: (.*)", self.screen)
        if status == STATUS_UNKNOWN and found:
            return Unknown(found[-1].decode(errors="replace").strip())
        if found:
            return Broken(found[-1].decode(errors="replace").strip())
        return Broken(f"the simulated machine has died (status {status}); its console ends "
                      f"with:\n{self._last_words()}")

    def _last_words(self) -> str:
        try:
            lines = self.console.read_text(errors="replace").splitlines()
        except OSError:
            lines = []
        return "\n".join(lines[-8:] or [self.screen[-500:].decode(errors="replace")])

    def run(self, script: str) -> tuple[int, str]:
        """Run a shell script in the guest; return its exit status and its output."""
        data = script.encode()
        answer = self._ask(f"guest {len(data)}", data)
        output = self.answers.read(answer["bytes"])
        return answer["status"], output.decode(errors="replace")

    def close(self) -> None:
        if process := getattr(self, "process", None):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process.stderr.close()
        for name in ("orders", "screen_fd"):
            if (fd := getattr(self, name, None)) is not None:
                os.close(fd)
                delattr(self, name)
        if hasattr(self, "answers"):
            self.answers.close()
        shutil.rmtree(self.tmp, ignore_errors=True)


def kernel(name: str = "6.1") -> Path:
    """The directory of a kernel, which is brought into the cache if it is not there."""
    found = subprocess.run([TOP / "tools/guest/kernel", name], stdout=subprocess.PIPE, text=True,
                           check=True)
    return Path(found.stdout.strip())
