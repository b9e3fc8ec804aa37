#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""mappings.py LINE EXPRESSION...: the file `mappings` in the current directory answers that line,
and each expression is true of `head`, its first line, and `rows`, the others."""

import json
import os
import sys

AT = 0x800000000
ARM = os.uname().machine == "aarch64"


def start(row):
    return int(row["physical_range"].partition("+")[0], 16)


def at(address):
    """The rows that have this physical address."""
    return [row for row in rows if start(row) <= address < start(row) + row["bytes"]]


def param(name):
    """A parameter of mc_maps."""
    with open(f"/sys/module/mc_maps/parameters/{name}", encoding="ascii") as file:
        return int(file.read())


with open("mappings", encoding="ascii") as answer:
    head, *rows = map(json.loads, answer)
rows.sort(key=start)
for one in [head, *rows[:20]]:
    print(json.dumps(one))
assert head["record"] == "mappings" and head["records"] == len(rows)
assert head["line"] == sys.argv[1][:len(head["line"])]
for expression in sys.argv[2:]:
    assert eval(expression), expression
