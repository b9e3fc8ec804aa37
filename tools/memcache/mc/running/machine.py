# SPDX-License-Identifier: GPL-2.0-only
"""What the files in /proc, /sys, /dev and /lib say about this machine. Tests set
MEMCACHE_SYSROOT to a directory that holds files in their place."""

import json
import os
import re

from mc.running import debugfs, user

CAP_SYS_ADMIN = 1 << 21
EFI = "/sys/firmware/efi"
# Four bytes of attributes, then one that is 1 with Secure Boot.
SECURE_BOOT = f"{EFI}/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"


class Machine:
    """A machine, described by its files."""

    def __init__(self, root: str | None = None, module: dict | None = None) -> None:
        self.root = os.environ.get("MEMCACHE_SYSROOT", "") if root is None else root
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

    def usable(self, path: str) -> bool:
        return os.access(self.root + path, os.R_OK | os.W_OK)

    @property
    def loaded(self) -> bool:
        return self.has("/proc/modules", r"^memcache ")

    @property
    def lockdown(self) -> str | None:
        return debugfs.lockdown(self.read(debugfs.LOCKDOWN))

    @property
    def signed_only(self) -> bool:
        """Whether the kernel enforces signatures of modules; a locked-down kernel does, too."""
        return self.has("/sys/module/module/parameters/sig_enforce", "^Y")

    @property
    def secure_boot(self) -> bool | None:
        """None: not known, since efivarfs is not mounted."""
        if self.exists(EFI) and not self.exists(SECURE_BOOT):
            return None
        return self.read(SECURE_BOOT).endswith("\1")

    @property
    def administers(self) -> bool:
        """Whether root has CAP_SYS_ADMIN, which it may lack in a container."""
        match = re.search(r"^CapEff:\s*([0-9a-f]+)$", self.read("/proc/self/status"), re.M)
        return not match or bool(int(match[1], 16) & CAP_SYS_ADMIN)

    def _module(self) -> dict:
        """The `machine` record of the module; empty if it can't be read."""
        try:
            found = json.loads(self.read("/sys/kernel/debug/memcache/machine"))
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}


# Names in the firmware tell hypervisors apart that show no better sign.
VENDORS = {"QEMU": "kvm", "KVM": "kvm", "Amazon EC2": "kvm", "Google": "kvm", "Xen": "xen",
           "VMware": "vmware", "Microsoft Corporation": "hyper-v", "innotek": "virtualbox"}


def hypervisor(machine: Machine) -> str | None:
    """The hypervisor as records name it; None on bare metal."""
    if "hypervisor" in machine.module:
        return machine.module["hypervisor"]
    if machine.has("/proc/cpuinfo", r"^model name\s*:.*\b(TCG|QEMU Virtual CPU)\b"):
        return "tcg"
    if machine.has("/proc/cpuinfo", r"^vendor_id\s*: User Mode Linux$"):
        return "uml"
    firmware = machine.read("/sys/class/dmi/id/sys_vendor") + machine.read(
        "/sys/class/dmi/id/product_name")
    named = next((name for word, name in VENDORS.items() if word in firmware), None)
    if machine.uname.machine == "aarch64":
        # No flag of the CPU tells, and neither does the firmware of QEMU whether KVM runs it.
        virtual = named and "metal" not in firmware or \
            machine.has("/proc/device-tree/compatible", "dummy-virt")
        return "unknown" if virtual else None
    if not machine.has("/proc/cpuinfo", r"^flags\s*:.*\bhypervisor\b"):
        return None
    if not machine.root and (told := user.machine()):
        return told.get("hypervisor") or "unknown"
    if machine.has("/sys/hypervisor/type", "xen"):
        return "xen"
    return named or "unknown"
