# SPDX-License-Identifier: GPL-2.0-only
"""PCI devices: their memory, and lending one to the driver that measures it."""

import json
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from mc import Failure, hint, say
from mc.records.shape import read_file, root
from mc.running import in_use
from mc.running.machine import Machine
from mc.status import WRONG

OURS = "memcache"       # the driver of the module, and the word by which a device is offered
ADDRESS = re.compile(r"(?:pci:)?(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}:[01][0-9a-f]\.[0-7])"
                     r"(?:/([0-5]))?", re.I)
BARS = 6
PAT_LIST = "/sys/kernel/debug/x86/pat_memtype_list"
PATIENCE_S = (5, 55)    # a word after each
MOST_USERS = 8          # that a message names
# Kinds of devices that much depends on, by the beginning of the class, in the order of the search.
KINDS = {"0805": "storage", "0001": "display", "01": "storage", "03": "display", "05": "memory",
         "06": "bridge", "07": "serial", "08": "system", "0b": "system", "0c": "serial"}
# Flags in the file `resource` of a device: enum of IORESOURCE_ in linux/ioport.h.
IS_MEMORY, IS_PREFETCHABLE, HAS_NO_ADDRESS = 0x200, 0x2000, 0x20000000


@dataclass(frozen=True)
class Bar:
    """A BAR that is memory. Reads of a prefetchable one have no effect."""
    number: int
    size: int
    prefetchable: bool
    start: int = field(default=0, compare=False)

    @property
    def mapped_as(self) -> str:
        """The type of a mapping that is there, which a new one silently gets, too; empty if the
        kernel tells of none."""
        for start, end, kind in re.findall(r"\[mem 0x(\w+)-0x(\w+)\] (\S+)",
                                           Machine(module={}).read(PAT_LIST)):
            if int(start, 16) < self.start + self.size and int(end, 16) > self.start:
                return kind
        return ""


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
        return _device_folder() / self.address

    def read(self, name: str) -> str:
        return read_file(self.path / name)

    def write(self, name: str, text: str) -> None:
        """Write a line to one of its files."""
        _write(self.path / name, text)

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
            if flags & IS_MEMORY and not flags & HAS_NO_ADDRESS and end > start:
                bars.append(Bar(number, end - start + 1, bool(flags & IS_PREFETCHABLE), start))
        return bars


def _device_folder() -> Path:
    return root() / "sys/bus/pci/devices"


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(f"{text}\n", encoding="ascii")
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None


def devices() -> list[Device]:
    """All devices that have memory."""
    try:
        names = sorted(os.listdir(_device_folder()))
    except OSError:
        return []
    return [device for name in names if (device := Device(name)).bars]


def find(text: str) -> tuple[Device, int | None]:
    """The device of an address such as 00:05.0 or 0000:00:05.0/2, and the BAR, if it names one."""
    match = ADDRESS.fullmatch(text)
    if not match:
        raise Failure(f"{text!r} is not the address of a PCI device; write e.g. 00:05.0, as lspci "
                      "does, or 00:05.0/2 for BAR 2", WRONG)
    device = Device(f"{match[1] or '0000'}:{match[2]}".lower())
    if not device.path.exists():
        addresses = [one.address for one in devices()]
        raise Failure(f"there is no PCI device {device.address}."
                      f"{hint(device.address, addresses)} With memory there are: "
                      f"{', '.join(addresses) or 'none'}", WRONG)
    return device, int(match[3]) if match[3] else None


class StillHeld(Failure):
    """A driver has not let go of a device. The process that waits for it goes on."""


@dataclass(frozen=True)
class Note:
    """How a device was before it was lent. The note lies in /run, and is locked as long as somebody
    sees to it that the device comes back: `file` is the open file."""
    device: Device
    driver: str
    override: str
    enabled: int
    file: int

    @property
    def path(self) -> Path:
        return notes() / self.device.address


def notes() -> Path:
    return root() / "run/memcache"


