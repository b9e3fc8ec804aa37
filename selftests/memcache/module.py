# SPDX-License-Identifier: GPL-2.0-only
"""Loading the module and using its files, for the tests in Python."""

import ctypes
import errno
import os
import stat
from pathlib import Path

FILES = Path("/sys/kernel/debug/memcache")
DEVICES = Path("/dev")
# The numbers of system calls.
FINIT_MODULE, DELETE_MODULE = {"x86_64": (313, 176), "aarch64": (273, 106)}[os.uname().machine]
LIBC = ctypes.CDLL(None, use_errno=True)


class Wrong(Exception):
    """Something is wrong."""


def must(condition, *what):
    if not condition:
        raise Wrong(" ".join(map(str, what)))


def failed(result):
    """The result of a call of libc: 0, or the errno."""
    return ctypes.get_errno() if result < 0 else 0


def name_of(error):
    """The name of an errno as the module writes it. Python also has another name for
    EOPNOTSUPP."""
    names = errno.errorcode | {errno.EOPNOTSUPP: "EOPNOTSUPP", 0: "0"}
    return names.get(error, str(error))


def path(variable="MEMCACHE_KO", name="memcache"):
    """The file of a kernel module: what the variable names, or what lies in test_modules/
    beside this file, where kselftest builds and installs it. None if there is neither."""
    beside = Path(__file__).resolve().parent / "test_modules" / f"{name}.ko"
    return os.environ.get(variable) or (str(beside) if beside.exists() else None)


def load(parameters="", file=None):
    """Load a kernel module, memcache by default; return the errno."""
    fd = os.open(file or path(), os.O_RDONLY | os.O_CLOEXEC)
    try:
        return failed(LIBC.syscall(FINIT_MODULE, fd, parameters.encode(), 0))
    finally:
        os.close(fd)


def unload(name="memcache"):
    return failed(LIBC.syscall(DELETE_MODULE, name.encode(), os.O_NONBLOCK))


def read(name):
    return FILES.joinpath(name).read_text(encoding="ascii")


def status():
    """The file `run`: the request, the state, and the error if there was one."""
    pairs = (line.partition(": ") for line in read("run").splitlines())
    return {key: value for key, _, value in pairs}


def write(name, data):
    """Write all of it with one write(2); return the errno. (os.write() repeats after EINTR.)"""
    data = data.encode() if isinstance(data, str) else data
    fd = os.open(FILES / name, os.O_WRONLY | os.O_CLOEXEC)
    try:
        return failed(LIBC.write(fd, data, ctypes.c_size_t(len(data))))
    finally:
        os.close(fd)


def refusal(line):
    """The key that a request is refused for; empty if it is taken."""
    return status()["error"].split()[1].rstrip(":") if write("run", line) else ""


def with_mode(bit):
    """Names of the files whose mode gives the owner this permission."""
    return sorted(path.name for path in FILES.iterdir() if path.stat().st_mode & bit)


def writable():
    return with_mode(stat.S_IWUSR)


def readable():
    return with_mode(stat.S_IRUSR)


def threads():
    """The threads of the module that exist now."""
    found = 0
    for task in os.listdir("/proc"):
        if task.isdigit():
            try:
                found += Path("/proc", task, "comm").read_text().startswith("memcache/")
            except OSError:         # it has just ended
                pass
    return found
