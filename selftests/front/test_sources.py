# SPDX-License-Identifier: GPL-2.0-only
"""tools/reference/import: what it reads from each of its sources, on small files of their forms,
and the references that it makes of them."""

import json
import os
import sys
import unittest
from math import log
from pathlib import Path
from types import NoneType
from unittest import mock

import fake

TOOL = fake.TOP / "tools/reference"
sys.path.insert(0, str(TOOL))

importer = fake.load_script("reference_import", TOOL / "import")
import build  # noqa: E402
import servers  # noqa: E402
import slots  # noqa: E402
from machines import Measured  # noqa: E402

from mc.analysis import reference  # noqa: E402

# A model in references.json: VENDOR FAMILY MODEL, its steppings, kind of core and system on a chip.
MODEL = "^unnamed$|^[A-Za-z]+ [0-9]+ [0-9]+( steppings [0-9]+-[0-9]+)?" \
        "( (performance|efficiency))?( [^ ]+,[^ ]+)?$"
BRAND = "Some(R) Core(TM) i9-1234 CPU @ 3.00GHz"


def leaf(number, eax=0, ebx=0, ecx=0, edx=0, after=""):
    return f"CPUID {number:08X}: {eax:08X}-{ebx:08X}-{ecx:08X}-{edx:08X}{after}\n"


def registers(text):
    """Registers that hold these letters."""
    return [int.from_bytes(text[i:i + 4].encode(), "little") for i in range(0, len(text), 4)]


def dump(leaves):
    """A dump of one CPU that runs a 64-bit Linux."""
    ebx, edx, ecx = registers("GenuineIntel")
    words = registers(BRAND.ljust(48, "\0"))
    return leaf(0, 0x16, ebx, ecx, edx) + leaf(1, 0x906ea) + leaves \
        + leaf(0x80000001, edx=1 << 29) + "".join(
            leaf(0x80000002 + i, *words[4 * i:4 * i + 4]) for i in range(3))


def cache_leaf(level, kind, kib, ways, after=""):
    """A subleaf of a cache: its size in sets of `ways` lines of 64 bytes."""
    sets = kib * 1024 // 64 // ways
    return leaf(4, level << 5 | kind, ways - 1 << 22 | 63, sets - 1, 0, after)


INTEL = cache_leaf(1, 1, 32, 8, after=" [SL 00] [L1D: 32 KB]") + cache_leaf(1, 2, 32, 8) + \
    cache_leaf(2, 3, 256, 4) + cache_leaf(3, 3, 8192, 16, after=" [SL 03] [L3U: 8 MB]")
TABLE = """
L1    Data Cache:    32 KB,  8-way Associative, 64-byte Line
L1  Instr. Cache:    32 KB,  8-way Associative, 64-byte Line
L2 Unified Cache:   256 KB,  4-way Associative, 64-byte Line
L3 Unified Cache:     8 MB, 16-way Associative, 64-byte Line
"""
NEW = """\
some.dll build: 4.3.1 Dec 10 2017 09:00:00
Arch:X64 CPUCount:8 NUMA:0 Freq: 4000.00MHz Priority:080
CPU#000 Vendor: GenuineIntel Family: 6 Model: 9e Stepping: a
CPU#000 L1D cache:     32KB,    64 byte cache line,  8 way, SMask:01
CPU#000 L2  cache:   1024KB,    64 byte cache line,  4 way, SMask:01
CPU#000 L3  cache:   8192KB,    64 byte cache line, 16 way, SMask:ff
CPU#000 L1D 4K TLB:              32 entries,  4 way, SMask:01
CPU#000 L2I+D 4K+2M TLB:       1536 entries, 12 way, SMask:ff
CPU#001 L1D 4K TLB:              99 entries,  4 way, SMask:01
Linear_Forward Tests
Stride:       8   64   4K
      16 KB   4    4
      64 KB   4    5   12
     256 KB   4    5   21
   65536 KB   5   20   99
Best Page_Random Tests
M1 Mem   70.000 nsec  280.000 clks (MemSize: 131072 KiB Stride:  128)
M1 L1D    1.000 nsec    4.000 clks (MemSize:     32 KiB Stride:   64)
M1 L2     3.000 nsec   12.000 clks (MemSize:    128 KiB Stride:   64)
M1 L3    11.000 nsec   44.000 clks (MemSize:   4096 KiB Stride:  128)
Best Linear_Forward Tests
M1 Mem    9.000 nsec   36.000 clks (MemSize: 131072 KiB Stride:  128)
"""


