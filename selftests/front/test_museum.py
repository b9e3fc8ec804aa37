# SPDX-License-Identifier: GPL-2.0-only
"""The machinery of the museum of mistakes (tools/museum), on machines that are made up."""

import sys
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tools/museum"))
import museum  # noqa: E402
from museum import Exhibit, Said  # noqa: E402


class Museum(unittest.TestCase):

    def test_what_is_expected_of_both_is_noticed_and_nothing_else(self):
        for good, bad, factor, before, after, noticed in (
                ("yes", "no", None, Said("yes", 10), Said("no"), True),
                ("yes", "no", None, Said("yes", 10), Said("yes", 10), False),
                ("yes", "no", None, Said("yes", 10), Said("unknown", 10), False),
                ("yes", "no", None, Said("no", 10), Said("no", 10), False),
                ("yes", "no", 2, Said("yes", 10), Said("no", 20), True),
                ("yes", "no", 2, Said("yes", 10), Said("no", 5), False),
                ("", "", 2, Said("", 10), Said("", 19), False),
                ("", "", 2, Said(""), Said("", 20), False),
                ("", "", 0.5, Said("", 10), Said("", 5), True),
                ("", "", 0.5, Said("", 10), Said("", 20), False),
                ("", "", 0.5, Said("", 10), Said(""), False),
                ("", "", 2, Said("", 10, looked_at=9), Said("", 20, looked_at=9), False)):
            with self.subTest(good=good, bad=bad, factor=factor, before=before, after=after):
                exhibit = Exhibit("", "", lambda visit: before, good, bad, factor=factor,
                                  conflict="split" if before.looked_at else "")
                self.assertEqual(museum.has_noticed(exhibit, before, after), noticed)

    def test_each_exhibit_expects_a_difference(self):
        self.assertGreaterEqual(len(museum.EXHIBITS), 8)
        for name, exhibit in museum.EXHIBITS.items():
            with self.subTest(name):
                self.assertTrue(exhibit.good != exhibit.bad or exhibit.factor)
