# SPDX-License-Identifier: GPL-2.0-only
"""What memcache promises from 1.0 on (Documentation/stability.rst): Documentation/stable.txt, of
which all follows from the sources. tools/describe writes and compares it."""

import hashlib
import re
import sys
import textwrap
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP / "tools/memcache"))
from mc import status  # noqa: E402
from mc.commands import cli  # noqa: E402
from mc.output import export  # noqa: E402
from mc.records import fields  # noqa: E402
from mc.records.results import Run  # noqa: E402

FILE, PAGE = "Documentation/stable.txt", "Documentation/stability.rst"
OBJECT, USER = "tools/memory/memcache_memory.h", "tools/user/object.c"
CONTROL, RUN = "module/kernel/control.c", "module/kernel/run.c"
# In two strings: reuse would take one for the licence of this file.
HEAD = "# SPDX-License-" "Identifier: GPL-2.0-only\n" \
    "# What memcache promises: see stability.rst. `make describe` writes it.\n"
# The numbers by which programs tell promises apart: where each is in the sources.
NUMBERS = {"schema": ("module/core/record.h", "MC_SCHEMA"),
           "abi": ("module/core/record.h", "MC_ABI"), "memory": (OBJECT, "MEMCACHE_MEMORY_ABI")}
QUESTIONS = ("normal", "expected", "is-this-normal")
JSON = {str: "string", int: "integer", type(None): "null"}
Promise = dict[str, dict[str, None]]    # of each section, its words in their order


def found(pattern: str, name: str) -> list:
    """What the pattern finds in a file of the sources, at least once."""
    matches = re.findall(pattern, (TOP / name).read_text(encoding="utf-8"), re.M)
    if not matches:
        sys.exit(f"tools/stable.py: nothing in {name} looks like {pattern}: teach me the new form")
    return matches


def kind(part: dict) -> str:
    """The types that a part of the schema allows, in one word."""
    if "$ref" in part:
        return part["$ref"].rpartition("/")[2]
    if "oneOf" in part and "type" not in part:
        return "|".join(sorted({one for other in part["oneOf"] for one in kind(other).split("|")}))
    values = [part["const"]] if "const" in part else part.get("enum", [])
    types = {JSON[type(value)] for value in values} or part["type"]
    return types if isinstance(types, str) else "|".join(sorted(types))


def enumerated(part: dict) -> Iterator[str]:
    """The words that a part of the schema allows."""
    yield from (word for word in part.get("enum", ()) if isinstance(word, str))
    for inner in (*part.get("oneOf", ()), part.get("items")):
        yield from enumerated(inner) if isinstance(inner, dict) else ()


def members(part: dict, before: str = "") -> Iterator[tuple[str, str]]:
    """The types of the keys of an object of the schema and of those in it, and their names, and
    each key and its words. Keys that may be missing have a `?`."""
    for name, inner in part.get("properties", {}).items():
        optional = "" if name in part.get("required", ()) else "?"
        yield kind(inner), f"{before}{name}{optional}"
        yield from ((f"{before}{name}", word) for word in enumerated(inner))
        yield from members(inner.get("items", inner), f"{before}{name}.")


def made_up(part: dict) -> dict[str, int | str]:
    """A value for each number and each word of a record."""
    return {name.rstrip("?"): "x" if "string" in types else 1 for types, name in members(part)
            if {"number", "integer", "string"} & {*types.split("|")}}


def values(key: dict) -> Iterator[str]:
    """The kind of values that a key of a request takes, its words and its limits."""
    yield f"{key['name']}:{key['kind']}"
    yield from (f"{key['name']}={word}" for word in key.get("words", []))
    if "max" in key:
        yield f"{key['name']}={key.get('min', 0)}..{key['max']}"


