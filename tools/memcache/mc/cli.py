# SPDX-License-Identifier: GPL-2.0-only
"""What a person types. A command is a function here and a line in parser()."""

import argparse
import os
import sys

from mc import Failure, emit, report, results, suite

HELP = """\
Measure memory by cache attribute, from inside the kernel.

  memcache run cache-attributes             a suite: a table, what stands out
  memcache run 'bandwidth type=wb,uc'       request lines of your own
  memcache show results/FILE.jsonl          the report of a run once more
  memcache run os-overhead                  in the kernel and in user space
  memcache compare A.jsonl B.jsonl          what differs, and what is noise
  memcache doctor                           can this machine measure UC?
  memcache suites                           which suites there are
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

COMPARE_HELP = """\
Each record of the first file is compared with the one in each other file of
which the same was asked; in one file, those of the kernel with those of user
space (run --where both). Changes are (A - B) / A of the mean times: positive
is less time, faster. Of random accesses (run os-overhead) four tables follow:
write against read, and the cost of the OS, of a hypervisor, of interrupts.

Exit status: 0 compared; 1 nothing could be, or records were refused because
their memory-type verdicts differ; 2 a file can't be read.
"""


def run(args: argparse.Namespace) -> int:
    from mc import measure  # not needed by any other command
    return measure.command(args.what, args.output, args.where)


def show(args: argparse.Namespace) -> int:
    loaded = [(name, results.load(name)) for name in args.file]  # a bad one: nothing is shown
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


def doctor(_args: argparse.Namespace) -> int:
    from mc import doctor as examining
    lines, status = examining.command()
    emit(lines)
    return status


def suites(_args: argparse.Namespace) -> int:
    found = suite.names()
    width = max(map(len, found), default=0)
    emit(f"{name:{width}}  {suite.load(name).title}" for name in found)
    return 0


def parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    top = argparse.ArgumentParser(prog="memcache", description=HELP, formatter_class=raw,
                                  allow_abbrev=False)
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(function, text, more=None):
        sub = commands.add_parser(function.__name__, help=text, description=text, epilog=more,
                                  formatter_class=raw, allow_abbrev=False)
        sub.set_defaults(function=function)
        return sub

    sub = command(run, "run suites or request lines, print the report", RUN_HELP)
    sub.add_argument("what", nargs="+", metavar="WHAT", help="SUITE or 'TEST key=value ...'")
    sub.add_argument("--where", choices=suite.WHERE,
                     help="measure in the kernel, in user space (memcache-user), or each "
                          "request in both (default: what the suite says, else kernel)")
    sub.add_argument("-o", dest="output", metavar="FILE",
                     help="results file, must not exist (default: "
                          "results/SUITE-KERNEL-TIME.jsonl)")
    sub = command(show, "print the report of results files once more")
    sub.add_argument("file", nargs="+", metavar="FILE", help="results of memcache run")
    sub = command(compare, "compare results: common records, and what an OS or a VM costs",
                  COMPARE_HELP)
    sub.add_argument("--mixed-verdicts", action="store_true",
                     help="compare records even if their memory types were not equally real")
    sub.add_argument("file", nargs="+", metavar="FILE",
                     help="results of memcache run, or published figures (.csv)")
    command(doctor, "can this machine measure UC? what stands against it, what to do",
            "Exit status: 0 nothing stands against it; 1 something does.")
    command(suites, "list the suites")
    return top


def main(argv: list[str]) -> int:
    sys.stdout.reconfigure(errors="replace")
    try:
        args = parser().parse_args(argv)
        status = args.function(args)
        sys.stdout.flush()
        return status
    except Failure as failure:
        print(f"memcache: {failure}", file=sys.stderr)
        return failure.status
    except BrokenPipeError:     # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
