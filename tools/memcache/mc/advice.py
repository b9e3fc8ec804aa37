# SPDX-License-Identifier: GPL-2.0-only
"""Advice on things that are missing. It depends on the place of this program: a checkout has a
Makefile, which an installed program has not."""

import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]   # of the repository, or of what has its shape
CHECKOUT = (TOP / "Makefile").exists()
OWN_PYTHON = sys.prefix != sys.base_prefix  # that of pipx, or of another environment

# The words for a checkout, and those for an installed program.
TEXTS = {
    "guest": (", or use a guest: make run", ""),
    "works": ("make run (a guest)", ""),
    "unlock": ("turn Secure Boot off, boot without lockdown=, or use a guest: make run",
               "turn Secure Boot off, or boot without lockdown="),
    "mounted": ("; make run WHERE=host does so", ""),
    "kvm": (" (make run tries it before it relies on it)", ""),
    "memcache-user": ("make user", "the package memcache-tools has it"),
    "load": ("make load", ""),
    "module": ("", "the package memcache-dkms has it"),
    "renew": ("", "install memcache-dkms and memcache-tools of the same version"),
    "sign": ('make sign KEY=FILE; "Signing" in Documentation/security.rst says how to make one',
             "DKMS signs it with /var/lib/dkms/mok.key, and mokutil --import "
             "/var/lib/dkms/mok.pub with a reboot makes the firmware trust that"),
    "types": ("Documentation/hypervisors.rst says where it has",
              '"Virtual machines" in the manual says where it has'),
    "plot": ("tools/setup plot, or apt-get install python3-matplotlib",
             "apt-get install python3-matplotlib"),
    "trend": ("apt-get install python3-numpy", "apt-get install python3-numpy"),
}
# Those of a program that has a Python of its own, where the packages of a distribution don't count.
IN_ENVIRONMENT = {
    "plot": f"{sys.prefix}/bin/python -m pip install matplotlib",
    "trend": f"{sys.prefix}/bin/python -m pip install numpy",
}


def advice(what: str) -> str:
    if OWN_PYTHON and what in IN_ENVIRONMENT:
        return IN_ENVIRONMENT[what]
    return TEXTS[what][0 if CHECKOUT else 1]
