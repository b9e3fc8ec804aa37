# SPDX-License-Identifier: GPL-2.0-only
"""The comparison of results: pairs of records side by side, then four tables of the cost of an
operating system, of interrupts and of a hypervisor, if there are random accesses."""

from mc import grouped, plural
from mc.analysis import judge, machines, marks, match, overhead, words
from mc.analysis.disturbed import is_disturbed
from mc.analysis.estimate import median_time
from mc.analysis.judge import Difference
from mc.analysis.match import Batch, Pairing
from mc.parts import Grid, Heading, Part, Sentence, bullets
from mc.records import fields, prices, results, tests, units
from mc.records.fields import IGNORED, request_keys

MOST_LISTED = 5        # how many records without a partner are listed
LEGEND = ("speed: how fast the file is beside A, by the times of the median samples. 0.40x is 40 "
          f"% of A's speed, 60 % less. {judge.LEGEND}. Faster, slower: the whole 95 % interval "
          f"lies beyond {1 - judge.LIMIT:.2f}x or {1 / (1 - judge.LIMIT):.2f}x, or the samples are "
          f"a factor of {judge.APART:g} apart. Three runs of a side or more also count if their "
          "medians, or their fastest samples, lie apart by more than these scatter. Same: the "
          "interval lies between. It comes from the spread between runs.")
PUBLISHED = ("Published total times in TSC cycles have no spread, so there are no intervals, and "
             f"only a factor of {judge.APART:g} tells faster from slower. {judge.LEGEND}.")
MARKS = {"~": f"~ before a figure: the loop had not settled: its {words.UNSETTLED}.",
         "±": f"± before a figure: it was disturbed: {words.DISTURBED}."}


def parts(files: dict[str, list[results.Run]], mixed: bool = False, wide: bool = True,
          tables: bool = False) -> tuple[list[Part], int]:
    """The comparison, and the exit status: 1 if nothing could be compared, or if records were
    refused. `wide` prints all settings, `tables` only the four tables."""
    costs = _tables_of_costs(overhead.Figures(overhead.cells(match.batches(files))), mixed)
    if tables:
        return costs or [Sentence("No results of random accesses by one thread: no tables.")], \
            0 if costs else 1
    batches = match.comparable_batches(files)
    pairings = [match.pair(a, b, mixed) for a, b in match.plan(batches)]
    good = any(p.pairs for p in pairings) and not any(p.refused for p in pairings)
    return [*(part for group in _groups(pairings) for part in _group(group, wide)),
            Sentence(LEGEND, gap=True), *costs], 0 if good else 1


def _groups(pairings: list[Pairing]) -> list[list[Pairing]]:
    """Pairings of the same batch with those of other files share a table."""
    return list(grouped(((pairing.a.name, pairing.a.file == pairing.b.file), pairing)
                        for pairing in pairings).values())


def report_on_published(files: list[str]) -> list[Part]:
    from mc.analysis.published import load
    report: list[Part] = []
    for name in files:
        figures = overhead.Figures(load(name))
        report += [Heading(name), Sentence(PUBLISHED), *_tables_of_costs(figures, False)]
    return report


def _tables_of_costs(figures: overhead.Figures, mixed: bool) -> list[Part]:
    tables = overhead.tables(figures) if figures.cells else []
    if not tables:
        return []
    full = overhead.workloads(figures)
    report: list[Part] = [Heading("Random accesses in the tables below"),
                          *bullets(full)] if full else []
    report += [part for one in tables for part in overhead.parts(one, mixed)]
    if figures.repeated:
        report.append(Sentence(
            f"{plural(figures.repeated, 'result')} {'was' if figures.repeated == 1 else 'were'} "
            "measured more than once on a machine: the first of "
            "each counts in these tables.", gap=True))
    return report


