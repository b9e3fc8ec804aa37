# SPDX-License-Identifier: GPL-2.0-only
"""The two sides of the system-call boundary, as far as measuring goes: the
module (debugfs.py) and its counterpart in user space (user.py)."""

from dataclasses import dataclass

from mc import errno_name


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

    def check(self) -> None:
        """Fail, saying what to do, when it is not there."""

    def tests(self) -> list[str]:
        """Names of the tests it has; none if it is not there."""
        return []

    def wb_only(self) -> bool:
        """Is write-back all the memory it will ever have?"""
        return False

    def progress(self) -> str:
        """`running DONE/TOTAL …`, or something else."""
        return ""

    def run(self, line: str) -> Outcome:
        """Run a request to its end, however that comes about."""
        raise NotImplementedError

    def interrupt(self) -> None:
        """End the request under way; called from a signal handler."""


def test_names(text: str) -> list[str]:
    """The tests in what `tests` and `--tests` say."""
    return [line.partition(":")[0] for line in text.splitlines()
            if ":" in line and line[0].isalpha()]
