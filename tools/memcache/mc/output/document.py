# SPDX-License-Identifier: GPL-2.0-only
"""The page of `memcache report`: the finding, comparisons, pictures, tables, and behind them the
machines, and how each number was made."""

import time
from collections.abc import Iterator

from mc import grouped, join_words, plural
from mc.output import charts, comparison, draw, finding, page, report
from mc.output.captions import captions, names_of_files, sides, warnings
from mc.parts import Grid, Heading, Part, Sentence
from mc.records import prices, units
from mc.records.fields import request_keys
from mc.records.results import Run, start_times
from mc.records.units import size, text, words

METHOD = [
    "A sample is one timed pass over the whole working set, or several passes if one is too "
    "short for the clock; times are of one pass. A result is `repeat` samples after `warmup` "
    "samples that are discarded. Tables and pictures show the median sample unless they say "
    "otherwise.",
    "The loops are assembly, the same bytes in the kernel and in user space. The threads of a "
    "request start together, and the measurement ends when the first of them ends. With irq=off "
    "the kernel has interrupts off in windows of 5 ms at most. Only the time in windows counts.",
    "MB/s is 10^6 bytes of payload a second. Payload is the bytes that the loop asked for, without "
    "reads for ownership. `na` means not measured.",
    "`data` (`verified` in the records) says whether the data were right: they are read back and "
    "summed. `type is real` (`effective`) says whether memory really had the requested type: the "
    "time of reloading a line is compared with that of WB. `partly` is write-combining memory of "
    "which too few bursts leave the CPU whole. `page tables` (`attribute`) is the type in them, "
    "which only the kernel can read. `spread` is the coefficient of variation of the samples.",
    "`steady` says whether the loop had settled before its samples were taken; figures of one that "
    "had not are marked ~.",
    "Faster, slower and same come from the spread between runs: one run of each side tells only "
    "large factors. See: Comparing, in the manual.",
]
ROWS = 10000        # of a table; nobody reads more, and no browser shows them
STATISTICS = ("samples", "left_out", "min_ns", "median_ns", "mean_ns", "max_ns", "cv_percent",
              "attribute", "effective", "verified", "steady")


def gallery(files: dict[str, list[Run]], drawn: list[charts.Chart]) -> str:
    """A page that has only the pictures, and above them what they must not hide."""
    draw.matplotlib()
    texts = dict(zip(files, captions(files)))
    return page.document(title(files), [
        Heading(title(files), 1), *(Sentence(text, loud=True) for text in warnings(files)),
        *_pictures(texts, drawn)])


def title(files: dict[str, list[Run]]) -> str:
    what = dict.fromkeys(run.suite or run.request["test"]
                         for runs in files.values() for run in runs)
    return f"memcache: {', '.join(what)}"


def beginning(files: dict[str, list[Run]], wide: bool = True) -> Iterator[Part]:
    """The finding, and below it the comparison if there are several sides."""
    sources = charts.sources(files)
    yield from finding.parts(files, sources, names_of_files(files), title(files))
    if len(sources) > 1:
        yield Heading("Comparison", 2)
        yield from comparison.parts(files, wide=wide)[0]


def parts(files: dict[str, list[Run]]) -> Iterator[Part]:
    named = names_of_files(files)
    yield from beginning(files)
    drawn = charts.charts(files)
    if drawn:
        yield Heading("Pictures", 2)
        yield from _pictures(named if len(files) > 1 else {}, drawn)
    yield from results(files)
    yield from _machines(files, named)
    yield Heading("How each number was made", 2, folded=True)
    yield from (Sentence(words(text)) for text in METHOD)
    for name, runs in files.items():
        yield Heading("Requests" if len(files) == 1 else f"Requests of {named[name]}", 2,
                      folded=True)
        yield from _requests(runs)


def results(files: dict[str, list[Run]], wide: bool = True) -> Iterator[Part]:
    """The report of each file."""
    for name, called in names_of_files(files).items():
        yield Heading("Results" if len(files) == 1 else f"Results of {called}", 2)
        yield from report.parts(files[name], wide)


def _machines(files: dict[str, list[Run]], named: dict[str, str]) -> Iterator[Part]:
    """Each machine once, with the times at which each of its files was measured."""
    machines = grouped((tuple(_machine(runs[0].machine)), name) for name, runs in files.items())
    yield Heading("Machine" if len(machines) == 1 else "Machines", 2, folded=len(machines) == 1)
    for rows, names in machines.items():
        if len(machines) > 1:
            yield Heading(join_words(named[name] for name in names), 3, folded=True)
        times = [(f"Measured {named[name]}" if len(names) > 1 else "Measured",
                  _time_text(files[name])) for name in names]
        yield Grid([], [list(row) for row in (*rows, *times)], 2)


