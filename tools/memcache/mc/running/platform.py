# SPDX-License-Identifier: GPL-2.0-only
"""The system on a chip, as the device tree of this machine calls it. CPUs of a model differ in
their memory from one system on a chip to another."""

from mc.running.machine import Machine

COMPATIBLE = "/proc/device-tree/compatible"


def describe(machine: Machine | None = None) -> dict:
    """What the front end adds to a `machine` record: the last, most general name. Nothing if there
    is no device tree."""
    names = (machine or Machine(module={})).read(COMPATIBLE).rstrip("\0").split("\0")
    return {"platform": names[-1]} if names[-1] else {}
