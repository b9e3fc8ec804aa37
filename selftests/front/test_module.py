# SPDX-License-Identifier: GPL-2.0-only
"""An installed module: a run loads it, and unloads what it has loaded."""

import contextlib
import io
import os
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import fake
from mc import advice
from mc.running import module

# Each program notes its call and ends with a status that the test sets by its name.
PROGRAM = """\
#!/bin/sh
echo "${0##*/} $*" >>calls
case " $FAIL " in *" ${0##*/}$1 "*) exit 1 ;; esac
[ "$*" != memcache ] || [ "${0##*/}" != modprobe ] || mkdir -p sys/module/memcache
"""
LOOK, LOAD, UNLOAD = "modprobe --dry-run --quiet memcache", "modprobe memcache", "rmmod memcache"


class Loaded(fake.InDirectory):
    def setUp(self):
        super().setUp()
        for name in "modprobe", "rmmod":
            fake.program(name, PROGRAM)
        self.enterContext(mock.patch.dict(os.environ, PATH=f"{os.getcwd()}:{os.environ['PATH']}"))
        os.environ.pop("MEMCACHE_DEBUGFS", None)

    def calls(self, user: int = 0, fail: str = "", **environment: str) -> list[str]:
        """What is called before and after a run."""
        said = io.StringIO()
        with mock.patch("os.geteuid", return_value=user), contextlib.redirect_stderr(said), \
                mock.patch.dict(os.environ, FAIL=fail, **environment):
            with module.keep_loaded(), open("calls", "a", encoding="ascii") as file:
                file.write("the run\n")
        self.said = said.getvalue()
        return Path("calls").read_text(encoding="ascii").splitlines()

    def test_it_is_loaded_and_unloaded(self):
        self.assertEqual(self.calls(), [LOOK, LOAD, "the run", UNLOAD])
        self.assertEqual(self.said, "memcache: loading the module for this run\n")

    def test_it_is_not_loaded(self):
        """By a user, for files elsewhere, where it is not installed, does not load, or is there."""
        for asked, wanted in (({"user": 1000}, []), ({"MEMCACHE_DEBUGFS": "x"}, []),
                              ({"fail": "modprobe--dry-run"}, [LOOK]),
                              ({"fail": "modprobememcache"}, [LOOK, LOAD]), ({}, [])):
            if not asked:
                os.makedirs("sys/module/memcache")
            with self.subTest(asked):
                Path("calls").unlink(missing_ok=True)
                self.assertEqual(self.calls(**asked), [*wanted, "the run"])
                self.assertEqual(bool(self.said), LOAD in wanted)

    def test_a_program_that_is_missing_is_no_error(self):
        self.assertFalse(module._succeeds("no_such_program"))
        self.assertEqual(module._output_of("no_such_program"), "")

    def test_what_was_unloaded_in_between_is_not_unloaded(self):
        with mock.patch("os.geteuid", return_value=0), \
                contextlib.redirect_stderr(io.StringIO()) as said, module.keep_loaded():
            os.rmdir("sys/module/memcache")
        self.assertEqual(Path("calls").read_text(encoding="ascii").splitlines(), [LOOK, LOAD])
        self.assertNotIn("stays loaded", said.getvalue())

    def test_it_stays_loaded(self):
        self.calls(fail="rmmodmemcache")
        self.assertIn("the module stays loaded: rmmod memcache", self.said)

    def test_a_run_that_fails_unloads_it(self):
        with self.assertRaises(ValueError), mock.patch("os.geteuid", return_value=0), \
                contextlib.redirect_stderr(io.StringIO()), module.keep_loaded():
            raise ValueError
        self.assertEqual(Path("calls").read_text(encoding="ascii").splitlines()[-1], UNLOAD)


def program(name: str, does: str) -> None:
    fake.program(name, f"#!/bin/sh\n{does}\n")


class Loading(fake.InDirectory):
    """The advice on loading the module, for an installed program."""

    def setUp(self):
        super().setUp()
        self.enterContext(mock.patch("mc.advice.CHECKOUT", False))
        self.enterContext(mock.patch("mc.version.version", lambda: "1.2"))
        self.enterContext(mock.patch("os.geteuid", return_value=1000))
        self.enterContext(mock.patch("os.uname", lambda: SimpleNamespace(release="6.1")))
        self.enterContext(mock.patch.dict(os.environ, PATH=f"{os.getcwd()}:{os.environ['PATH']}"))
        program("modprobe", "exit 1")
        program("modinfo", "exit 1")
        program("apt-cache", "exit 0")

    def test_advice(self):
        """DKMS has built it, or not, or its headers are missing; another version is loaded; a
        checkout has a command of its own. Files and programs stay from row to row."""
        for case in (
                [("load", "sudo make load"), ("renew", ": sudo make load"),
                 ("modprobe=exit 0", "load", "sudo make load, or sudo modprobe memcache")],
                [("modprobe=exit 1", "load", "the package memcache-dkms has it"),
                 ("usr/src/memcache-1.1/dkms.conf", "renew",
                  ": install memcache-dkms and memcache-tools of the same version"),
                 ("usr/src/memcache-1.2/dkms.conf", "load", "it is installed for DKMS, but not "
                  "built for this kernel, 6.1 (no headers): apt-get install linux-headers-6.1"),
                 ("renew", ": it is installed for DKMS, but not built for this kernel, 6.1 (no "
                  "headers): apt-get install linux-headers-6.1"),
                 ("lib/modules/6.1/build/Makefile", "load", "it is installed for DKMS, but not "
                  "built for this kernel, 6.1: sudo dkms install memcache/1.2"),
                 ("var/lib/dkms/memcache/1.2/build/make.log", "load", "it is installed for DKMS, "
                  "but not built for this kernel, 6.1 (/var/lib/dkms/memcache/1.2/build/make.log "
                  "says why it could not): sudo dkms install memcache/1.2"),
                 ("modinfo=echo 1.2", "renew", ": sudo modprobe memcache"),
                 (f"modprobe=[ \"$*\" = '-d {os.getcwd()} --dry-run --quiet memcache' ]", "load",
                  "sudo modprobe memcache")]):
            with mock.patch("mc.advice.CHECKOUT", case[0][-1] == "sudo make load"):
                for *before, which, wanted in case:
                    for what in before:
                        name, _, does = what.partition("=")
                        (program(name, does) if does else fake.put({name: ""}))
                    found = getattr(module, f"how_to_{which}")()
                    belongs = "load the one that belongs to this program"
                    self.assertEqual(found, wanted if which == "load" else belongs + wanted)

class Advice(unittest.TestCase):
    def test_an_installed_program_is_told_nothing_of_a_checkout(self):
        with mock.patch("mc.advice.CHECKOUT", False):
            for what in advice.TEXTS:
                self.assertNotRegex(advice.advice(what),
                                    r"^make|[^`]make \w|tools/|Documentation/", what)

    def test_a_python_is_told_its_own_way_to_get_a_library(self):
        for python, manager, way in (
                ("/usr/bin/python3", "apt-get", "apt-get install python3-numpy"),
                ("/usr/bin/python3.14", "dnf", "dnf install python3-numpy"),
                ("/usr/bin/python3", "pacman", "pacman -S python-numpy"),
                ("/usr/bin/python3", "", "/usr/bin/python3 -m pip install numpy"),
                ("/venv/bin/python", "apt-get", "/venv/bin/python -m pip install numpy")):
            with mock.patch("sys.executable", python), mock.patch(
                    "shutil.which", lambda name, own=manager: name == own or None):
                self.assertEqual(advice.lacking("numpy"), f"numpy, which {python} has not: {way}")
