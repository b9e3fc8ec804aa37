# SPDX-License-Identifier: GPL-2.0-only
"""The module of an installed memcache: a run loads it and unloads it again."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from mc import say, version
from mc.advice import TOP, advice
from mc.records.shape import root

NAME = "memcache"
SBIN = "/usr/sbin:/sbin"        # not in the PATH of everybody
# Where DKMS finds sources, and where it builds them.
SOURCES, BUILDS = f"/usr/src/{NAME}-", f"/var/lib/dkms/{NAME}"


def sudo() -> str:
    return "" if os.geteuid() == 0 else "sudo "


def headers(release: str) -> str:
    """How to install the headers of this kernel."""
    return _output_of(str(TOP / "tools/headers"), release)


def installed_version() -> str:
    """The version of the module that is installed for the running kernel; empty if none is, or
    if it does not say its version."""
    return _output_of("modinfo", "-b", str(root()), "-F", "version", NAME)


def takes_modules() -> bool:
    """Whether the kernel can load any module, as far as /proc tells."""
    proc = root() / "proc"
    return (proc / "modules").exists() or not (proc / "version").exists()


def none_taken() -> tuple[str, str]:
    """What is wrong with a kernel that takes no modules, and what to do."""
    return "this kernel takes no modules", f"boot one that has CONFIG_MODULES=y{advice('guest')}"


def how_to_load() -> str:
    """The commands that load the module, or the reason why there are none."""
    if not takes_modules():
        return ": ".join(none_taken())
    is_installed = _succeeds("modprobe", "-d", str(root()), "--dry-run", "--quiet", NAME)
    ways = [advice("load"), f"modprobe {NAME}" if is_installed else ""]
    return ", or ".join(f"{sudo()}{way}" for way in ways if way) \
        or _advice_for_dkms() or advice("module")


def how_to_renew() -> str:
    """Advice on a module that is of another version than this program."""
    own = version.version()
    way = f"modprobe {NAME}" if installed_version() == own else advice("load")
    how = f"{sudo()}{way}" if way else _advice_for_dkms(own) or advice("renew")
    return f"load the one that belongs to this program: {how}"


def _advice_for_dkms(wanted: str = "*") -> str:
    """Why DKMS has not built the sources that it has for the running kernel, and what to do; empty
    if it has no sources of the wanted version."""
    release = os.uname().release
    paths = sorted(root().glob(f"{SOURCES[1:]}{wanted}/dkms.conf"))
    if not paths:
        return ""
    what = f"it is installed for DKMS, but not built for this kernel, {release}"
    if not (root() / f"lib/modules/{release}/build/Makefile").exists():
        return f"{what} (no headers): {headers(release)}"
    own = paths[-1].parent.name.removeprefix(f"{NAME}-")
    log = f"{BUILDS}/{own}/build/make.log"
    failed = f" ({log} says why it could not)" if (root() / log[1:]).exists() else ""
    return f"{what}{failed}: {sudo()}dkms install {NAME}/{own}"


def can_load() -> bool:
    """Whether a run loads the module by itself: root runs it, and it is installed."""
    return "MEMCACHE_DEBUGFS" not in os.environ and os.geteuid() == 0 \
        and _succeeds("modprobe", "--dry-run", "--quiet", NAME)


@contextmanager
def keep_loaded() -> Iterator[None]:
    """The module, loaded as long as this context lasts, if root may load it: it is installed
    for this kernel (by DKMS, say), and nobody has loaded it yet. In all other cases nothing
    happens."""
    here = root() / "sys/module" / NAME
    if here.exists() or not can_load():
        yield
        return
    say("loading the module for this run")
    done = _succeeds("modprobe", NAME)
    try:
        yield
    finally:
        # It is gone already if somebody else has unloaded it.
        if done and here.exists() and not _succeeds("rmmod", NAME):
            say(f"the module stays loaded: rmmod {NAME}")


def run_program(*words: str, capture: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a program that may be in SBIN. `capture`: return its output, too."""
    path = f"{os.environ.get('PATH', os.defpath)}:{SBIN}"
    return subprocess.run(words, capture_output=capture, text=True, errors="replace", check=False,
                          env=os.environ | {"PATH": path, "LC_ALL": "C"})


def _succeeds(*words: str) -> bool:
    """Whether such a program is there and succeeds."""
    try:
        return not run_program(*words, capture=False).returncode
    except OSError:
        return False


def _output_of(*words: str) -> str:
    """The output of such a program; empty if it fails."""
    try:
        done = run_program(*words)
    except OSError:
        return ""
    return "" if done.returncode else done.stdout.strip()
