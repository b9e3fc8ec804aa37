# SPDX-License-Identifier: GPL-2.0-only
"""Each form of a value that memcache-user takes, and with it the module, whose parser it has, is
taken by the front end, too."""

import re
import subprocess
from collections import Counter

import fake
from mc.records import check, keys
from mc.records import tests as described

FORMS = {
    "choice": lambda key: [*key["words"], ",".join(key["words"][:2]), key["words"][0].upper()],
    "number": lambda key: [*key.get("words", ()), str(key.get("min", 0)), str(key["max"]), "007",
                           "7,8", "2.5", "0.125", "10s", "500ms", "1.5min", "1h", "10S", "500MS"],
    "size": lambda key: [*key.get("words", ()), *key.get("words", ("4K",)), "4096", "04096", "64k",
                         "1m", "1G", "4K..64K", "4K,1M..4M", str(key["max"]), "1T",
                         "00000000000000000064K", "64kB", "64KiB", "1.5M", "1.5MiB..6mb",
                         "4096B", "4096b..1M"],
    "time": lambda key: ["0", "00", "0s", "1us,20ms", "0001ms", "1s", "3000us", "20MS"],
    "cpus": lambda key: ["0", "00", "0-3,8", "8,0-3", "all", "any", "ALL", "Any"],
    "path": lambda key: [*key.get("words", ()), "/dev/shm/a-b_c.d", "/a/../b", "/a=b", "/A..B"],
    "target": lambda key: ["ram", "pci:0000:00:05.0/2", "pci:10000:Ff:1f.7/5", "pci:00:05.0/2",
                           "00:05.0/2", "0000:00:05.0/2", "phys:0x30000000+128M",
                           "phys:768M+0x8000000", "phys:0+4k"],
    "groups": lambda key: ["0:read", "0-1,3:read", "0-1,3:read+4,5:write",
                           "0:read:size=64K+1:ntwrite:node=0", "0:chase:size=1M"],
}


def lines():
    """A request for each form of each key of each test, with the kind of the key."""
    for test in described._tables["tests"]:
        for key in (*test["keys"], *described._tables["keys"]):
            for value in FORMS[key["kind"]](key):
                yield key["kind"], f"{test['name']} {key['name']}={value}"


class Forms(fake.unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = subprocess.run([fake.TOP / "tools/tests"], check=True, capture_output=True,
                                  text=True).stdout
        cls.program = fake.TOP / "build/user/memcache-user"

    def refused(self, asked):
        """Those of the lines that memcache-user says are wrong. Nothing is measured, since the
        last line is always wrong."""
        done = subprocess.run([self.program, "--own", *asked, "nosuch"], capture_output=True,
                              text=True)
        self.assertIn("nothing was measured", done.stderr)
        return set(re.findall(r"Invalid argument: .* \(in: (.*)\)$", done.stderr, re.M))

    def test_what_memcache_user_takes(self):
        known = keys.parse(self.text)
        kinds = dict(reversed(pair) for pair in lines())
        refused = self.refused(kinds)
        taken = Counter(kinds[line] for line in kinds if line not in refused)
        self.assertEqual(set(taken), set(FORMS), "no form of a kind was taken")
        self.assertEqual([why for line in kinds
                          if line not in refused and (why := check.first_mistake(line, known))], [])

    def test_each_kind_of_key_has_forms(self):
        self.assertEqual({kind for kind, _ in lines()}, set(FORMS))