def _group(group: list[Pairing], wide: bool) -> list[Part]:
    """A batch and those that are compared with it: B, C and so on."""
    first = group[0].a
    named = {chr(ord("B") + i % 25): pairing for i, pairing in enumerate(group)}
    report: list[Part] = [Sentence(batch_line("A", first), gap=True),
                          *(Sentence(batch_line(name, p.b)) for name, p in named.items())]
    for name, batch in (("A", first), *((name, p.b) for name, p in named.items())):
        report += _imported(name, batch)
    for name, pairing in named.items():
        report += differences_of_machines(f"about {name}", pairing)
        free = pairing.free
        if pairing.a.where != pairing.b.where:
            free = {"where": (pairing.a.where, pairing.b.where), **free}
        if free:
            report.append(Sentence(f"{'Compared' if len(group) == 1 else name}: " + ", ".join(
                f"{key}={units.text(key, a)} against {units.text(key, b)}"
                for key, (a, b) in free.items())))
    if any(pairing.pairs for pairing in group):
        report += _tables(named, wide)
        if any(batch.machine.get("hypervisor") == "uml"
               for batch in (first, *(p.b for p in group))):
            report.append(Sentence(overhead.UML))
    else:
        report.append(Sentence("Nothing in them can be compared.", gap=True))
    for name, pairing in named.items():
        report += _records_not_compared(name, pairing, len(group) > 1)
    return report


def _imported(name: str, batch: Batch) -> list[Part]:
    """What is said of results of another program: its name and version, and in what it differs."""
    heads = dict.fromkeys((one["tool"], one.get("tool_version"), one.get("definition"))
                          for one in batch.results if one.get("tool"))
    return [Sentence(f"{name} was imported: {tool} {version or 'of unknown version'}"
                     + (f"; {definition}." if definition else ".") + " What it does not say, "
                     "such as the loop's accesses, may differ.")
            for tool, version, definition in heads]


def _records_not_compared(name: str, pairing: Pairing, several: bool) -> list[Part]:
    """The records that were refused or have no partner. `name` is that of the second batch."""
    where = f" with {name}" if several else ""
    report = _list(f"Not compared{where}", [line.replace(" in B", f" in {name}")
                                            for line in pairing.refused])
    if any(word in line.partition(": ")[2] for line in pairing.refused
           for word in ("effective=", "page tables", "memory of node", "prefetch=", "simulated")):
        report.append(Sentence("Their memory or the state of the prefetchers differed; "
                               "--mixed-verdicts compares them nevertheless."))
    for own, lonely in pairing.alone.items():
        other = where if own == "A" and several else ""
        report += _list(f"Without a partner{other}, in {own if own == 'A' else name} only",
                        [line.replace("(B has ", f"({name} has ") for line in lonely])
    return report


def differences_of_machines(what: str, pairing: Pairing) -> list[Part]:
    """What is different about the machine of the second batch, if it is of another file."""
    a, b = (machines.facts(batch.machine, batch.results) for batch in (pairing.a, pairing.b))
    differences = "" if pairing.a.file == pairing.b.file else machines.differences_in_words(b, a)
    return [Sentence(f"Different {what}: {differences}.")] if differences else []


def batch_line(name: str, batch: Batch) -> str:
    return f"{name}  {batch.name}: Linux {batch.machine['kernel']}, {batch.machine['cpu']}, " \
           f"{prices.layer_below(batch.machine)}"


def _tables(named: dict[str, Pairing], wide: bool) -> list[Part]:
    """A table for each test: a row for each record of A that has a partner, with the figures of
    all files. Tests have keys of their own, so that one table of all would be full of gaps."""
    group = list(named.values())
    tables: dict[str, dict[int, tuple[dict, dict[str, dict]]]] = {}
    for name, pairing in named.items():
        for a, b in pairing.pairs:
            rows = tables.setdefault(a["test"], {})
            rows.setdefault(id(a), (a, {}))[1][name] = b
    parts: list[Part] = []
    changes: list[Difference] = []
    free = {key for pairing in group for key in pairing.free}
    if len(tables) > 1:
        free.add("test")        # headings have it
    for test, rows in tables.items():
        its_parts, its_changes = _table(named, list(rows.values()), free, wide)
        if len(tables) > 1:
            parts.append(Heading(test))
        parts += its_parts
        changes += its_changes
    remarks = [f"{len(changes)} compared: {judge.count_words(one.word for one in changes)}.",
               *judge.doubts(changes),
               *(text for mark, text in MARKS.items() if any(
                   mark in _marks_of(one) for p in group for pair in p.pairs for one in pair))]
    return [*parts, *map(Sentence, filter(None, remarks))]


