# SPDX-License-Identifier: GPL-2.0-only
"""Files for requests to read and write: in a filesystem of their own, so that they
can neither fill another one nor be somebody's."""

import ctypes
import os
import resource
from pathlib import Path

import module

# Short: of what is left of it when its end is cut off, there is not much either.
PLACE = Path("/mnt")
FILE = str(PLACE / "f")
MOST = 6                # readers that grammar.py draws, and so files
DETACH = 2


class Place:
    """FILE, and FILE.0 and so on; and what is no such file, in wrong."""

    def __init__(self, mib):
        self.end()
        if module.LIBC.mount(b"none", bytes(PLACE), b"tmpfs", ctypes.c_ulong(0),
                             f"size={mib}m".encode()):
            raise OSError(ctypes.get_errno(), "mount")
        # A path can be any that chance makes: no file elsewhere gets larger, either.
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (mib << 20, limit[1]))
        (PLACE / "d").mkdir()
        (PLACE / "other").write_text("of somebody else\n" * 100)
        (PLACE / "empty").touch()
        (PLACE / "link").symlink_to(FILE)
        (PLACE / "loop").symlink_to(PLACE / "loop")
        os.mkfifo(PLACE / "fifo")
        self.stays = set(PLACE.iterdir())
        self.wrong = [*map(str, self.stays), f"{PLACE}/none/f", f"{FILE}/f",
                      f"{PLACE}/loop/f", f"{PLACE}/../{FILE}", f"{FILE}/", "f", "./f", "/", "//",
                      "/dev/null", *("/" + n * "x" for n in (198, 199, 200))]
        self.restore()

    def restore(self):
        """Whole files: what was stopped while it wrote has left one that is not."""
        self.clean()
        (PLACE / "empty").write_bytes(b"")
        for more in ("", f" files=each readers={MOST}"):
            line = f"file op=write path={FILE} bytes=64K repeat=1 warmup=0{more}"
            if module.write("run", line):
                self.clean()

    def clean(self):
        for path in set(PLACE.iterdir()) - self.stays:
            path.unlink()

    @staticmethod
    def end():
        module.LIBC.umount2(bytes(PLACE), DETACH)
