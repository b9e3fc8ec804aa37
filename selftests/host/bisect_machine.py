#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""A machine for tests of tools/bisect: bisect_machine.py build TREE KERNEL, or measure KERNEL
FILE WORD...; before that, bisect_machine.py results writes the results that it copies.

A commit has a file `speed`: how fast its kernel is in MB/s, or what happens instead. The speed
of a boot scatters round that by SCATTER percent; of each three boots it is once less, once that,
and once more. The file CALLS notes each measurement, RESULTS has the results.
"""

import json
import os
import sys
from pathlib import Path

SPEED = 10000.0
FACTORS = (0, -1, 1)


def results() -> int:
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "front"))
    import fake
    line = "bandwidth size=4K repeat=20"
    found = [fake.machine(fake.BARE, {"wb": "yes", "wc": "yes", "uc": "yes"}),
             fake.request(line, 1), fake.result(line, SPEED, 0.2)]
    Path(os.environ["RESULTS"]).write_text(json.dumps(found), encoding="ascii")
    return 0


def build(tree: str, kernel: str) -> int:
    speed = Path(tree, "speed").read_text(encoding="ascii").strip()
    if speed == "broken":
        return 1
    Path(kernel).mkdir()
    Path(kernel, "speed").write_text(speed, encoding="ascii")
    return 0


def measure(kernel: str, file: str, *words: str) -> int:
    speed = Path(kernel, "speed").read_text(encoding="ascii")
    if speed == "dead" or Path(os.environ["CALLS"] + ".stop").exists():
        return 125
    with open(os.environ["CALLS"], "a", encoding="ascii") as calls:
        calls.write(f"{file} {' '.join(words)}\n")
    machine, request, found = json.loads(Path(os.environ["RESULTS"]).read_text(encoding="ascii"))
    machine["kernel"] = Path(kernel).name
    if speed == "other":
        found["effective"] = "no"
        speed = str(SPEED)
    scatter = float(os.environ.get("SCATTER", "0.5")) / 100
    times = SPEED / float(speed) * (1 + FACTORS[int(Path(file).stem) % 3] * scatter)
    found |= {key: found[key] * times for key in found
              if key.endswith("_ns") and key != "started_unix_ns" and found[key]}
    Path(file).write_text("".join(json.dumps(one) + "\n" for one in (machine, request, found)),
                          encoding="ascii")
    return 0


COMMANDS = {"results": results, "build": build, "measure": measure}
sys.exit(COMMANDS[sys.argv[1]](*sys.argv[2:]))
