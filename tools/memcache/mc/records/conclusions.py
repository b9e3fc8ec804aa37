# SPDX-License-Identifier: GPL-2.0-only
"""What follows from the counts of a record: the side that measures draws no conclusions. Records of
older versions have these figures already, as have files of `memcache run`."""

from mc.records import concluded, refresh


def draw(results: list[dict]) -> None:
    """Add to these results, which are all of a request, the figures that they lack."""
    for result in results:
        test = str(result.get("test"))
        if test in CONCLUDE and not concluded.names(test) & result.keys():
            CONCLUDE[test](result)


def _tail(result: dict) -> None:
    trace = (result.get("tail") or {}).get("trace_ns")
    result.update(dict.fromkeys(figure["name"] for figure in concluded.FIGURES["tail"]))
    usual, limit = result.get("ns_per_access"), result.get("spike_limit_ns")
    if not trace or usual is None or limit is None:
        return
    before = refresh.windows(trace["before"])
    if sum(map(len, before)) < refresh.FEWEST:
        return
    pauses = refresh.find(before, usual, limit)
    result["refresh"] = "found" if pauses else "not_found"
    if pauses:
        result["refresh_period_ns"] = round(pauses.period, 3)
        result["refresh_pause_ns"] = round(pauses.length, 3) or None
        result["refresh_coherence_percent"] = round(100 * pauses.coherence, 1)
        _blame(result, pauses, usual)


def _blame(result: dict, pauses: refresh.Pauses, usual: float) -> None:
    """Take spikes of the refresh from those of unknown cause: as many as there are among those of
    the first windows, which the record has one by one."""
    tail, during = result["tail"], refresh.windows(result["tail"]["trace_ns"]["during"])
    marked = [spike for spikes in during for spike in pauses.marked(spikes)]
    unknown, mine = (next((one for one in tail["causes"] if one["cause"] == cause), None)
                     for cause in ("unknown", "refresh"))
    if not unknown or not mine or unknown["count"] is None:
        return
    times = [took for _, took in marked]
    count = round(unknown["count"] * len(marked) / max(tail["trace_ns"]["unknown"], 1))
    excess = sum(times) / max(len(times), 1) - usual
    before = unknown["excess_ns"]
    mine |= {"count": count, "excess_ns": round(min(count * excess, before), 3),
             "longest_ns": max(times) if count else None}
    unknown["count"] -= count
    unknown["excess_ns"] = round(before - mine["excess_ns"], 3) if unknown["count"] else 0.0
    if before and result.get("unknown_percent"):
        result["unknown_percent"] = round(
            result["unknown_percent"] * unknown["excess_ns"] / before, 2)
    _mark(result, marked)
    left = [one[1] for one in tail["worst"] + tail["spikes"] if one[2] == "unknown"]
    unknown["longest_ns"] = max(left, default=unknown["longest_ns"]) if unknown["count"] else None


def _mark(result: dict, marked: list[refresh.Spike]) -> None:
    """Name the cause of those of the longest spikes that are marked. A record has their times
    exactly, and those of its trace in whole ns."""
    at = {round(begin) + off for begin, _ in marked for off in (-1, 0, 1)}
    for one in result["tail"]["worst"] + result["tail"]["spikes"]:
        if one[2] == "unknown" and round(one[0]) in at:
            one[2] = "refresh"
    worst = result["tail"]["worst"]
    if worst and result.get("max_cause") == "unknown":
        result["max_cause"] = worst[0][2]


CONCLUDE = {"tail": _tail}
