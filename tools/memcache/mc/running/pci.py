# SPDX-License-Identifier: GPL-2.0-only
"""PCI devices: their memory, and lending one to the driver that measures it. For tests, set
MEMCACHE_SYSROOT to a directory that holds files in place of /sys."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mc import Failure, hint, say
from mc.records.shape import read_file
from mc.running.machine import Machine
from mc.status import WRONG

OURS = "memcache"       # the driver of the module, and the word by which a device is offered
ADDRESS = re.compile(r"(?:pci:)?(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}:[01][0-9a-f]\.[0-7])"
                     r"(?:/([0-5]))?", re.I)
BARS = 6
# Flags in the file `resource` of a device: enum of IORESOURCE_ in linux/ioport.h.
IS_MEMORY, IS_PREFETCHABLE = 0x200, 0x2000


@dataclass(frozen=True)
class Bar:
    """A BAR that is memory. Reads of a prefetchable one have no effect."""
    number: int
    size: int
    prefetchable: bool


@dataclass(frozen=True)
class Link:
    """A link of PCI Express, over which CXL goes, too: GT/s of a lane, and lanes; and the most
    that the device could do."""
    gt_per_s: float
    lanes: int
    most_gt_per_s: float
    most_lanes: int

    @property
    def mb_per_s(self) -> float:
        """What it moves in each direction at most, without the heads of packets. PCI Express base
        specification: up to 5 GT/s 8 of 10 bits are data, up to 32 GT/s 128 of 130; from 64 GT/s on
        236 of the 256 bytes of a flit are."""
        data = 8 / 10 if self.gt_per_s <= 5 else 128 / 130 if self.gt_per_s <= 32 else 236 / 256
        return self.gt_per_s * data * self.lanes / 8 * 1000


@dataclass(frozen=True)
class Device:
    """A PCI device, by its address 0000:03:00.0."""
    address: str

    @property
    def path(self) -> Path:
        return _root() / self.address

    def read(self, name: str) -> str:
        return read_file(self.path / name)

    def write(self, name: str, text: str) -> None:
        """Write a line to one of its files."""
        try:
            (self.path / name).write_text(f"{text}\n", encoding="ascii")
        except OSError as error:
            raise Failure(f"{self.path / name}: {error.strerror}") from None

    @property
    def driver(self) -> str:
        """The name of the driver that has it; empty if none has."""
        try:
            return os.path.basename(os.readlink(self.path / "driver"))
        except OSError:
            return ""

    @property
    def link(self) -> Link | None:
        """Its link as it is now; None if the kernel does not tell, as of a device within the
        chip."""
        found = []
        for which in ("current", "max"):
            speed = re.match(r"([\d.]+) GT/s", self.read(f"{which}_link_speed"))
            width = self.read(f"{which}_link_width").strip()
            if not speed or not width.isdigit() or not int(width):
                return None
            found += [float(speed[1]), int(width)]
        return Link(*found)     # type: ignore[arg-type]

    @property
    def name(self) -> str:
        """Its vendor, device and class, by their numbers."""
        numbers = [self.read(one).removeprefix("0x") for one in ("vendor", "device", "class")]
        return "{}:{}, class {}".format(*(number or "unknown" for number in numbers))

    @property
    def names_in_use(self) -> list[str]:
        """The names of its disks that are mounted or swapped to, and of networks that are up."""
        names: dict[str, list[str]] = {"block": [], "net": []}
        for folder, inner, _ in os.walk(self.path):
            names.get(os.path.basename(folder), []).extend(inner)
        files = Machine(module={})
        mounted = [os.path.basename(line.split()[0]) for table in ("mounts", "swaps")
                   for line in files.read(f"/proc/{table}").splitlines()
                   if line.startswith("/dev/")]
        return [name for name in names["block"]
                if any(one.startswith(name) for one in mounted)] + \
            [name for name in names["net"] if _is_up(self.path, name)]

    @cached_property
    def bars(self) -> list[Bar]:
        bars = []
        for number, line in enumerate(self.read("resource").splitlines()[:BARS]):
            start, end, flags = (int(word, 16) for word in line.split())
            if flags & IS_MEMORY and end > start:
                bars.append(Bar(number, end - start + 1, bool(flags & IS_PREFETCHABLE)))
        return bars


def _is_up(device: Path, name: str) -> bool:
    """Whether a network interface is up: IFF_UP, linux/if.h."""
    flags = [path / name / "flags" for path in device.rglob("net")]
    return any(path.exists() and int(path.read_text(encoding="ascii"), 16) & 1 for path in flags)


def _root() -> Path:
    return Path(os.environ.get("MEMCACHE_SYSROOT") or "/") / "sys/bus/pci/devices"


def devices() -> list[Device]:
    """All devices that have memory."""
    try:
        names = sorted(os.listdir(_root()))
    except OSError:
        return []
    return [device for name in names if (device := Device(name)).bars]


def find(text: str) -> tuple[Device, int | None]:
    """The device of an address such as 00:05.0 or 0000:00:05.0/2, and the BAR, if it names one."""
    match = ADDRESS.fullmatch(text)
    if not match:
        raise Failure(f"{text!r}: is not the address of a PCI device; write e.g. 00:05.0, as lspci "
                      "does, or 00:05.0/2 for BAR 2", WRONG)
    device = Device(f"{match[1] or '0000'}:{match[2]}".lower())
    if not device.path.exists():
        addresses = [one.address for one in devices()]
        raise Failure(f"there is no PCI device {device.address}."
                      f"{hint(device.address, addresses)} With memory there are: "
                      f"{', '.join(addresses) or 'none'}", WRONG)
    return device, int(match[3]) if match[3] else None


@contextmanager
def lend(device: Device, bind: bool) -> Iterator[int]:
    """The device, taken from its driver and offered to memcache as long as this context lasts.
    With `bind` the module's driver has it.

    A process of its own gives the device back, so that nothing that ends this one can prevent it:
    no signal, and no crash. It waits until nobody has the file any more that the context yields:
    who measures in another process passes it on.
    """
    driver, before = device.driver, device.read("driver_override")
    if driver == OURS or before == OURS:
        raise Failure(f"{device.address} is bound to {OURS}, or offered to it, already: another "
                      "run, or its owner, has it")
    if used := device.names_in_use:
        raise Failure(f"{device.address}: {', '.join(used)} of its driver {driver} is in use: "
                      "unmount it, or take it down, first")
    if not os.access(device.path / "driver_override", os.W_OK):
        raise Failure(f"{device.address}: taking it from its driver needs root")
    alive, end = os.pipe()
    keeper = os.fork()
    if not keeper:
        _give_back_later(device, driver, before, alive, end)
    os.close(alive)
    try:
        _take_from_driver(device, driver, bind)
        yield end
    finally:
        os.close(end)
        _, status = os.waitpid(keeper, 0)
        if status:
            say(f"{device.address}: could not be given back; see {device.path}")
        else:
            say(f"{device.address}: given back" + (f" to {driver}" if driver else ""))


def _take_from_driver(device: Device, driver: str, bind: bool) -> None:
    device.write("driver_override", OURS)
    if driver:
        device.write("driver/unbind", device.address)
    if bind:
        _probe(device)
        if device.driver != OURS:
            raise Failure(f"{device.address}: the driver {OURS} did not take it; the kernel's log "
                          "says why")


def _probe(device: Device) -> None:
    path = _root().parent / "drivers_probe"
    try:
        path.write_text(f"{device.address}\n", encoding="ascii")
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None


def _give_back_later(device: Device, driver: str, before: str, alive: int, end: int) -> None:
    """Wait until the process that measures has ended, or closes its pipe; give the device back, and
    exit."""
    status = 1
    try:
        os.setsid()         # no signal of a terminal comes here
        os.close(end)
        os.read(alive, 1)
        if device.path.exists():
            device.write("driver_override", "" if before in ("", "(null)") else before)
            if device.driver == OURS:
                device.write("driver/unbind", device.address)
            if driver and not device.driver:
                _probe(device)
        status = 0 if device.driver == driver or not device.path.exists() else 1
    except Failure as failure:
        say(str(failure))
    finally:
        with suppress(OSError):
            os.close(alive)
        os._exit(status)
