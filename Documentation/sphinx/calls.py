# SPDX-License-Identifier: GPL-2.0-only
"""The table of other programs' calls, tools/user/calls.def."""

import re
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).resolve().parents[2] / "tools/user/calls.def"


class Row(NamedTuple):
    """A row, as struct mc_foreign_word in tools/user/elsewhere.h."""
    of: str
    word: str
    how: str
    ours: str
    means: str = ""
    note: str = ""


def rows() -> list[Row]:
    """The rows. Those of WORD() are EXACT, of no program."""
    text = TABLE.read_text(encoding="utf-8").replace("\\\n", "")
    known = dict(re.findall(r"^#define (\w+)\s+(.*)$", text, re.M))

    def value(argument: str) -> str:
        return "".join(string or value(known[name]) if name in known or string else name
                       for string, name in re.findall(r'"([^"]*)"|(\w+)', argument))

    found = []
    for kind, body in re.findall(r"^(CALL|WORD)\(((?:[^\"()]|\"[^\"]*\")*)\)$", text, re.M):
        cells = [value(cell) for cell in re.findall(r'((?:[^,"]|"[^"]*")+)(?:,|$)', body)]
        found.append(Row(*cells) if kind == "CALL" else Row("", cells[0], "EXACT", cells[1]))
    return found


def readable(word: str) -> str:
    """The expression of a row as people write the argument, where `*` is a value."""
    word = word.replace(" ?", "").replace(".*", "").replace("[= ]", "=").replace("[.]", ".")
    group = r"(\([^()]*\)|\[[^]]*\])([?*+]|\{[^}]*\})*"
    while word != (word := re.sub(group, "*", word)):
        pass
    return re.sub(r"[0*]*\*+", "*", word)


def table(programs: list[str]) -> str:
    """The calls of these programs as a table of the manual."""
    def literal(text: str) -> str:
        short = re.sub(r"((?:\w+,){3})(?:\w+,){5,}", r"\1...,", text)     # for narrow windows
        return f"``{short}``" if text else ""

    lines = [".. csv-table::", "   :header-rows: 1", "   :widths: 20 30 50", "   :delim: |", "",
             "   call | meaning | memcache"]
    for row in rows():
        of, *test = row.of.split() or [""]
        if of not in programs:
            continue
        ours = literal(re.sub(r" ?:suite=\S+", "", row.ours).strip())
        suite = re.search(r":suite=(\S+)", row.ours)
        cells = [ours, f"the suite ``{suite[1]}``" if suite else "", row.note]
        said = "; ".join(filter(None, cells)) or "as it is"
        said = ("\\- " if row.how == "NONE" else "≈ " if row.how == "SAME" else "= ") + said
        call = literal(readable(row.word) or of) + "".join(f" of {one}" for one in test)
        lines.append(f'   {call} | {row.means} | "{said}"')
    return "\n".join(lines)
