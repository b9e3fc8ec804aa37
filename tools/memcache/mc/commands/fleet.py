# SPDX-License-Identifier: GPL-2.0-only
"""`memcache fleet`: which hosts of many are slow, and what is different about them."""

import argparse
import json
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from mc import Failure, emit, say
from mc.analysis import fleet
from mc.analysis.fleet import Fleet, Measurement
from mc.output import draw, files, page, terminal
from mc.output import fleet as output
from mc.parts import Heading
from mc.records import reader, reading, rounds
from mc.status import DONE, FAILED, UNCERTAIN

EPILOG = """\
WHAT is a directory with results files, also in directories below it, a store,
some of its entries, or a file. Records have the name of their host; where they
do not, the name of the file (HOST.jsonl) counts. Several files of a host are
several measurements of it. Equal hosts are compared: same CPU, microcode,
kernel, nodes and memory modules.

A host is called slow if two measurements say so. To measure hosts again
if only one does:
  memcache fleet results --again > again.txt
"""

CHUNK = 50          # files that a process reads at once; for fewer none is started
KINDS = ("html", "json")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="+", metavar="WHAT", help="DIR, STORE, STORE:WHICH or FILE")
    parser.add_argument("-o", dest="output", metavar="OUT",
                        help="write the report to this file, too: .html, with all results of slow "
                             "hosts, or .json")
    parser.add_argument("--again", action="store_true",
                        help="print only the names of the hosts that are to be measured again")


def command(args: argparse.Namespace) -> int:
    kind = files.kind(args.output, KINDS) if args.output else ""
    bad: list[str] = []
    all_hosts = fleet.fleet(_measurements(reader.results_files(args.what, deep=True), bad))
    if not all_hosts.hosts:
        raise Failure("no results of any host")
    if args.again:
        emit(host.name for _, host in all_hosts.hosts_with_findings(False))
    else:
        emit(terminal.lines(output.parts(all_hosts)), terminal.painter())
    if args.output:
        _write(all_hosts, args.output, kind)
    return FAILED if bad else _status(all_hosts)


def _measurements(names: list[str], bad: list[str]) -> Iterator[Measurement]:
    """What each file says. A file that can't be read is said, left out, and added to `bad`."""
    hosts = reader.hosts(names)
    for name, one in zip(names, _read_all(names, [hosts[name] for name in names])):
        if isinstance(one, Measurement):
            yield one
        else:
            bad.append(name)
            say(f"{one}; left out")


def _read_all(names: list[str], hosts: list[str]) -> Iterator[Measurement | str]:
    """Each file, read in as many processes as there are CPUs."""
    processes = min(len(os.sched_getaffinity(0)), len(names) // CHUNK)
    try:
        pool = ProcessPoolExecutor(processes) if processes > 1 else None
    except OSError:     # without /dev/shm there are no semaphores
        pool = None
    if not pool:
        yield from map(_read, names, hosts)
        return
    try:
        with pool:
            yield from pool.map(_read, names, hosts, chunksize=CHUNK)
    except BrokenProcessPool:
        raise Failure("a process that read results was killed; is memory short?") from None


def _read(name: str, host: str) -> Measurement | str:
    """The measurement in a file, or why it can't be read. `host`: its host, if its records do not
    say."""
    try:
        with reading.of(name):
            runs = rounds.load(name)
            return fleet.measurement(reader.host(runs) or host, name, runs)
    except Failure as failure:
        return str(failure)


def _write(all_hosts: Fleet, path: str, kind: str) -> None:
    if kind == "json":
        text = json.dumps(output.record(all_hosts), indent=1) + "\n"
    else:
        summary, *report = output.parts(all_hosts, most=None)
        maps = list(output.heat_maps(all_hosts))
        title = output.title(all_hosts)
        text = page.document(title, [
            Heading(title, 1), summary,
            *draw.pictures([chart for chart, _ in maps], [texts for _, texts in maps]), *report])
    files.write(path, text.encode(errors="replace"))
    say(f"{path}: written{draw.without_pictures() if kind == 'html' else ''}")


def _status(all_hosts: Fleet) -> int:
    if all_hosts.hosts_with_findings(True) or all_hosts.failed_hosts:
        return FAILED
    is_conclusive = all_hosts.compared and not (
        all_hosts.hosts_with_findings(False) or all_hosts.unsure_hosts or all_hosts.few)
    return DONE if is_conclusive else UNCERTAIN
