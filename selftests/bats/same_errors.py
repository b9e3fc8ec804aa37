#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""same_errors.py FILE PROGRAM: compare the errors of the module and of PROGRAM.

Writes the request lines of FILE (see request.py) to `run` and passes them to PROGRAM.
Prints each line for which the errors differ, with both errors below it, and the number
of lines. Figures that depend on the machine are not compared.
"""

import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from request import NAMES, read, unescaped, write  # noqa: E402

LONGEST = 128 << 10    # of an argument


def by_module(data):
    write(data)
    error = re.search(r"^error: (.*)", read("run"), re.MULTILINE)
    return error[1] if error else "none"


def by_program(program, line):
    """A process for each line: one that gets several measures nothing if one is wrong. With -j an
    error is one line."""
    done = subprocess.run([program, "-j", line], capture_output=True, check=False)
    names = {os.strerror(number): name for number, name in NAMES.items()}
    said = re.fullmatch("memcache-user: ([^:]*): (.*)\n", done.stderr.decode())
    return f"{names.get(said[1])} {said[2]}" if said else "none"


def alike(text):
    """The text without figures of the machine, and where the side lists its tests."""
    text = text.replace("memcache-user --tests lists them", "the file tests lists them")
    return re.sub(r"\d+ MiB", "N MiB", text)


def main():
    with open(sys.argv[1], encoding="latin-1") as file:
        rows = [line.rstrip("\n").split(None, 2) for line in file if line[0] not in "#\n"]
    texts = [row[2] if row[2:] else "" for row in rows]
    # Only these lines can be arguments of a program.
    lines = {text: data for text, data in zip(texts, map(unescaped, texts))
             if b"\0" not in data and len(data) < LONGEST}
    for text, data in lines.items():
        here, there = by_module(data), by_program(sys.argv[2], data)
        if alike(here) != alike(there):
            print(f"{text}\n  {here}\n  {there}")
    print(f"{len(lines)} lines")


if __name__ == "__main__":
    main()