def _machine(record: dict) -> list[tuple[str, str]]:
    return [("Kernel", f"Linux {record['kernel']} {record.get('kernel_version') or ''}".strip()),
            ("CPU", ", ".join([record["cpu"], *(
                f"{key[4:]} {record[key]}" for key in ("cpu_family", "cpu_model", "cpu_stepping")
                if record.get(key) is not None)])),
            ("Microcode", str(record.get("microcode") or "na")),
            *_rows_on_layer_below(record),
            ("Caches", ", ".join(
                f"L{cache['level']} {cache['kind']} {size(cache['size_bytes'])}"
                f"{_cpus_of_cache(record, cache)}" for cache in record.get("caches") or []
                if {"level", "kind", "size_bytes"} <= cache.keys()) or "na"),
            ("Nodes", ", ".join(
                f"{node['node']} (CPUs {node['cpus']})" for node in record.get("nodes") or []
                if {"node", "cpus"} <= node.keys())
             or "na"),
            *([("Memory", "; ".join(map(_tier_text, record["tiers"])))]
              if record.get("tiers") else []),
            ("Clock", _clock_text(record)), ("Prefetchers", _prefetcher_text(record))]


def _tier_text(one: dict) -> str:
    """The memory of a node, and what the firmware promises of it."""
    words = [f"node {one['node']}: {', '.join(one['zones'])}"]
    if one["tier"] is not None:
        words.append(f"tier {one['tier']}")
    words += [f"memory-side cache of {size(cache['size_bytes'])}"
              for cache in one.get("memory_side_cache") or []]
    promised = one["promised"] or {}
    for what, latency, rate in (("reads", "read_latency_ns", "read_mb_per_s"),
                                ("writes", "write_latency_ns", "write_mb_per_s")):
        parts = [f"{promised[latency]} ns"] if promised.get(latency) else []
        parts += [f"{promised[rate]} MB/s"] if promised.get(rate) else []
        if parts:
            words.append(f"promised {what} {' and '.join(parts)}")
    return ", ".join(words)


def _cpus_of_cache(record: dict, cache: dict) -> str:
    """The CPUs of a cache, if they are not all CPUs."""
    cpus = cache.get("cpus", record.get("cpus_online"))
    return f" (CPUs {cpus})" if cpus != record.get("cpus_online") else ""


def _rows_on_layer_below(record: dict) -> list[tuple[str, str]]:
    if simulation := prices.simulation(record):
        return [("Simulated", f"by {simulation['emulator']}: its times follow from its prices, "
                 f"and are of no real hardware. {prices.text(record)}")]
    return [("Hypervisor", record.get("hypervisor") or "none")]


def _clock_text(record: dict) -> str:
    words = [str(record.get("clock") or "na")]
    if record.get("clock_khz"):
        words.append(f"{record['clock_khz'] / 1000:.0f} MHz")
    return ", ".join(words)


def _prefetcher_text(record: dict) -> str:
    """The state of the prefetchers and their registers. User space does not know these."""
    prefetch = record.get("prefetch") or {}
    state = prefetch.get("state") or "na"
    registers = [f"MSR {prefetch[f'msr{n}']}, mask {prefetch.get(f'mask{n}')}" for n in ("", "_2")
                 if prefetch.get(f"msr{n}")]
    return f"{state} ({'; '.join(registers)})" if registers else state


def _time_text(runs: list[Run]) -> str:
    times = start_times(runs)
    if not times:
        return "na"
    first, last = (time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(at / 1e9))
                   for at in (min(times), max(times)))
    cost = runs[0].machine.get("clock_cost_ns")
    until = last[11:] if first[:10] == last[:10] else last
    return f"{sides(run.where for run in runs)}, {first} to {until} UTC" + (
        f"; reading the clock cost {text('ns', cost)} ns" if cost else "")


def _pictures(texts: dict[str, str], drawn: list[charts.Chart]) -> Iterator[Part]:
    """The pictures, and below each the texts of its files."""
    captions = []
    for chart in drawn:
        mine = [texts[name] for name in dict.fromkeys(source.file for source in chart.sources)
                if name in texts]
        if chart.left_out:
            mine.append(f"{plural(chart.left_out, 'result')} that failed verification "
                        f"{'is' if chart.left_out == 1 else 'are'} not drawn.")
        captions.append(mine)
    return draw.pictures(drawn, captions)


def _requests(runs: list[Run]) -> Iterator[Part]:
    """Each request as it was run, with the statistics of its records."""
    for run in runs:
        request = run.request
        state = "" if request["state"] == "done" else \
            f"({request['state']}: {request.get('error') or 'na'}) "
        label = f"{run.request['label']}: " if run.request.get("label") else ""
        yield Sentence(state + run.where, code=label + request["line"])
        if len(run.results) > ROWS:
            yield Sentence(f"{plural(len(run.results), 'record')}: too many for a table. The file "
                           "has them, and memcache export --format csv.")
        elif run.results:
            yield _statistics(run)


def _statistics(run: Run) -> Grid:
    requests = [request_keys(result) for result in run.results]
    moving = [key for key in requests[0] if len({str(one.get(key)) for one in requests}) > 1]
    keys = [*moving, *STATISTICS]
    rows = [[text(key, result.get(key)) for key in keys] for result in run.results]
    return Grid([units.name(key) for key in keys], rows, max(len(moving), 1))
