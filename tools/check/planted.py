# SPDX-License-Identifier: GPL-2.0-only
"""A copy of the sources, in which mistakes are planted."""

import subprocess
from collections.abc import Iterable
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent


def copy_sources(where: Path, folders: Iterable[str]) -> None:
    """Make the copy as these folders of the checkout are; "": all of it. What has not changed
    keeps its time, for make."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard",
                            *filter(None, folders)],
                           cwd=TOP, check=True, stdout=subprocess.PIPE, text=True).stdout
    for name in filter(None, names.split("\0")):
        source, target = TOP / name, where / name
        if source.is_file() and not (target.is_file() and
                                     target.read_bytes() == source.read_bytes()):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            target.chmod(source.stat().st_mode)
