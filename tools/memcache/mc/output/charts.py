# SPDX-License-Identifier: GPL-2.0-only
"""The charts that results make; draw.py draws them.

Results of the same section and test, from all files, make charts: curves over size, latency
over bandwidth, heat maps of matrices, bars on a log axis. The layouts of the suite decide which,
or the figures of the test.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mc import grouped
from mc.analysis import levels, marks, regions, steps
from mc.output.layout import best, different_values, is_of_many_cpus, layouts_of
from mc.records import fields, suite, tests, units
from mc.records.fields import request_keys
from mc.records.places import PLACES, nearness, value
from mc.records.results import Pairs, Run
from mc.records.shape import data_caches, numbers
from mc.records.suite import Layout

# The words in the title of a section that describe its table.
PLACED = re.compile(r"[,:]? ?[\w' ]+ \((?:rows|columns)\)")
RAISED = re.compile(r"\^(\d+)")
SUPERSCRIPT = str.maketrans("0123456789", "\u2070\u00b9\u00b2\u00b3\u2074"
                                          "\u2075\u2076\u2077\u2078\u2079")
MIN_POINTS = 3          # fewer points make no curve
MOST_SERIES = 12        # more series can't be told apart
MOST_BARS = 40

SPEED = "speed"     # of a host, against its group's
LOADS = "loads"     # ns_per_load, and how much below it the fastest pass was
# Keys whose values do not make a series each.
ASIDE = ("repeat", "warmup")
LABELS = {"size_bytes": "working set", "begin_mib": "address, GiB",
          "delay_cycles": "delay, cycles", "median_ns": "ns", "seconds": "s",
          "access_ns": "ns an access", "beyond": "share of accesses that take so long or longer",
          LOADS: tests.unit("ns_per_load"), SPEED: "speed", "host": "", "result": ""}


@dataclass(frozen=True)
class Source:
    """One side of the system-call boundary in one file, whose results are drawn. `name` is
    empty where there is one source only."""
    file: str
    where: str
    name: str = ""


@dataclass(frozen=True)
class Point:
    """A point. `low` and `high` are values of the fastest and the slowest sample; `real` says
    whether the memory really was of its type, `odd` whether it is slower than it should be;
    `doubt` has the marks that tables show beside the figure (analysis/marks.py)."""
    x: Any
    y: float
    low: float | None = None
    high: float | None = None
    real: bool = True
    odd: bool = False
    doubt: str = ""


@dataclass
class Series:
    name: str
    source: int
    points: list[Point] = field(default_factory=list)


@dataclass(frozen=True)
class Mark:
    """A level: its sizes, and the time of the fastest passes there."""
    name: str
    first: float
    last: float
    y: float


@dataclass
class Chart:
    """A chart.

    kind: curves, bars, matrix, regions, tail, spikes or history
    x: the key of its positions
    linear: both axes are linear and begin at 0
    ends: the longest and the shortest delay, if curves go from one to the other
    """
    kind: str
    title: str
    x: str
    y: str
    series: list[Series]
    sources: list[Source]
    marks: list[Mark] = field(default_factory=list)
    caches: list[tuple[str, int]] = field(default_factory=list)
    rows: list = field(default_factory=list)        # of a matrix
    columns: list = field(default_factory=list)     # of a matrix, of bars and of a history
    row: str = ""
    left_out: int = 0           # failed verification
    is_emulated: bool = False
    linear: bool = False
    ends: tuple[int, int] | None = None

    @property
    def has_unreal_points(self) -> bool:
        return any(not point.real for series in self.series for point in series.points)

    @property
    def doubts(self) -> str:
        """The marks of all points."""
        return marks.join_marks(point.doubt for series in self.series for point in series.points)


def label(key: str) -> str:
    """The label of an axis."""
    unit, _, means = RAISED.sub(lambda power: power[1].translate(SUPERSCRIPT),
                                units.words(tests.unit(key))).partition(": ")
    return LABELS[key] if key in LABELS else (f"{unit} ({means})" if means else unit) \
        or units.name(key).replace("_", " ")


Cell = tuple[int, Run, dict]        # source, run, result


def sources(files: dict[str, list[Run]]) -> list[Source]:
    """The sources, with names just long enough: A, B for files, kernel, user for sides."""
    pairs = list(dict.fromkeys((name, result["where"]) for name, runs in files.items()
                               for run in runs for result in run.results))
    files_of = [name for name, _ in pairs]
    letters = {name: chr(ord("A") + i % 26) for i, name in enumerate(files)}
    return [Source(name, where, " ".join(filter(None, [
        letters[name] if len(files) > 1 else "", where if files_of.count(name) > 1 else ""])))
        for name, where in pairs]


def charts(files: dict[str, list[Run]]) -> list[Chart]:
    """The charts of these files, in the order in which the results were measured."""
    all_charts: list[Chart] = []
    all_sources = sources(files)
    places = {(source.file, source.where): i for i, source in enumerate(all_sources)}
    for (test, title, layouts), cells in _groups(files, places).items():
        good = [cell for cell in cells if cell[2].get("verified") != "failed"]
        for chart in _charts(test, list(layouts), good):
            chart.title = ": ".join(filter(None, [PLACED.sub("", title), chart.title]))
            chart.sources = [all_sources[i] for i in sorted({s.source for s in chart.series})]
            chart.left_out = len(cells) - len(good)
            chart.is_emulated = any(run.machine.get("hypervisor") == "tcg" for _, run, _ in good)
            all_charts.append(chart)
    return all_charts


def _groups(files: dict[str, list[Run]], places: dict) -> dict[tuple, list[Cell]]:
    groups: dict[tuple, list[Cell]] = {}
    for name, runs in files.items():
        for run in runs:
            its_suite = suite.suite_of_request(run.request)
            section = its_suite.section(run.section) if its_suite else None
            test = run.request["test"]
            layouts = tuple((section.layouts if section else []) or
                            layouts_of(test, run.results))
            # Both versions of a suite share charts: that of a short one ends with brackets.
            title = run.section or (its_suite.title.partition(" (")[0] if its_suite else test)
            groups.setdefault((test, title, layouts), []).extend(
                (places[name, result["where"]], run, result) for result in run.results)
    return groups


def _charts(test: str, layouts: list[Layout], cells: list[Cell]) -> list[Chart]:
    if test == "scan":
        return _region_charts(cells)
    if test == "tail":
        return _tail_charts(cells)
    main, over = tests.test_of(test).main(), tests.test_of(test).figures_with_role("over")
    if main and over:
        along = over[0] if tests.test_of(test).records == "step" else next(
            (one.rows for one in layouts_of(test)), "size_bytes")
        return _figure_curves(over[0], main, along, cells)
    if test == "latency" and not any(one.rows in PLACES for one in layouts):
        return _curves("size_bytes", LOADS, cells)
    drawn = [chart for one in layouts for chart in _layout_charts(one, cells)]
    return drawn or _default_charts(test, cells)


def _layout_charts(one: Layout, cells: list[Cell]) -> list[Chart]:
    """The charts for a table of a suite."""
    cells = [cell for cell in cells if all(
        str(value(*cell[1:], key)) == wanted for key, wanted in one.only)]
    if one.best:
        return _best_charts(one, cells)
    figure = one.values[0]
    cells = [cell for cell in cells if _has_figure(cell[2], figure)]
    if one.rows == "pair_class":
        cells.sort(key=lambda cell: nearness(cell[2]))
    if is_of_many_cpus(one, [result for *_, result in cells]):
        drawn = _matrices("writer_node", "reader_node", figure, cells)
        places = {(r[one.rows], r[str(one.columns)]) for *_, r in cells}
        if len({a for a, _ in places}) ** 2 > 2 * len(places):      # some pairs of each class
            return drawn
        near = _neighbours([(run, result) for _, run, result in cells])
        for chart in (large := _matrices(one.rows, str(one.columns), figure, cells)):
            for axis in (chart.rows, chart.columns):
                axis.sort(key=lambda cpu: near.get(cpu, (0, cpu)))
        return drawn + large
    if one.columns and _is_place(one.rows) and _is_place(one.columns):
        return _matrices(one.rows, one.columns, figure, cells)
    if one.rows.endswith("_bytes"):
        return _curves(one.rows, figure, cells) or _bars(one.rows, one.columns, figure, cells)
    drawn = _bars(one.columns or one.rows, one.rows if one.columns else None, figure, cells)
    promised = next((name for name in one.values if name.startswith("promised_")), None)
    return [_with_promises(chart, promised, cells) for chart in drawn] if promised else drawn


def _with_promises(chart: Chart, promised: str, cells: list[Cell]) -> Chart:
    """The chart of what was measured, with bars for what the firmware promises."""
    promises: dict[int, dict[Any, float]] = {}
    for source, run, result in cells:
        promise = value(run, result, promised)
        if isinstance(promise, int):
            promises.setdefault(source, {})[value(run, result, chart.x)] = \
                units.in_shown_unit(chart.y, promise)
    measured = [replace(one, name=one.name or "measured") for one in chart.series]
    return replace(chart, series=measured + [
        Series("promised", source, [Point(*place) for place in promise.items()])
        for source, promise in promises.items()])


def _best_charts(one: Layout, cells: list[Cell]) -> list[Chart]:
    """The bars of a search: of what was the best with each value of a key."""
    cells = [(source, *pair) for source in dict.fromkeys(cell[0] for cell in cells)
             for pair in best(one, [cell[1:] for cell in cells if cell[0] == source])]
    drawn = _layout_charts(replace(one, best=None), cells)
    for chart in drawn:
        chart.title = f"by {label(chart.x)}" if one.columns else ""
        chart.columns = different_values(chart.columns)
    return drawn


def _is_place(key: str) -> bool:
    return key in PLACES and key != "pair" or key in ("writer_cpu", "reader_cpu")


def _default_charts(test: str, cells: list[Cell]) -> list[Chart]:
    """The charts of a test without a layout: over the size that has most values."""
    figure = tests.test_of(test).main() or ("median_ns" if not any(
        _has_figure(r, "mb_per_s") for *_, r in cells) else "mb_per_s")
    cells = [cell for cell in cells if _has_figure(cell[2], figure)]
    sizes = max(("size_bytes", "block_bytes"), key=lambda key: len(
        {request_keys(r).get(key) for *_, r in cells}))
    return _curves(sizes, figure, cells) or _bars(None, None, figure, cells)


# --------------------------------------------------------------------- curves

def _curves(x: str, y: str, cells: list[Cell]) -> list[Chart]:
    """Curves of y over x, with a series for all other keys that differ. Results with less than
    three points become bars. Without any curve there is no chart."""
    figure = "ns_per_load" if y == LOADS else y
    cells = [cell for cell in cells if _has_figure(cell[2], figure) and _has_figure(cell[2], x)]
    long = [members for _, members in _series([x], cells)
            if len({result[x] for *_, result in members}) >= MIN_POINTS]
    kept = [cell for members in long for cell in members]
    if not kept:
        return []
    series = _series([x], kept)
    for one, members in series:
        points = grouped((result[x], _point_of_loads(run, result) if y == LOADS else
                          _point(result[x], y, run, result)) for _, run, result in members)
        one.points = sorted(map(_median_point, points.values()), key=lambda point: point.x)
    chart = Chart("curves", _common_keys(x, cells, kept), x, y, [one for one, _ in series], [])
    _mark_caches(chart, kept)
    if kept[0][2]["test"] == "latency":
        _mark_levels(chart, kept)
    drawn = set(map(id, kept))
    rest = [cell for cell in cells if id(cell) not in drawn]
    bars = _bars(None, None, figure, rest)
    for bar in bars:
        bar.title = _common_keys(x, cells, rest)
    return [*_split_chart(chart), *bars]


def _common_keys(x: str, cells: list[Cell], mine: list[Cell]) -> str:
    """The keys that only these results have in common, as a title."""
    ours, all_ = ([request_keys(result) for *_, result in some] for some in (mine, cells))
    own = ours[0] if ours else {}
    keys = [key for key in own if key not in (x, "count", *ASIDE)
            and len(_words(key, ours)) == 1 < len(_words(key, all_))]
    return ", ".join(filter(None, (_word(key, own[key], own) for key in keys)))


def _words(key: str, some: list[dict]) -> set[str]:
    """The values of a key in the requests of these results."""
    return {str(one.get(key)) for one in some}


def _split_chart(chart: Chart) -> list[Chart]:
    """The chart, split into several charts if it has too many curves."""
    most, count = MOST_SERIES, len(chart.series)
    return [replace(chart, series=chart.series[i:i + most]) for i in range(0, count, most)]


def _figure_curves(x: str, y: str, along: str, cells: list[Cell]) -> list[Chart]:
    """Curves of one figure over another, in the order of the key `along`."""
    cells = [cell for cell in cells if _has_figure(cell[2], y) and _has_figure(cell[2], x)]
    series = _series([along], cells)
    for one, members in series:
        one.points = [_point(units.in_shown_unit(x, r[x]), y, run, r) for _, run, r in sorted(
            members, key=lambda cell: cell[2].get(along) or 0)]
    drawn = [one for one, _ in series if len(one.points) >= MIN_POINTS]
    chart = Chart("curves", "", x, y, drawn, [], linear=along in (x, "delay_cycles"))
    if along == "delay_cycles" and drawn:
        delays = [r[along] for *_, r in cells]
        chart.ends = max(delays), min(delays)
    return _split_chart(chart)


def _region_charts(cells: list[Cell]) -> list[Chart]:
    """Each figure of the regions over their addresses. Each node has a series; those that are
    slower than others of their node are marked. Those that can't be compared are not `real`."""
    runs = list({id(run): run for _, run, _ in cells}.values())
    odd = {(id(one.result), one.figure) for one in regions.slow_regions(runs)}
    drawn = []
    for figure in regions.TIMES:
        measured = [cell for cell in cells if _has_figure(cell[2], figure)]
        by_node = grouped((cell[2].get("memory_node"), cell) for cell in measured)
        series = []
        for node, mine in by_node.items():
            for one, members in _series([], mine):
                node_name = f"node {node}" if len(by_node) > 1 else ""
                one.name = " ".join(filter(None, [one.name, node_name]))
                one.points = sorted(
                    (replace(_point(r["begin_mib"] / 1024, figure, run, r),
                             odd=(id(r), figure) in odd, real=regions.is_comparable(r))
                     for _, run, r in members),
                    key=lambda point: point.x)
                series.append(one)
        if series:
            drawn += _split_chart(Chart("regions", "", "begin_mib", figure, series, []))
    return drawn


