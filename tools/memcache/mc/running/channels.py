# SPDX-License-Identifier: GPL-2.0-only
"""Which slots for memory modules share a channel, as far as the names that firmware gives them say
so.

Firmware gives a slot two names, its own and that of its bank. There are hundreds of ways to do so.
A letter or a number that is a channel on one machine is a CPU on another. So a way to read the
names counts only if it fits all slots of the machine: it names the channel of each slot that has a
module, no channel has more slots than a channel can have, and no two slots are the same one. If
two ways fit and divide the slots differently, nobody knows which one is right.
"""

import re
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from mc import grouped

MOST = 3            # slots of a channel
# Where a channel is: its CPU, node or memory controller.
PLACE = re.compile(r"(?<![A-Z0-9])(?:P\d+(?=[ _-]|CH|DIMM)|(?:CPU|NODE|PROC(?:ESSOR)?|SOCKET|SKT|"
                   r"I?MC|UMC|CONTROLLER|CTRL)[ _#-]*\d+)", re.I)
# P0 CHANNEL A, Channel0_Dimm1, CPU0ChA, DIMM_CH_A0, CPU0_C0D1
CHANNEL = re.compile(r"CH(?:AN(?:NEL)?)?[ _-]*(?:[A-Z](?=\d*(?:$|[^A-Z\d]|DIMM|SLOT))|\d+)|"
                     r"(?<![A-Z0-9])C\d+(?=D\d)", re.I)
# DIMM_A1, P1-DIMMA1, DIMM_P0_A0, CPU_0_DIMM_A_1, CPU0_A0. In A1 the letter is as often a CPU.
LETTER = re.compile(rf".*(?:DIMM|DDR\d?|{PLACE.pattern})[ _-]*([A-Z])[ _-]?(?=\d+$)", re.I)


class Slot(NamedTuple):
    """The names of a slot and of its bank, and whether there is a module in it."""
    name: str
    bank: str
    filled: bool


class Reading(NamedTuple):
    """What a way makes of a slot: the channel and its name. `rest` is what follows them: it tells
    the slots of a channel apart."""
    channel: tuple[frozenset[str], str]
    name: str
    rest: str


Readings = list[Reading | None]


def channels(slots: list[Slot]) -> list[str | None]:
    """The channel of each slot: None if the names do not say it."""
    fitting = [readings for readings in _ways_to_read(slots) if _fits_slots(readings, slots)]
    if not fitting or not all(_divide_alike(*two) for two in combinations(fitting, 2)):
        return [None] * len(slots)
    return _channel_names(max(fitting, key=lambda readings: sum(map(bool, readings))))


def _ways_to_read(slots: list[Slot]) -> Iterator[Readings]:
    """The channels of the slots by each way of reading their names."""
    banks = [_reading_by_word(slot.bank, slot.name) for slot in slots]
    # One name of a bank for all slots says nothing.
    if len({slot.bank for slot in slots}) > 1 or len(slots) == 1:
        yield banks
    yield [_reading_by_word(slot.name, slot.bank) for slot in slots]
    if _are_channels(slots):
        yield [_reading_by_letter(slot.name, "") for slot in slots]
        yield [_reading_by_letter(slot.name, slot.bank) if PLACE.search(slot.bank) else None
               for slot in slots]


def _reading_by_word(text: str, other: str) -> Reading | None:
    """The channel in a name that has the word."""
    if not (match := CHANNEL.search(text)):
        return None
    before = PLACE.search(text[:match.start()])
    name = text[before.start() if before else match.start():match.end()]
    return Reading((_places_in(text, other), _bare_name(match[0])), _full_name(name, other),
                   _bare_name(text[match.end():]))


def _reading_by_letter(slot: str, bank: str) -> Reading | None:
    """The letter before the number of the slot."""
    if not (match := LETTER.match(slot)):
        return None
    return Reading((_places_in(slot, bank), match[1].upper()),
                   _full_name(match[0].rstrip(" _-"), bank), slot[match.end():])


def _places_in(*names: str) -> frozenset[str]:
    return frozenset(_bare_name(place) for name in names for place in PLACE.findall(name))


def _full_name(name: str, other: str) -> str:
    """The name of a channel, with its place if only the other name of the slot has it."""
    return name if PLACE.search(name) else " ".join([*PLACE.findall(other), name])


def _bare_name(text: str) -> str:
    return re.sub(r"[ _#-]", "", text).upper()


def _are_channels(slots: list[Slot]) -> bool:
    """Whether the letters in the names can be channels only, and not CPUs. Firmware that has
    letters for CPUs has no names for banks, or those of the CPUs."""
    numbers: dict[str, set[int]] = {}
    places: dict[str, set[frozenset[str]]] = {}
    for slot in slots:
        if reading := _reading_by_letter(slot.name, ""):
            letter = reading.channel[1]
            numbers.setdefault(letter, set()).add(int(reading.rest))
            places.setdefault(letter, set()).add(_places_in(slot.name, slot.bank))
    if any(number > MOST for some in numbers.values() for number in some):
        return False
    all_places = {place for some in places.values() for place in some if place}
    if not all_places:
        return len(numbers) > 1 and all(len(some) < MOST for some in numbers.values()) \
            and all(slot.bank for slot in slots if slot.filled)
    one_each = len(all_places) == len(places) and all(len(some) == 1 for some in places.values())
    return not one_each or len(places) == 1 and any(_places_in(slot.name) for slot in slots)


def _fits_slots(readings: Readings, slots: list[Slot]) -> bool:
    """Whether each filled slot has a channel, and no channel has more slots than it can have, or
    the same slot twice."""
    if any(slot.filled and not reading for reading, slot in zip(readings, slots)):
        return False
    slots_of = grouped((reading.channel, (reading.rest, slot))
                       for reading, slot in zip(readings, slots) if reading)
    for same in slots_of.values():
        rests = [rest for rest, _ in same]
        names = {(slot.name, slot.bank) for _, slot in same}
        if len(same) > MOST or len(names) < len(same) \
                or any(rests) and len(set(rests)) < len(same):
            return False
    return bool(slots_of)


def _divide_alike(some: Readings, others: Readings) -> bool:
    """Whether two ways put the same slots together."""
    pairs = {(one.channel, other.channel) for one, other in zip(some, others) if one and other}
    return len(pairs) == len({one for one, _ in pairs}) == len({other for _, other in pairs})


def _channel_names(readings: Readings) -> list[str | None]:
    """The names of the channels, with all of their places if they are not enough."""
    names = {one.channel: one.name for one in readings if one}
    if len(set(names.values())) < len(names):
        names = {channel: " ".join([*sorted(channel[0]), channel[1]]) for channel in names}
    return [names[one.channel] if one else None for one in readings]
