# SPDX-License-Identifier: GPL-2.0-only
"""The cost of single accesses to a device for its driver, in sentences. A sentence needs the
results that it compares; without them it is not said."""

from collections.abc import Iterator

from mc.analysis import verdict, words
from mc.analysis.words import Say
from mc.records import units

ALIKE = 1.25        # times that differ by less are alike: rounds differ as much
POSTED_NS = 1000    # more than a store takes that is on its way when the CPU goes on
FENCES = {"none": "nothing", "locked": "a locked instruction"}      # the others have their names


def sentences(results: list[dict], machine: dict, link_mb_per_s: float | None = None) -> list[str]:
    """The sentences on these results of mmio. `link_mb_per_s` is the most that the device's link
    can move."""
    if machine.get("hypervisor") == "tcg":
        return [*_sentence_on_unanswered(results), "What an access costs a driver is not known: an "
                "emulated machine has no times of its own."]
    times = {(one["op"], one["type"], one["width_bytes"]): one["ns_per_access"]
             for one in results if one.get("ns_per_access") is not None}
    uc, read = times.get(("write", "uc", 4)), times.get(("read", "uc", 4))
    posted = uc is not None and read is not None and uc < POSTED_NS and 2 * uc < read
    found = [*_sentences_on_reads(times), *_sentence_on_unanswered(results),
             *_sentences_on_stores(times, posted)]
    if uc is not None and read is not None and not posted and machine.get("hypervisor") is not None:
        return [*found, f"A store takes {uc / read:.2g} times as long as a read, and there is a "
                f"hypervisor ({machine['hypervisor']}): it may emulate each access to this BAR, "
                "and then these are its times, not the device's."]
    return [*found, *_sentences_on_bursts(results, times), *_sentences_on_arrival(results),
            *_sentence_on_link(times, link_mb_per_s)]


Times = dict[tuple[str, str, int], float]


def _sentences_on_reads(times: Times) -> Iterator[str]:
    widths = sorted(width for op, kind, width in times if (op, kind) == ("read", "uc"))
    if 4 in widths:
        uc, wc = times["read", "uc", 4], times.get(("read", "wc", 4))
        yield f"A read of a register of 4 bytes takes {uc:.0f} ns, and the CPU waits for it" + (
            f"; through a WC mapping it takes {wc:.0f} ns." if wc else ".")
    if len(widths) > 1:
        first, last = widths[0], widths[-1]
        low, high = times["read", "uc", first], times["read", "uc", last]
        if high < ALIKE * low:
            yield f"A read of {last} bytes takes no longer than one of {first}, by UC: copy with " \
                  "the widest reads that the device answers."
        else:
            yield f"By UC, a read of {last} bytes takes {high / low:.1f} times as long as one of " \
                  f"{first}, and moves {last // first} times as much."


def _sentence_on_unanswered(results: list[dict]) -> Iterator[str]:
    bad = sorted({one["width_bytes"] for one in results if one.get("wide_reads") == "all_ones"})
    if bad:
        yield f"Reads of {', '.join(map(str, bad))} bytes get only ones: the device does not " \
              "answer them, and their times mean nothing."


def _sentences_on_stores(times: Times, posted: bool) -> Iterator[str]:
    uc, wc = (times.get(("write", kind, 4)) for kind in ("uc", "wc"))
    if uc is not None:
        yield f"A doorbell, a store of 4 bytes, takes {uc:.0f} ns by UC" + (
            f", and {wc:.0f} ns in a row of stores by WC." if wc is not None else ".") + \
            (" The CPU does not wait until it has arrived." if posted else "")
    both, read = times.get(("write_read", "uc", 4)), times.get(("read", "uc", 4))
    if both is not None and read is not None:
        more = f", {both - read:.0f} ns more than the read alone" if both > ALIKE * read else ""
        yield f"To be sure that it has arrived, a driver reads it back: {both:.0f} ns{more}."


def _sentences_on_bursts(results: list[dict], times: Times) -> Iterator[str]:
    burst = times.get(("burst", "wc", 8))
    if burst is None:
        return
    one = next(result for result in results
               if (result["op"], result["type"], result["width_bytes"]) == ("burst", "wc", 8))
    uc = times.get(("burst", "uc", 8))
    yield f"A descriptor of 64 bytes and a flush take {burst:.0f} ns by WC" + (
        f", and {uc:.0f} ns by UC." if uc is not None else ".")
    combined = next((result["burst_bytes"] for result in results if result["type"] == "wc"
                     and result.get("burst_bytes") is not None), None)
    if combined is not None:
        yield f"Stores by WC leave the CPU {combined} bytes at a time" + (
            ": nothing was combined." if combined <= one["width_bytes"] else ".")
    whole = verdict.whole_bursts(one)
    if whole:
        yield f"By WC, {words.whole_bursts(whole)} of descriptors leave the CPU whole."
    elif one.get("whole_how") == "not_told_apart":
        yield "How many descriptors leave the CPU whole is not known: their times do not tell " \
              "two transactions from one."


def _sentences_on_arrival(results: list[dict]) -> Iterator[Say]:
    """When another CPU sees a store, and which fences flags have overtaken. Nothing shows that a
    fence is enough."""
    points: dict[str, dict[str, list[dict]]] = {}
    for one in results:
        if one["op"] == "arrive" and one.get("flags"):
            points.setdefault(one["type"].upper(), {}).setdefault(one["fence"], []).append(one)
    for kind, fences in points.items():
        times, firm, doubts = {}, {}, []
        for key, some in fences.items():
            stores, late, flags, overtakes = (sum(one[part] for one in some) for part in (
                "stores", "late", "flags", "overtakes"))
            facts = {"type": kind, "fence": FENCES.get(key, key), "none": key == "none"}
            doubts += words.said((late, "arrival_late", facts | {"count": (late, stores)}),
                                 (overtakes, "overtaken", facts | {"count": (overtakes, flags)}))
            if not late:
                times[key] = [one["ns_per_access"] for one in some]
            if not overtakes:
                firm[FENCES.get(key, key)] = flags
        if times:
            best = "none" if "none" in times else min(times, key=lambda key: max(times[key]))
            yield Say("arrival", type=kind, medians=times[best],
                      fence="" if best == "none" else FENCES.get(best, best))
        yield from doubts
        if firm:
            yield Say("none_overtook", type=kind, fences=[*firm], n=min(firm.values()))


def _sentence_on_link(times: Times, link: float | None) -> Iterator[str]:
    """The fastest stores by WC, beside what the link can move."""
    rate = max((1000 * width / ns for (op, kind, width), ns in times.items()
                if (op, kind) == ("write", "wc") and ns), default=0)
    if rate and link:
        yield f"Stores by WC move {units.rate_text(rate)}, " + (
            f"{100 * rate / link:.0f} % of what the link can." if rate <= ALIKE * link else
            f"more than the link can ({units.rate_text(link)}): not all had arrived when the time "
            "was read.")
