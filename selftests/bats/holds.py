#!/usr/bin/python3 -S
# SPDX-License-Identifier: GPL-2.0-only
"""holds.py EXPRESSION…: Python expressions, all of which must be true.

records: all of results.jsonl; results: the results among them; machine: the file of
that name; taken(): the set of numbers of samples, those left out included; table: the
rows of `results` as dictionaries; values(NAME): the set of values in the results;
load(FILE): the records of another file. The files are those of the module, or those in
$MEMCACHE_DEBUGFS. If a comparison fails, its left side is printed.

Tests call this hundreds of times, and Python takes a second to start in an emulated
machine. So it starts without `site` (-S), and imports only what is needed.
"""

import json
import os
import sys

FILES = os.environ.get("MEMCACHE_DEBUGFS", "/sys/kernel/debug/memcache")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def parse(line):
    def constant(name):
        raise ValueError(f"{name} is not JSON")
    return json.loads(line, parse_constant=constant, object_pairs_hook=once)


def once(pairs):
    """A JSON object, which must not have a key twice."""
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), keys
    return dict(pairs)


def load(path):
    return [parse(line) for line in read(path).splitlines()]


def table():
    """The rows by the names of their columns. The head comes again where a column has come."""
    names, rows = [], []
    for line in read(f"{FILES}/results").splitlines():
        if line.startswith("# of an earlier request"):
            continue
        if line.startswith("#"):
            names = line.split()[1:]
        else:
            rows.append(dict(zip(names, line.split(), strict=True)))
    return rows


def values(name):
    return {result[name] for result in results}


def taken():
    return {result["samples"] + result["left_out"] for result in results}


records = load(f"{FILES}/results.jsonl")
results = [record for record in records if record["record"] == "result"]
scope = {"records": records, "results": results, "values": values, "load": load, "taken": taken,
         "machine": parse(read(f"{FILES}/machine")),
         "table": table() if records and os.path.exists(f"{FILES}/results") else []}
failed = False
for text in map(str.strip, sys.argv[1:]):
    if not eval(f"({text})", scope):
        import ast
        failed = True
        print(f"does not hold: {text}")
        node = ast.parse(f"({text})", mode="eval").body
        if isinstance(node, ast.Compare):
            print("  left side:", eval(compile(ast.Expression(node.left), "", "eval"), scope))
sys.exit(failed)
