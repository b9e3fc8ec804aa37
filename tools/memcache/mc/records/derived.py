# SPDX-License-Identifier: GPL-2.0-only
"""Figures that the front end derives from what a record counted: the side that measures draws no
conclusions. Records of older versions have these figures, and so do files of `memcache run`."""

from mc.records import refresh

# As tests.json describes the figures of the record itself.
FIGURES: dict[str, list[dict]] = {
    "ramp": [
        {"name": "ms_to_95", "decimals": 2, "help": "when the first step began from which on 95 % "
         "of the steps have 95 % of the settled speed"},
        {"name": "lost_bytes",
         "help": "payload that the steps before that one moved less than settled ones"},
    ],
    "tail": [
        {"name": "refresh", "words": ["found", "not_found"],
         "help": "do spikes have a period? null: there were too few"},
        {"name": "refresh_period_ns", "decimals": 3,
         "help": "time from a pause of the memory to the next"},
        {"name": "refresh_pause_ns", "decimals": 3,
         "help": "length of such a pause: the longest that an access waits for its end"},
        {"name": "refresh_coherence_percent", "decimals": 1,
         "help": "how well spikes keep to the period; random ones: about 5"},
    ],
}

FAST = 0.95         # of the settled speed, and of all later steps
STEP_US = 250       # a step of `ramp`, at least


def figure_names(test: str) -> set[str]:
    return {figure["name"] for figure in FIGURES.get(test, [])}


def add_figures(results: list[dict]) -> None:
    """Add to these results, which are all of a request, the figures that they lack."""
    test = str(results[0].get("test")) if results else ""
    own = figure_names(test)
    if own and (lacking := [result for result in results if not own & result.keys()]):
        for result in lacking:
            result.update(dict.fromkeys(figure["name"] for figure in FIGURES[test]))
        DERIVE[test](lacking)


def _ramps(results: list[dict]) -> None:
    """When a core is as fast as it becomes, and what that has cost: of each record of a whole,
    which those of its steps follow. Some may be missing from a file that was cut short."""
    begins = [i for i, result in enumerate(results) if result.get("scope") == "whole"]
    for begin, end in zip(begins, [*begins[1:], len(results)]):
        whole, steps = results[begin], results[begin + 1:end]
        settled = whole.get("median_ns")
        if not settled or whole.get("steady") == "no" or not whole.get("payload_bytes") or \
                whole.get("steps", len(steps)) != len(steps):
            continue
        speeds = [settled / step["median_ns"] if step.get("median_ns") else None for step in steps]
        # The others are dips that most machines have now and then.
        fast = [speed is not None and speed >= FAST for speed in speeds]
        first = next((k for k, one in enumerate(fast)
                      if one and sum(fast[k:]) >= FAST * (len(fast) - k)), None)
        if first is None:
            continue
        at = steps[first].get("at_us")
        whole["ms_to_95"] = 0.0 if not first or at is None else \
            int(round(10 * at) - 5 * STEP_US) // 100 / 100
        whole["lost_bytes"] = int(sum(
            (1 - min(speed, 1)) * whole["payload_bytes"] * 1000 * STEP_US / settled
            for speed in speeds[:first] if speed is not None))


def _tails(results: list[dict]) -> None:
    for result in results:
        trace = (result.get("tail") or {}).get("trace_ns")
        usual, limit = result.get("ns_per_access"), result.get("spike_limit_ns")
        if not trace or usual is None or limit is None:
            continue
        before = refresh.windows(trace["before"])
        if sum(map(len, before)) < refresh.FEWEST:
            continue
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


DERIVE = {"ramp": _ramps, "tail": _tails}
