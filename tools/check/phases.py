# SPDX-License-Identifier: GPL-2.0-only
"""What a layer's time goes into: fetching, building, booting, testing.

Whoever begins one of these notes it, with the time, in the file MEMCACHE_PHASES: the
scripts by `phase NAME` of tools/lib.sh, the rest by note(). It lasts until the next one;
a test's result that tools/check/lib.sh prints makes it testing again, however the phase
has ended.
"""

import os
import time
from pathlib import Path

PHASES = "fetching", "building", "booting", "testing"
VARIABLE = "MEMCACHE_PHASES"


def note(name):
    """From now on it is this one. Another user than the one who asked notes nothing."""
    path = os.environ.get(VARIABLE, "")
    if os.access(path, os.W_OK):
        with open(path, "a", encoding="ascii") as file:
            file.write(f"{time.time():.6f} {name}\n")


def split(path, begin, end):
    """Seconds of each phase from begin to end (as time.time() has it); all together are
    end - begin."""
    seconds = dict.fromkeys(PHASES, 0.0)
    name, since = "testing", begin
    for line in [*Path(path).read_text(encoding="ascii").splitlines(), f"{end} testing"]:
        at, following = line.split()
        at = min(max(float(at), since), end)
        seconds[name] += at - since
        name, since = following, at
    return seconds