def metrics(tests: list[str], schema: dict) -> Iterator[tuple[str, str]]:
    """What the exports call the figures and labels of made-up results of these tests."""
    parts = schema["$defs"]
    for test in tests:
        result = {"record": "result", "test": test, "where": "kernel", "type": "wb"} | {
            name: 1 for name in made_up(parts["result"]) if name in fields.FACTS + fields.TRAFFIC
            } | {"effective": "yes", "verified": "ok"} | made_up(parts.get(test, {})) | (
                fields.LATER if test == tests[0] else {})
        run = Run(dict.fromkeys(export.MACHINE, "x"), {"line": test}, [result])
        named = Run(run.machine | {"simulated": {"qemu": "x"}}, dict.fromkeys(
            ("line", "file", "suite", "section", "label"), test), [result, result])
        for name, labels in re.findall(r"^(memcache_\w+?)(?: |\{(.*)\})",
                                       export.prometheus([named]), re.M):
            before, own, rest = name.partition(f"memcache_{test}_")
            yield ("metrics memcache_TEST_*", rest) if own else ("metrics", before)
            if name.endswith("_info"):
                yield from ((f"labels of {name}", label)
                            for label in re.findall(r'(\w+)="', labels))
        if test == tests[0]:
            run.results = [{name: result[name] for name in
                            ("test", "where", "type", "op", "width_bytes", "median_ns")}]
            yield "names", f"lkp={next(export.labelled_figures([run], False)).path('.')}"
            yield "names", "kcidb=" + re.findall('"path": "(.*)"', export.kcidb([run]))[0]
            yield "names", "lava=" + re.findall("ID=([^ ]*)", export.lava([run]))[0]


@lru_cache
def options() -> list[str]:
    """Those of each command."""
    return [f"{name}={option}" for name in cli.COMMANDS
            for option in cli.by_option(cli.actions(name)) if option != "-h"]


def pairs(described: dict, schema: dict, experimental: set[str]) -> Iterator[tuple[str, str]]:
    """Each section and each word in it; metrics of all but these tests."""
    tests = [test["name"] for test in described["tests"]]
    for section, words in (
            ("numbers", [f"{name}={number(*where)}" for name, where in NUMBERS.items()]),
            ("files", map("=".join, found(r'^\t\{ "([\w.]+)", (0\d{3}), ', CONTROL))),
            ("lines of run", found(r'mc_textf\(t, "(?:\\n)?(\w+:) ', RUN)),
            ("states", found(r'\.state = "(\w+)"', RUN) + schema["$defs"]["request"][
                "properties"]["state"]["enum"]),
            ("errors", found(r'ERRNO\((E\w+)\)', RUN)),
            ("words of progress", found(r"[ \"](\w+=)[%\"]", RUN)),
            ("words of buffers", found(r"[ \"](\w+=)[%\"]", "module/kernel/buffers.c")),
            ("words of counters", found(r'\{ "(\w+)", offsetof', "module/core/counter.c")),
            ("parameters", found(r"^module_param(?:_named)?\((\w+)", "module/kernel/main.c")),
            ("tests", tests),
            ("commands", [*cli.COMMANDS, *(word for word in QUESTIONS if
                                           cli.as_question([word])[0] == "reference"),
                          *cli.WORDS]),
            ("options", options()),
            ("options of memcache-user", found(r'^\t"  (?:-\w, )?(--[\w-]+)', "tools/user/main.c")),
            ("exit statuses", [f"{name}={value}" for name, value in vars(status).items()
                               if name.isupper() and isinstance(value, int)])):
        yield from ((section, word) for word in words)
    for test in {"name": "every test", "keys": described["keys"]}, *described["tests"]:
        yield from ((f"keys of {test['name']}", word) for key in test["keys"]
                    for word in values(key))
    # The words of a request's keys are promised above.
    asked = {test["name"]: {key["name"] for key in test["keys"]}
             for test in ({**described, "name": "result"}, *described["tests"])}
    for name, part in schema["$defs"].items():
        yield from ((f"record {name}", "=".join(one)) for one in sorted(members(part))
                    if one[0].removesuffix("_bytes") not in asked.get(name, set())
                    and one[0] not in ("test", "group_op"))
    yield from metrics([test for test in tests if test not in experimental], schema)
    text = re.sub(r"/\*.*?\*/", "", (TOP / OBJECT).read_text(encoding="utf-8"), flags=re.S)
    yield "shared object", hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:16]
    yield "shared object", found(r'mc_user_load\(name, "(\w+)"', USER)[0]


