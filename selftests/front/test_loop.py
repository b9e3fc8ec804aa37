# SPDX-License-Identifier: GPL-2.0-only
"""Loops of one's own: what a file may say, what its source becomes, and what is built of it."""

import hashlib
import re
import subprocess
from pathlib import Path
from unittest.mock import patch

import fake
from mc import Failure, status
from mc.commands import cli, compare
from mc.output import report
from mc.records import loop as loops
from mc.running import loop as building

EXAMPLES = fake.TOP / "examples/loop"
COPY = """\
# two registers
reads  b
writes a
turn   64
width  32
result copy
loop
\tvmovdqa\t(%rsi), %ymm0   # a half
\tvmovdqa\t32(%rsi), %ymm1

\tvmovdqa\t%ymm0, (%rdi)
\tvmovdqa\t%ymm1, 32(%rdi)
"""


class InDirectory(fake.InDirectory):
    def loaded(self, text: str, name: str = "one.loop") -> loops.Loop:
        Path(name).write_text(text, encoding="utf-8")
        return loops.load(name)

    def refused(self, text: str, number: int, *words: str) -> None:
        """The file is wrong in this line, and the message has these words."""
        said = "".join(f"(?=.*{re.escape(word)})" for word in words)
        fake.refused(self, f"(?s)^one.loop:{number}: {said}", self.loaded, text)

    def front(self, *words: str) -> tuple[int, str, str]:
        return fake.output_of(cli.main, ["loop", *words])


class Words(InDirectory):
    def test_the_facts(self):
        loop = self.loaded(COPY)
        checksum = hashlib.sha256(COPY.encode()).hexdigest()[:12]
        self.assertEqual(loop.name, f"one@{checksum}")
        self.assertEqual((loop.arrays, loop.turn, loop.width, loop.payload, loop.stores),
                         (2, 64, 32, 128, "COPY"))
        self.assertEqual((loop.feature, loop.needs, loop.flags), ("AVX2", "BASE", []))
        self.assertEqual([line.number for line in loop.sections["loop"]], [8, 9, 11, 12])

    def test_each_change_of_the_file_is_another_loop(self):
        one, other = self.loaded(COPY), self.loaded(COPY + "\tnop\n")
        self.assertEqual(one.short_name, other.short_name)
        self.assertNotEqual(one.name, other.name)

    def test_what_has_no_word(self):
        text = COPY.replace("result copy\n", "").replace("turn   64", "turn 64\nbytes 100")
        loop = self.loaded(text.replace("reads  b", "reads b, a\nname mine"))
        self.assertEqual((loop.short_name, loop.reads, loop.payload, loop.stores),
                         ("mine", "ab", 100, "UNKNOWN"))
        self.assertEqual(self.loaded("reads a\nturn 64\nwidth 8\nloop\nmovq (%rdi), %rax\n").stores,
                         "NOTHING")

    def test_what_the_cpu_must_have_follows_from_the_instructions(self):
        for text, feature, needs, flags in (
                ("movdqa (%rdi), %xmm0", "BASE", "BASE", []),
                ("vpaddq %xmm1, %xmm0, %xmm0", "AVX2", "BASE", []),
                ("1: vmovdqa (%rdi), %ymm0", "AVX2", "BASE", []),
                ("vmovdqa64 (%rdi), %zmm0", "AVX512F", "BASE", []),
                ("vmovdqa64 (%rdi), %xmm16", "AVX512F", "BASE", []),
                ("movntdqa (%rdi), %xmm0", "BASE", "SSE41", []),
                ("vmovntdq %ymm0, (%rdi)", "AVX2", "BASE", ["NONTEMPORAL"]),
                ("movnti %rax, (%rdi)", "BASE", "BASE", ["NONTEMPORAL"]),
                ("clflush (%rdi)", "BASE", "BASE", ["FLUSHES"]),
                ("clflushopt (%rdi)", "BASE", "CLFLUSHOPT", ["FLUSHES"]),
                ("clwb (%rdi)", "BASE", "CLWB", ["FLUSHES"]),
                ("movdir64b (%rsi), %rdi", "BASE", "MOVDIR64B", ["NONTEMPORAL"])):
            loop = self.loaded(f"reads a\nturn 64\nwidth 8\nloop\n\t{text}\n")
            self.assertEqual((loop.feature, loop.needs, loop.flags), (feature, needs, flags), text)
        both = self.loaded("writes a b\nturn 64\nwidth 8\nloop\n\tnop\n")
        self.assertEqual(both.flags, ["WRITES_TWO"])

    def test_all_examples_are_right(self):
        for path in sorted(EXAMPLES.glob("*.loop")):
            self.assertEqual(loops.load(str(path)).short_name, path.stem)


    def test_the_manual_shows_what_is_printed(self):
        manual = (fake.TOP / "Documentation/own-loops.rst").read_text(encoding="utf-8")
        loop = loops.load(str(EXAMPLES / "copy2.loop"))
        self.assertEqual(manual.count(loop.name), 2)
        for word in (*loops.FACTS, *loops.SECTIONS):
            self.assertIn(f"   * - ``{word}``\n", manual)
        _, said, _ = self.front("--where", "user", str(EXAMPLES / "copy2.loop"), "-o", "copy2")
        for line in said.splitlines():
            self.assertIn(f"\n    {line}\n" if line else "\n", manual)