def _tail_charts(cells: list[Cell]) -> list[Chart]:
    """How many accesses take longer than a time, with a curve for each result; and the longest
    spikes over time, with a series for each cause, of the result that has most of them."""
    cells = [cell for cell in cells if cell[2].get("histogram_ns_count")]
    curves = []
    for one, members in _series([], cells):
        one.points = _shares_beyond(members[0][2]["histogram_ns_count"])
        curves.append(one)
    charts = _split_chart(Chart("tail", "", "access_ns", "beyond", curves, [])) if curves else []
    source, _, result = max(cells, key=lambda cell: len(_spikes(cell[2])), default=(0, None, {}))
    spikes: dict[str, Series] = {}
    for at, ns, cause in _spikes(result):
        spikes.setdefault(cause, Series(cause, source)).points.append(Point(at / 1e9, ns))
    if spikes:
        charts.append(Chart("spikes", "the longest by cause", "seconds", "access_ns",
                            list(spikes.values()), []))
    return charts


def _spikes(result: dict) -> list:
    return (result.get("tail") or {}).get("spikes", [])


def _shares_beyond(histogram: list[list]) -> list[Point]:
    """The share of accesses that take a time or longer, at the begin of each bin."""
    whole = left = sum(count for _, count in histogram)
    points = []
    for start, count in histogram:
        if start > 0:
            points.append(Point(start, left / whole))
        left -= count
    return points


