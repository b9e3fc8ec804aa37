# SPDX-License-Identifier: GPL-2.0-only
"""`memcache record`: keep results files in a store, list them, get them back."""

import argparse

from mc import Failure, emit, plural
from mc.output import terminal
from mc.output.entries import listing
from mc.records import database, recording, results, store
from mc.status import DONE, FAILED, WRONG

EPILOG = """\
A store is one SQLite file. Without FILE, its entries are listed. Every command
that reads results takes an entry in place of a file, and check and trend take
several: runs.db is all of them, runs.db:3 is entry 3, runs.db:1-4,7 are five,
runs.db:6.1.0-50-amd64 are those of this kernel.

A file that is in the store already is not kept twice. Several programs may
record at once. --export gives back each file as it was, byte for byte.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("store", metavar="STORE", help="the store; it is made if FILE is given")
    parser.add_argument("file", nargs="*", metavar="FILE", help="results of memcache run")
    other = parser.add_mutually_exclusive_group()
    other.add_argument("--export", metavar="DIR",
                       help="write the files of STORE, or of STORE:WHICH, into this directory")
    other.add_argument("--recover", metavar="DAMAGED",
                       help="make STORE from everything that can be read of a damaged store")


def command(args: argparse.Namespace) -> int:
    if args.file and (args.export or args.recover):
        raise Failure("--export and --recover take no FILE", WRONG)
    if args.recover:
        return recover(args.recover, args.store)
    if args.export:
        return export(args.store, args.export)
    return keep(args.store, args.file) if args.file else show(args.store)


def keep(path: str, files: list[str]) -> int:
    for file, number, new in recording.keep(path, files):
        emit([f"{file}: {'recorded as' if new else 'is already'} {path}:{number}"])
    return DONE


def show(name: str) -> int:
    path, which = store.split_name(name) or (name, "")
    with database.open_store(path) as opened:
        emit(terminal.lines(listing(path, opened.choose_entries(which))))
    return DONE


def export(name: str, folder: str) -> int:
    path, which = store.split_name(name) or (name, "")
    with database.open_store(path) as opened:
        chosen = opened.choose_entries(which)
        results.create_directory(folder)
        for entry in chosen:
            emit([f"{path}:{entry.number}: {recording.put(opened, entry, folder)}"])
    return DONE


def recover(damaged: str, path: str) -> int:
    recovered = database.recover(damaged, path)
    emit([f"{path}: {plural(recovered.whole, 'file')} whole, {recovered.part} in part, "
          f"{recovered.lost} lost; {plural(recovered.results, 'result')}"])
    return FAILED if recovered.part or recovered.lost else DONE
