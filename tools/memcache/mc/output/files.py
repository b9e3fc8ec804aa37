# SPDX-License-Identifier: GPL-2.0-only
"""Writing files as a whole."""

import os
import sys
import tempfile
from collections.abc import Iterable

from mc import Failure
from mc.status import WRONG


def beside(name: str, kind: str) -> str:
    """The file of this kind beside a results file; standard output if those came from standard
    input."""
    return "-" if name == "-" else f"{os.path.splitext(name)[0]}.{kind}"


def kind(path: str, kinds: Iterable[str]) -> str:
    """The kind of file that the end of this name asks for, which must be one of these."""
    kinds = list(kinds)
    found = os.path.splitext(path)[1].removeprefix(".").lower()
    if found not in kinds:
        raise Failure(f"{path}: wanted a name that ends in "
                      f"{', '.join(f'.{known}' for known in kinds if known)}", WRONG)
    return found


def write(path: str, data: bytes) -> None:
    """Write a file under a temporary name and rename it when it is complete. A path that exists
    and is not a regular file, such as /dev/null or a pipe, is written to directly. `-` is
    standard output."""
    if path == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    path = os.path.realpath(path)
    made = None
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as there:
                there.write(data)
            return
        folder = os.path.dirname(path)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".memcache-", delete=False) as file:
            made = file.name
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            mask = os.umask(0)
            os.umask(mask)
            os.fchmod(file.fileno(), 0o666 & ~mask)
        os.replace(made, path)
    except OSError as error:
        if made and os.path.exists(made):
            os.unlink(made)
        raise Failure(f"{path}: {error.strerror}", WRONG) from None
