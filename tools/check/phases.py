# SPDX-License-Identifier: GPL-2.0-only
"""The phases of a layer: fetching, building, booting, testing.

Code that begins a phase notes it, with the time, in the file MEMCACHE_PHASES: scripts by
`phase NAME` of tools/lib.sh, Python by note(). A phase lasts until the next one begins.
Testing also begins whenever tools/check/lib.sh prints the result of a test.
"""

import os
import time
from pathlib import Path

PHASES = "fetching", "building", "booting", "testing"
VARIABLE = "MEMCACHE_PHASES"


def note(name):
    """Note that this phase begins now. A process of another user notes nothing."""
    path = os.environ.get(VARIABLE, "")
    if os.access(path, os.W_OK):
        with open(path, "a", encoding="ascii") as file:
            file.write(f"{time.time():.6f} {name}\n")


def split(path, begin, end):
    """Seconds of each phase from begin to end (both as of time.time()). Their sum is
    end - begin."""
    seconds = dict.fromkeys(PHASES, 0.0)
    name, since = "testing", begin
    for line in [*Path(path).read_text(encoding="ascii").splitlines(), f"{end} testing"]:
        at, following = line.split()
        at = min(max(float(at), since), end)
        seconds[name] += at - since
        name, since = following, at
    return seconds
