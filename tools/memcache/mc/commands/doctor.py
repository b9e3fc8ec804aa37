# SPDX-License-Identifier: GPL-2.0-only
"""`memcache doctor`: check whether this machine can measure UC. It says what prevents that and what
to do about it, and needs neither root nor the module."""

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mc import emit, version
from mc.advice import advice
from mc.analysis import verdict, words
from mc.output import terminal
from mc.parts import Part, Sentence
from mc.running import counters, debugfs, module, quiet, user
from mc.running.machine import Machine, hypervisor, is_present
from mc.status import DONE, FAILED

OK, WARN, FAIL = "ok", "warn", "fail"
ARCHITECTURES = "x86_64", "aarch64"     # that the module is for, as uname names them
SIGN = "sign the module with a key that it trusts: "


@dataclass(frozen=True)
class Line:
    """The result of a check.

    status: `fail` if UC can't be measured, `warn` if something must be done first or it is
            not known whether UC can be measured
    todo: what to do about it
    """
    status: str
    what: str
    todo: str = ""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print a JSON object")


def command(args: argparse.Namespace) -> int:
    lines, status = examine(as_json=args.json)
    emit(lines)
    return status


def examine(as_json: bool = False) -> tuple[list[str], int]:
    """The lines to print, and the exit status."""
    machine = Machine()
    named = [(check.__name__.strip("_"), line) for check in CHECKS for line in check(machine)]
    results = [line for _, line in named]
    failed = sum(line.status == FAIL for line in results)
    status = FAILED if failed else DONE
    if as_json:
        checks = [{"id": name, "status": line.status, "what": line.what, "todo": line.todo or None}
                  for name, line in named]
        return [json.dumps({"can_measure_uc": not failed, "checks": checks})], status
    report: list[Part] = [
        Sentence(line.what + (f" ({line.todo})" if line.todo else ""), f"{line.status:4}  ")
        for line in results]
    warned = sum(line.status == WARN for line in results)
    if failed:
        works = ", ".join(filter(None, [user.find() and "memcache run --where user (WB)",
                                        advice("works")]))
        verdict = f"UC can't be measured here at present: {failed} of the lines above say why." \
                  f"{works and f' What works: {works}.'}"
    else:
        verdict = "Nothing prevents measuring UC here" + (
            f"; there are {warned} warnings." if warned else ".")
    return terminal.lines([*report, Sentence(verdict, gap=True)]), status


def _cpu(machine: Machine) -> Iterator[Line]:
    if machine.uname.machine in ARCHITECTURES:
        yield Line(OK, machine.uname.machine)
    else:
        yield Line(FAIL, f"this is {machine.uname.machine}",
                   f"the module is for {' and '.join(ARCHITECTURES)}")


def _root(machine: Machine) -> Iterator[Line]:
    if machine.uid == 0 and not machine.can_administer:
        yield Line(FAIL, "root without CAP_SYS_ADMIN, so without the module's files and devices",
                   "measure outside of this container")
    elif machine.uid == 0:
        yield Line(OK, "root")
    else:
        yield Line(WARN, "not root", "measure with sudo; user space on WB needs no root")


def _modules(machine: Machine) -> Iterator[Line]:
    if not machine.exists("/proc/modules"):
        yield Line(FAIL, *module.none_taken())
    elif machine.has("/proc/sys/kernel/modules_disabled", "^1"):
        yield Line(FAIL, "kernel.modules_disabled is 1",
                   "it stays so until a reboot; find who sets it in /etc/sysctl.d")
    elif machine.takes_signed_only and not machine.is_loaded:
        yield Line(FAIL, "this kernel takes signed modules only",
                   f"{SIGN}{advice('sign')}{_mok(machine)}{advice('guest')}")
    elif machine.lockdown and not machine.is_loaded:
        yield Line(FAIL, "a kernel that is locked down takes signed modules only",
                   f"{SIGN}{advice('sign')}{_mok(machine)}")
    else:
        yield Line(OK, "modules are allowed, " + (
            "if they are signed" if machine.takes_signed_only or machine.lockdown else
            "signatures are not enforced"))


def _mok(machine: Machine) -> str:
    """Without Secure Boot, the kernel reads the firmware's own list of keys, but not that of
    mokutil."""
    return "; Secure Boot is off, so keys that mokutil has enrolled do not count" \
        if machine.secure_boot is False else ""


