# SPDX-License-Identifier: GPL-2.0-only
"""The only functions that open what is written. None follows a link of another user: it could
lead to any file that this user may write."""

import errno
import io
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from mc import Failure
from mc.status import WRONG

ROOT = 0
LINKS = 40      # the most that are followed for a name, as in Linux


def write(path: str, data: bytes) -> None:
    """Write a file under a temporary name and rename it when it is complete. A path that exists
    and is not a regular file, such as /dev/null or a pipe, is written to directly. `-` is
    standard output."""
    if path == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    try:
        path = follow_links(path)
        if os.path.exists(path) and not os.path.isfile(path) and not os.path.islink(path):
            with open(path, "wb", opener=_open_own) as file:
                file.write(data)
        else:
            _replace_file(path, data)
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}", WRONG) from None


def _open_own(path: str, flags: int) -> int:
    """Open a device or a pipe of this user or of root."""
    file = os.open(path, flags & ~(os.O_CREAT | os.O_TRUNC) | os.O_NOFOLLOW | os.O_NOCTTY)
    status = os.fstat(file)
    if stat.S_ISREG(status.st_mode) or status.st_uid not in (ROOT, os.geteuid()):
        os.close(file)
        raise PermissionError(errno.EPERM, "belongs to another user")
    return file


def create(path: str) -> io.FileIO:
    """Create a file, which must not exist yet, not even as a link."""
    return open(path, "xb", buffering=0)


def check_directory(path: str) -> None:
    """Other users must not be able to put anything into this directory, or another one into its
    place, while a compiler works in it."""
    for start in (os.path.abspath(path), os.path.realpath(path)):
        for place in (start, *map(str, Path(start).parents)):
            status = os.lstat(place)
            sticky = status.st_mode & stat.S_ISVTX and place != start
            if status.st_uid not in (ROOT, os.geteuid()) or (
                    status.st_mode & 0o002 and not stat.S_ISLNK(status.st_mode) and not sticky):
                raise Failure(f"{path}: other users can change {place}; -o names a directory "
                              "elsewhere", WRONG)


def follow_links(path: str) -> str:
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
        from tempfile import NamedTemporaryFile
        with NamedTemporaryFile(dir=os.path.dirname(path) or ".", prefix=".memcache-",
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
