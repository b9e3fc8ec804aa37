# SPDX-License-Identifier: GPL-2.0-only
"""Files that are written as a whole."""

import os
import tempfile
import threading
from unittest import mock

import fake
from mc import Failure
from mc.output import files


class Write(fake.unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.path = os.path.join(made.name, "page")

    def read(self):
        with open(self.path, "rb") as file:
            return file.read()

    def test_a_new_file_and_one_that_is_there(self):
        for data in (b"one", b"another"):
            files.write(self.path, data)
            self.assertEqual(self.read(), data)
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["page"])

    def test_a_link_stays_a_link(self):
        os.symlink("target", self.path)
        files.write(self.path, b"through")
        self.assertTrue(os.path.islink(self.path))
        self.assertEqual(self.read(), b"through")

    def test_a_link_of_another_user_is_not_followed(self):
        """protected_symlinks of the kernel does not help where the program reads the link."""
        target = os.path.join(os.path.dirname(self.path), "secret")
        with open(target, "wb") as file:
            file.write(b"kept")
        os.symlink("secret", self.path)
        with mock.patch("os.geteuid", return_value=os.geteuid() + 1), \
                mock.patch("mc.output.files.ROOT", -1):
            files.write(self.path, b"data")
        self.assertFalse(os.path.islink(self.path))
        self.assertEqual(self.read(), b"data")
        with open(target, "rb") as file:
            self.assertEqual(file.read(), b"kept")

    def test_links_that_lead_to_each_other_end(self):
        os.symlink("page", self.path)
        with self.assertRaisesRegex(Failure, "page: "):
            files.write(self.path, b"data")

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
        with self.assertRaisesRegex(Failure, "directory"):
            files.write(self.path, b"data")