def _lockdown(machine: Machine) -> Iterator[Line]:
    what = f"the kernel is locked down ({machine.lockdown}): it takes no request"
    off = advice("unlock")
    if machine.lockdown and machine.is_loaded:
        yield Line(WARN, f"{what}; user space can measure UC and WC",
                   f"memcache run --where user; for the kernel {off}")
    elif machine.lockdown:
        yield Line(FAIL, what, f"{off}; with a signed module user space can measure UC and WC")
    else:
        if machine.exists(debugfs.LOCKDOWN):
            yield Line(OK, "no lockdown")
        else:
            yield Line(WARN, "not known whether the kernel is locked down",
                       "mount -t securityfs securityfs /sys/kernel/security; a kernel without "
                       "CONFIG_SECURITY_LOCKDOWN_LSM can't be")


def _debugfs(machine: Machine) -> Iterator[Line]:
    # With debugfs=off the kernel does not name it among its file systems either.
    if machine.has("/proc/cmdline", r"\bdebugfs=(off|no-mount)\b"):
        yield Line(FAIL, "debugfs is off", "boot without debugfs=off")
    elif not machine.has("/proc/filesystems", r"\bdebugfs$"):
        yield Line(FAIL, "this kernel has no debugfs",
                   f"boot one that has CONFIG_DEBUG_FS=y{advice('guest')}")
    elif machine.has("/proc/mounts", r"^\S+ /sys/kernel/debug debugfs "):
        yield Line(OK, "debugfs is mounted")
    else:
        yield Line(WARN, "debugfs is not mounted",
                   f"mount -t debugfs debugfs /sys/kernel/debug{advice('mounted')}")


def _headers(machine: Machine) -> Iterator[Line]:
    release = machine.uname.release
    if machine.exists(f"/lib/modules/{release}/build/Makefile"):
        yield Line(OK, f"headers of the running kernel, {release}")
    else:
        yield Line(WARN if machine.is_loaded else FAIL,
                   f"no headers of the running kernel, {release}",
                   f"{module.headers(release)}{advice('guest')}")


def _pat(machine: Machine) -> Iterator[Line]:
    if machine.uname.machine != "x86_64":
        return
    if not machine.has("/proc/cpuinfo", r"^flags\s*:.*\bpat\b"):
        yield Line(FAIL, "the CPU has no PAT, or it is hidden", "use another machine or CPU model")
    elif machine.has("/proc/cmdline", r"(^|\s)nopat(\s|$)"):
        yield Line(WARN, "PAT is off: WC becomes UC-", "boot without nopat")
    else:
        yield Line(OK, "PAT")


def _hypervisor(machine: Machine) -> Iterator[Line]:
    name = hypervisor(machine)
    amd = machine.has("/proc/cpuinfo", "AuthenticAMD|HygonGenuine")
    intel = machine.has("/proc/cpuinfo", "GenuineIntel")
    if name is None:
        yield Line(OK, "no hypervisor: page tables decide on memory types")
    elif name == "tcg":
        yield Line(FAIL, "emulated by QEMU (TCG): neither memory types nor times are real",
                   "use bare metal or KVM")
    elif name == "uml":
        yield Line(FAIL, "User-Mode Linux: a process of another Linux, with write-back only",
                   "measure on that Linux")
    elif name == "kvm" and amd:
        yield Line(OK, "KVM on AMD honours a guest's PAT (with shadow paging it does not)")
    elif name == "kvm" and intel:
        yield Line(WARN, "KVM on Intel ignores a guest's PAT by default: UC may be write-back",
                   "on the host: QEMU 11 -accel kvm,honor-guest-pat=on, or "
                   "KVM_X86_QUIRK_IGNORE_GUEST_PAT off (Linux 6.16, 6.12.78), or a device with "
                   "non-coherent DMA; see the module's verdict")
    elif name == "xen":
        yield Line(WARN, "Xen honours a guest's PAT only with an IOMMU",
                   "pass a device through to this guest; see the module's verdict")
    elif not is_present(machine, name):
        yield Line(WARN, "not known whether there is a hypervisor, and whether page tables decide "
                   "on memory types", "see the module's verdict")
    else:
        yield Line(WARN, f"a hypervisor ({name}): not known whether it honours a guest's memory "
                   "types",
                   "see the module's verdict")


