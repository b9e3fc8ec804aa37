#!/usr/bin/python3 -S
# SPDX-License-Identifier: GPL-2.0-only
"""disks.py: `memcache mmio` and controllers whose disks are in use, free, or measured by a run that
is killed. Each command is a fork of this process (front.py)."""

import errno
import hashlib
import os
import re
import signal
import struct
import subprocess
import time
from pathlib import Path

import front

PCI = Path("/sys/bus/pci/devices")
GROUPS = "/sys/fs/cgroup"
MOMENTS = 20
MAGIC = bytes.fromhex("c68573f64e1a45ca8265f57f48ba6d81")      # of bcache, linux/bcache.h


def raid(disk):
    """What `mdadm --build` does."""
    Path("/sys/module/md_mod/parameters/new_array").write_text("md0")
    md = Path("/sys/block/md0/md")
    for name, text in (("metadata_version", "none"), ("level", "raid1"), ("raid_disks", "1"),
                       ("new_dev", Path(f"/sys/block/{disk}/dev").read_text()),
                       (f"dev-{disk}/size", "2048"), (f"dev-{disk}/slot", "0"),
                       ("component_size", "2048"), ("array_state", "active")):
        (md / name).write_text(text)


def bcache(disk):
    """What `make-bcache -B` does: struct cache_sb_disk, whose sum is CRC-64 of ECMA-182."""
    block = struct.pack("<QQ16s16s16x32x8x8x64x8xHHHHIHH", 8, 1, MAGIC, MAGIC, 1, 0, 0, 0, 0, 0, 0)
    sum_ = 2 ** 64 - 1
    for byte in block:
        sum_ ^= byte << 56
        for _ in range(8):
            sum_ = sum_ << 1 & 2 ** 64 - 1 ^ (0x42F0E1EBA9EA3693 if sum_ >> 63 else 0)
    with open(f"/dev/{disk}", "r+b") as file:
        file.seek(4096)
        file.write(struct.pack("<Q", sum_ ^ 2 ** 64 - 1) + block)
    Path("/sys/fs/bcache/register").write_text(f"/dev/{disk}")


# Commands that begin to use $disk, mmio's words about it, commands that end it. `on`: a folder.
MOUNT = "mkfs.ext4 -q /dev/$disk; mount /dev/$disk on; echo before >on/file"
MAP = "echo 0 $(blockdev --getsz /dev/$disk) {} | dmsetup create {}"
USES = [
    ("nvme", MOUNT, "{} is mounted on .*/on",
     "echo after >>on/file; umount on; mount /dev/$disk on; [ $(tr '\n' . <on/file) = "
     "before.after. ]; umount on"),
    # In another mount namespace.
    ("nvme", "unshare -m sh -c 'mount /dev/$disk on; echo >there; exec sleep 1000' & echo $! >pid; "
             "until [ -e there ]; do kill -0 $!; sleep 0.1; done", "{} is mounted on .*/on",
     "kill $(cat pid)"),
    # The head of multipath.
    ("shared", MOUNT, "{} is mounted on .*/on", "umount on"),
    ("vda", "mkswap /dev/$disk; swapon /dev/$disk", "{} is swapped to", "swapoff /dev/$disk"),
    ("vda", "sleep 1000 5</dev/$disk & echo $! >pid", r"sleep \(\d+\) has {} open",
     "kill $(cat pid)"),
    # LVM, LUKS.
    ("sda", MAP.format("linear /dev/$disk 0", "group-root") + "; mkfs.ext4 -q "
            "/dev/mapper/group-root; mount /dev/mapper/group-root on",
     "group-root on {} is mounted on .*/on", "umount on; dmsetup remove group-root"),
    ("sda", MAP.format(f"crypt aes-cbc-plain64 {7:032} 0 /dev/$disk 0", "secret"),
     "secret on {} uses it", "dmsetup remove secret"),
    ("sda", raid, "md0 on {} uses it", "echo clear >/sys/block/md0/md/array_state"),
    ("sda", bcache, "bcache uses {}", "echo 1 >/sys/block/$disk/bcache/stop; "
                                      "while [ -e /sys/block/$disk/bcache ]; do sleep 0.1; done"),
    ("sda", "losetup /dev/loop0 /dev/$disk", "loop0 uses {}", "losetup -d /dev/loop0"),
    # Of two disks; the mount names the other one. ZFS is not in Debian.
    ("sda", "mkfs.btrfs -q -f -M -m single -d single /dev/vda /dev/sda 2>/dev/null; "
            "mount /dev/vda on", r"btrfs [\da-f-]{{36}} uses {}", "umount on"),
    ("sdb", "", "the USB device .* is there", ""),
]