class Servers(unittest.TestCase):
    find = staticmethod(servers.finder({
        BRAND: "GenuineIntel 6 158", "AMD Twin 1": "AuthenticAMD 1 1",
        "AMD Twin 1 Processor": "AuthenticAMD 1 2"}))

    def test_names_are_found_without_what_makers_add(self):
        self.assertEqual("GenuineIntel 6 158", self.find("Some Core i9-1234 @ 3.00 GHz"))
        self.assertEqual("", self.find("Some Core i9-12345"))
        self.assertEqual("", self.find("Twin 1"))       # two models have it


def machines(*values, figure="memory_ns", model="GenuineIntel 6 158"):
    return [Measured(model, f"machine {i}", "instlatx64", 2000 + i, figures={figure: value})
            for i, value in enumerate(values)]


class References(unittest.TestCase):
    def test_no_socket_has_more_bits_than_its_data_sheet_says(self):
        rows = reference.data().rows
        for model, most in slots.MOST_BITS.items():
            self.assertLessEqual(rows[model]["memory_bits"].high, most, model)


def contribution(**more):
    return json.dumps({"schema": 1, "model": "Arm 8 3339", "platform": None, "year": None,
                       "figures": {"memory_ns": 120}} | more).encode()


class Contributed(fake.InDirectory):
    def test_a_chip_with_several_names_is_found_by_each(self):
        names = ("arm,sun50iw9p1", "allwinner,sun50i-h616")
        for number, name in enumerate(names):
            self.write(f"{number}.json", contribution(model="Arm 8 3331", platform=name))
        data = build.build(servers.contributed_machines(Path()), {}, {})
        for name in names:
            row = data.known("Arm 8 3331", name)["memory_ns"]
            self.assertEqual((f"Arm 8 3331 {names[1]}", 2), (row.model, row.machines))

    def test_each_file_is_a_machine(self):
        self.write("one.json", contribution(platform="maker,chip7", year=2026))
        [one] = servers.contributed_machines(Path())
        self.assertEqual(("Arm 8 3339", "maker,chip7", "contributed", {"memory_ns": 120}),
                         (one.model, one.platform, one.source, one.figures))
        self.assertEqual((0, "one.json: right\n"), self.check("one.json"))
        self.write("one.json", contribution(figures={"speed": 1}))
        status, said = self.check("one.json")
        self.assertEqual(1, status)
        self.assertIn("'speed' is none", said)
        with self.assertRaisesRegex(SystemExit, "one.json: figures: 'speed' is none"):
            list(servers.contributed_machines(Path()))
        self.assertEqual((1, ".: not an ordinary file\n"), self.check("."))
        self.assertEqual((1, "none.json: no such file\n"), self.check("none.json"))

    def test_each_bad_file_has_a_sentence(self):
        of = contribution
        kinds = {
            "empty": b"", "blank": b" \n", "text": b"hello", "cut": of()[:-9], "list": b"[1]",
            "null": b"null", "number": b"1", "binary": bytes(range(256)), "nul": b"\0" * 9,
            "utf16": of().decode().encode("utf-16"), "bom": b"\xef\xbb\xbf" + of(),
            "latin": of(platform="x").replace(b"x", b"\xe9,a"), "deep": b"[" * 100000,
            "twice": of().replace(b'"year": null', b'"year": null, "year": 2020'),
            "large": of() + b" " * (1 << 17),
            "digits": of(year=0).replace(b" 0", b" " + b"9" * 9999),
            "model": of(model="Arm 8 " + "9" * 9999), "wide": of(model="Arm 8 \uff13"),
            "models": of(model=["Arm 8 3339"]), "year": of(year=2 ** 80), "years": of(year="2020"),
            "figures": of(figures=[120]), "surrogate": of(figures={"\ud800": 1}),
            "escape": of(figures={"\033[2J": 1}), **{
                kind: of(figures={"memory_ns": value}) for kind, value in (
                    ("word", "120"), ("huge", 10 ** 400), ("infinite", float("inf")),
                    ("nan", float("nan")), ("flag", True), ("nested", {"a": []}))}}
        for name, raw in kinds.items():
            with self.subTest(name):
                status, said = self.check(self.write(f"{name}.json", raw))
                self.assertEqual(1, status)
                self.assertRegex(said, rf"\A{name}\.json: [ -~]{{5,999}}\n")
        self.write("other.txt", b"")
        os.mkfifo("pipe.json")
        with self.assertRaises(SystemExit) as left:
            list(servers.contributed_machines(Path()))
        for name in (*(f"{kind}.json" for kind in kinds), "other.txt", "pipe.json"):
            self.assertRegex(left.exception.code, rf"\b{name}: ")

    def check(self, path):
        return fake.output_of(importer.check, [Path(path)])[:2]


