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
from mc.running import in_use
from mc.status import WRONG

OURS = "memcache"       # the driver of the module, and the word by which a device is offered
ADDRESS = re.compile(r"(?:pci:)?(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}:[01][0-9a-f]\.[0-7])"
                     r"(?:/([0-5]))?", re.I)
BARS = 6
MOST_USERS = 8          # that a message names
# Kinds of devices that much depends on, by the beginning of the class, in the order of the search.
KINDS = {"0805": "storage", "0001": "display", "01": "storage", "03": "display", "05": "memory",
         "06": "bridge", "07": "serial", "08": "system", "0b": "system", "0c": "serial"}
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
    def kind(self) -> str:
        """The kind of a device that much depends on; empty for any other."""
        number = self.read("class").removeprefix("0x")
        return next((name for start, name in KINDS.items() if number.startswith(start)), "")

    @cached_property
    def bars(self) -> list[Bar]:
        bars = []
        for number, line in enumerate(self.read("resource").splitlines()[:BARS]):
            start, end, flags = (int(word, 16) for word in line.split())
            if flags & IS_MEMORY and end > start:
                bars.append(Bar(number, end - start + 1, bool(flags & IS_PREFETCHABLE)))
        return bars


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
    if not os.access(device.path / "driver_override", os.W_OK):
        raise Failure(f"{device.address}: taking it from its driver needs root")
    disks = _claim_disks(device)
    alive, end = os.pipe()
    keeper = os.fork()
    if not keeper:
        _close(disks)
        _give_back_later(device, driver, before, alive, end)
    os.close(alive)
    try:
        _take_from_driver(device, driver, disks, bind)
        yield end
    finally:
        _close(disks)
        os.close(end)
        _, status = os.waitpid(keeper, 0)
        if status:
            say(f"{device.address}: could not be given back; see {device.path}")
        else:
            say(f"{device.address}: given back" + (f" to {driver}" if driver else ""))


def _claim_disks(device: Device) -> list[int]:
    """Refuse a device that is in use. Nobody can begin to use its disks while these files are
    open."""
    disks: list[int] = []
    used = in_use.users(device.address, disks)
    if not used:
        return disks
    _close(disks)
    more = f"; and {len(used) - MOST_USERS} more" if len(used) > MOST_USERS else ""
    raise Failure(f"{device.address} is left alone: {'; '.join(used[:MOST_USERS])}{more}. "
                  "Unmount it, take it down or close it first. What is not known counts as a use")


def _close(files: list[int]) -> None:
    while files:
        os.close(files.pop())


def _take_from_driver(device: Device, driver: str, disks: list[int], bind: bool) -> None:
    device.write("driver_override", OURS)
    _close(disks)
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
