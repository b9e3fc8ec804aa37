# SPDX-License-Identifier: GPL-2.0-only
"""The names that other tools have for what memcache measures, and the page that maps their
options."""

import contextlib
import io
import re

import fake
from mc.records import suite, tests
from mc.running import plan

PAGE = fake.TOP / "Documentation/other-tools.rst"
MODES = ("latency_matrix", "idle_latency", "bandwidth_matrix", "peak_injection_bandwidth",
         "max_bandwidth", "loaded_latency", "c2c_latency", "memory_bandwidth_scan")
# As the help of these programs lists them.
OPTIONS = {"options": "abBcCdDeEfgGhHiIjJkKlLmMnopPqQrRStTuUvwxXYZ", "lat_mem_rd": "PWNt",
           "likwid-bench": "haltpsiwWdf"}
MIXES = (*range(2, 20), 21, 23, 27)


def rows(section):
    """The rows of the table of a section, as lists of cells."""
    text = re.split(r"\n[^\n]+\n-+\n", PAGE.read_text())
    titles = re.findall(r"\n([^\n]+)\n-+\n", PAGE.read_text())
    [table] = [body for title, body in zip(titles, text[1:]) if title.endswith(section)]
    found = [re.split(r"\n     - ", row) for row in table.split("\n   * - ")[1:]]
    return [[" ".join(cell.split()) for cell in row] for row in found]


class Elsewhere(fake.unittest.TestCase):
    def test_each_name_is_of_a_suite_and_hides_none(self):
        for name, ours in suite.ELSEWHERE.items():
            self.assertTrue(suite.exists(ours), ours)
            self.assertFalse(suite.exists(name), name)

    def test_each_mode_of_mlc_is_understood(self):
        self.assertLessEqual(set(MODES), set(suite.ELSEWHERE))

    def test_it_is_said_and_measured(self):
        place = plan.Place([fake.Kernel()], None)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            found = plan.requests(["latency_matrix", "repeat=3"], place)
        self.assertEqual([one.suite for one in found], ["latency-matrix"] * len(found))
        self.assertTrue(found and all("repeat=3" in one.line for one in found))
        self.assertIn("latency_matrix: this is the suite latency-matrix", said.getvalue())

    def test_no_row_is_empty(self):
        for section in ("modes", *OPTIONS):
            for row in rows(section):
                self.assertEqual(len(row), 2 if section == "modes" else 3, row)
                self.assertTrue(all(row), row)
                self.assertFalse(row[-1].endswith(r"\-"), row)

    def test_every_option_has_a_row(self):
        for section, letters in OPTIONS.items():
            told = " ".join(row[0] for row in rows(section))
            for letter in letters:
                self.assertIn(f"``-{letter}``", told)
        told = " ".join(row[0] for row in rows("options"))
        for mix in MIXES:
            self.assertIn(f"``-W{mix}``", told)
        self.assertEqual({row[0].strip("`-") for row in rows("modes")[2:]}, set(MODES))

    def test_what_is_named_exists(self):
        ops = {op for op in re.findall(r"op=(\w+)", PAGE.read_text())}
        known = {op["name"] for op in tests.OPERATIONS}
        self.assertLessEqual(ops, known)
