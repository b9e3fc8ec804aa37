# SPDX-License-Identifier: GPL-2.0-only
"""The version of this program, and whether a module is of the same."""

import os

UNKNOWN = "unknown"


def version() -> str:
    """The version that is installed beside the program, or that of the sources. Finding it may
    start git."""
    here = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    try:
        with open(f"{here}/VERSION", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        pass
    import subprocess
    try:
        return subprocess.check_output([f"{here}/../version"], text=True).strip()
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN


def remark_if_stale(module: dict, which: str = "loaded") -> str:
    """A sentence if the module with this `machine` record is of another version than this
    program; empty if it is not, or if that is not known. `which` module it is becomes a word."""
    its_version = module.get("version")
    if not its_version or UNKNOWN in (its_version, own := version()) or its_version == own:
        return ""
    return f"the {which} module is of version {its_version}, and this program of version {own}"
