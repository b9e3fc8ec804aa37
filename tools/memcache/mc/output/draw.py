# SPDX-License-Identifier: GPL-2.0-only
"""Drawing charts (charts.py) with matplotlib, which only this file loads."""

import atexit
import io
import os
import pwd
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from html import escape
from math import ceil
from types import ModuleType
from typing import Any

from mc import Failure, libraries
from mc.advice import lacking
from mc.analysis import marks
from mc.output import hover
from mc.output.charts import SPEED, Chart, Point, Series, label
from mc.output.hover import number
from mc.parts import Picture
from mc.records import units

# The palette of Okabe and Ito, which can be told apart with any colour vision. Its yellow is left
# out because it is too light on white, and its black because text is black.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
LINES = ("-", (0, (5, 2)), (0, (1.2, 1.6)), (0, (6, 2, 1.2, 2)))
MARKERS = "osD^vPX"
FILLS = ("full", "none", "left", "bottom")      # of the markers of further sources
TEXT, FAINT, GRID, LOUD = "#222222", "#666666", "#dddddd", "#a61b00"
# Colours that a page replaces by its own ones, which are different in dark mode. The numbers of a
# heat map have other colours, so they are not replaced: the cells below them do not change.
OF_PAGE = {TEXT: "var(--ink)", FAINT: "var(--faint)", GRID: "var(--line)",
           "#ffffff": "var(--paper)", COLOURS[0].lower(): "var(--blue)"}
ON_LIGHT, ON_DARK = "#010101", "#fefefe"
BEHIND = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.5}
HATCH = "////"
CROSSED = "xx"                      # of figures that were disturbed
DISTURBED = "±"
ODD = "slower than others of its node"
HOLLOW = "hollow: little of it was free, or caches had a part"
UNREAL = "hatched: not shown to be that type"
# Shapes around points of curves, by their marks.
RINGS = {"?": ("s", "square"), "~": ("o", "ring"), DISTURBED: ("D", "diamond")}
RING = 11                            # the size of a ring, in points
WIDTH, HEIGHT = 5.6, 3.9            # inches, of a chart
NARROW, ACROSS = 4.5, 9.4           # of a chart that a phone may show; of one across a page
LETTERS, SMALL = 13, 16.8           # letters to an inch
DENSE = 3                           # pixels between two places of a curve
BESIDE = 2                          # pixels between the labels of two ticks, at least
NAMES = "_name"                     # the label of names of points; see _move_name()
AROUND = [(x, y) for y in (-7, 7, 0, -16, 16, -28, 28) for x in (0, 7, -7) if x or y]   # in points
MANY = 2000                         # cells of a heat map
WRITTEN, LEGIBLE = 16, 5.5          # rows and columns whose cells have numbers; of points at least
FAR = 0.2                           # a speed that has a full colour, if none is farther from 1
SHORT = 6                           # letters of names that stand beside each other
BAR, LABEL = 0.17, 0.15             # inches, of a bar and of a line of its name
TINTS = (0, 0.45, 0.7)              # the share of white in the bars of other sources
STYLE = {
    "font.family": "DejaVu Sans", "font.size": 9, "axes.labelsize": 9, "axes.edgecolor": FAINT,
    "axes.labelcolor": TEXT, "text.color": TEXT, "xtick.color": TEXT, "ytick.color": TEXT,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "axes.axisbelow": True, "grid.color": GRID, "grid.linewidth": 0.6, "lines.linewidth": 1.6,
    "lines.markersize": 4.5, "legend.frameon": False, "legend.fontsize": 8.5,
    "text.parse_math": False,   # a name may have a $
    "xtick.labelsize": 8.5, "ytick.labelsize": 8.5, "hatch.linewidth": 0.6,
    "svg.fonttype": "path", "svg.hashsalt": "memcache", "figure.facecolor": "white",
}
SHADED = {"loads": "line: median pass; shade: down to the fastest pass"}
FORMATS = ("svg", "png", "pdf")


