# SPDX-License-Identifier: GPL-2.0-only
"""The front end of memcache: runs requests and suites, shows their results.

Five rooms, a directory each; which may use which, selftests/front/test_rooms.py says.
Standard library only, but for output/draw.py, and little of it: under emulation every
import is felt.
"""

import errno
import sys
from collections.abc import Iterable


class Failure(Exception):
    """Something that a person can set right: shown as one line, no traceback."""

    def __init__(self, message: str, status: int = 1):
        super().__init__(message)
        self.status = status


def errno_name(number: int) -> str:
    """`EINVAL`, as the module names it."""
    if number == errno.EOPNOTSUPP:      # a synonym of ENOTSUP, which comes first
        return "EOPNOTSUPP"
    return errno.errorcode.get(number, str(number))


def plain(text: str) -> str:
    """A line that can't drive the terminal, whatever a results file says."""
    return "".join(c if c.isprintable() else "?" for c in text)


def emit(lines: Iterable[str]) -> None:
    """Print lines."""
    for line in lines:
        print(plain(line))


def say(text: str) -> None:
    """A line for whoever started this, not for what is measured."""
    print(f"memcache: {plain(text)}", file=sys.stderr, flush=True)
