# SPDX-License-Identifier: GPL-2.0-only
"""The words of conclusions. Analysis draws a conclusion as an id with its facts; the table here has
the text of each id, and no other place has.

A text names facts in braces, each with a form behind a colon: `{count:of result}` is 1 of 5 results
for (1, 5), `{n:# result}` is 3 results, `{n:was|were}` chooses by number, `{yes:?this||that}` by
whether it holds; what is chosen may name facts, too. FORMS has more. All else is a form of Python.
"""

from collections.abc import Callable, Iterable
from functools import partial
from string import Formatter
from typing import Any

from mc import join_words, out_of, plural
from mc.records import units

MOST_NAMES = 8      # of channels or modules in a sentence


class Say(str):
    """A conclusion, which is its text. Programs and tests read its id and its facts."""
    id: str
    facts: dict

    def __new__(cls, id: str, **facts: object) -> "Say":
        return cls._made(_worded(WORDS[id], facts), id, facts)

    @classmethod
    def _made(cls, text: str, id: str, facts: dict) -> "Say":
        said = super().__new__(cls, text)
        said.id, said.facts = id, facts
        return said

    def as_part(self) -> "Say":
        """The same without the full stop, for a place in another sentence."""
        return self._made(self.rstrip("."), self.id, self.facts)

    def record(self) -> dict:
        """Itself for JSON."""
        return {"id": self.id, "text": str(self),
                "facts": {name: _plain(value) for name, value in self.facts.items()}}

    def __reduce__(self) -> tuple:
        return self._made, (str(self), self.id, self.facts)


def _plain(value: object) -> object:
    """A fact for JSON. It can have conclusions in it."""
    if isinstance(value, (list, tuple)):
        return [*map(_plain, value)]
    return value.record() if isinstance(value, Say) else value


def said(*rows: tuple[object, str, dict]) -> list[Say]:
    """A conclusion for each row (condition, id, facts) whose condition holds."""
    return [Say(id, **facts) for holds, id, facts in rows if holds]


def whole_bursts(percentages: tuple[float | None, ...] | None) -> str:
    """A share of bursts and its interval, behind which come the bursts."""
    if percentages is None:
        return "too few"
    middle, low, high = percentages
    between = f"{low:.3g} to {high:.3g} %"
    return between if middle is None else f"{middle:.3g} % ({between})"


def _span(digits: int, values: Iterable[float]) -> str:
    """`2 to 7`; one number if the ends read the same."""
    values = list(values)
    return " to ".join(dict.fromkeys(f"{end:.{digits}f}" for end in (min(values), max(values))))


def _listed(kind: str, names: list[str]) -> str:
    """`Channel A`, `3 channels (A, B, C)`, `DIMM_A1`, `16 modules (A1, A2, A3, ...)`"""
    if len(names) == 1:
        return f"{kind} {names[0]}".strip()
    more = ", ..." * (len(names) > MOST_NAMES)
    return f"{len(names)} {kind.lower() or 'module'}s ({', '.join(names[:MOST_NAMES])}{more})"


FORMS: dict[str, Callable] = {
    "and": join_words, "or": partial(join_words, last="or"), ",": ", ".join, ";": "; ".join,
    "rate": units.rate_text, "size": units.size, "time": units.duration, "bursts": whole_bursts,
    "; or": "; or ".join, "first": lambda text: text[:1].upper() + text[1:],
    "span": partial(_span, 0), "span1": partial(_span, 1), "span2": partial(_span, 2),
    "channels": partial(_listed, "Channel"), "modules": partial(_listed, "")}


def _worded(text: str, facts: dict) -> str:
    return "".join(before + (_form(facts[name], spec or "", facts) if name else "")
                   for before, name, spec, _ in Formatter().parse(text))


def _form(value: Any, spec: str, facts: dict) -> str:
    if spec in FORMS:
        return FORMS[spec](value)
    if spec.startswith("?"):
        yes, _, no = spec[1:].partition("||")
        return _worded(yes if value else no, facts)
    if spec.startswith("# "):
        return plural(value, spec[2:])
    if spec.startswith("of "):
        return out_of(value[0], value[1], spec[3:])
    if "|" in spec:
        count = value[0] if isinstance(value, tuple) else \
            len(value) if isinstance(value, list) else value
        one, _, more = spec.partition("|")
        return _worded(one if count == 1 else more, facts)
    return format(value, spec)


DISTURBED = "more than half of the samples were lost, others had or slowed the CPU in more than " \
            "half, or they spread by more than 20 %"
UNSETTLED = "samples were still changing, or did not agree after 100 ms"
NO_CONCLUSION = "so they do not count all of it, and there is no amplification (na)."

