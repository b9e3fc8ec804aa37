# SPDX-License-Identifier: GPL-2.0-only
"""What of a request a side can measure: some values are for the kernel or for
user space only, some need the module's devices."""

import os
from collections.abc import Callable

from mc.records.keys import Key

ONLY: dict[str, dict[str, tuple[str, ...]]] = {
    "kernel": {"irq": ("off",), "page": ("direct",), "prefetch": ("off",)},
    "user": {"page": ("2m", "thp")},
}
NAMES = {"kernel": "the kernel", "user": "user space"}


def usable(device: str) -> bool:
    return os.access(device, os.R_OK | os.W_OK)


def fit(line: str, where: str, wb_only: bool = False,
        known: dict[str, Key] | None = None,
        has_device: Callable[[str], bool] = usable) -> tuple[str | None, str]:
    """The request without what this side does not have (None: nothing is left
    of it), and what that was. wb_only: that machine has no other memory; known:
    the keys of that test there, where what is not among them is to be left out;
    has_device: can that side use a device?"""
    words, lost = [], []
    for word in line.split():
        key, _, values = word.partition("=")
        kept = []
        for value in values.split(","):
            why = _missing(key, value, where, wb_only, has_device) \
                or _unknown(key, value, known)
            if why:
                lost.append(f"{key}={value} {why}")
            else:
                kept.append(value)
        if values and not kept:
            return None, "; ".join(lost)
        words.append(f"{key}={','.join(kept)}" if values else word)
    return (" ".join(words) if lost else line), "; ".join(lost)


def _missing(key: str, value: str, where: str, wb_only: bool,
             has_device: Callable[[str], bool]) -> str:
    """Why this side can't have that value."""
    for side, keys in ONLY.items():
        if side != where and value in keys.get(key, ()):
            return f"is for {NAMES[side]} only"
    if key == "type" and value in ("uc", "wc") or (key, value) == ("fence", "uc"):
        if wb_only:
            return "can't be: this machine has type=wb only"
        if where == "kernel":
            return ""
        device = f"/dev/memcache_{value}"
        if not has_device(device):
            return f"needs {device} of the loaded module"
    return ""


def _unknown(key: str, value: str, known: dict[str, Key] | None) -> str:
    """Does that side's version of the test have it?"""
    if not known or not value:
        return ""
    if key not in known:
        return "is a key that it does not have"
    choices = known[key].choices
    return "is not among what it can do" if choices and value not in choices else ""
