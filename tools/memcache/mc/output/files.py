# SPDX-License-Identifier: GPL-2.0-only
"""Writing files as a whole."""

import os
import tempfile

from mc import Failure


def write(path: str, data: bytes) -> None:
    """Write a file under a temporary name and rename it when it is complete."""
    folder = os.path.dirname(path) or "."
    made = None
    try:
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
