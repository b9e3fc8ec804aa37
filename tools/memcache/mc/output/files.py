# SPDX-License-Identifier: GPL-2.0-only
"""Writing files as a whole."""

import errno
import os
import stat
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress

from mc import Failure
from mc.status import WRONG

ROOT = 0
LINKS = 40      # the most that are followed for a name, as in Linux


def path_beside(name: str, kind: str) -> str:
    """The file of this kind beside a results file; standard output if those came from standard
    input."""
    return "-" if name == "-" else f"{os.path.splitext(name)[0]}.{kind}"


def kind(path: str, kinds: Iterable[str]) -> str:
    """The kind of file that the end of this name asks for, which must be one of these."""
    kinds = list(kinds)
    ending = os.path.splitext(path)[1].removeprefix(".").lower()
    if ending not in kinds:
        raise Failure(f"{path}: wanted a name that ends in "
                      f"{', '.join(f'.{one}' for one in kinds if one)}", WRONG)
    return ending


def write(path: str, data: bytes) -> None:
    """Write a file under a temporary name and rename it when it is complete. A path that exists
    and is not a regular file, such as /dev/null or a pipe, is written to directly. `-` is
    standard output."""
    if path == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(os.open(path, os.O_WRONLY | os.O_NOCTTY), "wb") as file:
                file.write(data)
        else:
            _replace_file(_follow_links(path), data)
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}", WRONG) from None


def _follow_links(path: str) -> str:
    """Where a symbolic link leads that this user or root has made. The link of another user is
    not followed: it could lead to any file that this user may write."""
    for _ in range(LINKS):
        try:
            status = os.lstat(path)
        except FileNotFoundError:
            break
        if not stat.S_ISLNK(status.st_mode) or status.st_uid not in (ROOT, os.geteuid()):
            break
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    else:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return path


def _replace_file(path: str, data: bytes) -> None:
    """Put a file with this data in the place of what has the name, beside which it is made."""
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=os.path.dirname(path) or ".", prefix=".memcache-",
                                         delete=False) as file:
            temporary = file.name
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), _mode_of(path))
        os.replace(temporary, path)
    except OSError:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
        raise


def _mode_of(path: str) -> int:
    """The permissions of a file that is there, or those of a new one."""
    with suppress(FileNotFoundError):
        status = os.lstat(path)
        if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
            return stat.S_IMODE(status.st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
