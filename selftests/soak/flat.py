# SPDX-License-Identifier: GPL-2.0-only
"""What must not grow: memory and threads, sampled, and a slope judged."""

import mmap
import re
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import module

# Name, where it stands, in which direction it is a loss, and what a whole soak
# may lose in it. A leak goes on, so it shows in an hour; caches and free lists of
# the kernel sway by less than that once they are warm.
FIGURES = (
    ("MemAvailable", "meminfo", -1, 3072),
    ("Slab", "meminfo", +1, 2048),
    ("SUnreclaim", "meminfo", +1, 1024),
    ("VmallocUsed", "meminfo", +1, 256),
    ("KernelStack", "meminfo", +1, 64),
    ("PageTables", "meminfo", +1, 64),
    ("DirectMap4k", "meminfo", +1, 2048),
    ("direct_map_level2_splits", "vmstat", +1, 1),
    ("direct_map_level3_splits", "vmstat", +1, 0),
    ("tasks", "tasks", +1, 0),
)
WARM_UP = 0.25      # of the samples: not judged
# Any insmod splits mappings: the kernel makes the pages of a module's code
# read-only in its direct map, too. So what is split there is counted apart.
SPLITS = ("DirectMap4k", "direct_map_level2_splits", "direct_map_level3_splits")


def table(path):
    """/proc/meminfo, /proc/vmstat: numbers by name."""
    words = (line.replace(":", " ").split() for line in Path(path).read_text().splitlines())
    return {word[0]: int(word[1]) for word in words}


def kept_free():
    """KiB that CPUs keep for the next who asks: they are free, and not counted so.

    Blocks of 2 MiB are among them, so it is some 10 MiB, and now more, now less.
    """
    pages = re.findall(r"^ +count: +(\d+)$", Path("/proc/zoneinfo").read_text(), re.MULTILINE)
    return sum(map(int, pages)) * mmap.PAGESIZE // 1024


def now():
    """All figures that this kernel has."""
    tasks = int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    found = table("/proc/meminfo") | table("/proc/vmstat") | {"tasks": tasks}
    found["MemAvailable"] += kept_free()
    return {name: found[name] for name, *_ in FIGURES if name in found}


def drop_caches():
    """So that they don't hide what is lost."""
    for what in "4", "3":       # say nothing of it; drop all
        Path("/proc/sys/vm/drop_caches").write_text(what)


def slope(times, values):
    """By Theil and Sen: the median of the slopes of all pairs."""
    pairs = [(values[j] - values[i]) / (times[j] - times[i])
             for i in range(len(values)) for j in range(i + 1, len(values))]
    return median(pairs) if pairs else 0.0


class Flat:
    """Samples of a soak."""

    def __init__(self):
        self.times, self.samples, self.thread_counts = [], [], []
        self.loads, self.by_loads = 0, Counter()

    @contextmanager
    def apart(self):
        """Of what is done here, splits do not count."""
        before = now()
        yield
        self.loads += 1
        self.by_loads.update({name: now()[name] - before[name]
                              for name in SPLITS if name in before})

    def sample(self, seconds):
        """To be called when no run is on."""
        drop_caches()
        self.times.append(seconds)
        self.samples.append({name: value - self.by_loads[name] for name, value in now().items()})
        self.thread_counts.append(module.threads())

    def rows(self):
        """(name, first, last, lowest, highest, a whole soak's drift, limit, holds)."""
        begin = int(len(self.times) * WARM_UP)
        times = self.times[begin:]
        span = times[-1] - times[0]
        for name, _, direction, limit in FIGURES:
            if name not in self.samples[0]:
                continue
            values = [sample[name] for sample in self.samples[begin:]]
            drift = slope(times, values) * span
            yield (name, values[0], values[-1], min(values), max(values), drift, limit,
                   drift * direction <= limit)

    def report(self):
        """The table, as lines; and whether all of it holds."""
        rows = list(self.rows())
        begin = int(len(self.times) * WARM_UP)
        lines = [f"{len(self.times)} samples, {begin} of them warm-up; kB where it is memory",
                 f"{'figure':25} {'first':>9} {'last':>9} {'lowest':>9} {'highest':>9}"
                 f" {'drift':>9} {'limit':>6}"]
        for name, first, last, low, high, drift, limit, holds in rows:
            lines.append(f"{name:25} {first:9} {last:9} {low:9} {high:9} {drift:+9.1f} {limit:6}"
                         f"  {'' if holds else 'GROWS'}".rstrip())
        if self.by_loads:
            lines.append(f"not counted: {self.loads} times insmod, "
                         f"{self.by_loads['direct_map_level2_splits']} splits by them")
        lines.append(f"threads of the module between runs: {max(self.thread_counts)} at most")
        return lines, all(row[-1] for row in rows), max(self.thread_counts) == 0
