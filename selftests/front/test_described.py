# SPDX-License-Identifier: GPL-2.0-only
"""What the tests say of themselves is of one piece, and the front end can use it."""

import re

import fake
from mc.output import layout
from mc.records import suite, tests
from mc.records.places import PLACES


class Described(fake.unittest.TestCase):
    def test_a_table_has_columns_of_its_test(self):
        for test in filter(lambda test: test.table, tests.TESTS.values()):
            with self.subTest(test.name):
                found = suite.layout(test.table)
                known = {*tests.key_columns(test.name), *(figure.name for figure in test.figures),
                         *PLACES}
                self.assertLessEqual({found.rows, *found.values, *filter(None, [found.columns])},
                                     known)

    def test_a_matrix_has_the_first_figure_that_all_results_have(self):
        lines, rates = {"ns_per_line": 5.0}, {"ns_per_line": 5.0, "mb_per_s": 12800.0}
        for results, figure in (([rates, rates], "mb_per_s"), ([rates, lines], "ns_per_line"),
                                ([lines | {"mb_per_s": None}], "ns_per_line"),
                                ([], "ns_per_line")):
            [one] = layout.layouts_of("c2c", results)
            self.assertEqual(one.values, (figure,))

    def test_each_file_of_a_test_is_listed_and_has_a_native_test(self):
        lacking = []
        for file in sorted([*fake.TOP.glob("module/benchmarks/*.c"),
                            *fake.TOP.glob("tools/user/benchmarks/*.c")]):
            name = file.relative_to(fake.TOP)
            if file.stem == "table":
                continue
            if not {*re.findall(r"mc_test_(\w+) = {", file.read_text())} & {*tests.TESTS}:
                lacking.append(f"{name} has no line in module/measure/tests.h, or `make describe` "
                               "was not run")
            elif name.parts[0] == "module" and not (
                    fake.TOP / "selftests/core" / file.name).exists():
                lacking.append(f"{name} has no native test selftests/core/{file.name}")
        self.assertEqual(lacking, [])

    def test_a_role_that_one_figure_has(self):
        for test in tests.TESTS.values():
            for role in "main", "over", "count":
                with self.subTest(f"{test.name} {role}"):
                    self.assertLessEqual(len(test.figures_with_role(role)), 1)
            with self.subTest(test.name):
                self.assertTrue(test.main() or not test.figures_with_role("over"))

    def test_figures_of_one_name_have_one_unit(self):
        found = {}
        for test in tests.TESTS.values():
            for figure in test.figures:
                with self.subTest(f"{test.name} {figure.name}"):
                    self.assertEqual(found.setdefault(figure.name, figure.unit), figure.unit)

    def test_a_test_that_is_not_known(self):
        self.assertEqual(tests.test_of("nosuch").table, "")
        self.assertLessEqual({"op", "size_bytes"}, {*tests.key_columns("nosuch")})
