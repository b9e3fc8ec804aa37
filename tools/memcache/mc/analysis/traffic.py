# SPDX-License-Identifier: GPL-2.0-only
"""DRAM traffic beside the payload of a loop: a table, and conclusions from it."""

from collections.abc import Iterable, Iterator

from mc.parts import Grid, Heading, Part, Sentence, bullets
from mc.records import fields, tests, units
from mc.records.fields import asked
from mc.records.results import Run

# How many bytes a loop itself reads for each byte that it writes. Memory reads beyond these
# are caused by the stores. rmw is not here, because it reads what it writes.
STORING: dict[str, int] = {op["name"]: op["payload"] - 1 for op in tests.OPERATIONS
                           if "stores" in op and op["payload"] == op["arrays"]}
WHY = {"no_counters": "no counters were set, or the test does not count",
       "not_opened": "a counter could not be opened any more",
       "did_not_run": "a counter was never on its PMU during a sample"}
MOVED = ("dram_read_bytes", "dram_write_bytes")
AMPLIFIED = ("amplification_read", "amplification_write")
IDLE = ("dram_idle_read_mb_per_s", "dram_idle_write_mb_per_s")
PCM = ("dram_pcm_read_mb_per_s", "dram_pcm_write_mb_per_s")
PCM_AMPLIFIED = ("dram_pcm_amplification_read", "dram_pcm_amplification_write")
QUIET = 0.05            # an idle machine may cause this share of the traffic
REACHED = 0.5           # if less than this share of the stores is written, caches hold the rest
NEAR = 0.25             # a ratio this near to 0 or 1 counts as 0 or 1

Pairs = list[tuple[Run, dict]]


def payload_rate(result: dict) -> float | None:
    """The mean rate of payload in MB/s, to compare with the traffic over the same time."""
    mean, bytes_ = result.get("mean_ns"), result.get("payload_bytes")
    if bytes_ is None and _known(result, "mb_per_s") and _known(result, "median_ns"):
        bytes_ = result["mb_per_s"] * result["median_ns"] / 1e3
    return 1e3 * bytes_ / mean if bytes_ and mean else None


def amplified(result: dict, key: str) -> float | None:
    """`amplification_read` or `_write` according to the counters, else according to pcm."""
    own = result.get(key)
    return own if own is not None else result.get(f"dram_pcm_{key}")


def parts(runs: list[Run]) -> list[Part]:
    """The tables and remarks with their heading; empty if nothing was counted."""
    pairs = [(run, result) for run in runs for result in run.results]
    counted = [pair for pair in pairs if any(_known(pair[1], key) for key in MOVED)]
    uncounted = all(result.get("dram_why", "no_counters") == "no_counters" for _, result in pairs)
    seen = [pair for pair in pairs if any(_known(pair[1], key) for key in PCM)]
    found = [*(_counted(counted) if counted else []), *(_pcm(seen) if seen else []),
             *bullets([*_stores(counted), *_idle(counted),
                       *([] if uncounted else _lacking(pairs))], gap=True)]
    return [Heading("Memory traffic"), *found] if found else []


def _known(result: dict, key: str) -> bool:
    return isinstance(result.get(key), (int, float))


def names(pairs: Pairs) -> tuple[list[str], list[list[str]]]:
    """The columns that tell these results apart, and their cells for each result."""
    found = [{"label": run.request.get("label"), "where": result["where"], "test": result["test"]}
             | asked(result) for run, result in pairs]
    varying = [key for key in dict.fromkeys(key for row in found for key in row)
               if len({str(row.get(key)) for row in found}) > 1]
    keys = fields.distinguishing_keys(found, varying) or ["test"]
    return ([units.name(key) for key in keys],
            [["" if row.get(key) is None else units.text(key, row[key]) for key in keys]
             for row in found])


