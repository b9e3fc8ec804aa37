# SPDX-License-Identifier: GPL-2.0-only
"""doctor, on machines that the tests make up."""

import json
import os
import re
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import fake
from mc.commands import doctor
from mc.running import machine, module

GOOD = {
    "proc/modules": "memcache 1 0 - Live\n", "proc/filesystems": "nodev\tdebugfs\n",
    "proc/mounts": "debugfs /sys/kernel/debug debugfs rw 0 0\n", "proc/cmdline": "quiet\n",
    "proc/cpuinfo": "vendor_id\t: GenuineIntel\nflags\t\t: fpu pat\n",
    "proc/sys/kernel/modules_disabled": "0\n",
    "sys/kernel/security/lockdown": "[none] integrity confidentiality\n",
    **{f"sys/bus/event_source/devices/uncore_imc/{name}": text for name, text in {
        "type": "11\n", "cpumask": "0\n", "format/event": "config:0-7\n",
        "events/data_reads": "event=1\n", "events/data_writes": "event=2\n"}.items()},
    "lib/modules/6.1/build/Makefile": "", "dev/memcache_wb": "", "dev/memcache_uc": "",
    "dev/memcache_wc": "", "dev/kvm": "",
    "sys/kernel/debug/memcache/machine": json.dumps(fake.machine()),
}
GUEST = {"proc/cpuinfo": "vendor_id\t: GenuineIntel\nflags\t\t: fpu pat hypervisor\n",
         "sys/kernel/debug/memcache/machine": None, "proc/modules": ""}

# Words that only make sense in a checkout.
CHECKOUT = r"\bmake \w|tools/|Documentation/|\.rst"
IMC = [path for path in GOOD if "uncore_imc" in path]
ENFORCED = {"sys/module/module/parameters/sig_enforce": "Y\n"}
SECURE_BOOT = "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
LOCKED = {"sys/kernel/security/lockdown": "none [integrity] confidentiality\n"}


def names(vendor, product=""):
    """What firmware calls a machine."""
    return {"sys/class/dmi/id/sys_vendor": f"{vendor}\n",
            "sys/class/dmi/id/product_name": f"{product}\n"}


def verdicts(**effective):
    return json.dumps(fake.machine(fake.KVM, fake.YES | effective))