def _mark_caches(chart: Chart, cells: list[Cell]) -> None:
    """Mark the caches of the CPU in a sweep over size, if a single CPU measured all of it:
    several have more than the caches of one."""
    cpus = {str(result.get("cpu")) for *_, result in cells}
    alone = len(cpus) == 1 and len(numbers(next(iter(cpus)))) == 1
    if chart.x == "size_bytes" and (alone or cells[0][2]["test"] == "latency"):
        _, run, result = cells[0]
        chart.caches = [(f"L{level}", size)
                        for level, size in data_caches(run.machine, result["cpu"])]


def _mark_levels(chart: Chart, cells: list[Cell]) -> None:
    """Mark the levels of the first curve that has levels."""
    first = [(run, r) for source, run, r in cells if source == cells[0][0]]
    for curve in levels.curves(first).values():
        if len(curve) >= levels.MIN_POINTS and not chart.marks and \
                curve[0][0].machine.get("hypervisor") != "tcg":
            chart.marks = [Mark(one.name, one.level.first, one.level.last, one.level.time)
                           for one in levels.named_levels(curve)]


def _series(skip: list[str], cells: list[Cell],
            within: Sequence[str] = ()) -> list[tuple[Series, list[Cell]]]:
    """The results in series: one for each source and each value of the keys that differ. With
    `within`, only keys count that differ between results with the same values of those."""
    keys = [{k: v for k, v in request_keys(r).items() if k not in (*skip, *ASIDE)}
            for *_, r in cells]
    alike = grouped(((cell[0], *(str(value(*cell[1:], key)) for key in within)) if within else (),
                     own) for cell, own in zip(cells, keys))
    names = [name for name in dict.fromkeys(k for own in keys for k in own)
             if any(len({str(own.get(name)) for own in group}) > 1 for group in alike.values())]
    names = fields.distinguishing_keys(keys, names) if names else []
    by_keys: dict[tuple, tuple[Series, list[Cell]]] = {}
    for cell, own in zip(cells, keys):
        key = cell[0], *(own.get(name) for name in names)
        text = " ".join(_word(name, own.get(name), own) for name in names)
        by_keys.setdefault(key, (Series(text, cell[0]), []))[1].append(cell)
    return [by_keys[key] for key in sorted(by_keys, key=lambda key: key[0])]


