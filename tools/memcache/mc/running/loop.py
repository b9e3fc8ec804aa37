# SPDX-License-Identifier: GPL-2.0-only
"""Building a loop of one's own: a shared object for memcache-user, and a module for a kernel."""

import os
import re
import shlex
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from mc import Failure
from mc.advice import TOP
from mc.records import writing
from mc.records.loop import Loop
from mc.status import WRONG

# What the sources need, at the same paths below the directory that is built in.
SHARED = ("arch/loops.h", "arch/own.h", "arch/macros/symbols.S", "arch/x86/macros/function.S",
          "arch/x86/macros/own.S")


def _module_name(loop: Loop) -> str:
    """The name of the module, which differs from loop to loop."""
    return "memcache_own_" + re.sub(r"\W", "_", loop.short_name)


def write(loop: Loop, directory: Path) -> None:
    """Write all sources, so that they can also be built elsewhere."""
    sources = {name: (TOP / "module" / name).read_text(encoding="utf-8") for name in SHARED}
    sources["module.c"] = (TOP / "tools/loop/module.c").read_text(encoding="utf-8")
    sources["Kbuild"] = (TOP / "tools/loop/Kbuild").read_text(encoding="ascii").replace(
        "@MODULE@", _module_name(loop))
    sources["loop.S"] = loop.source()
    try:
        writing.check_directory(str(directory))
        for name, text in sources.items():
            folder = (directory / name).parent
            folder.mkdir(parents=True, exist_ok=True)
            if folder.resolve() != (directory.resolve() / name).parent:
                raise Failure(f"{folder}: is a link", WRONG)
            writing.write(str(directory / name), text.encode())
    except OSError as error:
        raise Failure(f"{error.filename}: {error.strerror}", WRONG) from None


def shared_object(loop: Loop, directory: Path) -> Path:
    """Assemble and link the loop. Nothing in the object is relocated when it is loaded."""
    path = directory / f"{loop.short_name}.so"
    compiler = shlex.split(os.environ.get("CC", "cc"))
    with TemporaryDirectory(prefix="memcache-loop-") as temporary:
        object_ = Path(temporary) / "loop.o"
        _run_command([*compiler, "-c", f"-I{directory}", str(directory / "loop.S"),
                      "-o", str(object_)], f"{loop.path}: the assembler does not take it")
        _run_command([*compiler, "-shared", "-nostdlib", str(object_), "-o", str(path),
                      "-Wl,-e,mc_own,-Bsymbolic,-z,defs,-z,text,-z,noexecstack"],
                     f"{loop.path}: the linker does not take it")
    return path


def module(loop: Loop, directory: Path, headers: Path) -> Path:
    """Build the module for the kernel with these headers."""
    if any(letter in str(directory.resolve()) for letter in " :\t"):
        raise Failure(f"{directory}: no module can be built below a path with a space or a colon",
                      WRONG)
    _run_command(["make", "-s", "-C", str(headers), f"M={directory.resolve()}",
                  "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules"],
                 f"{loop.path}: the module does not build")
    return directory / f"{_module_name(loop)}.ko"


def _run_command(command: list[str], why: str) -> None:
    """Run a command, whose messages the user sees."""
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    try:
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, check=False)
    except OSError as error:
        raise Failure(f"{command[0]}: {error.strerror}: a compiler with its assembler, and make, "
                      "are needed (apt-get install build-essential)") from None
    if done.returncode:
        raise Failure(f"{why}; the lines above say why")
