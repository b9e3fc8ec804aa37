# SPDX-License-Identifier: GPL-2.0-only
"""What several benchmarks use: the settings that make passes in the environment, and the time of a
command of memcache."""

import os
import resource
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


def run_timed(what, *words):
    """Run a command of memcache. Print how long it took, how long CPUs worked for it, and the
    memory of the largest process so far."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([MEMCACHE, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True)
    if done.returncode not in (0, 1, 125):
        sys.exit(done.stderr)
    took = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    worked = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{what:38} {took:7.2f} s, CPUs {worked:7.2f} s   {after.ru_maxrss >> 10:6} MiB",
          flush=True)
