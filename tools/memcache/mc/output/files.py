# SPDX-License-Identifier: GPL-2.0-only
"""The names of files that are written."""

import os
from collections.abc import Iterable

from mc import Failure
from mc.records.writing import write  # noqa: F401 (a part of this module)
from mc.status import WRONG


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