def _word(key: str, setting: object, own: dict) -> str:
    """A value in the name of a series. Values that explain themselves stand without a key."""
    if key == "type":
        return str(setting).upper()
    if key in ("op", "pattern", "item", "state", "mode"):
        return str(setting)
    if key == "stride_bytes" and own.get("pattern") == "random":
        return ""
    return f"{units.name(key).replace('_', ' ')} {units.text(key, setting)}"


# ------------------------------------------------------------- matrices, bars

def _neighbours(pairs: Pairs) -> dict[int, tuple[int, ...]]:
    """The place of each CPU in an order in which those that share more are nearer: its node, the
    first CPU of its L3, of its L2 and of its core, and the CPU."""
    places: dict[int, list[int]] = {}
    for run, result in pairs:
        cpu, other = result["writer_cpu"], result["reader_cpu"]
        node = value(run, result, "writer_node")
        place = places.setdefault(cpu, [node if isinstance(node, int) else 0, *[cpu] * 4])
        for i in range({"core": 3, "l2": 2, "l3": 1}.get(str(result.get("shares")), 0)):
            place[i + 1] = min(place[i + 1], other)
    return {cpu: tuple(place) for cpu, place in places.items()}


def _matrices(down: str, across: str, figure: str, cells: list[Cell]) -> list[Chart]:
    """A heat map for each source and for each value of the keys that differ. Results of the
    same place become their median."""
    drawn = []
    skip = ["cpu", "node", "writer_cpu", "reader_cpu", down, across]
    for series, members in _series(skip, cells):
        by_place = grouped(((value(run, result, down), value(run, result, across)), (run, result))
                           for _, run, result in members)
        if len(by_place) < 2 or any(None in place for place in by_place):
            continue
        series.points = [
            Point(place, units.in_shown_unit(figure, steps.median(r[figure] for _, r in pairs)),
                  real=all(_is_real(r) for _, r in pairs),
                  doubt=marks.join_marks(marks.mark(*pair) for pair in pairs))
            for place, pairs in by_place.items()]
        drawn.append(Chart("matrix", "", across, figure, [series], [],
                           rows=different_values([a for a, _ in by_place]), row=down,
                           columns=different_values([b for _, b in by_place])))
    return drawn


