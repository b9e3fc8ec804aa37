# SPDX-License-Identifier: GPL-2.0-only
"""The tables of a report: one for each section of a suite, each test and each side.

A short report has what was varied, the most important figure and its spread, and what differs
from the usual. A wide one has everything.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from mc import grouped, plural
from mc.analysis import causes, holds, levels, marks, refresh, spread
from mc.output import layout
from mc.parts import Grid, Heading, Part, Sentence
from mc.records import rounds, suite, tests, units
from mc.records.fields import ABSENT, distinguishing_columns, figures, request_columns
from mc.records.places import value
from mc.records.results import Pairs, Run

SHOWN_FACTS = ("median_ns", "cv_percent")
# Figures that are in the file but not in tables.
HIDDEN = (*tests.figures_with_role("detail"), "histogram_ns_count", "tail")
DISTURBED = {"disturbed_interrupt": "interrupts", "disturbed_migration": "migrations",
             "disturbed_steal": "stolen time", "disturbed_preemption": "preemptions",
             "disturbed_neighbour": "a neighbour, by two groups of times at one clock"}
ONCE = "~±"         # marks that stand once where all results have them
MARKED = re.compile("^[?~±]+")      # the begin of a figure that has marks
MOVED = 0.05        # a clock that changes by more changes the figures of caches


def parts(runs: list[Run], wide: bool) -> Iterator[Part]:
    """The tables of these runs, in the order of the runs."""
    groups = grouped(((run.suite, run.section, run.request["test"], run.where), run)
                     for run in runs)
    named = None
    loads = holds.loads(runs)
    for (name, section, test, where), group in groups.items():
        its_suite = suite.suite_of_request(group[0].request)
        if its_suite and section and name != named:
            yield Heading(its_suite.title)
        named = name
        yield from _group(its_suite, section, test, where, group, wide, loads)


def _group(its_suite: suite.Suite | None, section: str | None, test: str, where: str,
           runs: list[Run], wide: bool, loads: Pairs) -> Iterator[Part]:
    pairs = [(run, result) for run in runs for result in run.results]
    if not pairs:
        yield Heading(f"{section or (its_suite.name if its_suite else test)}: no results")
        return
    its_section = its_suite.section(section) if its_suite else None
    results = [result for _, result in pairs]
    wanted = its_section.layouts if its_section else []
    layouts = wanted or layout.layouts_of(test, results)
    drawn = [layout.draw(one, pairs) for one in layouts]
    title = section or (its_suite.title if its_suite else test)
    columns = request_columns(results)
    fixed = {key: values[0] for key, values in columns.items()
             if values.count(values[0]) == len(values) and values[0] is not ABSENT}
    varying = [key for key in columns if key not in fixed]
    matrix = bool(drawn) and None not in drawn
    if matrix:
        unit = layout.unit(layouts)
        unit = unit if wide else unit.partition(":")[0].partition(",")[0]
        title += f" ({unit})" if unit else ""
        every = [grid for grids in drawn for grid in grids or []]
        body = [grid for at, grid in enumerate(every) if grid not in every[:at]]
    else:
        body = [_list(test, pairs, columns, varying, wide)]
    if where == "user":
        title += ", in user space"
    if common := _marks_in_common(pairs):
        title += f", all of it {common}"
        body = [_without_marks(grid, common) for grid in body]
    settings = _settings(fixed, runs, wide)
    notes = [settings, *([_sentence_on_scatter(results)] if wide or matrix else []),
             *_quality(pairs, wide), *marks.sentences(pairs),
             *holds.sentences(pairs, loads, matrix), *(its_section.notes if its_section else [])]
    yield Heading(title, folded=True)
    yield from body
    yield from map(Sentence, filter(None, notes))
    yield from levels.parts(pairs)
    if any(result.get("tail") for result in results):
        yield from causes.parts(*_named(pairs, varying), wide)
    yield from refresh.sentences(_of_hardware(pairs))
    if wide and not any(one.columns for one in wanted):
        yield from spread.parts(*_named(pairs, varying))


def _marks_in_common(pairs: Pairs) -> str:
    """The marks that each of several results has: of loops that had not settled, of disturbances.
    They stand once above the table, not in each of its rows."""
    every = [marks.mark(run, result) for run, result in pairs]
    return "".join(one for one in ONCE if len(every) > 1 and all(one in mine for mine in every))


def _without_marks(grid: Grid, common: str) -> Grid:
    return replace(grid, rows=[[MARKED.sub(
        lambda begin: "".join(one for one in begin[0] if one not in common), cell)
        if type(cell) is str else cell for cell in row] for row in grid.rows])


def _settings(fixed: dict, runs: list[Run], wide: bool) -> str:
    """A sentence on what all results have in common; if it is short, only on what a request
    set to another value than the default."""
    unusual = {key for run in runs for key in tests.columns_not_preset(run.request["line"])}
    settings = " ".join(
        f"{units.name(key)}={units.text(key, value)}" for key, value in fixed.items()
        if value is not None and (wide or key in unusual))
    return f"{'All with' if wide else 'With'}: {settings}." if settings else ""


def _list(test: str, pairs: Pairs, columns: dict[str, list], varying: list[str],
          wide: bool) -> Grid:
    """A table with a line for each result: the keys that differ, and the figures."""
    labels = [run.request.get("label") for run, _ in pairs]
    keys = _keys_that_vary_in_labels(pairs, columns) if all(labels) else varying
    if not wide:
        keys = distinguishing_columns({key: [None if value is ABSENT else value
                                             for value in columns[key]] for key in keys})
    shown = _figures(pairs) if wide else _answer(test, pairs)
    names = [*keys, *shown]
    rows = [[units.text(key, result.get(key)) for key in names] for _, result in pairs]
    main = tests.test_of(test).main()
    marked = next((names.index(name) for name in (main, "median_ns") if name in names), -1)
    for row, (run, result) in zip(rows, pairs):
        row[marked] = marks.mark(run, result) + row[marked]
    names = [units.heading(key) for key in names]
    if any(labels):
        names, rows = ["label", *names], [[name or "", *row] for name, row in zip(labels, rows)]
    return Grid(names, rows, keys=len(keys) + any(labels))


def _figures(pairs: Pairs) -> list[str]:
    """All figures that are not for other programs."""
    own = dict.fromkeys(k for _, r in pairs for k in figures(r) if k not in HIDDEN)
    each = any(key in own for key in tests.figures_with_role("each"))
    facts = SHOWN_FACTS[1:] if each else SHOWN_FACTS
    return [*facts, *own]


def _answer(test: str, pairs: Pairs) -> list[str]:
    """The most important figure, its spread, the level that was measured and, if a memory type
    is not shown to be real, the verdict. All figures if none is the most important one."""
    description = tests.test_of(test)
    main = description.main()
    if not main:
        return _figures(pairs)
    results = [result for _, result in pairs]
    own = figures(results[0])
    which = [key for key in description.figures_with_role("which")
             if any(result.get(key) is not None for result in results)]
    level = ["level"] if any(result.get("level") for result in results) else []
    real = all(result.get("effective") == "yes" or result.get("page") == "auto"
               for result in results)
    over = [key for key in description.figures_with_role("over") if key in own]
    return [*which, *over, main, "cv_percent", *level, *([] if real else ["effective"])]


def _keys_that_vary_in_labels(pairs: Pairs, columns: dict[str, list]) -> list[str]:
    """The keys that tell results of the same label apart."""
    rows = grouped((run.label, row) for row, (run, _) in enumerate(pairs))
    return [key for key, values in columns.items()
            if any(len({values[row] for row in mine} - {ABSENT}) > 1 for mine in rows.values())]


def _named(pairs: Pairs, keys: list[str]) -> tuple[str, list[tuple[str, dict]]]:
    """The results with names, and what these are: what tells them apart, never a whole request."""
    if keys == ["size_bytes"]:
        pairs = sorted(pairs, key=lambda pair: pair[1].get("size_bytes") or 0)
    named = [(" ".join(units.text(key, value(run, result, key)) for key in keys) if keys else
              run.request.get("label") or result["test"], result) for run, result in pairs]
    return " ".join(units.name(key) for key in keys), named


def _sentence_on_scatter(results: list[dict]) -> str:
    scatter = sorted(r["cv_percent"] for r in results if r.get("cv_percent") is not None)
    return f"Coefficient of variation: median {scatter[len(scatter) // 2]:.1f} %, largest " \
           f"{scatter[-1]:.1f} %." if scatter else ""


def _quality(pairs: Pairs, wide: bool) -> list[str]:
    """Sentences on what makes figures doubtful. A wide report also says how many results were
    verified, which samples were left out, what disturbed them, and how many rounds there were;
    it has all of this as one paragraph."""
    results = [result for _, result in pairs]
    real = _of_hardware(pairs)
    sentences = [*_sentence_on_verification(results, wide), *levels.slower_passes(real),
                 *_sentence_on_clock([result for _, result in real]),
                 *_sentence_on_prefetchers([result for _, result in real])]
    if not wide:
        return sentences
    return [" ".join([*sentences, *_sentence_on_left_out(results),
                      *_sentence_on_disturbances(results), *_sentence_on_rounds(results)])]


def _of_hardware(pairs: Pairs) -> Pairs:
    """Those from which hardware can be concluded: no times of an emulated machine."""
    return [(run, result) for run, result in pairs if run.machine.get("hypervisor") != "tcg"]


def _sentence_on_verification(results: list[dict], wide: bool) -> list[str]:
    """A sentence if data were not right; in a wide report, wherever data were checked."""
    states = [result.get("verified") for result in results]
    if "failed" not in states and not (wide and any(state != "off" for state in states)):
        return []
    return [f"Data verified in {states.count('ok')} of "
            f"{plural(len(results), 'result')}."]


def _sentence_on_prefetchers(results: list[dict]) -> list[str]:
    """A sentence if prefetchers could not be turned off."""
    running = sum(result.get("prefetch") == "ineffective" for result in results)
    return [f"In {running} of them prefetch=off had no effect: prefetchers were on."] \
        if running else []


def _sentence_on_clock(results: list[dict]) -> list[str]:
    """A sentence if the core's clock was not the same for all results."""
    clocks = [clock for result in results for clock in rounds.clocks(result)]
    if not clocks or max(clocks) <= min(clocks) * (1 + MOVED):
        return []
    return [f"The core's clock was measured between {min(clocks):.0f} and {max(clocks):.0f} MHz: "
            f"figures of caches follow the clock."]


