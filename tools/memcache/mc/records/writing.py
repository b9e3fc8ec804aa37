# SPDX-License-Identifier: GPL-2.0-only
"""The only functions that open what is written. None follows a link of another user: it could
lead to any file that this user may write. What a path leads through is looked at when it is open,
so that the owner of a directory can't put something else in its place."""

import errno
import io
import os
import stat
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from mc import Failure
from mc.status import WRONG

ROOT = 0
LINKS = 40      # the most that are followed for a name, as in Linux


@dataclass(frozen=True)
class Place:
    """Where a path ends: an open directory, the name there, and what has this name, open, too. That
    is None if nothing has it, and a link only if it is another user's."""
    folder: int
    name: str
    file: int | None

    @property
    def mode(self) -> int:
        return 0 if self.file is None else os.fstat(self.file).st_mode


def write(path: str, data: bytes) -> None:
    """Write a file under a temporary name and rename it when it is complete. A path that exists
    and is not a regular file, such as /dev/null or a pipe, is written to directly. `-` is
    standard output."""
    if path == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    try:
        with ExitStack() as held:
            place = find(path, held)
            if place.file is None or stat.S_ISREG(place.mode) or stat.S_ISLNK(place.mode):
                _replace_file(place, data)
            elif not _is_own(os.fstat(place.file)):
                raise PermissionError(errno.EPERM, "belongs to another user")
            else:
                file = os.open(f"/proc/self/fd/{place.file}", os.O_WRONLY | os.O_NOCTTY)
                with open(file, "wb") as device:
                    device.write(data)
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}", WRONG) from None


def create(path: str) -> tuple[io.FileIO, os.stat_result]:
    """Create a file, which must not exist yet, not even as a link; and the status of its
    directory."""
    with ExitStack() as held:
        place = find(path, held, last=False)
        file = os.open(place.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=place.folder)
        owner = os.fstat(place.folder)
    return open(file, "wb", buffering=0), owner


def _is_own(status: os.stat_result) -> bool:
    return status.st_uid in (ROOT, os.geteuid())


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


def find(path: str, held: ExitStack, last: bool = True) -> Place:
    """Where a path ends, through links of this user and of root, as the last part only with `last`.
    `held` closes the files."""
    def hold(name: str, folder: int | None, flags: int = os.O_NOFOLLOW) -> int:
        file = os.open(name, os.O_PATH | flags, dir_fd=folder)
        held.callback(os.close, file)
        return file

    folder, links = hold("/" if path.startswith("/") else ".", None), 0
    while links < LINKS:
        name, _, path = path.lstrip("/").partition("/")
        path = path.lstrip("/")
        try:
            file = hold(name or ".", folder)
        except FileNotFoundError:
            if path or not name:
                raise
            return Place(folder, name, None)
        status = os.fstat(file)
        link = stat.S_ISLNK(status.st_mode)
        if not path and (not link or not last or not _is_own(status)):
            return Place(folder, name, file)
        if not link:
            folder = file
        elif not _is_own(status):
            raise PermissionError(errno.EPERM, f"{name} is a link of another user")
        else:
            links, text = links + 1, os.readlink("", dir_fd=file)
            # What /proc has for a pipe is no path, and nobody can change it.
            if not path and ":[" in text and status.st_dev == os.stat("/proc/self").st_dev:
                return Place(folder, name, hold(name, folder, 0))
            path = os.path.join(text, path) if path else text
            folder = hold("/", None) if path.startswith("/") else folder
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _replace_file(place: Place, data: bytes) -> None:
    """Put a file with this data in the place of what has the name, beside which it is made."""
    new = f".memcache-{os.getpid()}-{os.urandom(8).hex()}"
    file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600,
                   dir_fd=place.folder)
    try:
        with open(file, "wb") as temporary:
            temporary.write(data)
            temporary.flush()
            os.fsync(file)
            os.fchmod(file, _mode_of(place))
        os.replace(new, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
    except OSError:
        os.unlink(new, dir_fd=place.folder)
        raise


def _mode_of(place: Place) -> int:
    """The permissions of a file that is there, or those of a new one."""
    if stat.S_ISREG(place.mode) and os.fstat(place.file or 0).st_uid == os.geteuid():
        return stat.S_IMODE(place.mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
