# SPDX-License-Identifier: GPL-2.0-only
"""The beginning of a report's page: what was found, on which machine and when, and the figures that
people ask for first, beside what they were compared with."""

import time
from collections import Counter
from collections.abc import Iterator

from mc import plural
from mc.analysis import disturbed, judge, marks, match, verdict
from mc.analysis.highlights import Highlight, highlights
from mc.analysis.judge import Difference, Word
from mc.analysis.match import Pairing
from mc.analysis.normal import Beside, expected_of_results
from mc.analysis.words import said
from mc.output import captions, comparison, normal
from mc.output.charts import Source
from mc.parts import Grid, Heading, Part, Sentence
from mc.records import prices, units
from mc.records.results import Pairs, Run, start_times
from mc.records.shape import numbers

EMULATED = "An emulated machine: its times say nothing about real hardware"
FAILED = "Memory did not hold what was written to it"


def parts(files: dict[str, list[Run]], sources: list[Source], named: dict[str, str],
          title: str) -> Iterator[Part]:
    """The headline, the machine of each file, its verdict, and a table of figures. `named`: what
    each file is called here; `title`: the headline if there are no figures."""
    runs = [Run(run.machine, run.request, [r for r in run.results if r["where"] == one.where])
            for one in sources[:1] for run in files[one.file]]
    figures = highlights(runs)
    pairings = _pairings(files, sources) if len(sources) > 1 else {}
    first = sources[0].name or sources[0].where if sources else ""
    yield Heading(_headline(files, figures, first, pairings) or title, 1)
    for name, some in files.items():
        yield Sentence(f"{named[name]}: " * (len(files) > 1) + _machine_line(some))
    for name, some in files.items():
        yield from _verdict(some, named[name] if len(files) > 1 else "")
    if figures:
        yield _figures_of_sources(figures, first, pairings) if pairings else \
            _figures_of_one_file(figures, runs)


def _pairings(files: dict[str, list[Run]], sources: list[Source]) -> dict[str, Pairing]:
    """The comparisons of the first source with the others, by the names of these."""
    named = {(one.file, one.where): one.name for one in sources}
    batches = match.batches(files)
    return {named[b.file, b.where]: match.pair(a, b, False)
            for a, b in match.plan(batches) if a is batches[0]}


def _headline(files: dict[str, list[Run]], figures: list[Highlight], first: str,
              pairings: dict[str, Pairing]) -> str:
    """The headline: the comparisons in words. Without comparisons it has the first two figures."""
    results = [result for runs in files.values() for run in runs for result in run.results]
    if any(result.get("verified") == "failed" for result in results):
        return FAILED
    if any(verdict.judge(runs).is_emulated for runs in files.values()):
        return EMULATED
    comparisons = [f"{name} against {first}: {_count_words(pairing)}"
                   for name, pairing in pairings.items() if pairing.pairs]
    return "; ".join(comparisons) or ". ".join(f"{one.name}: {_marked_figure(one.run, one.result)}"
                                               for one in figures[:2])


def _count_words(pairing: Pairing) -> str:
    """`2 slower, 30 the same, can't tell 3`"""
    words = Counter(pairing.judge(a, b).word for a, b in pairing.pairs)
    texts = {Word.FASTER: "{} faster", Word.SLOWER: "{} slower", Word.SAME: "{} the same",
             Word.UNKNOWN: "can't tell {}"}
    return ", ".join(text.format(words[word]) for word, text in texts.items() if words[word])


