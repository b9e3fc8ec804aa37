# SPDX-License-Identifier: GPL-2.0-only
"""Reads TAP, nested in any of the ways that our tests nest it, and counts leaves.

A document is a plan and its test points. A document inside another one is
indented (TAP 14, KTAP) or commented out with `# ` (the kernel's kselftest
runner) and stands before the test point that sums it up. That point is not
counted again, unless it alone says that something went wrong. The messages of a failed
test stand before its point (kselftest) or after it (bats, tap_check).
A test's time is the time since the previous point, or since its document began. A test
that knows its time better prints `# time=12.3ms` after its name.
"""

import re
import sys
from collections import Counter, deque, namedtuple

PASSED, FAILED, SKIPPED = STATES = "passed", "failed", "skipped"
CUT = "CUT"             # what was planned and did not run: it shows nothing

SAID = 8                # lines kept before a point, and after it

# path: the names of the enclosing test points, then its own. said: lines about it.
Result = namedtuple("Result", "state path why said seconds", defaults=[(), 0.0])

LINE = re.compile(r"""
    (?P<prefix> (?: \ \  | \t | \#\ )* )
    (?: (?P<program> selftests:\ .* )
      | (?P<version> K?TAP\ version\ \d+ )
      | 1\.\.(?P<plan> \d+ ) (?: \s* \# \s* (?P<all> (?i:skip) .* ) )?
      | (?P<bad> not\ )? ok (?=\s|$) \s* \d* [\s-]* (?P<name> .*? )
        (?: \s* \# \s* time= (?P<ms> [\d.]+ ) ms )?
        (?: \s* \# \s* (?P<word> (?i:skip|todo|xfail) ) \b :? (?P<why> .* ) )?
      | (?P<bail> Bail\ out! .* )
    ) \s*""", re.X)


def failure(name, why=""):
    return Result(FAILED, (name,), why)


class Document:
    """One level of nesting: its plan and what was seen of it so far."""

    def __init__(self, prefix):
        self.prefix = prefix
        self.plan = None        # number of test points announced
        self.points = 0         # number of test points seen
        self.skipped = None     # `1..0 # SKIP why`
        self.cut = False        # somebody has ended the program before its time
        self.results = []
        self.inner = []         # of closed inner documents that no point has claimed yet

    def point(self, match, lines, seconds):
        inner, self.inner = self.inner, []
        self.points += 1
        why = (match["why"] or "").strip()
        name = match["name"] or why or f"test {self.points}"
        state = SKIPPED if match["word"] else FAILED if match["bad"] else PASSED
        self.results += [r._replace(path=(name, *r.path)) for r in inner]
        if not inner or (state == FAILED and all(r.state != FAILED for r in inner)):
            self.results.append(Result(state, (name,), why, lines, seconds))

    def close(self):
        """All results of this level, its own faults among them."""
        results = self.results + self.inner
        if self.cut:
            return results
        if self.plan is None:
            results.append(failure("no plan", "it died or never finished"))
        elif self.plan != self.points:
            results.append(failure("wrong plan", f"{self.points} tests ran of {self.plan} planned"))
        elif self.plan == 0 and not self.skipped:
            results.append(failure("empty plan", "no test at all"))
        elif self.skipped and not self.prefix:
            results.append(Result(SKIPPED, ("all",), self.skipped))
        return results


class Reader:
    """Takes lines, and their times, with feed(); end() returns the list of results."""

    def __init__(self):
        self.mark = 0.0         # when the last test point came, or a document began
        self.open = []          # documents, the innermost last
        self.program = None     # prefix of the output of a kselftest program
        self.before = deque(maxlen=SAID)    # said since the last test point
        self.behind = []        # said around the last test point; grows
        self.done = []

    def feed(self, line, now=0.0):
        match = LINE.fullmatch(line.rstrip())
        if not match:
            self._hear(line.strip("# \t\n"))
            return
        prefix = match["prefix"]
        if (match["version"] or match["plan"]) and "#" not in prefix:
            self.mark = now     # a guest has booted, bats has found its tests
        if match["bail"]:
            self.done.append(failure(match["bail"]))
        elif match["program"]:
            self.program = prefix
        elif match["version"]:
            if "#" in prefix and prefix != self.program:
                return
            self._close(lambda d: len(d.prefix) >= len(prefix))
            self.open.append(Document(prefix))
        elif document := self._at(prefix):
            if match["plan"]:
                if document.plan is not None:
                    document.results.append(failure("wrong plan", "a second one"))
                document.plan, document.skipped = int(match["plan"]), match["all"]
            else:
                self._close(lambda d: len(d.prefix) > len(prefix))
                self.behind = list(self.before)
                self.before.clear()
                seconds = float(match["ms"]) / 1000 if match["ms"] else now - self.mark
                self.mark = now
                document.point(match, self.behind, seconds)
                if "#" not in prefix:
                    self.program = None

    def end(self, status=0, cut=""):
        """All results. `status` is the exit status of the program that printed the lines. `cut`
        says why somebody ended it before its time. What is missing then is one result, CUT, as it
        is where no test ran at all."""
        for document in self.open if cut else []:
            document.cut = True
        if not cut and not self.open and not self.done:
            self.done.append(failure("no plan", "no TAP at all"))
        self._close(lambda d: True)
        if cut:
            self.done.append(Result(CUT, ("all the rest",), cut))
        elif status and all(r.state != FAILED for r in self.done):
            self.done.append(failure("exit status", f"{status}, though no test failed"))
        elif all(r.state == SKIPPED for r in self.done):
            self.done.append(Result(CUT, ("all",), "no test ran"))
        return self.done

    def _hear(self, words):
        """Keep a line for the previous test and for the next one. The kernel's harness says
        when the next one begins."""
        if words.startswith("RUN  "):
            self.before.clear()
            self.behind = []
        elif words and not words.startswith("OK  "):
            self.before.append(words)
            if len(self.behind) < 2 * SAID:
                self.behind.append(words)

    def _at(self, prefix):
        """The open document of this level. In comments, only the version line of a
        kselftest program opens one: other diagnostics that look like TAP are not TAP."""
        for document in self.open:
            if document.prefix == prefix:
                return document
        if "#" in prefix:
            return None
        self.open.append(Document(prefix))
        return self.open[-1]

    def _close(self, which):
        while self.open and which(self.open[-1]):
            results = self.open.pop().close()
            (self.open[-1].inner if self.open else self.done).extend(results)


def counts(results):
    """`N passed, N failed, N skipped`, behind `CUT: ` where something did not run."""
    number = Counter(r.state for r in results)
    return ("CUT: " if number[CUT] else "") + ", ".join(
        f"{number[state]} {state}" for state in STATES)


def main():
    """A filter: TAP in, counts out."""
    reader = Reader()
    for line in sys.stdin:
        reader.feed(line)
    print(counts(reader.end()))


if __name__ == "__main__":
    main()
