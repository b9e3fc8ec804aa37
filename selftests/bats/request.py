#!/usr/bin/python3 -S
# SPDX-License-Identifier: GPL-2.0-only
"""request.py [FILE]: write request lines (of stdin), each with one write(2).

A line of FILE is `ERRNO KEY LINE`; in LINE, \\x.. and \\n are what they are in C.
Prints the outcome in the same form: the name of the errno, the key that `run` names in
its error, and the line; and a message if the results have changed.
"""

import errno
import os
import re
import sys

DIRECTORY = "/sys/kernel/debug/memcache"

# Of an errno, as the module writes it: errorcode has only the other name of this one.
NAMES = errno.errorcode | {errno.EOPNOTSUPP: "EOPNOTSUPP"}


def read(name):
    with open(f"{DIRECTORY}/{name}", encoding="utf-8", errors="replace") as file:
        return file.read()


def write(data):
    file = os.open(f"{DIRECTORY}/run", os.O_WRONLY)
    try:
        if os.write(file, data) != len(data):
            return "SHORT"
    except OSError as error:
        return NAMES[error.errno]
    finally:
        os.close(file)
    return "0"


def unescaped(text):
    data = text.encode("latin-1").decode("unicode_escape").encode("latin-1")
    # `…{4096}` at the end stands for the character before it, that many times.
    return re.sub(rb"(.)\{(\d+)\}$", lambda m: m[1] * int(m[2]), data, flags=re.DOTALL)


def main():
    with open(sys.argv[1], encoding="latin-1") if sys.argv[1:] else sys.stdin as file:
        lines = [line.rstrip("\n") for line in file]
    before = read("results.jsonl")
    for line in lines:
        if not line or line.startswith("#"):
            continue
        _, _, *text = line.split(None, 2)
        text = text[0] if text else ""
        name = write(unescaped(text))
        said = read("run")
        error = re.search(r"^error: (\S+) (\S+):", said, re.MULTILINE)
        if name == "EINVAL" and "\nstate: refused\n" not in said:
            name += " (it was not refused)"
        if name != "0" and (not error or error[1] != name):
            name += " (run does not say so)"
        print(f"{name} {error[2] if error else '-'} {text}".rstrip())
        if name != "0" and read("results.jsonl") != before:
            print("  and the results changed")
        before = read("results.jsonl")


if __name__ == "__main__":
    main()
