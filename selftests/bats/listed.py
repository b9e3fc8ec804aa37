#!/usr/bin/python3 -S
# SPDX-License-Identifier: GPL-2.0-only
"""listed.py FILE: compare what `tests` says of each test with what a run of it shows.

A request shows exactly the keys that are listed, each with its preset unless the line gave
another value. A record has the figures that are listed. Prints what differs. FILE is for the
test `file`.
"""

import json
import re
import sys

FILES = "/sys/kernel/debug/memcache"
GIVEN = {"size": "64K", "repeat": "1"}


def read(name):
    with open(f"{FILES}/{name}", encoding="utf-8") as file:
        return file.read()


def run(line):
    """Write a request line; tell whether the run was done."""
    try:
        with open(f"{FILES}/run", "w", encoding="utf-8") as file:
            file.write(line)
    except OSError:
        return False
    return True


def listed():
    """Each test: its name, its keys with their presets, its figures. A key has a list of
    values and a line of help, too."""
    common = {}
    for name, text in re.findall(r"^([a-z0-9 ]+): .+\n((?:  .*\n)*)", read("tests"), re.MULTILINE):
        keys = dict(re.findall(r"^  ([a-z_]+)=(\S*) +\S+ +\S", text, re.MULTILINE))
        presets = re.findall(r"^  presets: (.+)", text, re.MULTILINE)
        figures = set(re.findall(r"^  > (\S+) +\S", text, re.MULTILINE))
        if len(keys) + len(presets) + len(figures) != text.count("\n") or \
                bool(figures) == (name == "every test"):
            print(f"{name}: lines that are no key, presets or figure, or no figure:\n{text}")
        if name == "every test":
            common = keys
            continue
        yield name, common | keys | dict(
            word.split("=", 1) for line in presets for word in line.split()), figures


def different(file):
    """What differs, a line each."""
    for name, keys, figures in listed():
        # A request that names no file is shown, too.
        given = GIVEN | ({"size": "2M"} if "region" in keys else {})
        words = " ".join(f"{key}={value}" for key, value in given.items())
        if not run(f"{name} {words}") and name != "file":
            yield f"{name}: is refused: {read('run')}"
        shown = re.search(f"^request: {name} (.*)", read("run"), re.MULTILINE)[1].split()
        # cpu= is shown as the list of CPUs that it stands for.
        given |= dict(word.split("=", 1) for word in shown if word.startswith("cpu="))
        wanted = [f"{key}={given.get(key, preset)}" for key, preset in keys.items()]
        for word in sorted(set(shown) ^ set(wanted)):
            yield f"{name}: {word} is {'shown' if word in shown else 'listed'} only"
        if len(shown) != len(wanted):
            yield f"{name}: {len(shown)} keys are shown, {len(wanted)} are listed"
        if name == "file" and not run(f"file op=write path={file} bytes=64K repeat=1"):
            yield f"{name}: is refused: {read('run')}"
        results = [record for record in map(json.loads, read("results.jsonl").splitlines())
                   if record["record"] == "result"]
        if (results[0]["test"], figures - set(results[0])) != (name, set()):
            yield f"{name}: the record of {results[0]['test']} lacks {figures - set(results[0])}"


tests = [name for name, _, _ in listed()]
differences = list(different(sys.argv[1]))
print(*tests, *differences, sep="\n")
sys.exit("bandwidth" not in tests or differences != [])