def _machine_line(runs: list[Run]) -> str:
    """The machine in a line, and when it was measured."""
    machine = runs[0].machine
    cpus = len(numbers(str(machine.get("cpus_online"))))
    times = start_times(runs)
    when = time.strftime("%-d %B %Y, %H:%M UTC", time.gmtime(min(times) // 10**9)) \
        if times else "no date"
    facts = [machine["cpu"], plural(cpus, "CPU") if cpus else "",
             prices.layer_below(machine, "hypervisor "), f"Linux {machine['kernel']}",
             f"host {machine['host']}" if machine.get("host") else ""]
    return f"{', '.join(filter(None, facts))}. Measured " \
           f"{captions.sides(run.where for run in runs)}, {when}."


def _verdict(runs: list[Run], name: str) -> Iterator[Part]:
    """A sentence on the verdict. It is loud if the data are wrong, the machine is emulated or was
    disturbed, or a memory type is not real."""
    judged = verdict.judge(runs)
    bad = judged.is_emulated or not all(one.real for one in judged.types.values())
    failed = sum(r.get("verified") == "failed" for run in runs for r in run.results)
    text = disturbed.verdict(runs)
    sentences = [*filter(None, [text]), *said((failed, "wrong_data", {"n": failed})),
                 *verdict.sentences(judged)]
    if sentences:
        yield Sentence(" ".join([f"{name}:"] * bool(name) + sentences),
                       loud=bool(bad or failed or text))


def _figures_of_one_file(figures: list[Highlight], runs: list[Run]) -> Grid:
    """The figures, each beside another one of the same file, whose runs these are."""
    known = expected_of_results(runs)
    published = [Beside(one.run, one.result, known[id(one.result)])
                 if id(one.result) in known else None for one in figures]
    columns = {
        "what": [_name_and_how(one) for one in figures],
        "measured": [_marked_figure(one.run, one.result) for one in figures],
        "published of this CPU": [normal.cell(there) if there else "" for there in published],
        "compared with": [f"{one.beside}: {_marked_figure(*one.other)}" if one.other else ""
                          for one in figures]}
    columns = {name: cells for name, cells in columns.items() if any(cells)}
    return Grid(list(columns), [list(row) for row in zip(*columns.values())], strong=(1,),
                note=_meanings_of_marks([(one.run, one.result) for one in figures]))


def _figures_of_sources(figures: list[Highlight], first: str, pairings: dict[str, Pairing]) -> Grid:
    """The figures of the first source, beside those of the others."""
    rows: list[list[str]] = []
    differences: list[Difference] = []
    for one in figures:
        others = {name: next((b for a, b in pairing.pairs if a is one.result), None)
                  for name, pairing in pairings.items()}
        judged = {name: pairings[name].judge(one.result, other)
                  for name, other in others.items() if other}
        differences += judged.values()
        rows.append([_name_and_how(one), _marked_figure(one.run, one.result),
                     *map(comparison.figure, others.values())])
        rows[-1][1:1] = [judged[name].factor if name in judged else "-" for name in others]
    remarks = [_meanings_of_marks([(one.run, one.result) for one in figures]), f"{judge.LEGEND}.",
               *judge.doubts(differences)]
    several = len(pairings)
    return Grid(["what", *(f"speed of {name}" for name in pairings), first, *pairings], rows,
                strong=tuple(range(several + 2, 2 * several + 2)),
                note=" ".join(filter(None, remarks)))


def _marked_figure(run: Run, result: dict) -> str:
    return marks.mark(run, result) + comparison.plain_figure(result)


def _name_and_how(one: Highlight) -> str:
    """Its name, and in a second line how it was measured: `64M on CPU 0, spread 1.2 %`."""
    result = one.result
    cpu = str(result.get("cpu", ""))
    where = f" on CPU{'' if cpu.isdigit() else 's'} {cpu}" if numbers(cpu) else ""
    size = units.text("size_bytes", result.get("size_bytes"))
    spread = result.get("cv_percent")
    return f"{one.name}\n{size}{where}" + ("" if spread is None else f", spread {spread:.1f} %")


def _meanings_of_marks(pairs: Pairs) -> str:
    """What the marks of these figures mean."""
    shown = marks.join_marks(marks.mark(*pair) for pair in pairs)
    return " ".join(f"{mark} {marks.MEANS[mark]}." for mark in shown if mark in marks.MEANS)
