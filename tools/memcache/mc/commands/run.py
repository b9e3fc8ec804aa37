# SPDX-License-Identifier: GPL-2.0-only
"""`memcache run`: measure suites and request lines, then print the report."""

import argparse
import os
from collections.abc import Callable
from contextlib import ExitStack, nullcontext

from mc import Failure, emit, say
from mc.analysis.disturbed import without_figure
from mc.commands import options
from mc.parts import Part
from mc.records import continued, suite
from mc.records.results import Run
from mc.records.rounds import with_merged_rounds
from mc.running import module, plan, quiet
from mc.running.counting import counting
from mc.running.debugfs import WITHOUT, Debugfs
from mc.running.machine import Machine
from mc.running.progress import Progress
from mc.running.session import Session, Stop, create
from mc.running.side import Side
from mc.running.user import User
from mc.status import DONE, FAILED, SIGNAL, WRONG

EPILOG = """\
Each WHAT is the name of a suite, the path of a suite file (with a slash in it),
or a request line: TEST [key=value]... Keys after a suite replace those of its
lines. The file /sys/kernel/debug/memcache/tests lists the tests of the loaded
module and their keys, memcache-user --tests those of user space.

The results of each request are on the disk before the next one is measured:
they are not lost if the run fails or is stopped (Ctrl-C), or in a power cut;
--continue measures the rest, and `memcache report` shows what is there.
The report follows at the end.

If the module is installed but not loaded, a run by root loads it, and unloads
it at the end.
"""
USUAL = "cache-attributes"
ROUNDS = 3      # fewer rounds show too little of how much rounds differ


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="*", default=[USUAL], metavar="WHAT",
                        help="SUITE [key=value ...] or TEST [key=value ...] (default: "
                             f"{USUAL})")
    parser.add_argument("--where", choices=suite.WHERE,
                        help="measure in the kernel, in user space (memcache-user), or each "
                             "request in both (default: the side that the suite names, else "
                             "kernel)")
    parser.add_argument("--rounds", type=_round_count, metavar="N",
                        help="measure all requests N times, one round after the other, and print "
                             f"the spread of all rounds (default: {ROUNDS} for requests that "
                             "--where both measures on both sides, else as often as the suite "
                             "says)")
    parser.add_argument("-o", dest="output", metavar="FILE",
                        help="the results file, which must not exist yet (default: "
                             "results/SUITE-KERNEL-TIME.jsonl); `-`: the records go to standard "
                             "output, and there is no report")
    parser.add_argument("--continue", dest="begun", metavar="FILE",
                        help="measure what FILE lacks, the results of the same command that was "
                             "interrupted; the new file has its results, too")
    parser.add_argument("--store", metavar="STORE",
                        help="keep the results file in this store, too (see: memcache record)")
    parser.add_argument("--host", metavar="NAME",
                        help="the name of this machine in the records (default: the host name); "
                             "`none`: they do not tell")
    parser.add_argument("--json", action="store_true",
                        help="print the records as they come (JSON Lines) in place of the report")
    options.add_units(parser)
    parser.add_argument("--quick", action="store_true",
                        help="measure the quick form of each suite: fewer sizes and rounds")
    parser.add_argument("--dry-run", action="store_true",
                        help="print the request lines that would be measured on this machine")
    options.add_wide(parser)
    parser.add_argument("--counters", action="store_true",
                        help="count DRAM traffic during this run (see: memcache counters)")
    parser.add_argument("--events", action="store_true",
                        help="count cycles, instructions, cache and TLB misses of the cores")


def _round_count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= suite.MOST_ROUNDS:
        raise argparse.ArgumentTypeError(f"{text!r}: wanted 1 to {suite.MOST_ROUNDS} rounds")
    return int(text)


def command(args: argparse.Namespace) -> int:
    if args.quick:
        args.what = suite.with_quick_forms(args.what)
    alone = args.dry_run or args.where == "user"
    if not alone:
        _refuse_wrong_words(args.what, args.where)
    with nullcontext() if alone else module.keep_loaded():
        return measure(args.what, args.output, args.where, dry=args.dry_run, count=args.counters,
                       events=args.events, json=args.json, wide=args.wide, store=args.store,
                       host=args.host, rounds=args.rounds or 0, begun=args.begun,
                       both=ROUNDS if args.where == "both" else 0)


def _refuse_wrong_words(words: list[str], where: str | None) -> None:
    """Refuse what is wrong before the module is loaded. Only the module knows the rest. What is
    to be said otherwise comes when the module is there."""
    messages: list[str] = []
    try:
        plan.requests(words, plan.Place(plan.sides(), where, messages.append))
    except Failure as failure:
        if failure.status == WRONG:
            for text in messages:
                say(text)
            raise


