# SPDX-License-Identifier: GPL-2.0-only
"""The command line. A command is a line of COMMANDS and a file of that name here,
which is imported only when that command was typed: every import is felt under emulation."""

import argparse
import io
import os
import sys
from importlib import import_module

from mc import Failure, say

HELP = """\
Measure memory by cache attribute, from inside the kernel.

  memcache run cache-attributes             a suite: a table, what stands out
  memcache run 'bandwidth type=wb,uc'       request lines of your own
  memcache show results/FILE.jsonl          the report of a run once more
  memcache run os-overhead                  in the kernel and in user space
  memcache compare A.jsonl B.jsonl          what differs, and what is noise
  memcache plot A.jsonl B.jsonl -o x.svg    pictures of results, overlaid
  memcache report A.jsonl B.jsonl -o x.html a page: pictures, tables, comparison
  memcache export --format csv FILE         for other programs
  memcache doctor                           can this machine measure UC?
  memcache run --counters mlc               what the memory moved, beside it
  memcache counters                         which counters of that there are
  memcache suites                           which suites there are
  memcache run --dry-run mlc                what a suite would measure here
"""

COMMANDS = {
    "run": "run suites or request lines, print the report",
    "show": "print the report of results files once more",
    "compare": "compare results: common records, and what an OS or a VM costs",
    "plot": "draw results: curves, heat maps, bars; several files overlaid",
    "report": "make a page of results: machine, pictures, tables, comparison",
    "export": "print results for other programs",
    "import": "join what pcm-memory saw to a run, by time",
    "doctor": "can this machine measure UC? what stands against it, what to do",
    "counters": "print the counters of DRAM traffic that this machine has, or set them",
    "suites": "list the suites, or what is in one",
}
FILES = {"import": "import_"}       # a word of Python can't name a module


def parser(typed: str = "") -> argparse.ArgumentParser:
    """Knows all commands by name, and what `typed` takes."""
    raw = argparse.RawDescriptionHelpFormatter
    top = argparse.ArgumentParser(prog="memcache", description=HELP, formatter_class=raw,
                                  allow_abbrev=False)
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        sub = commands.add_parser(name, help=text, description=text, formatter_class=raw,
                                  allow_abbrev=False)
        if name == typed:
            module = import_module(f"mc.commands.{FILES.get(name, name)}")
            module.arguments(sub)
            sub.epilog = getattr(module, "EPILOG", None)
            sub.set_defaults(command=module.command)
    return top


def main(argv: list[str]) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    try:
        args = parser(*argv[:1]).parse_args(argv)
        status = args.command(args)
        sys.stdout.flush()
        return status
    except Failure as failure:
        say(str(failure))
        return failure.status
    except BrokenPipeError:     # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
