# SPDX-License-Identifier: GPL-2.0-only
"""Files for requests to read and write, in a filesystem of their own: they can neither
fill another one nor destroy a file of another program."""

import ctypes
import os
import resource
from pathlib import Path

import module

# The path is short, so that there are few paths that are a beginning of it.
PLACE = Path("/mnt")
FILE = str(PLACE / "f")
MOST = 6                # the most readers that grammar.py draws; each may have a file
DETACH = 2


class Place:
    """FILE, FILE.0 and so on; `wrong` has paths that are no such file."""

    def __init__(self, mib):
        self.end()
        if module.LIBC.mount(b"none", bytes(PLACE), b"tmpfs", ctypes.c_ulong(0),
                             f"size={mib}m".encode()):
            raise OSError(ctypes.get_errno(), "mount")
        # A random path may lie elsewhere, so the size of files is limited there, too.
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
        """Write all files anew: a run that was stopped may have left an incomplete one."""
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
