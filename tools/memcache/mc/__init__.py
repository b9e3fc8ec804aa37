# SPDX-License-Identifier: GPL-2.0-only
"""The front end of memcache: runs requests and suites, shows their results.

cli → {measure, report, compare, doctor}; measure → {suite, debugfs, user, fit,
progress, results}; report → {table, findings, verdict}; compare → {match,
overhead, published, estimate}. Standard library only, and little of it: under
emulation every import is felt.
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


def emit(lines: Iterable[str]) -> None:
    """Print lines; what a results file says can't drive the terminal."""
    for line in lines:
        print("".join(c if c.isprintable() else "?" for c in line))


def say(text: str) -> None:
    """A line for whoever started this, not for what is measured."""
    print(f"memcache: {text}", file=sys.stderr, flush=True)
