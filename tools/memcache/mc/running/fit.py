# SPDX-License-Identifier: GPL-2.0-only
"""The part of a request that a side can measure. Some values are for the kernel only, some
for user space only, and some need the devices of the module."""

import os
import re
from collections.abc import Callable

from mc.records import tests
from mc.records.keys import Key

KERNELS = tuple(one["name"] for one in tests.OPERATIONS if one.get("kernels"))  # functions
ONLY: dict[str, dict[str, tuple[str, ...]]] = {
    "kernel": {"irq": ("off",), "page": ("direct",), "prefetch": ("off",),
               "op": KERNELS, "store": KERNELS},
    "user": {"page": ("2m", "thp")},
}
NAMES = {"kernel": "the kernel", "user": "user space"}


def is_usable(device: str) -> bool:
    return os.access(device, os.R_OK | os.W_OK)


def fit(line: str, where: str, wb_only: bool = False,
        keys: dict[str, Key] | None = None,
        has_device: Callable[[str], bool] = is_usable) -> tuple[str | None, str]:
    """The request without the values that this side can't measure (None if nothing is left),
    and the reasons.

    wb_only: the machine has no memory of another type
    keys: the keys of the test on that side; keys and values that are not among them are
           left out (None: nothing is known)
    has_device: whether that side can use a device
    """
    words, lost = [], []
    if re.search(r"\btarget=(?!ram\b)", line):
        has_device = bool       # memory of a target comes from no device of the module
    for word in line.split():
        key, _, values = word.partition("=")
        kept = []
        for value in values.split(","):
            why = _why_not_here(key, value, where, wb_only, has_device) \
                or _why_not_taken(key, value, keys)
            if why:
                lost.append(f"{key}={value} {why}")
            else:
                kept.append(value)
        if values and not kept:
            return None, "; ".join(lost)
        words.append(f"{key}={','.join(kept)}" if values else word)
    return (" ".join(words) if lost else line), "; ".join(lost)


def _why_not_here(key: str, value: str, where: str, wb_only: bool,
                  has_device: Callable[[str], bool]) -> str:
    """Why this side can't measure that value; empty if it can."""
    for side, keys in ONLY.items():
        if side != where and value in keys.get(key, ()):
            return f"is for {NAMES[side]} only"
    if key == "type" and value in ("uc", "wc") or (key, value) == ("fence", "uc"):
        if wb_only:
            return "is impossible: this machine has type=wb only"
        if where == "kernel":
            return ""
        device = f"/dev/memcache_{value}"
        if not has_device(device):
            return f"needs {device} of the loaded module"
    return ""


def _why_not_taken(key: str, value: str, keys: dict[str, Key] | None) -> str:
    """Why the test on that side does not take this value; empty if it does."""
    if not keys or not value:
        return ""
    if key not in keys:
        return "is impossible: the test has no such key there"
    choices = keys[key].choices
    return "is not a value that it can measure" if choices and value not in choices else ""
