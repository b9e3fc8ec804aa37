# SPDX-License-Identifier: GPL-2.0-only
"""What a person types. A command is a function here and a line in parser()."""

import argparse
import os
import sys

from mc import Failure, emit, report, rounds, say, suite

HELP = """\
Measure memory by cache attribute, from inside the kernel.

  memcache run cache-attributes             a suite: a table, what stands out
  memcache run 'bandwidth type=wb,uc'       request lines of your own
  memcache show results/FILE.jsonl          the report of a run once more
  memcache run os-overhead                  in the kernel and in user space
  memcache compare A.jsonl B.jsonl          what differs, and what is noise
  memcache plot A.jsonl B.jsonl -o x.svg    pictures of results, overlaid
  memcache report A.jsonl B.jsonl -o x.html a page: pictures, tables, comparison
  memcache export --format csv FILE         for other programs
  memcache doctor                           can this machine measure UC?
  memcache run --counters mlc               what the memory moved, beside it
  memcache counters                         which counters of that there are
  memcache suites                           which suites there are
  memcache run --dry-run mlc                what a suite would measure here
"""

RUN_HELP = """\
Each WHAT is a suite, the path of a suite file (with a slash in it), or a
request line: TEST [key=value]... The tests that the loaded module has, and the
keys they take: /sys/kernel/debug/memcache/tests

Results are written to a new file as they come, so that nothing is lost when a
run is stopped (Ctrl-C) or fails; then comes the report.

Exit status: 0 all was measured; 1 something was not; 2 what was typed is
wrong; 130 stopped by Ctrl-C.
"""

SUITES_HELP = """\
The time is about what `run SUITE` takes on this machine, if it is none in an
emulator. `run --dry-run SUITE` prints what the lines of one are on this machine.
"""

COMPARE_HELP = """\
Each record of the first file is compared with the one in each other file of
which the same was asked; in one file, those of the kernel with those of user
space (run --where both). Changes are (A - B) / A of the median times:
positive is less time, faster. Of random accesses (run os-overhead) four tables follow:
write against read, and the cost of the OS, of a hypervisor, of interrupts.

Exit status: 0 compared; 1 nothing could be, or records were refused because
their memory-type verdicts, the nodes of their memory, or the prefetchers' state,
differ; 2 a file can't be read.
"""


PLOT_HELP = """\
What is drawn follows from what is in the files: latency over size with levels
marked, bandwidth over size, latency over bandwidth under load, heat maps of
matrices, bars of anything else. Results of the same section share a picture.
Needs matplotlib (Debian: python3-matplotlib).

Exit status: 0 drawn; 1 nothing to draw, or no matplotlib; 2 a file can't be
read or written.
"""

PAGE_HELP = """\
The page stands alone: it loads nothing, from nowhere. It reads well on a phone
and on paper. Needs matplotlib (Debian: python3-matplotlib).

Exit status: 0 made; 1 no matplotlib; 2 a file can't be read or written.
"""

EXPORTS = ("csv", "prometheus", "kcidb", "lkp", "lava")
EXPORT_HELP = """\
csv: a record a row. prometheus: a file for the node exporter's textfile
collector. kcidb: a report with `tests[].number`. lkp: `key: value`. lava: what
lava-test-case prints. What was asked, the memory type, its verdict and whether
data held are labels or parts of names.

Exit status: 0 exported; 1 there are no results; 2 a file can't be read or
written.
"""

COUNTERS_HELP = """\
Memory controllers' PMUs in /sys/bus/event_source/devices, a line for each event
and package, as the module's file `counters` and memcache-user --counters take
them. `memcache run --counters` sets them for a run.

Exit status: 0 there are some; 1 there are none, or they could not be set.
"""

IMPORT_HELP = """\
Of each record: the samples that lie within the time that it took, and what they
say the memory moved. Start `pcm-memory 0.1 -csv=FILE.csv` before the run.
pcm-memory writes local time: TZ=ZONE before this command names another zone.

Exit status: 0 joined; 1 no sample lies within a record; 2 a file can't be read.
"""


ROUNDS = 3      # fewer say little of how much they differ


