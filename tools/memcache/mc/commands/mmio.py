# SPDX-License-Identifier: GPL-2.0-only
"""`memcache mmio`: what registers and memory of a PCI device cost a driver."""

import argparse
import os
import sys
from collections.abc import Iterator

from mc import Failure, emit, say
from mc.analysis import accesses
from mc.commands import options
from mc.output import terminal
from mc.parts import Grid, Heading, Part, Sentence, bullets
from mc.records import shape, units
from mc.records.results import Run
from mc.running import debugfs, module, pci, user
from mc.running.machine import Machine, cpu_flags
from mc.running.side import Side
from mc.status import DONE, WRONG

EPILOG = """\
DEVICE is an address as lspci shows it, such as 00:05.0; 00:05.0/2 is BAR 2.
Without it, the devices that have memory are listed.

The device is taken from its driver, measured, and given back, also if you
stop it (Ctrl-C) or it crashes. It does not work meanwhile. One that is in use
is refused, and so is one of which nobody can tell. On some devices much
depends even if nobody is seen to use them: --even names their kind.

Without --write nothing is stored on the device. With it, contents are saved
before and brought back at the end; never write to a BAR with registers.
"""
LARGEST = 64 << 10      # bytes that are measured
WORDS = "1,2,4,8"
# Wider accesses, and the flag of the CPU that they need.
WIDER = {"16": "sse2", "32": "avx2", "64": "avx512f"}
FENCES = {"x86_64": "none,sfence,mfence,locked",
          "aarch64": "none,dmb_oshst,dmb_osh,dmb_sy,dsb_st,dsb_sy"}
PAGE = 4096


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("device", nargs="?", metavar="DEVICE", help="its address, such as 00:05.0")
    parser.add_argument("--yes", action="store_true",
                        help="you agree that the device is taken from its driver")
    parser.add_argument("--even", choices=sorted(set(pci.KINDS.values())), metavar="KIND",
                        help="you agree although it is one of this kind: " + ", ".join(
                            sorted(set(pci.KINDS.values()))))
    parser.add_argument("--write", action="store_true",
                        help="you agree that it is written to; measures stores, doorbells and "
                             "bursts as well, and when another CPU sees a store")
    parser.add_argument("--where", choices=["kernel", "user"],
                        help="measure in the kernel, or in user space (default: the kernel if the "
                             "module is there)")
    parser.add_argument("--give-back", action="store_true",
                        help="give back what runs that were killed have left taken")
    parser.add_argument("-o", dest="output", metavar="FILE",
                        help="the results file (default: results/mmio-KERNEL-TIME.jsonl)")
    options.add_wide(parser)


def command(args: argparse.Namespace) -> int:
    if args.give_back:
        if still := pci.give_back_left():
            raise Failure(f"not given back: {', '.join(still)}")
        emit(["Nothing is left to be given back."])
        return DONE
    if not args.device:
        emit(terminal.lines(list(listing(pci.devices()))))
        return DONE
    device, number = pci.find(args.device)
    bar = choose_bar(device, number)
    emit(terminal.lines(list(device_parts(device, bar))))
    if not args.yes or device.kind not in ("", args.even):
        ask(device)
    with module.keep_loaded():
        side = plan_side(args.where)
        side.check()
        with pci.lend(device, bind=side.where == "kernel") as kept:
            if isinstance(side, user.User):
                side.passed = kept
            lines = list(requests(device, bar, args.write, side.where, two_cpus(side.machine())))
            from mc.commands import run
            return run.measure(
                lines, args.output, side.where, [side], wide=args.wide,
                explain=lambda runs: explanation_parts(runs, args.write, device.link))


def plan_side(where: str | None) -> Side:
    """The side that measures."""
    if where == "user":
        return user.User()
    kernel = debugfs.Debugfs()
    if where == "kernel" or kernel.tests():
        return kernel
    say("the module is not loaded: a process measures instead")
    return user.User()


def listing(devices: list[pci.Device]) -> Iterator[Part]:
    if not devices:
        yield Sentence("No PCI device with memory is there.")
        return
    yield Grid(["device", "what it is", "driver", "BARs"],
               [[device.address, device.name, device.driver or "none",
                 ", ".join(f"{bar.number}: {units.size(bar.size)}" for bar in device.bars)]
                for device in devices], left=4)
    yield Sentence("memcache mmio DEVICE measures one of them.", gap=True)


def choose_bar(device: pci.Device, number: int | None) -> pci.Bar:
    """The BAR with this number, else the largest prefetchable one, else the largest one."""
    if not device.bars:
        raise Failure(f"{device.address} has no memory: no BAR that can be measured", WRONG)
    if number is None:
        return max(device.bars, key=lambda bar: (bar.prefetchable, bar.size))
    for bar in device.bars:
        if bar.number == number:
            return bar
    raise Failure(f"BAR {number} of {device.address} is no memory; BARs that are: "
                  f"{', '.join(str(bar.number) for bar in device.bars)}", WRONG)