def measure(words: list[str], output: str | None, where: str | None = None,
            sides: list[Side] | None = None, dry: bool = False, count: bool = False,
            rounds: int = 0, both: int = 0, json: bool = False, wide: bool = False,
            store: str | None = None, events: bool = False, host: str | None = None,
            explain: Callable[[list[Run]], list[Part]] | None = None,
            begun: str | None = None) -> int:
    """Measure, and print the report. `explain` makes parts that follow its tables."""
    if store:
        _check_store(store, output)
    name = _host_name(host)
    sides = sides or plan.sides()
    last_cache = None if dry else _last_cache(words, sides)
    where = where or _where_without_module(words, sides)
    place = plan.Place(sides, where)
    requests = plan.requests(words, place)
    if dry:
        plan.show(plan.jobs(requests, place, rounds, both), place)
        return DONE
    for side in dict.fromkeys(side for request in requests for side in place.sides_for(request)):
        _check(side, requests, place)
    jobs = plan.jobs(requests, place, rounds, both)
    remarks = place.shape.remarks if any(request.suite for request in requests) else ()
    for text in [*remarks, *plan.length_lines(jobs, place)]:
        say(text)
    used = list(dict.fromkeys(job.side for job in jobs))
    with ExitStack() as held, Stop(sides) as stop, counting(used, count, events):
        for side in used:
            held.enter_context(side.hold())
        disturbances = _say_what_disturbs([job.request.line for job in jobs])
        stops = quiet.stops(Machine(module={}))
        kept = continued.load(begun, [job.name for job in jobs], used[0].machine()) if begun else []
        path, file = create(output, requests, sides[0])
        records = {"-": create("-", requests, sides[0])[1]} if json else {}
        with file, Progress(len(jobs)) as progress:
            session = Session(records | {path: file}, progress, stop, kept, host=name,
                              quiet=disturbances, last_cache=last_cache)
            session.measure(jobs)
        for text in quiet.stopped_since(stops, quiet.stops(Machine(module={}))):
            say(text)
        if not session.runs:
            session.status = session.status or FAILED
            if path != "-":
                os.unlink(path)
        elif "-" not in session.files:
            from mc.output import report, terminal
            entry = _keep_in_store(store, path, session)
            more = terminal.lines(explain(session.runs)) if explain else []
            emit([*report.lines(session.runs, wide), *more, "", f"Results: {path}{entry}"])
        merged = with_merged_rounds(session.runs)
        if text := without_figure([result for run in merged for result in run.results]):
            say(text)
        for run in merged:  # a few of many results may be lost on a machine that is not quiet
            if without_figure(run.results) and not any(one.get("samples") for one in run.results):
                session.fail(f"{run.label}: it gave no figure at all")
        if session.runs and path != "-" and "-" in session.files:
            say(f"results: {path}{_keep_in_store(store, path, session)}")
    if stop.signum:
        return SIGNAL + stop.signum
    return session.status or (DONE if plan.is_complete(jobs, requests, place) else FAILED)


def _check(side: Side, requests: list[suite.Request], place: plan.Place) -> None:
    """Whether a side is there. If it is not, only what another can measure is advised."""
    try:
        side.check()
    except Failure as failure:
        if plan.fits_process_in_part(requests, place):
            raise
        raise Failure(str(failure).removesuffix(f"; {WITHOUT}")) from None


def _last_cache(words: list[str], sides: list[Side]) -> dict | None:
    """The last cache in front of memory, for which a suite searches first. The module is told."""
    user = next((side for side in sides if isinstance(side, User) and side.program), None)
    if not user or not any(map(suite.exists, words)):
        return user.machine().get("last_cache") if user else None
    last_cache = user.last_cache()
    for side in sides:
        if isinstance(side, Debugfs):
            side.know(last_cache)
    return last_cache


def _where_without_module(words: list[str], sides: list[Side]) -> str | None:
    """`user` if the module is not available and a process can measure all of this, which is then
    said; else None."""
    place = plan.Place(sides, say=lambda _text: None)
    if not place.tests.get("user") or place.tests.get("kernel") or module.can_load() \
            or not plan.fits_process(plan.requests(words, place), place):
        return None
    try:
        next(side for side in sides if side.where == "kernel").check()
    except Failure as failure:
        say(f"in user space, without the module ({str(failure).removesuffix(f'; {WITHOUT}')})")
        return "user"
    return None


def _say_what_disturbs(lines: list[str]) -> dict | None:
    look = quiet.look(Machine(module={}), quiet.named_cpus(lines))
    for one in look.found:
        say(f"not quiet: {one.what} ({one.todo})")
    return look.record()


def _host_name(named: str | None) -> str:
    """The name of this machine for the records. That which every machine has says nothing."""
    name = os.uname().nodename if named is None else named
    if named is not None and not 0 < len(named.strip()) <= 64:
        raise Failure("--host: a name has 1 to 64 characters; `none`: the records do not tell",
                      WRONG)
    return "" if name == "none" or named is None and name.startswith(("localhost", "(none)")) \
        else name


def _check_store(store: str, output: str | None) -> None:
    """Whether the results can be kept in this store, which is made if it is not there."""
    from mc.records import database
    if output == "-":
        raise Failure("--store keeps a file, and -o - makes none", WRONG)
    with database.open_store(store, new=True):
        pass


def _keep_in_store(store: str | None, path: str, session: Session) -> str:
    """Keep a results file in the store. Returns the name that it has there. If it can't be kept,
    the file itself is there, and the report follows."""
    if not store:
        return ""
    from mc.records import recording
    try:
        return "".join(f", {store}:{number}" for _, number, _ in recording.keep(store, [path]))
    except Failure as failure:
        session.fail(str(failure), failure.status)
        return ""
