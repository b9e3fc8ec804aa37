# SPDX-License-Identifier: GPL-2.0-only
"""The report on a file of results: machine, tables, findings, verdict."""

from mc import Failure, errno_name, findings, suite, table, verdict
from mc.results import Run, asked, figures

SHOWN_FACTS = ("median_ns", "cv_percent")
HIDDEN = ("mb_per_s_max", "traversed_bytes", "passes_per_sample")    # in the file only
UNITS = {"mb_per_s": "MB/s: 10^6 bytes of payload a second, in the median sample"}


def lines(runs: list[Run]) -> list[str]:
    """All of it, for a file's runs."""
    judged = verdict.judge(runs)
    parts = [_machine(runs[0].machine), *_tables(runs), _failures(runs)]
    if any(run.results for run in runs):
        parts.append(_findings(runs, judged))
        parts.append(_section("Memory types", verdict.lines(judged) + bullets(
            verdict.sentences(judged)) if judged.types else verdict.sentences(judged)))
    parts.append(_errors(runs))
    out: list[str] = []
    for part in filter(None, parts):
        out += ([""] if out else []) + part
    return out


def _machine(machine: dict) -> list[str]:
    hypervisor = machine.get("hypervisor")
    words = [f"Linux {machine['kernel']}", machine["cpu"],
             f"hypervisor: {hypervisor}" if hypervisor else "no hypervisor",
             f"clock: {machine.get('clock') or 'na'}"]
    return wrapped(", ".join(words))


def _tables(runs: list[Run]) -> list[list[str]]:
    """A table for each suite, test and side, in the order they were run."""
    groups: dict[tuple, list[Run]] = {}
    for run in runs:
        groups.setdefault((run.suite, run.request["test"], run.where), []).append(run)
    return [_table(name, test, group) for (name, test, _), group in groups.items()]


def _table(name: str | None, test: str, runs: list[Run]) -> list[str]:
    known = _suite(name)
    pairs = [(run, result) for run in runs for result in run.results]
    if not pairs:
        return [f"{name or test}: no results"]
    fixed = _constant([asked(result) for _, result in pairs])
    cells = known and known.layout and _pivot(pairs, known.layout)
    if cells:
        title = f"{known.title} ({UNITS.get(known.layout.value, known.layout.value)})"
    else:
        title = known.title if known else test
        cells = _list(pairs, fixed)
    if runs[0].where == "user":
        title += ", in user space"
    settings = " ".join(f"{key.removesuffix('_bytes')}={table.text(key, value)}"
                        for key, value in fixed.items() if value is not None)
    notes = [f"All with: {settings}." if settings else "", _quality([r for _, r in pairs])]
    return [*wrapped(title), "", *cells, "", *bullets(filter(None, notes), bullet=""),
            *bullets(known.notes if known else [], bullet="")]


def _suite(name: str | None) -> suite.Suite | None:
    """The suite that the runs were started by, if it is still there."""
    try:
        return suite.load(name) if name and suite.exists(name) and "/" not in name else None
    except Failure:
        return None


def _value(run: Run, result: dict, key: str) -> object:
    return run.label if key == "label" else result.get(key)


def _constant(keys: list[dict]) -> dict:
    """What all of them were asked alike."""
    return {key: value for key, value in keys[0].items()
            if all(key in other and other[key] == value for other in keys)}


def _pivot(pairs: list[tuple[Run, dict]], layout: suite.Layout) -> list[str] | None:
    """The table that the suite wants; None if two results would share a cell."""
    cells: dict[tuple, str] = {}
    for run, result in pairs:
        place = _value(run, result, layout.rows), _value(run, result, layout.columns)
        if place in cells or layout.value not in result:
            return None
        text = table.text(layout.value, result[layout.value])
        cells[place] = "!" + text if result.get("verified") == "failed" else text
    rows = dict.fromkeys(row for row, _ in cells)
    columns = dict.fromkeys(column for _, column in cells)
    names = [layout.rows, *(table.text(layout.columns, column) for column in columns)]
    return table.table(names, [
        [_row_name(layout.rows, row), *(cells.get((row, column), "") for column in columns)]
        for row in rows])


def _row_name(key: str, value: object) -> str:
    text = table.text(key, value)
    return text.upper() if key == "type" else text


