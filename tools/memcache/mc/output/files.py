# SPDX-License-Identifier: GPL-2.0-only
"""Writing files as a whole."""

import os
import sys
import tempfile

from mc import Failure


def beside(name: str, kind: str) -> str:
    """The file of this kind beside a results file; standard output if those came from standard
    input."""
    return "-" if name == "-" else f"{os.path.splitext(name)[0]}.{kind}"


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
        raise Failure(f"{path}: {error.strerror}", 2) from None
