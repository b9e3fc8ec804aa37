# SPDX-License-Identifier: GPL-2.0-only
"""The wording of conclusions: words.txt shows each whose words depend on its facts, for one thing
of which all holds and for several of which nothing does."""

import re
import textwrap

import fake
from mc.analysis import words

ONE = {"count": (1, 2), "n": 1, "taken": 1, "machines": 1, "runs": 1, "sets": 1, "types": ["UC"],
       "channels": ["A"], "slots": ["A1"], "settings": ["1 reader, 4K"], "levels": ["l2"],
       "changes": ["read 9 % faster"], "speeds": ["WB read 9 MB/s"], "pairs": ["Zeros (WB read)"],
       "causes": ["clock"], "why": ["work"], "work": ["load 9"], "ops": ["op=write"],
       "events": ["cycles"], "bytes": [1.5], "medians": [9.25], "percents": [1.5],
       "percent": 1.5, "peak": 25600.0, "whole": None}
SEVERAL = {"count": (2, 2), "n": 3, "taken": 3, "machines": 3, "runs": 3, "sets": 3,
           "types": ["WB", "UC"], "channels": [*"ABCDEFGHI"], "slots": ["A1", "B1"],
           "settings": ["1 reader, 4K", "2 readers, 4K"], "levels": ["l2", "l3"],
           "changes": ["read 9 % faster", "copy 2 % slower"], "speeds": ["a", "b"],
           "pairs": ["a", "b"], "causes": [], "why": [], "work": ["load 9", "steal"],
           "ops": ["op=write", "op=copy"], "fences": ["nothing", "sfence"], "events": [],
           "bytes": [1.5, 2.5], "percent": 0.0,
           "medians": [9.25, 11.0], "percents": [1.5, 9.0], "peak": None,
           "whole": (1.0742, 0.452, 2.3)}
# Numbers that no choice depends on.
NUMBERS = {"times": 2.0, "moved": 99.5, "rate": 9e4, "most": 128, "full": 128, "full_peak": 51200.0,
           "found": 7800.0, "usual": 3900.0, "low": 1.0, "high": 2.0, "size": 1 << 20,
           "told": 1 << 20, "modules": 4, "units": 8, "known_channels": 2,
           "told_channels": 4}


def shown(name, several):
    """The text of a conclusion with facts for one thing, or for several."""
    named = re.findall(r"\{(\w+)(:\?)?", words.WORDS[name])
    known = {fact: "" if chooses and several else fact for fact, chooses in named}
    return words.Say(name, **known | (SEVERAL if several else ONE) | NUMBERS)


def listing():
    """What words.txt has to be."""
    said = []
    for name, text in words.WORDS.items():
        both = dict.fromkeys(shown(name, several) for several in (False, True))
        if "|" not in text and ":?" not in text:
            continue        # words.py itself shows the only form of it
        said += [textwrap.fill(f"{name}: {text}", 99, subsequent_indent="  ") for text in both]
    return "\n".join(said) + "\n"


class Words(fake.unittest.TestCase):
    maxDiff = None

    def test_each_is_as_it_was_read_last(self):
        kept = (fake.HERE / "words.txt").read_text()
        self.assertEqual(kept.partition("\n\n")[2], listing())

    def test_each_is_used(self):
        source = "".join(path.read_text() for path in fake.FRONT.parent.rglob("mc/*/*.py"))
        self.assertEqual([name for name in words.WORDS if source.count(f'"{name}"') < 2], [])
