# SPDX-License-Identifier: GPL-2.0-only
"""The fields of a `result` record: the keys of the request, the facts that every result has,
and the figures of its test."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import groupby, takewhile
from operator import itemgetter

from mc.records import tests

DISTURBED = ("disturbed_interrupt", "disturbed_migration", "disturbed_steal",
             "disturbed_preemption", "disturbed_neighbour",
             "windows_left_out")    # counts too, where they can be told
HEAD = ("record", "test", "where")
# DRAM traffic during the measurement; see analysis/traffic.py.
TRAFFIC = ("payload_bytes", "amplification_read", "amplification_write")
# Events of the cores during the measurement; see analysis/events.py.
EVENTS = tests.EVENTS
# Fields that every result has. They are neither keys of the request nor figures of the test.
FACTS = tuple(name for name in tests.FACTS if name not in TRAFFIC and not name.startswith("dram_"))
IMPORTED = ("tool", "tool_version", "definition")      # of other programs, see foreign.py
_FACTS = frozenset((*FACTS, *IMPORTED))
# Keys that came later, and their presets. A result with the preset is like one without the key.
LATER = {"align_bytes": 0, "distance_bytes": "auto", "tail_bytes": 0,
         "extent_bytes": "auto", "piece_bytes": "none", "loads": "dependent"}
# Keys that tell no two requests apart: the number of samples, which is another one in each result
# with time=, and what sched=auto could have.
IGNORED = ("repeat", "sched")
ABSENT = object()       # in columns: the result does not have the key
# Figures that say which pair of CPUs a record is of.
WHICH = tests.figures_with_role("which")


def request_keys(result: dict) -> dict:
    """The keys of the request and their values. A key that the test does not have counts as
    well if it stands before the facts in a record whose keys are still in their original
    order. An object that made the memory was asked for, too."""
    keys, values = _getter(result.get("test"), tuple(result))
    by_key = dict(zip(keys, values(result)))
    for key, preset in LATER.items():
        if by_key.get(key) == preset:
            del by_key[key]
    if memory_object := result.get("memory_object"):
        by_key["memory_object"] = memory_object
    return by_key


def request_columns(results: list[dict]) -> dict[str, list]:
    """What request_keys() has of each of these results, by key. Results that have the same fields
    are taken together."""
    columns: dict[str, list] = {}
    before = 0
    for (keys, values), group in groupby(
            results, lambda result: _getter(result.get("test"), tuple(result))):
        alike = list(group)
        mine: dict[str, Iterable] = dict(zip(keys, zip(*map(values, alike))))
        for key in mine.keys() & LATER:
            if not set(found := mine.pop(key)) <= {LATER[key]}:
                mine[key] = [ABSENT if value == LATER[key] else value for value in found]
        if any(result.get("memory_object") for result in alike):
            mine.setdefault("memory_object", [result.get("memory_object") or ABSENT
                                              for result in alike])
        for key in columns | mine:
            columns.setdefault(key, [ABSENT] * before).extend(mine.get(key, [ABSENT] * len(alike)))
        before += len(alike)
    return columns


@lru_cache
def _getter(test: object, fields: tuple[str, ...]) -> tuple[list[str], Callable[[dict], Iterable]]:
    """These keys in a record with these fields, and what takes their values."""
    keys = [key for key in tests.key_columns(test) if key in fields]
    if fields[:1] == HEAD[:1]:
        before = takewhile(lambda key: key not in _FACTS, fields)
        keys += [key for key in before if key not in keys and key not in HEAD]
    if len(keys) > 1:
        return keys, itemgetter(*keys)
    return keys, lambda result: [result[key] for key in keys]


def figures(result: dict) -> dict:
    """The figures of the test."""
    return {name: result[name] for name in _names_of_figures(result.get("test"), tuple(result))}


@lru_cache
def _names_of_figures(test: object, fields: tuple[str, ...]) -> list[str]:
    """The figures in a record with these fields."""
    keys, _ = _getter(test, fields)
    return [name for name in fields if name not in (*keys, *FACTS, *IMPORTED, *HEAD, *TRAFFIC)
            and not name.startswith(("dram_", "expected"))]


def has_settled(result: dict) -> bool:
    """Whether the loop had settled. False only if the record says so: with few samples nobody
    can tell, and older records say nothing."""
    return result.get("steady") != "no"


def distinguishing_keys(rows: list[dict], keys: list[str]) -> list[str]:
    """The keys that are needed to tell the rows apart as well as all keys do. A key that
    only varies together with others is dropped; counts and keys with few values go first."""
    return distinguishing_columns({key: [row.get(key) for row in rows] for key in keys})


def distinguishing_columns(columns: dict[str, list]) -> list[str]:
    """The same for rows of which the columns are known."""
    rows = max(map(len, columns.values()), default=0)

    def count_different(chosen: list[str]) -> int:
        return len(set(zip(*map(columns.__getitem__, chosen)))) if chosen else min(rows, 1)

    kept = list(columns)
    wanted = count_different(kept)
    for key in sorted(kept, key=lambda key: (key != "count", count_different([key]))):
        fewer = [other for other in kept if other != key]
        if count_different(fewer) == wanted:
            kept = fewer
    return kept