WORDS = {
    # The verdict on memory types.
    "type_not_as_asked": "{type} was asked for, but the page tables say {attribute}.",
    "wb_without_cache": "WB shows no cache at work: a reload of a line that was flushed takes no "
                        "longer than a hit.",
    "types_without_effect": "MEMORY TYPES HAVE NO EFFECT ON THIS MACHINE: asking for {types:or} "
                            "changes nothing.",
    "types_same_memory": "The rows {types:and} measure the same memory; what differs between them "
                         "is not due to {types:or}.",
    "hypervisor_unknown": "The hypervisor is not known. Under one, a guest's page tables may have "
                          "no effect: measure on bare metal.",
    "hypervisor_may_force": "Under a hypervisor ({hypervisor}) a guest's page tables may have no "
                            "effect: measure on bare metal.",
    "emulated": "An emulated machine (QEMU, TCG): no time measured here says anything about real "
                "hardware.",
    "types_in_some": "{types:and} had an effect in some results, and none in others: do not "
                     "compare these rows.",
    "type_in_part": "{type} has its effect in part only: {whole:bursts} of its bursts leave the "
                    "CPU whole. Do not take these rows as results of memory that combines its "
                    "stores.",
    "bar_unknown": "Whether {types:and} had an effect on the BAR is not known: only stores show "
                   "it, and none did.",
    "types_unknown": "The timing does not show whether {types:and} had an effect: do not take "
                     "these rows as results of that type.",
    "types_real": "{types:and}: {read:?page tables and ||}timing {read:?show||shows} what was "
                  "asked for{simulated:?, on this simulated machine}"
                  "{read:?|| (page tables can't be read here)}.",

    "types_left_out": "Left out: {types:and}, not shown to be real here (see below).",
    "wrong_data": "VERIFICATION FAILED in {n:# result}: memory did not hold what was written "
                  "to it.",

    # When another CPU sees a store, and a flag in memory behind it.
    "arrival": "By {type}, another CPU sees a store after {medians:span} ns{fence:?, with {fence} "
               "behind it}. The way back of the answer to its read is in that.",
    "arrival_late": "By {type} with {fence} behind it, {count:of store} {count:was|were} not seen "
                    "within 40 us: the CPU then drove {count:it|them} out.",
    "overtaken": "By {type}, {count:of flag} in memory overtook {count:its store|their stores} "
                 "with {fence} in between: {none:?a fence is needed||it is not enough}.",
    "none_overtook": "By {type}, none of {n} flags in memory overtook its store with {fences:or} "
                     "in between, which does not prove that none can.",

    # Differences, and why nobody can tell.
    "finding": "{what}: {changes:,}.",
    "even": "The fence makes hardly any difference: {speeds:;}.",
    "same": "The same: {pairs:;}.",
    "unknown": "Can't tell: {pairs:;}.",
    "nothing": "Nothing.",
    "nothing_emulated": "Nothing: on an emulated machine, no difference between these numbers "
                        "means anything.",
    "differences": "{n:# difference}: {words}.",
    "doubt": "Can't tell {n}: {reason}{remedy}.",
    "one_run": "one run shows no spread between runs",
    "not_settled": "the loop had not settled",
    "slowed": "most samples of a run were disturbed",
    "no_speed": "an emulated machine has no speed of its own",
    "wide": "the interval is too wide",
    "medians_alone": "the medians differ, but the fastest samples or the ranks of the runs do not",
    "no_time": "no time was measured",
    "runs_would_tell": "; {some:?for {some} of them }about {least}{most:? to {most}} more "
                       "{runs:run|runs} of each side would tell"
                       "{some:?, and for the others not even {limit}}",
    "no_runs_tell": "; {limit} more runs of each side would not be enough: measure when the "
                    "machine is quiet, or with sched=fifo if these runs had keep",

    # Marks of figures.
    "no_figure": "{count:of result} {count:has|have} no figure: {causes:;}",
    "beyond_ports": "? In {count:of result} a core moved more bytes in a cycle than its ports can "
                    "({op}: {moved:.1f}, at most {most:.0f}): the clock that was measured was not "
                    "that of the samples.",
    "unsettled": f"~ In {{count:of result}} the loop had not settled: its {UNSETTLED}.",
    "disturbed": f"± {{count:of result}} {{count:was|were}} disturbed: {DISTURBED}.",
    "most_disturbed": f"DISTURBED: {{count:of result}} {{count:is|are}} of little use: "
                      f"{DISTURBED}; "
                      "{why:?{why:;}||nothing in the records says why}: measure again on a quiet "
                      "machine.{remedy:? {remedy}, the threads go before other work.}",
    "not_quiet": "NOT QUIET: other work before the run: {work:;}. {bad:?{count:of result}||No "
                 "result} {several:?were||was} disturbed{bad:? (±)}."
                 "{remedy:? {remedy}, the threads go before other work.}",
    "samples_hit": "{count:of sample} {taken:was|were} {how}",
    "saw_interrupts": "{n:# sample} saw interrupts",
    "not_at_once": "in {n:# result} the threads did not run at once",

    # Whether caches hold a working set.
    "fits_caches": "In {count:of result} ({levels:,}) the {load:?load fits caches: the latency is "
                   "not that of loaded memory there||working set fits caches: no memory is "
                   "measured there}{guess:?, by the sizes that the CPU reports}.",
    "between": "In {count:of result} no cache holds the working set, but it is smaller than four "
               "times the last caches that its CPUs reach{by:?, or the cache of {size:size} in "
               "front of memory ({by})}: they may serve a part of it, so this may be faster than "
               "memory.",
    "memory_by_report": "In {count:of result} `memory` is by reported sizes: no search has shown "
                        "whether there is a cache that the CPUs do not report "
                        "(memcache-user --search).",
    "memory_by_latency": "In {count:of result} ({levels:,}) the CPU reports a cache that is large "
                         "enough, but `latency` shows memory at that size: the level is not known "
                         "there.",
    "memory_side": "In {count:of result} the working set fits the memory-side cache of node {node} "
                   "({size:size}): it may have served them in place of the memory behind it.",
    "no_caches": "In {count:of result} the level is not known: the CPU reports no caches, and "
                 "`size=auto` may be too small to measure memory.",

    # Levels of a curve.
    "no_levels": "No levels are named: an emulated machine has no caches to be seen in times.",
    "slow_loads": "In {n} of them a load took longer on average than 99 of 100 loads did"
                  "{reason:?: {reason}}. The median load took {medians:span1} ns there.",
    "passes_interrupted": "their passes were interrupted",
    "lines_compete": "their lines compete for few sets of L1 ({lines} lines in {sets:# set} of "
                     "{ways})",
    "level_larger": "{level} seems larger ({about}) than the CPU says ({told:size}).",
    "level_smaller": "{level} ends at about {about}, but the CPU says {told:size}: {guest:?a "
                     "virtual machine may be told of more than it gets, or }others may use it at "
                     "the same time.",
    "several_steps": "Memory has several steps: some pages are not in the TLBs, or there was a "
                     "disturbance.",
    "memory_unknown": "Which level is memory is not known: the CPU reports no caches.",
    "memory_not_reached": "The sweep does not reach memory: measure larger sizes, too.",
    "marked_levels": "Levels with a mark come from figures with that mark, and so do the sizes at "
                     "which they end.",
    "no_step": "No step shows {levels:and}: {reason}.",
    "no_tlb_step": "No step: a load costs about the same, however many pages there are.",
    "long_climb": "Each size between two levels is a step of its own: one TLB does not climb so "
                  "long. More sizes between them may show which are levels.",

    # What is published of a CPU.
    "slow_figure": "{figure:first}: {long:?{times:.1f} times as long as on||{percent:.0f} % of the "
                   "rate of} {machines:the one machine of this model that is known|the slowest of "
                   "{machines:# machine} of this model}{with_it:?, which counts since {with_it} is "
                   "low, too}.{guest:? That need not be a fault.} {causes:?What can do that here: "
                   "{causes:;}.||The record does not say why.}",
    "shared_with_guests": "{known:?under {hypervisor}||there may be a hypervisor; then} {l3:?L3 is "
                          "the host's, and other guests may use it||other guests may use the "
                          "memory of the host}",
    "small_pages": "pages of 4 KiB, so that a part is misses of the TLB (page=thp avoids them)",
    "prefetchers_off": "prefetchers are off",
    "clock_changed": "the clock of the core went from {before} to {after} MHz",
    "result_disturbed": "the result was disturbed by other work",
    "half_width": "the memory modules that the firmware lists are {bits} bits wide together, those "
                  "of {machines:# machine} of this model up to {most:g}{peak:?: {peak:rate} at "
                  "most, where {full:g} bits of this speed have {full_peak:rate}}",

    # Memory modules.
    "channels_empty": "{channels:channels} {channels:has|have} no module.",
    "channels_short": "{channels:channels} {channels:has|have} {few} of the {most} modules that "
                      "others have.",
    "modules_contradict": "SMBIOS and EDAC contradict each other, so nobody knows which modules "
                          "share a channel: {modules:# module}, {size:size}{known_channels:?, on "
                          "{known_channels:# channel}} by SMBIOS; {units} {kind}{units:|s}"
                          "{told:?, {told:size}}{told_channels:?, on {told_channels:# channel}} by "
                          "EDAC.",
    "modules_slow": "{slots:modules} {slots:runs|run} at {speed} MT/s{half:?, or at twice that if "
                    "the firmware gives the clock}; {slots:it is|they are} rated for {rated}.",

    # Regions of memory.
    "region_slow": "{name}{known:?, node {node}}: {bandwidth:?bandwidth||latency} {value} {unit}, "
                   "where {typical} {unit} is usual.",
    "regions_more": "{n} more.",
    "regions_share": "Measured: {gib} of {of} GiB of memory, {percent} %.",
    "region_wrong": "Not compared: {n:# region} whose data were wrong.",
    "region_in_use": "Not compared: {n:# region} of which less than 25 % was free.",
    "region_cached": "Not compared: {n:# region} whose bandwidth caches had a part in.",
    "region_unknown": "Not compared: {n:# region} of which nobody knows whether caches had a "
                      "part in the bandwidth.",
    "regions_few": "Fewer than {least} regions can be compared, so nobody can say which is "
                   "unusual.",
    "regions_blurred": "Can't tell: the regions differ so much among themselves that one of "
                       "{times:g} times the speed would not be noticed.",
    "regions_none": "None.",

    # Traffic of memory.
    "nodes_uncounted": "These counters do not count the memory of node {nodes}{without_cpu:?, on "
                       "which there is no CPU (CXL or HBM, for example): they are those of the DDR "
                       "controllers of the CPUs||, or not all of its traffic}. So there is no "
                       "amplification (na).",
    "overcounted": "? IMPLAUSIBLE: {result}: the counters claim {rate:rate}, {percent:?{percent:"
                   ".0f} % of what the modules can deliver||more than any memory moves}. They "
                   "count something else, or twice: no conclusion is drawn from them.",
    "ownership": "op={op} reads as much as it writes{beyond:? beyond what the loop reads}: each "
                 "line is read before it is written (read for ownership).",
    "no_ownership": "op={op} reads next to nothing{beyond:? beyond what the loop reads}: lines are "
                    "written without being read (no read for ownership).",
    "part_ownership": "op={op} reads {bytes:span2} bytes{beyond:? beyond what the loop reads} for "
                      "each that is written.",
    "stores_cached": "{ops:,}: less than half of the stored bytes are written to memory; caches "
                     "hold the rest.",
    "stores_uncounted": f"{{ops:,}}: these counters saw less than half of what went to memory, "
                        f"{NO_CONCLUSION}{{nontemporal:? No cache serves non-temporal stores.}}",
    "ownership_unknown": "{ops:,}: whether lines are read before they are written can't be told. "
                         "The results do not say which memory these counters count (those of "
                         "`memcache run --counters` do), on which node the data were, or which "
                         "level held them.",
    "idle_is_all": "The machine moved more before the run, when it was idle, than was counted "
                   "during it: no ratio of these figures means anything.",
    "idle_share": "The idle machine moved up to {percent:.0f} % of what was counted. These figures "
                  "include that.",
    "not_counted": "na in {count:of result}: {reason}.",
    "event_in_turns": "~ {event} took turns with other events in {count:of result}: it was counted "
                      "for {percents:span} % of the time, and scaled up from that.",
    "events_missing": "{events:?{events:,}||Some events}: na ({reason}).",

    # Reads of files.
    "checks_cached": "Comparing each byte reads next to nothing more from memory ({settings:;}): "
                     "what was just read is still in the caches.",
    "checks_cost": "Comparing each byte costs {bytes:span2} more reads of it from memory "
                   "({settings:;}): the caches no longer hold what was just read.",
    "readers_cost": "From {few} to {many} readers the memory is read {low:.2f}, then {high:.2f} "
                    "times for each byte ({what}).",
    "readers_same": "From {few} to {many} readers nothing changes ({settings:;}).",
    "vfs_plain": "The kernel reads as plainly as a system call: the same traffic for the same "
                 "bytes.",
    "vfs_moves": "Against the plain reader the kernel's reads moved {change} bytes for each byte.",
    "disk_in_rates": "Not all of the file was in the page cache ({settings:;}): a disk is in the "
                     "rates.",
    "reads_not_counted": "No amplification (na) where {why:; or}.",
    "reads_doubtful": "No conclusion is drawn from the counters: in {count:of result} it is not "
                      "known that they count all of the memory that can hold the file (`memcache "
                      "run --counters` keeps which they count), or they claim more than it can "
                      "move.",
    "rates_left_out": "Rates are left out: on an emulated machine no difference between them means "
                      "anything.",

    # Refresh of memory.
    "refresh": "Refresh comes every {found:time}{often:?, {often} JEDEC's standard of {generation} "
               "wants up to 85 C||; JEDEC's standard of {generation} wants it every {usual:time} "
               "up to 85 C}{reasons:?, {reasons}}.",
}
