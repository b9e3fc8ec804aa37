# SPDX-License-Identifier: GPL-2.0-only
"""Tables of results, laid out as the @table of a suite or the test says."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from mc import grouped
from mc.analysis import marks
from mc.analysis.steps import median
from mc.analysis.traffic import AMPLIFIED, amplification, is_overcounted
from mc.parts import Grid
from mc.records import suite, tests, units
from mc.records.best import best_of_each
from mc.records.fields import ABSENT, request_columns
from mc.records.places import MANY, PLACES, nearness, value
from mc.records.results import Pairs
from mc.records.suite import Layout

STREAMS = "streams"
MATRIX_MOST = 64    # CPUs of a matrix of pairs; of more, what classes of pairs have is shown
# What figures that share a cell become; `count` is their number.
OVER: dict[str, Callable[[list[float]], float]] = {"": median, "least": min, "most": max}
SPREAD = ("least", "most", "count")
SIBLINGS = "* siblings: two CPUs of one core"


def layouts_of(test: str, results: Sequence[dict] = ()) -> list[Layout]:
    """The layouts of the results of a test whose suite has no @table. Of several figures of a
    matrix, it shows the first that each result has."""
    table = tests.test_of(test).table
    one = suite.layout(table) if table else None
    if one and one.columns:
        one = replace(one, values=next(((name,) for name in one.values if results and all(
            result.get(name) is not None for result in results)), one.values[-1:]))
    return [one] if one else []


def unit(layouts: list[Layout]) -> str:
    """The unit of the cells of these tables; empty if the columns have units."""
    figures = {layout.values[0] for layout in layouts if layout.columns}
    if len(figures) != 1:
        return ""
    [name] = figures
    unit = units.words(tests.unit(name))
    return f"{unit}, in the median sample" if unit else name


def draw(layout: Layout, pairs: Pairs) -> list[Grid] | None:
    """The tables for these results; None if they have no cells, or some that differ share one."""
    pairs = [pair for pair in pairs if all(
        str(value(*pair, key)) == wanted for key, wanted in layout.only)]
    if not any(name.partition(":")[0] in result for _, result in pairs for name in layout.values):
        return []
    if _is_of_cpu_pairs(layout) and any(result.get(layout.rows) is None for _, result in pairs):
        return None     # of another program, which does not say the CPUs
    if layout.rows == "pair_class":
        pairs.sort(key=lambda pair: nearness(pair[1]))
    if is_of_many_cpus(layout, [result for _, result in pairs]):
        [figure] = layout.values
        return draw(Layout("pair_class", None, (figure, *(f"{figure}:{over}" for over in SPREAD)),
                           layout.only), pairs)
    groups = [("", best(layout, pairs))] if layout.best else _split_into_tables(layout, pairs)
    if groups is None:
        return None
    drawn = [replace(_matrix(layout, layout.columns, group) if layout.columns else
                     _rows(layout, group), title=title) for title, group in groups]
    if _is_of_cpu_pairs(layout) and any(result.get("siblings") == "yes" for _, result in pairs):
        drawn[-1] = replace(drawn[-1], note=SIBLINGS)
    if layout.best and STREAMS in layout.values and not layout.columns:
        drawn[-1] = replace(drawn[-1], note="; ".join(_streams(layout, pairs)))
    return drawn


def _streams(layout: Layout, pairs: Pairs) -> Iterator[str]:
    """For each row the best result of one stream, which is what a request measures that does not
    name another form, and the best of all forms: `read: one stream 18100.0, best 22800.0
    (streams=4)`."""
    figure = str(layout.best)
    rows = grouped((value(*pair, layout.rows), pair) for pair in pairs)
    for row, results in rows.items():
        of_one_stream = [pair for pair in results if str(pair[1].get(STREAMS)) == "1"]
        if not (one := best(layout, of_one_stream)):
            continue
        [simple], [top] = one, best(layout, results)
        forms = [f"{units.name(key)}={units.text(key, value(*top, key))}"
                 for key in layout.values if key not in (figure, "cv_percent")
                 and value(*top, key) != value(*simple, key)]
        texts = [units.text(figure, result.get(figure)) for _, result in (simple, top)]
        yield f"{_row_name(layout.rows, row)}: one stream {texts[0]}" + (
            f", best {texts[1]} ({' '.join(forms)})" if forms else ", the best form")


def best(layout: Layout, pairs: Pairs) -> Pairs:
    """The results that a layout with best= shows: the best one of each place."""
    return best_of_each(pairs, lambda pair: tuple(value(*pair, key) for key in _keys(layout)),
                        lambda pair: pair[1], str(layout.best))


def _is_of_cpu_pairs(layout: Layout) -> bool:
    return (layout.rows, layout.columns) == ("writer_cpu", "reader_cpu")


def is_of_many_cpus(layout: Layout, results: list[dict]) -> bool:
    """Whether this is a matrix of more CPUs than anybody could read."""
    return _is_of_cpu_pairs(layout) and len({result.get(key) for result in results for key in (
        layout.rows, str(layout.columns))}) > MATRIX_MOST


def _keys(layout: Layout) -> list[str]:
    return [key for key in (layout.rows, layout.columns) if key]


def _split_into_tables(layout: Layout, pairs: Pairs) -> list[tuple[str, Pairs]] | None:
    """A title and the results of each table: one table for each value of the keys in which
    results of the same cell differ. None if results would still share a cell."""
    keys = _keys(layout)
    many = MANY if any(key in PLACES for key in keys) else ()
    cells = grouped((tuple(value(*pair, key) for key in keys), pair[1]) for pair in pairs)
    differing = list(dict.fromkeys(
        key for results in cells.values() if len(results) > 1
        for key, values in request_columns(results).items() if key not in many
        and len({None if one is ABSENT else one for one in values}) > 1))
    if differing and "label" in keys:
        return None
    groups = grouped((tuple(pair[1].get(key) for key in differing), pair) for pair in pairs)
    if not many and any(_has_shared_cells(layout, group) for group in groups.values()):
        return None
    names = [units.name(key) for key in differing]
    return [(" ".join(f"{name}={units.text(key, v)}"
                      for name, key, v in zip(names, differing, values)), group)
            for values, group in groups.items()]


def _has_shared_cells(layout: Layout, pairs: Pairs) -> bool:
    places = [tuple(value(*pair, key) for key in _keys(layout)) for pair in pairs]
    return len(set(places)) < len(places)


def _matrix(layout: Layout, across: str, pairs: Pairs) -> Grid:
    """`across`: the key that makes columns."""
    [figure] = layout.values
    cells = grouped(((value(*pair, layout.rows), value(*pair, across)), pair) for pair in pairs)
    rows, columns = (different_values([place[i] for place in cells]) for i in (0, 1))
    if _is_of_cpu_pairs(layout):
        rows = columns = different_values(rows + columns)
    head = _title(layout.rows)
    head += "" if across in ("label", "op") else f" / {_title(across)}"
    return Grid([head, *(units.text(across, column) for column in columns)], [
        [_row_name(layout.rows, row), *(
            "-" if _is_cpu_with_itself(layout, row, column, cells) else
            _cell(figure, cells.get((row, column), []), _is_of_cpu_pairs(layout))
            for column in columns)]
        for row in rows], matrix=True)


def _is_cpu_with_itself(layout: Layout, row: object, column: object, cells: dict) -> bool:
    """Whether this cell is from a CPU to itself, where nothing can be measured."""
    pairs = (layout.rows[:7], (layout.columns or "")[:7]) == ("writer_", "reader_")
    return pairs and row == column and (row, column) not in cells


def _rows(layout: Layout, pairs: Pairs) -> Grid:
    """A table with a line for each value of the key of rows. Figures that no result has are
    left out."""
    figures = [name for name in layout.values if name in PLACES
               or any(name.partition(":")[0] in result for _, result in pairs)]
    cells = grouped((value(*pair, layout.rows), pair) for pair in pairs)
    return Grid([_title(layout.rows), *map(_heading, figures)], [
        [_row_name(layout.rows, row), *(_cell(name, cells[row]) for name in figures)]
        for row in different_values(list(cells))])


def _heading(figure: str) -> str:
    name, _, over = figure.partition(":")
    return "pairs" if over == "count" else f"{over} {units.heading(name)}".strip()


def _cell(figure: str, pairs: Pairs, marked: bool = False) -> str:
    if figure in PLACES:
        return "/".join(dict.fromkeys(units.text(figure, value(*pair, figure)) for pair in pairs))
    figure, _, over = figure.partition(":")
    values = [one for pair in pairs if (one := amplification(*pair, figure)) is not None]
    if not values:
        return "na"
    if over == "count":
        return str(len(values))
    text = units.text(figure, values[0] if len(values) == 1 else OVER[over](values))
    counted = figure in AMPLIFIED or figure.startswith("dram_")
    if counted or _is_timed(figure):
        text = marks.join_marks(marks.mark(*pair) + "?" * (counted and is_overcounted(*pair))
                                for pair in pairs) + text
    return text + ("*" if marked and pairs[0][1].get("siblings") == "yes" else "")


def _is_timed(figure: str) -> bool:
    """Whether a figure comes from times. Others, such as the share of a file that was in the page
    cache, are as true in a disturbed result."""
    return not {"ns", "s", "cv"}.isdisjoint(figure.split("_"))


def different_values(values: list) -> list:
    """The different values: first the numbers in rising order, then the rest in its order."""
    return sorted(dict.fromkeys(values), key=lambda value: (
        int(value) if str(value).isdigit() else float("inf")))


def _title(key: str) -> str:
    return units.name(key).replace("_", " ")


def _row_name(key: str, row: object) -> str:
    text = units.text(key, row)
    return text.upper() if key == "type" else text
