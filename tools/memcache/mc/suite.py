# SPDX-License-Identifier: GPL-2.0-only
"""Suites: named lists of request lines, in plain text.

    # a comment
    @title  what it is, in one line
    @table  rows=KEY columns=KEY value=FIGURE     (KEY: a key of the results, or `label`)
    @note   a remark, printed below the table; may be repeated
    @where  kernel, user or both: where it is measured unless --where says so
    label: request line
    request line

`{last}` in a line stands for the number of the last CPU of this machine. Lines
that become the same by that are one.
"""

import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from mc import Failure

HERE = Path(__file__).resolve().parent.parent.parent / "suites"
LINE = re.compile(r"(?:(?P<label>[A-Za-z0-9_-]+):\s+)?(?P<request>[a-z][a-z0-9]*(?:\s+\S+=\S+)*)")

LAST = "{last}"
WHERE = ("kernel", "user", "both")


@dataclass(frozen=True)
class Request:
    """A request line; its label names it in tables."""
    line: str
    label: str | None = None
    suite: str | None = None
    where: str = "kernel"

    @property
    def name(self) -> str:
        return self.label or self.line


@dataclass(frozen=True)
class Layout:
    """A table: which key makes its rows, which its columns, what stands in it."""
    rows: str
    columns: str
    value: str


@dataclass
class Suite:
    name: str
    title: str = ""
    where: str = "kernel"
    layout: Layout | None = None
    notes: list[str] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)


def directory() -> Path:
    return Path(os.environ.get("MEMCACHE_SUITES") or HERE)


def names() -> list[str]:
    """The suites there are."""
    try:
        return sorted(p.name for p in directory().iterdir() if p.is_file() and exists(p.name))
    except OSError as error:
        raise Failure(f"{directory()}: {error.strerror}") from None


def exists(name: str) -> bool:
    """Is there a suite of that name, or a file at that path (with a slash)?"""
    if "/" in name:
        return Path(name).is_file()
    return bool(re.fullmatch(r"[a-z0-9][a-z0-9-]*", name)) and (directory() / name).is_file()


def last_cpu() -> str:
    """The number of the last CPU that is online."""
    try:
        online = Path("/sys/devices/system/cpu/online").read_text(encoding="ascii")
    except OSError:
        return str((os.cpu_count() or 1) - 1)
    return re.split("[,-]", online.strip())[-1]


def load(name: str) -> Suite:
    """A suite by its name, or by its path if that has a slash."""
    path = Path(name) if "/" in name else directory() / name
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise Failure(f"{path}: not text", 2) from None
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}", 2) from None
    suite = Suite(path.name)
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if line and not line.startswith("#"):
            try:
                _take(suite, line)
            except ValueError as error:
                raise Failure(f"{path}:{number}: {error}", 2) from None
    if not suite.requests:
        raise Failure(f"{path}: no request line in it", 2)
    suite.requests = [replace(request, where=suite.where) for request in suite.requests]
    suite.title = suite.title or suite.name
    return suite


def _take(suite: Suite, line: str) -> None:
    if line.startswith("@"):
        word, _, text = line.partition(" ")
        _directive(suite, word, text.strip())
        return
    match = LINE.fullmatch(line)
    if not match:
        raise ValueError("neither `label: TEST key=value ...` nor a directive")
    label = match["label"]
    asked = " ".join(match["request"].split()).replace(LAST, last_cpu())
    if LAST in line and any(request.line == asked for request in suite.requests):
        return
    if label and any(request.label == label for request in suite.requests):
        raise ValueError(f"the label {label} is taken")
    suite.requests.append(Request(asked, label, suite.name))


def _directive(suite: Suite, word: str, text: str) -> None:
    if not text:
        raise ValueError(f"{word} without a text")
    if word == "@title":
        suite.title = text
    elif word == "@note":
        suite.notes.append(text)
    elif word == "@where":
        if text not in WHERE:
            raise ValueError(f"@where is one of {', '.join(WHERE)}")
        suite.where = text
    elif word == "@table":
        keys = dict(pair.partition("=")[::2] for pair in text.split())
        if set(keys) != {"rows", "columns", "value"} or not all(keys.values()):
            raise ValueError("wanted: @table rows=KEY columns=KEY value=FIGURE")
        suite.layout = Layout(**keys)
    else:
        raise ValueError(f"no directive {word}: @title, @table, @note or @where")
