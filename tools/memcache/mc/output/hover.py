# SPDX-License-Identifier: GPL-2.0-only
"""The values of a chart on a page: each place of its x axis shows the values of all curves there,
under a pointer and with the keyboard, and each cell of a heat map its own under a pointer. It
needs no script."""

from collections.abc import Iterator
from html import escape
from typing import Any

from mc import grouped
from mc.output.charts import Chart, Point, label
from mc.records import units

MOST = 120              # places; more can't be pointed at
MOST_CELLS = 600        # of a heat map
LETTER, LINE = 4.6, 11  # the size of a letter and of a line, in units of the picture
EDGE = 5                # between a box and its text
STYLE = """\
.values { visibility: hidden; pointer-events: none; } .at { outline: none; }
.at:hover .values, .at:focus .values { visibility: visible; }
svg:hover .at:focus:not(:hover) .values { visibility: hidden; }
.values rect { fill: var(--paper); stroke: var(--line); } .values path { stroke: var(--faint); }
.values text { font-size: 8.5px; fill: var(--ink); }
"""


def number(value: float, _tick: int = 0) -> str:
    """A number as text: 1000000 becomes 1 000 000, and 12.345 becomes 12.3. matplotlib calls this
    for the ticks of an axis, too."""
    return f"{value:,.0f}".replace(",", "\u2009") if value >= 100 else f"{value:.3g}"


def overlay(chart: Chart, figure: Any, lines: list[tuple[str, Any]]) -> str:
    """The SVG of these values, which lies above the chart that `figure` has. `lines`: the name and
    the colour of each series. Empty for charts that have their numbers written in them."""
    if chart.kind == "matrix":
        return "".join(_cells(chart, figure))
    if chart.kind not in ("curves", "regions"):
        return ""
    places = grouped((point.x, (*line, point)) for series, line in zip(chart.series, lines)
                     for point in series.points)
    if len(places) > MOST:
        return ""
    [axes, *_] = figure.axes
    scale = 72 / figure.dpi             # a picture has 72 units to an inch
    left, right = (at * scale for at in (axes.bbox.x0, axes.bbox.x1))
    top, bottom = ((figure.bbox.height - at) * scale for at in (axes.bbox.y1, axes.bbox.y0))
    columns = sorted((axes.transData.transform((x, point[0][2].y))[0] * scale, x, point)
                     for x, point in places.items())
    middles = [(a[0] + b[0]) / 2 for a, b in zip(columns, columns[1:])]
    return f"<style>{STYLE}</style>" + "".join(
        _strip(chart, x, points, (at, first, last), (left, right, top, bottom))
        for (at, x, points), first, last in zip(columns, [left, *middles], [*middles, right]))


def _cells(chart: Chart, figure: Any) -> Iterator[str]:
    """What each cell of a heat map is."""
    points = chart.series[0].points
    axes, scale = figure.axes[0], 72 / figure.dpi
    for point in points if len(points) <= MOST_CELLS else ():
        row, column = point.x
        at = chart.columns.index(column), chart.rows.index(row)
        corners = [axes.transData.transform((at[0] + i, at[1] + i)) * scale for i in (0, 1)]
        (left, top), (right, bottom) = corners
        yield (f'<rect x="{left:.1f}" y="{figure.bbox.height * scale - top:.1f}" '
               f'width="{right - left:.1f}" height="{top - bottom:.1f}" fill="none" '
               f'pointer-events="all"><title>{escape(f"{row}, {column}")}: '
               f"{point.doubt}{number(point.y)} {escape(label(chart.y).partition(' (')[0])}"
               "</title></rect>")


def _strip(chart: Chart, x: float, points: list[tuple[str, Any, Point]],
           across: tuple[float, float, float], frame: tuple[float, float, float, float]) -> str:
    """The strip of a place, and the box with its values, on the side that has more room."""
    at, first, last = across
    left, right, top, bottom = frame
    unit = label(chart.y).partition(" (")[0]
    values = [f"{name} {point.doubt}{number(point.y)} {unit}".strip() for name, _, point in points]
    wide = max(len(text) + 2 for text in (*values, _x_words(chart, x))) * LETTER + 2 * EDGE
    tall = (len(values) + 1) * LINE + EDGE
    begin = at + EDGE if at < (left + right) / 2 else at - EDGE - wide
    rows = [f'<tspan x="{begin + EDGE:.1f}" dy="{LINE}">{escape(_x_words(chart, x))}</tspan>']
    rows += [f'<tspan x="{begin + EDGE:.1f}" dy="{LINE}" style="fill: {colour.lower()}">■</tspan> '
             f"{escape(text)}" for text, (_, colour, _) in zip(values, points)]
    words = escape("; ".join([_x_words(chart, x), *values]), True)
    return (f'<g class="at" tabindex="0" role="img" aria-label="{words}">'
            f'<rect x="{first:.1f}" y="{top:.1f}" width="{last - first:.1f}" '
            f'height="{bottom - top:.1f}" fill="none" pointer-events="all"/><g class="values">'
            f'<path d="M{at:.1f} {top:.1f}V{bottom:.1f}"/><rect x="{begin:.1f}" y="{top:.1f}" '
            f'width="{wide:.1f}" height="{tall:.1f}"/><text y="{top:.1f}">'
            f'{"".join(rows)}</text></g></g>')


def _x_words(chart: Chart, x: float) -> str:
    """A place of the x axis in words: `64K`, `12.3 MB/s`."""
    if chart.x.endswith("_bytes"):
        return units.size(int(x))
    return f"{number(x)} {label(chart.x).partition(' (')[0]}"
