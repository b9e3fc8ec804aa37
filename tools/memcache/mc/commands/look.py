# SPDX-License-Identifier: GPL-2.0-only
"""`memcache look`: with which type memory is mapped now, and who has done it."""

import argparse
import json
import re
import time
from collections.abc import Iterator
from contextlib import suppress

from mc import Failure, emit, plural, quoted
from mc.analysis import mapped
from mc.output import terminal
from mc.parts import Grid, Part, Sentence, bullets
from mc.records import units
from mc.records.mapped import Mapping
from mc.running import debugfs, mappings, module
from mc.running.machine import Machine, hypervisor, is_present
from mc.status import DONE, WRONG

EPILOG = """\
WHAT is the address of a PCI device as lspci shows it, such as 00:05.0, a BAR
of it (00:05.0/2), or physical addresses: 0xe0000000-0xe0ffffff. Then all
mappings of them are shown, those of processes, too. Without it, and without
--pid, all that the kernel maps and that is not write-back.

Page tables are read, nothing is changed, and no device is accessed or taken
from its driver. Conflicts come first: a page with two types, a prefetchable
BAR that is mapped uncached, free memory that is not write-back, large pages
that are split although all of their parts are mapped alike.
"""
SHOWN = 60      # mappings of a table
MOST_PIDS = 1 << 22     # the kernel's PID_MAX_LIMIT
LONGEST = 10 ** 9       # seconds; the C library can sleep for longer, but not for all times


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="?", metavar="WHAT", help="a device, a BAR or a range")
    parser.add_argument("--pid", type=int, metavar="PID",
                        help="what drivers have mapped for this process")
    parser.add_argument("--watch", nargs="?", type=float, const=1.0, metavar="SECONDS",
                        help="look again and again, every second, and print what has changed")
    parser.add_argument("--json", action="store_true", help="print a JSON object with all of it")


def command(args: argparse.Namespace) -> int:
    if args.watch is not None and (args.json or not 0 < args.watch < LONGEST):
        raise Failure("--watch takes a number of seconds above 0, and no --json", WRONG)
    if args.pid is not None and not 0 < args.pid <= MOST_PIDS:
        raise Failure(f"--pid {args.pid}: no number of a process", WRONG)
    ranges = [] if args.what is None else mappings.ranges_of(args.what)
    with module.keep_loaded():
        look = Look(ranges, args.pid)
        if args.watch is not None:
            watch(look, args.watch)
        if args.json:
            print(json.dumps(look.json()))
        else:
            emit(terminal.lines(list(look.parts())))
    return DONE


class Look:
    """What the module answers, and what follows from it."""

    def __init__(self, ranges: list[tuple[int, int]], pid: int | None) -> None:
        side, self.machine = debugfs.Debugfs(), Machine()
        try:
            side.check()
        except Failure as failure:      # a process can't look at page tables
            raise Failure(str(failure).removesuffix(f"; {debugfs.WITHOUT}")) from None
        self.ranges, self.pid = ranges, pid
        self.known = mappings.Known(self.machine)
        where = mappings.line_of(ranges) if ranges else ""
        line = f"pid={pid} {where}".strip() if pid is not None else where or "not_wb"
        self.head, self.found = mappings.ask(side, line)
        if ranges and pid is None:
            for process in self.known.processes():
                with suppress(Failure):     # it may have ended meanwhile
                    self.found += mappings.ask(side, f"pid={process} {where}")[1]
        for one in self.found:
            self.known.tell(one)
        mappings.mark_free(self.known, side, self.found)
        pat_is_off = self.machine.has("/proc/cmdline", r"(^|\s)nopat(\s|$)")
        direct = [one for one in self.found if one.row["area"] == "direct"]
        if line == "not_wb":
            head, direct = mappings.ask(side, "direct")
            self.head["more"] += head["more"]
        self.conflicts = [*mapped.conflicts(self.found, self.is_arm, pat_is_off),
                          *mapped.split(direct)]

    @property
    def is_arm(self) -> bool:
        return any("mair" in one.row for one in self.found)

    def notes(self) -> list[str]:
        found = mapped.notes(self.head, is_present(self.machine, hypervisor(self.machine)))
        if self.ranges and any(one.is_ram for one in self.found):
            found.append("A part of the range is RAM, which the kernel owns: what processes have "
                         "of it as ordinary memory is not shown.")
        return found

    def json(self) -> dict:
        return {"look": self.head["line"], "more": self.head["more"],
                "changed": self.head["changed"], "notes": self.notes(),
                "conflicts": [one.json() for one in self.conflicts],
                "mappings": [one.json() for one in self.found]}

    def parts(self) -> Iterator[Part]:
        yield from bullets([one.text for one in self.conflicts[:SHOWN]])
        if len(self.conflicts) > SHOWN:
            yield Sentence(f"{len(self.conflicts) - SHOWN} more conflicts: --json has them.")
        first = {id(one) for conflict in self.conflicts for one in conflict.mappings}
        order = sorted(self.found, key=lambda one: (id(one) not in first, one.start))
        if order:
            yield table(order[:SHOWN])
        elif self.pid is not None:
            yield Sentence(f"No driver has mapped anything for process {self.pid}"
                           f"{' there' if self.ranges else ''}.")
        else:
            yield Sentence("Nobody has mapped this." if self.ranges else
                           "All that the kernel maps is write-back.")
        if len(order) > SHOWN:
            yield Sentence(f"{plural(len(order) - SHOWN, 'more mapping')}: --json has all.")
        yield from (Sentence(text, gap=not number) for number, text in enumerate(self.notes()))


SOURCES = {"driver_bound": "BAR", "vmallocinfo": "vmallocinfo", "proc_maps": "maps",
           "iomem": "iomem"}
HEADS = ["physical", "length", "pages", "type", "who (known from)", "by"]


def table(some: list[Mapping], marks: str = "") -> Grid:
    """A row a mapping. `marks`: a word before each."""
    rows = [[*([marks] if marks else []), f"0x{one.start:x}", units.size(one.end - one.start),
             units.size(one.row["page_bytes"]), type_text(one), who_text(one)] for one in some]
    heads = ["", *HEADS] if marks else HEADS
    # The last column gets the room that the others leave: --json has all of it.
    room = max(terminal.room(heads, rows), 12)
    for one, row in zip(some, rows):
        row.append(quoted(re.sub(r"\+0x\w+/0x\w+", "", one.caller) or one.bar, room))
    return Grid(heads, rows, left=len(heads))


def type_text(one: Mapping) -> str:
    """What the page tables say, and what follows if that is another type."""
    said, follows = one.row["attribute"], one.row["memory_type"]
    return mapped.name(said) if said == follows else f"{mapped.name(said)}: {mapped.name(follows)}"


def who_text(one: Mapping) -> str:
    source = f" ({SOURCES[one.source]})" if one.source else ""
    return f"{one.owner or 'not known'}{source}"


def watch(look: Look, seconds: float) -> None:
    """Print the new and the gone mappings until somebody stops it."""
    emit(terminal.lines(list(look.parts())))
    while True:
        time.sleep(seconds)
        after = Look(look.ranges, look.pid)
        new, gone = mapped.changes(look.found, after.found)
        for word, some in ("new", new), ("gone", gone):
            if some:
                emit(["", time.strftime("%H:%M:%S"), *terminal.lines([table(some, word)])])
        had = {one.text for one in look.conflicts}
        emit(f"- {one.text}" for one in after.conflicts if one.text not in had)
        look = after
