# SPDX-License-Identifier: GPL-2.0-only
"""The fields of a `result` record: what was asked for, facts that every result has,
the test's own figures."""

DISTURBED = ("disturbed_interrupt", "disturbed_migration", "disturbed_steal",
             "windows_left_out")            # counts too, where they can be told

# What was asked for, in the order in which records have it.
ASKED = ("op", "path", "files", "transfer_bytes", "readers", "file_bytes", "check", "cache",
         "direct", "count", "mode", "generator", "align_bytes", "width_bytes", "fence", "verify",
         "readback", "streams", "pattern", "stride_bytes", "delay_cycles", "state", "home", "item",
         "block_bytes", "capacity", "type", "size_bytes", "cpu", "smt", "node", "irq",
         "disturbed", "page", "prefetch", "repeat", "warmup")
# What every result has, beside what was asked and the test's own figures.
FACTS = ("attribute", "effective", "memory_node", "threads", "remote_threads", "started_unix_ns",
         "window_max_ns", "verified", "samples", "left_out", "left_out_why", *DISTURBED, "min_ns",
         "median_ns", "max_ns", "mean_ns", "sd_ns", "p50_ns", "p99_ns", "cv_percent")
HEAD = ("record", "test", "where")
# What the memory moved meanwhile, as the memory's counters have it; traffic.py.
TRAFFIC = ("payload_bytes", "amplification_read", "amplification_write")
# Figures that say which pair of CPUs a record is of.
WHICH = ("writer_cpu", "reader_cpu")


def asked(result: dict) -> dict:
    """What was asked for. A name that is not known here counts if it stands before
    the facts, in a record whose keys stand as they were written."""
    keys = {key: result[key] for key in ASKED if key in result}
    if next(iter(result), None) == HEAD[0]:
        for key, value in result.items():
            if key in FACTS:
                break
            if key not in HEAD:
                keys.setdefault(key, value)
    return keys


def figures(result: dict) -> dict:
    """The test's own figures."""
    mine = asked(result)
    return {k: v for k, v in result.items() if k not in mine and k not in FACTS + HEAD + TRAFFIC
            and not k.startswith("dram_")}


def telling(rows: list[dict], keys: list[str]) -> list[str]:
    """So many of these keys as it takes to tell the rows apart, or all: what
    varies only along with others is dropped, counts and keys of few values first."""
    def different(chosen: list[str]) -> int:
        return len({tuple(row.get(key) for key in chosen) for row in rows})

    kept, wanted = keys, different(keys)
    for key in sorted(keys, key=lambda key: (key != "count", different([key]))):
        fewer = [other for other in kept if other != key]
        if different(fewer) == wanted:
            kept = fewer
    return kept
