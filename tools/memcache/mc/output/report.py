# SPDX-License-Identifier: GPL-2.0-only
"""The report on a results file: machine, tables, findings, verdict."""

from collections import Counter
from collections.abc import Iterator

from mc import errno_name, plural
from mc.analysis import amplification, events, findings, hardware, regions, traffic, verdict
from mc.analysis.disturbed import verdict as of_disturbances
from mc.analysis.words import Say, said
from mc.output import normal, tables, terminal
from mc.parts import Heading, Part, Sentence, bullets
from mc.records import prices, units
from mc.records.fields import request_keys
from mc.records.results import Run, missing_requests
from mc.records.rounds import with_merged_rounds


def lines(runs: list[Run], wide: bool = False) -> list[str]:
    """The report on the runs of a file, as lines for a terminal. Rounds are not merged yet."""
    whole = with_merged_rounds(runs)
    return terminal.lines([*warning_of_disturbances(whole), *_machine(runs[0].machine),
                           *parts(whole, wide), *_missing_requests(runs)])


def conclusions(runs: list[Run]) -> Iterator[dict]:
    """A record for each conclusion of the report on the runs of a file, for programs."""
    whole = with_merged_rounds(runs)
    for part in [*warning_of_disturbances(whole), *parts(whole)]:
        if isinstance(part, Sentence) and isinstance(part.text, Say):
            yield {"record": "conclusion"} | part.text.record()


def warning_of_disturbances(whole: list[Run]) -> list[Part]:
    """The first line, if the runs, whose rounds are merged, were disturbed."""
    text = of_disturbances(whole) if whole else ""
    return [Sentence(text)] if text else []


def parts(runs: list[Run], wide: bool = True) -> list[Part]:
    """The report without the machine: only the answers, or everything if it is wide."""
    judged = verdict.judge(runs)
    report = [*tables.parts(runs, wide), *traffic.parts(runs), *events.parts(runs),
              *([] if judged.is_emulated else regions.parts(runs)),
              *amplification.parts(runs, judged.is_emulated),
              *_failures(runs), *hardware.parts(runs, wide), *normal.parts(runs, wide)]
    if any(run.results for run in runs):
        report += [*_findings(runs, judged, wide), *_types(judged, wide)]
    return [*report, *_errors(runs)]


def _machine(machine: dict) -> list[Part]:
    simulated = prices.simulation(machine)
    words = [f"Linux {machine['kernel']}", machine["cpu"],
             "simulated" if simulated else prices.layer_below(machine, "hypervisor: "),
             f"clock: {machine.get('clock') or 'na'}"]
    warnings = [f"A SIMULATED MACHINE ({simulated['emulator']}): its times follow from its prices, "
                "and are of no real hardware.", prices.text(machine)] if simulated else []
    return [Sentence(text) for text in [*warnings, ", ".join(words)]]


def _failures(runs: list[Run]) -> list[Part]:
    """A loud warning if data failed verification."""
    failed = [(run, r) for run in runs for r in run.results if r.get("verified") == "failed"]
    if not failed:
        return []
    return [Heading("*** VERIFICATION FAILED: memory did not hold what was written to it. ***"),
            Sentence("The figures marked ! mean nothing:"), *bullets([
        " ".join(filter(None, [run.request.get("label"), *(
            f"{units.name(key)}={units.text(key, value)}"
            for key, value in request_keys(r).items())])) for run, r in failed])]


def _findings(runs: list[Run], judged: verdict.Verdict, wide: bool) -> list[Part]:
    if not any(findings.points(runs)):
        return []
    idle = [name.upper() for name in judged.types if not judged.is_comparable(name)]
    sentences = findings.lines(runs, judged, wide) + said(
        (judged.is_emulated, "nothing_emulated", {}),
        (idle and not judged.is_emulated, "types_left_out", {"types": idle}))
    if not sentences and not wide:
        return []
    return [Heading("What stands out"), *bullets(sentences or [Say("nothing")])]


def _types(judged: verdict.Verdict, wide: bool) -> list[Part]:
    """The verdict on memory types. A short report has one sentence if all types are real."""
    sentences = verdict.sentences(judged)
    if not wide and judged.types and not judged.is_emulated and all(
            one.real for one in judged.types.values()):
        return [Sentence(text, gap=True) for text in sentences]
    if judged.types:
        return [Heading("Memory types"), verdict.grid(judged), *bullets(sentences, gap=False)]
    return [Heading("Memory types"), *map(Sentence, sentences)] if sentences else []


def _errors(runs: list[Run]) -> list[Part]:
    """The requests that did not succeed."""
    bad = [f"{run.label}: {run.request['state']}: {_error(run.request)}"
           for run in runs if run.request["state"] != "done"]
    return [Heading("Requests that did not succeed"), *bullets(bad)] if bad else []


def _missing_requests(runs: list[Run]) -> list[Part]:
    """The requests of which there is nothing, as after a power cut."""
    names = missing_requests(runs)
    if not names:
        return []
    return [Heading(f"{plural(len(names), 'request')} without any result, as the run ended early "
                    "or could not measure them"),
            *bullets([name if count == 1 else f"{name} ({count} times)"
                      for name, count in Counter(names).items()])]


def _error(request: dict) -> str:
    """`ETIME timeout: …`"""
    number, text = request.get("errno"), str(request.get("error") or "")
    name = errno_name(number) if number and isinstance(number, int) else ""
    return text if text.startswith(name) and text else f"{name} {text}".strip() or "na"

