# SPDX-License-Identifier: GPL-2.0-only
"""The tests find loops that are wrong on purpose: the comparison that passes for the
module's own loops fails for each of these. They are in a copy of the sources. Data are not
verified, since that would find some of them, too."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import accesses
import room

WRITE = """\
	W \\w, "movq %r1\\k, \\o(%\\to)", "movdqa %xmm\\k, \\o(%\\to)", \\
		"vmovdqa %ymm\\k, \\o(%\\to)", "vmovdqa64 %zmm\\k, \\o(%\\to)"
"""
NTWRITE = """\
	W \\w, "movnti %r1\\k, \\o(%\\to)", "movntdq %xmm\\k, \\o(%\\to)", \\
		"vmovntdq %ymm\\k, \\o(%\\to)", "vmovntdq %zmm\\k, \\o(%\\to)"
"""
# With 8 bytes, the last of four lines is skipped; with 32 bytes, each access reads, too.
SKIPS_OR_READS = f"""\
	.if \\w != 8 || (\\o) % 256 < 192
{WRITE}	.endif
	.if \\w == 32
	vmovdqa \\o(%\\to), %ymm6
	.endif
"""
PLANTED = (("loops_common.S", WRITE, SKIPS_OR_READS), ("loops_common.S", NTWRITE, 2 * NTWRITE))


def build(tree: Path) -> Path:
    """The module with these loops, in a copy of its build. make compiles only the loops, if it is
    called as in tools/guest/build, and if its notes (the commands of the last build, and the list
    of objects) name the files of the copy."""
    built = room.TOP / "build/6.1-gcc"
    shutil.copytree(built, tree, symlinks=True, dirs_exist_ok=True)
    for notes in [*tree.rglob(".*.cmd"), *tree.rglob("*.mod")]:
        notes.write_text(notes.read_text().replace(str(built), str(tree)))
    for name, right, wrong in PLANTED:
        path = tree / "module/arch/x86/macros" / name
        text = path.read_text()
        assert text.count(right) == 1, f"{name} has changed: plant its wrong loop anew"
        path.unlink()       # a link to the source
        path.write_text(text.replace(right, wrong))
    kernel = subprocess.run([room.TOP / "tools/guest/kernel", "6.1"], check=True, text=True,
                            stdout=subprocess.PIPE).stdout.strip()
    subprocess.run(["make", "-s", "-j2", "-C", f"{kernel}/build", f"M={tree}", "W=1",
                    "CONFIG_DEBUG_INFO_BTF_MODULES=", "MC_COVERAGE=", "modules"], check=True,
                   stdout=subprocess.DEVNULL)
    return tree / "module/memcache.ko"


class Wrong(room.Tests):
    @classmethod
    def setUpClass(cls):
        tree = Path(tempfile.mkdtemp(prefix="memcache-wrong-"))
        cls.addClassCleanup(shutil.rmtree, tree)
        super().setUpClass()
        cls.room.ko = build(tree)
        cls.room.load()

    def wrong(self, kind, op, width):
        """The differences that the comparison finds in that loop."""
        run = self.room.ask(f"bandwidth type={kind} op={op} width={width} size=24K irq=off "
                            "verify=off warmup=0 repeat=1")
        return accesses.differences(run.result, accesses.sample(run.result, run.windows_of(0)))

    def test_a_loop_that_skips_a_line(self):
        for kind in ("uc", "wc"):
            self.assertRegex("; ".join(self.wrong(kind, "write", 8)), "store: ")

    def test_a_loop_that_stores_twice(self):
        for width in (8, 16, 32):
            for kind in ("uc", "wc"):
                self.assertRegex("; ".join(self.wrong(kind, "ntwrite", width)),
                                 "store: .*streaming: ")

    def test_a_write_combining_loop_that_reads(self):
        self.assertRegex("; ".join(self.wrong("wc", "write", 32)), "^load: ")

    def test_the_others_are_right(self):
        for op, width in (("write", 16), ("read", 8), ("copy", 16), ("triad", 16)):
            for kind in ("uc", "wc"):
                self.assertEqual(self.wrong(kind, op, width), [])
