# SPDX-License-Identifier: GPL-2.0-only
"""Options that several commands have."""

import argparse

from mc.records import units as unit


def add_units(parser: argparse.ArgumentParser) -> None:
    """Let the user choose the unit of rates. It is in use as soon as it is read."""
    class Use(argparse.Action):
        def __call__(self, _parser: object, _args: object, name: object, *_: object) -> None:
            unit.show_rates_in(str(name))

    parser.add_argument("--units", choices=tuple(unit.RATES), action=Use,
                        help=f"show rates in this unit (default: {unit.USUAL}; records always "
                             "have MB/s)")


def add_wide(parser: argparse.ArgumentParser) -> None:
    """The option of each command that prints a report."""
    parser.add_argument("--wide", action="store_true",
                        help="print all figures and settings, not only the answers")
