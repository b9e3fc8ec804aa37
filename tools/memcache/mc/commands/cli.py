# SPDX-License-Identifier: GPL-2.0-only
"""The command line. Each command has a line in COMMANDS and a file of its name in this
directory. That file is imported only if the user typed the command, because an import takes
long on an emulated machine."""

import argparse
import errno
import io
import os
import re
import sys
from importlib import import_module

from mc import Failure, hint, say, status
from mc.records import suite, tests

HELP = """\
Measure memory by cache attribute, from inside the kernel.

  memcache                                  measure this machine in 20 seconds
  memcache run cache-attributes             run a suite and print the report
  memcache bandwidth type=wb,uc             run a request line of your own
  memcache run os-overhead                  compare kernel and user space
  memcache run --counters mlc               count DRAM traffic as well
  memcache run --dry-run mlc                print the lines of a suite
  memcache mmio 00:05.0                     what a PCI device costs its driver
  memcache look 00:05.0                     who has mapped it, with which type
  memcache show results/FILE.jsonl          print the report of a run again
  memcache reference                        what is published of this CPU
  memcache compare A.jsonl B.jsonl          faster, slower, same, can't tell
  memcache check B.jsonl --baseline A.jsonl  exit 1 if B is slower than A
  memcache record RUNS.db A.jsonl           keep results in a store
  memcache trend RUNS.db                    find what changed over many runs
  memcache fleet results                    find the slow hosts of many
  memcache plot A.jsonl B.jsonl -o x.svg    draw results, one over the other
  memcache report A.jsonl -o x.html         write a page with pictures
  memcache export --format csv FILE         write results for other programs
  memcache doctor                           check for obstacles to UC
  memcache counters                         list the counters of DRAM traffic
  memcache loop FILE -o DIR                 build a loop of your own
  memcache suites                           list the suites
"""

COMMANDS = {
    "run": "run suites or request lines and print the report",
    "mmio": "measure what accesses to a PCI device cost a driver",
    "look": "show what memory types are mapped now, and by whom",
    "show": "print the report of results files again",
    "reference": "list what is published of this CPU, or of another",
    "compare": "compare results, and show what an OS or a VM costs",
    "check": "tell by the exit status whether results are slower than others",
    "record": "keep results files in a store, list them, get them back",
    "trend": "follow results over time or kernel versions, and find what changed",
    "fleet": "compare many hosts, and find those that are slow",
    "plot": "draw results as curves, heat maps or bars",
    "report": "write a page of results: pictures, tables, comparison",
    "export": "print results for other programs",
    "import": "read results of other programs",
    "doctor": "check whether this machine can measure UC",
    "counters": "list the counters of DRAM traffic, or set them",
    "loop": "build a loop of your own from its instructions",
    "suites": "list the suites, or the requests of one",
    "complete": "print completions of a word (shells call this)",
}
QUESTION = r"(is ?)?(this |it )?(normal|expected)\b ?"      # which `reference` answers
# Words that are no commands of their own.
WORDS = {"help": ["--help"], "version": ["--version"], "list": ["list"], "tests": ["list"]}
LENT = "/run/memcache"      # has a note of each device that `mmio` has taken
FILES = {"import": "import_"}       # a keyword of Python can't be the name of a module