@cache
def _private_directory() -> str:
    """The path of a directory that no other user can write to, for the library's cache of
    fonts: the one in this user's home, or one that goes when this process ends."""
    uid = os.geteuid()
    try:
        path = os.path.join(pwd.getpwuid(uid).pw_dir, ".cache", "memcache-plot")
        os.makedirs(path, mode=0o700, exist_ok=True)
        status = os.lstat(path)
        if stat.S_ISDIR(status.st_mode) and status.st_uid == uid and not status.st_mode & 0o022:
            return path
    except (KeyError, OSError):
        pass
    path = tempfile.mkdtemp(prefix="memcache-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


@contextmanager
def _ignore_settings_of_others() -> Iterator[None]:
    """Let the library read no file of settings but its own. It evaluates what such a file says,
    and looks for one in the working directory first, which may be another user's."""
    folder = os.environ["MPLCONFIGDIR"] = _private_directory()
    os.environ.pop("MATPLOTLIBRC", None)
    here = os.open(".", os.O_PATH)
    try:
        os.chdir(folder)
        yield
    finally:
        os.fchdir(here)
        os.close(here)


def matplotlib() -> ModuleType:
    """Load the library, or raise a Failure that says what to install."""
    libraries()
    try:
        with _ignore_settings_of_others():
            import matplotlib as library
    except ImportError:
        raise Failure(f"drawing needs {lacking('matplotlib')}") from None
    library.use("Agg")
    return library


def missing() -> str:
    """Why nothing can be drawn; empty if it can."""
    try:
        matplotlib()
    except Failure as failure:
        return str(failure)
    return ""


def without_pictures() -> str:
    """What a message adds about a page that has no pictures; empty if it has them."""
    why = missing()
    return f"; without pictures: {why}" if why else ""


def picture(charts: list[Chart], captions: list[str], kind: str,
            warnings: Iterable[str] = ()) -> bytes:
    """All charts in one picture, in one or two columns, with the captions below and the warnings
    above."""
    with matplotlib().rc_context(STYLE):
        return _save(figure(charts, captions, warnings=warnings), kind)


def _save(whole: Any, kind: str) -> bytes:
    out = io.BytesIO()
    dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    whole.savefig(out, format=kind, dpi=144, metadata=dated)
    return out.getvalue()


def inline(chart: Chart, name: str, width: float = NARROW) -> str:
    """A chart as SVG for a page. It scales, its ids begin with the name, so that they are unique
    in the page, it shows its values, and everything but the data has the colours of the page."""
    with matplotlib().rc_context(STYLE):
        whole = figure([chart], [], width)
        svg = _save(whole, "svg").decode()
        lines = [(_name(chart, series), _style(chart, series)["color"]) for series in chart.series]
    svg = svg.replace("</svg>", hover.overlay(chart, whole, lines) + "</svg>")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg"):], flags=re.S)
    svg = re.sub(r' (?:width|height)="[\d.]+pt"', "", svg, count=2)
    for colour, own in OF_PAGE.items():
        svg = svg.replace(f": {colour}", f": {own}")
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>c{name}-", svg)
    return svg.replace("<svg", '<svg role="group" aria-label="' + escape(chart.title, True) + '"',
                       1)


def pictures(drawn: list[Chart], captions: list[list[str]]) -> Iterator[Picture]:
    """These charts for a page, each with its captions, or with the reason why it is not drawn. The
    first is across the page, and so is one that would be alone in the last row of two."""
    why = missing()
    last = len(drawn) - 1
    for i, (chart, texts) in enumerate(zip(drawn, captions)):
        if why:
            yield Picture(chart.title, "", [f"Not drawn: {why}.", *texts])
            continue
        across = i == 0 or i == last and last % 2
        wide = inline(chart, f"w{i}", ACROSS) if across else ""
        yield Picture(chart.title, inline(chart, str(i)), texts, wide=wide)


def figure(charts: list[Chart], captions: list[str], width: float = WIDTH,
           *, warnings: Iterable[str] = ()) -> Any:
    """The figure for these charts, in the current style."""
    from matplotlib.figure import Figure
    columns = 1 if len(charts) < 2 else 2
    lines, loud = ([line for text in texts for line in _wrap(text, int(SMALL * width) * columns)]
                   for texts in (captions, warnings))
    foot, head = (0.14 * len(some) + 0.12 if some else 0.01 for some in (lines, loud))
    heights = [max(height(chart, width) for chart in charts[i:i + columns])
               for i in range(0, len(charts), columns)]
    rows = [sum(heights), foot, *([head] if loud else [])]
    whole = Figure((width * columns, sum(rows)), layout="constrained")
    if loud:
        above, body, below = whole.subfigures(3, 1, height_ratios=[head, *rows[:2]])
        above.text(0.02, 0.95, "\n".join(loud), va="top", size=7.5, color=LOUD, linespacing=1.3)
    else:
        body, below = whole.subfigures(2, 1, height_ratios=rows)
    parts = body.subfigures(len(heights), columns, squeeze=False, height_ratios=heights).flat
    parts = list(parts)[:len(charts)]
    for chart, part in zip(charts, parts):
        draw(part, chart)
    whole.draw_without_rendering()      # so that each thing has its place
    for chart, part in zip(charts, parts):
        _finish(part.axes[0], chart)
    below.text(0.02, 1.0, "\n".join(lines), va="top", size=7.5, color=FAINT, linespacing=1.3)
    return whole


def height(chart: Chart, width: float = WIDTH) -> float:
    """The height of a chart in inches, which depends on the number of bars and on their names."""
    if chart.kind == "matrix":
        names, rows = max(len(str(column)) for column in chart.columns), len(chart.rows)
        return max(HEIGHT, 1.2 + BAR * (rows if rows <= 64 else 28) + names / LETTERS)
    if chart.kind != "bars":
        return HEIGHT
    lines = max(name.count("\n") + 1 for name in _bar_names(chart, width))
    group = max(BAR * (len(chart.series) + 0.6), LABEL * lines)
    return max(1.6 + group * len(chart.columns) + 0.2 * ceil(len(chart.series) / 3), 2.6)


def _bar_names(chart: Chart, width: float) -> list[str]:
    """The names of the groups of bars, which leave the bars at least half of the width."""
    return ["\n".join(_wrap(units.text(chart.x, column), int(LETTERS * width / 2)))
            for column in chart.columns]


def _wrap(text: str, width: int) -> list[str]:
    from textwrap import wrap
    return wrap(text, width, break_on_hyphens=False)


def draw(part: Any, chart: Chart) -> None:
    """Draw a chart into a (sub)figure."""
    axes = part.subplots()
    name = chart.series[0].name if chart.kind == "matrix" else ""
    title = ": ".join(filter(None, [chart.title, name]))
    if chart.kind == "matrix" and chart.sources[0].name:
        title += f" ({chart.sources[0].name})"
    part.suptitle("\n".join(_wrap(title, _count_letters(axes) * 5 // 6)), x=0.015, ha="left",
                  size=10, weight="bold")
    KINDS[chart.kind](axes, chart)


def _finish(axes: Any, chart: Chart) -> None:
    """Finish a chart whose parts have their final places: thin out ticks whose labels collide,
    and move names of points to places without a curve."""
    _thin_out(axes.xaxis)
    if chart.kind == "matrix":
        _thin_out(axes.yaxis)
    boxes = [text.get_window_extent() for text in axes.texts if text.get_label() != NAMES]
    for text in axes.texts:
        if text.get_label() == NAMES:
            boxes.append(_move_name(text, axes, boxes))


def _thin_out(axis: Any) -> None:
    """Leave every second tick out until no two labels collide."""
    low, high = sorted(axis.get_view_interval())
    ticks = [(at, text) for at, text in zip(axis.get_ticklocs(), axis.get_ticklabels())
             if low <= at <= high and text.get_text()]
    boxes = [text.get_window_extent() for _, text in ticks]
    step = 1
    while any(a.padded(BESIDE).overlaps(b) for a, b in zip(boxes[::step], boxes[step::step])):
        step *= 2
    if step > 1:
        axis.set_ticks([at for at, _ in ticks[::step]],
                       [text.get_text() for _, text in ticks[::step]])


def _move_name(text: Any, axes: Any, boxes: list[Any]) -> Any:
    """Move the name of a point to the place around it where it hides least, and return its
    box. It hides least where no curve and no other text is."""
    def count_hidden(place: tuple[int, int]) -> float:
        _put(text, place)
        box = text.get_window_extent()
        inside = axes.bbox.x0 <= box.x0 and box.x1 <= axes.bbox.x1 and \
            axes.bbox.y0 <= box.y0 and box.y1 <= axes.bbox.y1
        near = box.padded(BESIDE)
        return sum(near.contains(x, y) for x, y in _points_on_curves(axes)) + 1000 * (
            any(box.overlaps(other) for other in boxes) + (not inside))

    _put(text, min(AROUND, key=count_hidden))
    return text.get_window_extent()


def _put(text: Any, place: tuple[int, int]) -> None:
    x, y = text.xyann = place
    text.set(ha="center" if not x else "left" if x > 0 else "right",
             va="center" if not y else "bottom" if y > 0 else "top")


def _points_on_curves(axes: Any) -> list[tuple[float, float]]:
    """Places on the curves, close enough together that no text fits between two of them."""
    points: list[tuple[float, float]] = []
    for line in axes.lines:
        if line.get_transform() != axes.transData:      # the mark of a cache
            continue
        ends = [(x, y) for x, y in axes.transData.transform(line.get_xydata())]
        points += ends
        for (x, y), (to_x, to_y) in zip(ends, ends[1:]):
            count = ceil(max(abs(to_x - x), abs(to_y - y)) / DENSE)
            points += [(x + (to_x - x) * i / count, y + (to_y - y) * i / count)
                       for i in range(1, count)]
    return points


def _count_letters(axes: Any) -> int:
    """The number of letters that fit side by side in the part of the figure that these axes
    have."""
    return int(LETTERS * axes.figure.bbox.width / axes.figure.dpi)


def _style(chart: Chart, series: Series) -> dict[str, Any]:
    """Colour, line and marker of a series. The colour and the shape of the marker stand for the
    measurement; the line and the filling of the marker stand for the source, so that several
    files can be compared. If all series are of the same measurement, all of these stand for the
    source."""
    names = list(dict.fromkeys(one.name for one in chart.series))
    which = names.index(series.name)
    several = len(chart.sources) > 1
    if len(names) == 1:
        which, style = series.source, 0
    else:
        style = _place(chart, series) if several else which // len(COLOURS)
    return {"color": COLOURS[which % len(COLOURS)], "linestyle": LINES[style % len(LINES)],
            "marker": MARKERS[which % len(MARKERS)], "fillstyle": FILLS[style % len(FILLS)],
            "markerfacecoloralt": "white"}


def _place(chart: Chart, series: Series) -> int:
    """The place of its source among those of this chart."""
    return sorted({one.source for one in chart.series}).index(series.source)


def _tint(chart: Chart, series: Series) -> tuple[float, float, float]:
    """The colour of bars, which is lighter for further sources."""
    place = _place(chart, series)
    colour = _style(chart, series)["color"]
    alone = len({one.name for one in chart.series}) == 1
    white = 0 if alone else TINTS[min(place, len(TINTS) - 1)]
    red, green, blue = (int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5))
    return red + (1 - red) * white, green + (1 - green) * white, blue + (1 - blue) * white


def _name(chart: Chart, series: Series) -> str:
    return " ".join(filter(None, [chart.sources[_place(chart, series)].name, series.name]))


def _put_legend(axes: Any, chart: Chart, indent: int = 0) -> None:
    """Put the legend below the axes and their title, in as many columns as fit. The same
    measurement of several sources stands one below the other. `indent` is the number of letters
    to the left of the axes."""
    from matplotlib.lines import Line2D
    from matplotlib.transforms import ScaledTranslation
    handles, names = axes.get_legend_handles_labels()
    if len(names) < 2 and names != list(SHADED.values()):
        return
    lines = 1 + axes.get_xlabel().count("\n")
    below = ScaledTranslation(0, -0.34 - 0.16 * lines, axes.figure.dpi_scale_trans)
    widest = max(map(len, names))
    columns = max(1, min(len(names), (_count_letters(axes) - indent) // (widest + 9)))
    alike = list(dict.fromkeys(series.name for series in chart.series))
    if len(alike) > 1 and len(chart.sources) > 1:
        order = sorted(range(len(names)), key=lambda i: alike.index(chart.series[i].name))
        handles, names = ([kind[i] for i in order] for kind in (handles, names))
        rows = len(chart.sources) * ceil(len(alike) / columns)
        columns = ceil(len(names) / rows)
        missing = rows * columns - len(names)       # else columns are made of equal length
        handles, names = handles + [Line2D([], [], linestyle="")] * missing, names + [""] * missing
    axes.legend(handles, names, loc="upper left", bbox_to_anchor=(-0.02, 0), ncol=columns,
                bbox_transform=axes.transAxes + below, columnspacing=1.4, handlelength=3.6,
                borderaxespad=0)


def _put_words(axes: Any, chart: Chart, more: str = "") -> None:
    """The names of both axes and the legend. `more` stands below the name of the x axis."""
    axes.set_ylabel(label(chart.y))
    axes.set_xlabel(label(chart.x) + more)
    _put_legend(axes, chart)


def _plot(axes: Any, points: Iterable[Point], *marker: str, **style: Any) -> None:
    """Draw points in a style."""
    points = list(points)
    axes.plot([point.x for point in points], [point.y for point in points], *marker, **style)


def _doubts_in_words(chart: Chart) -> str:
    """The meanings of the marks of its figures, in lines below the name of the x axis."""
    names = {mark: name for mark, (_, name) in RINGS.items()} if chart.kind == "curves" else \
        {DISTURBED: "± and crosses"}
    return "".join(f"\n{names.get(mark, mark)}: {marks.MEANS[mark]}" for mark in chart.doubts)


def _draw_rings(axes: Any, series: Series, colour: str) -> None:
    """Draw a ring or a square around each point that has a mark."""
    for mark, (shape, _) in RINGS.items():
        if points := [point for point in series.points if mark in point.doubt]:
            _plot(axes, points, shape, color=colour, fillstyle="none", markersize=RING,
                  markeredgewidth=1.4)


def _draw_curves(axes: Any, chart: Chart) -> None:
    few = len(chart.series) <= 3
    for series in chart.series:
        style = _style(chart, series)
        _plot(axes, series.points, **style,
              label=_name(chart, series) or SHADED.get(chart.y, "median sample"))
        if few and all(point.low for point in series.points) and not chart.ends:
            axes.fill_between(*zip(*((p.x, p.low, p.high) for p in series.points)),
                              color=style["color"], alpha=0.15, lw=0)
        _draw_rings(axes, series, style["color"])
    if chart.linear:
        _begin_at_zero(axes, chart)
    else:
        axes.set_xscale("log", base=2)
        _set_size_ticks(axes, chart)
        _set_time_axis(axes, chart)
    if chart.ends:
        _mark_ends(axes, chart, *chart.ends)
    _mark_levels(axes, chart)
    _put_words(axes, chart, _doubts_in_words(chart))


def _set_time_axis(axes: Any, chart: Chart) -> None:
    """A log axis that spans a factor of three at least, so that noise does not look large. The
    axis of `tlb_ns` begins at 0, because a difference may be close to 0."""
    axes.set_yscale("symlog" if chart.y == "tlb_ns" else "log")
    low, high = axes.get_ylim()
    if chart.y == "tlb_ns":
        axes.set_ylim(0, high * 1.5)
        ticks = [0, *(m * 10 ** e for e in range(7) for m in (1, 3) if m * 10 ** e <= high)]
        axes.set_yticks(ticks, map(number, ticks))
        return
    if high < 3 * low:
        axes.set_ylim(low / 1.5, high * 1.5)
    _set_plain_ticks(axes.yaxis)


def _mark_levels(axes: Any, chart: Chart) -> None:
    """A line for each level, and its name."""
    before = None
    for mark in chart.marks:
        axes.hlines(mark.y, mark.first, mark.last, color=TEXT, lw=1.2, zorder=4)
        name = "" if mark.name == before else f"{mark.name} "
        axes.annotate(f"{name}min {mark.y:.3g} ns", ((mark.first * mark.last) ** 0.5, mark.y),
                      xytext=AROUND[0], textcoords="offset points", ha="center", va="top",
                      size=8, zorder=5, bbox=BEHIND, label=NAMES)
        before = mark.name
    low, high = axes.get_ylim()
    if chart.marks or chart.caches:     # make room for their names
        axes.set_ylim(low / 1.5, high * 2)


def _begin_at_zero(axes: Any, chart: Chart) -> None:
    points = [point for series in chart.series for point in series.points]
    axes.set_xlim(0, 1.06 * max(point.x for point in points))
    axes.set_ylim(0, 1.22 * max(point.y for point in points))
    for axis in axes.xaxis, axes.yaxis:
        axis.set_major_formatter(number)


def _mark_ends(axes: Any, chart: Chart, first: int, last: int) -> None:
    """Mark the points with the longest and the shortest delay."""
    ends = chart.series[0].points
    for text, point in ((f"delay {first} cycles", ends[-1]), (f"delay {last}", ends[0])):
        axes.annotate(text, (point.x, point.y), xytext=AROUND[0], textcoords="offset points",
                      ha="center", va="top", size=8, color=FAINT, zorder=5, bbox=BEHIND,
                      label=NAMES)


def _set_size_ticks(axes: Any, chart: Chart) -> None:
    """Ticks at powers of two as in request lines, and the caches of the CPU."""
    values = [point.x for series in chart.series for point in series.points]
    low, high = min(values), max(values)
    text = (lambda v: units.size(int(v))) if chart.x.endswith("_bytes") else lambda v: f"{v:g}"
    powers = [2 ** i for i in range(60) if low <= 2 ** i <= high]
    step = ceil(len(powers) / 9)
    axes.set_xticks(powers[::step], [text(v) for v in powers[::step]])
    axes.minorticks_off()
    axes.set_xlim(low / 1.25, high * 1.25)
    for name, size in chart.caches:
        if low < size < high:
            axes.axvline(size, color=FAINT, lw=0.9, linestyle=(0, (2, 2)), zorder=1)
            axes.annotate(f"{name} {units.size(size)}", (size, 1), rotation=90, size=7.5,
                          xycoords=("data", "axes fraction"), xytext=(-3, -2), va="top",
                          textcoords="offset points", ha="right", color=FAINT)


def _set_plain_ticks(axis: Any, room: float = 3) -> None:
    """Plain numbers on a log axis, and enough of them."""
    from matplotlib.ticker import LogLocator, NullLocator
    low, high = sorted(axis.get_view_interval())
    ratio = high / low if low > 0 else 10
    subs = (1, 1.5, 2, 3, 4, 5, 6, 8) if ratio < 4 else (1, 2, 5) if ratio < 100 * room else \
        (1, 3) if ratio < 1000 * room else (1,)
    axis.set_major_locator(LogLocator(base=100 if ratio > 1e5 * room else 10, subs=subs))
    axis.set_major_formatter(number)
    axis.set_minor_locator(NullLocator())


def _draw_matrix(axes: Any, chart: Chart) -> None:
    from matplotlib.patches import Rectangle
    cells = {point.x: point for point in chart.series[0].points}
    grid = [[cells[row, column].y if (row, column) in cells else float("nan")
             for column in chart.columns] for row in chart.rows]
    values = [point.y for point in cells.values()]
    low, high = min(values), max(values)
    top = max(high, low * 1.25)         # similar values must look similar
    colours = "cividis"
    if chart.y == SPEED:                # those that are as fast as usual have no colour
        far = max(1 - low, high - 1, FAR)
        low, top, colours = 1 - far, 1 + far, "RdBu"
    many = len(values) > MANY            # too many cells are drawn as a bitmap
    mesh = axes.pcolormesh(grid, cmap=colours, vmin=low, vmax=top, rasterized=many)
    axes.grid(False)
    axes.invert_yaxis()
    long = max(len(str(column)) for column in chart.columns) > SHORT
    axes.set_xticks([i + 0.5 for i in range(len(chart.columns))], chart.columns,
                    rotation=90 if long else 0)
    axes.set_yticks([i + 0.5 for i in range(len(chart.rows))], chart.rows)
    axes.set_xlabel(label(chart.x) + _doubts_in_words(chart))
    axes.set_ylabel(label(chart.row))
    bar = axes.figure.colorbar(mesh, ax=axes, label=label(chart.y), shrink=0.9)
    bar.solids.set(rasterized=many, edgecolor="face")
    if max(len(chart.rows), len(chart.columns)) <= WRITTEN:
        _write_cells(axes, chart, grid, cells, mesh)
    for point in () if many else cells.values():
        if DISTURBED in point.doubt:
            corner = chart.columns.index(point.x[1]), chart.rows.index(point.x[0])
            axes.add_patch(Rectangle(corner, 1, 1, fill=False, hatch=CROSSED,
                                     edgecolor=FAINT, linewidth=0))


def _write_cells(axes: Any, chart: Chart, grid: Any, cells: dict, mesh: Any) -> None:
    """Write the number of each cell into it, if all of them can be read."""
    written = [["-" if y != y else cells[row, column].doubt + (
        f"{y:.0f}" if y >= 100 else f"{y:.3g}") for column, y in zip(chart.columns, ys)]
        for row, ys in zip(chart.rows, grid)]
    # About 0.7 of the picture's width is cells, and a digit is as wide as 0.6 of its size.
    across = 0.7 * 72 * axes.figure.bbox.width / axes.figure.dpi / len(chart.columns)
    size = min(8.5, 100 / max(len(chart.rows), len(chart.columns)),
               across / 0.6 / max(len(one) for row in written for one in row))
    for i, row in enumerate(grid if size >= LEGIBLE else ()):
        for j, y in enumerate(row):
            axes.text(j + 0.5, i + 0.5, written[i][j], ha="center", va="center", size=size,
                      color=TEXT if y != y else ON_LIGHT if _is_light(mesh, y) else ON_DARK)


def _is_light(mesh: Any, y: float) -> bool:
    """Whether dark text can be read on the colour of this value."""
    linear = [part / 12.92 if part <= 0.04 else ((part + 0.055) / 1.055) ** 2.4
              for part in mesh.to_rgba(y)[:3]]
    # The luminance of WCAG 2. On one of 0.18, black and white text have the same contrast.
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] > 0.18


def _draw_bars(axes: Any, chart: Chart) -> None:
    """Horizontal bars, so that names have room. The axis is a log axis if values differ much."""
    count = len(chart.series)
    thick = 0.8 / count
    values = [point.y for series in chart.series for point in series.points]
    wide = max(values) > 5 * min(values)
    for i, series in enumerate(chart.series):
        colour = _tint(chart, series)
        by_place = {point.x: point for point in series.points}
        places = [j for j, column in enumerate(chart.columns) if column in by_place]
        points = [by_place[chart.columns[j]] for j in places]
        at = [j - 0.4 + thick * (i + 0.5) for j in places]
        bars = axes.barh(at, [p.y for p in points], height=thick * 0.92, color=colour,
                         label=_name(chart, series) or None, edgecolor="white", linewidth=0)
        for bar, point, y in zip(bars, points, at):
            if not point.real or DISTURBED in point.doubt:
                bar.set(hatch=CROSSED if point.real else HATCH, edgecolor="white")
            axes.annotate(point.doubt + number(point.y), (point.y, y), xytext=(3, 0),
                          va="center", size=7.5, textcoords="offset points")
    names = _bar_names(chart, axes.figure.bbox.width / axes.figure.dpi)
    axes.set_yticks(range(len(chart.columns)), names)
    rows = max(len(chart.columns), 4 / count)       # a few bars must not become thick
    middle = (len(chart.columns) - 1) / 2
    axes.set_ylim(middle + rows / 2, middle - rows / 2)
    axes.grid(False, axis="y")
    axes.set_xlabel(label(chart.y) + (", log scale" if wide else "")
                    + (f"\n{UNREAL}" if chart.has_unreal_points else "") + _doubts_in_words(chart))
    if wide:
        axes.set_xscale("log")
        lowest = min(values) / 2
        axes.set_xlim(lowest, max(values) * (max(values) / lowest) ** 0.22)     # room for numbers
        _set_plain_ticks(axes.xaxis, 0.5)
    else:
        axes.set_xlim(0, max(values) * 1.18)
        axes.xaxis.set_major_formatter(number)
    _put_legend(axes, chart, max(len(line) for name in names for line in name.split("\n")))


def _draw_regions(axes: Any, chart: Chart) -> None:
    """A point for each region, from 0 on, so that small differences look small. A ring is around
    those that are slower than others of their node. Hollow points are of regions that can't be
    compared."""
    odd = [point for series in chart.series for point in series.points if point.odd]
    for series in chart.series:
        style = _style(chart, series) | {"linestyle": ""}
        filled: dict[str, Any] = {"label": _name(chart, series) or "region"}
        hollow: dict[str, Any] = {"fillstyle": "none", "markersize": 3.5}
        for real, more in ((True, filled), (False, hollow)):
            _plot(axes, (point for point in series.points if point.real == real), **style | more)
    if odd:
        _plot(axes, odd, "o", color=COLOURS[1], fillstyle="none", markersize=10, label=ODD)
    axes.set_ylim(0, 1.15 * max(point.y for series in chart.series for point in series.points))
    axes.yaxis.set_major_formatter(number)
    _put_words(axes, chart, f"\n{HOLLOW}" if chart.has_unreal_points else "")


def _draw_tail(axes: Any, chart: Chart) -> None:
    """Steps on two log axes: how rare it is that an access takes so long."""
    for series in chart.series:
        _plot(axes, series.points, drawstyle="steps-post", label=_name(chart, series) or "accesses",
              **_style(chart, series) | {"marker": ""})
    axes.set_xscale("log")
    axes.set_yscale("log")
    _set_plain_ticks(axes.xaxis)
    axes.yaxis.set_major_formatter(lambda v, _: f"{v:g}")
    _put_words(axes, chart)


def _draw_spikes(axes: Any, chart: Chart) -> None:
    """A point for each spike, over the time at which it came."""
    for series in chart.series:
        _plot(axes, series.points, label=_name(chart, series),
              **_style(chart, series) | {"linestyle": ""})
    axes.set_yscale("log")
    _set_plain_ticks(axes.yaxis)
    _put_words(axes, chart)


def _draw_history(axes: Any, chart: Chart) -> None:
    """The runs in their order, and the level between two changes."""
    for real, face in ((True, COLOURS[0]), (False, "white")):
        _plot(axes, (point for point in chart.series[0].points if point.real == real), "o",
              color=COLOURS[0], markerfacecolor=face, markersize=3.5)
    for mark in chart.marks:
        axes.hlines(mark.y, mark.first - 0.5, mark.last + 0.5, color=COLOURS[1], lw=1.6, zorder=4)
        if mark.name:
            axes.axvline(mark.first - 0.5, color=FAINT, lw=0.9, linestyle=(0, (2, 2)), zorder=1)
            axes.annotate(mark.name, (mark.first - 0.5, 1), xycoords=("data", "axes fraction"),
                          xytext=(3, -2), textcoords="offset points", va="top", size=8,
                          bbox=BEHIND)
    step = max(ceil(len(chart.columns) / 5), 1)
    axes.set_xticks(range(0, len(chart.columns), step), chart.columns[::step])
    axes.set_ylabel(label(chart.y))
    low, high = axes.get_ylim()
    middle = (low + high) / 2           # an axis of 10 % at least, so that noise looks small
    half = max(high - low, 0.1 * middle) / 2
    axes.set_ylim(middle - 1.1 * half, middle + 1.3 * half)
    axes.yaxis.set_major_formatter(number)


KINDS = {"history": _draw_history, "curves": _draw_curves, "matrix": _draw_matrix,
         "bars": _draw_bars, "regions": _draw_regions,
         "tail": _draw_tail, "spikes": _draw_spikes}
