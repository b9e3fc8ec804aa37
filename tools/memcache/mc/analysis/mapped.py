# SPDX-License-Identifier: GPL-2.0-only
"""What is wrong with mappings of memory, and the kernel's function that would give what was meant,
where that is sure."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise

from mc import grouped, plural
from mc.records import units
from mc.records.mapped import Mapping

UNCACHED = {"uc-", "uc", "nGnRE", "nGnRnE"}
CACHED = {"wb", "wt", "wp"}
FIRST_MIB = 1 << 20
PLACES = {"number", "bytes", "physical_range", "page_bytes"}  # the others say how it is mapped
NAMES = {"nGnRE": "Device-nGnRE", "nGnRnE": "Device-nGnRnE", "nc": "Normal-NC"}


@dataclass(frozen=True)
class Conflict:
    """Something that is wrong, or may be: an id for programs, a sentence, and whom it is about."""
    id: str
    text: str
    mappings: tuple[Mapping, ...]

    def json(self) -> dict:
        return {"id": self.id, "text": self.text,
                "mappings": [one.row["physical_range"] for one in self.mappings]}


def name(kind: str | None) -> str:
    """A memory type as people write it."""
    return NAMES.get(kind, kind.upper()) if kind else "not known"


def who(one: Mapping) -> str:
    return one.owner or "nobody knows who"


def conflicts(mappings: list[Mapping], is_arm: bool, pat_is_off: bool) -> list[Conflict]:
    """All conflicts, the surest ones first."""
    return [*two_types(mappings, is_arm), *_free(mappings), *_mtrr(mappings),
            *(_without_pat(mappings) if pat_is_off and not is_arm else ()),
            *_uncached(mappings, is_arm, pat_is_off)]


def _pairs(mappings: list[Mapping]) -> Iterator[tuple[Mapping, Mapping]]:
    """Mappings that have a page in common."""
    active: list[Mapping] = []
    for one in sorted(mappings, key=lambda m: m.start):
        active = [other for other in active if other.end > one.start]
        yield from ((other, one) for other in active)
        active.append(one)


def two_types(mappings: list[Mapping], is_arm: bool) -> Iterator[Conflict]:
    """A page that is mapped with two types. arm64's kernel leaves the direct map as it is when a
    driver maps memory for DMA with another type: that is no conflict."""
    for one, other in _pairs(mappings):
        kinds = {one.type, other.type}
        direct = any(m.row["area"] == "direct" for m in (one, other))
        if len(kinds) < 2 or None in kinds or is_arm and direct:
            continue
        text = f"{place(max(one.start, other.start), min(one.end, other.end))} has two types: " \
               f"{name(one.type)} ({who(one)}) and {name(other.type)} ({who(other)})."
        if direct and "wb" in kinds and one.is_ram and not kinds <= CACHED:
            wanted = "wc" if "wc" in kinds else "uc"
            text += f" set_memory_{wanted}() or set_pages_array_{wanted}() before it is mapped " \
                    "changes the direct map, too."
        yield Conflict("two_types", text, (one, other))


def _free(mappings: list[Mapping]) -> Iterator[Conflict]:
    for one in mappings:
        if one.free_bytes:
            yield Conflict(
                "free_not_wb", f"{place(one.start, one.end)} is {name(one.row['attribute'])} in "
                f"the direct map, and {units.size(one.free_bytes)} of it are free: who had them "
                "did not call set_memory_wb() before freeing them. Whoever gets them next is "
                "slow.", (one,))


def _mtrr(mappings: list[Mapping]) -> Iterator[Conflict]:
    """An MTRR has another word than the page tables. UC- is made for that, and in the first MiB of
    a PC it is so."""
    for one in mappings:
        said, follows = one.row["attribute"], one.row["memory_type"]
        if one.start < FIRST_MIB or None in (said, follows) or said == follows or \
                (said, follows) == ("uc-", "uc"):
            continue
        text = f"{place(one.start, one.end)} is mapped {name(said)} ({who(one)}), and an MTRR " \
               f"makes it {name(follows)}"
        text += ", as arch_phys_wc_add() does." if follows == "wc" else "."
        yield Conflict("mtrr", text, (one,))


def _without_pat(mappings: list[Mapping]) -> Iterator[Conflict]:
    """A prefetchable BAR has its own sentence."""
    some = [one for one in mappings if one.row["attribute"] == "uc-" and one.type != "wc"
            and not one.prefetchable]
    if some:
        yield Conflict("pat_off", "PAT is off (nopat), so who asks for WC gets UC-. Nothing "
                       f"records whether it was asked for in {plural(len(some), 'mapping')} of "
                       "UC-: boot with PAT.", tuple(some))


def _uncached(mappings: list[Mapping], is_arm: bool, pat_is_off: bool) -> Iterator[Conflict]:
    """A prefetchable BAR that is mapped uncached: nothing records whether WC was asked for. A
    driver often maps several parts of one."""
    alike = grouped(((one.bar, one.owner, one.row["attribute"], one.row["area"]), one)
                    for one in sorted(mappings, key=lambda m: m.start)
                    if one.prefetchable and one.type in UNCACHED)
    for one, *others in alike.values():
        more = f" and {len(others)} more" if others else ""
        text = f"{one.bar} is prefetchable, and {who(one)} has mapped it " \
               f"{name(one.row['attribute'])} ({place(one.start, one.end)}{more}). "
        if pat_is_off and not is_arm:
            text += "PAT is off (nopat), so WC becomes UC-: boot with PAT."
        elif one.row["area"] != "user":
            text += "Nothing records whether WC was asked for: ioremap_wc() and pci_iomap_wc() " \
                    "ask for it."
        elif one.wc_file and "/resource" in one.caller:
            text += f"{one.wc_file} maps it WC."
        elif one.caller == "/dev/mem":
            text += "/dev/mem can't map it WC."
        else:
            text += "Nothing records whether WC was asked for: pgprot_writecombine() in the " \
                    "driver's mmap() asks for it."
        yield Conflict("prefetchable_uncached", text, (one, *others))


def split(direct: list[Mapping]) -> Iterator[Conflict]:
    """Memory of the direct map that is in smaller pages than what lies before and behind it, though
    all of a large page is mapped alike."""
    direct = sorted(direct, key=lambda m: m.start)
    for large in sorted({one.row["page_bytes"] for one in direct})[1:]:
        groups = [[*some] for _, some in groupby(direct, lambda m: m.row["page_bytes"] < large)]
        found: list[Mapping] = []
        for before, some, behind in zip(groups, groups[1:], groups[2:]):
            whole = [before[-1], *some, behind[0]]
            if some[0].row["page_bytes"] < large and all(
                    one.end == other.start for one, other in pairwise(whole)):
                found += _alike(some, large)
        if found:
            total, places = sum(one.end - one.start for one in found), plural(len(found), "place")
            yield Conflict(
                "split", f"{units.size(total)} of the direct map ({places}, the first one "
                f"{place(found[0].start, found[0].end)}) is in smaller pages than its neighbours, "
                f"which are in pages of {units.size(large)}. All pages there are mapped alike: "
                "somebody may have changed a part of a large page and back, as set_memory_uc() "
                "and set_memory_wb() do.", tuple(found))


def _alike(some: list[Mapping], large: int) -> Iterator[Mapping]:
    """Of neighbours: whole parts as large as such a page that are mapped alike."""
    for _, same in groupby(some, lambda m: [item for item in m.row.items()
                                            if item[0] not in PLACES]):
        rows = [*same]
        start, end = -(-rows[0].start // large) * large, rows[-1].end // large * large
        if start < end:
            yield Mapping(rows[0].row | {"bytes": end - start, "number": None,
                                         "physical_range": f"0x{start:x}+{(end - start) >> 10}K"})


def place(start: int, end: int) -> str:
    return f"0x{start:x}+{units.size(end - start)}"


def notes(head: dict, is_guest: bool) -> list[str]:
    """What an answer of the module does not have, and why."""
    found = []
    if head.get("changed"):
        found.append(f"Page tables of {units.size(head['changed_bytes'])} changed while they were "
                     "read: what they map is not shown.")
    if head.get("more"):
        found.append(f"There are {plural(head['more'], 'more mapping')} than the module keeps.")
    if head.get("unmapped_bytes"):
        found.append(f"In {units.size(head['unmapped_bytes'])} of the process's areas nothing was "
                     "seen: they were not touched yet, or pages are large and the kernel is older "
                     "than 6.12.")
    if head.get("unseen_bytes"):
        found.append(f"{units.size(head['unseen_bytes'])} of the process's areas were not looked "
                     "at: it has too many pages.")
    if is_guest:
        found.append("There is a hypervisor: these types are asked for. Whether they hold, nobody "
                     "can see from inside; `memcache mmio` measures it.")
    return found


def changes(before: list[Mapping], after: list[Mapping]) -> tuple[list[Mapping], list[Mapping]]:
    """The mappings that are new, and those that are gone."""
    had, has = ({one.key for one in some} for some in (before, after))
    return [one for one in after if one.key not in had], [one for one in before
                                                         if one.key not in has]
