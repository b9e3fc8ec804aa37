# SPDX-License-Identifier: GPL-2.0-only
"""`memcache plot`: pictures of results, each with its machine and verdict."""

import os
import tempfile

from mc import Failure, charts, draw, prices, rounds, say, verdict
from mc.charts import Side
from mc.results import Run

KINDS = (*draw.FORMATS, "html")


def command(files: list[str], output: str | None) -> int:
    output = output or f"{os.path.splitext(files[0])[0]}.svg"
    kind = os.path.splitext(output)[1].removeprefix(".").lower()
    if kind not in KINDS:
        wanted = ", ".join(f".{known}" for known in KINDS)
        raise Failure(f"{output}: wanted a name that ends in {wanted}", 2)
    loaded = load(files)
    found = charts.charts(loaded)
    if not found:
        raise Failure("nothing to draw: no curve of three points, no two figures to compare")
    if kind == "html":
        from mc import document
        write(output, document.gallery(loaded, found).encode(errors="replace"))
    else:
        write(output, draw.picture(found, captions(loaded, charts.sides(loaded)), kind))
    say(f"{output}: {len(found)} {'chart' if len(found) == 1 else 'charts'}")
    return 0


def load(files: list[str]) -> dict[str, list[Run]]:
    if len(set(files)) < len(files):
        raise Failure("a file is named twice", 2)
    return {name: rounds.load(name) for name in files}


def captions(files: dict[str, list[Run]], sides: list[Side]) -> list[str]:
    """A line for each file: its letter, its machine, its verdict."""
    found = []
    for name, runs in files.items():
        mine = [side for side in sides if side.file == name]
        letter = mine[0].name.split()[0] + ": " if len(files) > 1 and mine else ""
        found.append(letter + " ".join([f"{os.path.basename(name)}.", machine(runs[0].machine)
                                        + ".", where(mine), *verdict.sentences(
                                            verdict.judge(runs))]))
    return found


def machine(record: dict) -> str:
    return ", ".join([f"Linux {record['kernel']}", record["cpu"],
                      prices.below(record, "hypervisor ")])


def where(sides: list[Side]) -> str:
    names = {"kernel": "in the kernel", "user": "in user space"}
    return f"Measured {verdict.listed(names.get(s.where, s.where) for s in sides)}."


def write(path: str, data: bytes) -> None:
    """A whole file or none: under its name only when all of it is there."""
    folder = os.path.dirname(path) or "."
    made = None
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".memcache-", delete=False) as file:
            made = file.name
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            mask = os.umask(0)
            os.umask(mask)
            os.fchmod(file.fileno(), 0o666 & ~mask)
        os.replace(made, path)
    except OSError as error:
        if made and os.path.exists(made):
            os.unlink(made)
        raise Failure(f"{path}: {error.strerror}", 2) from None
