# SPDX-License-Identifier: GPL-2.0-only
"""`memcache complete`: completions of the word at the cursor of a shell. The scripts for bash,
zsh and fish call it, so there is no second list of commands, options, suites, tests, keys and
values."""

import argparse
import re
import subprocess

from mc import Failure
from mc.commands import cli
from mc.records import keys, suite
from mc.running import plan, user

EPILOG = """\
Prints a candidate on each line, with a tab and a description if there is one.
If it prints nothing, the shell completes the names of files.
"""

Candidates = dict[str, str]     # candidate: description, which may be empty


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="WORD",
                        help="memcache or memcache-user, and its words up to the cursor; the "
                             "last one may be empty")


def command(args: argparse.Namespace) -> int:
    if len(args.words) < 2:
        raise Failure("wanted: a program, and its words up to the cursor", 2)
    program, *before, word = args.words
    candidates = _candidates_for_user if program == user.NAME else _candidates_for_memcache
    for candidate, text in candidates(before, word).items():
        if candidate.startswith(word):
            print(candidate, " ".join(text.split()), sep="\t")
    return 0


def _candidates_for_memcache(before: list[str], word: str) -> Candidates:
    if not before:
        return _options(cli.actions()) if word.startswith("-") else cli.COMMANDS
    typed, *before = before
    if typed not in cli.COMMANDS:
        return {}
    actions = cli.actions(typed)
    waiting = [action for action in actions
               if before and before[-1] in action.option_strings and action.nargs != 0]
    if waiting:
        return dict.fromkeys(map(str, waiting[0].choices or ()), "")
    if word.startswith("-"):
        return _options(actions)
    wanted = [action.dest for action in actions if not action.option_strings]
    if wanted == ["what"]:
        return _requests(before, word, _tests()) | ({} if " " in word else _suites())
    return _suites() if wanted == ["suite"] else {}


def _candidates_for_user(before: list[str], word: str) -> Candidates:
    side = user.User()
    if word.startswith("-"):
        help_text = subprocess.run([side.source, "--help"], capture_output=True, text=True).stdout
        return dict.fromkeys(re.findall(r"--\w+", help_text), "")
    return {} if before[-1:] == ["--counters"] else _requests(before, word, side.tests())


def _options(actions: list[argparse.Action]) -> Candidates:
    return {option: action.help or "" for option, action in cli.by_option(actions).items()}


def _suites() -> Candidates:
    return {name: suite.load(name).title for name in suite.names()}


def _tests() -> keys.Tests:
    """The tests of all available sides."""
    return {name: its_keys for side in plan.sides() for name, its_keys in side.tests().items()}


def _requests(before: list[str], word: str, tests: keys.Tests) -> Candidates:
    """Requests that begin with these words. A request may be one word in quotes, or a word for
    each of its keys."""
    head, space, last = word.rpartition(" ")
    typed = [*before, *head.split()]
    test = next((part for part in reversed(typed) if "=" not in part), "")
    candidates = dict.fromkeys([] if space else tests, "a test")
    if test in tests:
        given = {part.partition("=")[0] for part in typed if "=" in part}
        candidates |= dict.fromkeys(_key_candidates(tests[test], given, last), "")
    return {head + space + candidate: text for candidate, text in candidates.items()}


def _key_candidates(its_keys: dict[str, keys.Key], given: set[str], word: str) -> list[str]:
    """The keys that begin with this word; if only one does, its values as well."""
    name, equals, values = word.partition("=")
    names = [name] if equals else [key for key in its_keys
                                   if key.startswith(name) and key not in given]
    candidates = [] if equals else [f"{key}=" for key in names]
    if len(names) == 1 and names[0] in its_keys:
        done, comma, _ = values.rpartition(",")
        key = its_keys[names[0]]
        candidates += [f"{names[0]}={done}{comma}{choice}"
                       for choice in key.choices or (key.preset,) if choice not in done.split(",")]
    return candidates