def do(script, disk):
    if not isinstance(script, str):
        return script(disk)
    return subprocess.run(["bash", "-euc", script], env=os.environ | {"disk": disk}, check=True)


def find(name):
    """The name of a disk, also of an NVMe one by its serial number."""
    for path in Path("/sys/class/nvme").glob("*/serial"):
        if path.read_text().strip() == name:
            name = re.sub(r"c\d+n", "n", next(path.parent.glob("nvme*n1")).name)
    return name


def controller(disk):
    """The PCI device of a disk."""
    path = Path(f"/sys/class/block/{disk}").resolve()
    if "nvme-subsystem" in str(path):       # the head of multipath
        path = next(path.parent.glob("nvme?")).resolve()
    return PCI / re.findall(r"[\da-f]{4}:[\da-f]{2}:[\da-f]{2}\.\d", str(path))[-1]


def state(disk, device):
    """What must be as it was: the driver, who is offered the device, and the whole disk."""
    override = (device / "driver_override").read_text().strip().replace("(null)", "")
    # A disk that comes back has its node some time before it can be opened.
    while True:
        try:
            with open(f"/dev/{disk}", "rb") as file:
                return os.readlink(device / "driver"), override, hashlib.md5(file.read()).digest()
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENXIO):
                raise
        time.sleep(0.05)


def start(*words):
    """`memcache mmio WORDS` in a child, whose output goes to the file `said`."""
    Path("said").write_text("")
    return front.fork_command(["mmio", *words], "said", "said")


def measure(device, output, *more):
    """The status of `memcache mmio`, and what it has said."""
    child = start("--yes", "--even", "storage", *more, "-o", output, device.name)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), Path("said").read_text()


def refused():
    for name, begin, pattern, end in USES:
        disk = find(name)
        device = controller(disk)
        do(begin, disk)
        before = state(disk, device)[:2]
        status, said = measure(device, "none", *(("--even", "serial") if name == "sdb" else ()))
        print(said.splitlines()[-1], flush=True)
        assert status == 1 and re.search(
            f"is left alone: .*{pattern.format(disk)}", said), (name, status, said)
        assert state(disk, device)[:2] == before
        do(end, disk)


def free():
    for name in "nvme", "shared", "vda", "sda":
        disk = find(name)
        device = controller(disk)
        before = state(disk, device)
        for where in "kernel", "user":
            status, said = measure(device, f"{name}-{where}.jsonl", "--where", where)
            assert status == 0 and f"{device.name}: given back" in said, said
            assert state(disk, device) == before


def killed():
    """The n-th run is killed after n twentieths of the time that one takes, as a control group is:
    by a signal to all of its processes."""
    if not os.path.ismount(GROUPS):
        subprocess.run(["mount", "-t", "cgroup2", "none", GROUPS], check=True)
    group = Path(GROUPS, "memcache")
    group.mkdir()
    disk = find("nvme")
    device = controller(disk)
    before, length = state(disk, device), 0
    for moment in range(MOMENTS + 1):
        begun = time.monotonic()
        child = os.fork()
        if not child:
            (group / "cgroup.procs").write_text("0")
            os._exit(measure(device, f"{moment}.jsonl", "--where", "user")[0])
        if not moment:
            assert os.waitpid(child, 0)[1] == 0, Path("said").read_text()
            length = time.monotonic() - begun
            continue
        time.sleep(length * moment / MOMENTS)
        if moment % 2:
            (group / "cgroup.kill").write_text("1")
        else:
            for pid in (group / "cgroup.procs").read_text().split():
                os.kill(int(pid), signal.SIGTERM)
        os.waitpid(child, 0)
        while "populated 1" in (group / "cgroup.events").read_text():
            time.sleep(0.05)
        lent = Path("/run/memcache").exists()
        print(f"{moment}: {lent=}", Path("said").read_text().splitlines()[-1:], flush=True)
        assert moment % 2 or not lent
        os.waitpid(start("--give-back"), 0)
        assert state(disk, device) == before and not Path("/run/memcache").exists()


for part in refused, free, killed:
    print(part.__name__, flush=True)
    part()
