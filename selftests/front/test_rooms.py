# SPDX-License-Identifier: GPL-2.0-only
"""The rooms of the front end: each file of tools/memcache/mc imports only from rooms that
its own room may use, and no files import each other in a circle."""

import ast
from collections.abc import Iterator
from pathlib import Path

import fake

MC = fake.FRONT.parent / "mc"

# Which rooms a room may use, beside itself and the files of mc/ that belong to no room.
USES = {
    "commands": ("running", "output", "analysis", "records"),
    "running": ("records",),
    "output": ("analysis", "records"),
    "analysis": ("records",),
    "records": (),
    "": (),
}


def imports(top: Path) -> dict[str, list[str]]:
    """Each module below `top`, and the modules there that it imports: `room.name`."""
    files = {_name(file.relative_to(top)): file for file in sorted(top.rglob("*.py"))}
    return {name: [found for node in ast.walk(ast.parse(file.read_text(), str(file)))
                   for found in _imported(node, files)] for name, file in files.items()}


def _name(file: Path) -> str:
    return ".".join(file.with_suffix("").parts).removesuffix("__init__").rstrip(".")


def _imported(node: ast.AST, files: dict[str, Path]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        paths = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        # A name that is imported is a module, or stands in one.
        paths = [f"{node.module}.{alias.name}" for alias in node.names]
    else:
        paths = []
    for path in paths:
        top, _, name = path.partition(".")
        if top == "mc":
            yield name if name in files else name.rpartition(".")[0]


def room(name: str) -> str:
    return name.partition(".")[0] if "." in name or name in USES else ""


def wrong(top: Path) -> list[str]:
    """A sentence for each import that runs the wrong way, and for each circle."""
    known = imports(top)
    said = [f"{name} imports {other}: {room(name) or 'mc'} may not use {room(other)}"
            for name, others in known.items() for other in others
            if room(other) not in ("", room(name), *USES.get(room(name), ()))]
    return said + [" imports ".join(circle) for circle in _circles(known)]


def _circles(known: dict[str, list[str]]) -> Iterator[list[str]]:
    done: set[str] = set()

    def follow(path: list[str]) -> Iterator[list[str]]:
        for other in known.get(path[-1], []):
            if other in path:
                yield [*path[path.index(other):], other]
            elif other not in done:
                yield from follow([*path, other])
        done.add(path[-1])

    for name in known:
        if name not in done:
            yield from follow([name])


class Rooms(fake.InDirectory):
    def test_imports_run_one_way(self):
        self.assertEqual(wrong(MC), [])

    def test_every_file_is_in_a_room(self):
        self.assertEqual({room(name) for name in imports(MC)}, set(USES))

    def made(self, **files: str) -> list[str]:
        for name, text in files.items():
            path = Path("mc", *name.split("__")).with_suffix(".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return wrong(Path("mc"))

    def test_the_wrong_way_is_seen(self):
        for text in ("from mc.output import tables", "from mc.output.tables import draw",
                     "import mc.output.tables", "def f():\n    from mc.output import tables"):
            self.assertEqual(self.made(output__tables="", records__keys=text),
                             ["records.keys imports output.tables: records may not use output"])

    def test_a_circle_is_seen(self):
        self.assertEqual(self.made(records__a="from mc.records import b",
                                   records__b="def f():\n    from mc.records.a import x"),
                         ["records.a imports records.b imports records.a"])
