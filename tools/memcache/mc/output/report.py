# SPDX-License-Identifier: GPL-2.0-only
"""The report on a file of results: machine, tables, findings, verdict."""

from mc import errno_name
from mc.analysis import amplification, findings, traffic, verdict
from mc.output import tables
from mc.records import prices, units
from mc.records.fields import asked
from mc.records.results import Run
from mc.table import bullets, wrapped

def lines(runs: list[Run]) -> list[str]:
    """All of it, for a file's runs."""
    out: list[str] = []
    for part in filter(None, [_machine(runs[0].machine), *parts(runs)]):
        out += ([""] if out else []) + part
    return out


def parts(runs: list[Run]) -> list[list[str]]:
    """What is said of them, each with its heading; some may be empty."""
    judged = verdict.judge(runs)
    found = [*tables.blocks(runs), traffic.lines(runs),
             amplification.lines(runs, judged.emulated), _failures(runs)]
    if any(run.results for run in runs):
        found.append(_findings(runs, judged))
        found.append(_section("Memory types", verdict.lines(judged) + bullets(
            verdict.sentences(judged)) if judged.types else verdict.sentences(judged)))
    return [*found, _errors(runs)]


def _machine(machine: dict) -> list[str]:
    simulated = prices.known(machine)
    words = [f"Linux {machine['kernel']}", machine["cpu"],
             "simulated" if simulated else prices.below(machine, "hypervisor: "),
             f"clock: {machine.get('clock') or 'na'}"]
    said = [f"A SIMULATED MACHINE ({simulated['emulator']}): its times follow from its prices, and "
            "are of no real hardware.", prices.text(machine)] if simulated else []
    return [line for text in [*said, ", ".join(words)] for line in wrapped(text)]


def _failures(runs: list[Run]) -> list[str]:
    """Data that did not hold, loudly."""
    failed = [(run, r) for run in runs for r in run.results if r.get("verified") == "failed"]
    if not failed:
        return []
    return ["*** VERIFICATION FAILED: memory did not hold what was written to it. ***",
            "The figures marked ! mean nothing:", *bullets(
        " ".join(filter(None, [run.request.get("label"), *(
            f"{key.removesuffix('_bytes')}={units.text(key, value)}"
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
