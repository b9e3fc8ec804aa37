# SPDX-License-Identifier: GPL-2.0-only
"""The comparison of results: pairs of records side by side, then for random accesses the four
tables of what an operating system, interrupts and a hypervisor cost."""

from mc.analysis import match, overhead
from mc.analysis.estimate import change, median_time, without_interval
from mc.analysis.findings import FLOOR, MIN_SAMPLES
from mc.analysis.match import Batch, Pairing
from mc.parts import Grid, Heading, Part, Sentence, bullets
from mc.records import fields, prices, results, tests, units
from mc.records.fields import asked

# Tests whose times are those of a single load.
EACH = [test.name for test in tests.TESTS.values() if test.named("count")]
TOLD = 5        # how many records without a partner are listed
LEGEND = ("↑ faster: less time in B than in A; ↓ slower; ~ within the noise: the 95 % interval "
          "holds zero, or mean, median or fastest sample changed by less than "
          f"{100 * FLOOR:.0f} %, by which two runs of the same request may differ. Times are "
          f"medians: of a pass, but of {', '.join(EACH)} those of a load.")
UNKNOWN = (f"Interval na: fewer than {MIN_SAMPLES} samples (`repeat=`) in one round, or none of "
           "their spread is known. Such a change can't be told from noise and counts as noise.")
PUBLISHED = ("Published total times in TSC cycles have no spread, so there are no intervals, and "
             "noise can't be told. ↑ faster, ↓ slower.")
EMULATED = ("An emulated machine (QEMU, TCG): no difference between these times says anything "
            "about real hardware, so all of them count as noise.")


def parts(files: dict[str, list[results.Run]], mixed: bool = False) -> tuple[list[Part], int]:
    """The comparison, and the exit status: 1 if nothing could be compared, or if records were
    refused."""
    batches = match.checked(files)
    pairings = [match.pair(a, b, mixed) for a, b in match.plan(batches)]
    figures = overhead.Figures(overhead.cells(batches))
    good = any(p.pairs for p in pairings) and not any(p.refused for p in pairings)
    return [*(part for pairing in pairings for part in _pairing(pairing)),
            Sentence(LEGEND, gap=True), *_overhead(figures, mixed)], 0 if good else 1


def published(files: list[str]) -> list[Part]:
    from mc.analysis.published import load
    found: list[Part] = []
    for name in files:
        figures = overhead.Figures(load(name))
        found += [Heading(name), Sentence(PUBLISHED), *_overhead(figures, False)]
    return found


def _overhead(figures: overhead.Figures, mixed: bool) -> list[Part]:
    made = overhead.tables(figures) if figures.cells else []
    if not made:
        return []
    full = overhead.workloads(figures)
    found: list[Part] = [Heading("Random accesses in the tables below"),
                         *bullets(full)] if full else []
    found += [part for one in made for part in overhead.parts(one, mixed)]
    if figures.repeated:
        found.append(Sentence(
            f"{figures.repeated} results were measured more than once on a machine: the first of "
            "each counts in these tables.", gap=True))
    return found


def _pairing(pairing: Pairing) -> list[Part]:
    free = pairing.free
    if pairing.a.where != pairing.b.where:
        free = {"where": (pairing.a.where, pairing.b.where), **free}
    found: list[Part] = [Sentence(_batch("A", pairing.a), gap=True, wrap=False),
                         Sentence(_batch("B", pairing.b), wrap=False)]
    if free:
        found.append(Sentence("Compared: " + ", ".join(
            f"{key}={a} against {b}" for key, (a, b) in free.items()), wrap=False))
    found += _table(pairing) if pairing.pairs else [
        Sentence("Nothing in them can be compared.", gap=True)]
    if pairing.pairs and any(batch.machine.get("hypervisor") == "uml"
                             for batch in (pairing.a, pairing.b)):
        found.append(Sentence(overhead.UML))
    found += _list("Not compared", pairing.refused)
    if any(word in line for line in pairing.refused
           for word in ("effective=", "page tables", "memory of node", "prefetch=", "simulated")):
        found.append(Sentence("Their memory or the state of the prefetchers differed; "
                              "--mixed-verdicts compares them nevertheless."))
    for name, lonely in pairing.alone.items():
        found += _list(f"Without a partner, in {name} only", lonely)
    return found


def _batch(name: str, batch: Batch) -> str:
    return f"{name}  {batch.name}: Linux {batch.machine['kernel']}, {batch.machine['cpu']}, " \
           f"{prices.below(batch.machine)}"


def _table(found: Pairing) -> list[Part]:
    keys = [{"test": a["test"]} | asked(a) | {k: a[k] for k in fields.WHICH if k in a}
            for a, _ in found.pairs]
    skip = {*found.free, *match.IGNORED}
    names = dict.fromkeys(key for own in keys for key in own if key not in skip)
    fixed = {key: keys[0].get(key) for key in names
             if all(key in own and own[key] == keys[0].get(key) for own in keys)}
    moving = [key for key in names if key not in fixed]
    told = {"test", *fields.distinguishing_keys(keys, moving), *fields.WHICH}
    varying = [key for key in moving if key in told]
    implied = [key.removesuffix("_bytes") for key in moving if key not in varying]
    emulated = any(batch.emulated for batch in (found.a, found.b))
    rows, changes = [], []
    for own, (a, b) in zip(keys, found.pairs):
        times = [time for time in (median_time(a), median_time(b)) if time]
        made = without_interval(change(*times)) if emulated else change(*times)
        changes.append(made)
        rows.append([*(units.text(key, own.get(key)) for key in varying),
                     *(units.duration(time.time) for time in times), str(made), made.interval])
    grid = Grid([*(key.removesuffix("_bytes") for key in varying), "A", "B", "change",
                 "95 % interval"], rows, len(varying))
    along = f" Varying along with the others: {', '.join(implied)}." if implied else ""
    said = [f"All with: {match.settings(fixed)}.{along}",
            f"{len(rows)} compared, {sum(c.noise for c in changes)} of them within the noise."]
    if emulated:
        said.append(EMULATED)
    elif not all(made.known for made in changes):
        said.append(UNKNOWN)
    return [grid, *map(Sentence, said)]


def _list(title: str, texts: list[str]) -> list[Part]:
    if not texts:
        return []
    more = [f"... and {len(texts) - TOLD} more"] if len(texts) > TOLD else []
    return [Sentence(f"{title}: {len(texts)}"), *bullets([*texts[:TOLD], *more])]