class Mistakes(InDirectory):
    def test_a_mistake_is_named_by_its_line(self):
        for old, new, number, *words in (
                ("reads  b", "redas  b", 2, "redas: no such word", "Did you mean reads?"),
                ("reads  b", "reads", 2, "reads has no value"),
                ("reads  b", "reads  b e", 2, "e: the arrays are a, b, c and d"),
                ("reads  b", "reads  c", 2, "a c: arrays are named in the order"),
                ("writes a", "writes b", 2, "b: arrays are named in the order"),
                ("writes a", "writes a\nwrites a", 4, "writes is there already"),
                ("writes a", "writes a c", 3, "writes: a, or a b"),
                ("turn   64", "turn   96", 4, "turn: 96: one of 64, 128"),
                ("turn   64", "turn   8192", 4, "4096"),
                ("width  32", "width  24", 5, "width: 24: one of 8, 16, 32, 64"),
                ("width  32", "width  32\nbytes 129", 6, "bytes: 129: from 1 to 128"),
                ("width  32", "width  32\nbytes x", 6, "bytes: x"),
                ("result copy", "result sum", 6, "result: sum: one of copy, rmw, triad"),
                ("result copy", "result rmw", 6, "rmw reads a and writes a"),
                ("result copy", "name a/b\nresult copy", 6, "name: a/b: letters"),
                ("(%rsi), %ymm0 ", "(%r8), %ymm0 ", 8, "%r8 is in use", "rax"),
                ("(%rsi), %ymm0 ", "(%rsp), %ymm0 ", 8, "%rsp is in use"),
                ("\tvmovdqa\t32(%rsi)", "\tincl %r11d; vmovdqa\t32(%rsi)", 9, "%r11d is in use"),
                ("\tvmovdqa\t32(%rsi)", "1: call there; vmovdqa\t32(%rsi)", 9, "call: a turn"),
                ("\n\n", "\n\tret\n", 10, "ret: a turn begins"),
                ("\n\n", "\n.section .data\n", 10, ".section: the instructions stay"),
                ("\n\n", "\nloop\n", 10, "loop is there already")):
            self.assertIn(old, COPY)
            self.refused(COPY.replace(old, new, 1), number, *words)

    def test_what_is_missing_is_named(self):
        self.refused(COPY.replace("turn   64\n", ""), 11, "the word turn is missing", "64, 128")
        self.refused(COPY.replace("width  32\n", ""), 11, "the word width is missing")
        self.refused(COPY.partition("\tvm")[0], 7, "no instructions below the word loop")
        self.refused("turn 64\nwidth 8\nloop\n nop\n", 4, "neither reads nor writes")

    def test_files_that_cant_be_read(self):
        for name, content in (("nosuch", None), ("wide", "turn 64 \u00b5\n")):
            if content:
                Path(name).write_text(content, encoding="utf-8")
            number, _, said = self.front(name)
            self.assertEqual(number, status.WRONG)
            self.assertIn(f"memcache: {name}: ", said)