def _bars(groups: str | None, split: str | None, figure: str, cells: list[Cell]) -> list[Chart]:
    """Groups of bars by one key. Each group has a bar for each value of the other key."""
    if len(cells) < 2 and not (cells and groups is None):
        return []
    rest = _series([key for key in (groups, split) if key] if groups else ["item"], cells,
                   within=[key for key in (groups, split) if key])
    series: dict[tuple, Series] = {}
    bars: dict[tuple, list[Point]] = {}
    columns: list = []
    for own, members in rest:
        for source, run, result in members:
            place = value(run, result, groups) if groups else \
                result.get("item") or run.request.get("label") or own.name or result["test"]
            part = value(run, result, split) if split else ""
            words = [str(part).upper() if split == "type" else str(part),
                     own.name if groups or result.get("item") else ""]
            name = " ".join(filter(None, words))
            series.setdefault((source, name), Series(name, source))
            bars.setdefault((source, name, place), []).append(_point(place, figure, run, result))
            columns.append(place)
    for (source, name, _), points in bars.items():
        series[source, name].points.append(_median_point(points))
    columns = list(dict.fromkeys(columns))
    if len(columns) * len(series) < 2 or len(columns) > MOST_BARS or len(series) > MOST_SERIES:
        return []
    return [Chart("bars", "", groups or "", figure, list(series.values()), [], columns=columns)]


