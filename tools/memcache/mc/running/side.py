# SPDX-License-Identifier: GPL-2.0-only
"""The two sides of the system-call boundary, as far as measuring goes: the
module (debugfs.py) and its counterpart in user space (user.py)."""

import os
from dataclasses import dataclass

from mc import errno_name
from mc.records.keys import Tests
from mc.running import counters
from mc.running.fit import usable


@dataclass(frozen=True)
class Outcome:
    """How a request ended.

    error: errno, 0 when all went well
    why: what the side says about it
    records: machine, request and results as JSON Lines, if this request made any
    """
    error: int
    why: str = ""
    records: str = ""

    @property
    def name(self) -> str:
        return errno_name(self.error)


class Side:
    where = ""          # as its records have it
    source = ""         # what its records come from, in messages
    here = True         # it measures the machine that this program runs on

    def check(self) -> None:
        """Fail, saying what to do, when it is not there."""

    def tests(self) -> Tests:
        """The tests it has; none if it is not there."""
        return {}

    def machine(self) -> dict:
        """What it says of the machine; nothing if it is not there."""
        return {}

    def wb_only(self) -> bool:
        """Is write-back all the memory it will ever have?"""
        return False

    def release(self) -> str:
        """Of its kernel, for names of files."""
        return os.uname().release

    def has_device(self, path: str) -> bool:
        """Is this device of the module's there, and may it be used?"""
        return usable(path)

    def progress(self) -> str:
        """`running DONE/TOTAL …`, or something else."""
        return ""

    def discover(self) -> counters.Found:
        """The counters of DRAM traffic that its machine has."""
        return counters.discover()

    def counters(self) -> str:
        """The counters of DRAM traffic that are set, a line each."""
        raise NotImplementedError

    def count(self, text: str) -> None:
        """Set these instead; empty: none."""
        raise NotImplementedError

    def run(self, line: str) -> Outcome:
        """Run a request to its end, however that comes about."""
        raise NotImplementedError

    def interrupt(self) -> None:
        """End the request under way; called from a signal handler."""
