#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: museum.py [EXHIBIT...] - put old mistakes back, and print what memcache says

Each exhibit runs on the simulated machine (tools/sim) twice: with all that is done but the mistake,
as its control, and with the mistake. A mistake is a kernel parameter, a price, a setting, or a few
lines in plant.c. Without names, all exhibits are shown. The status is 1 if memcache does not say of
a control or of a mistake what is expected.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(TOP / "tools/sim"), str(TOP / "tools/memcache")]
import machine  # noqa: E402

from mc.analysis import regions  # noqa: E402
from mc.records import results  # noqa: E402
from mc.running import mappings  # noqa: E402

KERNEL = "6.1"
# Memory that the kernel leaves alone, as that of a device is.
RANGE, APPEND = "phys:0x18000000+1M any_range=yes", "memmap=1M$0x18000000"
QUIET = "repeat=1 warmup=0 irq=off disturbed=keep"
PLANT = TOP / "build/museum"
HOLE = 4 << 20      # bytes that the MTRR leaves out
FEW_TRANSLATIONS = {"tlb_entries": 64, "tlb_miss_ns": 100}


@dataclass
class Said:
    """What memcache says: a verdict or a state in a word or two, and the time of something; less
    is better. `looked_at`: bytes that `memcache look` names for the exhibit's reason."""
    state: str
    time_ns: float = 0
    unit: str = "ns a load"
    looked_at: int = 0

    def __str__(self) -> str:
        time = f"{self.time_ns:.1f} {self.unit}" if self.time_ns else ""
        return ", ".join(filter(None, (self.state, time)))


class Visit:
    """A machine with the module loaded."""

    def __init__(self, kernel: str = KERNEL, append: str = APPEND, cpus: int = 2):
        self.machine = machine.Machine(kernel, append, cpus=cpus)
        self.scanned: list[dict] = []

    def ask(self, line: str) -> list[results.Run]:
        text = self.machine.sh(f"cd {machine.DEBUGFS}; echo '{line}' >run 2>/dev/null || "
                               "{ cat run; exit 1; }; cat results.jsonl")
        return results.parse(text.encode().splitlines(keepends=True), line)

    def told(self) -> dict:
        return json.loads(self.machine.sh(f"cat {machine.DEBUGFS}/machine"))

    def bytes_in_conflict(self, conflict: str) -> int:
        found = json.loads(self.machine.sh(f"{TOP}/tools/memcache/memcache look --json"))
        return sum(mappings.parse_range(part)[1] for one in found["conflicts"]
                   if one["id"] == conflict for part in one["mappings"])

    def plant(self, bug: str, wrong: bool) -> None:
        self.machine.sh(f"insmod {PLANT}/plant.ko bug={bug} control={int(not wrong)}")


def verdict(name: str) -> Callable[[Visit], Said]:
    """The verdict on a memory type, of the file `machine`."""
    def look(visit: Visit) -> Said:
        visit.machine.load(**visit.machine.cost)
        found = visit.told()["memory_types"][name]
        return Said(f"{name}: the page tables say {found['attribute']}, "
                    f"effective={found['effective']}", found["reload_ns"] or 0)
    return look


def figure(line: str) -> Callable[[Visit], Said]:
    """The time of a load or of a line, of one request to the module."""
    def look(visit: Visit) -> Said:
        try:
            result = visit.ask(line)[0].results[0]
        except machine.Failed as failed:
            return Said(str(failed).strip().splitlines()[-1])
        state = ""
        if "type=" in line:
            state = f"{result['type']}: the page tables say {result['attribute']}, " \
                    f"effective={result['effective']}"
        if result.get("ns_per_load"):
            return Said(state, result["ns_per_load"])
        return Said(state, 64000 / result["mb_per_s"], "ns a line")
    return look


def scan(visit: Visit) -> Said:
    """What the report of `scan` says: how many regions are slower than the others."""
    runs = visit.ask(f"scan region=2M size=32M op=read node=0 cpu=0 {QUIET}")
    visit.scanned = [one for run in runs for one in run.results]
    slow = {one.result["begin_mib"] for one in regions.slow_regions(runs)}
    return Said(f"regions slower than the others: {len(slow)}")


def prefetchers(visit: Visit) -> Said:
    """Their state in the file `machine`, which the module reads when it is loaded."""
    visit.machine.load()
    return Said(f"prefetchers: {visit.told()['prefetch']['state']}")


