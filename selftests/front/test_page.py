# SPDX-License-Identifier: GPL-2.0-only
"""The page of `memcache report`: what is on it, and a browser that opens it."""

import functools
import re
import unittest
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from unittest import mock

import browser
import fake
from mc import Failure
from mc.analysis import spread
from mc.commands import report as command
from mc.output import document, draw, page, report
from mc.parts import Grid, Heading, Picture, Sentence, bullets
from test_draw import CACHES, SWEEP, sweep
from test_plot import latency, loaded, matrix
from test_report import attributes

VOID = ("meta",)
DELAYS = 0, 50, 1000, 20000
EVIL = "<script>alert(1)</script>&\"'"


class Reader(HTMLParser):
    """Tags that are closed in order; tables by their cells; ids and references."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.ids, self.refs, self.tables = [], [], [], [], []
        self.cell = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for key, value in attrs:
            if key == "id":
                self.ids.append(value)
            if key in ("href", "xlink:href", "src"):
                self.refs.append(value)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.cell = ""

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
        if tag in ("td", "th"):
            self.tables[-1][-1].append(self.cell)
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data


def everything():
    return {"a.jsonl": attributes() + matrix() + latency() + fake.in_user_space(latency())
            + fake.runs_of(fake.BARE, ("loaded", loaded(*DELAYS))),
            "b.jsonl": attributes(fake.TCG, fake.NO)}


def made(files):
    return page.document(document.title(files), document.parts(files))


def undrawn(files):
    """The page without its pictures, which take nearly all of the time."""
    with mock.patch.object(draw, "missing", return_value="nobody looks at them"):
        return made(files)


@functools.cache
def page_of_everything():
    return made(everything())


class Parts(unittest.TestCase):
    def html(self, *parts):
        return "".join(page.body(parts))

    def test_a_table_is_one(self):
        said = self.html(Heading("Title"), Grid(["size_kib", "x"], [["4K", "1.0"], ["8K", "<2>"]]))
        [found] = Reader(said).tables
        self.assertEqual(found, [["size, KiB", "x"], ["4K", "1.0"], ["8K", "<2>"]])
        self.assertIn('<h3 id="s-title"><a href="#s-title">Title</a></h3>', said)
        self.assertIn('<div class="scroll" tabindex="0" role="region" aria-label="Title"><table>',
                      said)
        self.assertIn('<th scope="col" class="left">size, KiB</th><th scope="col">x</th>', said)
        self.assertIn('<tr><th scope="row" class="left">4K</th><td>1.0</td></tr>', said)

    def test_headings_of_one_name_have_different_anchors(self):
        reader = Reader(self.html(Heading("A b"), Heading("a, B!"), Heading("a b")))
        self.assertEqual(reader.ids, ["s-a-b", "s-a-b-2", "s-a-b-3"])
        self.assertEqual(reader.refs, ["#s-a-b", "#s-a-b-2", "#s-a-b-3"])

    def test_parts_of_html(self):
        """Contents behind the title, speeds first, colours, words around a table, values with
        names, a second line, and pictures, which stand together."""
        for parts, *wanted in (
                ([Heading("Page", 1), Heading("One <", 2), Heading("In it"), Heading("Two", 2)],
                 '^<h1>Page</h1><nav aria-label="Contents"><ul><li><a href="#s-one">One &lt;</a>'
                 '</li><li><a href="#s-two">Two</a></li></ul></nav><h2 id="s-one">'),
                ([Grid(["", "size", "A", "B", "speed"], [["x", "4K", "2.0", "1.0", "0.50x ↓"]], 2)],
                 '<table class="speeds"><thead><tr><th scope="col">speed</th><th scope="col" '
                 'class="left"></th><th scope="col" class="left">size</th>',
                 '<tr><td class="slower">0.50x ↓</td><th scope="row" class="left">x</th>'
                 '<td class="left">4K</td><td>2.0</td>'),
                ([Grid(["a", "b"], [["x", "0.40x ↓"], ["y", "1.25x ↑"], ["z", "1.00x ~"]])],
                 '<td class="slower">0.40x ↓</td>', '<td class="faster">1.25x ↑</td>',
                 "<td>1.00x ~</td>"),
                ([Grid(["a"], [["1"]], title="one <", note="two <")],
                 "<caption>one &lt;</caption><thead>", "</table></div><p>two &lt;</p>"),
                ([Grid([], [["CPU", "x"]], 2)],
                 '<div class="scroll"><table class="facts"><tbody><tr><th scope="row" class="left">'
                 'CPU</th><td class="left">x</td></tr></tbody></table></div>'),
                ([Grid(["x"], [["a\nb <"]], strong=(0,))],
                 '<th scope="row" class="left strong">a<small>b &lt;</small></th>'),
                ([Picture("a", "<svg/>", wide="<svg></svg>")],
                 '<div class="pictures"><figure class="across"><div class="narrow"><svg/></div>'
                 '<div class="wide"><svg></svg></div><figcaption></figcaption></figure></div>'),
                ([Picture("a", "<svg/>", ["<"]), Picture("b", "<svg/>")],
                 '^<div class="pictures"><figure><svg/><figcaption><p>&lt;</p></figcaption>'
                 '</figure><figure><svg/><figcaption></figcaption></figure></div>$')):
            for html in wanted:
                self.assertRegex(self.html(*parts), html)

    def test_what_is_folded_ends_at_the_next_heading(self):
        for after in ([], [Heading("Next")], [Heading("Next", 2, folded=True)]):
            said = self.html(Heading("A <", 2, folded=True), Sentence("hidden"), *after,
                             Sentence("more"))
            self.assertEqual(Reader(said).open, [])
            inside = said[said.index("<summary>"):said.index("</details>")]
            self.assertTrue(inside.startswith(
                '<summary><h2 id="s-a">A &lt;</h2></summary><p>hidden</p>'), said)
            self.assertEqual("more" in inside, not after)

    def test_names_of_columns_are_words(self):
        for name, wanted in (("ns_per_load", "ns per load"), ("mb_per_s", "MB/s"),
                             ("gib_per_s", "GiB/s"), ("median_ns", "median, ns"),
                             ("cv_percent", "spread, %"), ("left_out", "left out"),
                             ("A", "A"), ("95 % interval", "95 % interval"), ("size", "size")):
            self.assertEqual(page.column_words(name), wanted)

    def test_columns_are_explained_by_the_names_that_the_page_gives_them(self):
        said = " ".join(document.METHOD)
        for key in ("verified", "effective", "attribute"):
            self.assertIn(f"`{page.WORDS[key]}` (`{key}`", said.replace(" in the records", ""))
        self.assertIn("`spread`", said)

    def test_histograms_are_drawn(self):
        found = [("<a>", sweep([1.0, 5.0])[0]), ("b", sweep([1.0, 5.0])[1])]
        for _, result in found:
            result["histogram_ns_count"] = [[1.0, 50], [10.0, 49], [1000.0, 1]]
        parts = spread.parts("size", found)
        text = "\n".join(fake.terminal_lines(parts))
        said = self.html(*parts)
        self.assertEqual(said.count("<rect"), 6)
        self.assertEqual(sum(line.count("|") == 2 for line in text.split("\n")), 3)
        self.assertNotIn("|", said)
        for value in ("1.000 ns to 1.259 ns: 50 % of loads", ": 1 % of loads", ">10</text>"):
            self.assertIn(value, said)

    def test_also_where_it_is_too_wide_for_lines(self):
        names = ["size", *(f"column {i}" for i in range(40))]
        [found] = Reader(self.html(Heading("Title"), Grid(
            names, [["4K", *("123456.7" for _ in range(40))]]))).tables
        self.assertEqual(found[0], names)

    def test_sentences_are_whole(self):
        text = "word " * 60
        self.assertIn(f"<p>{text.strip()} end</p>",
                      self.html(Heading("Title"), Sentence(f"{text}end")))
        said = self.html(Heading("Title"), *bullets([f"{text}one", "two", "two"]))
        self.assertIn(f"<ul><li>{text.strip()} one</li><li>two</li><li>two</li></ul>", said)

    def test_all_that_a_report_says_is_there(self):
        runs = attributes() + matrix() + latency()
        said = unescape(re.sub(r"<[^>]*>", " ", "".join(page.body(report.parts(runs)))))
        words = set(re.split(r"[\s_]+", said))
        for line in report.lines(runs)[3:]:
            for word in line.replace("|", " ").removeprefix("- ").split():
                if word.replace("_", "").isalnum() and page.column_words(word) not in said:
                    self.assertLessEqual(set(word.split("_")), words, line)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = page_of_everything()
        cls.reader = Reader(cls.text)

    def test_tags_are_closed(self):
        self.assertEqual(self.reader.open, [])

    def test_ids_are_there_once(self):
        self.assertEqual(len(self.reader.ids), len(set(self.reader.ids)))
        local = [ref[1:] for ref in self.reader.refs if ref.startswith("#")]
        local += re.findall(r"url\(#([^)]+)\)", self.text)
        self.assertGreater(len(local), 100)
        self.assertLessEqual(set(local), set(self.reader.ids))

    def test_nothing_is_loaded(self):
        self.assertEqual([ref for ref in self.reader.refs if ref[0] != "#"], [])
        self.assertFalse({"script", "link", "img", "iframe", "image"} & set(self.reader.tags))

    def test_what_is_on_it(self):
        for text in ("Intel(R) Xeon(R) Gold 6252", "VERIFICATION", "Hypervisor", "Comparison",
                     "How each number was made", "What stands out", "Levels in this curve",
                     "MEMORY TYPES HAVE NO EFFECT ON THIS MACHINE",
                     "bandwidth op=write width=8 fence=sfence"):
            (self.assertNotIn if text == "VERIFICATION" else self.assertIn)(text, self.text)
        self.assertEqual(self.reader.tags.count("figure"), 4)
        self.assertEqual(self.text.count('<svg role="group"'), 6,
                         "the first, and the last, which is alone in its row, have two forms")

    def test_the_finding_comes_first_and_details_are_folded(self):
        found = re.findall(r"<h1>|<table[^>]*>|<nav|<figure|<h2|<details><summary><h2", self.text)
        self.assertEqual(found[:4], ["<h1>", '<table class="large">', "<nav", "<h2"])
        chapters = re.findall(r"(?<!<summary>)<h2[^>]*><a[^>]*>([^<]+)", self.text)
        self.assertEqual(chapters, ["Comparison", "Pictures", "Results of A: a.jsonl",
                                    "Results of B: b.jsonl", "Machines"])
        folded = re.findall(r"<summary><h2[^>]*>([^<]+)", self.text)
        self.assertEqual(folded, ["How each number was made", "Requests of A: a.jsonl",
                                  "Requests of B: b.jsonl"])
        self.assertIn("<summary><h3", self.text)

    def test_records_that_are_too_many_for_a_table(self):
        count = len(matrix()[0].results)
        for most, shown in ((count - 1, 1), (count, 0)):
            with mock.patch.object(document, "ROWS", most):
                text = undrawn({"a": matrix()})
                self.assertEqual(text.count(f"{count} records: too many"), shown)

    def test_values_can_be_pointed_at_and_walked_to(self):
        places = re.findall(r'<g class="at" tabindex="0" role="img" aria-label="([^"]+)"',
                            self.text)
        self.assertEqual(len(places), len(SWEEP) + 2 * len(DELAYS), "in both forms of the last")
        self.assertRegex(places[0], r"^4K; A kernel [\d.]+ ns a load; A user [\d.]+ ns a load$")

    def test_every_record_has_its_samples(self):
        rows = [row for found in self.reader.tables if "median, ns" in found[0]
                and "type is real" in found[0] for row in found[1:]]
        self.assertEqual(len(rows), sum(
            len(run.results) for runs in everything().values() for run in runs))

    def test_data_that_did_not_hold_is_loud(self):
        files = {"a": attributes(verified="failed")}
        self.assertIn('<p class="loud">VERIFICATION FAILED in 24 results', undrawn(files))

    def test_prefetchers_are_words(self):
        runs = matrix()
        for told, wanted in ((None, "na"),
                             ({"known": False, "msr": None, "mask": None, "state": None}, "na"),
                             ({"known": True, "msr": "0x1a4", "mask": "0x3f", "msr_2": "0x6d",
                               "mask_2": "0x40000004000", "state": "on"},
                              "on (MSR 0x1a4, mask 0x3f; MSR 0x6d, mask 0x40000004000)"),
                             ({"known": True, "msr": "0x1a4", "mask": "0xf", "state": "mixed"},
                              "mixed (MSR 0x1a4, mask 0xf)")):
            runs[0].machine["prefetch"] = told
            self.assertIn(["Prefetchers", wanted], [
                row for table in Reader(undrawn({"a": runs})).tables for row in table])

    def test_files_of_one_name_keep_their_directory(self):
        text = undrawn(dict.fromkeys(("before/a.jsonl", "after/a.jsonl", "x/b.jsonl"), matrix()))
        for name in ("A: before/a.jsonl", "B: after/a.jsonl", "C: b.jsonl"):
            self.assertIn(f"<p>{name}</p>", text)

    def test_a_machine_is_there_once(self):
        machines = {"same": fake.BARE, "again": fake.BARE, "other": fake.TCG}
        files = {name: fake.runs_of(about, ("latency", sweep(SWEEP)), caches=CACHES)
                 for name, about in machines.items()}
        tables = [dict(table) for table in Reader(undrawn(files)).tables if table[0][0] == "Kernel"]
        self.assertEqual([[key for key in table if key.startswith("Measured")] for table in tables],
                         [["Measured A: same", "Measured B: again"], ["Measured"]])
        self.assertEqual([table["Hypervisor"] for table in tables], ["none", "tcg"])

    def test_pictures_have_the_colours_of_the_page(self):
        """Numbers in a heat map do not: they stand on colours that stay."""
        for colour in ("var(--ink)", "var(--faint)", "var(--line)", "var(--paper)"):
            self.assertIn(f": {colour}", self.text)
        svg = self.text[self.text.index("<svg"):self.text.rindex("</svg>")]
        self.assertNotRegex(svg, "#(222222|666666|dddddd|ffffff)")
        self.assertRegex(svg, "#(010101|fefefe)")

    def test_one_side_has_nothing_to_compare(self):
        self.assertNotIn("Comparison", undrawn({"a": matrix()}))

    def test_a_file_is_no_markup(self):
        runs = attributes()
        for run in runs:
            run.machine["cpu"] = run.machine["hypervisor"] = EVIL
            run.request |= {"line": EVIL, "error": EVIL, "state": EVIL, "section": EVIL,
                            "label": EVIL}
            for result in run.results:
                result["fence"] = EVIL
        text = made({f"{EVIL}.jsonl": runs})
        self.assertNotIn("<script", text)
        self.assertEqual(Reader(text).open, [])


class Command(fake.InDirectory):
    def test_the_file(self):
        fake.save("a.jsonl", *matrix())
        with mock.patch("sys.stderr"):
            self.assertEqual(command.report(["a.jsonl"], None), 0)
        self.assertTrue(Path("a.html").read_text().startswith("<!DOCTYPE html>"))

    def test_a_page_is_no_picture(self):
        with self.assertRaisesRegex(Failure, r"^a\.pdf: wanted a name that ends in \.html$"):
            command.report(["a.jsonl"], "a.pdf")


@unittest.skipUnless(browser.program(), "no chromium")
class InBrowser(fake.InDirectory):
    def test_at_three_widths_and_on_paper(self):
        Path("page.html").write_text(page_of_everything())
        with browser.Browser() as chromium:
            for width in (360, 800, 1280):
                chromium.open("page.html", width)
                # The figures that matter most begin in the first screen.
                self.assertLess(chromium.value("document.querySelector('.large')"
                                               ".getBoundingClientRect().top"), 800)
                # Values appear with the focus of the keyboard, without any script.
                box = "getComputedStyle([...document.querySelectorAll('.at')].find(e => " \
                      "e.getBoundingClientRect().width).querySelector('.values')).visibility"
                self.assertEqual(chromium.value(box), "hidden")
                chromium.value("[...document.querySelectorAll('.at')].find(e => "
                               "e.getBoundingClientRect().width).focus()")
                self.assertEqual(chromium.value(box), "visible")
                for scheme, paper in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(22, 24, 27)")):
                    chromium.call("Emulation.setEmulatedMedia", features=[
                        {"name": "prefers-color-scheme", "value": scheme}])
                    for what in ("document.body).backgroundColor",
                                 "document.querySelector('svg g path')).fill"):
                        self.assertEqual(chromium.value(f"getComputedStyle({what}"), paper)
                self.assertEqual(chromium.value("innerWidth"), width)
                self.assertLessEqual(chromium.value("document.documentElement.scrollWidth"), width)
                self.assertEqual([url.rpartition("/")[2] for url in chromium.requested],
                                 ["page.html"])
                # Of pictures each is seen, and what is cut off can be scrolled to.
                drawn = "[...document.querySelectorAll('figure svg')].filter(" \
                        "e => e.getBoundingClientRect().width)"
                self.assertEqual(chromium.value(f"{drawn}.filter("
                                                "e => e.getBoundingClientRect().width > 250 && "
                                                "e.getBoundingClientRect().height > 150).length"),
                                 4)
                self.assertEqual(chromium.value(
                    "[...document.querySelectorAll('table')].filter(e => e.scrollWidth > "
                    "e.parentNode.clientWidth && getComputedStyle(e.parentNode).overflowX "
                    "!= 'auto').length"), 0)
                # The speed stays, however far the table is scrolled.
                left = "(t => { t.parentNode.scrollLeft = 200; return t.rows[1].cells[0]" \
                       ".getBoundingClientRect().left })(document.querySelector('.speeds'))"
                self.assertTrue(0 <= chromium.value(left) < width / 4)
                # Letters of a picture, in CSS pixels, as a phone shows them.
                size = chromium.value(f"Math.min(...{drawn}.map("
                                      "e => 8.5 * e.getBoundingClientRect().width "
                                      "/ e.viewBox.baseVal.width))")
                self.assertGreater(size, 7.5)
                self.assertTrue(chromium.screenshot().startswith(b"\x89PNG"))
            self.assertTrue(chromium.pdf().startswith(b"%PDF"))
