# SPDX-License-Identifier: GPL-2.0-only
"""A side of the system-call boundary, which runs requests. The kernel's side is the module
(debugfs.py); the side of user space is memcache-user (user.py)."""

import os
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from mc import errno_name
from mc.records.keys import Tests
from mc.running import counters
from mc.running.fit import is_usable


@dataclass(frozen=True)
class Outcome:
    """How a request ended.

    error: the errno, or 0 if the request succeeded
    why: the side's explanation of the error
    records: machine, request and results as JSON Lines, if the request has results
    """
    error: int
    why: str = ""
    records: str = ""

    @property
    def name(self) -> str:
        return errno_name(self.error)


class Side:
    where = ""          # the value of `where` in its records
    source = ""         # where its records come from, for messages

    def check(self) -> None:
        """Raise a Failure that says what to do if this side is not available."""

    def hold(self) -> AbstractContextManager:
        """A context during which nobody can take this side away, not even between requests."""
        return nullcontext()

    def tests(self) -> Tests:
        """Its tests; none if this side is not available."""
        return {}

    def machine(self) -> dict:
        """Its `machine` record; empty if this side is not available."""
        return {}

    def has_wb_only(self) -> bool:
        """Whether it never has memory of any type but write-back."""
        return False

    def release(self) -> str:
        """The release of its kernel, for names of files."""
        return os.uname().release

    def has_device(self, path: str) -> bool:
        """Whether this device of the module exists and may be used."""
        return is_usable(path)

    def progress(self) -> str:
        """`running DONE/TOTAL …` during a run, anything else at other times."""
        return ""

    def discover(self) -> counters.Found:
        """The counters of DRAM traffic of its machine."""
        return counters.discover()

    def counters(self) -> str:
        """The counters of DRAM traffic that are set now, one a line."""
        raise NotImplementedError

    def count(self, text: str) -> None:
        """Set these counters; an empty text clears all counters."""
        raise NotImplementedError

    def run(self, line: str) -> Outcome:
        """Run a request and return when it has succeeded, failed or was interrupted."""
        raise NotImplementedError

    def interrupt(self) -> None:
        """End the current request. A signal handler calls this."""
