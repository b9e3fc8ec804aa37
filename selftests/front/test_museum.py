# SPDX-License-Identifier: GPL-2.0-only
"""The machinery of the museum of mistakes (tools/museum), on machines that are made up."""

import sys
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tools/museum"))
import museum  # noqa: E402
from museum import Exhibit, Said  # noqa: E402


class Fake:
    """A machine that only notes what is done to it."""

    def __init__(self, log, settings=()):
        self.log, self.settings, self.file_prices, self.machine = log, settings, {}, self

    def load(self):
        self.log.append(f"boot {' '.join(self.settings)}".strip())

    def prices(self):
        self.log.append("prices of the file")

    def close(self):
        self.log.append("close")


class Museum(unittest.TestCase):
    def show(self, **settings):
        log = []
        exhibit = Exhibit("a mistake", "a commit", look=lambda visit: log.append("look"),
                          plant=lambda visit, wrong: log.append("plant" if wrong else "control"),
                          mend=lambda visit: log.append("mend"), **settings)
        real, museum.Visit = museum.Visit, lambda *words: Fake(log, words)
        self.addCleanup(setattr, museum, "Visit", real)
        museum.show({}, exhibit)
        return log

    def test_each_looks_at_its_control_and_at_the_mistake(self):
        self.assertEqual(self.show(), ["boot", "prices of the file", "control", "look", "mend",
                                       "prices of the file", "plant", "look", "mend"])

    def test_a_machine_may_have_the_mistake_from_the_start(self):
        self.assertEqual(self.show(faulty=("6.1", "nopat")),
                         ["boot", "prices of the file", "control", "look", "mend", "close",
                          "boot 6.1 nopat", "prices of the file", "plant", "look", "mend"])

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
                ("", "", 0.5, Said("", 10), Said(""), False)):
            with self.subTest(good=good, bad=bad, factor=factor, before=before, after=after):
                exhibit = Exhibit("", "", lambda visit: before, good, bad, factor=factor)
                self.assertEqual(museum.has_noticed(exhibit, before, after), noticed)

    def test_the_table_says_what_is_not_noticed(self):
        on, off = Said("prefetchers: on"), Said("prefetchers: off")
        self.assertIn("memcache does not notice it",
                      "\n".join(museum.table({"prefetch": (on, on)})))
        self.assertNotIn("does not notice", "\n".join(museum.table({"prefetch": (on, off)})))

    def test_the_manual_has_each_exhibit(self):
        manual = " ".join((TOP / "Documentation/museum.rst").read_text().split())
        self.assertGreaterEqual(len(museum.EXHIBITS), 8)
        for name, exhibit in museum.EXHIBITS.items():
            with self.subTest(name):
                self.assertTrue(exhibit.good != exhibit.bad or exhibit.factor)
                self.assertIn(f"- {exhibit.what} - {exhibit.commits} -", manual)

    def test_each_case_that_an_exhibit_names_is_in_the_kunit_file(self):
        source = (TOP / "tools/upstream/memtype_kunit.c").read_text()
        cases = {word.strip(",") for exhibit in museum.EXHIBITS.values()
                 for word in exhibit.kunit.split() if word.startswith("memtype_")}
        self.assertGreaterEqual(len(cases), 4)
        for case in cases:
            self.assertRegex(source, rf"\(({case}|{case}, \w+)\),")