def _point(x: object, figure: str, run: Run, result: dict) -> Point:
    """A point with the range of its samples, whose times make a rate in inverse proportion."""
    y = units.in_shown_unit(figure, result[figure])
    low = high = None
    least, middle, most = (result.get(f"{name}_ns") for name in ("min", "median", "max"))
    if least and middle and most and figure != "tlb_ns":
        low, high = y * least / middle, y * most / middle
        if figure.endswith("_per_s"):
            low, high = y * middle / most, y * middle / least
    return Point(x, y, low, high, _is_real(result), doubt=marks.mark(run, result))


def _point_of_loads(run: Run, result: dict) -> Point:
    y = result["ns_per_load"]
    return Point(result["size_bytes"], y, min(y, levels.load_ns(result)), y, _is_real(result),
                 doubt=marks.mark(run, result))


def _median_point(points: list[Point]) -> Point:
    """One point for several results of the same place: their median, as in tables."""
    if len(points) == 1:
        return points[0]
    ends = [(point.low, point.high) for point in points if point.low and point.high]
    return Point(points[0].x, steps.median(point.y for point in points),
                 min((low for low, _ in ends), default=None),
                 max((high for _, high in ends), default=None),
                 all(point.real for point in points),
                 doubt=marks.join_marks(point.doubt for point in points))


def _is_real(result: dict) -> bool:
    return result.get("type") in (None, "wb") or result.get("effective") == "yes"


def _has_figure(result: dict, key: str) -> bool:
    figure = result.get(key)
    return isinstance(figure, (int, float)) and figure > 0
