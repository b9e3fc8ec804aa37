# SPDX-License-Identifier: GPL-2.0-only
"""Suite files: the grammar, and that those we ship ask for what there is."""

import os
from pathlib import Path

import fake
from mc import Failure, suite

COMMON = {"type": "wb wc uc", "size": None, "cpu": None, "node": None, "irq": "on off",
          "page": "direct 4k", "prefetch": "keep off", "repeat": None, "warmup": None,
          "timeout": None}
TESTS = {"bandwidth": {"op": "read ntread write ntwrite copy ntcopy rmw triad",
                       "width": "8 16 32 64 max", "fence": "none sfence mfence uc",
                       "verify": "each deferred off", "readback": "on off"},
         "random": {"op": "read write", "count": None, "mode": "independent dependent",
                    "generator": "lcg xorshift128+", "align": "8 1", "verify": "each off"}}
BAD = {
    "": "no request line",
    "# only a comment\n@title nothing\n": "no request line",
    "write bandwidth op=write\n": ":1: neither",
    "write: bandwidth op\n": ":1: neither",
    "a: bandwidth op=read\na: bandwidth op=write\n": ":2: the label a is taken",
    "@heading x\nbandwidth\n": ":1: no directive @heading",
    "@title\nbandwidth\n": ":1: @title without a text",
    "@table rows=type columns=label\nbandwidth\n": ":1: wanted: @table",
    "@table rows=type columns=label value=\nbandwidth\n": ":1: wanted: @table",
    "@table rows=type columns=label value=x colour=red\nbandwidth\n": ":1: wanted: @table",
}


class Grammar(fake.InDirectory):
    def test_directives_labels_and_comments(self):
        self.write("one", b"# c\n@title A title\n@note Mind.\n@note That.\n"
                          b"@table rows=type columns=label value=mb_per_s\n\n"
                          b"  w:  bandwidth   op=write  size=4K\nlatency\n")
        found = suite.load("./one")
        self.assertEqual(found.name, "one")
        self.assertEqual(found.title, "A title")
        self.assertEqual(found.notes, ["Mind.", "That."])
        self.assertEqual(found.layout, suite.Layout("type", "label", "mb_per_s"))
        self.assertEqual(found.requests, [
            suite.Request("bandwidth op=write size=4K", "w", "one"),
            suite.Request("latency", None, "one")])

    def test_bad_files_are_refused_by_line(self):
        for text, said in BAD.items():
            with self.subTest(text):
                self.write("bad", text.encode())
                with self.assertRaises(Failure) as raised:
                    suite.load("./bad")
                self.assertIn(said, str(raised.exception))
                self.assertEqual(raised.exception.status, 2)

    def test_a_file_that_is_not_text_is_refused(self):
        self.write("bad", b"\xff\xfe\0\1")
        with self.assertRaisesRegex(Failure, "bad: not text"):
            suite.load("./bad")

    def test_no_name_leads_out_of_the_directory(self):
        for name in ("", ".", "..", "../suites", "nosuch", "-x", "a b"):
            self.assertFalse(suite.exists(name), name)

    def test_another_directory_can_be_named(self):
        self.write("mine", b"bandwidth\n")
        os.environ["MEMCACHE_SUITES"] = str(Path.cwd())
        self.addCleanup(os.environ.pop, "MEMCACHE_SUITES")
        self.assertEqual(suite.names(), ["mine"])


class Shipped(fake.unittest.TestCase):
    def test_every_key_and_value_is_known(self):
        self.assertTrue(suite.names())
        for name in suite.names():
            for request in suite.load(name).requests:
                with self.subTest(request.line):
                    self.check(request.line)

    def check(self, line):
        test, *words = line.split()
        keys = dict(word.split("=") for word in words)
        self.assertEqual(len(keys), len(words), "a key twice")
        for key, values in keys.items():
            allowed = (COMMON | TESTS[test])[key]
            if allowed:
                self.assertLessEqual(set(values.split(",")), set(allowed.split()))

    def test_every_table_is_made_of_what_results_have(self):
        known = fake.result("bandwidth", 1.0).keys() | {"label"}
        for name in suite.names():
            layout = suite.load(name).layout
            if layout:
                self.assertLessEqual({layout.rows, layout.columns, layout.value}, known)

    def test_cache_attributes_is_memcachetests(self):
        requests = suite.load("cache-attributes").requests
        self.assertEqual([r.label for r in requests],
                         [test for memory, test in fake.published() if memory == "wb"])
        for request in requests:
            for word in ("type=wb,uc,wc", "size=16M", "cpu=0", "repeat=50"):
                self.assertIn(word, request.line.split())
            wide = "width=16" if request.label.startswith("nt") else "width=8"
            self.assertIn(wide, request.line)
            fence = {"write": "sfence", "ntwrite": "sfence", "write_ucfence": "uc",
                     "ntwrite_ucfence": "uc"}.get(request.label, "none")
            self.assertIn(f"fence={fence}", request.line)
