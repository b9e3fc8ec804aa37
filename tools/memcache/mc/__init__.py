# SPDX-License-Identifier: GPL-2.0-only
"""The front end of memcache: runs requests and suites, shows their results.

It has five rooms, a directory each. selftests/front/test_rooms.py says which room may use which.
Only output/draw.py and analysis/changes.py need more than the standard library. The rest imports
little of it, and only when it is needed: an import takes long on an emulated machine.
"""

import errno
import os
import sys
from collections.abc import Callable, Iterable

from mc.status import FAILED


class Failure(Exception):
    """An error that the user can correct. It is shown as one line, without a traceback."""

    def __init__(self, message: str, status: int = FAILED):
        super().__init__(message)
        self.status = status


def libraries() -> None:
    """Let Python find libraries that are not its own. The program starts without them (-S)."""
    import site
    if sys.flags.no_site:
        site.main()


def errno_name(number: int) -> str:
    """The name of an error number as the module writes it: `EINVAL`."""
    if number == errno.EOPNOTSUPP:      # errno.errorcode has only its synonym, ENOTSUP
        return "EOPNOTSUPP"
    return errno.errorcode.get(number, str(number))


def plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def meant(word: str, known: Iterable[str]) -> str:
    """`; did you mean X?` with the known word that is most like this one; empty if none is. It is
    the rule of module/core/meant.c: one letter in four may differ, but at least one."""
    near: dict[int, str] = {}
    for one in known:
        longer = max(len(word), len(one))
        edits = _edits(word.lower(), one.lower())
        if word and edits <= (0 if longer < 3 else 1 if longer < 8 else longer // 4):
            near.setdefault(edits, one)
    return f"; did you mean {near[min(near)]}?" if near else ""


def _edits(one: str, other: str) -> int:
    """Letters that are to be replaced, added, left out, or swapped with their neighbours."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, there in enumerate(other, 1):
            row.append(min(last[j] + 1, row[-1] + 1, last[j - 1] + (letter != there)))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == there:
                row[-1] = min(row[-1], before[j - 2] + 1)
        before, last = last, row
    return last[-1]


def plain(text: str) -> str:
    """The line without control characters, so that no results file can drive the terminal."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


def emit(lines: Iterable[str], painted: Callable[[str], str] = str) -> None:
    """Print lines. `painted` adds colours to a line."""
    for line in lines:
        print(painted(plain(line)))


def say(text: str) -> None:
    """Print a message to standard error, so that standard output holds results only. A
    message that can't be printed is no reason to stop."""
    try:
        print(f"memcache: {plain(text)}", file=sys.stderr, flush=True)
    except OSError:     # Python must not try to write it again when it exits: status 120
        sys.stderr = open(os.devnull, "w", encoding="ascii")
