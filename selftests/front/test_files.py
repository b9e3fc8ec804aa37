# SPDX-License-Identifier: GPL-2.0-only
"""Files that are written as a whole."""

import ast
import itertools
import os
import re
import tempfile
import threading
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from unittest import mock

import fake
from mc import Failure
from mc.output import files
from mc.records import writing


@contextmanager
def another_user():
    """All files are of somebody else."""
    with mock.patch("os.geteuid", return_value=os.geteuid() + 1), \
            mock.patch("mc.records.writing.ROOT", -1):
        yield


class Write(fake.InDirectory):
    def setUp(self):
        super().setUp()
        self.path = os.path.abspath("page")

    def read(self):
        return Path("page").read_bytes()

    def test_a_new_file_and_one_that_is_there(self):
        for data in (b"one", b"another"):
            files.write(self.path, data)
            self.assertEqual(self.read(), data)
        self.assertEqual(os.listdir("."), ["page"])

    def test_a_link_stays_a_link(self):
        os.symlink("target", self.path)
        files.write(self.path, b"through")
        self.assertTrue(os.path.islink(self.path))
        self.assertEqual(self.read(), b"through")
        os.symlink(".", "here")
        files.write("here/page", b"in a folder")
        self.assertEqual(self.read(), b"in a folder")

    def test_a_link_of_another_user_is_not_followed(self):
        """protected_symlinks of the kernel does not help where the program reads the link."""
        target = Path(self.write("secret", b"kept"))
        os.symlink("secret", self.path)
        with another_user():
            files.write(self.path, b"data")
        self.assertFalse(os.path.islink(self.path))
        self.assertEqual((self.read(), target.read_bytes()), (b"data", b"kept"))

    def test_a_link_of_another_user_to_a_pipe_is_replaced(self):
        os.mkfifo(f"{self.path}.pipe")
        os.symlink("page.pipe", self.path)
        with another_user():
            files.write(self.path, b"data")
            with self.assertRaisesRegex(Failure, "another user"):
                reader = os.open(f"{self.path}.pipe", os.O_RDONLY | os.O_NONBLOCK)
                self.addCleanup(os.close, reader)
                files.write(f"{self.path}.pipe", b"data")
            with self.assertRaisesRegex(Failure, "other users can change"):
                writing.check_directory(os.path.dirname(self.path))
        self.assertEqual(self.read(), b"data")

    def test_no_link_can_be_swapped_in(self):
        """The owner of a directory puts a link of his in the place of ours before the n-th call to
        the system. What it leads to is left alone."""
        for part, leads in (("ours", "secret/kept"), ("in", "secret")):
            for write in (lambda path: files.write(path, b"data"), writing.create):
                for swap in range(1, 16):
                    with self.subTest(part, swap=swap), tempfile.TemporaryDirectory() as top:
                        for name in "secret", "good":
                            os.mkdir(f"{top}/{name}")
                            Path(top, name, "kept").write_text("kept")
                        os.symlink("good/kept", f"{top}/ours")
                        os.symlink("good", f"{top}/in")
                        os.symlink(leads, f"{top}/theirs")
                        with self.swapped(f"{top}/theirs", f"{top}/{part}", swap), \
                                suppress(Failure, OSError):
                            write(f"{top}/{part}" if part == "ours" else f"{top}/in/new")
                        self.assertEqual(os.listdir(f"{top}/secret"), ["kept"])
                        self.assertEqual(Path(top, "secret/kept").read_text(), "kept")

    @contextmanager
    def swapped(self, theirs, ours, before):
        """A link of another user gets our name before this call."""
        number, calls = os.lstat(theirs).st_ino, itertools.count(1)

        def wrap(real):
            def call(*args, **more):
                if next(calls) == before:
                    os.rename(theirs, ours)
                return real(*args, **more)
            return call

        with ExitStack() as patched:
            for name in "open", "fstat", "lstat", "readlink", "replace":
                patched.enter_context(mock.patch(f"os.{name}", wrap(getattr(os, name))))
            patched.enter_context(mock.patch.object(
                writing, "_is_own", lambda status: status.st_ino != number))
            yield

    def test_links_that_lead_to_each_other_end(self):
        os.symlink("page", self.path)
        fake.refused(self, "page: ", files.write, self.path, b"data")

    def test_a_file_that_is_replaced_stays_as_private_as_it_was(self):
        for mode in (0o600, 0o640):
            files.write(self.path, b"one")
            os.chmod(self.path, mode)
            files.write(self.path, b"another")
            self.assertEqual(os.stat(self.path).st_mode & 0o777, mode)

    def test_what_is_no_file_is_written_to(self):
        """/dev/null stays a device, also for root."""
        os.mkfifo(self.path)
        got = []
        reader = threading.Thread(target=lambda: got.append(self.read()))
        reader.start()
        files.write(self.path, b"data")
        reader.join()
        self.assertEqual(got, [b"data"])
        self.assertTrue(os.path.exists(self.path) and not os.path.isfile(self.path))

    def test_a_folder_is_refused(self):
        os.mkdir(self.path)
        fake.refused(self, "directory", files.write, self.path, b"data")


