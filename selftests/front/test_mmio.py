# SPDX-License-Identifier: GPL-2.0-only
"""`memcache mmio` and the devices of a made-up sysfs."""

import errno
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from unittest import mock

import fake
from mc import Failure
from mc.analysis import accesses, verdict
from mc.commands import mmio
from mc.records.results import Run
from mc.running import in_use, pci

ADDRESS = "0000:00:05.0"
NONE = "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"


def relink(path, target):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).unlink(missing_ok=True)
    Path(path).symlink_to(target)


class Sysfs(fake.InDirectory):
    """Plain files in place of the kernel's: they keep what was written last."""

    def setUp(self):
        super().setUp()
        self.device(ADDRESS, NONE + "0xfe000000 0xfe000fff 0x40200\n"
                    + "0xfc000000 0xfc3fffff 0x14220c\n" + "0xc000 0xc03f 0x40101\n")
        self.device("0000:00:06.0", NONE)

    def device(self, address, resource):
        path = Path("sys/devices/pci0000:00", address)
        relink(f"sys/bus/pci/devices/{address}", path.absolute())
        relink("proc/self/ns/pid", in_use.FIRST_PID_NAMESPACE)
        fake.put({"vendor": "0x1af4", "device": "0x1110", "class": "0x050000",
                  "driver_override": "(null)", "resource": resource}, path)
        Path("sys/bus/pci/drivers_probe").write_text("")

    def said(self, name):
        return Path("sys/bus/pci/devices", ADDRESS, name).read_text()

    def not_lent(self, why):
        with self.assertRaisesRegex(Failure, why), pci.lend(pci.Device(ADDRESS), bind=False):
            self.fail("it was lent")


