# SPDX-License-Identifier: GPL-2.0-only
"""Who uses a PCI device. The kernel is asked, and what it does not tell counts as a use: a disk
that is taken from its file system loses what was written to it. For tests, set MEMCACHE_SYSROOT."""

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mc.running.machine import Machine

FIRST_PID_NAMESPACE = "pid:[4026531836]"    # PROC_PID_INIT_INO, linux/proc_ns.h
UP = 1                                      # IFF_UP, linux/if.h
GET_ADDRESS = 0x8915                        # SIOCGIFADDR, linux/sockios.h
DEV_MEM = "char 1:1"
# Files that name a disk which the kernel has opened, but not alone, and the word that is the user.
BORROWERS = {"sys/class/block/*/loop/backing_file": -3,
             "sys/kernel/config/nvmet/subsystems/*/namespaces/*/device_path": -4}
HARMLESS = "vfio.*|pci-stub|usb|hub"        # drivers that have no device of their own below them


@dataclass(frozen=True)
class Child:
    """A device below the PCI device, or one that stands for it elsewhere in sysfs. `node` is the
    type and number of its file in /dev, such as `block 8:2`; empty if it has none."""
    path: str
    subsystem: str
    node: str

    @property
    def name(self) -> str:
        return os.path.basename(self.path)


