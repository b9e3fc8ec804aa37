# SPDX-License-Identifier: GPL-2.0-only
"""What benchmarks share: settings in the environment, and an end before they are done. SIGTERM and
SIGHUP end a benchmark as Ctrl-C does, so that it prints what was measured, removes its files, and
leaves the module as it was."""

import os
import signal
import sys

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Ended(KeyboardInterrupt):
    """A signal asks the benchmark to end."""

    def __init__(self, number):
        super().__init__(number)
        self.status = 128 + number


def run(main, *args):
    """Run a benchmark and exit with the status that it returns, or with that of the signal. A
    signal that is ignored, as SIGHUP after nohup, stays so."""
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _raise_ended)
    try:
        sys.exit(main(*args))
    except Ended as ended:
        sys.exit(ended.status)


def _raise_ended(number, _frame):
    # `timeout` sends its signal twice. The second one must not cut the table off.
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    raise Ended(number)


def positive(name, usual):
    """The whole number that a setting has, or the usual one."""
    text = os.environ.get(name) or str(usual)
    if not text.isdecimal() or int(text) < 1:
        sys.exit(f"memcache: {name}={text}: wanted a whole number from 1 on")
    return int(text)
