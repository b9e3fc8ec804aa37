# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's side: the files of the module, which Documentation/ABI describes."""

import errno
import json
import os
import re
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from mc import Failure, errno_name, plural, say
from mc.records import keys
from mc.running import module
from mc.running.mark import with_mark
from mc.running.side import Outcome, Side

STANDARD = "/sys/kernel/debug/memcache"
PARAMETER = "/sys/module/memcache/parameters/unlisted_cache_mb"
LOCKDOWN = "/sys/kernel/security/lockdown"
RUNNING = re.compile(r"running (?P<done>\d+)/(?P<total>\d+) elapsed_s=\S+ eta_s=(?P<eta>\S+)"
                     r" pid=(?P<pid>\d+)")
NOBODY = 2 ** 32 - 1    # the login of a process that no login started
WITHOUT = "without it: --where user"


class Debugfs(Side):
    where = "kernel"

    def __init__(self, directory: str | None = None):
        self.path = Path(directory or os.environ.get("MEMCACHE_DEBUGFS") or STANDARD)
        self.source = str(self.path / "results.jsonl")
        self.remarked = False       # `mmio` checks before it takes a device, and `run` again

    def check(self) -> None:
        try:
            is_there = (self.path / "run").exists()
        except OSError as error:
            raise self._failure_for(error) from None
        if not is_there:
            raise self._failure_for(FileNotFoundError(errno.ENOENT, ""))
        from mc.version import remark_if_stale
        if not self.remarked and (text := remark_if_stale(self.machine())):
            say(f"{text}; rmmod memcache, then {module.how_to_renew()}")
        self.remarked = True

    def hold(self) -> AbstractContextManager:
        # A module with an open file can't be unloaded.
        try:
            return open(self.path / "progress", "rb")
        except OSError as error:
            raise self._failure_for(error) from None

    def tests(self) -> keys.Tests:
        try:
            return keys.parse(self._read("tests"))
        except Failure:
            return {}

    def machine(self) -> dict:
        try:
            return json.loads(with_mark(self._read("machine")))
        except (Failure, ValueError):
            return {}

    def know(self, last_cache: dict | None) -> None:
        """Tell the module of a cache that CPUs do not report, which it can't find itself."""
        if last_cache and last_cache.get("by") in ("memory_side", "search"):
            with suppress(OSError), \
                    open(os.open(PARAMETER, os.O_WRONLY), "w", encoding="ascii") as file:
                file.write(str(-(-last_cache["size_bytes"] >> 20)))

    def has_wb_only(self) -> bool:
        # In User-Mode Linux the page tables are not those of the machine.
        return self.machine().get("page_table_levels", 0) is None

    def progress(self) -> str:
        return self._read("progress").strip()

    def counters(self) -> str:
        return "".join(line for line in self._read("counters").splitlines(keepends=True)
                       if not line.startswith("#"))

    def count(self, text: str) -> None:
        error = self._write("counters", text.rstrip("\n"))
        if error:
            _, _, why = self._read("counters").partition("# not taken:")
            raise Failure(f"{self.path / 'counters'}: {why.strip() or os.strerror(error)}")

    def look(self, line: str) -> tuple[int, list[dict]]:
        """The errno of a line for `mappings`, and the records of the answer: the first one is about
        the whole."""
        error = self._write("mappings", line)
        return error, [json.loads(one) for one in self._read("mappings").splitlines()] or [{}]

    def run(self, line: str) -> Outcome:
        before = with_mark(self._read("results.jsonl"))
        error = self._write("run", line)
        records = with_mark(self._read("results.jsonl"))
        if not error:
            return Outcome(0, records=records)
        if error == errno.EBUSY:
            return Outcome(error, self._message_on_other_run())
        # A request without results leaves the results of the previous one in place.
        return Outcome(error, explanation(error, self._read("run")),
                       records if records != before else "")

    def _message_on_other_run(self) -> str:
        """A message on the run that keeps this one waiting: its process, its progress and its
        request."""
        request = re.match(r"request: (.*)", self._read("run"))
        match = RUNNING.match(self.progress())
        if not match:       # it has just begun, or ended
            return "another run is on"
        left = "" if match["eta"] == "na" else f", {match['eta']} s left"
        return f"another run is on, started by {_process_text(match['pid'])}: {match['done']} of " \
               f"{plural(int(match['total']), 'sample')}{left}: {request[1] if request else ''}"

    def _read(self, name: str) -> str:
        try:
            with open(self.path / name, encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError as error:
            raise self._failure_for(error) from None

    def _write(self, name: str, line: str) -> int:
        """Call write(2) exactly once and return its errno.

        os.write() would repeat the call after EINTR (PEP 475), so a run that
        Ctrl-C has ended would start again.
        """
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        data = os.fsencode(line) + b"\n"
        try:
            file = os.open(self.path / name, os.O_WRONLY)
        except OSError as error:
            raise self._failure_for(error) from None
        try:
            ctypes.set_errno(0)
            written = libc.write(file, data, ctypes.c_size_t(len(data)))
            return ctypes.get_errno() if written < 0 else 0
        finally:
            os.close(file)

    def _failure_for(self, error: OSError) -> Failure:
        """Why a file of the module is not available, and what to do about it."""
        mount = self.path.parent
        if isinstance(error, PermissionError):
            if os.geteuid() != 0:
                return Failure(f"{self.path} is for root only: run this with sudo; {WITHOUT}")
            return Failure(f"{self.path}: {error.strerror}: {_why_not_root()}; {WITHOUT}")
        if not isinstance(error, FileNotFoundError):
            return Failure(f"{self.path}: {error.strerror}")
        if str(self.path) == STANDARD and not module.takes_modules():
            return Failure(f"{': '.join(module.none_taken())}; {WITHOUT}")
        if str(self.path) == STANDARD and not has_debugfs():
            return Failure("this kernel has no debugfs: it lacks CONFIG_DEBUG_FS, or was booted "
                           f"with debugfs=off; {WITHOUT}")
        if str(self.path) == STANDARD and not os.path.ismount(mount):
            return Failure(f"debugfs is not mounted: {module.sudo()}mount -t debugfs debugfs "
                           f"{mount}; {WITHOUT}")
        return Failure(f"no {self.path}: the module is not loaded: {module.how_to_load()}; "
                       f"{WITHOUT}")


def _process_text(pid: str) -> str:
    """The name of a process, and the user who logged in to start it."""
    import pwd
    about = Path("/proc") / pid
    try:
        name = (about / "comm").read_text(encoding="utf-8", errors="replace").strip()
        uid = about.stat().st_uid
        with suppress(OSError):     # a kernel without audit has no such file
            login = int((about / "loginuid").read_text(encoding="ascii"))
            uid = uid if login == NOBODY else login
    except OSError:
        return f"process {pid}"
    try:
        user = pwd.getpwuid(uid).pw_name
    except KeyError:
        user = str(uid)
    return f"{name} (process {pid}, user {user})"


def has_debugfs() -> bool:
    """Whether this kernel has debugfs, so that it can be mounted."""
    try:
        return "\tdebugfs\n" in Path("/proc/filesystems").read_text(encoding="ascii")
    except OSError:
        return False


def lockdown(text: str) -> str | None:
    """The level of lockdown in the text of the file in securityfs; None if there is none."""
    match = re.search(r"\[(integrity|confidentiality)\]", text)
    return match[1] if match else None


def _why_not_root() -> str:
    """The reason why root has no access."""
    lost = "root has no CAP_SYS_ADMIN here (in a container?)"
    try:
        level = lockdown(Path(LOCKDOWN).read_text(encoding="ascii"))
    except OSError:
        return f"the kernel is locked down, or {lost}"
    return f"the kernel is locked down ({level}) and takes no request" if level else lost


def explanation(error: int, run_text: str) -> str:
    """The explanation in the file `run` if it is about this error, else the text of the errno."""
    pairs = (line.partition(": ") for line in run_text.splitlines())
    status = {key: value.strip() for key, _, value in pairs}    # request, state, error
    name, _, text = status.get("error", "").partition(" ")
    if name == errno_name(error):
        return text
    if status.get("state") == "running":
        return f"{os.strerror(error)}: {status.get('request')}"
    return os.strerror(error)