def user(line: str) -> Callable[[Visit], Said]:
    """A time of memcache-user, or what it says instead."""
    def look(visit: Visit) -> Said:
        status, text = visit.machine.run(f"/memcache-user -j '{line}' 2>&1")
        lines = text.strip().splitlines()
        if status:
            return Said(lines[-1].removeprefix("memcache-user: "))
        return Said("", json.loads(lines[-1])["ns_per_load"])
    return look


def plant_hole(visit: Visit, wrong: bool) -> None:
    """An MTRR that leaves out some of the RAM that was just scanned."""
    at = [int(one["physical_address"], 16) for one in visit.scanned]
    begin = at[len(at) // 2] & ~(HOLE - 1)
    kind = "uncachable" if wrong else "write-back"
    visit.machine.sh(f"echo 'base={begin:#x} size={HOLE:#x} type={kind}' >/proc/mtrr")


def leave_uncached_pages(visit: Visit, wrong: bool) -> None:
    """A driver's free pages are UC. The module is unloaded before, so that it gets such pages."""
    visit.machine.sh("rmmod memcache")
    visit.plant("left-uc", wrong)


def load_on_cached_pages(visit: Visit) -> None:
    visit.machine.sh("rmmod memcache; rmmod plant")
    visit.machine.load()


def prices(**changed: int) -> Callable[..., None]:
    return lambda visit, wrong=True: visit.machine.prices(
        **{key: price if wrong else visit.machine.cost[key] for key, price in changed.items()})


def shell(script: str, right: str = "", wrong: str = "") -> Callable[..., object]:
    """A script, which has one of these words in place of WORD."""
    return lambda visit, mistake=False: visit.machine.sh(
        script.replace("WORD", wrong if mistake else right))


def plant(bug: str) -> Callable[[Visit, bool], None]:
    return lambda visit, wrong: visit.plant(bug, wrong)


def do_nothing(_visit: Visit, _wrong: bool = False) -> None:
    pass


@dataclass
class Exhibit:
    """A mistake.

    what: it, in a sentence
    commits: those that made or mended it, or what the kernel's documentation says
    look: asks memcache
    good, bad: patterns of the states that it says without the mistake and with it
    plant: makes the mistake, or with `wrong` False does everything but the mistake
    mend: takes it back
    factor: the time with the mistake is at least so many times as long, or if below 1, at most;
        None: there is a time on one side only
    hall: the machine's settings; faulty: those of a machine that has the mistake from the start
    begin: what is done before both looks
    kunit: the case of memtype_kunit that fails, or is skipped, because of it
    conflict: the id by which `memcache look` alone names it
    """
    what: str
    commits: str
    look: Callable[[Visit], Said]
    good: str = ""
    bad: str = ""
    plant: Callable[[Visit, bool], object] = do_nothing
    mend: Callable[[Visit], object] = do_nothing
    factor: float | None = None
    hall: tuple = ()
    faulty: tuple = ()
    begin: Callable[[Visit], object] = do_nothing
    kunit: str = ""
    conflict: str = ""


def look_at_range(name: str) -> Callable[[Visit], Said]:
    return figure(f"bandwidth target={RANGE} type={name} op=read size=64K {QUIET}")


PREFETCHERS = ("modprobe msr; for msr in /dev/cpu/*/msr; do "
               "printf '\\xWORD\\0\\0\\0\\0\\0\\0\\0' | dd of=$msr bs=8 oflag=seek_bytes seek=420 "
               "conv=notrunc status=none; done")
HUGE_PAGES = "echo WORD >/sys/kernel/mm/transparent_hugepage/enabled"
TABLES = "the page tables say"
REFUSED, HAVE = "error: EOPNOTSUPP type: asked for", "the page tables have"
UNLOAD = shell("rmmod plant")
EXHIBITS = {
    "memremap": Exhibit(
        "memremap(MEMREMAP_WB) gives UC- in a guest without MTRRs (SEV-SNP on Hyper-V)",
        "90b926e68f50, reverted by f9f57da2c2d1", look_at_range("wb"), f"wb: {TABLES} wb,.*",
        f"{REFUSED} wb, {HAVE} uc-:.*", plant("memremap"), UNLOAD,
        kunit="memtype_map, memtype_acpi_tables"),
    "ioremap": Exhibit(
        "ioremap() gives UC, which no MTRR can make WC", "de33c442ed2a, reverted here",
        look_at_range("uc"), f"uc: {TABLES} uc-,.*",
        f"{REFUSED} uc-, {HAVE} uc:.*", plant("ioremap"), UNLOAD),
    "guest-pat": Exhibit(
        "the hypervisor ignores the guest's PAT: all memory is WB",
        "377b2f359d1f, reverted by 9d70f3fec144", verdict("uc"),
        f"uc: {TABLES} uc-, effective=yes", f"uc: {TABLES} uc-, effective=no",
        prices(uc_load_ns=0, uc_store_ns=0, wc_load_ns=0, wc_line_ns=0, wc_word_ns=0),
        factor=0.1, kunit="memtype_effect"),
    "mtrr": Exhibit(
        "an MTRR leaves out a part of the RAM", "parameter disable_mtrr_trim", scan,
        "regions slower than the others: 0", "regions slower than the others: [1-9].*", plant_hole,
        shell("echo disable=$(sed -n 's/^reg0*\\([0-9]*\\):.*size= *4MB,.*/\\1/p' /proc/mtrr | "
              "tail -n 1) >/proc/mtrr"), begin=scan, kunit="memtype_ram_is_cached",
        conflict="mtrr"),
    "prefetch": Exhibit(
        "the prefetchers are left off (MSR 0x1a4)", "none: firmware, or a tool", prefetchers,
        "prefetchers: on", "prefetchers: off", shell(PREFETCHERS, "00", "0f"),
        shell(PREFETCHERS, "00")),
    "channels": Exhibit(
        "half of the memory channels are gone", "none: a module in the wrong slot",
        figure(f"bandwidth op=read width=16 size=8M page=4k cpu=0,1 node=0 {QUIET}"),
        plant=prices(service_ns=80), factor=1.5, begin=prices(service_ns=40)),
    "huge-page": Exhibit(
        "a process gets small pages in place of huge ones", "efa7df3e3bb5",
        user("latency size=8M page=thp repeat=1 warmup=0"), "",
        "page: 0 of 8 MiB came as huge pages.*", shell(HUGE_PAGES, "madvise", "never"),
        shell(HUGE_PAGES, "madvise")),
    "split": Exhibit(
        "drivers have split the direct map into small pages", "41d88484c71c, for code only",
        figure(f"latency size=32M page=direct cpu=0 node=0 {QUIET}"), plant=plant("split"),
        mend=UNLOAD, factor=1.5, begin=prices(**FEW_TRANSLATIONS),
        kunit="memtype_free_pages_are_wb, which prints the number of small pages",
        conflict="split"),
    "left-uc": Exhibit(
        "a driver has freed pages that it left uncached", "none: a driver of any kind",
        verdict("wb"), f"wb: {TABLES} wb, effective=yes", f"wb: {TABLES} uc-, effective=no",
        leave_uncached_pages, load_on_cached_pages, factor=10,
        kunit="memtype_free_pages_are_wb", conflict="free_not_wb"),
    "nopat": Exhibit(
        "PAT is off: WC memory is UC-", "72cbc8f04fe2", verdict("wc"),
        f"wc: {TABLES} wc, effective=yes", f"wc: {TABLES} uc-, effective=(no|unknown)",
        faulty=(KERNEL, "nopat"), kunit="memtype_effect (skipped, with the reason)",
        conflict="pat_off"),
    "combining": Exhibit(
        "arm64's copy to WC memory does not combine its stores", "ead79118dae6", verdict("wc"),
        f"wc: {TABLES} nc, effective=yes", f"wc: {TABLES} nc, effective=(no|partly)",
        prices(wc_early=482), hall=(f"{KERNEL}-arm64", "")),
}


def visit_of(halls: dict, settings: tuple) -> Visit:
    """The machine with these settings; it is kept in `halls`, and the last one goes."""
    if settings not in halls:
        for visit in halls.values():
            visit.machine.close()
        halls.clear()
        halls[settings] = Visit(*settings)
        halls[settings].machine.load()
    visit = halls[settings]
    visit.machine.prices(**visit.machine.file_prices)
    return visit


def has_noticed(exhibit: Exhibit, before: Said, after: Said) -> bool:
    """Whether memcache says of the control and of the mistake what is expected."""
    factor, ratio = exhibit.factor, after.time_ns / before.time_ns if before.time_ns else 0
    return bool(re.fullmatch(exhibit.good, before.state)) and \
        bool(re.fullmatch(exhibit.bad, after.state)) and \
        (not exhibit.conflict or after.looked_at > before.looked_at) and \
        (factor is None or (ratio >= factor if factor > 1 else 0 < ratio <= factor))


def show(halls: dict, exhibit: Exhibit) -> tuple[Said, Said]:
    """What memcache says of the control, and of the mistake."""
    said = []
    for wrong in (False, True):
        visit = visit_of(halls, exhibit.faulty if wrong and exhibit.faulty else exhibit.hall)
        exhibit.begin(visit)
        exhibit.plant(visit, wrong)
        said.append(exhibit.look(visit))
        if exhibit.conflict:
            said[-1].looked_at = visit.bytes_in_conflict(exhibit.conflict)
        exhibit.mend(visit)
    return said[0], said[1]


def build(names: list[str]) -> None:
    """The modules, memcache-user and the machine."""
    kernels = {KERNEL} | {EXHIBITS[name].hall[0] for name in names if EXHIBITS[name].hall}
    subprocess.run([TOP / "tools/sim/check"], check=True, stdout=subprocess.DEVNULL)
    for kernel in sorted(kernels):
        subprocess.run([TOP / "tools/guest/build", "-k", kernel], check=True,
                       stdout=subprocess.DEVNULL)
        arch = ["ARCH=arm64"] if kernel.endswith("-arm64") else []
        subprocess.run(["make", "-s", "-C", TOP / "tools/user", *arch], check=True)
    headers = subprocess.run([TOP / "tools/guest/kernel", KERNEL], check=True, text=True,
                             stdout=subprocess.PIPE).stdout.strip()
    PLANT.mkdir(parents=True, exist_ok=True)
    for name in ("plant.c", "Kbuild"):
        (PLANT / name).unlink(missing_ok=True)
        (PLANT / name).symlink_to(TOP / "tools/museum" / name)
    subprocess.run(["make", "-s", "-C", f"{headers}/build", f"M={PLANT}", "W=1",
                    "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules"], check=True)


def table(shown: dict[str, tuple[Said, Said]]) -> Iterator[str]:
    for name, (before, after) in shown.items():
        exhibit = EXHIBITS[name]
        yield f"{name}: {exhibit.what} ({exhibit.commits})"
        yield f"    without: {before}"
        yield f"    with:    {after}"
        yield f"    KUnit:   {exhibit.kunit or 'not its business'}"
        yield f"    look:    {exhibit.conflict or 'not its business'}" + (
            f", {before.looked_at >> 10}K without and {after.looked_at >> 10}K with"
            if exhibit.conflict else "")
        if not has_noticed(exhibit, before, after):
            yield "    memcache does not notice it as expected"


def rows() -> Iterator[tuple[str, ...]]:
    """What is expected of each exhibit, for the manual."""
    yield "mistake", "commit", "memcache without it", "memcache with it"
    for name, exhibit in EXHIBITS.items():
        good, bad = (re.sub(r"[,:]?\.\*$", "", said) for said in (exhibit.good, exhibit.bad))
        factor = exhibit.factor or 0
        time = f"at {'least' if factor > 1 else 'most'} {factor:g} times as long" if factor else ""
        yield f"``{name}``: {exhibit.what}", exhibit.commits, good, ", ".join(
            filter(None, (bad, time)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exhibits", nargs="*", metavar="EXHIBIT")
    options = parser.parse_args()
    for name in options.exhibits:
        if name not in EXHIBITS:
            parser.error(f"there is no {name}: {', '.join(EXHIBITS)}")
    names = options.exhibits or list(EXHIBITS)
    build(names)
    halls: dict = {}
    shown = {}
    try:
        for name in names:
            print(f"memcache: {name}", file=sys.stderr)
            shown[name] = show(halls, EXHIBITS[name])
    finally:
        for visit in halls.values():
            visit.machine.close()
    print("\n".join(table(shown)))
    return 0 if all(has_noticed(EXHIBITS[name], *said) for name, said in shown.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
