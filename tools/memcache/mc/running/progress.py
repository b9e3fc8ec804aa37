# SPDX-License-Identifier: GPL-2.0-only
"""The progress of a run. On a terminal it is one line that another thread updates, because
the write that measures blocks. Elsewhere it is a line, at most each minute."""

import re
import signal
import sys
import threading
import time
from contextlib import suppress

from mc import Failure, with_side
from mc.records.suite import Request
from mc.running.side import Side

EVERY_S = 0.25
LINE_S = 60         # without a terminal
BAR = 20
RUNNING = re.compile(r"running (\d+)/(\d+)")


class Progress:
    """`with Progress(8) as progress: progress.start(1, request, side); …`"""

    def __init__(self, total: int):
        self.side: Side | None = None
        self.total = total
        self.number = 0
        self.name = ""
        self.began = self.said_at = time.monotonic()
        self.live = sys.stderr.isatty()
        self.over = threading.Event()
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Progress":
        if self.live:
            self.thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.over.set()
        if self.live:
            self.thread.join()

    def start(self, number: int, request: Request, side: Side) -> None:
        self.name = with_side(request.name, side.where)
        self.number, self.side = number, side
        if not self.live and (number == 1 or time.monotonic() - self.said_at >= LINE_S):
            self.said_at = time.monotonic()
            line = f": {request.line}" if request.label else ""
            self.say(f"[{number}/{self.total}] {self.name}{line}")

    def say(self, text: str) -> None:
        """Print a line that stays on the screen. A run goes on without a reader, such as an
        ssh connection that was lost."""
        with self.lock, suppress(OSError):
            if self.live:
                sys.stderr.write("\r\033[K")
            print(f"memcache: {text}", file=sys.stderr, flush=True)

    def _watch(self) -> None:
        # Signals must reach the thread that measures, where they end its write.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
        while not self.over.wait(EVERY_S):
            if self.number:
                self._show(self._line())
        self._show("")

    def _show(self, line: str) -> None:
        with self.lock:
            sys.stderr.write(f"\r{line}\033[K")
            sys.stderr.flush()

    def _line(self) -> str:
        try:
            match = RUNNING.match(self.side.progress() if self.side else "")
        except Failure:
            match = None
        done, points = (int(match[1]), max(int(match[2]), 1)) if match else (0, 1)
        part = min(1.0, (self.number - 1 + done / points) / self.total)
        elapsed = time.monotonic() - self.began
        left = f", {_time_text(elapsed / part - elapsed)} left" if part else ""
        columns = _terminal_width() - 1
        bar = "#" * round(part * BAR)
        return f"[{bar:.<{BAR}}] {self.number}/{self.total} {_time_text(elapsed)}{left}  " \
               f"{self.name}"[:columns]


def _terminal_width() -> int:
    import os
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80


def _time_text(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02}"
