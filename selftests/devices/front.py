#!/usr/bin/python3 -S
# SPDX-License-Identifier: GPL-2.0-only
"""front.py: commands of the front end, each in a fork of this process, because Python and its
imports take seconds in an emulated machine. A request on stdin is words, each with a NUL behind it:
the folder, the files for stdout and stderr, and those of the command. The answer is the status."""

import os
import sys

sys.path.insert(0, f"{os.path.dirname(os.path.abspath(__file__))}/../../tools/memcache")
from mc.commands import cli, compare, mmio, run, show  # noqa: F401 (a fork imports no more)
from mc.output import report  # noqa: F401


def fork_command(words, out, err):
    """`memcache WORDS` in a child."""
    child = os.fork()
    if not child:
        for number, name in (1, out), (2, err):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
        os._exit(cli.main(words))
    return child


if __name__ == "__main__":
    while request := os.read(0, 1 << 16):
        folder, out, err, *words = request.decode().split("\0")[:-1]
        os.chdir(folder)
        status = os.waitpid(fork_command(words, out, err), 0)[1]
        print(os.waitstatus_to_exitcode(status), flush=True)
