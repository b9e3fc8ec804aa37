# SPDX-License-Identifier: GPL-2.0-only
"""Machine records against Documentation/results.schema.json, as far as programs rely on it: the
types of all values, however deep, and the keys of what the front end itself adds. Elsewhere a key
that is missing, and one that is not known, belongs to another version of memcache, so neither is
an error. tools/check/schema checks everything, with a library that is too slow for ten thousand
files."""

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from mc.advice import TOP

SCHEMA = TOP / "Documentation/results.schema.json"
WHOLE = ("modules", "tier", "quiet")     # these have had the same keys in all versions
# A function that returns where a value is wrong, such as `nodes[0].cpus`; None: it is right.
Check = Callable[[object], str | None]

TYPES: dict[str, Callable[[object], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool)
    and abs(value) < 1 << 64,
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool)
    and abs(value) < 1e30,
    "null": lambda value: value is None,
}


def expanded(part: Any) -> Any:
    """A part of the schema in the words of JSON Schema. In a checkout, `members` are properties
    that all objects have, `optional` those that some have, and there are no others; properties that
    are alike share a line."""
    if isinstance(part, list):
        return [expanded(one) for one in part]
    if not isinstance(part, dict):
        return part
    part = {key: expanded(value) for key, value in part.items()}
    if "members" in part:
        both = [{name: value for names, value in part.pop(key, {}).items()
                 for name in names.split()} for key in ("members", "optional")]
        part = {"type": "object"} | part | {"properties": both[0] | both[1], "required": [*both[0]]}
        if "unevaluatedProperties" not in part:
            part["additionalProperties"] = False
    return part


@cache
def whole() -> dict:
    """The schema, which in a checkout lacks the parts about single tests."""
    found: dict = expanded(json.loads(SCHEMA.read_text(encoding="utf-8")))
    return found


def wrong_place(machine: dict) -> str | None:
    """Where a machine record has a value of a wrong type: `nodes[0].cpus`; None if nowhere."""
    return _check_of_name("machine")(machine)


@cache
def _check_of_name(name: str) -> Check:
    return _check_of_part(whole()["$defs"][name], name in WHOLE)


def _check_of_part(part: dict, whole: bool) -> Check:
    """A function that checks a value against this part of the schema. whole: no key that it
    requires may be missing."""
    if "$ref" in part:
        return _check_of_name(part["$ref"].rpartition("/")[2])
    checks = [*_checks_of_value(part), *_checks_of_parts(part, whole)]
    if whole and "required" in part:
        keys = part["required"]
        checks.append(lambda value: _first_wrong_place((f".{key}", "") for key in keys
                                                       if key not in value)
                      if isinstance(value, dict) else None)
    return lambda value: next((place for check in checks
                               if (place := check(value)) is not None), None)


def _checks_of_value(part: dict) -> list[Check]:
    checks: list[Check] = []
    if "type" in part:
        names = part["type"] if isinstance(part["type"], list) else [part["type"]]
        tests = [TYPES[name] for name in names]
        checks.append(lambda value: None if any(test(value) for test in tests) else "")
    if "enum" in part and not all(isinstance(word, str) or word is None for word in part["enum"]):
        numbers = part["enum"]
        checks.append(lambda value: None if value in numbers or TYPES["integer"](value) and
                      not _is_below(value, 0) else "")
    elif "enum" in part:        # newer versions may have other words
        checks.append(lambda value: None if value is None or isinstance(value, str) else "")
    if "minimum" in part:
        least = min(part["minimum"], 0)
        checks.append(lambda value: "" if TYPES["number"](value) and _is_below(value, least)
                      else None)
    if "maxItems" in part:
        most = part["maxItems"]
        checks.append(lambda value: "" if isinstance(value, list) and len(value) > most else None)
    if "pattern" in part:
        pattern = re.compile(part["pattern"])
        checks.append(lambda value: "" if isinstance(value, str) and not pattern.search(value)
                      else None)
    return checks


def _checks_of_parts(part: dict, whole: bool) -> list[Check]:
    checks: list[Check] = []
    if "oneOf" in part:
        either = [_check_of_part(one, whole) for one in part["oneOf"]]
        checks.append(lambda value: None if any(one(value) is None for one in either) else "")
    if "items" in part:
        item = _check_of_part(part["items"], whole)
        checks.append(lambda value: _first_wrong_place(
            (f"[{i}]", item(one)) for i, one in enumerate(value)) if isinstance(value, list)
            else None)
    if "properties" in part:
        checks_of = {name: _check_of_part(one, whole) for name, one in part["properties"].items()}
        checks.append(lambda value: _first_wrong_place(
            (f".{name}", checks_of[name](one)) for name, one in value.items()
            if name in checks_of) if isinstance(value, dict) else None)
    if isinstance(part.get("additionalProperties"), dict):
        other = _check_of_part(part["additionalProperties"], whole)
        checks.append(lambda value: _first_wrong_place(
            (f".{name}", other(one)) for name, one in value.items()) if isinstance(value, dict)
            else None)
    return checks


def _first_wrong_place(places: Iterable[tuple[str, str | None]]) -> str | None:
    return next((f"{name}{place}" for name, place in places if place is not None), None)


def _is_below(value: object, least: float) -> bool:
    return isinstance(value, (int, float)) and value < least
