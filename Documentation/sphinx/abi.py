# SPDX-License-Identifier: GPL-2.0-only
"""Files in the format of the kernel's Documentation/ABI/README."""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

FIELDS = ["What", "Date", "KernelVersion", "Contact", "Description", "Users"]
FIELD = re.compile(r"([A-Z]\w*):(?:[ \t]+(.*))?$")


@dataclass(frozen=True)
class Entry:
    """What an ABI file says about one interface: (field, text) in its order."""
    fields: tuple[tuple[str, str], ...]

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.fields]

    def __getitem__(self, wanted: str) -> str:
        return next(text for name, text in self.fields if name == wanted)


def parse(path: Path, text: str | None = None) -> list[Entry]:
    """The entries of a file, or of this text instead; ValueError when a line belongs to none."""
    entries: list[list[tuple[str, list[str]]]] = []
    for number, line in enumerate((text or path.read_text()).splitlines(), 1):
        match = FIELD.match(line)
        if match:
            if match[1] == "What":
                entries.append([])
            if not entries:
                raise ValueError(f"{path}:{number}: {match[1]}: before any What:")
            entries[-1].append((match[1], [match[2] or ""]))
        elif line.startswith(("\t", " ")) and entries or not line:
            if entries:
                entries[-1][-1][1].append(line)
        elif not line.startswith("#"):
            raise ValueError(f"{path}:{number}: neither a field nor indented")
    return [Entry(tuple((name, _text(lines)) for name, lines in entry)) for entry in entries]


def _text(lines: list[str]) -> str:
    """The first line stands behind its field's name, the others have an indent."""
    rest = textwrap.dedent("\n".join(lines[1:]).expandtabs())
    return f"{lines[0]}\n{rest}".strip()
