# SPDX-License-Identifier: GPL-2.0-only
"""What several benchmarks use: the settings that make passes in the environment, and the cost of a
command of memcache."""

import os
import subprocess
import sys
import time
from pathlib import Path

MEMCACHE = Path(__file__).resolve().parents[2] / "tools/memcache/memcache"


def positive(name, usual):
    """The whole number that a setting has, or the usual one."""
    text = os.environ.get(name) or str(usual)
    if not text.isdecimal() or int(text) < 1:
        sys.exit(f"memcache: {name}={text}: wanted a whole number from 1 on")
    return int(text)


def cost(words):
    """What a command of memcache took: seconds, seconds of CPUs, MiB of its largest process."""
    begin = time.monotonic()
    child = subprocess.Popen([MEMCACHE, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1, 125):
        sys.exit(f"{' '.join(words[:4])}: {said.decode(errors='replace')}")
    return time.monotonic() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss >> 10


def run_timed(what, *words):
    took, worked, mib = cost(words)
    print(f"{what:38} {took:7.2f} s, CPUs {worked:7.2f} s   {mib:6} MiB", flush=True)