class Devices(Sysfs):
    def test_addresses(self):
        for text, number in (("00:05.0", None), ("0000:00:05.0", None), ("00:05.0/2", 2),
                             ("pci:0000:00:05.0/1", 1), ("pci:00:05.0", None)):
            device, bar = pci.find(text)
            self.assertEqual((device.address, bar), (ADDRESS, number))
        for text, why in (("00:07.0", "no PCI device 0000:00:07.0. .*there are: 0000:00:05.0$"),
                          ("5", "^'5' is not the address"), ("00:05.0/6", "is not the address"),
                          ("../../etc", "is not the address"), ("", "is not the address")):
            fake.refused(self, why, pci.find, text)

    def test_its_link_and_what_it_can_move(self):
        device, bar = pci.find("00:05.0")[0], pci.Bar(1, 4096, False)
        self.assertIsNone(device.link)

        def shown(speed, width, most_speed, most_width):
            for name, text in (("current_link_speed", speed), ("current_link_width", width),
                               ("max_link_speed", most_speed), ("max_link_width", most_width)):
                (device.path / name).write_text(f"{text}\n")
            return fake.one_line(fake.terminal_lines(mmio.device_parts(device, bar)))

        said = shown("16.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "4")
        self.assertIn("16 GT/s x 4: at most 7877 MB/s each way", said)      # 16 x 128/130 x 4 / 8
        self.assertNotIn("the device can do", said)
        said = shown("2.5 GT/s PCIe", "1", "8.0 GT/s PCIe", "4")
        self.assertIn("at most 250 MB/s each way", said)                    # 8 of 10 bits
        self.assertIn("the device can do 8 GT/s x 4", said)
        self.assertIn("at most 118000 MB/s", shown("64.0 GT/s PCIe", "16", "64.0 GT/s PCIe", "16"))
        for speed, width in (("Unknown", "4"), ("16.0 GT/s PCIe", "0"), ("", "")):
            self.assertNotIn("link", shown(speed, width, "16.0 GT/s PCIe", "4"))

    def test_bars_that_are_memory(self):
        device, _ = pci.find("00:05.0")
        self.assertEqual(device.bars, [pci.Bar(1, 4096, False), pci.Bar(2, 4 << 20, True)])
        self.assertEqual([one.address for one in pci.devices()], [ADDRESS])
        Path(device.path, "resource").write_text("0x0 0xffffff 0x2014220c\n")
        self.assertEqual(pci.Device(ADDRESS).bars, [], "the firmware found no room for it")
        self.assertEqual(mmio.choose_bar(device, None).number, 2)
        self.assertEqual(mmio.choose_bar(device, 1).number, 1)
        for number in 0, 3:
            with self.assertRaisesRegex(Failure, f"BAR {number} .* is no memory; .*: 1, 2$"):
                mmio.choose_bar(device, number)
        fake.refused(self, "has no memory", mmio.choose_bar, pci.Device("0000:00:06.0"), None)

    def test_a_bar_with_registers_is_read_as_uc_only(self):
        device, _ = pci.find("00:05.0")
        [line] = mmio.requests(device, pci.Bar(1, 4096, False), False, "kernel", [0, 1])
        self.assertIn(f"mmio target=pci:{ADDRESS}/1 size=4096 any_bar=yes type=uc op=read", line)
        both = list(mmio.requests(device, pci.Bar(2, 4 << 20, True), True, "kernel", [0]))
        self.assertNotIn("write=yes", both[0])
        self.assertIn("type=uc,wc write=yes op=write,write_read,burst", both[1])

    def test_a_second_cpu_looks_for_stores_to_memory(self):
        device, memory = pci.find("00:05.0")[0], pci.Bar(2, 4 << 20, True)

        def asked(bar, write, cpus, arch="x86_64"):
            with mock.patch("os.uname", return_value=mock.Mock(machine=arch)):
                return [line.partition("op=arrive ")[2] for line in mmio.requests(
                    device, bar, write, "kernel", cpus) if "op=arrive" in line]

        for arch, fences in (("x86_64", "none,sfence,mfence,locked"),
                             ("aarch64", "none,dmb_oshst,dmb_osh,dmb_sy,dsb_st,dsb_sy")):
            self.assertEqual(asked(memory, True, [0, 2], arch),
                             [f"width=8 repeat=30 fence={fences} cpu=0,2"])
        for bar, write, cpus in ((memory, False, [0, 1]), (memory, True, [0]), (memory, True, []),
                                 (pci.Bar(1, 4096, False), True, [0, 1])):
            self.assertEqual(asked(bar, write, cpus), [])
        for cpu, siblings in enumerate(("0-1", "0-1", "2-3", "2-3")):
            fake.put({f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list": siblings})
        for online, two in (("0-3", [0, 2]), ("0-1", [0, 1]), ("1", [1])):
            self.assertEqual(mmio.two_cpus({"cpus_online": online}), two)
        self.assertEqual(mmio.two_cpus({"cpus_online": "0-3", "hypervisor": "tcg"}), [])

    def test_why_wc_cannot_be_had_is_said_before(self):
        device, _ = pci.find("00:05.0")
        Path("proc/cpuinfo").write_text("flags\t: fpu sse2 hypervisor\n")
        for bar, text in zip(device.bars, ("WC can't be had: stores to", "is a hypervisor: if it")):
            said = " ".join(fake.terminal_lines(mmio.device_parts(device, bar)))
            self.assertIn(text, " ".join(said.split()))
        for kind, types in (("uncached-minus", "uc"), ("write-combining", "uc,wc")):
            fake.put({pci.PAT_LIST: f"PAT: [mem 0xfc3ff000-0xfc400000] {kind}"})
            with mock.patch.object(mmio, "say") as said:
                [line] = mmio.requests(device, device.bars[1], False, "kernel", [])
            self.assertIn(f"type={types} ", line)
            self.assertEqual("uncached-minus already" in str(said.call_args), types == "uc")

    def test_nobody_is_there_to_agree(self):
        done = fake.front("mmio", "00:05.0")
        self.assertEqual(done.returncode, 2)
        self.assertIn("(memory) measure it", done.stderr)
        self.assertIn("This is no terminal: answer by --yes --even memory", done.stderr)
        self.assertIn("2      4M           yes  is measured", done.stdout)
        self.assertEqual(self.said("driver_override"), "(null)\n")


class Lent(Sysfs):
    def test_the_device_is_given_back(self):
        """Also if the process that should do so was killed."""
        for kill in False, True:
            with pci.lend(pci.Device(ADDRESS), bind=False):
                self.assertEqual(self.said("driver_override"), "memcache\n")
                children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
                for child in children if kill else ():
                    os.kill(int(child), signal.SIGKILL)
            self.assertEqual(self.said("driver_override"), "\n")
            self.assertFalse(pci.notes().exists())

    def test_the_device_is_given_back_after_a_kill(self):
        """By a process that waits until the one that measured has ended. Who stops a service sends
        the signal to both of them; after SIGKILL to both, the next command gives it back."""
        script = "import os, signal\nfrom mc.running import pci\n" \
                 f"with pci.lend(pci.Device('{ADDRESS}'), bind=False):\n" \
                 f"    path = 'sys/bus/pci/devices/{ADDRESS}/driver_override'\n" \
                 "    print(open(path).read(), end='', flush=True)\n" \
                 "    children = open(f'/proc/self/task/{{os.getpid()}}/children').read()\n" \
                 "    for pid in *children.split()[{}:], os.getpid():\n" \
                 "        os.kill(int(pid), signal.{})\n"
        top = {"env": os.environ | {"PYTHONPATH": str(fake.FRONT.parent)}, "text": True,
               "capture_output": True}
        for all_, number in ((False, "KILL"), (False, "INT"), (False, "SEGV"), (True, "TERM"),
                             (True, "HUP"), (True, "INT"), (True, "QUIT"), (True, "USR1"),
                             (True, "KILL")):
            with self.subTest(number):
                # Its output ends when the process that gives the device back has ended, too.
                done = subprocess.run([sys.executable, "-c", script.format(
                    "" if all_ else 9, f"SIG{number}")], **top)
                self.assertEqual(done.stdout, "memcache\n")
                if all_ and number == "KILL":
                    self.assertEqual(self.said("driver_override"), "memcache\n")
                    done = subprocess.run([fake.FRONT, "suites"], **top)
                    self.assertIn(f"{ADDRESS}: given back", done.stderr)
                self.assertEqual(self.said("driver_override"), "\n")
                self.assertFalse(pci.notes().exists())

    def test_it_is_given_back_after_a_kill_at_each_step(self):
        """A signal to all processes when the Nth function of pci.py is called: the device is as it
        was. After SIGKILL the note may say how it was."""
        script = "import os, signal, sys\nfrom mc.running import pci\nleft = {}\n" \
                 "def step(frame, event, _):\n" \
                 "    global left\n" \
                 "    left -= event == 'call' and frame.f_code.co_filename == pci.__file__\n" \
                 "    if not left:\n" \
                 "        sys.setprofile(None)\n" \
                 "        children = open(f'/proc/self/task/{{os.getpid()}}/children').read()\n" \
                 "        for pid in *children.split(), os.getpid():\n" \
                 "            os.kill(int(pid), signal.SIG{})\n" \
                 "sys.setprofile(step)\n" \
                 f"with pci.lend(pci.Device('{ADDRESS}'), bind=False):\n" \
                 "    print('lent')\n"
        lent = []
        for moment, number in itertools.product(range(1, 41), ("TERM", "KILL")):
            done = subprocess.run(
                [sys.executable, "-c", script.format(moment, number)],
                env=os.environ | {"PYTHONPATH": str(fake.FRONT.parent)}, capture_output=True)
            self.assertFalse(number == "TERM" and pci.notes().exists(), moment)
            with mock.patch.object(pci, "say"):
                self.assertEqual(pci.give_back_left(), [])
            self.assertIn(self.said("driver_override"), ("(null)\n", "\n"), moment)
            self.assertFalse(pci.notes().exists(), moment)
            lent.append(done.stdout)
        self.assertEqual((lent[0], lent[-1]), (b"", b"lent\n"))

    def test_a_note_is_for_root_and_only_if_nobody_has_the_device(self):
        with pci.lend(pci.Device(ADDRESS), bind=False):
            self.assertEqual(pci.give_back_left(), [ADDRESS])
            self.assertEqual(self.said("driver_override"), "memcache\n")
            with mock.patch("os.open", side_effect=PermissionError), \
                    mock.patch.object(pci, "say") as said:
                self.assertEqual(pci.give_back_left(), [ADDRESS])
            self.assertIn("root gets it back by memcache mmio --give-back", said.call_args[0][0])
        done = fake.front("mmio", "--give-back")
        self.assertEqual((done.returncode, done.stdout), (0, "Nothing is left to be given back.\n"))

    def test_a_driver_that_does_not_let_go(self):
        """A pipe that nobody reads stands for the file `unbind`, which then blocks."""
        driver = Path("sys/bus/pci/drivers/pci-stub")
        driver.mkdir(parents=True)
        os.mkfifo(driver / "unbind")
        relink(pci.Device(ADDRESS).path / "driver", driver.absolute())
        with mock.patch.object(pci, "PATIENCE_S", (0.01, 0.01)):
            self.not_lent("waits for pci-stub to let go of it; then it is")
        self.assertEqual(self.said("driver_override"), "memcache\n")
        self.assertEqual((driver / "unbind").read_text(), f"{ADDRESS}\n")
        for _ in range(6000):
            if pci.notes().exists():
                time.sleep(0.01)
        self.assertEqual(self.said("driver_override"), "\n")

    def test_a_device_that_is_lent_is_not_lent_again(self):
        Path("sys/bus/pci/devices", ADDRESS, "driver_override").write_text("memcache\n")
        self.not_lent("already")


# Devices below the PCI device, as Linux 6.1 shows them: path, subsystem, number, driver.
SATA = """
/ pci - ahci
ata1/ata_port/ata1 ata_port
ata1/link1/dev1.0/ata_device/dev1.0 ata_device
ata1/host0 scsi
ata1/host0/scsi_host/host0 scsi_host
ata1/host0/target0:0:0 scsi
ata1/host0/target0:0:0/0:0:0:0 scsi - sd
ata1/host0/target0:0:0/0:0:0:0/bsg/0:0:0:0 bsg 250:0
ata1/host0/target0:0:0/0:0:0:0/scsi_disk/0:0:0:0 scsi_disk
ata1/host0/target0:0:0/0:0:0:0/scsi_generic/sg0 scsi_generic 21:0
ata1/host0/target0:0:0/0:0:0:0/block/sda block 8:0
ata1/host0/target0:0:0/0:0:0:0/block/sda/sda2 block 8:2
"""
SDA = "ata1/host0/target0:0:0/0:0:0:0/block/sda"
NVME = """
/ pci - nvme
nvme/nvme0 nvme 240:0
nvme/nvme0/hwmon1 hwmon
nvme/nvme0/ng0n1 nvme-generic 241:0
nvme/nvme0/nvme0n1 block 259:0
nvme/nvme0/nvme0n1/nvme0n1p2 block 259:2
/sys/devices/virtual/nvme-subsystem/nvme-subsys0 nvme-subsystem
"""
MULTIPATH = """
/ pci - nvme
nvme/nvme0 nvme 240:0
nvme/nvme0/nvme0c0n1 block
/sys/devices/virtual/nvme-subsystem/nvme-subsys0 nvme-subsystem
/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1 block 259:0
"""
VIRTIO = "/ pci - virtio-pci\nvirtio1 virtio - virtio_blk\nvirtio1/block/vda block 254:0"
NET = "/ pci - e1000e\nnet/eth0 net\nptp/ptp0 ptp 247:0\nwakeup/wakeup3 wakeup"
DM = "/sys/devices/virtual/block/dm-0 block 253:0"
USB = """
/ pci - xhci_hcd
usb1 usb 189:0 usb
usb1/1-0:1.0 usb - hub
"""
MOUNT = "/proc/7/mountinfo=25 1 {} / / rw - ext4 {} rw"
# The devices and files, as tree() takes them, and a pattern of the user that is named.
IN_USE = {
    "SATA, /dev/root": (SATA, [MOUNT.format("8:2", "/dev/root")], "^sda2 is mounted on /$"),
    "LVM": (SATA + DM, [f"{SDA}/sda2/holders/dm-0/x", "/sys/class/block/dm-0/dm/name=vg-root",
            MOUNT.format("253:0", "/dev/mapper/vg-root")], "vg-root on sda2 is mounted on /$"),
    "LUKS, not mounted": (SATA + DM, [f"{SDA}/holders/dm-0/x",
                          "/sys/class/block/dm-0/dm/name=secret"], "^secret on sda uses it$"),
    "md below LVM": (SATA + DM + "\n/sys/devices/virtual/block/md0 block 9:0", [
        f"{SDA}/sda2/holders/md0/x", "/sys/class/block/md0/holders/dm-0/x",
        MOUNT.format("253:0", "x")], "^dm-0 on md0 on sda2 is mounted on /$"),
    "bcache": (SATA, [f"{SDA}/sda2/bcache/x"], "bcache uses sda2"),
    "btrfs of two disks": (SATA, [MOUNT.format("0:30", "/dev/sda2")], "sda2 is mounted on /$"),
    "btrfs, the second disk": (SATA, ["/sys/fs/btrfs/1-a/devices/sda2->x"], "btrfs 1-a uses sda2$"),
    "ZFS": (SATA, ["/dev/sda=busy"], "^the kernel says that sda is in use$"),
    "a loop device": (SATA + "/sys/devices/virtual/block/loop0 block 7:0", [
        "/sys/class/block/loop0/loop/backing_file=/dev/sda"], "^loop0 uses sda$"),
    "NVMe": (NVME, [MOUNT.format("259:2", "/dev/nvme0n1p2")], "^nvme0n1p2 is mounted on /$"),
    "NVMe, swap": (NVME, ["/proc/swaps=Filename\n/dev/nvme0n1p2 partition 1 0 -2"],
                   "^nvme0n1p2 is swapped to$"),
    "multipath": (MULTIPATH, ["nvme/nvme0/nvme0c0n1/hidden=1", MOUNT.format("259:0", "x"),
                  "/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0->x"],
                  "^nvme0n1 is mounted on /$"),
    "a head that is not found": (MULTIPATH, ["nvme/nvme0/nvme0c0n1/hidden=1"], "has no file"),
    "a disk that can't be opened": (NVME, ["/dev/nvme0n1=error"], "nvme0n1 .* is not known: Inp"),
    "another namespace": (NVME, ["/proc/7/ns/mnt->mnt:[1]", "/proc/8/ns/mnt->mnt:[2]",
        "/proc/8/mountinfo=9 1 259:0 / /data rw shared:1 - xfs /dev/nvme0n1 rw"], "d on /data$"),
    "a network that is up": (NET, ["net/eth0/flags=0x1003"], "^eth0 is up$"),
    "a bridge": (NET, ["net/eth0/flags=0x1002", "net/eth0/master->../br0"], "is part of br0$"),
    "a VLAN": (NET, ["net/eth0/flags=0x1002", "net/eth0/upper_eth0.5->x"], "is part of eth0.5$"),
    "an address": (NET, ["net/eth0/flags=0x1002", "/proc/net/if_inet6=fe80 02 40 20 80 eth0"],
                   "^eth0 has an address$"),
    "a network whose flags are not there": (NET, [], "^whether eth0 is up is not known$"),
    "a network of a container": ("/ pci - e1000e", ["net/"], "network in another namespace"),
    "NVMe over fabrics": (VIRTIO, ["/sys/kernel/config/nvmet/subsystems/shop/namespaces/1/"
                                   "device_path=/dev/vda"], "^shop uses vda$"),
    "virtual functions": (NET, ["net/eth0/flags=0x1002", "sriov_numvfs=4"], "has 4 virtual funct"),
    "a USB disk": (USB + "usb1/1-2 usb 189:1 usb", ["usb1/1-2/product=Stick"], "1-2 Stick is the"),
    "a vfio group": ("/ pci - vfio-pci", ["iommu_group->../7", "/sys/class/vfio/7/dev=1:3",
                     "/proc/7/fd/3->/dev/null"], r"^qemu \(7\) has 7 open$"),
    "a vfio device whose group is closed": ("/ pci - vfio-pci", [
        "/proc/7/fd/3->anon_inode:[vfio-device]"], r"^qemu \(7\) has a device of vfio-pci open$"),
    "DRM": ("/ pci - i915\ndrm/card0 drm 1:3", ["/proc/7/fd/3->/dev/null"], "has card0 open$"),
    "DRM, mapped": ("/ pci - i915\ndrm/card0 drm 1:5", [
        "/proc/7/maps=7f00-7f01 rw-s 00000000 00:05 99 /dev/dri/card0",
        "/proc/7/map_files/7f00-7f01->/dev/zero"], "has card0 open$"),
    "NVIDIA": ("/ pci - nvidia\ndrm/card0 drm 226:0", ["/proc/devices=  1 nvidia-frontend",
               "/proc/7/fd/3->/dev/null"], r"qemu \(7\) has a file of nvidia-frontend open"),
    "a BAR that is mapped": ("/ pci -", [f"/proc/7/maps=7f00-7f01 rw-s 00000000 00:05 99 "
        f"/sys/devices/pci0000:00/{ADDRESS}/resource2"], "has a BAR of it mapped$"),
    "a BAR that is mapped through /dev/mem": ("/ pci -", [
        "/proc/7/maps=1000-2000 rw-s fe000000 00:05 9 /dev/mem",
        "/proc/7/map_files/1000-2000->/dev/null"], "has a BAR of it mapped$"),
    "a keyboard": (VIRTIO.replace("block/vda block 254:0", "input/input3 input"), [
        f"/proc/bus/input/devices=I: x\nS: Sysfs=/devices/pci0000:00/{ADDRESS}/virtio1/input/input3"
        "\nU: Uniq=\nH: Handlers=sysrq kbd event3"], "^input3 is a keyboard of the console$"),
    "a serial console": ("/ pci - serial\ntty/ttyS4 tty 4:68", [
        "/proc/consoles=ttyS4                -W- (EC p a)    4:68"], "its messages to ttyS4$"),
    "the console's display": ("/ pci - bochs\ngraphics/fb0 graphics 29:0", [
        "/sys/class/vtconsole/vtcon1/name=(M) frame buffer device",
        "/sys/class/vtconsole/vtcon1/bind=1"], "^fb0 shows the console$"),
    "the display of the start": ("/ pci -", ["boot_vga=1"], "display that this machine started"),
    "a bridge with a device": (f"/ pci - pcieport\n{ADDRESS[:-3]}9.0 pci", [], "9.0 is below it$"),
    "i2c": ("/ pci - i801_smbus\ni2c-3 i2c", [], "^who uses i2c-3, of the kind i2c, is not known$"),
    "ciphers, without a device below": ("/ pci - qat", [], "the driver qat of .* is not known$"),
    "a balloon": ("/ pci - virtio-pci\nvirtio1 virtio - virtio_balloon", [], "virtio_balloon of"),
    "a container": (NVME, ["/proc/self/ns/pid->pid:[1]"], "outside of this container"),
    "files of others that can't be looked at": (NVME, ["/proc/7/fd=a file"],
                                                r"^the open files of qemu \(7\) can't be looked"),
}


class InUse(Sysfs):
    def tree(self, text, more):
        """Devices, a line each; files by PATH=TEXT, links by PATH->TARGET, other folders by PATH.
        A path without a slash at its start lies below the PCI device."""
        top = pci.Device(ADDRESS).path.resolve()

        def place(path):
            path = Path.cwd() / path[1:] if path.startswith("/") else top / path
            path.parent.mkdir(parents=True, exist_ok=True)
            return path

        for line in text.split("\n"):
            path, subsystem, number, driver = [*line.split(), *["-"] * 4][:4]
            if path == "-":
                continue
            path = place(path) if path != "/" else top
            path.mkdir(parents=True, exist_ok=True)
            relink(path / "subsystem", f"../class/{subsystem}")
            for name, value in (("dev", number), ("uevent", f"DEVNAME={path.name}")):
                (path / name).write_text(f"{value}\n" if number != "-" else "")
            if driver != "-":
                relink(path / "driver", f"../drivers/{driver}")
            if re.search(r"\dp?2$", path.name) or path.name == "sda2":
                (path / "partition").write_text("2\n")
            if subsystem in ("block", "nvme-subsystem"):
                relink(place(f"/sys/class/{subsystem}/{path.name}"), path)
        for number in 7, 8:
            for folder in "fd", "ns", "map_files":
                place(f"/proc/{number}/{folder}/x").parent.mkdir(exist_ok=True)
            place(f"/proc/{number}/comm").write_text("qemu\n")
            place(f"/proc/{number}/maps").touch()
        for one in more:
            if "->" in one:
                relink(place(one.partition("->")[0]), one.partition("->")[2])
            elif "=" in one:
                path = place(one.partition("=")[0])
                if path.is_dir():
                    path.rmdir()
                path.write_text(one.partition("=")[2] + "\n")
            else:
                place(one).mkdir(exist_ok=True)

    def open_alone(self, _look, path, _node):
        what = Path(path[1:]).read_text() if Path(path[1:]).exists() else ""
        if what:
            raise OSError({"busy\n": errno.EBUSY}.get(what, errno.EIO), "Input/output error")
        return os.open("/dev/null", os.O_RDONLY)

    def users(self, text, more):
        claimed = []
        with tempfile.TemporaryDirectory() as new, \
                mock.patch.dict(os.environ, MEMCACHE_SYSROOT=new), \
                mock.patch.object(in_use, "DEV_MEM", "char 1:3"), \
                mock.patch.object(in_use, "open_alone", self.open_alone), \
                mock.patch.object(in_use, "ipv4_address", lambda name: False):
            os.chdir(new)
            self.device(ADDRESS, NONE + "0xfe000000 0xfe000fff 0x40200\n")
            self.tree(text, more)
            found = in_use.users(ADDRESS, claimed)
            os.chdir("/")
        for one in claimed:
            os.close(one)
        return found, len(claimed)

    def test_all_are_named(self):
        for name, (text, more, who) in IN_USE.items():
            with self.subTest(name):
                self.assertRegex("\n".join(self.users(text, more)[0]), f"(?m){who}")

    def test_nobody_uses_them(self):
        for text, more, disks in (
                (SATA, [], 1), (NVME, [], 1), (VIRTIO, [], 1), (USB, [], 0), ("/ pci -", [], 0),
                (NET, ["net/eth0/flags=0x1002"], 0), ("/ pci - pci-stub", [], 0),
                (MULTIPATH, ["nvme/nvme0/nvme0c0n1/hidden=1", "/sys/devices/virtual/nvme-subsystem"
                             "/nvme-subsys0/nvme0->x"], 1),
                ("/ pci - i915\ndrm/card0 drm 226:0", ["/proc/7/fd/3->/dev/null"], 0)):
            with self.subTest(text):
                self.assertEqual(self.users(text, more), ([], disks))

    def test_a_device_in_use_is_not_lent(self):
        self.tree("/ pci - qat", [])
        self.not_lent("is left alone: who uses the driver qat of")
        self.assertEqual(self.said("driver_override"), "(null)\n")

    def test_the_kinds_on_which_much_depends(self):
        for number, kind in {"0x010802": "storage", "0x030000": "display", "0x060400": "bridge",
                             "0x070002": "serial", "0x050000": "memory", "0x080501": "storage",
                             "0x0c0330": "serial", "0x080600": "system", "0x020000": "",
                             "0x00ff00": ""}.items():
            pci.Device(ADDRESS).write("class", number)
            self.assertEqual(pci.Device(ADDRESS).kind, kind)


class Sentences(fake.unittest.TestCase):
    def one(self, op, kind, width, ns, **more):
        return {"op": op, "type": kind, "width_bytes": width, "ns_per_access": ns, **more}

    def test_all(self):
        said = " ".join(accesses.sentences([
            self.one("read", "uc", 4, 900.0), self.one("read", "wc", 4, 890.0),
            self.one("read", "uc", 1, 900.0), self.one("read", "uc", 8, 950.0,
                                                       wide_reads="all_ones"),
            self.one("write", "uc", 4, 120.0), self.one("write", "wc", 4, 9.0),
            self.one("write_read", "uc", 4, 1500.0),
            self.one("burst", "wc", 8, 80.0, burst_bytes=64, whole_percent=12.3456,
                     whole_low_percent=9.87, whole_high_percent=100.0),
            self.one("burst", "uc", 8, 600.0)], {"hypervisor": None}, 1000.0))
        for text in ("A read of a register of 4 bytes takes 900 ns, and the CPU waits for it; "
                     "through a WC mapping it takes 890 ns.", "Reads of 8 bytes get only ones",
                     "a store of 4 bytes, takes 120 ns by UC, and 9 ns in a row of stores by WC. "
                     "The CPU does not wait until it has arrived.",
                     "Stores by WC move 444 MB/s, 44 % of what the link can.",
                     "reads it back: 1500 ns, 600 ns more than the read alone.",
                     "64 bytes and a flush take 80 ns by WC, and 600 ns by UC.",
                     "leave the CPU 64 bytes at a time.",
                     "By WC, 12.3 % (9.87 to 100 %) of descriptors leave the CPU whole."):
            self.assertIn(text, said)
        self.assertIn("By WC, 0 to 62.5 % of descriptors leave the CPU whole.", accesses.sentences(
            [self.one("burst", "wc", 8, 80.0, whole_percent=None, whole_low_percent=0,
                      whole_high_percent=62.5, whole_how="by_rate")], {})[-1])
        self.assertIn("How many descriptors leave the CPU whole is not known: their times do not "
                      "tell two transactions from one.", accesses.sentences(
            [self.one("burst", "wc", 8, 80.0, whole_percent=None, whole_low_percent=None,
                      whole_high_percent=None, whole_how="not_told_apart")], {})[-1])

    def test_what_another_cpu_saw(self):
        """A fence is not enough only where an overtake was counted."""
        seen = "By {}, another CPU sees a store after {} ns{}. The way back of the answer to its " \
               "read is in that."
        none = "By {}, none of {} flags in memory overtook its store with {} in between, which " \
               "does not prove that none can."
        late = "By WC with {} behind it, {} were not seen within 40 us: the CPU then drove them " \
               "out."
        for rows, wanted in (
                # Of each row: type, fence, ns, late, overtakes.
                ("uc none 1000 0 0", [seen.format("UC", 1000, ""),
                                      none.format("UC", 9, "nothing")]),
                ("uc none 1000 0 0, uc none 1100 0 0", [
                    seen.format("UC", "1000 to 1100", ""), none.format("UC", 18, "nothing")]),
                ("wc none 40900 9 9, wc sfence 1300 0 1, wc mfence 1200 0 0, wc locked 1250 0 0", [
                    seen.format("WC", 1200, ", with mfence behind it"),
                    late.format("nothing", "9 of 9 stores"), "By WC, 9 of 9 flags in memory "
                    "overtook their stores with nothing in between: a fence is needed.",
                    "By WC, 1 of 9 flags in memory overtook its store with sfence in between: it "
                    "is not enough.", none.format("WC", 9, "mfence or a locked instruction")]),
                ("wc sfence 40900 2 0", [late.format("sfence", "2 of 9 stores"),
                                         none.format("WC", 9, "sfence")])):
            results = [self.one("arrive", kind, 8, float(ns), fence=fence, stores=9, flags=9,
                                late=int(n), overtakes=int(over))
                       for kind, fence, ns, n, over in map(str.split, rows.split(","))]
            self.assertEqual(accesses.sentences(results, {"hypervisor": None}), wanted)
            trapped = [self.one("read", "uc", 4, 900.0), self.one("write", "uc", 4, 900.0)]
            for more, machine in ([], "tcg"), (trapped, "kvm"):
                self.assertNotIn("flags", " ".join(accesses.sentences(
                    more + results, {"hypervisor": machine})))
        self.assertEqual(accesses.sentences([{"op": "arrive", "type": "wc", "width_bytes": 8}], {}),
                         [])

    def test_a_sentence_says_no_more_than_is_known(self):
        """An emulator's times mean nothing, and a hypervisor may emulate accesses: a store that
        is not far faster than a read was waited for."""
        def said(store, machine, link=None):
            return " ".join(accesses.sentences([
                self.one("read", "uc", 4, 7000.0), self.one("write", "uc", 4, store),
                self.one("write", "wc", 8, 10.0), self.one("burst", "wc", 8, 50.0, burst_bytes=64),
                self.one("read", "uc", 8, 9.0, wide_reads="all_ones")], machine, link))

        for store, machine, text, not_ in (
                (100.0, {"hypervisor": "tcg"}, "^Reads of 8 .* nothing. What .* not known", " ns"),
                (6500.0, {"hypervisor": "kvm"}, r"takes 0.93 times .* \(kvm\): it may emulate",
                 "does not wait|leave the CPU"),
                (1500.0, {"hypervisor": "kvm"}, "may emulate", "does not wait"),
                (100.0, {"hypervisor": "kvm"}, "does not wait.*64 bytes at a time", "may emulate"),
                (6500.0, {"hypervisor": None}, "64 bytes at a time", "does not wait|may emulate")):
            self.assertRegex(said(store, machine), text)
            self.assertNotRegex(said(store, machine), not_)
        self.assertIn("more than the link can (500 MB/s): not all", said(100.0, {}, 500.0))

    def test_a_bar_is_judged_by_its_own_stores(self):
        def said(hypervisor, *results):
            results = [one | {"target": "pci:x", "attribute": {"uc": "uc-"}.get(one["type"], "wc")}
                       for one in results]
            run = Run({"hypervisor": hypervisor}, {}, results)
            return " ".join(verdict.sentences(verdict.judge([run])))

        reads = [self.one("read", "uc", 4, 900.0), self.one("read", "wc", 4, 900.0)]
        stores = [self.one("write", "uc", 8, 100.0), self.one("write", "wc", 8, 10.0),
                  self.one("burst", "wc", 8, 50.0, burst_bytes=64)]
        self.assertEqual(said(None, *reads), "Whether UC and WC had an effect on the BAR is not "
                         "known: only stores show it, and none did.")
        shown = "UC and WC: page tables and timing show what was asked for."
        self.assertEqual(said(None, *reads, *stores), shown)
        # random has the key, too, but no width.
        random = {"op": "write", "type": "wc", "ns_per_access": 5.0}
        self.assertEqual(said(None, *reads, *stores, random), shown)
        self.assertNotIn("effect", said("tcg", *reads, *stores))

    def test_what_was_not_measured_is_not_said(self):
        self.assertEqual(accesses.sentences([], {}), [])
        self.assertEqual(accesses.sentences([self.one("read", "uc", 8, None)], {}), [])
        self.assertEqual(len(accesses.sentences([self.one("read", "uc", 4, 5.0)], {})), 1)
