# SPDX-License-Identifier: GPL-2.0-only
"""The fields of a `result` record: the keys of the request, the facts that every result has,
and the figures of its test."""

from mc.records import tests

DISTURBED = ("disturbed_interrupt", "disturbed_migration", "disturbed_steal",
             "windows_left_out")            # counts too, where they can be told
HEAD = ("record", "test", "where")
# DRAM traffic during the measurement; see analysis/traffic.py.
TRAFFIC = ("payload_bytes", "amplification_read", "amplification_write")
# Fields that every result has. They are neither keys of the request nor figures of the test.
FACTS = tuple(name for name in tests.FACTS
              if name not in TRAFFIC and not name.startswith("dram_"))
_FACTS = frozenset(FACTS)
# Figures that say which pair of CPUs a record is of.
WHICH = tests.named("which")


def asked(result: dict) -> dict:
    """The keys of the request and their values. A key that the test does not have counts as
    well if it stands before the facts in a record whose keys are still in their original
    order."""
    names = tests.asked(result.get("test"))
    keys = {key: result[key] for key in names if key in result}
    if next(iter(result), None) == HEAD[0]:
        for key, value in result.items():
            if key in _FACTS:
                break
            if key not in keys and key not in HEAD:
                keys[key] = value
    return keys


def figures(result: dict) -> dict:
    """The figures of the test."""
    mine = asked(result)
    return {k: v for k, v in result.items() if k not in mine and k not in FACTS + HEAD + TRAFFIC
            and not k.startswith("dram_")}


def distinguishing_keys(rows: list[dict], keys: list[str]) -> list[str]:
    """The keys that are needed to tell the rows apart as well as all keys do. A key that
    only varies together with others is dropped; counts and keys with few values go first."""
    def different(chosen: list[str]) -> int:
        return len({tuple(row.get(key) for key in chosen) for row in rows})

    kept, wanted = keys, different(keys)
    for key in sorted(keys, key=lambda key: (key != "count", different([key]))):
        fewer = [other for other in kept if other != key]
        if different(fewer) == wanted:
            kept = fewer
    return kept
