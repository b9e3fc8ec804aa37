# SPDX-License-Identifier: GPL-2.0-only
"""The module of an installed memcache: a run loads it and unloads it again."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mc import say

NAME = "memcache"


@contextmanager
def loaded(sysfs: Path = Path("/sys")) -> Iterator[None]:
    """The module, loaded as long as this context lasts, if root may load it: it is installed
    for this kernel (by DKMS, say), and nobody has loaded it yet. In all other cases nothing
    happens."""
    here = sysfs / "module" / NAME
    elsewhere = {"MEMCACHE_MACHINE", "MEMCACHE_DEBUGFS"} & os.environ.keys()
    if elsewhere or os.geteuid() != 0 or here.exists() \
            or not _run("modprobe", "--dry-run", "--quiet", NAME):
        yield
        return
    say("loading the module for this run")
    done = _run("modprobe", NAME)
    try:
        yield
    finally:
        # It is gone already if somebody else has unloaded it.
        if done and here.exists() and not _run("rmmod", NAME):
            say(f"the module stays loaded: rmmod {NAME}")


def _run(*words: str) -> bool:
    """Whether this program of /sbin, which may be missing in PATH, succeeds."""
    import subprocess
    path = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
    try:
        return not subprocess.run(["env", f"PATH={path}", *words], check=False).returncode
    except OSError:
        return False
