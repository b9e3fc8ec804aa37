# SPDX-License-Identifier: GPL-2.0-only
"""DRAM traffic beside the payload of a loop: a table, and conclusions from it.

A conclusion needs a sum whose parts are complete. The counters are those of the DDR controllers,
so memory that others serve (CXL, HBM) is not in their sum. The front end puts into the `machine`
record which nodes the counters cover (`dram_counters`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from mc.analysis import hardware
from mc.analysis.words import Say, said
from mc.parts import Grid, Heading, Part, Sentence, bullets
from mc.records import fields, shape, tests, units
from mc.records.fields import request_keys
from mc.records.results import Pairs, Run

# The shares of the payload that each operation of `bandwidth` itself reads and writes.
SHARES: dict[str, tuple[float, float]] = {
    op["name"]: (1 - 1 / op["payload"], 1 / op["payload"]) if "stores" in op else (1, 0)
    for op in tests.OPERATIONS if op["payload"]}
UNCACHED = frozenset(op["name"] for op in tests.OPERATIONS if op.get("nontemporal"))
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
PCM_OTHERS = ("cxl", "pmm", "hbm")      # memory that has figures of its own in dram_pcm_*
ABSURD = 1e8            # MB/s that no machine moves, whatever its modules are
QUIET = 0.05            # an idle machine may cause this share of the traffic
REACHED = 0.5           # caches hold the rest if memory has seen less than this share of a payload
NEAR = 0.25             # a ratio this near to 0 or 1 counts as 0 or 1

# Tests whose payload is in memory that the kernel chooses, not in the buffer of the record.
KERNELS = ("file", "os", "pipe")


def own_nodes(machine: dict) -> set[int] | None:
    """The nodes that have memory; None if the record does not say."""
    nodes = {node["node"] for node in machine.get("nodes", []) if node.get("memory_bytes") != 0}
    return nodes | {node["node"] for node in machine.get("tiers", [])} or None


def used_nodes(result: dict) -> set[int]:
    """The nodes whose memory a result is of; empty if they are not known."""
    node = result.get("memory_node")
    if result["test"] in KERNELS or result.get("target", "ram") != "ram" or node == "mixed":
        return set()
    return set(shape.numbers("" if node is None else str(node)))


def has_no_cpus(machine: dict, node: int) -> bool:
    """Whether a node is known to have memory and no CPU, as CXL and HBM have nodes of their own.
    The record says which CPUs a node has, to whom the firmware promises its latency, or that its
    memory is of another tier than that of the first node."""
    for one in machine.get("nodes", []):
        if one["node"] == node:
            return not one.get("cpus")
    tiers = {one["node"]: one for one in machine.get("tiers", [])}
    mine, first = tiers.get(node), tiers.get(min(tiers, default=0))
    if not mine or not first:
        return False
    near = (mine.get("promised") or {}).get("from_nodes")
    return node not in near if near else None not in (mine.get("tier"), first.get("tier")) and \
        mine["tier"] != first["tier"]


def uncounted_nodes(run: Run, result: dict) -> set[int]:
    """The nodes of a result whose memory the counters are known not to count, or not to count
    completely."""
    coverage = run.machine.get("dram_counters")
    return {node for node in used_nodes(result) if has_no_cpus(run.machine, node)
            or (coverage and node not in coverage["nodes"])}


def is_seen_in_part(result: dict) -> bool:
    """Whether the counters saw less than half of what a loop moved to or from memory: they do not
    count all of it, whatever else is known of them."""
    op = result.get("op")
    if result["test"] != "bandwidth" or op not in SHARES or \
            not all(_has_number(result, key) for key in AMPLIFIED):
        return False
    read, written = (result[key] < REACHED * share for key, share in zip(AMPLIFIED, SHARES[op]))
    return (read or written) if result.get("level") == "memory" else written and op in UNCACHED


def is_unseen(run: Run, result: dict) -> bool:
    """Whether the counters are known not to have seen all of the traffic of a result."""
    return bool(uncounted_nodes(run, result)) or is_seen_in_part(result)


def is_covered(run: Run, result: dict) -> bool:
    """Whether the counters count all of the memory that a result is of."""
    coverage, nodes = run.machine.get("dram_counters"), used_nodes(result)
    if not coverage or result.get("target", "ram") != "ram" or is_unseen(run, result):
        return False
    every = own_nodes(run.machine)
    return bool(nodes) or (every is not None and every <= set(coverage["nodes"]))


def claimed_rate(result: dict) -> float:
    """The MB/s that the counters claim: that of the memory in the samples, that of the idle
    machine, or that of pcm, whichever is the most."""
    ns = result.get("dram_counted_ns")
    moved = sum(result.get(key) or 0 for key in MOVED)
    return max(1e3 * moved / ns if ns else 0,
               *(sum(result.get(key) or 0 for key in keys) for keys in (IDLE, PCM)))


def is_overcounted(run: Run, result: dict) -> bool:
    """Whether the counters claim more than the memory modules can deliver."""
    return claimed_rate(result) > (hardware.peak(run.machine) or ABSURD)


def allows_conclusions(run: Run, result: dict) -> bool:
    return is_covered(run, result) and not is_overcounted(run, result)


def payload_rate(result: dict) -> float | None:
    """The mean rate of payload in MB/s, to compare with the traffic over the same time."""
    mean, bytes_ = result.get("mean_ns"), result.get("payload_bytes")
    if bytes_ is None and _has_number(result, "mb_per_s") and _has_number(result, "median_ns"):
        bytes_ = result["mb_per_s"] * result["median_ns"] / 1e3
    return 1e3 * bytes_ / mean if bytes_ and mean else None


def amplification(run: Run, result: dict, key: str) -> float | None:
    """A figure of a result. `amplification_read` and `_write` are those of the counters, else
    those of pcm; of memory that the counters do not count there are none."""
    own = result.get(key)
    if key in AMPLIFIED and own is not None and is_unseen(run, result):
        own = None
    return own if own is not None else result.get(f"dram_pcm_{key}")


def parts(runs: list[Run]) -> list[Part]:
    """The tables and remarks with their heading; empty if nothing was counted."""
    pairs = [(run, result) for run in runs for result in run.results]
    counted = [pair for pair in pairs if _has_a_number(pair[1], MOVED)]
    uncounted = all(result.get("dram_why", "no_counters") == "no_counters" for _, result in pairs)
    with_pcm = [pair for pair in pairs if _has_a_number(pair[1], PCM)]
    report = [*(_table_of_counters(counted) if counted else []),
              *(_table_of_pcm(with_pcm) if with_pcm else []),
              *bullets([*_remarks_on_uncounted_nodes(counted),
                        *overcounted_remarks(counted + with_pcm), *_remarks_on_stores(counted),
                        *_remarks_on_other_memory(with_pcm), *_remark_on_idle_traffic(counted),
                        *([] if uncounted else _reasons_without_counts(pairs))], gap=True)]
    return [Heading("Memory traffic"), *report] if report else []


def _has_a_number(result: dict, keys: Iterable[str]) -> bool:
    values = [*map(result.get, keys)]
    return values.count(None) < len(values) and any(_has_number(result, key) for key in keys)


def _has_number(result: dict, key: str) -> bool:
    return isinstance(result.get(key), (int, float))


def names(pairs: Pairs) -> tuple[list[str], list[list[str]]]:
    """The columns that tell these results apart, and their cells for each result."""
    rows = [{"label": run.request.get("label"), "where": result["where"], "test": result["test"]}
            | request_keys(result) for run, result in pairs]
    varying = [key for key in dict.fromkeys(key for row in rows for key in row)
               if len({str(row.get(key)) for row in rows}) > 1]
    keys = fields.distinguishing_keys(rows, varying) or ["test"]
    return ([units.name(key) for key in keys],
            [["" if row.get(key) is None else units.text(key, row[key]) for key in keys]
             for row in rows])


def _table_of_counters(pairs: Pairs) -> list[Part]:
    keys, cells = names(pairs)
    rate = units.rates().name
    rows = [[*cell, *(_mb(result, key) for key in ("payload_bytes", *MOVED)),
             *(_ratio(run, result, key) for key in AMPLIFIED),
             *(units.text(key, result.get(key)) for key in IDLE)]
            for cell, (run, result) in zip(cells, pairs)]
    return [Grid([*keys, "payload MB", "read MB", "written MB", "read / payload",
                  "written / payload", f"idle read {rate}", f"idle written {rate}"], rows,
                 len(keys)),
            Sentence("MB: 10^6 bytes in a pass according to the counters; idle: before the run, "
                     "not subtracted.")]


def _table_of_pcm(pairs: Pairs) -> list[Part]:
    keys, cells = names(pairs)
    rate = units.rates().name
    rows = [[*cell, *(units.text(key, result.get(key)) for key in ("mb_per_s", *PCM)),
             units.text("", result.get("dram_pcm_samples")),
             *(_ratio(run, result, key) for key in PCM_AMPLIFIED)]
            for cell, (run, result) in zip(cells, pairs)]
    return [Grid([*keys, f"payload {rate}", f"pcm read {rate}", f"pcm written {rate}",
                  "pcm samples", "pcm read / payload", "pcm written / payload"], rows,
                 len(keys)), Sentence(
        "pcm: from pcm-memory, which counts all traffic of the machine, also between samples. So "
        "ratios are low if there are gaps between samples, and high if data are verified.")]


def _mb(result: dict, key: str) -> str:
    return f"{result[key] / 1e6:.3f}" if _has_number(result, key) else "na"


def _ratio(run: Run, result: dict, key: str) -> str:
    """An amplification, with ? if the counters claim more than the memory can move."""
    if not _has_number(result, key) or (key in AMPLIFIED and is_unseen(run, result)):
        return "na"
    return f"{'?' * is_overcounted(run, result)}{result[key]:.2f}"


def _remarks_on_uncounted_nodes(pairs: Pairs) -> Iterator[Say]:
    """Sentences on nodes whose memory the counters do not count."""
    for only in (True, False):
        nodes = {node for run, result in pairs for node in uncounted_nodes(run, result)
                 if has_no_cpus(run.machine, node) == only}
        if nodes:
            yield Say("nodes_uncounted", nodes=shape.cpu_list(nodes), without_cpu=only)


def overcounted_remarks(pairs: Pairs) -> Iterator[Say]:
    """A warning for each result of which the counters claim too much."""
    for run, result in {id(result): (run, result) for run, result in pairs}.values():
        if is_overcounted(run, result):
            most, rate = hardware.peak(run.machine), claimed_rate(result)
            name = run.request.get("label") or " ".join(
                [result["test"], *(f"{units.name(key)}={units.text(key, result[key])}"
                                   for key in ("op", "size_bytes") if key in result)])
            yield Say("overcounted", result=name, rate=rate, percent=most and 100 * rate / most)


def _remarks_on_other_memory(pairs: Pairs) -> Iterator[str]:
    """A sentence for each kind of memory that has figures of its own from pcm."""
    for kind in PCM_OTHERS:
        keys = [f"dram_pcm_{kind}_{way}_mb_per_s" for way in ("read", "write")]
        most = [max((result.get(key) or 0 for _, result in pairs), default=0) for key in keys]
        if any(most):
            yield other_traffic(kind, most, False)


def other_traffic(kind: str, rates: list[float], within: bool) -> str:
    """`pcm saw 20000 MB/s of CXL traffic (read), which Read and Write do not include`; `rates`:
    read and written; `within`: Read and Write include them"""
    texts = [f"{units.rate_text(rate)} of {kind.upper()} traffic ({way})"
             for rate, way in zip(rates, ("read", "written")) if rate]
    return f"pcm saw {' and '.join(texts)}, which " + (
        "Read and Write include: if it is a cache of other memory, they count both." if within else
        "Read and Write do not include." if kind == "cxl" else
        "the figures of reads and writes here do not include.")


def _remarks_on_stores(pairs: Pairs) -> Iterator[Say]:
    """Sentences for each operation: whether a line is read before it is written, or why that can't
    be told."""
    extra: dict[str, list[float]] = {}
    cached: dict[str, None] = {}
    short: dict[str, None] = {}
    unknown: dict[str, None] = {}
    for run, result in pairs:
        op = result.get("op")
        if not all(_has_number(result, key) for key in AMPLIFIED) or uncounted_nodes(run, result) \
                or is_overcounted(run, result):
            continue
        if is_seen_in_part(result):
            short[str(op)] = None
        if is_seen_in_part(result) or result["test"] != "bandwidth" or op not in STORING \
                or result.get("type") != "wb":
            continue
        read, written = (result[key] for key in AMPLIFIED)
        # No level holds what non-temporal stores write.
        if result.get("level") is None and op not in UNCACHED or not is_covered(run, result):
            unknown[op] = None
        elif written < REACHED * SHARES[op][1]:
            cached[op] = None
        else:
            extra.setdefault(op, []).append(read / written - STORING[op])
    for op, ratios in extra.items():
        low, high = min(ratios), max(ratios)
        yield Say("ownership" if low >= 1 - NEAR and high <= 1 + NEAR else
                  "no_ownership" if high <= NEAR else "part_ownership", op=op,
                  bytes=[max(low, 0), max(high, 0)], beyond=bool(STORING[op]))
    yield from said((cached, "stores_cached", {"ops": _ops(cached)}),
                    (short, "stores_uncounted", {
                        "ops": _ops(short), "nontemporal": bool(UNCACHED & set(short))}),
                    (unknown, "ownership_unknown", {"ops": _ops(unknown)}))


def _ops(ops: Iterable[str]) -> list[str]:
    return [f"op={op}" for op in ops]


def _remark_on_idle_traffic(pairs: Pairs) -> list[Say]:
    """A sentence if the idle machine caused a considerable share of the traffic."""
    shares = [0.0]
    for run, result in pairs:
        moved = sum(result.get(key) or 0 for key in MOVED)
        idle = sum(result.get(key) or 0 for key in IDLE)    # MB/s: bytes a us
        if not is_overcounted(run, result) and moved and _has_number(result, "dram_counted_ns"):
            shares.append(idle * result["dram_counted_ns"] / 1e3 / moved)
    most = max(shares)
    return said((most > 1, "idle_is_all", {}),
                (QUIET < most <= 1, "idle_share", {"percent": 100 * most}))


def _reasons_without_counts(pairs: Pairs) -> list[Say]:
    reasons = Counter(result["dram_why"] for _, result in pairs
                      if isinstance(result.get("dram_why"), str))
    return [Say("not_counted", count=(count, len(pairs)), reason=WHY.get(why, why))
            for why, count in reasons.items()]
