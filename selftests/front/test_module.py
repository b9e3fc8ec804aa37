# SPDX-License-Identifier: GPL-2.0-only
"""An installed module: a run loads it, and unloads what it has loaded."""

import contextlib
import io
import os
from pathlib import Path
from unittest import mock

import fake
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
            Path(self.write(name, PROGRAM.encode())).chmod(0o755)
        self.enterContext(mock.patch.dict(os.environ, PATH=f"{os.getcwd()}:{os.environ['PATH']}"))
        for name in "MEMCACHE_MACHINE", "MEMCACHE_DEBUGFS":
            os.environ.pop(name, None)

    def calls(self, user: int = 0, fail: str = "", **environment: str) -> list[str]:
        """What is called before and after a run."""
        said = io.StringIO()
        with mock.patch("os.geteuid", return_value=user), contextlib.redirect_stderr(said), \
                mock.patch.dict(os.environ, FAIL=fail, **environment):
            with module.loaded(Path("sys")), open("calls", "a", encoding="ascii") as file:
                file.write("the run\n")
        self.said = said.getvalue()
        return Path("calls").read_text(encoding="ascii").splitlines()

    def test_it_is_loaded_and_unloaded(self):
        self.assertEqual(self.calls(), [LOOK, LOAD, "the run", UNLOAD])
        self.assertEqual(self.said, "memcache: loading the module for this run\n")

    def test_what_is_loaded_stays(self):
        os.makedirs("sys/module/memcache")
        self.assertEqual(self.calls(), ["the run"])
        self.assertEqual(self.said, "")

    def test_only_root_loads_it(self):
        self.assertEqual(self.calls(user=1000), ["the run"])

    def test_another_machine_needs_none_here(self):
        self.assertEqual(self.calls(MEMCACHE_MACHINE="x"), ["the run"])

    def test_it_is_not_installed(self):
        self.assertEqual(self.calls(fail="modprobe--dry-run"), [LOOK, "the run"])
        self.assertEqual(self.said, "")

    def test_what_did_not_load_is_not_unloaded(self):
        self.assertEqual(self.calls(fail="modprobememcache"), [LOOK, LOAD, "the run"])

    def test_what_was_unloaded_in_between_is_not_unloaded(self):
        with mock.patch("os.geteuid", return_value=0), \
                contextlib.redirect_stderr(io.StringIO()) as said, module.loaded(Path("sys")):
            os.rmdir("sys/module/memcache")
        self.assertEqual(Path("calls").read_text(encoding="ascii").splitlines(), [LOOK, LOAD])
        self.assertNotIn("stays loaded", said.getvalue())

    def test_it_stays_loaded(self):
        self.calls(fail="rmmodmemcache")
        self.assertIn("the module stays loaded: rmmod memcache", self.said)

    def test_a_run_that_fails_unloads_it(self):
        with self.assertRaises(ValueError), mock.patch("os.geteuid", return_value=0), \
                contextlib.redirect_stderr(io.StringIO()), module.loaded(Path("sys")):
            raise ValueError
        self.assertEqual(Path("calls").read_text(encoding="ascii").splitlines()[-1], UNLOAD)
