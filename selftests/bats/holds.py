#!/usr/bin/python3 -S
# SPDX-License-Identifier: GPL-2.0-only
"""holds.py [EXPRESSION…]: Python expressions, all of which must be true.

records: all of results.jsonl; results: the results among them; machine: the file of
that name; taken(): the set of numbers of samples, those left out included; table: the
rows of `results` as dictionaries; values(NAME): the set of values in the results;
load(FILE): the records of another file; lines(FILE): its lines; caches(FILE): those of sysfs, of
lines `…/cpu0/cache/index0/level:1`; schema(FILE): what its schema says against records, None
without jsonschema; and numbers("0-1"): {0, 1}. The files are those of the
module, or those in $MEMCACHE_DEBUGFS. If a comparison fails, its left side is printed, and
so are the results if anything fails.

Python takes a second to start in an emulated machine, and tests ask hundreds of times. So
without an expression, this program judges for a guest, on the host: see words.bash. It starts
without `site` (-S), and imports only what is needed.
"""

import json
import os
import re
import sys


def parse(line):
    def constant(name):
        raise ValueError(f"{name} is not JSON")
    return json.loads(line, parse_constant=constant, object_pairs_hook=once)


def once(pairs):
    """A JSON object, which must not have a key twice."""
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), keys
    return dict(pairs)


def rows(text):
    """The rows by the names of their columns. The head comes again where a column has come."""
    names, found = [], []
    for line in text.splitlines():
        if line.startswith("# of an earlier request"):
            continue
        if line.startswith("#"):
            names = line.split()[1:]
        else:
            found.append(dict(zip(names, line.split(), strict=True)))
    return found


def numbers(text):
    ends = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return {number for low, *high in ends for number in range(low, (high or [low])[0] + 1)}


def sysfs_caches(lines):
    """(CPU, level, kind, bytes, CPUs that share it)"""
    kinds, found = {"Data": "data", "Instruction": "code", "Unified": "unified"}, {}
    for line in lines:
        path, _, value = line.partition(":")
        *_, cpu, _, index, key = path.split("/")
        found.setdefault((int(cpu[3:]), index), {})[key] = value
    return {(cpu, int(one["level"]), kinds[one["type"]], int(one["size"].rstrip("K")) << 10,
             len(numbers(one["shared_cpu_list"]))) for (cpu, _), one in found.items()}


def schema(text):
    import subprocess
    done = subprocess.run([f"{os.path.dirname(__file__)}/../../tools/check/schema", "-"],
                          input=text, text=True, stdout=-1, stderr=-1, check=False)
    return None if "No module named 'jsonschema'" in done.stderr else done.stdout + done.stderr


def judge(folder, expressions, read, say):
    """Do all of them hold? `read` gives the text of a file, None without it."""
    def lines(path):
        return read(path).splitlines()

    def load(path):
        return [parse(line) for line in lines(path)]

    def values(name):
        return {result[name] for result in results}

    def taken():
        return {result["samples"] + result["left_out"] for result in results}

    records = load(f"{folder}/results.jsonl")
    results = [record for record in records if record["record"] == "result"]
    shown = read(f"{folder}/results") or ""
    scope = {"records": records, "results": results, "values": values, "load": load,
             "lines": lines, "numbers": numbers, "taken": taken,
             "machine": parse(read(f"{folder}/machine")), "table": rows(shown) if records else [],
             "caches": lambda path: sysfs_caches(lines(path)),
             "schema": lambda path: schema(read(path))}
    good = True
    for text in map(str.strip, expressions):
        if not eval(f"({text})", scope):
            import ast
            good = False
            say(f"does not hold: {text}")
            node = ast.parse(f"({text})", mode="eval").body
            if isinstance(node, ast.Compare):
                left = eval(compile(ast.Expression(node.left), "", "eval"), scope)
                say(f"  left side: {left}")
    if not good:
        say(shown)
    return good


def read_here(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


def serve():
    """Judge for a guest. A request is words, each with a NUL behind it: the folder, the
    expressions, and its files as tail(1) prints them with their names; then another NUL. The
    answer is 0 or 1, what there is to say, and a NUL."""
    data = b""
    while more := os.read(0, 1 << 16):
        data += more
        if not data.endswith(b"\0\0"):
            continue
        (folder, *expressions, text), data, said = data[:-2].decode().split("\0"), b"", []
        _, *parts = re.split(r"^\n?==> (.*) <==\n", text, flags=re.MULTILINE)
        files = dict(zip(parts[::2], parts[1::2]))
        try:
            good = judge(folder, expressions, files.get, said.append)
        except Exception:
            import traceback
            good = False
            said.append(traceback.format_exc())
        os.write(1, f"{int(not good)}{''.join(f'{line}{chr(10)}' for line in said)}\0".encode())


if sys.argv[1:]:
    sys.exit(not judge(os.environ.get("MEMCACHE_DEBUGFS", "/sys/kernel/debug/memcache"),
                       sys.argv[1:], read_here, print))
serve()
