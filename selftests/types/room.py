# SPDX-License-Identifier: GPL-2.0-only
"""What the tests on the simulated machine share: a machine with the module loaded, and
measurements together with what the machine itself saw of them."""

import atexit
import functools
import json
import os
import subprocess
import sys
import unittest
from dataclasses import dataclass, field
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = str(TOP / "tools/sim"), str(TOP / "tools/memcache")
import machine  # noqa: E402

from mc.records import derived  # noqa: E402

KERNEL = "6.1"

# With PRICES=FILE the tests predict the times of that file's prices.
FILE_GIVEN = bool(os.environ.get("PRICES"))

# Windows of a measurement of the core's clock: CLOCK_ROUNDS in module/measure/core_clock.c.
CLOCK_WINDOWS = 2

# The kind of mc_pmu's events that read the machine's registers.
SIMULATED = 5

# Prices with which only instructions take time.
FREE = {key: 0 for key in (
    "uc_load_ns", "uc_store_ns", "wc_load_ns", "wc_line_ns", "wc_word_ns", "l1_ns", "l2_ns",
    "l3_ns", "memory_ns", "flush_ns", "tlb_miss_ns")}


def takes_long(test):
    """Mark a test, or a class of tests: a whole check leaves it out, `make check-types` runs it."""
    test.long = True
    return test


@dataclass
class Run:
    """A request: its records, the windows that the machine saw, and what each CPU did in all."""
    machine: dict
    request: dict
    results: list[dict]
    windows: list[dict] = field(default_factory=list)
    cpus: list[dict] = field(default_factory=list)

    def windows_of(self, number: int) -> list[dict]:
        """All windows of a result, calibration and warm-up included, but those in which
        `bandwidth` measures the clock of the core at the end."""
        windows = [w["did"] for w in self.windows if w["record"] == number + 1]
        bandwidth = self.results[number]["test"] == "bandwidth"
        return windows[:-CLOCK_WINDOWS] if bandwidth else windows

    @property
    def result(self) -> dict:
        """The only result."""
        assert len(self.results) == 1, f"{len(self.results)} results"
        return self.results[0]


def parsed(text: str) -> Run:
    records = [json.loads(line) for line in text.splitlines()]
    kinds = {kind: [r for r in records if r["record"] == kind]
             for kind in ("machine", "request", "result")}
    derived.add_figures(kinds["result"])
    return Run(kinds["machine"][0], kinds["request"][0], kinds["result"])


# The machines that run, by their settings. They end with this program.
running: dict[tuple, machine.Machine] = {}


def machine_of(kernel: str, cpus: int = 1, nodes: int = 1, append: str = "") -> machine.Machine:
    """The machine with these settings. It may have run other tests before. If it has died, or
    answered nothing, another one is started. All machines have what one class or another needs: a
    range of memory that the kernel leaves alone and NMIs on each CPU (x86), a device with a BAR
    (arm64)."""
    settings = kernel, cpus, nodes, append
    try:
        running[settings].run(":")
    except (KeyError, machine.Broken):
        x86 = kernel == KERNEL
        running[settings] = machine.Machine(
            kernel, cpus=cpus, nodes=nodes, devices="" if x86 else "ivshmem=1M",
            append=f"memmap=1M$0x18000000 apic_extnmi=all {append}" if x86 else append)
        atexit.register(running[settings].close)
    return running[settings]


