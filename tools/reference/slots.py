# SPDX-License-Identifier: GPL-2.0-only
"""Reports of dmidecode that linuxhw/DMI has: how wide the memory of a socket is, which its filled
channels make, and what they transfer at most.

There are 160,000 reports. All of servers count, and of other machines those whose number ends in
0, which is one in 16.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from machines import Measured, parsed

from mc.analysis import hardware
from mc.analysis.reference import model_key
from mc.running.hardware import modules

SHARE = "0"             # the last digit of the numbers of machines that count
SERVERS = "Server"
MAKERS = {"GenuineIntel": re.compile(r"intel", re.I),
          "AuthenticAMD": re.compile(r"amd\b|advanced micro devices", re.I)}
CPU = re.compile(r"^Processor Information\n((?:\t.*\n?)+)", re.M)
SIGNATURE = re.compile(r"^\tSignature: .*Family (\d+), Model (\d+), Stepping (\d+)", re.M)
MAKER = re.compile(r"^\t(?:Manufacturer|Version): *(.*)", re.M)
# The bits that a socket has at most. Goldmont (Apollo Lake) has two channels of memory, and the
# firmware of small machines lists four chips, each as wide as a channel.
MOST_BITS = {"GenuineIntel 6 92": 128}
VIRTUAL = re.compile(r"^\t(?:Manufacturer|Product Name): *.*(?:QEMU|VMware|VirtualBox|Xen\b|KVM|"
                     r"Bochs|Hyper-V|Parallels|Virtual Machine)", re.I | re.M)
# Soldered chips, whose width firmware often gets wrong. Others are modules of 64 bits.
CHIPS = re.compile(r"^\tForm Factor: (?!.*DIMM)|^\tType: LPDDR", re.M)


def read(top: Path) -> Iterator[Measured]:
    """The machines whose CPU and filled channels are known."""
    for folder in sorted(path for path in top.iterdir() if path.is_dir()):
        pattern = "*" if folder.name == SERVERS else f"*{SHARE}"
        for path in sorted(folder.rglob(pattern)):
            if path.is_file() and (one := parsed(path, machine)):
                yield one


def machine(path: Path) -> Measured | None:
    """What a report says. The sockets of a machine have the same CPU."""
    text = path.read_text(encoding="utf-8", errors="replace")
    cpus = {key for body in CPU.findall(text) if (key := _model(body))}
    sockets = sum(bool(_model(body)) for body in CPU.findall(text))
    slots = modules(text)
    bits = hardware.width(slots)
    if len(cpus) != 1 or not bits or VIRTUAL.search(text) or CHIPS.search(text):
        return None
    model = cpus.pop()
    if bits / sockets > MOST_BITS.get(model, bits):
        return None
    return Measured(model, path.name, "linuxhw", figures={"memory_bits": bits / sockets})


def _model(body: str) -> str:
    """The key of the model of a processor; empty if it is not known."""
    told, makers = SIGNATURE.search(body), " ".join(MAKER.findall(body))
    vendor = [name for name, pattern in MAKERS.items() if pattern.search(makers)]
    return model_key(vendor[0], *map(int, told.groups())) if told and len(vendor) == 1 else ""
