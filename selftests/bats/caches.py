#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""caches.py FILE: compare the caches of the machine record, which is the first line of
FILE, and the number of CPUs that share each, with sysfs. Prints differences."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools/memcache"))
from mc.records.shape import UNITS, numbers

KINDS = {"Data": "data", "Instruction": "code", "Unified": "unified"}


def of_sysfs(cpus):
    """(CPU, level, kind, bytes, CPUs that share it)"""
    for cpu in cpus:
        for path in Path(f"/sys/devices/system/cpu/cpu{cpu}/cache").glob("index*"):
            kind, level, size, shared = ((path / name).read_text().strip() for name in (
                "type", "level", "size", "shared_cpu_list"))
            yield (cpu, int(level), KINDS[kind], int(size[:-1]) * UNITS[size[-1]],
                   len(numbers(shared)))


with open(sys.argv[1]) as file:
    machine = json.loads(file.readline())
told = {(cpu, c["level"], c["kind"], c["size_bytes"], c["shared_by_cpus"])
        for c in machine["caches"] for cpu in numbers(c["cpus"])}
wanted = set(of_sysfs(numbers(machine["cpus_online"])))
for one in sorted(told ^ wanted):
    print("not in sysfs" if one in told else "only in sysfs", one)
sys.exit(told != wanted or not told)
