# SPDX-License-Identifier: GPL-2.0-only
"""`memcache import`: results of other programs as records; for pcm, its samples joined to a run
by time."""

import argparse
import json
import time
from collections.abc import Iterator

from mc import Failure, emit, out_of, plural
from mc.analysis import match, pcm, traffic
from mc.analysis.pcm import SECOND, Joined, Sample, mean
from mc.analysis.steps import median
from mc.output import comparison, terminal
from mc.parts import Grid, Part, Sentence, bullets
from mc.records import foreign, reading, results, units
from mc.status import DONE, FAILED, WRONG

EPILOG = """\
Other programs: FILE has what the program printed, -o the records of it,
which compare, plot, trend and fleet take. What it does not say is null there.
Mess has cycles; with --mhz of the clock they become ns.

pcm: prints for each record the samples that lie within its time, and how much
data the memory moved according to them. Start `pcm-memory 0.1 -csv=FILE.csv`
before the run. pcm-memory writes local time. If it ran in another time zone,
put TZ=ZONE before this command.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=["pcm", *foreign.TOOLS], metavar="PROGRAM",
                        help=f"what wrote the file: {', '.join(foreign.TOOLS)}, or pcm "
                             "(pcm-memory -csv)")
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("results", nargs="?", metavar="RESULTS",
                        help="results of memcache run on that machine: for pcm those that it is "
                             "joined to, else the machine is taken from them")
    parser.add_argument("--mhz", type=float, metavar="MHZ", help="mess: clock of its cycles")
    parser.add_argument("-o", dest="output", metavar="OUT",
                        help="write the records to this file, which must not exist yet; for pcm, "
                             "RESULTS with its figures; `-`: to standard output, without the table")


def command(args: argparse.Namespace) -> int:
    if args.what == "pcm":
        return join(args.file, args.results, args.output)
    return _convert(args)


def _convert(args: argparse.Namespace) -> int:
    """`memcache import TOOL FILE [RESULTS] [-o OUT]`"""
    if args.mhz is not None and args.mhz <= 0:
        raise Failure("--mhz: a clock is more than 0 MHz", WRONG)
    machine = results.load(args.results)[0].machine if args.results else None
    text = reading.text(args.file, errors="replace")
    runs = foreign.load(args.what, args.file, text, machine, args.mhz)
    if args.output != "-":
        emit(terminal.lines(_report_on_runs(runs, text)))
    if args.output:
        results.save(args.output, results.as_data(results.json_lines(runs)))
    if args.output not in (None, "-"):
        emit(["", f"Results: {args.output}"])
    return DONE


def _report_on_runs(runs: list[results.Run], text: str) -> list[Part]:
    found = [one for run in runs for one in run.results]
    rows = [[match.describe(one), comparison.plain_figure(one)] for one in found]
    head = found[0]
    return [Grid(["result", "figure"], rows, 1), *bullets([
        f"{head['tool']} {head['tool_version'] or 'of unknown version'}: {head['definition']}.",
        *(["The file's last line has no end: if the file was cut, so was that line's figure."]
          if text[-1:].isdigit() else [])])]


def join(path: str, name: str | None, output: str | None) -> int:
    """`memcache import pcm FILE.csv [RESULTS] [-o FILE]`"""
    samples = pcm.load(path)
    if not name:
        if output:
            raise Failure("-o is for the records of RESULTS", WRONG)
        emit(terminal.lines(_report_on_samples(samples)))
        return DONE
    if output and name == "-":
        raise Failure("-o: results from standard input can't be read a second time", WRONG)
    runs = results.load(name)
    if any("dram_pcm_samples" in result for run in runs for result in run.results):
        raise Failure(f"{name}: has figures of pcm already", WRONG)
    joined = pcm.join(runs, samples)
    if output != "-":
        emit(terminal.lines(_report_on_records(joined, samples)))
    if output:
        _write(name, output, joined)
    if output not in (None, "-"):
        emit(["", f"Results: {output}"])
    return DONE if any(one.samples for one in joined) else FAILED


def _write(name: str, output: str, joined: list[Joined]) -> None:
    """Write the records with the figures of pcm at their ends. Numbers keep their digits."""
    figures = iter(joined)
    lines = []
    for line in map(bytes.decode, results.read_lines(name)):
        if not line.endswith("\n"):     # the file was cut short
            break
        lines.append(results.with_more(line, _figures(next(figures)))
                     if json.loads(line)["record"] == "result" else line.rstrip())
    results.save(output, results.as_data(lines))


def _figures(one: Joined) -> dict:
    rates = {f"dram_pcm_{name}_mb_per_s": one.rate(name) for name in ("read", "write")}
    rates |= {f"dram_pcm_amplification_{name}": one.amplification(name)
              for name in ("read", "write")}
    rates |= {f"dram_pcm_{name}_mb_per_s": rate for name, rate in one.others().items()}
    return {key: rate if rate is None else round(rate, 3) for key, rate in rates.items()} | {
        "dram_pcm_samples": len(one.samples)}


def _report_on_samples(samples: list[Sample]) -> list[Part]:
    rows = []
    others = dict.fromkeys(name for s in samples for name in (*s.others, *s.within))
    for name in ("read", "write", *others):
        rates = sorted(rate for s in samples if (rate := s.rate(name)) is not None)
        rows.append([_title(name), str(len(rates)), *(f"{v:.1f}" for v in (
            rates[0], median(rates), rates[-1], mean(samples, name) or 0))] if rates else
                    [_title(name), "0", *4 * ["na"]])
    return [Sentence(_time_text(samples), wrap=False), Grid(
        ["MB/s", "samples", "least", "median", "most", "mean"], rows), Sentence(
            "mean: weighted by the length of the samples. Without RESULTS there is no payload "
            "and no ratio."), *bullets(list(_remarks_on_other_memory(samples)), gap=True)]


def _title(name: str) -> str:
    """`read`, `written`, `CXL read`"""
    kind, _, way = name.rpartition("_")
    return f"{kind.upper()} {'written' if way == 'write' else way}".strip()


def _remarks_on_other_memory(samples: list[Sample]) -> Iterator[str]:
    """A sentence for each kind of memory that has columns of its own, with its traffic during
    these samples."""
    for kind in traffic.PCM_OTHERS:
        rates = [mean(samples, f"{kind}_{way}") or 0 for way in ("read", "write")]
        within = any(name.startswith(kind) for s in samples for name in s.within)
        if any(rates):
            yield traffic.other_traffic(kind, rates, within)


def _report_on_records(joined: list[Joined], samples: list[Sample]) -> list[Part]:
    keys, cells = traffic.names([(one.run, one.result) for one in joined])
    rows = [[*cell, _clock(one.start), f"{(one.end - one.start) / SECOND:.3f}",
             _numbers(one.samples), units.text("mb_per_s", one.result.get("mb_per_s")),
             *(units.text("_per_s", one.rate(name)) for name in ("read", "write")),
             *(units.text("", one.amplification(name)) for name in ("read", "write"))]
            for cell, one in zip(cells, joined)]
    sentences = [_time_text(samples)]
    fallen = {s.number for one in joined for s in one.samples}
    sentences.append(f"{out_of(len(fallen), len(samples), 'sample')} lie within a record; those "
                     "that lie partly outside are left out.")
    if not fallen:
        sentences.append(_reason_for_none(joined, samples))
    sentences += _remarks_on_other_memory([s for s in samples if s.number in fallen] or samples)
    sentences += traffic.overcounted_remarks([(one.run, one.result | {
        f"dram_pcm_{name}_mb_per_s": one.rate(name) for name in ("read", "write")})
        for one in joined])
    return [Grid([*keys, "start (UTC)", "s", "samples", "payload MB/s", "pcm read MB/s",
                  "pcm written MB/s", "read / payload", "written / payload"], rows, len(keys)),
            *bullets(sentences)]


def _numbers(samples: list[Sample]) -> str:
    """The numbers of the first and the last sample: 3-5."""
    ends = [str(s.number) for s in (samples[:1] + samples[-1:])]
    return "-".join(dict.fromkeys(ends)) or "none"


def _clock(ns: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(ns // SECOND))


def _time_text(samples: list[Sample]) -> str:
    return f"pcm: {plural(len(samples), 'sample')}, {_clock(samples[0].start)} to " \
           f"{_clock(samples[-1].end)} UTC, if its clock was that of the time zone " \
           f"{time.strftime('%Z', time.localtime(samples[0].end // SECOND))}."


def _reason_for_none(joined: list[Joined], samples: list[Sample]) -> str:
    first, last = (f(one.start for one in joined) for f in (min, max))
    end = max(one.end for one in joined)
    if samples[-1].end > first and samples[0].start < end:
        step = median(s.end - s.start for s in samples) / SECOND
        return f"No record took long enough to have a whole sample of {step:.3g} s in it: " \
               "repeat= makes them longer, pcm-memory 0.1 the samples shorter."
    return f"The records began {_clock(first)} to {_clock(last)} UTC: if pcm ran in another " \
           "time zone, put TZ=ZONE before this command."
