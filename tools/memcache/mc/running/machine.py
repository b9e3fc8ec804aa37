# SPDX-License-Identifier: GPL-2.0-only
"""What the files in /proc, /sys, /dev and /lib say about this machine. Tests set
MEMCACHE_SYSROOT to a directory that holds files in their place."""

import json
import os
import re

from mc.running import debugfs, user

CAP_SYS_ADMIN = 1 << 21
COMPATIBLE = "/proc/device-tree/compatible"
EFI = "/sys/firmware/efi"
# Four bytes of attributes, then one that is 1 with Secure Boot.
SECURE_BOOT = f"{EFI}/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"


class Machine:
    """A machine, described by its files."""

    def __init__(self, module: dict | None = None) -> None:
        self.root = os.environ.get("MEMCACHE_SYSROOT", "")
        self.uname = os.uname()
        self.uid = os.geteuid()
        self.module = self._module() if module is None else module

    def read(self, path: str) -> str:
        """The text of a file; empty if it can't be read."""
        try:
            with open(self.root + path, encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError:
            return ""

    def names(self, path: str) -> list[str]:
        """The names in a directory; empty if it can't be read."""
        try:
            return sorted(os.listdir(self.root + path))
        except OSError:
            return []

    def exists(self, path: str) -> bool:
        return os.path.exists(self.root + path)

    def has(self, path: str, pattern: str) -> bool:
        return bool(re.search(pattern, self.read(path), re.M))

    def is_usable(self, path: str) -> bool:
        return os.access(self.root + path, os.R_OK | os.W_OK)

    @property
    def is_loaded(self) -> bool:
        return self.has("/proc/modules", r"^memcache ")

    @property
    def lockdown(self) -> str | None:
        return debugfs.lockdown(self.read(debugfs.LOCKDOWN))

    @property
    def takes_signed_only(self) -> bool:
        """Whether the kernel enforces signatures of modules; a locked-down kernel does, too."""
        return self.has("/sys/module/module/parameters/sig_enforce", "^Y")

    @property
    def secure_boot(self) -> bool | None:
        """None: not known, since efivarfs is not mounted."""
        if self.exists(EFI) and not self.exists(SECURE_BOOT):
            return None
        return self.read(SECURE_BOOT).endswith("\1")

    @property
    def can_administer(self) -> bool:
        """Whether root has CAP_SYS_ADMIN, which it may lack in a container."""
        match = re.search(r"^CapEff:\s*([0-9a-f]+)$", self.read("/proc/self/status"), re.M)
        return not match or bool(int(match[1], 16) & CAP_SYS_ADMIN)

    def _module(self) -> dict:
        """The `machine` record of the module; empty if it can't be read."""
        try:
            record = json.loads(self.read("/sys/kernel/debug/memcache/machine"))
        except ValueError:
            return {}
        return record if isinstance(record, dict) else {}


def platform() -> dict:
    """What the front end adds to a `machine` record: the system on a chip, by the last and most
    general name in the device tree; nothing without one. CPUs of a model differ in their memory
    from one system on a chip to another."""
    names = Machine(module={}).read(COMPATIBLE).rstrip("\0").split("\0")
    return {"platform": names[-1]} if names[-1] else {}


UNKNOWN = "unknown"
# Names in the firmware tell hypervisors apart that show no better sign.
VENDORS = {"QEMU": "kvm", "KVM": "kvm", "Amazon EC2": "kvm", "Google": "kvm", "Xen": "xen",
           "VMware": "vmware", "Microsoft Corporation": "hyper-v", "innotek": "virtualbox"}
# No register of an arm64 CPU tells a process whether there is a hypervisor. There, words in the
# names of a machine tell: those of guests, and those of makers of machines. module/arch/arm64/cpu.c
# has the same words.
GUESTS = ("QEMU", "KVM", "Amazon EC2", "Google", "Xen", "xen,", "VMware", "innotek", "VirtualBox",
          "Virtual", "virt", "OpenStack", "KubeVirt", "Parallels", "Hetzner", "vServer", "Cloud",
          "cloud", "CLOUD", "bhyve", "Bochs", "DigitalOcean", "Nutanix", "oVirt", "Hyper-V")
MAKERS = ("GIGABYTE", "Gigabyte", "Giga Computing", "ASRock", "ASUS", "Supermicro", "Dell", "HPE",
          "Hewlett", "LENOVO", "Lenovo", "HUAWEI", "Huawei", "FUJITSU", "Ampere", "ADLINK",
          "Wiwynn", "WIWYNN", "Foxconn", "Quanta", "Inventec", "Inspur", "Cavium", "Marvell",
          "NVIDIA", "Qualcomm", "Phytium", "PHYTIUM", "Surface", "System76", "SolidRun",
          "Raspberry Pi", "raspberrypi,", "Radxa", "radxa,", "Pine64", "Apple Mac", "Apple iMac",
          "apple,", "TaiShan", "xFusion", "H3C", "TYAN", "Tyan", "MiTAC", "Samsung", "Acer",
          "brcm,", "rockchip,", "allwinner,", "amlogic,", "qcom,", "mediatek,", "nvidia,", "fsl,",
          "marvell,", "xlnx,", "hisilicon,", "socionext,", "samsung,", "renesas,")
BARE = ".metal"     # instances of Amazon EC2 without a hypervisor


def hypervisor(machine: Machine) -> str | None:
    """The hypervisor as records name it. None: it is known that there is none. UNKNOWN: there is
    one without a name, or nobody knows whether there is one."""
    if "hypervisor" in machine.module:
        return UNKNOWN if machine.module["hypervisor"] == "" else machine.module["hypervisor"]
    if machine.has("/proc/cpuinfo", r"^model name\s*:.*\b(TCG|QEMU Virtual CPU)\b"):
        return "tcg"
    if machine.has("/proc/cpuinfo", r"^vendor_id\s*: User Mode Linux$"):
        return "uml"
    if machine.has("/sys/hypervisor/type", "xen"):
        return "xen"
    if not (flags := cpu_flags(machine)):
        hardware = machine.uname.machine == "aarch64" and _is_hardware(machine)
        return None if hardware else UNKNOWN
    if "hypervisor" not in flags:
        return None
    if not machine.root and (record := user.machine()):
        return record.get("hypervisor") or UNKNOWN
    return next((name for word, name in VENDORS.items() if word in _firmware(machine)), UNKNOWN)


def is_present(machine: Machine, name: str | None) -> bool:
    """Whether it is known that there is a hypervisor. `name`: what hypervisor() says."""
    if name != UNKNOWN:
        return name is not None
    names = _firmware(machine)
    return "hypervisor" in cpu_flags(machine) or machine.exists("/proc/device-tree/hypervisor") or \
        any(word in names for word in GUESTS) and BARE not in names


def cpu_flags(machine: Machine) -> list[str]:
    """The features of an x86 CPU; empty on others."""
    match = re.search(r"^flags\s*:(.*)$", machine.read("/proc/cpuinfo"), re.M)
    return match[1].split() if match else []


def _firmware(machine: Machine) -> str:
    """The names that the firmware gives the machine and its maker."""
    return " ".join(machine.read(path).replace("\0", " ") for path in (
        "/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name", COMPATIBLE))


def _is_hardware(machine: Machine) -> bool:
    """Whether the firmware has the name of a machine that is no guest."""
    names = _firmware(machine)
    if machine.exists("/proc/device-tree/hypervisor"):
        return False
    return BARE in names or not any(word in names for word in GUESTS) and \
        any(word in names for word in MAKERS)
