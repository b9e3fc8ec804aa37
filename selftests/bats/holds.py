#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""member.py EXPRESSION: print a Python expression about what the module says.

records: all of results.jsonl; results: the results among them; machine: the file;
table: the rows of `results` as dictionaries.
"""

import json
import sys
from pathlib import Path

FILES = Path("/sys/kernel/debug/memcache")


def parse(line):
    def constant(name):
        raise ValueError(f"{name} is not JSON")
    return json.loads(line, parse_constant=constant, object_pairs_hook=once)


def once(pairs):
    """An object, in which no key is there twice."""
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), keys
    return dict(pairs)


def table():
    names, *rows = [line.split() for line in
                    FILES.joinpath("results").read_text().splitlines()]
    assert names.pop(0) == "#"
    return [dict(zip(names, row, strict=True)) for row in rows]


records = [parse(line) for line in FILES.joinpath("results.jsonl").read_text().splitlines()]
scope = {
    "records": records,
    "results": [r for r in records if r["record"] == "result"],
    "machine": parse(FILES.joinpath("machine").read_text()),
    "table": table() if records else [],
}
print(eval(f"({sys.argv[1]})", scope))
