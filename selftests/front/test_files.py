# SPDX-License-Identifier: GPL-2.0-only
"""Files that are written as a whole."""

import os
import tempfile
import threading

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
