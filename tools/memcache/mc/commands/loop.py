# SPDX-License-Identifier: GPL-2.0-only
"""`memcache loop`: build a loop of one's own, for op=own of the test bandwidth."""

import argparse
import os
import platform
from pathlib import Path

from mc import Failure, emit, say
from mc.records import loop as loops
from mc.records.loop import Loop
from mc.running import loop as building
from mc.running import module
from mc.status import DONE, FAILED, WRONG

EPILOG = """\
FILE has the instructions of one turn of the loop in the syntax of the GNU
assembler, and a few words on them:

  reads  b             arrays that a turn loads from: a, b, c, d
  writes a             arrays that it stores to: a, or a b
  turn   128           bytes of each array in a turn
  width  32            bytes of an access
  result copy          what it leaves in a: as op=copy, rmw or triad
  loop
      vmovdqa (%rsi), %ymm0
      vmovdqa 32(%rsi), %ymm1
      ...

rdi, rsi, rdx and rcx point to the turn of a, b, c and d. rax, rbx, r12 to r15
and all vector registers are free. "Loops of your own" in the manual has the
rest. The kernel executes these instructions as its own: a fault in them is a
fault of the kernel, so try them in user space and in a guest first.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the instructions, and words on them")
    parser.add_argument("-o", dest="output", metavar="DIR",
                        help="directory for the sources and what is built (default: FILE without "
                             "its suffix)")
    parser.add_argument("--where", choices=["kernel", "user", "both"], default="both",
                        help="build a module, a shared object for memcache-user, or both "
                             "(default: both)")
    parser.add_argument("--headers", metavar="DIR",
                        help="headers of the kernel that the module is for (default: those of the "
                             "running kernel)")


def command(args: argparse.Namespace) -> int:
    if platform.machine() != "x86_64":
        raise Failure(f"loops of one's own are for x86_64, and this is {platform.machine()}")
    loop = loops.load(args.file)
    directory = _directory(args)
    building.write(loop, directory)
    emit([_summary(loop), ""])
    if args.where != "kernel":
        path = building.shared_object(loop, directory)
        emit([f"user space:  memcache-user --loop {path} bandwidth op=own"])
    return DONE if args.where == "user" else _module(loop, directory, args.headers)


def _directory(args: argparse.Namespace) -> Path:
    """The directory to build in, which exists from now on."""
    directory = Path(args.output or Path(args.file).with_suffix(""))
    if directory.exists() and not directory.is_dir():
        raise Failure(f"{directory}: is a file; -o names a directory", WRONG)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"{directory}: {error.strerror}", WRONG) from None
    return directory


def _summary(loop: Loop) -> str:
    """A line on the loop: its arrays, its bytes, and how its data are verified."""
    done = [f"{word} {' '.join(arrays)}"
            for word, arrays in (("reads", loop.reads), ("writes", loop.writes)) if arrays]
    verification = f"verified as op={loop.result}" if loop.result else \
        "not verified" if loop.writes else "verified to leave a as it was"
    return f"{loop.name}: {', '.join(done)}; {loop.turn} bytes of each array and " \
           f"{loop.payload} bytes of payload a turn; {verification}"


def _module(loop: Loop, directory: Path, named: str | None) -> int:
    release = os.uname().release
    headers = Path(named or f"/lib/modules/{release}/build")
    if not (headers / "Makefile").exists():
        if named:
            raise Failure(f"{headers}: not the headers of a kernel", WRONG)
        say(f"no module is built: there are no headers of the running kernel, {release}: "
            f"{module.headers(release)}. --headers names those of another kernel; --where user "
            "builds no module")
        return FAILED
    path = building.module(loop, directory, headers)
    emit([f"kernel:      insmod {path}",
          "             echo 'bandwidth op=own' >/sys/kernel/debug/memcache/run"])
    return DONE