def number(name: str, macro: str) -> int:
    return int(found(rf"^#define {macro}\s+(\d+)", name)[0])


def promised(described: dict, schema: dict) -> Promise:
    """All that is promised: what there is, but for what the manual calls experimental."""
    page = (TOP / PAGE).read_text(encoding="utf-8").replace("\n  ", " ")
    excepted = [name for line in re.findall(r"^\* (``.+?``): ", page, re.M)
                for section, words in map(words_of, line[2:-2].split("``, ``"))
                for name in ([f"{section}: {word}" for word in words] or [section])]
    unseen = {re.sub("^test ", "tests: ", name) for name in excepted}
    tests = {name.removeprefix("tests: ") for name in unseen}
    excepted += [name for test in tests
                 for name in (f"keys of {test}", f"record {test}", f"tests: {test}")]
    promise: Promise = {}
    for section, word in pairs(described, schema, tests):
        names = {section, f"{section}: {word}", *(
            f"{section}: {part}" for part in re.split("[=:?]", word))}
        unseen -= names
        if not names & {*excepted}:
            promise.setdefault(section, {})[word] = None
    if unseen:
        sys.exit(f"{PAGE}: nothing is called {', '.join(sorted(unseen))}")
    return promise


def text(promise: Promise) -> str:
    """A line for each section. Words that begin alike, such as op=read op=write, do so once."""
    return HEAD + "".join(textwrap.fill(
        f"{section}: " + re.sub(r"(?<= )(\S+=)\S+(?: \1\S+)+", lambda alike: alike[0].replace(
            f" {alike[1]}", " ="), " ".join(["", *words]))[1:], 100, subsequent_indent="  ",
        break_long_words=False, break_on_hyphens=False) + "\n"
        for section, words in promise.items())


def words_of(line: str) -> tuple[str, list[str]]:
    """The section of a line, and its words: those of `op=read =write` are op=read and op=write."""
    section, _, rest = line.partition(": ")
    words, key = [], ""
    for word in rest.split():
        key = key if word.startswith("=") else word.partition("=")[0]
        words.append(key * word.startswith("=") + word)
    return section, words


def read() -> Promise:
    """What was promised last."""
    lines = (TOP / FILE).read_text(encoding="utf-8").replace("\n  ", " ").splitlines()
    return {section: dict.fromkeys(words) for section, words in map(words_of, lines)
            if not section.startswith("#")}


def broken(old: Promise, new: Promise) -> Iterator[str]:
    """A sentence for each promise that the sources no longer keep under its old number."""
    numbers = [{name: int(value) for name, value in (word.split("=") for word in one["numbers"])}
               for one in (old, new)]
    for section, words in old.items():
        name = "schema" if section.startswith("record ") else \
            "memory" if section == "shared object" else "abi"
        if section == "numbers":
            yield from (f"{FILE}: numbers: {one}={old_one}: now it is lower"
                        for one, old_one in numbers[0].items() if numbers[1][one] < old_one)
            continue
        if numbers[1][name] > numbers[0][name]:
            continue
        if gone := [word for word in words if not is_kept(word, new.get(section, {}))]:
            where, macro = NUMBERS[name]
            yield f"{FILE}: {section}: {' '.join(gone)}: gone, or now another: that takes a " \
                  f"higher {macro} in {where}"


def is_kept(word: str, words: dict[str, None]) -> bool:
    """Whether the word is there still; limits may be wider, and a key may be in each record."""
    name, _, limits = word.partition("=")
    if ".." not in limits:
        return word in words or word.rstrip("?") in words
    low, high = map(float, limits.split(".."))
    return any(float(least) <= low and float(most) >= high for least, most in (
        other.partition("=")[2].split("..") for other in words
        if other.startswith(f"{name}=") and ".." in other))
