# SPDX-License-Identifier: GPL-2.0-only
"""What the files of this machine say of it. MEMCACHE_SYSROOT: a directory to look for
/proc, /sys, /dev and /lib in (for tests)."""

import json
import os
import re

from mc.running import debugfs, user

CAP_SYS_ADMIN = 1 << 21


class Machine:
    """What its files say."""

    def __init__(self, root: str | None = None, module: dict | None = None) -> None:
        self.root = os.environ.get("MEMCACHE_SYSROOT", "") if root is None else root
        self.uname = os.uname()
        self.uid = os.geteuid()
        self.module = self._module() if module is None else module

    def read(self, path: str) -> str:
        """A file's text; empty if it can't be had."""
        try:
            with open(self.root + path, encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError:
            return ""

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
    def administers(self) -> bool:
        """Has root CAP_SYS_ADMIN? In a container it may not."""
        match = re.search(r"^CapEff:\s*([0-9a-f]+)$", self.read("/proc/self/status"), re.M)
        return not match or bool(int(match[1], 16) & CAP_SYS_ADMIN)

    def _module(self) -> dict:
        """What the module says of the machine, if it may be asked."""
        try:
            found = json.loads(self.read("/sys/kernel/debug/memcache/machine"))
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}


# How firmware names itself under a hypervisor that has no better sign.
VENDORS = {"QEMU": "kvm", "KVM": "kvm", "Amazon EC2": "kvm", "Google": "kvm", "Xen": "xen",
           "VMware": "vmware", "Microsoft Corporation": "hyper-v", "innotek": "virtualbox"}


def hypervisor(machine: Machine) -> str | None:
    """As the records name it; None on bare metal."""
    if "hypervisor" in machine.module:
        return machine.module["hypervisor"]
    if machine.has("/proc/cpuinfo", r"^model name\s*:.*\b(TCG|QEMU Virtual CPU)\b"):
        return "tcg"
    if machine.has("/proc/cpuinfo", r"^vendor_id\s*: User Mode Linux$"):
        return "uml"
    if not machine.has("/proc/cpuinfo", r"^flags\s*:.*\bhypervisor\b"):
        return None
    if not machine.root and (told := user.machine()):
        return told.get("hypervisor") or "unknown"
    if machine.has("/sys/hypervisor/type", "xen"):
        return "xen"
    firmware = machine.read("/sys/class/dmi/id/sys_vendor") + machine.read(
        "/sys/class/dmi/id/product_name")
    return next((name for word, name in VENDORS.items() if word in firmware), "unknown")
