# SPDX-License-Identifier: GPL-2.0-only
"""The front end of memcache: runs requests and suites, shows their results.

It has five rooms, a directory each. tools/check/rooms says which room may use which.
Only output/draw.py and analysis/changes.py need more than the standard library. The rest imports
little of it, and only when it is needed: an import takes long on an emulated machine.
"""

import errno
import os
import re
import sys
from collections.abc import Callable, Iterable
from typing import TypeVar

from mc.status import FAILED

Key = TypeVar("Key")
Value = TypeVar("Value")


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


def grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """The values of each key; keys and values are in the order in which they came."""
    groups: dict[Key, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def out_of(count: int, total: int, word: str) -> str:
    """`1 of 5 results`"""
    return f"{count} of {plural(total, word)}"


def with_side(name: str, where: str) -> str:
    """`latency (user)`; what the kernel measured has no mark."""
    return f"{name} (user)" if where == "user" else name


def join_words(words: Iterable[str], last: str = "and") -> str:
    """`a, b and c`"""
    words = list(words)
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def nearest(word: str, words: Iterable[str]) -> str:
    """The known word that is most like this one; empty if none is. It is the rule of
    module/core/meant.c: a letter may differ, two or more in long words; or the rest is missing."""
    near: dict[int, str] = {}
    for one in words if len(word) <= QUOTED else ():
        longer = max(len(word), len(one))
        edits = _count_edits(word.lower(), one.lower())
        begins = len(word) > 2 and one.lower().startswith(word.lower())
        if word and (begins or edits <= _most_edits(longer)):
            near.setdefault(edits, one)
    return near[min(near)] if near else ""


def hint(word: str, words: Iterable[str]) -> str:
    """` Did you mean X?` with the nearest known word; empty if there is none."""
    near = nearest(word, words)
    return f" Did you mean {near}?" if near else ""


def _most_edits(longer: int) -> int:
    return 0 if longer < 3 else 1 if longer < 7 else max(2, longer // 4)


def _count_edits(one: str, other: str) -> int:
    """Letters that are to be replaced, added, left out, or swapped with their neighbours."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, letter_there in enumerate(other, 1):
            row.append(min(last[j] + 1, row[-1] + 1, last[j - 1] + (letter != letter_there)))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == letter_there:
                row[-1] = min(row[-1], before[j - 2] + 1)
        before, last = last, row
    return last[-1]


QUOTED = 60     # letters of data that a message repeats


def quoted(data: object, most: int = QUOTED) -> str:
    """What a message or a table repeats of data, which may have any size."""
    text = str(data)
    return text if len(text) <= most else f"{text[:most - 3]}..."


def make_plain(text: str) -> str:
    """The line without control characters, so that no results file can drive the terminal."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


WIDE = 100      # a message that is longer has its lists below it
LONGEST = 10000     # letters of a message; no sentence of ours has as many
# A list begins with its first word, so that each word is looked at once.
LISTED = r"(?<!\S)(?:(?:[^\s|,]+\|){7,}[^\s|,;]+|(?<!, )(?:[^\s|,]+, ){7,}[^\s|,.]+)"


def message_lines(text: str) -> list[str]:
    """The lines of a message. Long lists in it become tables below it."""
    found: list[str] = []
    rest = text[:LONGEST] if len(text) > WIDE else ""
    while long_list := re.search(LISTED, rest):
        words = re.split(r"\||, ", long_list[0])
        here, after = rest[:long_list.start()], rest[long_list.end():]
        if "|" in long_list[0]:
            return [*found, f"{here}these{after}", *columns(words)]
        found += [here.rstrip(), *columns(words)]
        rest = after.lstrip(".").strip()
    return [*found, *filter(None, [rest])] or [text]


def columns(words: list[str]) -> list[str]:
    """A table of words, read from left to right."""
    wide = max(map(len, words)) + 2
    each = max((WIDE - 2) // wide, 1)
    return [f"  {''.join(word.ljust(wide) for word in words[at:at + each])}".rstrip()
            for at in range(0, len(words), each)]


def emit(lines: Iterable[str], painted: Callable[[str], str] = str) -> None:
    """Print lines. `painted` adds colours to a line."""
    for line in lines:
        print(painted(make_plain(line)))


def say(text: str) -> None:
    """Print a message to standard error, so that standard output holds results only. A
    message that can't be printed is no reason to stop."""
    try:
        print("\n".join(message_lines(f"memcache: {make_plain(text)}")), file=sys.stderr,
              flush=True)
    except OSError:     # Python must not try to write it again when it exits: status 120
        sys.stderr = open(os.devnull, "w", encoding="ascii")