def _list(pairs: list[tuple[Run, dict]], fixed: dict) -> list[str]:
    """A result a line: what they differ in, and the figures."""
    labels = [run.request.get("label") for run, _ in pairs]
    keys = _varying(pairs, fixed, labelled=all(labels))
    own = dict.fromkeys(k for _, r in pairs for k in figures(r) if k not in HIDDEN)
    names = [*keys, *SHOWN_FACTS, *own]
    rows = [[table.text(key, result.get(key)) for key in names] for _, result in pairs]
    for row, (_, result) in zip(rows, pairs):
        if result.get("verified") == "failed":
            row[-1] = "!" + row[-1]
    names = [key.removesuffix("_bytes") for key in names]
    if any(labels):
        names, rows = ["label", *names], [[name or "", *row] for name, row in zip(labels, rows)]
    return table.table(names, rows)


def _varying(pairs: list[tuple[Run, dict]], fixed: dict, labelled: bool) -> list[str]:
    """The keys that tell results apart; where each has a label, those of the
    same label."""
    if not labelled:
        return list(dict.fromkeys(k for _, r in pairs for k in asked(r) if k not in fixed))
    values: dict[tuple, set] = {}
    for run, result in pairs:
        for key, value in asked(result).items():
            values.setdefault((key, run.label), set()).add(value)
    return list(dict.fromkeys(key for (key, _), found in values.items() if len(found) > 1))


def _quality(results: list[dict]) -> str:
    """How far the samples scatter, what was checked, what was left out."""
    said = []
    spread = sorted(r["cv_percent"] for r in results if r.get("cv_percent") is not None)
    if spread:
        said.append(f"Coefficient of variation: median {spread[len(spread) // 2]:.1f} %, "
                    f"largest {spread[-1]:.1f} %.")
    good = sum(r.get("verified") == "ok" for r in results)
    said.append(f"Data verified in {good} of {len(results)} results.")
    left = sum(r.get("left_out", 0) for r in results)
    if left:
        why = sorted({str(r["left_out_why"]) for r in results if r.get("left_out_why")})
        said.append(f"{left} samples were left out ({', '.join(why) or 'na'}).")
    return " ".join(said)


def _failures(runs: list[Run]) -> list[str]:
    """Data that did not hold, loudly."""
    failed = [(run, r) for run in runs for r in run.results if r.get("verified") == "failed"]
    if not failed:
        return []
    return ["*** VERIFICATION FAILED: memory did not hold what was written to it. ***",
            "The figures marked ! mean nothing:", *bullets(
        " ".join(filter(None, [run.request.get("label"), *(
            f"{key.removesuffix('_bytes')}={table.text(key, value)}"
            for key, value in asked(r).items())])) for run, r in failed)]


def _findings(runs: list[Run], judged: verdict.Verdict) -> list[str]:
    if not findings.points(runs):
        return []
    found = findings.lines(runs, judged)
    if judged.emulated:
        found.append("Nothing: on an emulated machine, no difference between these numbers means "
                     "anything.")
    else:
        idle = [name.upper() for name in judged.types if not judged.comparable(name)]
        if idle:
            found.append(f"Left out: {verdict.listed(idle)}, not shown to be real here (see "
                         "below).")
    return _section("What stands out", bullets(found or ["Nothing."]))


def _errors(runs: list[Run]) -> list[str]:
    """Requests that did not end well."""
    bad = [f"{run.label}: {run.request['state']}: {_error(run.request)}"
           for run in runs if run.request["state"] != "done"]
    return _section("Not all was measured", bullets(bad)) if bad else []


def _error(request: dict) -> str:
    """`ETIME timeout: …`"""
    number, text = request.get("errno"), str(request.get("error") or "")
    name = errno_name(number) if number and isinstance(number, int) else ""
    return text if text.startswith(name) and text else f"{name} {text}".strip() or "na"


def _section(title: str, body: list[str]) -> list[str]:
    return [title, *body] if body else []


def bullets(texts, bullet: str = "- ") -> list[str]:
    return [line for text in texts for line in wrapped(text, bullet)]


def wrapped(text: str, bullet: str = "") -> list[str]:
    from textwrap import wrap
    return wrap(text, table.WIDTH, initial_indent=bullet, subsequent_indent=" " * len(bullet),
                break_on_hyphens=False)