class Building(unittest.TestCase):
    def row(self, *values):
        return build.build(machines(*values), {}, {}).rows["GenuineIntel 6 158"]["memory_ns"]

    def test_a_row_is_a_range(self):
        row = self.row(80, 70, 75)
        self.assertEqual((70, 75, 80, 3, 2002),
                         (row.low, row.typical, row.high, row.machines, row.year))

    def test_an_odd_machine_of_many_is_left_out(self):
        self.assertEqual((78, 4), ((row := self.row(70, 72, 75, 78, 300)).high, row.machines))
        self.assertEqual(300, self.row(70, 72, 300).high)       # nobody knows which is odd

    def test_allowances_follow_from_differences(self):
        alike, apart = ([[(0.0,), (log(by),)], [(0.0,), (-log(by),)]] * 5 for by in (1.02, 1.2))
        self.assertEqual([build.LEAST] * 3, build.allowances(alike))
        one, two, four = build.allowances(apart)
        self.assertGreater(one, 1.3)
        self.assertGreaterEqual(one, two)
        self.assertGreaterEqual(two, four)

    def test_several_figures_are_seldom_low_together(self):
        models = [[(-0.3, 0.0), (0.0, 0.0), (0.0, -0.3), (0.0, 0.0)]] * 40
        alone = build.allowances([[one[:1] for one in values] for values in models])
        self.assertGreater(alone[0], 1.3)
        self.assertEqual([build.LEAST] * 3, build.allowances(models))
        self.assertGreater(build.allowances([[(-0.3, -0.3), (0.0, 0.0)]] * 40)[0], 1.3)

    def test_a_model_of_x86_is_a_chip_and_a_core_of_arm64_is_in_many(self):
        for model, chip in (("CentaurHauls 6 15", True), ("Arm 8 3339", False),
                            ("Arm 8 3339 maker,chip7", True)):
            self.assertEqual("memory_ns" + " on a chip" * chip,
                             reference.spread_of(model, "memory_ns"))
            self.assertEqual("l1_cycles", reference.spread_of(model, "l1_cycles"))

    def test_on_a_chip_only_memory_has_a_row_of_its_own(self):
        one = Measured("Arm 8 3339", "b", "sbc-bench", 2024, "maker,chip7",
                       {"memory_ns": 100, "l1_cycles": 4})
        rows = build.build([one], {}, {}).rows
        self.assertEqual({"memory_ns", "l1_cycles"}, rows["Arm 8 3339"].keys())
        self.assertEqual({"memory_ns"}, rows["Arm 8 3339 maker,chip7"].keys())

    def test_the_file_can_be_read_back(self):
        data = build.build(machines(70, 80), {"instlatx64": {}}, {"GenuineIntel 6 158": "Some"})
        self.assertEqual(data, reference.parse(build.text(data)))

    def test_held_out_machines_are_judged_by_the_others(self):
        many = [Measured(f"M 6 {model}", f"{model} {i}", "instlatx64", None,
                         figures={"memory_ns": 100 + i, "memory_stride_ns": 5 + 0.1 * i,
                                  "l3_cycles": 40, "copy_mb_per_s": 9000, "memory_bits": 128})
                for model in range(20) for i in range(4)]
        said = "\n".join(build.evaluate(many))
        self.assertRegex(said, r"abnormal: [0-5]\.\d %")
        for fault in build.PLANTED:
            self.assertRegex(said, rf"{fault}.* 100 %")


