# SPDX-License-Identifier: GPL-2.0-only
"""Results that other programs have printed, as records. What they do not say stays null, and
`definition` says in what their figures differ from memcache's of the same name.

A rate that a program defines otherwise is converted where that is exact: `mb_per_s` is payload, as
in all records, and `tool_mb_per_s` what was printed.
"""

import math
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from mc import Failure
from mc.records import results, tests
from mc.records.results import Run
from mc.status import WRONG

UNKNOWN = "unknown"
NUMBER = r"(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)"
# What MLC's traffic is: an operation, and its bytes of payload for each that MLC counts.
MIXES = {"ALL Reads": ("read", 1.0), "3:1 Reads-Writes": ("rw21", 3 / 4),
         "2:1 Reads-Writes": ("rw11", 2 / 3), "1:1 Reads-Writes": ("write", 1 / 2),
         "Stream-triad like": ("nttriad", 1.0)}
LMBENCH = {"unrolled bcopy unaligned": ("copy", 2), "Memory read bandwidth": ("read", 1),
           "Memory write bandwidth": ("write", 1), "libc bcopy unaligned": ("bcopy", 2),
           "libc bcopy aligned": ("bcopy aligned", 2), "Memory bzero bandwidth": ("bzero", 1),
           "unrolled partial bcopy unaligned": ("partial copy", 2),
           "Memory partial read bandwidth": ("partial read", 1),
           "Memory partial write bandwidth": ("partial write", 1),
           "Memory partial read/write bandwidth": ("partial rmw", 2)}
LIKWID = {"load": "read", "store": "write", "copy": "copy", "update": "rmw", "stream": "triad",
          "triad": "triad4"}
WIDTHS = {"": 8, "_sse": 16, "_avx": 32, "_avx512": 64}
# The test, the keys that are known, the figures.
Found = tuple[str, dict, dict]


def _rate(op: str | None, printed: float, payload: float = 1, **known: object) -> Found:
    return "bandwidth", {"op": op, **known}, {"mb_per_s": printed * payload,
                                              "tool_mb_per_s": printed}


def _rows(text: str, pattern: str) -> Iterator[Any]:
    """The groups of each match."""
    return (match.groups() for match in re.finditer(pattern, text, re.M))


def _cells(text: str, heading: str, least: int = 2) -> Iterator[tuple[str | None, str, float]]:
    """The cells of a matrix of nodes or sockets: row, if there are so many at least, column,
    figure."""
    row = r"[ \t]*\d+(?:[ \t]+[\d.-]+)+[ \t]*\n"
    for body in re.findall(rf"{heading}(?:(?!\n\n|homed in).)*?(?:Numa [nN]ode|Socket)[ \t]+"
                           rf"([\d \t]+\n(?:{row})+)", text + "\n", re.S):
        columns, *rows = (line.split() for line in body.splitlines() if line.strip())
        for node, *cells in rows:
            for column, cell in zip(columns, cells):
                if cell != "-":
                    yield f"node {node}" if len(rows) >= least else None, column, float(cell)


def _mlc(text: str, _mhz: float | None) -> Iterator[Found]:
    op = "read" if "Using Read-only traffic type" in text else None
    for cpu, node, ns in _cells(text, "idle latencies"):
        yield "latency", {"cpu": cpu, "node": int(node)}, {"ns_per_load": ns}
    for ns, in _rows(text, rf"Each iteration took .*\(\s*{NUMBER}\s*ns\s*\)"):
        yield "latency", {}, {"ns_per_load": float(ns)}
    for title, printed in _rows(text, rf"^\s*([\w:][\w: -]*?) *:\s+{NUMBER}\s*$"):
        if title in MIXES:
            yield _rate(MIXES[title][0], float(printed), MIXES[title][1])
    for cpu, node, rate in _cells(text, "Memory Bandwidths between nodes"):
        yield _rate(op, rate, cpu=cpu, node=int(node))
    for delay, ns, rate in _rows(text, rf"^\s*(\d{{5}})\s+{NUMBER}\s+{NUMBER}\s*$"):
        if float(ns):
            yield "loaded", {"op": op, "delay_cycles": int(delay)}, {
                "ns_per_load": float(ns), "mb_per_s": float(rate)}
        else:
            yield _rate(op, float(rate))
    for state, ns in _rows(text, rf"^\s*Local Socket L2->L2 (HITM?)\s+latency\s+{NUMBER}\s*$"):
        yield "c2c", {"state": state.lower()}, {"ns_per_line": float(ns)}
    for home in "writer", "reader":
        for writer, reader, ns in _cells(
                text, rf"latency \(data address homed in {home} socket", 1):
            yield "c2c", {"state": "hitm", "home": home, "cpu": f"{writer} to node {reader}"}, {
                "ns_per_line": ns}