def _sentence_on_left_out(results: list[dict]) -> list[str]:
    """A sentence if samples were left out."""
    left = sum(result.get("left_out", 0) for result in results)
    why = sorted({str(r["left_out_why"]) for r in results if r.get("left_out_why")})
    return [f"{plural(left, 'sample')} {'was' if left == 1 else 'were'} left out "
            f"({', '.join(why) or 'na'})."] if left else []


def _sentence_on_rounds(results: list[dict]) -> list[str]:
    """A sentence if requests were measured in rounds."""
    most = max(rounds.count(result) for result in results)
    return [f"Measured in {most} rounds; the tables show the round with the middle median, with "
            "its marks, and the spread of all rounds."] if most > 1 else []


def _sentence_on_disturbances(results: list[dict]) -> list[str]:
    """A sentence on disturbances during samples, whether or not those were left out."""
    texts = []
    for key, name in DISTURBED.items():
        count = sum(r.get(key) or 0 for r in results)
        of = sum((r.get("samples") or 0) + (r.get("left_out") or 0) for r in results
                 if r.get(key) is not None)
        if count:
            texts.append(f"{count} of {plural(of, 'sample')} saw {name}")
    windows = sum(r.get("windows_left_out") or 0 for r in results)
    if windows:
        texts.append(f"{plural(windows, 'timed window')} {'was' if windows == 1 else 'were'} "
                     "left out of samples that count")
    return [f"{'; '.join(texts)}."] if texts else []