def _table(named: dict[str, Pairing], rows: list[tuple[dict, dict[str, dict]]],
           free: set[str], wide: bool) -> tuple[list[Part], list[Difference]]:
    """The table of one test. A row is a record of A and its partner in each file. `free`: keys
    that the table does not show."""
    keys, fixed, implied = _keys([a for a, _ in rows], free)
    cells: list[list[str]] = []
    changes: list[Difference] = []
    for own, (a, others) in zip(keys, rows):
        judged = {name: named[name].judge(a, other) for name, other in others.items()}
        changes += judged.values()
        speeds = [[judged[name].speed, judged[name].speeds] if len(named) == 1 else
                  [judged[name].factor if name in judged else "-"] for name in named]
        cells.append([*own.values(), *map(figure, (a, *map(others.get, named))), *sum(speeds, [])])
    names = [*(units.name(key) for key in keys[0]), "A", *named]
    names += ["speed", "95 % interval"] if len(named) == 1 else [f"speed of {n}" for n in named]
    settings = match.settings({key: value for key, value in fixed.items() if wide
                               or not tests.is_preset(rows[0][0]["test"], key, value)})
    remarks = [f"{'All with' if wide else 'With'}: {settings}." if settings else "",
               f"Varying along with the others: {', '.join(implied)}." if implied and wide else ""]
    return [Grid(names, cells, len(keys[0])), *map(Sentence, filter(None, remarks))], changes


def _keys(records: list[dict], free: set[str]) -> tuple[list[dict[str, str]], dict, list[str]]:
    """For each record the keys that tell it apart, and their values as text; the keys that all
    have in common; the keys that vary only together with others."""
    own = [{"test": r["test"]} | request_keys(r) | {k: r[k] for k in fields.WHICH if k in r}
           for r in records]
    skip = {*free, *IGNORED}
    names = [key for key in dict.fromkeys(key for keys in own for key, value in keys.items()
                                          if value is not None) if key not in skip]
    fixed = {key: own[0].get(key) for key in names
             if all(key in keys and keys[key] == own[0].get(key) for keys in own)}
    moving = [key for key in names if key not in fixed]
    distinguishing = {"test", *fields.distinguishing_keys(own, moving), *fields.WHICH}
    varying = [key for key in moving if key in distinguishing] or ["test"]
    return [{key: units.text(key, keys.get(key)) for key in varying} for keys in own], fixed, \
        [units.name(key) for key in moving if key not in varying]


def figure(result: dict | None) -> str:
    """The figure of its test: a rate, or the time of what it measures, never that of a pass. A
    difference, such as tlb_ns, has no speed: the time of a load stands for it. A mark before it
    says that the loop had not settled, or was disturbed."""
    return "-" if result is None else _marks_of(result) + plain_figure(result)


def _marks_of(result: dict) -> str:
    return marks.mark_of_unsettled(fields.has_settled(result)) + "±" * is_disturbed(result)


def plain_figure(result: dict) -> str:
    """The figure without a mark."""
    key = tests.test_of(result["test"]).main() or ""
    value = result.get(key)
    if key.endswith("mb_per_s") and value:
        return f"{units.rate(value)} {units.rates().name}"
    if key.startswith("ns_per_") and value:
        return units.duration(value)
    time = median_time(result)
    return units.duration(time.time) if time else "na"


def _list(title: str, texts: list[str]) -> list[Part]:
    return [Sentence(f"{title}: {len(texts)}"), *bullets(texts, most=MOST_LISTED)] if texts else []