def _stream(text: str, _mhz: float | None) -> Iterator[Found]:
    word = re.search(r"This system uses (\d+) bytes per array element", text)
    size = re.search(r"Array size = (\d+)", text)
    threads = re.search(r"Number of Threads (?:counted|requested) = (\d+)", text)
    for name, best, mean, least, most in _rows(
            text, rf"^(Copy|Scale|Add|Triad):\s+{NUMBER}\s+{NUMBER}\s+{NUMBER}\s+{NUMBER}"):
        arrays = 2 if name in ("Copy", "Scale") else 3
        one = int(word[1]) * int(size[1]) if word and size else None
        times = {key: float(value) * 1e9 for key, value in (
            ("mean_ns", mean), ("min_ns", least), ("max_ns", most))}
        known: dict[str, object] = {"size_bytes": one * arrays} if one else {}
        # Times of few digits: the best rate has more of them.
        rate = float(best) * times["min_ns"] / times["mean_ns"] if times["mean_ns"] else None
        yield "bandwidth", {"op": name.lower(), **known}, {
            "mb_per_s": rate, "mb_per_s_max": float(best), **times,
            **({"threads": int(threads[1])} if threads else {})}


def _lmbench(text: str, _mhz: float | None) -> Iterator[Found]:
    title = ""
    for line in text.splitlines():
        row = re.fullmatch(rf"\s*{NUMBER}\s+{NUMBER}\s*", line)
        if not row:
            title = line.strip().strip('"') if line.strip() else ""
            continue
        size, figure = map(float, row.groups())
        if stride := re.fullmatch(r"stride=(\d+)", title):
            yield "latency", {"size_bytes": round(size * 2048) * 512,
                              "stride_bytes": int(stride[1])}, {"ns_per_load": figure}
        elif title in LMBENCH:
            op, payload = LMBENCH[title]
            yield _rate(op, figure, payload, size_bytes=round(size * 1e6))
        elif not title:
            yield _rate(None, figure, size_bytes=round(size * 1e6))


def _likwid(text: str, _mhz: float | None) -> Iterator[Found]:
    for body in text.split("LIKWID MICRO BENCHMARK")[1:]:
        values: dict[str, str] = dict(_rows(body, r"^([^:\n]+):[ \t]+(\S+)"))
        threads = re.search(r"^Using (\d+) threads", body, re.M)
        if not (match := re.fullmatch(r"(\w+?)(_sp)?(_mem)?(_sse|_avx512|_avx|)(_fma)?",
                                      values.get("Test", ""))) or "MByte/s" not in values:
            continue
        op = LIKWID.get(match[1])
        op = ("nt" if match[3] else "") + op if op else values["Test"]
        size = values.get("Size (Byte)", values.get("Size", ""))
        yield "bandwidth", {"op": op, "width_bytes": WIDTHS[match[4]] if match[1] in LIKWID
                            else None, "size_bytes": int(size) if size.isdigit() else None}, {
            "mb_per_s": float(values["MByte/s"]), **({"threads": int(threads[1])} if threads
                                                     else {})}


def _multichase(text: str, _mhz: float | None) -> Iterator[Found]:
    settings: dict[str, int] = {}
    for name, value, alone in _rows(text, rf"^(?:(\w+) = (\d+).*|[ \t]*{NUMBER}[ \t]*)$"):
        if name:
            settings[name] = int(value)
        elif settings.get("nr_threads", 1) == 1:
            yield "latency", {"size_bytes": settings.get("total_memory"),
                              "stride_bytes": settings.get("stride")}, {
                                  "ns_per_load": float(alone)}


def _tinymembench(text: str, _mhz: float | None) -> Iterator[Found]:
    for title, rate in _rows(text, rf"^ (\S.*?)\s+:\s+{NUMBER} MB/s"):
        yield _rate(title, float(rate), 2 if "copy" in title or "memcpy" in title else 1)
    page = None
    for line in text.splitlines():
        if line.startswith("block size"):
            page = "thp" if "[MADV_HUGEPAGE]" in line else "4k" if "NOHUGE" in line else None
        elif row := re.match(rf"\s*(\d+)\s+:\s+{NUMBER} ns", line):
            yield "latency", {"size_bytes": int(row[1]), "page": page}, {
                "ns_per_load": float(row[2])}


