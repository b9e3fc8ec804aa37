# SPDX-License-Identifier: GPL-2.0-only
"""The channels of memory modules, from the ways in which firmware names its slots."""

import fake
from mc.running import hardware

NAMES = fake.HERE / "slots.tsv"


def text(names):
    """What dmidecode prints of a slot; a `-` before its names: it is empty."""
    slot, _, bank = names.removeprefix("-").partition("|")
    size = "No Module Installed" if names.startswith("-") else "16 GB"
    return f"\nMemory Device\n\tSize: {size}\n\tLocator: {slot}\n\tBank Locator: {bank}\n" \
           "\tType: DDR4\n"


def channels(*names):
    return [slot["channel"] for slot in hardware.modules("".join(map(text, names)))]


def letters(found):
    """A letter for each channel, in the order in which they appear."""
    if not any(found):
        return "-"
    order = list(dict.fromkeys(filter(None, found)))
    return "".join(chr(ord("a") + order.index(one)) if one else "." for one in found)


class Channels(fake.unittest.TestCase):
    def test_the_ways_of_naming(self):
        rows = [line.split("\t") for line in NAMES.read_text("utf-8").splitlines()
                if not line.startswith("#")]
        self.assertGreaterEqual(len(rows), 60)
        for machine, shared, slots in rows:
            with self.subTest(machine):
                self.assertEqual(letters(channels(*slots.split("; "))), shared)

    def test_their_names(self):
        for name, slots in {
                "P0 CHANNEL A": ("DIMM 0|P0 CHANNEL A", "DIMM 0|P0 CHANNEL B"),
                "ChannelB": ("ChannelB-DIMM0|BANK 2", "ChannelA-DIMM0|BANK 0"),
                "Controller0-ChannelA": ("Controller0-ChannelA-DIMM0|BANK 0",),
                "NODE 1 DIMM_A": ("DIMM_A1|NODE 1", "DIMM_A1|NODE 2", "DIMM_B1|NODE 1"),
                "P1-DIMMC": ("P1-DIMMC2|",), "DIMM_P0_B": ("DIMM_P0_B0|BANK 1",),
                "P0_Node0_Channel0": ("DIMM_A1|P0_Node0_Channel0_Dimm0",),
                "Node0_Channel0": ("CPU_0_DIMM_A_0|A0_Node0_Channel0_Dimm0",)}.items():
            with self.subTest(name):
                self.assertEqual(channels(*slots)[0], name)

    def test_channels_of_two_cpus_have_two_names(self):
        found = channels(*(f"CPU{cpu} DIMM {slot}|CHANNEL {channel}" for cpu in (0, 1)
                           for channel, slot in zip("AB", (1, 2))))
        self.assertEqual(letters(found), "abcd")

    def test_a_channel_has_three_slots_at_most(self):
        for count, shared in ((3, "aaabbb"), (4, "-")):
            with self.subTest(count):
                self.assertEqual(letters(channels(*(
                    f"CPU1_DIMM_{letter}{number}|" for letter in "AB"
                    for number in range(1, count + 1)))), shared)
