# SPDX-License-Identifier: GPL-2.0-only
"""Reading files that anybody may have written. What is read has a bounded size, and whatever is
wrong with a file is a Failure that names it."""

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from mc import Failure, quoted
from mc.status import WRONG

MOST = 256 << 20    # bytes of a file
ALIKE = 2 << 30     # bytes of results that are alike, as of all pairs of hundreds of CPUs
TEXT = 8192         # letters of a text: a request with all its values has no more
LINE = 1 << 20      # bytes of a line: ten times the longest, which has a distribution


def failure(where: str, error: Exception) -> Failure:
    """The error of a file. Nobody can list all errors that the contents of a file may lead to, so
    each is one of the file."""
    if isinstance(error, Failure):
        return error
    if isinstance(error, OSError):
        more = f"; name files in it, such as {where.rstrip('/')}/*.jsonl" \
            if isinstance(error, IsADirectoryError) else ""
        return Failure(f"{where}: {error.strerror}{more}", WRONG)
    if isinstance(error, UnicodeError):
        return Failure(f"{where}: not text", WRONG)
    if isinstance(error, ValueError):
        return Failure(f"{where}: {error}", WRONG)
    return Failure(f"{where}: can't be used: {type(error).__name__}: {quoted(error)}", WRONG)


@contextmanager
def of(name: str) -> Iterator[None]:
    """What fails in this block is what the file of this name has."""
    try:
        yield
    except Exception as error:
        raise failure(name, error) from None


def bounded(lines: Iterable[bytes], most: int = 0) -> Iterator[bytes]:
    """These lines, which together may have as many bytes as a file may have, or `most`."""
    left = most = most or MOST
    for line in lines:
        left -= len(line)
        if left < 0:
            raise ValueError(f"more than {most >> 20} MiB")
        yield line


@contextmanager
def _open(path: str) -> Iterator[BinaryIO]:
    """Open a file; `-` is standard input. The mark that editors of Windows write before UTF-8 is
    no part of it."""
    with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
        if file.peek(len(BOM_UTF8)).startswith(BOM_UTF8):
            file.read(len(BOM_UTF8))
        yield file


def lines(path: str, most: int = 0) -> Iterator[bytes]:
    """The lines of a file of `most` bytes, or of MOST."""
    with _open(path) as file:
        for line in bounded(iter(lambda: file.readline(LINE + 1), b""), most):
            if len(line) > LINE:
                raise ValueError(f"a line of more than {LINE >> 20} MiB")
            yield line


def text(path: str, encoding: str = "utf-8", errors: str = "strict") -> str:
    """The text of a file. One that begins as UTF-16, as PowerShell writes it, is that."""
    with of(path), _open(path) as file:
        data = file.read(MOST + 1)
        if len(data) > MOST:
            raise ValueError(f"more than {MOST >> 20} MiB")
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            encoding = "utf-16"
        return data.decode(encoding, errors)
