# SPDX-License-Identifier: GPL-2.0-only
"""The exit status of every command: the one table of them, which --help and the guide print."""

import signal

DONE, FAILED, WRONG, UNCERTAIN, SIGNAL = 0, 1, 2, 125, 128

TABLE = {
    DONE: "everything that was asked for was done",
    FAILED: "a part of it was not done, and a message says which",
    WRONG: "the command is wrong: a mistyped word, a request that no test takes, "
           "a file that can't be read or written",
    UNCERTAIN: "memcache check or fleet can't tell whether anything is slower, or can't print it",
    SIGNAL + signal.SIGINT: "Ctrl-C stopped it",
    SIGNAL + signal.SIGTERM: "SIGTERM stopped it",
}
# The meaning of 1 for each command.
PARTS = {
    "run": "a request was not measured, or gave no figure at all. Requests that a suite leaves out "
           "because this machine can't do them do not count; single results without a figure are "
           "said",
    "mmio": "the device could not be taken, measured or given back",
    "look": "the process is gone or not yours to look at, or the module could not look",
    "show": "the report could not be printed",
    "reference": "the list could not be printed",
    "compare": "nothing could be compared, or records were refused because their memory-type "
               "verdicts, the nodes of their memory, or the states of the prefetchers differ",
    "check": "something is slower than the limit allows, or its data failed verification",
    "record": "of a damaged store, something could not be recovered; or other programs kept the "
              "store busy",
    "trend": "there are too few runs, a file could not be read, or a library is missing",
    "fleet": "a host is slow, its data failed verification, or a file could not be read",
    "plot": "there is nothing to draw, or no matplotlib",
    "report": "there is nothing to contribute",
    "export": "there are no results",
    "import": "pcm: no sample lies within a record",
    "doctor": "something prevents measuring UC",
    "counters": "there are no counters, or they could not be set",
    "loop": "the loop does not assemble, or there are no headers to build its module with",
    "suites": "the list could not be printed",
    "complete": "the candidates could not be printed",
}


def text(command: str = "") -> str:
    """The table as it stands in the help of a command, or of all commands."""
    from textwrap import fill
    lines = TABLE | ({FAILED: PARTS[command]} if command else {})
    if command not in ("", "check", "fleet"):
        del lines[UNCERTAIN]
    return "exit status:\n" + "\n".join(
        fill(meaning, 79, initial_indent=f"  {status:<5}", subsequent_indent=" " * 7)
        for status, meaning in lines.items())