def _write_note(device: Device) -> Note:
    """It gets its name when it is complete and locked, so that nobody acts on half of one."""
    import fcntl
    override = device.read("driver_override")
    override = "" if override.strip() == "(null)" else override.strip()
    enabled = int(device.read("enable") or 0)
    new = notes() / f"new-{os.getpid()}"
    try:
        notes().mkdir(parents=True, exist_ok=True)
        note = Note(device, device.driver, override, enabled, os.open(
            new, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        fcntl.flock(note.file, fcntl.LOCK_EX)
        os.write(note.file, json.dumps([note.driver, override, enabled]).encode())
        os.link(new, note.path)
    except FileExistsError:
        raise Failure(f"{device.address}: another run has it, or has left it behind "
                      f"({notes()}): memcache mmio --give-back") from None
    except OSError as error:
        raise Failure(f"{new}: {error.strerror}") from None
    finally:
        new.unlink(missing_ok=True)
    return note


def give_back_left() -> list[str]:
    """Give back devices of runs that were killed with all their processes. Who is not root is told.
    The addresses of those that are still lent."""
    import fcntl
    still = []
    with suppress(OSError):     # of a run that was killed before it took anything
        for path in notes().glob("new-*"):
            path.unlink()
        notes().rmdir()
    for path in sorted(notes().glob("*:*:*.*")):
        device = Device(path.name)
        still.append(path.name)
        try:
            file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            say(f"{path.name} is lent to {OURS}: if no run has it any more, root gets it back by "
                "memcache mmio --give-back")
            continue
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            driver, override, enabled = json.loads(os.read(file, 4096))
            failed = path.exists() and _give_back(Note(device, driver, override, enabled, file))
            _say_given_back(device, failed)
            if not failed:
                still.remove(path.name)
        except (BlockingIOError, ValueError):
            pass            # a run has it, or the note is not ours
        finally:
            os.close(file)
    return still


@contextmanager
def lend(device: Device, bind: bool) -> Iterator[tuple[int, ...]]:
    """The device, taken from its driver and offered to memcache as long as this context lasts.
    With `bind` the module's driver has it.

    A process of its own gives the device back, so that nothing that ends this one can prevent it:
    no signal, and no crash. It waits until nobody has the files any more that the context yields:
    who measures in another process passes them on. A note in /run outlives both.
    """
    driver, before = device.driver, device.read("driver_override")
    if driver == OURS or before == OURS:
        raise Failure(f"{device.address} is bound to {OURS}, or offered to it, already: another "
                      "run, or its owner, has it")
    if not os.access(device.path / "driver_override", os.W_OK):
        raise Failure(f"{device.address}: taking it from its driver needs root")
    disks = _claim_disks(device)
    with _signals_blocked():
        note = _write_note(device)
        alive, end = os.pipe()
        keeper = os.fork()
        if not keeper:
            _close(disks)
            _give_back_later(note, alive, end)
    os.close(alive)
    try:
        _take_from_driver(device, driver, disks, bind)
        yield end, note.file
    except StillHeld:
        keeper = 0
        raise
    finally:
        _close(disks)
        os.close(end)
        if keeper:
            _, status = os.waitpid(keeper, 0)
            _say_given_back(device, _give_back(note) if os.WIFSIGNALED(status) else status, driver)
        os.close(note.file)


def _say_given_back(device: Device, failed: int | bool, driver: str = "") -> None:
    driver = driver or device.driver
    say(f"{device.address}: " + (f"could not be given back; see {device.path}" if failed else
                                 "given back" + (f" to {driver}" if driver else "")))


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Let no signal but SIGKILL reach this process, nor one that is forked meanwhile: who stops a
    service, a container or a job sends SIGTERM to all of its processes."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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
        _unbind(device, driver)
    if bind:
        _probe(device)
        if device.driver != OURS:
            raise Failure(f"{device.address}: the driver {OURS} did not take it; the kernel's log "
                          "says why")


def _unbind(device: Device, driver: str) -> None:
    """In a process of its own: a driver may wait until nobody has the device open."""
    import select
    told, tell = os.pipe()
    with _signals_blocked():
        child = os.fork()
        if not child:
            try:
                device.write("driver/unbind", device.address)
            except Failure as failure:
                os.write(tell, str(failure).encode())
            finally:
                os._exit(0)
    os.close(tell)
    with open(told, encoding="utf-8") as answer:
        for seconds in PATIENCE_S:
            if select.select([answer], [], [], seconds)[0]:
                break
            say(f"{device.address}: {driver} has not let go of it in {seconds} s")
        else:
            raise StillHeld(f"{device.address}: process {child} waits for {driver} to let go of "
                            "it; then it is given back")
        why = answer.read()
    os.waitpid(child, 0)
    if why:
        raise Failure(why)


def _probe(device: Device) -> None:
    _write(_device_folder().parent / "drivers_probe", device.address)


def _give_back_later(note: Note, alive: int, end: int) -> None:
    """Wait until the processes that measure have ended, or close their pipe; give the device back,
    and exit."""
    status = 1
    try:
        os.setsid()
        os.close(end)
        os.read(alive, 1)
        status = _give_back(note)
    finally:
        os._exit(status)


def _give_back(note: Note) -> int:
    """1 if it failed: then the note stays."""
    device = note.device
    try:
        if device.path.exists():
            device.write("driver_override", note.override)
            if device.driver == OURS:
                device.write("driver/unbind", device.address)
            with suppress(Failure):     # a process that was killed has left it switched on
                for _ in range(0 if device.driver else int(device.read("enable") or 0)
                               - note.enabled):
                    device.write("enable", "0")
            if note.driver and not device.driver:
                _probe(device)
        if device.path.exists() and device.driver != note.driver:
            return 1
        note.path.unlink(missing_ok=True)
        with suppress(OSError):
            notes().rmdir()
        return 0
    except Failure as failure:
        say(str(failure))
    return 1