def device_parts(device: pci.Device, bar: pci.Bar) -> Iterator[Part]:
    yield Heading(f"{device.address}: {device.name}")
    yield Grid([], [["driver", device.driver or "none"], *_link_rows(device.link)])
    yield Grid(["BAR", "size", "prefetchable", ""],
               [[str(one.number), units.size(one.size), "yes" if one.prefetchable else "no",
                 "is measured" if one == bar else ""] for one in device.bars], left=1)
    if not bar.prefetchable:
        yield Sentence("Reads of a BAR that is not prefetchable may have an effect on the device, "
                       "such as that an interrupt is acknowledged.", loud=True, gap=True)
        yield Sentence("WC can't be had: stores to such a BAR must not be combined.")
    elif "hypervisor" in cpu_flags(Machine(module={})):
        yield Sentence("There is a hypervisor: if it emulates this BAR, it traps each access, and "
                       "WC can't be had.", gap=True)


def _link_rows(link: pci.Link | None) -> Iterator[list[str]]:
    """The link of a device and what it can move, if it has one."""
    if not link:
        return
    at_most = units.rate_text(link.mb_per_s)
    yield ["link", f"{link.gt_per_s:g} GT/s x {link.lanes}: at most {at_most} each way"]
    if (link.gt_per_s, link.lanes) != (link.most_gt_per_s, link.most_lanes):
        yield ["", f"the device can do {link.most_gt_per_s:g} GT/s x {link.most_lanes}; an idle "
                   "link may be slower, and a slot may have fewer lanes"]


def ask(device: pci.Device) -> None:
    """Ask a person at a terminal whether the device may be taken. The answer for one on which much
    depends is its kind."""
    driver = f"from its driver {device.driver}, " if device.driver else ""
    kind, even = device.kind, f" --even {device.kind}" if device.kind else ""
    what = f"Take {device.address} {f'({kind}) ' if kind else ''}{driver}measure it, and give it " \
           "back?"
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Failure(f"{what} This is no terminal: answer by --yes{even}", WRONG)
    print(f"{what} [{kind or 'yes'}/no] ", end="", flush=True)
    if sys.stdin.readline().strip().lower() not in ([kind] if kind else ["y", "yes"]):
        raise Failure("nothing was measured, and the device was left alone")


def two_cpus(machine: dict) -> list[int]:
    """One that stores and one that looks for it, on two cores if there are so many. On an emulated
    machine, which would show nothing, there are none."""
    if machine.get("hypervisor") == "tcg":
        return []
    found = shape.machine_shape(machine)
    return [core[0] for core in found.cores][:2] if found.cores[1:] else list(found.cpus[:2])


def requests(device: pci.Device, bar: pci.Bar, write: bool, where: str,
             cpus: list[int]) -> Iterator[str]:
    """Reads of each width, and stores if they are allowed, by each type that the BAR may have."""
    size = min(LARGEST, bar.size) // 64 * 64
    target = f"target=pci:{device.address}/{bar.number} size={size}"
    kind = bar.mapped_as if bar.prefetchable else ""
    types = "uc,wc" if bar.prefetchable and kind in ("", "write-combining") else "uc"
    if kind.startswith("uncached"):
        say(f"WC can't be had: BAR {bar.number} is mapped as {kind} already, and a second mapping "
            "gets the type of the first one")
    if not bar.prefetchable:
        target += " any_bar=yes"
    if where == "user" and bar.size % PAGE:
        raise Failure(f"a process maps whole pages of {PAGE} bytes: --where kernel", WRONG)
    flags = cpu_flags(Machine(module={}))
    wider = [width for width, flag in WIDER.items() if flag in flags]
    yield f"mmio {target} type={types} op=read width={','.join([WORDS, *wider])} repeat=3"
    if write:
        yield f"mmio {target} type={types} write=yes op=write,write_read,burst width=4,8 repeat=3"
    if write and bar.prefetchable and cpus[1:]:
        yield f"mmio {target} type={types} write=yes op=arrive width=8 repeat=30 " \
              f"fence={FENCES.get(os.uname().machine, 'none')} cpu={cpus[0]},{cpus[1]}"


def explanation_parts(runs: list[Run], write: bool, link: pci.Link | None) -> list[Part]:
    sentences = accesses.sentences([result for run in runs for result in run.results],
                                   runs[0].machine, link.mb_per_s if link else None)
    if not write:
        sentences.append("What stores, doorbells and bursts cost: --write, if the BAR is memory.")
    return [Heading("What this means for a driver"), *bullets(sentences)]