def _mess(text: str, mhz: float | None) -> Iterator[Found]:
    for rate, cycles in _rows("" if '"' in text else text,      # lmbench's
                              rf"^\s*{NUMBER}[\s,]+{NUMBER}\s*$"):
        yield "loaded", {}, {"mb_per_s": float(rate), "cycles_per_load": float(cycles),
                             "ns_per_load": float(cycles) * 1e3 / mhz if mhz else None}


# What reads a program's output, what finds its version, and how it defines its figures.
TOOLS: dict[str, tuple[Callable[[str, float | None], Iterator[Found]], str, str]] = {
    "mlc": (_mlc, r"Memory Latency Checker - v(\S+)",
            "it counts a store as a read and a write: mb_per_s was converted to payload, but not "
            "where op is unknown; sizes are those of a thread"),
    "stream": (_stream, r"STREAM version \$Revision: (\S+) \$",
               "mb_per_s is of the mean time, mb_per_s_max the best; the sizes of its arrays are "
               "compiled in"),
    "lmbench": (_lmbench, r"\[lmbench(\S+) results",
                "it counts a byte that is copied once: mb_per_s was converted to payload; MB are "
                "10^6 bytes in rates, MiB in sizes of latency; partial loops take a word in four"),
    "likwid": (_likwid, r"(?i)likwid-bench -- version (\S+)", "sizes are of 1000 bytes a kB"),
    "multichase": (_multichase, r"multichase (?:version )?(\d\S*)",
                   "the best sample, or the mean with -a"),
    "tinymembench": (_tinymembench, r"tinymembench v(\S+)",
                     "latency is the time beyond that of L1, the best; it counts a byte that is "
                     "copied once: mb_per_s was converted to payload"),
    "mess": (_mess, r"(?i)mess (?:benchmark )?v(\d\S*)",
             "rates are those that counters saw at the memory, not payload; latency is in cycles"),
}


def load(tool: str, path: str, text: str, machine: dict | None = None,
         mhz: float | None = None) -> list[Run]:
    """The runs in the output of a program. `machine`: the record of the machine it ran on; `mhz`:
    the clock of latency in cycles. A Failure if the text has no result."""
    reader, pattern, definition = TOOLS[tool]
    version = re.search(pattern, text)
    host = re.search(r"\[lmbench\S+ results for Linux (\S+) (\S+)\]", text)
    unknown: dict[str, Any] = {"record": "machine", "schema": results.SCHEMA, "where": "user",
                               "kernel": UNKNOWN, "cpu": UNKNOWN, "hypervisor": UNKNOWN}
    if host:
        unknown |= {"host": host[1], "kernel": host[2]}
    head = {"tool": tool, "tool_version": version[1] if version else None, "definition": definition}
    runs: dict[str, Run] = {}
    for test, known, figures in _figures_found(reader, path, text, mhz):
        result: dict[str, Any] = dict.fromkeys(("record", "test", "where", *_keys(test)))
        result |= {"record": "result", "test": test, "where": "user"} | known | head | figures
        if test not in runs:
            runs[test] = Run((machine or unknown) | {"imported": tool}, {
                "record": "request", "test": test, "where": "user",
                "line": f"{tool} {path}", "state": "done", "errno": 0, "error": None,
                "points": 0})
        runs[test].results.append(result)
    if not runs:
        commas = re.search(r"\d,\d", text) and not re.search(r"\d\.\d", text)
        raise Failure(f"{path}: no results of {tool} in this file" + (
            "; its figures have decimal commas, which LC_ALL=C avoids" if commas else ""), WRONG)
    return list(runs.values())


def _figures_found(reader: Callable[[str, float | None], Iterator[Found]], path: str, text: str,
                   mhz: float | None) -> Iterator[Found]:
    """What a reader finds in a text, whose lines may have the ends of any system, or of a terminal.
    A row whose figure is no number, such as inf, was not measured, nor was a figure of 0."""
    text = re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", re.sub(r"\r+\n|\r", "\n", text))
    try:
        for test, known, figures in reader(text, mhz):
            if all(0 <= value < math.inf for value in figures.values() if value is not None):
                yield test, known, {name: value or None for name, value in figures.items()}
    except (ValueError, OverflowError) as error:
        raise Failure(f"{path}: a figure can't be read: {error}", WRONG) from None


@cache
def _keys(test: str) -> tuple[str, ...]:
    return tests.key_columns(test)