# All that opens something for writing, and why no other user chooses what that is. What `tempfile`
# makes is new. mc/records/writing.py and mc_user_open() are for all else.
OPENED = {
    "tools/memcache/mc/__init__.py": ["open(os.devnull, 'w', encoding='ascii')"],
    "tools/memcache/mc/commands/cli.py": ["open(os.devnull, 'w', encoding='ascii')",
                                          "os.open(os.devnull, os.O_WRONLY)"],
    "tools/memcache/mc/records/results.py": ["open(1, 'wb', buffering=0, closefd=False)"],
    # In a directory that tempfile made; the name that a link gets must be new.
    "tools/memcache/mc/records/database.py": [
        "sqlite3.connect(empty, isolation_level=None)", "os.link(empty, path)",
        "shutil.copyfile(damaged, copy)", "open(copy, 'r+b')",
        "shutil.copyfile(damaged + '-journal', copy + '-journal')",
        # What find() has found must be what it has opened.
        "sqlite3.connect(f'file:{quote(path)}?mode={mode}', uri=True, timeout=WAIT_S, "
        "isolation_level=None)"],
    # Files of the kernel.
    "tools/memcache/mc/running/debugfs.py": ["open(os.open(PARAMETER, os.O_WRONLY), 'w', "
                                             "encoding='ascii')",
                                             "os.open(PARAMETER, os.O_WRONLY)",
                                             "os.open(self.path / name, os.O_WRONLY)"],
    "tools/user/benchmarks/system.c": ['open("/dev/null", O_WRONLY | O_CLOEXEC)'],
    "tools/user/regions.c": ['fopen("/proc/self/oom_score_adj", "we")'],
    "tools/user/memory.c": ["open(path, O_RDWR | O_CLOEXEC)"],
    "tools/user/target.c": ["open(path, (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC)"],
    # path= of the test file: a new file, or one that is no link.
    "tools/user/files.c": ["open(name, flags)",
                           "open(path, (flags & ~O_DIRECT) | O_CREAT | O_EXCL, 0600)"],
    "tools/user/read_file.c": ["openat(dir, left, flags | alone | O_CLOEXEC | O_NOCTTY, 0666)"],
    # Scripts: in a directory of mktemp, in the checkout, or where who calls them says.
    "tools/docs": ['>"$dir/VERSION"'],
    "tools/kselftest-tree": ['>"$target/test_modules/VERSION"'],
    "tools/lib.sh": ['>"$file"', '>>"$MEMCACHE_PHASES"', '>>"$file"'],
    "tools/packaging/deb": ['>"$source/debian/changelog"', '>"$source/debian/source/format"'],
    "tools/packaging/dist": ['>"build/dist/$name.tar.gz.tmp"'],
    "tools/packaging/lib.sh": ['>"$out/log"'],
    "tools/packaging/man": ['>"$dir/$name"', '>"$dir/$name.help"', '>"$dir/see"'],
    "tools/packaging/memcache-selftests": ['>"$MEMCACHE_KO"'] * 3 + ['tee "$dir/tap"'],
    "tools/packaging/prepare": [">build/install/VERSION", ">build/install/results.schema.json"],
    "tools/packaging/release": ['>"$1"', '>"$directory/out/man-memcache-$VERSION.tar.gz"',
                                '>SHA256SUMS'],
    "tools/packaging/rpm": ['>"$out/memcache-bench.spec"'],
    # Root's own directory.
    "tools/fleet/ansible/roles/measure/files/memcache-once": ['>"$run.lock"', '>"$run.log"'],
}
# The first is the function; the second writes to sysfs, and its notes to a directory of root.
ELSEWHERE = ("tools/memcache/mc/records/writing.py", "tools/memcache/mc/running/pci.py")
MAKES = ("write_text", "write_bytes", "touch", "symlink_to", "hardlink_to", "shutil.copyfile",
         "shutil.copy2", "shutil.copytree", "os.link", "os.symlink", "os.mkfifo", "os.mknod",
         "sqlite3.connect")


def openings(path):
    """The calls of a file in Python, C or shell that open something for writing."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        for call in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)):
            name, words = ast.unparse(call.func), ast.unparse(call)
            if name.endswith(MAKES) or name.endswith(("open", "fdopen")) and re.search(
                    r"'[rb]*[wax+][bt+]*'|O_WRONLY|O_RDWR|O_CREAT", words):
                yield words
    elif path.suffix in (".c", ".h"):
        for match in re.finditer(r"\b(?:open|openat|creat|fopen|freopen)\([^;]*?\)(?=[;,) ]*[;,])",
                                 text):
            if re.search(r'^creat|O_WRONLY|O_RDWR|O_CREAT|flags|"[rbe]*[wa+]', match[0]):
                yield match[0]
    else:
        yield from re.findall(r'>>?(?:"[^"]+"|(?!/dev/null)[$/\w][^\s;|&)]*)|\btee "[^"]+"', text)


class Openings(fake.unittest.TestCase):
    maxDiff = None

    def test_all_that_opens_for_writing_is_known(self):
        tools = fake.TOP / "tools"
        programs = [path for kind in ("py", "c", "h") for folder in ("memcache", "user")
                    for path in (tools / folder).rglob(f"*.{kind}")]
        # All that is installed, and that root runs; other scripts are for developers.
        scripts = [path for path in (*tools.iterdir(), *(tools / "packaging").rglob("*"),
                                     *(tools / "fleet").rglob("*"))
                   if path.is_file() and (path.suffix == ".sh" or
                                          path.read_bytes().startswith(b"#!/bin/"))]
        found = {str(path.relative_to(fake.TOP)): list(openings(path))
                 for path in (*programs, *scripts)}
        self.assertEqual({name: sorted(calls) for name, calls in found.items()
                          if calls and name not in ELSEWHERE},
                         {name: sorted(calls) for name, calls in OPENED.items()})
