# SPDX-License-Identifier: GPL-2.0-only
"""`memcache compare`: what was asked in both, side by side; then, of random
accesses, the four tables of what a system, interrupts and a VM cost."""

from mc import table
from mc.analysis import match, overhead
from mc.records import fields, prices, results, units
from mc.analysis.estimate import EACH, change, of, unknown
from mc.analysis.findings import FLOOR, MIN_SAMPLES
from mc.analysis.match import Batch, Pairing
from mc.records.fields import asked

TOLD = 5        # records without a partner that are listed
LEGEND = ("↑ faster: less time in B than in A; ↓ slower; ~ within the noise: the 95 % interval "
          "holds zero, or mean, median or fastest sample changed by less than "
          f"{100 * FLOOR:.0f} %, by which two runs of the same thing may differ. Times are medians: of a "
          f"pass, but of {', '.join(EACH)} those of a load.")
UNKNOWN = (f"Interval na: fewer than {MIN_SAMPLES} samples (`repeat=`) in one round, or none of "
           "their spread is known. What is noise can't be told there, so nothing counts as more.")
EMULATED = ("An emulated machine (QEMU, TCG): no difference between these times says anything "
            "about real hardware, so none counts.")


def lines(files: dict[str, list[results.Run]], mixed: bool = False) -> tuple[list[str], int]:
    """The same of files that were read."""
    batches = match.checked(files)
    pairings = [match.pair(a, b, mixed) for a, b in match.plan(batches)]
    out: list[str] = []
    for pairing in pairings:
        out += [*_pairing(pairing), ""]
    out += table.wrapped(LEGEND)
    figures = overhead.Figures(overhead.cells(batches))
    out += _overhead(figures, mixed)
    good = any(p.pairs for p in pairings) and not any(p.refused for p in pairings)
    return out, 0 if good else 1


def published(files: list[str]) -> list[str]:
    from mc.analysis.published import load
    out: list[str] = []
    for name in files:
        figures = overhead.Figures(load(name))
        out += [name, "Published total times in TSC cycles, without a spread: no interval, and "
                "no telling", "what is noise. ↑ faster, ↓ slower.", *_overhead(figures, False)]
    return out


def _overhead(figures: overhead.Figures, mixed: bool) -> list[str]:
    out: list[str] = []
    made = overhead.tables(figures) if figures.cells else []
    if made and (full := overhead.workloads(figures)):
        out += ["", "Random accesses in the tables below", *table.bullets(full)]
    for one in made:
        out += ["", *overhead.lines(one, mixed)]
    if made and figures.repeated:
        out += ["", *table.wrapped(
            f"{figures.repeated} results were measured more than once on a machine: the first of "
            "each counts in these tables.")]
    return out


def _pairing(found: Pairing) -> list[str]:
    out = [_batch("A", found.a), _batch("B", found.b)]
    free = found.free
    if found.a.where != found.b.where:
        free = {"where": (found.a.where, found.b.where), **free}
    if free:
        out.append("Compared: " + ", ".join(f"{k}={a} against {b}" for k, (a, b) in free.items()))
    out.append("")
    out += _table(found) if found.pairs else ["Nothing in them can be compared."]
    if found.pairs and any(batch.machine.get("hypervisor") == "uml" for batch in (found.a, found.b)):
        out += table.wrapped(overhead.UML)
    out += _list("Not compared", found.refused)
    if any(word in line for line in found.refused
           for word in ("effective=", "page tables", "memory of node", "prefetch=", "simulated")):
        out += table.wrapped("Their memory was not the same, or the prefetchers' state; "
                             "--mixed-verdicts compares them all the same.")
    for name, lonely in found.alone.items():
        out += _list(f"Without a partner, in {name} only", lonely)
    return out


def _batch(name: str, batch: Batch) -> str:
    return f"{name}  {batch.name}: Linux {batch.machine['kernel']}, {batch.machine['cpu']}, " \
           f"{prices.below(batch.machine)}"


def _table(found: Pairing) -> list[str]:
    keys = [{"test": a["test"]} | asked(a) | {k: a[k] for k in fields.WHICH if k in a}
            for a, _ in found.pairs]
    skip = {*found.free, *match.IGNORED}
    names = dict.fromkeys(key for own in keys for key in own if key not in skip)
    fixed = {key: keys[0].get(key) for key in names
             if all(key in own and own[key] == keys[0].get(key) for own in keys)}
    moving = [key for key in names if key not in fixed]
    told = {"test", *fields.telling(keys, moving), *fields.WHICH}
    varying = [key for key in moving if key in told]
    implied = [key.removesuffix("_bytes") for key in moving if key not in varying]
    emulated = any(batch.emulated for batch in (found.a, found.b))
    rows, changes = [], []
    for own, (a, b) in zip(keys, found.pairs):
        times = of(a), of(b)
        made = unknown(change(*times)) if emulated else change(*times)
        changes.append(made)
        rows.append([*(units.text(key, own.get(key)) for key in varying),
                     *(units.duration(time.time) for time in times), str(made), made.interval])
    out = table.table([*(key.removesuffix("_bytes") for key in varying), "A", "B", "change",
                       "95 % interval"], rows, left=len(varying))
    along = f" Varying along with the others: {', '.join(implied)}." if implied else ""
    out += ["", *table.wrapped(f"All with: {match.settings(fixed)}.{along}")]
    out.append(f"{len(rows)} compared, {sum(c.noise for c in changes)} of them within the noise.")
    if emulated:
        return out + table.wrapped(EMULATED)
    return out + ([] if all(made.known for made in changes) else table.wrapped(UNKNOWN))


def _list(title: str, lines: list[str]) -> list[str]:
    if not lines:
        return []
    more = [f"... and {len(lines) - TOLD} more"] if len(lines) > TOLD else []
    return [f"{title}: {len(lines)}", *table.bullets([*lines[:TOLD], *more])]
