# SPDX-License-Identifier: GPL-2.0-only
"""Advice on things that are missing. It depends on the place of this program: a checkout has a
Makefile, which an installed program has not."""

import os
import shutil
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]   # of the repository, or of what has its shape
CHECKOUT = (TOP / "Makefile").exists()

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
}
# What installs the packages of a distribution, which count for its own Python alone.
MANAGERS = {"apt-get": "apt-get install python3-", "dnf": "dnf install python3-",
            "zypper": "zypper install python3-", "pacman": "pacman -S python-"}


def advice(what: str) -> str:
    return TEXTS[what][0 if CHECKOUT else 1]


def lacking(library: str) -> str:
    """What this Python lacks, and how it gets it: `matplotlib, which /usr/bin/python3 has not:
    apt-get install python3-matplotlib`."""
    python = sys.executable or "python3"
    own = os.path.dirname(python) not in ("/usr/bin", "/bin")
    way = next((words for tool, words in MANAGERS.items() if not own and shutil.which(tool)),
               f"{python} -m pip install ")
    return f"{library}, which {python} has not: {way}{library}"
