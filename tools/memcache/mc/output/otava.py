# SPDX-License-Identifier: GPL-2.0-only
"""Histories as files for Otava, which looks for change points: tables in CSV, and otava.yaml, which
says where they are and which way each figure is better. A table has the results that the same
files have, because Otava knows no empty cells."""

import csv
import io
import json
import os
import re
import time

from mc import grouped
from mc.analysis.trend import History
from mc.output import files
from mc.output.entries import SECOND
from mc.records import results

ATTRIBUTES = ("kernel", "version", "file")


def write(histories: list[History], folder: str) -> list[str]:
    """Write the files into this folder, and return their names."""
    tables = grouped(((history.machine, *(one.name for one in history.origins)), history)
                     for history in histories)
    written, tests = [], {}
    results.create_directory(folder)
    for number, group in enumerate(tables.values(), 1):
        test = f"memcache-{number}"
        path = os.path.join(folder, f"{test}.csv")
        names = _names(group)
        files.write(path, _table(group, names).encode())
        tests[test] = {"type": "csv", "file": path, "time_column": "time",
                       "attributes": list(ATTRIBUTES),
                       "metrics": {name: {"column": name, "direction":
                                          1 if history.figure.endswith("_per_s") else -1}
                                   for name, history in zip(names, group)}}
        written.append(path)
    config = os.path.join(folder, "otava.yaml")     # JSON is YAML
    files.write(config, json.dumps({"tests": tests}, indent=2).encode() + b"\n")
    return [*written, config]


def _names(group: list[History]) -> list[str]:
    """A word for each history, which no other one has."""
    names: list[str] = []
    for history in group:
        word = re.sub(r"[^\w.]+", "_", f"{history.where} {history.text}").strip("_")
        names.append(word if word not in names else f"{word}_{len(names)}")
    return names


def _table(group: list[History], names: list[str]) -> str:
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["time", *ATTRIBUTES, *names])
    for i, origin in enumerate(group[0].origins):
        begun = time.gmtime(origin.started // SECOND)
        table.writerow([time.strftime("%Y-%m-%dT%H:%M:%S+00:00", begun), origin.kernel,
                        origin.facts["version"] or "na", origin.name,
                        *(f"{history.values[i]:.6g}" for history in group)])
    return out.getvalue()