class Building(InDirectory):
    def code(self, path: Path) -> bytes:
        """The instructions of the turn, as they are in an object."""
        found = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
        begin, end = (int(re.search(rf"^(\w+) \w {name}$", found, re.M)[1], 16)
                      for name in ("mc_own_turn", "mc_own_turn_end"))
        section = subprocess.run(["objcopy", "-O", "binary", "-j", ".text", path, "text"],
                                 check=True) and Path("text").read_bytes()
        start = int(re.search(r"^(\w+) \w mc_own_run$", found, re.M)[1], 16)
        return section[begin - start:end - start]

    def test_the_turn_is_the_bytes_that_the_assembler_makes_of_the_lines(self):
        for path in sorted(EXAMPLES.glob("*.loop")):
            loop = loops.load(str(path))
            number, said, _ = self.front("--where", "user", "-o", loop.short_name, str(path))
            self.assertEqual(number, 0)
            name = loop.short_name
            self.assertIn(f"memcache-user --loop {name}/{name}.so bandwidth op=own", said)
            plain = "\n".join(line.text for line in loop.sections["loop"])
            Path("plain.s").write_text(f"{plain}\n", encoding="ascii")
            subprocess.run(["as", "plain.s", "-o", "plain.o"], check=True)
            subprocess.run(["objcopy", "-O", "binary", "-j", ".text", "plain.o", "plain"],
                           check=True)
            built = self.code(Path(loop.short_name, f"{loop.short_name}.so"))
            self.assertEqual(built, Path("plain").read_bytes())
            self.assertGreater(len(built), 8)

    def test_nothing_is_relocated(self):
        self.front("--where", "user", str(EXAMPLES / "scale.loop"), "-o", "scale")
        said = subprocess.run(["readelf", "-rW", "scale/scale.so"], capture_output=True, text=True,
                              check=True).stdout
        self.assertIn("no relocations", said)

    def test_the_directory_has_the_name_of_the_file(self):
        Path("one.loop").write_text(COPY, encoding="ascii")
        self.assertEqual(self.front("--where", "user", "one.loop")[0], 0)
        self.assertTrue(Path("one/one.so").exists())
        Path("two").write_text(COPY, encoding="ascii")
        number, _, said = self.front("--where", "user", "two")
        self.assertEqual((number, said), (2, "memcache: two: is a file; -o names a directory\n"))

    def test_the_assembler_and_the_linker_name_what_is_wrong(self):
        for old, new, *said in (
                ("32(%rsi)", "32(%nosuch)", "one.loop:9: Error: ",
                 "memcache: one.loop: the assembler does not take it; "),
                ("\n\n", "\n\tjnz nosuch\n", "nosuch",
                 "memcache: one.loop: the linker does not take it; ")):
            Path("one.loop").write_text(COPY.replace(old, new), encoding="ascii")
            done = fake.front("loop", "--where", "user", "one.loop")
            self.assertEqual(done.returncode, 1)
            for words in said:
                self.assertIn(words, done.stderr)

    def test_without_headers_it_says_what_to_install(self):
        Path("one.loop").write_text(COPY, encoding="ascii")
        with patch("os.uname") as uname:
            uname.return_value.release = "9.9.9-none"
            number, said, complaint = self.front("one.loop")
        self.assertEqual(number, status.FAILED)
        self.assertIn("--loop one/one.so", said)
        self.assertNotIn("insmod", said)
        self.assertIn("no headers of the running kernel, 9.9.9-none: ", complaint)
        number, _, complaint = self.front("one.loop", "--headers", ".")
        self.assertEqual((number, complaint),
                         (status.WRONG, "memcache: .: not the headers of a kernel\n"))

    def test_the_module_has_the_name_of_the_loop(self):
        """A stand-in for the kernel's Makefile sees what it would build."""
        Path("headers").mkdir()
        Path("headers/Makefile").write_text("modules:\n\tcp $(M)/Kbuild $(M)/loop.S .\n",
                                            encoding="ascii")
        loop = self.loaded(COPY.replace("reads", "name a.b-2\nreads"))
        Path("out").mkdir()
        building.write(loop, Path("out"))
        self.assertEqual(building.module(loop, Path("out"), Path("headers")),
                         Path("out/memcache_own_a_b_2.ko"))
        kbuild = Path("headers/Kbuild").read_text(encoding="ascii")
        self.assertIn("obj-m := memcache_own_a_b_2.o\n", kbuild)
        self.assertNotIn("@", kbuild)
        self.assertIn('# 9 "one.loop"\n\tvmovdqa\t(%rsi), %ymm0\n',
                      Path("headers/loop.S").read_text(encoding="ascii"))
        Path("a b").mkdir()
        with self.assertRaisesRegex(Failure, "below a path with a space"):
            building.module(loop, Path("a b"), Path("headers"))


class Reports(InDirectory):
    def record(self, op: str, name: str | None) -> dict:
        return fake.result(f"bandwidth op={op}", 1000.0) | {"own_loop": name}

    def shown(self, *records: dict) -> str:
        return "\n".join(report.lines(fake.runs_of(fake.BARE, ("bandwidth", list(records)))))

    def test_the_loop_is_named_where_there_is_one(self):
        self.assertIn("one@0123", self.shown(self.record("read", None),
                                             self.record("own", "one@0123")))
        self.assertNotIn("own_loop", self.shown(self.record("read", None),
                                                self.record("write", None)))

    def test_different_loops_are_not_compared(self):
        for name, loop in (("a", "one@0123"), ("same", "one@0123"), ("other", "one@4567")):
            fake.save(name, fake.machine(), fake.request("bandwidth op=own", 1),
                      self.record("own", loop))
        self.assertIn("1 compared", "\n".join(compare.compare(["a", "same"])[0]))
        lines, number = compare.compare(["a", "other"])
        self.assertEqual(number, status.FAILED)
        self.assertIn("one@4567", "\n".join(lines))