class Plain(argparse.RawDescriptionHelpFormatter):
    """Help whose lines end between words, not at a hyphen in one."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        from textwrap import wrap
        return wrap(" ".join(text.split()), width, break_on_hyphens=False, break_long_words=False)


class Version(argparse.Action):
    """Print the version. Only this option looks for it, because that may start git."""

    def __call__(self, parser: argparse.ArgumentParser, *_args: object) -> None:
        from mc.version import version
        print(f"memcache {version()}")
        parser.exit()


def parser(typed: str = "") -> argparse.ArgumentParser:
    """The parser of the command `typed` with its arguments; else it knows the names of all."""
    top = argparse.ArgumentParser(prog="memcache", description=HELP, formatter_class=Plain,
                                  epilog=status.text(), allow_abbrev=False)
    top.add_argument("-V", "--version", action=Version, nargs=0, help="print the version and exit")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in [typed] if typed in COMMANDS else COMMANDS:
        sub = commands.add_parser(name, help=COMMANDS[name], description=COMMANDS[name],
                                  formatter_class=Plain, allow_abbrev=False)
        if name == typed:
            module = import_module(f"mc.commands.{FILES.get(name, name)}")
            module.arguments(sub)
            sub.epilog = "\n".join([*filter(None, [getattr(module, "EPILOG", "")]),
                                    status.text(name)])
            sub.set_defaults(command=module.command)
    return top


def actions(typed: str = "") -> list[argparse.Action]:
    """The options and arguments of the command `typed`, or those that stand before a command."""
    top = parser(typed)
    # argparse has no public names for the options and subcommands of a parser.
    commands = next(action for action in top._actions
                    if isinstance(action, argparse._SubParsersAction))
    return (commands.choices[typed] if typed else top)._actions


def main(argv: list[str]) -> int:
    if sys.stderr is None:      # it is closed: messages must not go to another file
        sys.stderr = open(os.devnull, "w", encoding="ascii")
    if sys.stdout is None:
        say(f"stdout: {os.strerror(errno.EBADF)}")
        return _status_of_lost_output(argv, status.FAILED)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    try:
        try:
            return _command(argv)
        finally:
            sys.stdout.flush()
    except Failure as failure:
        say(str(failure))
        return failure.status
    except BrokenPipeError:     # the reader of a pipe, such as head, has ended
        _forget_output()
        return _status_of_lost_output(argv, status.DONE)
    except OSError as error:
        _forget_output()
        say(f"{error.filename or 'stdout'}: {error.strerror}")
        return _status_of_lost_output(argv, status.FAILED)


def _status_of_lost_output(argv: list[str], otherwise: int) -> int:
    """The exit status where the output of a command is lost. Of check and fleet, 0 and 1 are
    answers, which a script would believe."""
    return status.UNCERTAIN if argv[:1] in (["check"], ["fleet"]) else otherwise


def _command(argv: list[str]) -> int:
    if argv[:1] == ["help"] and argv[1:]:
        argv = [argv[1], "--help"]
    argv = as_question(argv)
    if argv and argv[0].lower() in {*COMMANDS, *WORDS}:
        argv = [argv[0].lower(), *argv[1:]]
    if argv[1:] in (["-h"], ["--help"]) and argv[0] in {*tests.TESTS} - {*COMMANDS}:
        from mc.running import user
        if user.find():
            return user.explain_test(argv[0])
    of_overview = _options_of_overview(argv)
    if of_overview is None:
        argv = _as_run(WORDS.get(argv[0], argv) if len(argv) == 1 else argv)
    top = parser(*argv[:1])
    if argv[:1] in (["list"], ["version"]) and argv[1:]:
        raise Failure(f"{argv[0]} takes no words", status.WRONG)
    if argv == ["list"] or of_overview is not None:
        from mc.commands import overview
        return overview.listing() if of_overview is None else \
            overview.measure(top.format_help(), of_overview)
    if not argv[0].startswith("-") and argv[0] not in COMMANDS:
        words = [*COMMANDS, "help", "version", "list"]
        near = hint(argv[0], [*words, *tests.TESTS, *tests.CALLS, *suite.names_offered()])
        word = argv[0].lower()
        if len(keys := [key for key, its in tests.KEY_WORDS.items() if word in its]) == 1:
            near = f" Did you mean bandwidth {keys[0]}={word}?"
        from mc.records import foreign
        if (tool := argv[0].removesuffix("-memory")) in ("pcm", *foreign.TOOLS):
            near = f" `memcache import {tool} FILE` reads what it printed."
        raise Failure(f"no command {argv[0]}.{near} There are: {', '.join(words)}; and, as "
                      "`memcache list` has them, all tests and suites", status.WRONG)
    if argv[0].startswith("-") and argv[0] not in (options := by_option(actions())):
        near = hint(argv[0], [*options, *by_option(actions("run"))]) or \
            hint(argv[0].lstrip("-"), [*COMMANDS, *WORDS])
        raise Failure(f"no option {argv[0]}.{near} `memcache run --help` lists those of `run`",
                      status.WRONG)
    args, unknown = top.parse_known_args(argv)
    if unknown:
        word = unknown[0]
        what = f"{argv[0]}: no option {word}.{hint(word, by_option(actions(argv[0])))}" \
            if word.startswith("-") else f"{argv[0]} takes no word {word}."
        raise Failure(f"{what} `memcache {argv[0]} --help` lists what it takes", status.WRONG)
    if argv[0] != "complete" and os.path.isdir(os.environ.get("MEMCACHE_SYSROOT", "") + LENT):
        from mc.running import pci
        pci.give_back_left()
    return args.command(args)


def as_question(argv: list[str]) -> list[str]:
    """The command line; if it asks whether something is normal, it is `reference`."""
    text = re.sub(r"[-_?\s]+", " ", " ".join(argv[:3]).lower() + " ")
    if not argv or argv[0].startswith("-") or not (match := re.match(QUESTION, text)):
        return argv
    ours = len(match[0].split())
    return ["reference", *(argv[1:] if re.search("[-_ ]", argv[0]) else argv[ours:])]


def _options_of_overview(argv: list[str]) -> list[str] | None:
    """The options of memcache-user for `memcache [--quick] [-o FILE]`; None if it is another
    call."""
    words, options = list(argv), []
    while words:
        word = words.pop(0)
        if word == "--quick":
            options.append(word)
        elif word == "-o" and words:
            options += ["--save", words.pop(0)]
        else:
            return None
    return options


def _as_run(argv: list[str]) -> list[str]:
    """The command line; if it begins with `run`, or with what `run` measures, it is `run` with our
    options first. A call of another program, such as `bw_mem 64M rd`, then is one word: what
    follows its name are no options of ours, except those of run."""
    typed = argv[:1] == ["run"]
    if not typed and (not argv or argv[0] in (*WORDS, "-h", "--help", "-V", "--version") or
                      argv[0] in COMMANDS and not _is_test_with_keys(argv)):
        return argv
    ours, theirs = _split_options(argv[typed:])
    if not typed and not (tests.is_call(theirs) or is_measured(theirs[0]) if theirs else ours):
        return argv if not theirs or theirs[0].startswith("-") else [*theirs, *ours]
    if theirs and theirs[0].startswith("--") and theirs[0] in tests.CALLS:
        theirs = ["mlc", *theirs]
    # Without an option, mlc is the suite, or one of several.
    if not theirs or not tests.is_call(theirs) or (
            theirs[0] == "mlc" and not any(word.startswith("-") for word in theirs)):
        return ["run", *ours, *theirs]
    return ["run", *ours, " ".join(theirs)]


def _is_test_with_keys(argv: list[str]) -> bool:
    """Whether this is a test that has the name of a command, such as `mmio target=00:05.0/0`."""
    return argv[0] in tests.TESTS and any(re.match(r"\w+=", word) for word in argv[1:])


def is_measured(word: str) -> bool:
    """Whether `run` measures what begins with this word: a test, a suite, another program, or a
    word that stands for one."""
    name = word.split(" ")[0]
    if name.lower() in tests.TESTS or name in tests.CALLS or tests.is_program(name) \
            or suite.exists(name if "/" in name else name.lower()):
        return True
    from mc.running import user
    try:
        return not name.startswith("-") and user.our_words([name], "", str) != [name]
    except Failure:
        return False


def by_option(of: list[argparse.Action]) -> dict[str, argparse.Action]:
    """The actions of options, by each way to write them."""
    return {option: action for action in of for option in action.option_strings}


def _split_options(words: list[str]) -> tuple[list[str], list[str]]:
    """The options of `run` that are ours in any place, with their values, and the other words."""
    flags = {option: action.nargs is None for option, action in by_option(actions("run")).items()
             if option.startswith("--") or option in ("-o", "-h")}
    ours, theirs, left = [], [], list(words)
    while left:
        word = left.pop(0)
        name, equals, _ = word.partition("=")
        if name not in flags:
            theirs.append(word)
            continue
        ours.append(word)
        if flags[name] and not equals and not left:     # run would take a request for it
            raise Failure(f"{word} has no value", status.WRONG)
        if flags[name] and not equals:
            ours.append(left.pop(0))
    return ours, theirs


def _forget_output() -> None:
    """Discard buffered output, so that Python does not try to write it again when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
