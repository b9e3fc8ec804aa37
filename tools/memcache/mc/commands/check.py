# SPDX-License-Identifier: GPL-2.0-only
"""`memcache check`: tell by the exit status whether results are slower than a baseline."""

import argparse
import re

from mc import Failure, emit
from mc.analysis import match, regression
from mc.analysis.judge import Word
from mc.analysis.regression import Answer
from mc.commands import options
from mc.output import regression as output
from mc.output import terminal
from mc.records import rounds
from mc.status import DONE, FAILED, UNCERTAIN, WRONG

EPILOG = """\
Each result of the baseline is compared with the result of the same keys.
Several files of a side are several runs of one machine; the rounds of
run --rounds are runs, too. A result is slower if its whole 95 % interval lies
beyond the limit, and the same if the whole interval lies within it. Else nobody
can tell, and the command says how many more runs would do.

For git bisect, let it be the last command of the script:
  memcache check now.jsonl --baseline good.jsonl
A commit that can't be told is skipped.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="*", metavar="FILE", help="results to check")
    parser.add_argument("--baseline", nargs="+", required=True, action="extend",
                        metavar="FILE",
                        help="results that they are checked against")
    parser.add_argument("--fail-over", type=share, default=share("5%"), metavar="LIMIT",
                        help="how much slower is too slow: 5%% (the default) allows 0.95x")
    options.add_units(parser)


def share(text: str) -> float:
    """`5%` or `5` is 0.05."""
    if not re.fullmatch(r"\d+(\.\d+)?%?", text) or not 0 < float(text.rstrip("%")) < 100:
        raise argparse.ArgumentTypeError(f"{text} is no share between 0% and 100%")
    return float(text.rstrip("%")) / 100


def command(args: argparse.Namespace) -> int:
    if not args.file:
        raise Failure("all files are of the baseline; wanted: check FILE... --baseline FILE...",
                      WRONG)
    baseline, checked = (_batches_of(files) for files in (args.baseline, args.file))
    pairings = regression.pairings(baseline, checked)
    answers = [one for pairing in pairings for one in regression.answers(pairing, args.fail_over)]
    emit(terminal.lines(output.parts(pairings, answers, args.fail_over)), terminal.painter())
    return _status(answers)


def _batches_of(files: list[str]) -> list[match.Batch]:
    name = files[0] if len(files) == 1 else f"{files[0]} and {len(files) - 1} more"
    batches = match.batches({name: rounds.load_together(files)})
    if not batches:
        raise Failure(f"{name}: no results", WRONG)
    return batches


def _status(answers: list[Answer]) -> int:
    if any(answer.is_worse for answer in answers):
        return FAILED
    unsure = any(answer.word == Word.UNKNOWN and not answer.is_no_worse for answer in answers)
    return UNCERTAIN if unsure else DONE
