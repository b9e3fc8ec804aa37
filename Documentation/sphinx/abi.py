# SPDX-License-Identifier: GPL-2.0-only
"""Files in the format of the kernel's Documentation/ABI/README."""

import re
import textwrap
from pathlib import Path

FIELDS = ["What", "Date", "KernelVersion", "Contact", "Description", "Users"]
FIELD = re.compile(r"([A-Z]\w*):(?:[ \t]+(.*))?$")


def parse(path: Path, text: str | None = None) -> list[dict[str, str]]:
    """The fields of each entry of a file, or of this text instead; ValueError when a line belongs
    to none."""
    entries: list[dict[str, list[str]]] = []
    lines: list[str] = []
    for number, line in enumerate((text or path.read_text()).splitlines(), 1):
        if match := FIELD.match(line):
            if match[1] == "What":
                entries.append({})
            if not entries or match[1] in entries[-1]:
                raise ValueError(f"{path}:{number}: {match[1]}: twice, or before any What:")
            lines = entries[-1][match[1]] = [match[2] or ""]
        elif line.startswith(("\t", " ")) and entries or not line:
            lines.append(line)
        elif not line.startswith("#"):
            raise ValueError(f"{path}:{number}: neither a field nor indented")
    return [{name: _text(lines) for name, lines in entry.items()} for entry in entries]


def _text(lines: list[str]) -> str:
    """The first line stands behind its field's name, the others have an indent."""
    rest = textwrap.dedent("\n".join(lines[1:]).expandtabs())
    return f"{lines[0]}\n{rest}".strip()
