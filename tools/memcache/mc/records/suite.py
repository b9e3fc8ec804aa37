# SPDX-License-Identifier: GPL-2.0-only
"""Suites: named lists of request lines in plain text.

    # a comment
    @title   the title of the suite, in one line
    @where   kernel, user or both: the side that measures, unless --where names another
    @rounds  3                          (the number of rounds)
    @takes   0.5 s a record             (an estimate for a real machine, of the lines that
                                        follow; of groups at once, for the line)
    @section a title: the lines that follow make a table of their own
    @needs   2 cpus, cores or nodes: a machine with fewer skips the section
    @search  KEY=VALUES ...             (which keys of the lines take the best of these values)
    @table   rows=KEY columns=KEY value=FIGURE [best=FIGURE] [KEY=VALUE ...]
    @table   rows=KEY values=FIGURE,... [best=FIGURE] [KEY=VALUE ...]
    @note    a remark below the table; a section may have several
    label: request line
    request line

KEY is a key of the results, `label`, or a key that places.py adds. A table has only those
results that fit every KEY=VALUE. With keys of places.py several results may share a cell,
which then shows their median, or with best= the one that has the best figure. Placeholders in
lines stand for the shape of the machine, see template.py. Lines that become equal are measured
once.
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from mc import Failure, hint, quoted
from mc.advice import TOP
from mc.records import check, reading, template
from mc.records.shape import Shape
from mc.records.tests import is_program
from mc.status import WRONG

HERE = TOP / "tools/suites"
LINE = re.compile(r"(?:(?P<label>[A-Za-z0-9_:-]+):\s+)?(?P<request>[a-z][a-z0-9]*(?:\s+\S+=\S+)*)")
TAKES = re.compile(r"(\d+(?:\.\d+)?) s a record")
WHERE = ("kernel", "user", "both")
MOST_ROUNDS = 1000


@dataclass(frozen=True)
class Request:
    """A request line. Its label, if it has one, is its name in tables. `directives` are the
    lines that say how the results of a user's own suite are shown. Results files keep them,
    because the suite may be missing when the file is read. `tries` is the word of a search that
    its line has; all else is then to be as in the line that was the best until then."""
    line: str
    label: str | None = None
    suite: str | None = None
    section: str | None = None
    where: str = "kernel"
    record_s: float | None = None
    rounds: int = 1
    directives: tuple[str, ...] = ()
    tries: str = ""

    @property
    def name(self) -> str:
        return self.label or self.line

    @property
    def test(self) -> str:
        return self.line.split()[0]

    @property
    def short_name(self) -> str:
        return self.label or self.test


@dataclass(frozen=True)
class Layout:
    """How a table is laid out: the key of its rows, the key of its columns (None: a column
    for each of `values`), the figures in its cells, the results that it has, and the figure by
    which one of those that share a place is chosen."""
    rows: str
    columns: str | None
    values: tuple[str, ...]
    only: tuple[tuple[str, str], ...] = ()
    best: str | None = None


@dataclass
class Section:
    title: str | None = None
    needs: list[str] = field(default_factory=list)
    search: list[str] = field(default_factory=list)
    layouts: list[Layout] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    directives: list[str] = field(default_factory=list)


@dataclass
class Suite:
    """A suite. Its `requests` still have their placeholders."""
    name: str
    title: str = ""
    where: str = "kernel"
    record_s: float | None = None
    rounds: int = 1
    sections: list[Section] = field(default_factory=lambda: [Section()])
    requests: list[Request] = field(default_factory=list)

    def section(self, title: str | None) -> Section | None:
        return next((one for one in self.sections if one.title == title), None)

    def requests_for(self, shape: Shape) -> tuple[list[Request], dict[str, list[str]]]:
        """The requests for a machine of that shape, and the names of those that it can't measure,
        by the reason."""
        requests: dict[tuple, Request] = {}
        lacking: dict[str, list[str]] = {}
        needs_of = {section.title: section.needs for section in self.sections}
        for request in self.requests:
            why = [why for needs in needs_of[request.section]
                   if (why := template.reason_against(needs, shape))]
            if why:
                alike = [one for one in self.requests if one.short_name == request.short_name]
                name = request.short_name
                lacking.setdefault(why[0], []).append(
                    f"{name} ({request.section})" if len(alike) > 1 and request.section else name)
                continue
            for line in template.expand(request.line, shape):
                for one in self._requests_of_search(replace(request, line=line), shape):
                    requests.setdefault((one.section, one.line, one.tries), one)
        return list(requests.values()), lacking

    def _requests_of_search(self, request: Request, shape: Shape) -> Iterator[Request]:
        """The requests of a search that begins with this one: for each word of the search, one
        with each value. Values from which the first ones choose come with the first word. A word
        that has a single value on this machine is nothing to search for."""
        section = self.section(request.section)
        first = True
        for word in section.search if section else []:
            lines = {tried: check.with_words(request.line, [tried])
                     for tried in _values_of_word(word, shape)}
            if len(lines) < 2:
                continue
            for tried, line in lines.items():
                yield replace(request, line=line, tries="" if first else tried)
            first = False
        if first:
            yield request


def _values_of_word(word: str, shape: Shape) -> list[str]:
    """Each value of a word of a search: KEY=VALUE."""
    key, _, values = word.partition("=")
    apart = re.findall(r"(?:\{[^{}]*\}|[^,])+", values)     # placeholders may have commas
    return list(dict.fromkeys(line for value in apart
                              for line in template.expand(f"{key}={value}", shape)))


def directory() -> Path:
    return Path(os.environ.get("MEMCACHE_SUITES") or HERE)


def names() -> list[str]:
    """The names of all suites."""
    try:
        return sorted(p.name for p in directory().iterdir() if p.is_file() and exists(p.name))
    except OSError as error:
        raise Failure(f"{directory()}: {error.strerror}") from None


QUICK = "-quick"        # the end of the name of a suite that is a shorter one of another


def names_offered() -> list[str]:
    """The names of all suites without those that are shorter ones of others: `--quick` takes these
    instead."""
    all_names = names()
    return [name for name in all_names if not name.endswith(QUICK)
            or name.removesuffix(QUICK) not in all_names]


def with_quick_forms(words: list[str]) -> list[str]:
    """These words of `run` with the shorter suites; a Failure if one has none, such as a
    request."""
    replaced = []
    for word in words:
        name, space, rest = word.partition(" ")
        if "=" not in name and not name.endswith(QUICK):
            call = is_program(name) and not all("=" in key for key in rest.split())
            if call or not exists(name + QUICK):
                quick = ", ".join(name for name in names_offered() if exists(name + QUICK))
                raise Failure(f"{word} has no quick form; these have: {quick}", WRONG)
            name += QUICK
        replaced.append(name + space + rest)
    return replaced


def exists(name: str) -> bool:
    """Whether there is a suite of that name, or a file at that path (with a slash)."""
    if "/" in name:
        return Path(name).is_file()
    return bool(re.fullmatch(r"[a-z0-9][a-z0-9-]*", name)) and (directory() / name).is_file()


def load(name: str) -> Suite:
    """Read a suite, named by its name or by a path with a slash."""
    path = Path(name) if "/" in name else directory() / name
    if "/" not in name and not exists(name):
        existing = names_offered()
        raise Failure(f"no suite {name}.{hint(name, existing)} There are: {', '.join(existing)}",
                      WRONG)
    text = reading.text(str(path))
    suite = Suite(path.name)
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if line and not line.startswith("#"):
            try:
                _take_line(suite, line)
            except ValueError as error:
                raise Failure(f"{path}:{number}: {error}", WRONG) from None
    if not suite.requests:
        raise Failure(f"{path}: no request line in it", WRONG)
    if any(section.search and not request.label for request in suite.requests
           if (section := suite.section(request.section))):
        raise Failure(f"{path}: a line of a section with @search has no label", WRONG)
    suite.title = suite.title or suite.name
    own = path.resolve().parent != HERE
    shown = {section.title: (f"@title {suite.title}", *section.directives) if own else ()
             for section in suite.sections}
    suite.requests = [replace(request, where=suite.where, rounds=suite.rounds,
                              directives=shown[request.section]) for request in suite.requests]
    return suite


def suite_of_request(request: dict) -> Suite | None:
    """The suite of a `request` record: as the record describes it, else the suite of that name
    if it still exists."""
    name = request.get("suite")
    try:
        if not request.get("directives"):
            return load(name) if name and exists(name) and "/" not in name else None
        suite = Suite(name or "")
        for line in request["directives"]:
            _take_line(suite, line)
        return suite
    except (Failure, ValueError):
        return None


def _take_line(suite: Suite, line: str) -> None:
    if line.startswith("@"):
        word, _, text = line.partition(" ")
        _directive(suite, word, text.strip())
        return
    if unknown := template.unknown_placeholder(line):
        raise ValueError(f"no placeholder {quoted(unknown)}")
    places = template.PLACE.findall(line)
    match = LINE.fullmatch(template.PLACE.sub("{}", line))      # placeholders may have spaces
    if not match:
        raise ValueError("neither `label: TEST key=value ...` nor a directive")
    label, section = match["label"], suite.sections[-1].title
    if label and any((request.label, request.section) == (label, section)
                     for request in suite.requests):
        raise ValueError(f"the label {quoted(label)} is used twice")
    asked = " ".join(match["request"].split())
    for place in places:
        asked = asked.replace("{}", f"{{{place}}}", 1)
    suite.requests.append(Request(asked, label, suite.name, section, record_s=suite.record_s))


def _directive(suite: Suite, word: str, text: str) -> None:
    if not text:
        raise ValueError(f"{quoted(word)} without a text")
    if word not in DIRECTIVES:
        raise ValueError(f"no directive {quoted(word)}: {', '.join(DIRECTIVES)}")
    DIRECTIVES[word](suite, text)
    if word in SHOWN:
        suite.sections[-1].directives.append(f"{word} {text}")


def _set_title(suite: Suite, text: str) -> None:
    suite.title = text


def _set_where(suite: Suite, text: str) -> None:
    if text not in WHERE:
        raise ValueError(f"@where is one of {', '.join(WHERE)}")
    suite.where = text


def _set_rounds(suite: Suite, text: str) -> None:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_ROUNDS:
        raise ValueError(f"@rounds is a number from 1 to {MOST_ROUNDS}")
    suite.rounds = int(text)


def _set_time(suite: Suite, text: str) -> None:
    match = TAKES.fullmatch(text)
    if not match:
        raise ValueError("wanted: @takes SECONDS s a record")
    suite.record_s = float(match[1])


def _begin_section(suite: Suite, text: str) -> None:
    if suite.section(text):
        raise ValueError(f"there is a section {quoted(text)} already")
    suite.sections.append(Section(text))


def _add_need(suite: Suite, text: str) -> None:
    if not template.NEEDS.fullmatch(text):
        raise ValueError("wanted: @needs NUMBER cpus, or cores, or nodes")
    suite.sections[-1].needs.append(text)


def layout(text: str) -> Layout:
    """The layout that the text after @table describes."""
    keys = dict(pair.partition("=")[::2] for pair in text.split())
    if "rows" not in keys or not all(keys.values()) or not (
            {"columns", "value"} <= keys.keys() or "values" in keys) or (
            "values" in keys and {"columns", "value"} & keys.keys()):
        raise ValueError("wanted: @table rows=KEY columns=KEY value=FIGURE, or @table rows=KEY "
                         "values=FIGURE,...")
    values = keys.pop("values", "") or keys.pop("value")
    rows, columns, best = keys.pop("rows"), keys.pop("columns", None), keys.pop("best", None)
    return Layout(rows, columns, tuple(values.split(",")), tuple(keys.items()), best)


def _add_search(suite: Suite, text: str) -> None:
    words = re.findall(r"(?:\{[^{}]*\}|\S)+", text)       # placeholders may have spaces
    if why := template.unknown_placeholder(text) or check.mistake_of_form(words):
        raise ValueError(f"no placeholder {why}" if why.startswith("{") else why)
    suite.sections[-1].search += words


DIRECTIVES: dict[str, Callable[[Suite, str], None]] = {
    "@title": _set_title, "@where": _set_where, "@rounds": _set_rounds, "@takes": _set_time,
    "@section": _begin_section, "@needs": _add_need, "@search": _add_search,
    "@table": lambda suite, text: suite.sections[-1].layouts.append(layout(text)),
    "@note": lambda suite, text: suite.sections[-1].notes.append(text)}
SHOWN = ("@section", "@table", "@note")
