# SPDX-License-Identifier: GPL-2.0-only
"""Records of a simulated machine say so. tools/guest describes the machine, in JSON, to the
programs in its guest by MEMCACHE_SIMULATED."""

import os


def description() -> str:
    """The description of this machine; empty if it is real."""
    return os.environ.get("MEMCACHE_SIMULATED", "")


def with_mark(records: str) -> str:
    """These records, with a description of the simulated machine added to the first; as they are
    on a real machine. Their numbers stay as they were written."""
    about = description()
    first, newline, rest = records.partition("\n")
    if not about or not first.endswith("}"):
        return records
    return f'{first[:-1]},"simulated":{about}}}{newline}{rest}'