class Look(Machine):
    """What /sys and /proc say of a PCI device and of the processes that are not ours. `claimed`
    are the disks that nobody else can begin to use while these files are open."""

    def __init__(self, address: str, claimed: list[int]) -> None:
        super().__init__(module={})
        self.path = self.real_path(f"/sys/bus/pci/devices/{address}")
        self.claimed = claimed
        self.nodes: dict[tuple[str, ...], str] = {}

    def word(self, *path: str) -> str:
        return self.read("/".join(path)).strip()

    def real_path(self, path: str) -> str:
        path = os.path.realpath(self.root + path)
        return path.removeprefix(os.path.realpath(self.root)) if self.root else path

    def link(self, *path: str) -> str:
        """The last part of what a link leads to; empty if it is none."""
        try:
            return os.path.basename(os.readlink(self.root + "/".join(path)))
        except OSError:
            return ""

    def node_of_disk(self, path: str) -> str:
        """The type and number of a disk, by a path that ends with its name; empty if it is none."""
        name = os.path.basename(self.real_path(path)) if path.startswith("/") else ""
        number = self.word("/sys/class/block", name, "dev") if name else ""
        return number and f"block {number}"

    @cached_property
    def children(self) -> list[Child]:
        below = list(self.children_of(self.path))
        names = {one.name for one in below if one.subsystem == "nvme"}
        for name in self.names("/sys/class/nvme-subsystem"):    # the heads of native multipath
            subsystem = self.real_path(f"/sys/class/nvme-subsystem/{name}")
            if names & set(self.names(subsystem)):
                below += self.children_of(subsystem)
        group = self.link(self.path, "iommu_group")
        return below + [Child(f"/dev/vfio/{name}", "vfio", f"char {number}")
                        for name in (group, f"noiommu-{group}")
                        if group and (number := self.word("/sys/class/vfio", name, "dev"))]

    def children_of(self, path: str) -> Iterator[Child]:
        for name in self.names(path):
            below = f"{path}/{name}"
            if os.path.islink(self.root + below) or not os.path.isdir(self.root + below):
                continue
            if subsystem := self.link(below, "subsystem"):
                number = self.word(below, "dev")
                yield Child(below, subsystem, number and
                            f"{'block' if subsystem == 'block' else 'char'} {number}")
            elif name == "net" and os.stat(self.root + below).st_nlink - 2 > len(
                    self.names(below)) or name == "net" and not self.names(below):
                yield Child(below, "hidden-net", "")    # the kernel counts those of all namespaces
            if subsystem != "pci":
                yield from self.children_of(below)

    @cached_property
    def pids(self) -> list[str]:
        return [one for one in self.names("/proc") if one.isdigit() and one != str(os.getpid())]

    @cached_property
    def mounted(self) -> dict[str, list[str]]:
        """What each disk is mounted on in all mount namespaces, and whether it is swapped to."""
        found: dict[str, list[str]] = {}
        pid_of = {self.link("/proc", pid, "ns/mnt") or pid: pid for pid in [*self.pids, "self"]}
        for pid in pid_of.values():
            for line in self.read(f"/proc/{pid}/mountinfo").splitlines():
                words, more = (part.split() for part in line.partition(" - ")[::2])
                for node in {f"block {words[2]}", self.node_of_disk(more[1])}:
                    found.setdefault(node, []).append(f"mounted on {words[4]}")
        for line in self.read("/proc/swaps").splitlines()[1:]:
            found.setdefault(self.node_of_disk(line.split()[0]), []).append("swapped to")
        return found

    @cached_property
    def opened(self) -> dict[str, list[str]]:
        """Who has a node open or mapped. Of `vfio`, a device whose group may be closed; of `bar`, a
        BAR of ours; of `unknown`, nobody can say what."""
        found: dict[str, list[str]] = {}
        for pid in self.pids:
            who = f"{self.word('/proc', pid, 'comm')} ({pid})"
            try:
                files = {*self.open_files(f"/proc/{pid}/fd"), *self.mapped_files(f"/proc/{pid}")}
            except (FileNotFoundError, ProcessLookupError):
                continue            # it has ended
            except OSError as error:
                files, who = {"unknown"}, f"{who} can't be looked at: {error.strerror}"
            for one in files:
                found.setdefault(one, []).append(who)
        return found

    def open_files(self, folder: str) -> Iterator[str]:
        for number in os.listdir(self.root + folder):
            link = self.link(folder, number)
            if "vfio-device" in link:
                yield "vfio"
            elif ":[" not in link:
                yield self.node(f"{folder}/{number}")

    def mapped_files(self, folder: str) -> Iterator[str]:
        with open(f"{self.root}{folder}/maps", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                place, _, offset, *file = line.split(maxsplit=5)
                if len(file) < 3 or file[1] == "0":
                    continue
                node = self.nodes.get(tuple(file)) or self.node(f"{folder}/map_files/{place}")
                self.nodes[tuple(file)] = node
                start, end = (int(one, 16) for one in place.split("-"))
                at = int(offset, 16)
                if file[2].startswith(f"{self.path}/resource") or (
                        node == DEV_MEM and self.has_bar_in(at, at + end - start)):
                    yield "bar"
                yield node

    def node(self, path: str | int) -> str:
        """The type and number of the file of a device; `file` of another; empty if it is gone."""
        try:
            found = os.stat(self.root + path if isinstance(path, str) else path)
        except FileNotFoundError:
            return ""
        kind = "block" if stat.S_ISBLK(found.st_mode) else \
            "char" if stat.S_ISCHR(found.st_mode) else ""
        return f"{kind} {os.major(found.st_rdev)}:{os.minor(found.st_rdev)}" if kind else "file"

    def has_bar_in(self, start: int, end: int) -> bool:
        bars = [[int(one, 16) for one in line.split()]
                for line in self.read(f"{self.path}/resource").splitlines()]
        return any(flags and first < end and last >= start for first, last, flags in bars)


def users(address: str, claimed: list[int]) -> list[str]:
    """Who uses the PCI device with this address, and who may: sentences without a full stop. Its
    disks are opened, so that nobody can begin to use them; `claimed` gets these files."""
    look = Look(address, claimed)
    found = list(_users_of_device(look))
    for child in look.children:
        kind = _kind(child)
        found += kind(look, child) if kind else [
            f"who uses {child.name}, of the kind {child.subsystem}, is not known"]
        found += [f"{who} has {child.name} open"
                  for who in look.opened.get(child.node or "none", [])]
    return list(dict.fromkeys(found))


def _users_of_device(look: Look) -> Iterator[str]:
    """The users whom no device below it shows."""
    if "1" in (look.word(look.path, "boot_vga"), look.word(look.path, "boot_display")):
        yield "it is the display that this machine started with"
    if functions := look.word(look.path, "sriov_numvfs").strip("0"):
        yield f"it has {functions} virtual functions"
    yield from (f"{who} has a BAR of it mapped" for who in look.opened.get("bar", []))
    driver = look.link(look.path, "driver")
    if "vfio" in driver:
        yield from (f"{who} has a device of {driver} open" for who in look.opened.get("vfio", []))
    for major, name in re.findall(r"^ *(\d+) (.+)$", look.read("/proc/devices"), re.M):
        if driver and name.startswith(driver):      # NVIDIA's files are not in sysfs
            yield from (f"{who} has a file of {name} open" for node, all_ in look.opened.items()
                        if node.startswith(f"char {major}:") for who in all_)
    if not look.names(look.path):
        yield "what lies below it is not known"
    if look.link("/proc/self/ns/pid") != FIRST_PID_NAMESPACE:
        yield "processes outside of this container can't be seen"
    for who in look.opened.get("unknown", [])[:1]:
        yield f"the open files of {who}"
    # A driver of balloons, of the host's files or of ciphers has users whom no file shows.
    for one in [Child(look.path, "pci", ""), *look.children]:
        driver = look.link(one.path, "driver")
        if driver and _kind(one) is not _no_user and not re.fullmatch(HARMLESS, driver) \
                and not any(below.path.startswith(f"{one.path}/") and _kind(below) is not _no_user
                            for below in look.children):
            yield f"who uses the driver {driver} of {one.name} is not known"


def _users_of_disk(look: Look, disk: Child) -> Iterator[str]:
    """Of a disk or a partition: each mount, swap, or other device that lies on it."""
    if not look.exists(f"{disk.path}/partition"):
        yield from _claim(look, disk)
    stack = [(disk.node, disk.name, disk.path)]
    seen: set[str] = set()
    while stack:
        node, name, path = stack.pop()
        above = [look.real_path(f"/sys/class/block/{one}") for one in look.names(f"{path}/holders")]
        uses = look.mounted[node] if node and node in look.mounted else []
        yield from (f"{name} is {use}" for use in uses)
        if not above and not uses and path != disk.path:
            yield f"{name} uses it"
        for one in set(above) - seen:
            seen.add(one)
            title = look.word(one, "dm/name") or os.path.basename(one)
            stack.append((look.node_of_disk(one), f"{title} on {name}", one))
    if look.exists(f"{disk.path}/bcache"):
        yield f"bcache uses {disk.name}"
    # Of the disks of a file system of several, a mount names one.
    yield from (f"btrfs {name} uses {disk.name}" for name in look.names("/sys/fs/btrfs")
                if disk.name in look.names(f"/sys/fs/btrfs/{name}/devices"))
    for pattern, at in BORROWERS.items():
        for one in map(str, Path(look.root or "/").glob(pattern)):
            if disk.node == look.node_of_disk(look.word(one.removeprefix(look.root))) != "":
                yield f"{one.split('/')[at]} uses {disk.name}"


def _claim(look: Look, disk: Child) -> Iterator[str]:
    if not disk.node:
        if look.word(disk.path, "hidden") != "1" or not any(
                one.node.startswith("block") for one in look.children):
            yield f"whether {disk.name} is in use is not known: it has no file"
        return
    name = re.search(r"^DEVNAME=(.*)$", look.read(f"{disk.path}/uevent"), re.M)
    try:
        look.claimed.append(open_alone(look, f"/dev/{name[1] if name else disk.name}", disk.node))
    except OSError as error:
        yield f"the kernel says that {disk.name} is in use" if error.errno == errno.EBUSY else \
            f"whether {disk.name} is in use is not known: {error.strerror}"


def open_alone(look: Look, path: str, node: str) -> int:
    """Open a disk as a file system does: EBUSY if a file system has it, a swap, a RAID."""
    file = os.open(look.root + path, os.O_RDONLY | os.O_EXCL | os.O_NONBLOCK | os.O_CLOEXEC)
    if look.node(file) == node:
        return file
    os.close(file)
    raise OSError(errno.ENODEV, f"{path} is another device")


def _users_of_network(look: Look, net: Child) -> Iterator[str]:
    flags = look.word(net.path, "flags")
    if not flags or int(flags, 16) & UP:
        yield f"{net.name} is up" if flags else f"whether {net.name} is up is not known"
    above = {name.removeprefix("upper_") for name in look.names(net.path)
             if name.startswith("upper_")} | {look.link(net.path, "master")}
    yield from (f"{net.name} is part of {name}" for name in sorted(above) if name)
    if ipv4_address(net.name) or look.has("/proc/net/if_inet6", rf" {re.escape(net.name)}$"):
        yield f"{net.name} has an address"


def ipv4_address(name: str) -> bool:
    """Whether an interface has an address, also one that is not up."""
    import fcntl
    import socket
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            return bool(fcntl.ioctl(one, GET_ADDRESS, name.encode().ljust(256, b"\0")))
        except OSError:
            return False


def _users_of_usb(look: Look, usb: Child) -> Iterator[str]:
    if re.fullmatch(r"\d+-[\d.]+", usb.name):       # not a root hub, nor a part of a device
        yield f"the USB device {usb.name} {look.word(usb.path, 'product')}".rstrip() + " is there"


def _users_of_keys(look: Look, keys: Child) -> Iterator[str]:
    if any(f"Sysfs={keys.path.removeprefix('/sys')}\n" in one and re.search(r"=.*\bkbd\b", one)
           for one in look.read("/proc/bus/input/devices").split("\n\n")):
        yield f"{keys.name} is a keyboard of the console"


def _users_of_tty(look: Look, tty: Child) -> Iterator[str]:
    if look.has("/proc/consoles", rf" {tty.node.removeprefix('char ')}$"):
        yield f"the kernel writes its messages to {tty.name}"


def _users_of_picture(look: Look, picture: Child) -> Iterator[str]:
    for name in look.names("/sys/class/vtconsole"):
        if "frame buffer" in look.word("/sys/class/vtconsole", name, "name") \
                and look.word("/sys/class/vtconsole", name, "bind") != "0":
            yield f"{picture.name} shows the console"


def _no_user(_look: Look, _child: Child) -> Iterator[str]:
    """It has none, and shows none of its parent's."""
    return iter(())


def _opener(_look: Look, _child: Child) -> Iterator[str]:
    """Its users have it, or a device below it, open."""
    return iter(())


# Subsystems of devices, and who uses one besides the processes that have it open or mapped.
KINDS: list[tuple[str, Callable[[Look, Child], Iterator[str]]]] = [
    ("block", _users_of_disk),
    ("net", _users_of_network),
    ("hidden-net", lambda _, one: iter([f"{one.path} has a network in another namespace"])),
    ("pci", lambda _, one: iter([f"the device {one.name} is below it"])),
    ("usb", _users_of_usb),
    ("input", _users_of_keys),
    ("tty", _users_of_tty),
    ("graphics", _users_of_picture),
    ("accel|ata_.*|bsg|drm|drm_dp_aux_dev|hidraw|media|mmc|mmc_host|nvme|nvme-generic|ptp|sas_.*|"
     "scsi|scsi_.*|serial-base|sound|uio|vfio|vfio-dev|video4linux|virtio|virtio-ports", _opener),
    ("backlight|enclosure|hdaudio|hwmon|ieee80211|leds|mdio_bus|pci_bus|pci_express|rfkill|wakeup",
     _no_user),
]


def _kind(child: Child) -> Callable[[Look, Child], Iterator[str]] | None:
    return next((kind for names, kind in KINDS if re.fullmatch(names, child.subsystem)), None)
