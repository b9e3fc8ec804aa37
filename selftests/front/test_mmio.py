# SPDX-License-Identifier: GPL-2.0-only
"""`memcache mmio` and the devices of a made-up sysfs."""

import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import fake
from mc import Failure
from mc.analysis import accesses
from mc.commands import mmio
from mc.running import pci

ADDRESS = "0000:00:05.0"
NONE = "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"


class Sysfs(fake.InDirectory):
    """Plain files in place of the kernel's: they keep what was written last."""

    def setUp(self):
        super().setUp()
        self.enterContext(mock.patch.dict(os.environ, MEMCACHE_SYSROOT=os.getcwd()))
        self.device(ADDRESS, NONE + "0xfe000000 0xfe000fff 0x40200\n"
                    + "0xfc000000 0xfc3fffff 0x14220c\n" + "0xc000 0xc03f 0x40101\n")
        self.device("0000:00:06.0", NONE)

    def device(self, address, resource):
        path = Path("sys/bus/pci/devices", address)
        path.mkdir(parents=True)
        for name, text in (("vendor", "0x1af4"), ("device", "0x1110"), ("class", "0x050000"),
                           ("driver_override", "(null)"), ("resource", resource)):
            (path / name).write_text(f"{text}\n")
        Path("sys/bus/pci/drivers_probe").write_text("")

    def said(self, name):
        return Path("sys/bus/pci/devices", ADDRESS, name).read_text()