class Room:
    """A machine with the module loaded, whose windows are watched.

    prices: a price file
    settings: those of machine_of()
    """

    def __init__(self, kernel: str = KERNEL, prices: Path = machine.PRICES, **settings):
        # Build the machine, and read the file.
        told = subprocess.run([TOP / "tools/sim/check"], env=os.environ | {"PRICES": str(prices)},
                              check=True, stdout=subprocess.PIPE).stdout
        self.file_prices = json.loads(told)
        self.pmu = TOP / f"build/{kernel}-gcc-witness/mc_pmu.ko"
        self.machine = machine_of(kernel, **settings)

    def load(self, parameters: str = "size_mb=2", **prices: int) -> None:
        """Load the module anew, with these prices; the other prices are those of the file."""
        self.machine.load(parameters, **(self.file_prices | prices))
        # To read /proc/kallsyms would take this machine 30 times as long.
        text = int(self.machine.sh("echo $(</sys/module/memcache/sections/.text)"), 16)
        self.machine.watch(code_ranges(self.machine.ko, text), code_ranges(self.machine.user_tool))

    def load_pmu(self, pmu: str) -> str:
        """Load mc_pmu (selftests/modules). Return: the type of this PMU of it, for perf."""
        self.machine.sh(f"[ -e /sys/module/mc_pmu ] || insmod {self.pmu}")
        return self.machine.sh(f"cat /sys/bus/event_source/devices/{pmu}/type").strip()

    def watch_functions(self, *names: str) -> None:
        """Have the accesses of these functions of the kernel priced and counted."""
        if not names:
            self.machine.price_functions()
            return
        pattern = " ".join(f"-e ' {name}$'" for name in names)
        # A function goes up to the next symbol with another address.
        told = self.machine.sh(f"grep ' [tTwW] ' /proc/kallsyms | grep -A 4 {pattern}")
        code = [(int(line.split()[0], 16), line.split()[-1])
                for line in told.splitlines() if line != "--"]
        self.machine.price_functions(*(
            f"{at:x} {min(end for end, _ in code if end > at):x}"
            for at, name in code if name in names))

    def ask(self, line: str) -> Run:
        """Let the module measure, in samples no longer than they must be; return its records, and
        what the machine saw."""
        self.machine.counts()
        text = self.machine.sh(f"cd {machine.DEBUGFS}; echo '{line} time=0' >run || "
                               "{ cat run; exit 1; }; echo \"$(<results.jsonl)\"")
        return self._seen(text)

    def user(self, line: str, options: str = "") -> Run:
        """Let memcache-user measure; return the same."""
        self.machine.counts()
        return self._seen(self.machine.sh(f"/memcache-user -j {options} '{line} time=0'"))

    def _seen(self, text: str) -> Run:
        counts = self.machine.counts()
        assert not counts["lost"], "more windows than are kept"
        run = parsed(text)
        run.windows, run.cpus = counts["windows"], counts["cpus"]
        return run

    def verdicts(self) -> dict[str, str]:
        told = json.loads(self.machine.sh(f"echo \"$(<{machine.DEBUGFS}/machine)\""))
        return {name: one["effective"] for name, one in told["memory_types"].items()}


class Tests(unittest.TestCase):
    """Tests in a room, with the module loaded. Classes with the same settings of it share a
    machine. any_prices: PRICES= gives them others; prices: those that differ from the file's.
    holds_timers: no timer interrupts a CPU that runs. Such an interrupt comes when the host lets
    it, and takes lines and time from a sample of several windows."""
    kernel, cpus, nodes, append, parameters = KERNEL, 1, 1, "", "size_mb=2"
    any_prices, prices = False, dict[str, int]()
    holds_timers = False
    room: Room

    @property
    def part(self) -> str:
        """The machine, for `tools/check/front -l`."""
        return f"Linux {self.kernel} {self.append}, CPUs: {self.cpus}, nodes: {self.nodes}"

    @classmethod
    def setUpClass(cls) -> None:
        file = Path(os.environ["PRICES"]) if cls.any_prices and FILE_GIVEN else machine.PRICES
        cls.room = Room(cls.kernel, file, cpus=cls.cpus, nodes=cls.nodes, append=cls.append)
        cls.room.load(cls.parameters, **cls.prices)
        cls.room.machine.hold_timers(cls.holds_timers)


@functools.cache
def code_ranges(program: Path, text: int = 0) -> str:
    """Addresses: where opening a window begins and ends, where closing one does, and where a
    record begins. text: the address of the code, if symbols are relative to it."""
    told = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    found = [line.split() for line in told.splitlines() if len(line.split()) == 3]
    named = {name: int(at, 16) for at, kind, name in found if kind in "tTwW"}
    words = []
    for name in ("mc_window_open", "mc_window_close"):
        begin = named[name]
        end = min((at for at in named.values() if at > begin), default=begin + 4096)
        words += [f"{text + begin:x}", f"{text + end:x}"]
    return " ".join([*words, f"{text + named['mc_clock_wall_ns']:x}"])


def rounded(value: int, by: int) -> int:
    """The nearest whole quotient, as the module shows it."""
    return (2 * value + by) // (2 * by)


def count(windows: list[dict], kind: str, access: str) -> dict[int, int]:
    """Accesses of one sort to one type of memory in these windows, by width in bytes."""
    found: dict[int, int] = {}
    for window in windows:
        for width, n in window[kind].get(access, {}).items():
            found[int(width)] = found.get(int(width), 0) + n
    return found


def moved(windows: list[dict], kind: str) -> int:
    """Bytes loaded and stored in memory of a type; a read-modify-write does both."""
    return sum(width * n * (2 if access == "rmw" else 1)
               for access in ("load", "store", "rmw")
               for width, n in count(windows, kind, access).items())


def total(windows: list[dict], key: str) -> int:
    return sum(window[key] for window in windows)