class Doctor(fake.InDirectory):
    headers = staticmethod(cache(module.headers))       # asks apt, for a second

    def examine(self, uid=0, arch="x86_64", built=True, **changes):
        files = GOOD | {name.replace("__", "/"): text for name, text in changes.items()}
        fake.put({path: text for path, text in files.items() if text is not None}, end="")
        uname = SimpleNamespace(machine=arch, release="6.1")
        with mock.patch("os.geteuid", return_value=uid), mock.patch("os.uname", lambda: uname), \
                mock.patch("mc.version.version", lambda: "1.0"), \
                mock.patch("mc.running.module.headers", self.headers), \
                mock.patch("mc.running.user.find", lambda: "/x/memcache-user" if built else None):
            lines, self.status = doctor.examine()
        self.text = fake.one_line(lines)
        self.lines = lines

    def says(self, status, what, **changes):
        """This one thing, and what follows for the exit status."""
        with self.subTest(what):
            self.examine(**changes)
            self.assertIn(f"{status} {what}", self.text)
            self.assertEqual(self.status, status == "fail")
            for path in list(Path().iterdir()):
                subprocess.run(["rm", "-r", path], check=True)

    def test_what_is_right_or_worth_a_word(self):
        """Of each check, prefetchers and who honours a guest's PAT among them."""
        told, vendor = "sys/kernel/debug/memcache/machine", "sys/class/dmi/id/sys_vendor"
        known = {"known": True, "msr": "0x1a4", "mask": "0xf"}
        for status, what, changes in (
                ("ok", "root", {"proc/self/status": "CapEff:\t000001ffffffffff\n"}),
                # A loaded module does not mean that signatures are not enforced.
                ("ok", "modules are allowed, if they are signed ", ENFORCED),
                ("warn", "not root (measure with sudo", {"uid": 1000}),
                ("warn", "debugfs is not mounted (mount -t debugfs", {"proc/mounts": ""}),
                ("warn", "the kernel is locked down (integrity): it takes no request; user space "
                 "can measure UC and WC (memcache run --where user", LOCKED),
                ("warn", "the loaded module is of version 0.9, and this program of version 1.0 "
                 "(rmmod", {told: json.dumps(json.loads(verdicts()) | {"version": "0.9"})}),
                ("warn", "PAT is off", {"proc/cmdline": "quiet nopat\n"}),
                ("warn", "the module is not loaded", {"proc/modules": ""}),
                ("warn", "its files can't be read", {told: None}),
                ("warn", "WC: page tables say wc, effective=unknown",
                 {told: verdicts(wc="unknown")}),
                ("warn", "WC: page tables say wc, effective=partly (too few of its bursts leave "
                 "the CPU", {told: verdicts(wc="partly")}),
                ("warn", "no /dev/memcache_uc", {"dev/memcache_uc": None}),
                ("warn", "there is no memcache-user", {"built": False}),
                ("warn", "no counters of DRAM traffic", dict.fromkeys(IMC)),
                ("warn", "DRAM traffic can't be counted (uncore_imc: type is 'x')", {IMC[0]: "x"}),
                ("warn", "no /dev/kvm", {"dev/kvm": None}),
                *((status, what, {told: json.dumps(fake.machine(prefetch=prefetch))})
                  for status, what, prefetch in (
                    ("ok", "prefetchers: 0x1a4 can be read, they are mixed",
                     known | {"state": "mixed"}),
                    ("warn", "the prefetchers' register, 0x1a4, can't be read",
                     known | {"state": "unreadable"}),
                    ("warn", "prefetchers of this CPU model are not known (prefetch=off fails",
                     {"known": False, "msr": None, "mask": None, "state": None}))),
                *((status, what, GUEST | changes) for status, what, changes in (
                    ("warn", "KVM on Intel ignores", {vendor: "QEMU\n"}),
                    ("ok", "KVM on AMD honours", {
                        vendor: "Amazon EC2\n",
                        "proc/cpuinfo": "vendor_id : AuthenticAMD\nflags : pat hypervisor\n"}),
                    ("warn", "Xen honours", {"sys/hypervisor/type": "xen\n"}),
                    ("warn", "a hypervisor (vmware)", {vendor: "VMware, Inc.\n"}),
                    ("warn", "a hypervisor (hyper-v)", {vendor: "Microsoft Corporation\n"}),
                    ("warn", "a hypervisor (unknown)", {})))):
            self.says(status, what, **changes)

    def test_lockdown_says_nothing_of_signatures(self):
        self.examine(**LOCKED)
        self.assertIn("ok modules are allowed, if they are signed ", self.text)
        self.assertNotIn("signatures are not enforced", self.text)

    def test_keys_of_mokutil_count_with_secure_boot_only(self):
        off = "; Secure Boot is off, so keys that mokutil has enrolled do not count"
        for boot, text in (({SECURE_BOOT: "\6\0\0\0\1"}, ""), ({SECURE_BOOT: "\6\0\0\0\0"}, off),
                           ({"sys/firmware/efi/runtime": ""}, ""), ({}, off)):
            for kernel in ENFORCED, LOCKED:
                self.says("fail", "", **kernel | boot | {"proc/modules": ""})
                self.assertRegex(self.text, re.escape(f"how to make one{text}") + r"[,)]")

    def test_all_is_well(self):
        self.examine()
        self.assertEqual(self.status, 0)
        self.assertTrue(all(line.startswith("ok ") for line in self.lines[:-2]), self.lines)
        self.assertEqual(self.lines[-1], "Nothing prevents measuring UC here.")

    def test_what_stands_against_it(self):
        for what, changes in (
                ("this is riscv64 (the module is for x86_64 and aarch64)", {"arch": "riscv64"}),
                ("this kernel takes no modules", {"proc/modules": None}),
                ("kernel.modules_disabled is 1", {"proc/sys/kernel/modules_disabled": "1\n"}),
                ("this kernel takes signed modules only (sign the module with a key that it "
                 "trusts: make sign KEY=FILE;",
                 ENFORCED | {"proc/modules": ""}),
                ("the kernel is locked down (integrity): it takes no request (turn",
                 LOCKED | {"proc/modules": ""}),
                ("a kernel that is locked down takes signed modules only (sign the module",
                 LOCKED | {"proc/modules": ""}),
                ("root without CAP_SYS_ADMIN",
                 {"proc/self/status": "CapPrm:\tffffffff\nCapEff:\t000000000000013f\n"}),
                ("this kernel has no debugfs", {"proc/filesystems": "ext4\n"}),
                ("debugfs is off", {"proc/cmdline": "debugfs=off\n", "proc/filesystems": "ext4\n"}),
                ("the CPU has no PAT", {"proc/cpuinfo": "flags : fpu\n"}),
                ("emulated by QEMU", GUEST | {
                    "proc/cpuinfo": "model name : QEMU Virtual CPU version 2.5+\nflags : pat\n"}),
                ("User-Mode Linux: a process of another Linux", GUEST | {
                    "proc/cpuinfo": "vendor_id\t: User Mode Linux\nflags\t\t: pat hypervisor\n"}),
                ("UC: page tables say uc-, effective=no",
                 {"sys/kernel/debug/memcache/machine": verdicts(uc="no")})):
            self.says("fail", what, **changes)

    def test_headers_that_are_there_to_install_or_have_left_the_mirror(self):
        self.headers = module.headers
        with tempfile.TemporaryDirectory() as programs, \
                mock.patch.dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}"):
            for status, todo in ((0, "apt-get install linux-headers-6.1, or use a guest"),
                                 (100, "apt does not know them, even after apt-get update? Then "
                                  "install linux-image-amd64 and linux-headers-amd64, and reboot "
                                  "into the new kernel, or use a guest")):
                fake.program(f"{programs}/apt-cache", f"#!/bin/sh\nexit {status}\n")
                self.says("fail", f"no headers of the running kernel, 6.1 ({todo}: make run)",
                          **{"proc/modules": "", "lib/modules/6.1/build/Makefile": None})

    def test_an_installed_program_speaks_of_no_checkout(self):
        everything = {"proc/modules": "", "proc/mounts": "", "dev/kvm": None, "built": False,
                      "lib/modules/6.1/build/Makefile": None}
        for changes in (ENFORCED, LOCKED, {"proc/modules": None}, {"proc/filesystems": "ext4\n"},
                        {"proc/modules": "memcache 1\n",
                         "sys/kernel/debug/memcache/machine": verdicts(uc="no")}, {}):
            changes = everything | changes
            with self.subTest(changes):
                with mock.patch("mc.advice.CHECKOUT", True):
                    self.examine(**changes)
                self.assertRegex(self.text, CHECKOUT)
                with mock.patch("mc.advice.CHECKOUT", False):
                    self.examine(**changes)
                self.assertNotRegex(self.text, CHECKOUT)
                self.assertNotIn("What works", self.text)
                self.assertNotRegex(self.text, r"\(\)|\(,|None|: [;)]")
                subprocess.run("rm -r *", shell=True, check=True)

    def test_a_module_that_dkms_has_not_built(self):
        unbuilt = {"proc/modules": "", "usr/src/memcache-1.0/dkms.conf": ""}
        with mock.patch("mc.advice.CHECKOUT", False):
            self.says("warn", "the module is not loaded (it is installed for DKMS, but not built "
                      "for this kernel, 6.1: dkms install memcache/1.0)", **unbuilt)
            self.says("warn", "the module is not loaded (it is installed for DKMS, but not built "
                      "for this kernel, 6.1 (/var/lib/dkms/memcache/1.0/build/make.log says why "
                      "it could not): dkms install memcache/1.0)",
                      **unbuilt, **{"var/lib/dkms/memcache/1.0/build/make.log": "error\n"})

    def test_a_module_of_another_version_that_is_installed_but_not_loaded(self):
        with mock.patch("mc.running.module.installed_version", lambda: "0.9"):
            for checkout, todo in ((True, "make load"), (
                    False, "install memcache-dkms and memcache-tools of the same version")):
                with mock.patch("mc.advice.CHECKOUT", checkout):
                    self.says("warn", "the installed module is of version 0.9, and this program "
                              "of version 1.0 (load the one that belongs to this program: "
                              f"{todo})", **{"proc/modules": ""})

    def test_arm64(self):
        arm = {"arch": "aarch64", "proc/cpuinfo": "CPU implementer\t: 0x41\n"}
        self.says("ok", "aarch64", **arm)
        self.examine(**arm)
        self.assertNotIn("PAT", self.text)
        unloaded = arm | {"sys/kernel/debug/memcache/machine": None, "proc/modules": ""}
        for vendor, product in (("Amazon EC2", "c7g.metal"), ("GIGABYTE", "R152-P30"),
                                ("Microsoft Corporation", "Surface Pro"), ("LENOVO", "21BX"),
                                ("HPE", "ProLiant RL300 Gen11"), ("Huawei", "TaiShan 200"),
                                ("Ampere(R)", "Mt. Jade"), ("Supermicro", "ARS-210M-NR")):
            self.says("ok", "no hypervisor", **unloaded | names(vendor, product))
        self.says("ok", "no hypervisor", **unloaded | {
            "proc/device-tree/compatible": "raspberrypi,4-model-b\0brcm,bcm2711\0"})
        for virtual in (names("QEMU"), names("Amazon EC2"), names("Hetzner", "vServer"),
                        names("OpenStack Foundation", "OpenStack Nova"),
                        names("Alibaba Cloud", "Alibaba Cloud ECS"), names("Red Hat", "KubeVirt"),
                        names("Parallels International GmbH.", "Parallels ARM Virtual Machine"),
                        names("Apple Inc.", "Apple Virtualization Generic Platform"),
                        names("Microsoft Corporation", "Virtual Machine"),
                        names("Huawei", "Huawei Cloud"), names("Google", "Compute Engine"),
                        {"proc/device-tree/compatible": "linux,dummy-virt\0"},
                        names("LENOVO") | {"proc/device-tree/hypervisor": ""}):
            self.says("warn", "a hypervisor (unknown): not known whether it honours a guest's "
                      "memory types", **unloaded | virtual)
        for strange in {}, names("To be filled by O.E.M."), names("Microsoft Corporation"):
            self.says("warn", "not known whether there is a hypervisor", **unloaded | strange)
        self.says("warn", "a hypervisor (kvm)", **arm | {
            "sys/kernel/debug/memcache/machine": json.dumps(fake.machine(fake.KVM, fake.YES))})

    def test_a_hypervisor_without_a_name(self):
        for name in "", "unknown":
            self.says("warn", "a hypervisor (unknown): not known whether it honours a guest's "
                      "memory types", **GUEST | {
                "proc/modules": GOOD["proc/modules"],
                "sys/kernel/debug/memcache/machine": json.dumps(fake.machine(
                    fake.BARE | {"hypervisor": name}, fake.YES))})

    def test_none_needs_proof(self):
        self.examine(**GUEST | {"proc/cpuinfo": "vendor_id\t: GenuineIntel\n"})
        self.assertIn("warn not known whether there is a hypervisor", self.text)
        self.says("ok", "no hypervisor", **GUEST | {"proc/cpuinfo": GOOD["proc/cpuinfo"]})
        self.says("warn", "Xen honours", **GUEST | {"proc/cpuinfo": GOOD["proc/cpuinfo"],
                                                    "sys/hypervisor/type": "xen\n"})

    def test_the_module_knows_the_same_names(self):
        source = (fake.TOP / "module/arch/arm64/cpu.c").read_text()
        for name, words in (("guests", machine.GUESTS), ("makers", machine.MAKERS)):
            [listed] = re.findall(rf"\b{name}\[\] = {{(.*?)}};", source, re.S)
            self.assertEqual(re.findall(r'"([^"]+)"', listed), list(words))

    def test_a_machine_that_tells_nothing(self):
        self.examine(**dict.fromkeys(GOOD))
        self.assertEqual(self.status, 1)
        self.assertIn("What works: memcache run --where user", self.text)

    def test_here(self):
        """As text and as JSON. Others may begin or end work between two looks at the machine."""
        plain, done = fake.front("doctor"), fake.front("doctor", "--json")
        self.assertIn(plain.returncode, (0, 1))
        self.assertEqual((done.returncode, done.stderr, plain.stderr), (plain.returncode, "", ""))
        self.assertLessEqual(max(map(len, plain.stdout.splitlines())), 100)
        self.assertEqual(json.loads(done.stdout)["can_measure_uc"], not done.returncode)
        seen = doctor.quiet.look(doctor.Machine())
        with mock.patch.object(doctor.quiet, "look", lambda _: seen):
            text = "\n".join(doctor.examine()[0])
            told = json.loads(doctor.examine(as_json=True)[0][0])
        self.assertLessEqual({"cpu", "root", "kvm", "quiet"}, {one["id"] for one in told["checks"]})
        self.assertEqual([check["status"] for check in told["checks"]],
                         re.findall("^(ok|warn|fail) ", text, re.M))
        for check in told["checks"]:
            self.assertIn(check["what"], " ".join(text.split()))
            self.assertIn(check["todo"] or "", " ".join(text.split()))