class Devices(Sysfs):
    def test_addresses(self):
        for text, number in (("00:05.0", None), ("0000:00:05.0", None), ("00:05.0/2", 2),
                             ("pci:0000:00:05.0/1", 1), ("pci:00:05.0", None)):
            device, bar = pci.find(text)
            self.assertEqual((device.address, bar), (ADDRESS, number))
        for text, why in (("00:07.0", "no PCI device 0000:00:07.0. .*there are: 0000:00:05.0$"),
                          ("5", "is not the address"), ("00:05.0/6", "is not the address"),
                          ("../../etc", "is not the address"), ("", "is not the address")):
            with self.subTest(text), self.assertRaisesRegex(Failure, why) as raised:
                pci.find(text)
            self.assertEqual(raised.exception.status, 2)

    def test_its_link_and_what_it_can_move(self):
        device, bar = pci.find("00:05.0")[0], pci.Bar(1, 4096, False)
        self.assertIsNone(device.link)

        def shown(speed, width, most_speed, most_width):
            for name, text in (("current_link_speed", speed), ("current_link_width", width),
                               ("max_link_speed", most_speed), ("max_link_width", most_width)):
                (device.path / name).write_text(f"{text}\n")
            return " ".join(" ".join(fake.terminal_lines(mmio.device_parts(device, bar))).split())

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
        self.assertEqual(mmio.choose_bar(device, None).number, 2)
        self.assertEqual(mmio.choose_bar(device, 1).number, 1)
        for number in 0, 3:
            with self.assertRaisesRegex(Failure, f"BAR {number} .* is no memory; .*: 1, 2$"):
                mmio.choose_bar(device, number)
        with self.assertRaisesRegex(Failure, "has no memory"):
            mmio.choose_bar(pci.Device("0000:00:06.0"), None)

    def test_a_bar_with_registers_is_read_as_uc_only(self):
        device, _ = pci.find("00:05.0")
        [line] = mmio.requests(device, pci.Bar(1, 4096, False), False, "kernel")
        self.assertIn(f"mmio target=pci:{ADDRESS}/1 size=4096 any_bar=yes type=uc op=read", line)
        both = list(mmio.requests(device, pci.Bar(2, 4 << 20, True), True, "kernel"))
        self.assertNotIn("write=yes", both[0])
        self.assertIn("type=uc,wc write=yes op=write,write_read,burst", both[1])

    def test_nobody_is_there_to_agree(self):
        done = subprocess.run([fake.FRONT, "mmio", "00:05.0"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("Nobody is there to answer: --yes does", done.stderr)
        self.assertIn("2      4M           yes  is measured", done.stdout)
        self.assertEqual(self.said("driver_override"), "(null)\n")


class Lent(Sysfs):
    def test_the_device_is_given_back(self):
        with pci.lend(pci.Device(ADDRESS), bind=False):
            self.assertEqual(self.said("driver_override"), "memcache\n")
        self.assertEqual(self.said("driver_override"), "\n")

    def test_the_device_is_given_back_after_a_kill(self):
        """By a process that waits until the one that measured has ended."""
        script = "import os, signal\nfrom mc.running import pci\n" \
                 f"with pci.lend(pci.Device('{ADDRESS}'), bind=False):\n" \
                 f"    path = 'sys/bus/pci/devices/{ADDRESS}/driver_override'\n" \
                 "    print(open(path).read(), end='', flush=True)\n" \
                 "    os.kill(os.getpid(), signal.{})\n"
        for number in "SIGKILL", "SIGINT", "SIGSEGV":
            with self.subTest(number):
                # Its output ends when the process that gives the device back has ended, too.
                done = subprocess.run([sys.executable, "-c", script.format(number)],
                                      capture_output=True, text=True,
                                      env=os.environ | {"PYTHONPATH": str(fake.FRONT.parent)})
                self.assertEqual(done.stdout, "memcache\n")
                self.assertEqual(self.said("driver_override"), "\n")

    def test_a_device_that_is_lent_is_not_lent_again(self):
        Path("sys/bus/pci/devices", ADDRESS, "driver_override").write_text("memcache\n")
        with self.assertRaisesRegex(Failure, "already"), \
                pci.lend(pci.Device(ADDRESS), bind=False):
            self.fail("it was lent")


    def test_a_device_in_use_is_not_lent(self):
        path = Path("sys/bus/pci/devices", ADDRESS, "virtio1")
        (path / "block/vda/vda1").mkdir(parents=True)
        (path / "net/eth0").mkdir(parents=True)
        Path("proc").mkdir()
        for mounts, flags, said in (("/dev/vda1 / ext4 rw 0 0\n", "0x1002", "vda of its driver"),
                                    ("tmpfs /tmp tmpfs rw 0 0\n", "0x1003", "eth0 of its driver")):
            Path("proc/mounts").write_text(mounts)
            (path / "net/eth0/flags").write_text(flags + "\n")
            with self.subTest(said), self.assertRaisesRegex(Failure, said), \
                    pci.lend(pci.Device(ADDRESS), bind=False):
                self.fail("it was lent")
        (path / "net/eth0/flags").write_text("0x1002\n")
        with pci.lend(pci.Device(ADDRESS), bind=False):
            pass


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
            self.one("burst", "uc", 8, 600.0)]))
        for text in ("A read of a register of 4 bytes takes 900 ns, and the CPU waits for it; "
                     "through a WC mapping it takes 890 ns.", "Reads of 8 bytes get only ones",
                     "a store of 4 bytes, takes 120 ns by UC, and 9 ns",
                     "reads it back: 1500 ns, 600 ns more than the read alone.",
                     "64 bytes and a flush take 80 ns by WC, and 600 ns by UC.",
                     "leave the CPU 64 bytes at a time.",
                     "By WC, 12.3 % (9.87 to 100 %) of descriptors leave the CPU whole."):
            self.assertIn(text, said)
        self.assertIn("How many descriptors leave the CPU whole is not known: their times do not "
                      "tell two transactions from one.", accesses.sentences(
            [self.one("burst", "wc", 8, 80.0, whole_percent=None, whole_low_percent=None,
                      whole_high_percent=None, whole_how="not_told_apart")])[-1])

    def test_what_was_not_measured_is_not_said(self):
        self.assertEqual(accesses.sentences([]), [])
        self.assertEqual(accesses.sentences([self.one("read", "uc", 8, None)]), [])
        self.assertEqual(len(accesses.sentences([self.one("read", "uc", 4, 5.0)])), 1)


if __name__ == "__main__":
    fake.unittest.main()
