# SPDX-License-Identifier: GPL-2.0-only
"""tools/check/words finds sentences that are hard to read, and commits that don't say why."""


import fake

words = fake.load_script("check_words", fake.TOP / "tools/check/words")
LONG = "word " * 36


class Plain(fake.unittest.TestCase):
    def wrong(self, name, text, lines=range(1, 9)):
        return [one.split(": ")[:2] for one in words.wrong(name, text, {*lines})]

    def test_sentences_of_the_manual(self):
        for text, found in (
                (f"A page.\n\n{LONG}.\n", [["a.rst:3", "a sentence of 36 words"]]),
                (f"Short. {LONG[5:]}. Short.\n", []),
                ("It is so\nwhatever the\nsize is.\n", [["a.rst:1", "'whatever the'"]]),
                ("Its speed is that\nof A.", [["a.rst:1", "'that of'"]]),
                (f"Such as::\n\n    {LONG}\n\n   a | {LONG}\n", []),
                (f".. code-block:: c\n\n   {LONG}\n\n{LONG}\n",
                 [["a.rst:5", "a sentence of 36 words"]])):
            with self.subTest(text):
                self.assertEqual(self.wrong("a.rst", text), found)

    def test_only_lines_that_are_new(self):
        text = f"Old: {LONG}.\n\nNew: {LONG}.\n"
        self.assertEqual([where for where, _ in self.wrong("a.rst", text, [3])], ["a.rst:3"])

    def test_messages_of_programs(self):
        python = f'"""{LONG}"""\nsay(f"{{n}} of which "\n    "there are two")\nx = """{LONG}"""\n'
        self.assertEqual(sorted(self.wrong("a.py", python)), [
            ["a.py:2", "'of which there'"], ["a.py:4", "a sentence of 36 words"]])
        c = f'/* {LONG} */\nputs("of which "\n\t"there is one");\nputs("{LONG}");\n'
        self.assertEqual(self.wrong("a.c", c), [
            ["a.c:2", "'of which there'"], ["a.c:4", "a sentence of 36 words"]])

    def test_commits(self):
        def commit(subject, body):
            return f"1234\0{subject}\0{body}\1"
        log = "\n".join([commit("docs: say it", "Since it was not said.\n"),
                         commit("x" * 73, "Why"),
                         commit("fixup! docs: say it", ""), commit("docs: nothing", ""),
                         commit("docs: no why", "Signed-off-by: A <a@b>\n")])
        self.assertEqual([*words.commits(log)], [f"1234: its subject has 73 characters: {'x' * 73}",
                                                 "1234: no body says why: docs: nothing",
                                                 "1234: no body says why: docs: no why"])
