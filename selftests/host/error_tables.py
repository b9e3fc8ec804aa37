#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""error_tables.py DIRECTORY: write the ACPI tables of a machine whose firmware reports hardware
errors in memory, without their headers. `bert`: 64 KiB at 0x17000000 have the errors of the last
start. `hest`: 0x17020000 and 0x17021000 have the addresses of blocks of 16 KiB that the firmware
fills; sources of other kinds stand before and between them. None is enabled.
Layouts: ACPI specification, chapter "ACPI Platform Error Interfaces"."""

import struct
import sys
from pathlib import Path

NOTIFY = struct.pack("<BBH6I", 0, 28, 0, 0, 0, 0, 0, 0, 0)
BANK = bytes(28)


def register(address):
    return struct.pack("<BBBBQ", 0, 64, 0, 4, address)  # in memory


def generic(number, address):
    return (struct.pack("<HHHBBIII", 9, number, 0xffff, 0, 0, 1, 1, 0) + register(address) +
            NOTIFY + struct.pack("<I", 16384))


def generic_2(number, address):
    return b"\x0a" + generic(number, address)[1:] + register(0) + bytes(16)


SOURCES = [
    struct.pack("<HHHBBIIQQB7x", 0, 0, 0, 0, 0, 1, 1, 0, 0, 2) + 2 * BANK,      # machine check
    struct.pack("<HHHBBII", 1, 1, 0, 0, 0, 1, 1) + NOTIFY + b"\1\0\0\0" + BANK,  # corrected
    struct.pack("<HH40x", 7, 2),                                                # AER
    generic(3, 0x17020000),
    struct.pack("<HH52x", 8, 4),                                                # AER of a bridge
    generic_2(5, 0x17021000),
]

directory = Path(sys.argv[1])
(directory / "bert").write_bytes(struct.pack("<IQ", 65536, 0x17000000))
(directory / "hest").write_bytes(struct.pack("<I", len(SOURCES)) + b"".join(SOURCES))