class Cores(unittest.TestCase):
    def test_a_model_with_one_kind_of_core_has_this_kind(self):
        for names, model in ((["G 6 190 efficiency"], "G 6 190 efficiency"),
                             (["G 6 190"], "G 6 190"), ([], "G 6 190"),
                             (["G 6 190 efficiency", "G 6 190 performance"], "G 6 190"),
                             (["G 6 190", "G 6 190 efficiency"], "G 6 190")):
            self.assertEqual(model, importer.with_core("G 6 190", dict.fromkeys(names, "")))


class Data(unittest.TestCase):
    def test_the_file_has_what_its_reader_expects(self):
        told = json.loads(reference.FILE.read_text())
        self.assertEqual({"schema", "sources", "allowances", "models", "figures"}, told.keys())
        self.assertEqual(1, told["schema"])
        self.assertEqual({str}, {type(name) for name in told["models"].values()})
        for source in told["sources"].values():
            self.assertEqual({"title", "url", "licence", "method"}, source.keys())
            self.assertRegex(source["url"], "^(https://.*)?$")
        for factors in told["allowances"].values():
            self.assertEqual(len(reference.SEVERAL), len(factors))
            self.assertGreaterEqual(min(factors), 1)

    def test_figures_and_sources_are_known_ones(self):
        data = reference.data()
        for rows in data.rows.values():
            for row in rows.values():
                self.assertRegex(row.model, MODEL)
                self.assertIn(row.figure, reference.FIGURES)
                self.assertGreater(row.low, 0)
                self.assertLessEqual(row.low, row.typical)
                self.assertLessEqual(row.typical, row.high)
                self.assertLessEqual(set(row.sources.split("+")), data.sources.keys())
                self.assertGreaterEqual(row.machines, 1)
                self.assertIsInstance(row.year, (int, NoneType))
                if reference.FIGURES[row.figure].slow is not None:
                    self.assertGreater(data.allowance(row), 1)


class Command(fake.InDirectory):
    def test_from_snapshots_to_a_file(self):
        name = "GenuineIntel00906EA_Some_01"
        fake.put({f"GenuineIntel/{name}_CPUID.txt": dump(INTEL) + TABLE,
                  f"GenuineIntel/{name}_NewMemLat.txt": NEW,
                  f"Virtual_CPU_/{name}_x64_CPUID.txt": dump(cache_leaf(1, 1, 64, 8))},
                 "InstLatx64", end="")
        with mock.patch.object(sys, "argv", "import --snapshots . -o out.json".split()):
            status, _, warned = fake.output_of(importer.main)
        self.assertEqual(0, status)
        told = json.loads(Path("out.json").read_text())
        self.assertIn("sbc-bench: not there; left out", warned)
        self.assertEqual("Some", told["models"]["GenuineIntel 6 158"])
        self.assertIn(["GenuineIntel 6 158", "l3_kib", 8192, 8192, 8192, 1, "instlatx64", None],
                      told["figures"])
        self.assertIn(["GenuineIntel 6 158", "l1d_kib", 32, 32, 32, 1, "instlatx64", None],
                      told["figures"])
        self.assertIn(["GenuineIntel 6 158", "l1_cycles", 4, 4, 4, 1, "instlatx64", 2017],
                      told["figures"])
