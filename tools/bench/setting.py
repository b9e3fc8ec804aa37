# SPDX-License-Identifier: GPL-2.0-only
"""The settings of the benchmarks, which make passes in the environment."""

import os
import sys


def positive(name, usual):
    """The whole number that a setting has, or the usual one."""
    text = os.environ.get(name) or str(usual)
    if not text.isdecimal() or int(text) < 1:
        sys.exit(f"memcache: {name}={text}: wanted a whole number from 1 on")
    return int(text)
