# SPDX-License-Identifier: GPL-2.0-only
"""Machine records against Documentation/results.schema.json, as far as programs rely on it: the
types of all values, however deep, and the keys of what the front end itself adds. Elsewhere a key
that is missing, and one that is not known, belongs to another version of memcache, so neither is
an error. tools/check/schema checks everything, with a library that is too slow for ten thousand
files."""

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from mc.advice import TOP

SCHEMA = TOP / "Documentation/results.schema.json"
WHOLE = ("modules", "tier", "quiet")     # these have had the same keys in all versions
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
    return _wrong_place({"$ref": "machine"}, machine, False)


def _wrong_place(part: dict, value: Any, complete: bool) -> str | None:
    """Where a value does not fit this part of the schema; "": the value itself. complete: no key
    that it requires may be missing."""
    if "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        part, complete = whole()["$defs"][name], name in WHOLE
    if _is_wrong(part, value) or "oneOf" in part and None not in (
            _wrong_place(one, value, complete) for one in part["oneOf"]):
        return ""
    inside = []
    if isinstance(value, list) and "items" in part:
        inside = [(f"[{i}]", part["items"], one) for i, one in enumerate(value)]
    elif isinstance(value, dict):
        known, others = part.get("properties", {}), part.get("additionalProperties")
        inside = [(f".{name}", of, one) for name, one in value.items()
                  for of in (known.get(name), others) if isinstance(of, dict)]
    for name, of, one in inside:
        if (place := _wrong_place(of, one, complete)) is not None:
            return name + place
    if complete and isinstance(value, dict):
        return next((f".{key}" for key in part.get("required", ()) if key not in value), None)
    return None


def _is_wrong(part: dict, value: Any) -> bool:
    """Whether a value is wrong whatever its items and members are."""
    types, words = part.get("type", ()), part.get("enum")
    if types and not any(TYPES[name](value)
                         for name in ([types] if isinstance(types, str) else types)):
        return True
    if words and not all(isinstance(word, str) or word is None for word in words):
        return value not in words and not (TYPES["integer"](value) and value >= 0)
    if words:       # newer versions may have other words
        return value is not None and not isinstance(value, str)
    if isinstance(value, str):
        return "pattern" in part and not re.search(part["pattern"], value)
    if isinstance(value, list):
        return "maxItems" in part and len(value) > part["maxItems"]
    return "minimum" in part and TYPES["number"](value) and value < min(part["minimum"], 0)