def _counted(pairs: Pairs) -> list[Part]:
    keys, cells = names(pairs)
    rate = units.rates().name
    rows = [[*cell, *(_mb(result, key) for key in ("payload_bytes", *MOVED)),
             *(_number(result, key, 2) for key in AMPLIFIED),
             *(units.text(key, result.get(key)) for key in IDLE)]
            for cell, (_, result) in zip(cells, pairs)]
    return [Grid([*keys, "payload MB", "read MB", "written MB", "read / payload",
                  "written / payload", f"idle read {rate}", f"idle written {rate}"], rows,
                 len(keys)),
            Sentence("MB: 10^6 bytes in a pass according to the counters; idle: before the run, "
                     "not subtracted.")]


def _pcm(pairs: Pairs) -> list[Part]:
    keys, cells = names(pairs)
    rate = units.rates().name
    rows = [[*cell, *(units.text(key, result.get(key)) for key in ("mb_per_s", *PCM)),
             units.text("", result.get("dram_pcm_samples")),
             *(_number(result, key, 2) for key in PCM_AMPLIFIED)]
            for cell, (_, result) in zip(cells, pairs)]
    return [Grid([*keys, f"payload {rate}", f"pcm read {rate}", f"pcm written {rate}",
                  "pcm samples", "pcm read / payload", "pcm written / payload"], rows,
                 len(keys)), Sentence(
        "pcm: from pcm-memory, which counts all traffic of the machine, also between samples. So "
        "ratios are low if there are gaps between samples, and high if data are verified.")]


def _mb(result: dict, key: str) -> str:
    return f"{result[key] / 1e6:.3f}" if _known(result, key) else "na"


def _number(result: dict, key: str, digits: int) -> str:
    return f"{result[key]:.{digits}f}" if _known(result, key) else "na"


def _stores(pairs: Pairs) -> Iterator[str]:
    """Sentences for each operation: whether a line is read before it is written."""
    extra: dict[str, list[float]] = {}
    cached: dict[str, None] = {}
    for _, result in pairs:
        op = result.get("op")
        if result["test"] != "bandwidth" or op not in STORING or result.get("type") != "wb" \
                or not all(_known(result, key) for key in AMPLIFIED):
            continue
        read, written = (result[key] for key in AMPLIFIED)
        if written * (1 + STORING[op]) < REACHED:
            cached[op] = None
        else:
            extra.setdefault(op, []).append(read / written - STORING[op])
    for op, found in extra.items():
        yield f"op={op}{_beyond(op, found)}."
    if cached:
        yield f"{_ops(cached)}: less than half of the stored bytes are written to memory; caches " \
              "hold the rest."


def _beyond(op: str, found: list[float]) -> str:
    low, high = min(found), max(found)
    wanted = " beyond what the loop reads" if STORING[op] else ""
    if low >= 1 - NEAR and high <= 1 + NEAR:
        return f" reads as much as it writes{wanted}: each line is read before it is written " \
               "(read for ownership)"
    if high <= NEAR:
        return f" reads next to nothing{wanted}: lines are written without being read (no read " \
               "for ownership)"
    times = " to ".join(dict.fromkeys(f"{max(value, 0):.2f}" for value in (low, high)))
    return f" reads {times} bytes{wanted} for each that is written"


def _ops(ops: Iterable[str]) -> str:
    return ", ".join(f"op={op}" for op in ops)


def _idle(pairs: Pairs) -> Iterator[str]:
    """A sentence if the idle machine caused a considerable share of the traffic."""
    shares = []
    for _, result in pairs:
        moved = sum(result.get(key) or 0 for key in MOVED)
        idle = sum(result.get(key) or 0 for key in IDLE)    # MB/s: bytes a us
        if moved and _known(result, "dram_counted_ns"):
            shares.append(idle * result["dram_counted_ns"] / 1e3 / moved)
    if shares and max(shares) > QUIET:
        yield f"The idle machine moved up to {100 * max(shares):.0f} % of what was counted. " \
              "These figures include that."


def _lacking(pairs: Pairs) -> Iterator[str]:
    reasons: dict[str, int] = {}
    for _, result in pairs:
        if isinstance(result.get("dram_why"), str):
            reasons[result["dram_why"]] = reasons.get(result["dram_why"], 0) + 1
    for why, count in reasons.items():
        yield f"na in {count} of {len(pairs)} results: {WHY.get(why, why)}."