def _rounds(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= suite.MOST_ROUNDS:
        raise argparse.ArgumentTypeError(f"{text!r}: wanted 1 to {suite.MOST_ROUNDS} rounds")
    return int(text)


def run(args: argparse.Namespace) -> int:
    from mc import measure  # not needed by any other command
    return measure.command(args.what, args.output, args.where, dry=args.dry_run,
                           count=args.counters,
                           rounds=args.rounds or (ROUNDS if args.where == "both" else 0))


def counters(args: argparse.Namespace) -> int:
    from mc import counters as counting, plan
    return counting.command(plan.sides()[0], args.set, args.clear)


def show(args: argparse.Namespace) -> int:
    loaded = [(name, rounds.load(name)) for name in args.file]  # a bad one: nothing is shown
    for number, (name, runs) in enumerate(loaded):
        if len(loaded) > 1:
            emit(([""] if number else []) + [f"=== {name}", ""])
        emit(report.lines(runs))
    return 0


def compare(args: argparse.Namespace) -> int:
    from mc import compare as comparing
    lines, status = comparing.command(args.file, args.mixed_verdicts)
    emit(lines)
    return status


def import_(args: argparse.Namespace) -> int:
    from mc import pcm
    return pcm.command(args.file, args.results, args.output)


def plot(args: argparse.Namespace) -> int:
    from mc import plot as plotting
    return plotting.command(args.file, args.output)


def report_(args: argparse.Namespace) -> int:
    from mc import document
    return document.command(args.file, args.output)


def export(args: argparse.Namespace) -> int:
    from mc import export as exporting
    return exporting.command(args.format, args.file, args.output)


def doctor(_args: argparse.Namespace) -> int:
    from mc import doctor as examining
    lines, status = examining.command()
    emit(lines)
    return status


def suites(args: argparse.Namespace) -> int:
    from mc import catalogue
    emit(catalogue.one(args.suite) if args.suite else catalogue.all_of_them())
    return 0


def parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    top = argparse.ArgumentParser(prog="memcache", description=HELP, formatter_class=raw,
                                  allow_abbrev=False)
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(function, text, more=None):
        sub = commands.add_parser(function.__name__.rstrip("_"), help=text, description=text,
                                  epilog=more, formatter_class=raw, allow_abbrev=False)
        sub.set_defaults(function=function)
        return sub

    sub = command(run, "run suites or request lines, print the report", RUN_HELP)
    sub.add_argument("what", nargs="+", metavar="WHAT", help="SUITE or 'TEST key=value ...'")
    sub.add_argument("--where", choices=suite.WHERE,
                     help="measure in the kernel, in user space (memcache-user), or each "
                          "request in both (default: what the suite says, else kernel)")
    sub.add_argument("--rounds", type=_rounds, metavar="N",
                     help="measure so often what is measured in both, all of it before the next "
                          f"round (default: {ROUNDS} with --where both, else what the suite says)")
    sub.add_argument("-o", dest="output", metavar="FILE",
                     help="results file, must not exist (default: "
                          "results/SUITE-KERNEL-TIME.jsonl)")
    sub.add_argument("--dry-run", action="store_true",
                     help="print what would be measured, as request lines for this machine")
    sub.add_argument("--counters", action="store_true",
                     help="count DRAM traffic (see: memcache counters), for this run only")
    sub = command(show, "print the report of results files once more")
    sub.add_argument("file", nargs="+", metavar="FILE", help="results of memcache run")
    sub = command(compare, "compare results: common records, and what an OS or a VM costs",
                  COMPARE_HELP)
    sub.add_argument("--mixed-verdicts", action="store_true",
                     help="compare records even if their memory types were not equally real, "
                          "their memory was not of the same node, or their prefetchers were "
                          "not in the same state")
    sub.add_argument("file", nargs="+", metavar="FILE",
                     help="results of memcache run, or published figures (.csv)")
    sub = command(plot, "draw results: curves, heat maps, bars; several files overlaid",
                  PLOT_HELP)
    sub.add_argument("file", nargs="+", metavar="FILE", help="results of memcache run")
    sub.add_argument("-o", dest="output", metavar="OUT",
                     help="the picture: .svg, .png, .pdf or .html (default: the first FILE's "
                          "name with .svg)")
    sub = command(report_, "make a page of results: machine, pictures, tables, comparison",
                  PAGE_HELP)
    sub.add_argument("file", nargs="+", metavar="FILE", help="results of memcache run")
    sub.add_argument("-o", dest="output", metavar="OUT.html",
                     help="the page (default: the first FILE's name with .html)")
    sub = command(export, "print results for other programs", EXPORT_HELP)
    sub.add_argument("--format", required=True, choices=EXPORTS, help="whose")
    sub.add_argument("file", metavar="FILE", help="results of memcache run")
    sub.add_argument("-o", dest="output", metavar="OUT",
                     help="to this file, of which there is all or nothing, at any time")
    sub = command(import_, "join what pcm-memory saw to a run, by time", IMPORT_HELP)
    sub.add_argument("what", choices=["pcm"], help="what wrote the file: pcm-memory -csv")
    sub.add_argument("file", metavar="FILE.csv")
    sub.add_argument("results", nargs="?", metavar="RESULTS",
                     help="results of memcache run (default: the file alone is summed up)")
    sub.add_argument("-o", dest="output", metavar="FILE",
                     help="write RESULTS with pcm's figures to this file, must not exist")
    command(doctor, "can this machine measure UC? what stands against it, what to do",
            "Exit status: 0 nothing stands against it; 1 something does.")
    sub = command(counters, "print the counters of DRAM traffic that this machine has, or set them",
                  COUNTERS_HELP)
    group = sub.add_mutually_exclusive_group()
    group.add_argument("--set", action="store_true", help="give them to the module")
    group.add_argument("--clear", action="store_true", help="take them from the module")
    sub = command(suites, "list the suites, or what is in one", SUITES_HELP)
    sub.add_argument("suite", nargs="?", metavar="SUITE", help="the one to print")
    return top


def main(argv: list[str]) -> int:
    sys.stdout.reconfigure(errors="replace")
    try:
        args = parser().parse_args(argv)
        status = args.function(args)
        sys.stdout.flush()
        return status
    except Failure as failure:
        say(str(failure))
        return failure.status
    except BrokenPipeError:     # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