def _module(machine: Machine) -> Iterator[Line]:
    if not machine.is_loaded:
        yield Line(WARN, "the module is not loaded", module.how_to_load())
        installed = {"version": module.installed_version()}
        if text := version.remark_if_stale(installed, "installed"):
            yield Line(WARN, text, module.how_to_renew())
        return
    if text := version.remark_if_stale(machine.module):
        yield Line(WARN, text, f"rmmod memcache, then {module.how_to_renew()}")
    else:
        yield Line(OK, "the module is loaded")
    yield from _types(machine)


def _types(machine: Machine) -> Iterator[Line]:
    types = machine.module.get("memory_types")
    if not isinstance(types, dict):
        yield Line(WARN, "its files can't be read, so its verdicts are not known",
                   "run this as root")
        return
    for name in ("wb", "uc", "wc"):
        known = types.get(name) or {}
        effect = known.get("effective")
        what = f"{name.upper()}: page tables say {known.get('attribute') or 'na'}, " \
               f"effective={effect or 'na'}"
        if effect == "yes":
            yield Line(OK, what)
        elif effect == "no":
            yield Line(FAIL if name == "uc" else WARN, what,
                       f"it has no effect here: {advice('types')}")
        elif effect == "partly":
            share = words.whole_bursts(verdict.whole_bursts(known))
            yield Line(WARN, what, f"{share} of its bursts leave the CPU whole")
        else:
            yield Line(WARN, what, "the timing does not show it; load the module again on a quiet "
                       "machine")


def _prefetch(machine: Machine) -> Iterator[Line]:
    prefetch = machine.module.get("prefetch")
    if not isinstance(prefetch, dict):
        return
    if not prefetch.get("known"):
        yield Line(WARN, "prefetchers of this CPU model are not known",
                   "prefetch=off fails, prefetch=auto keeps them as they are")
    elif prefetch.get("state") == "unreadable":
        yield Line(WARN, f"the prefetchers' register, {prefetch.get('msr')}, can't be read, as "
                   "under most hypervisors",
                   "prefetch=off fails, prefetch=auto keeps them as they are")
    else:
        yield Line(OK, f"prefetchers: {prefetch.get('msr')} can be read, they are "
                   f"{prefetch.get('state')}")


def _devices(machine: Machine) -> Iterator[Line]:
    paths = [f"/dev/memcache_{name}" for name in ("wb", "uc", "wc")]
    missing = [path for path in paths if not machine.exists(path)]
    closed = [path for path in paths if path not in missing and not machine.is_usable(path)]
    if missing:
        yield Line(WARN, f"no {', '.join(missing)}",
                   "they come with the module; without them user space measures only WB")
    elif closed:
        yield Line(WARN, f"{', '.join(closed)}: for root only", "measure with sudo")
    else:
        yield Line(OK, "the devices are there, for user space on UC and WC")


def _user(_machine: Machine) -> Iterator[Line]:
    path = user.find()
    if path:
        yield Line(OK, f"memcache-user: {path}")
    else:
        yield Line(WARN, "there is no memcache-user, so nothing can be measured in user space",
                   advice("memcache-user"))


def _kvm(machine: Machine) -> Iterator[Line]:
    if machine.is_usable("/dev/kvm"):
        yield Line(OK, f"/dev/kvm can be opened{advice('kvm')}")
    else:
        why = "/dev/kvm is not for this user" if machine.exists("/dev/kvm") else "no /dev/kvm"
        yield Line(WARN, f"{why}: guests are emulated and have no memory types",
                   "this concerns guests; measuring on this machine needs no KVM")


def _counters(machine: Machine) -> Iterator[Line]:
    discovered = counters.discover()
    if discovered.counters:
        yield Line(OK, f"counters of DRAM traffic: {discovered.title} (memcache run --counters)")
    elif discovered.remarks:
        yield Line(WARN, "DRAM traffic can't be counted", discovered.remarks[0])
    else:
        yield Line(WARN, "no counters of DRAM traffic: records will say na",
                   "a virtual machine has none; on bare metal: modprobe intel_uncore or "
                   "amd_uncore")


def _quiet(machine: Machine) -> Iterator[Line]:
    look = quiet.look(machine)
    for one in look.found:
        yield Line(WARN, one.what, one.todo)
    if not look.found:
        yield Line(OK, "no other work was seen" if look.load is not None and look.cpus else
                   "not known whether other work runs (/proc has no load)")


CHECKS: list[Callable[[Machine], Iterator[Line]]] = [
    _cpu, _root, _modules, _lockdown, _debugfs, _headers, _pat, _hypervisor, _module, _prefetch,
    _devices, _user, _kvm, _counters, _quiet]
