# SPDX-License-Identifier: GPL-2.0-only
"""The sources of this repository as series of patches against a kernel tree: what differs between
kernels and what user space needs is resolved, so that none of it is left. Everything here fails
if the sources no longer have the shape that it knows."""

import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import kunit

TOP = Path(__file__).resolve().parents[2]
HERE = TOP / "tools/patches"
DRIVER = "drivers/misc/memcache"
TESTS = "tools/testing/selftests/memcache"

# What every kernel since 6.12 has: these branches are kept, the others are not.
DEFINED = ["__KERNEL__", "SYM_START", "SYM_TYPED_START", "RET", "cond_resched_tasks_rcu_qs"]

# Where our sources are, and what a build may have left there.
OURS = ["module", "selftests/memcache", "selftests/modules", "selftests/core",
        "Documentation/ABI", "tools/patches/tree"]
BUILT = ["*.o", "*.ko", "*.cmd", "*.mod", "*.mod.c", "Module.symvers", "modules.order",
         "__pycache__"]

# The places of our sources in a kernel tree.
PLACES = [("module/uapi/memcache.h", "include/uapi/linux/memcache.h"),
          ("module/", f"{DRIVER}/"),
          ("Documentation/ABI/testing/", "Documentation/ABI/testing/"),
          ("selftests/memcache/", f"{TESTS}/"),
          ("selftests/modules/", f"{TESTS}/test_modules/"),
          ("tools/patches/tree/", "")]
# What a kernel tree has in another way, or does not need: the series is for x86, and a kernel
# tree takes no loops from elsewhere (without-own.diff).
NOT_THERE = ["module/Kbuild", "module/platform/compat.h", "module/arch/arm64/*",
             "module/kernel/arm64/*", "module/*/own.[ch]", "module/arch/x86/macros/own.S",
             "selftests/modules/mc_bugs.c", "selftests/modules/arm64/*"]

# Words of which no file may have any in the end.
FOREIGN = re.compile(r"\bMC_HAVE_|compat\.h|__has_include|__KERNEL__|MC_IN_KERNEL"
                     r"|\btools/(?!testing)|LINUX_VERSION_CODE|MODULE_VERSION|cmocka|uapi/memcache\.h")

Tree = dict[str, str]


class Error(Exception):
    """The sources, or the kernel tree, have another shape than this program knows."""


def call(*command: str | Path, cwd: Path, text: str = "") -> str:
    """The output of a command, which has to succeed; it gets TEXT to read."""
    done = subprocess.run(command, cwd=cwd, input=text, text=True, capture_output=True,
                          check=False)
    if done.returncode:
        raise Error(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}".rstrip())
    return done.stdout


def matching(names: list[str], pattern: str) -> list[str]:
    """The names that a pattern means; there must be one."""
    found = [name for name in names if fnmatchcase(name, pattern)]
    if not found:
        raise Error(f"series.toml: no file is {pattern}")
    return found


# ------------------------------------------------------------------- our sources

def features(linux: Path) -> list[str]:
    """What this kernel has, and has not, as module/Kbuild sees it: arguments of unifdef."""
    words = kbuild("ccflags-y", f"srctree={linux}")
    known = set(re.findall(r"-D(MC_HAVE_\w+)", (TOP / "module/Kbuild").read_text()))
    return [f"-D{name}=1" if f"-D{name}" in words else f"-U{name}" for name in sorted(known)]


def sources(scratch: Path, conditions: list[str], without: list[str],
            parts: dict[str, list[str]]) -> Tree:
    """Our sources without these parts: {path in this repository: text}."""
    for place in OURS:
        shutil.copytree(TOP / place, scratch / place, ignore=shutil.ignore_patterns(*BUILT))
    for diff in ["in-tree", "without-own", *(f"without-{part}" for part in without)]:
        call("patch", "-p1", "-s", "-F0", "--no-backup-if-mismatch", "-i", HERE / f"{diff}.diff",
             cwd=scratch)
    names = sorted(str(path.relative_to(scratch)) for path in scratch.rglob("*") if path.is_file())
    gone = [name for part in without for pattern in parts[part]
            for name in matching(names, pattern)]
    for name in names:
        if name.startswith("module/") and name.endswith((".c", ".h", ".S")):
            keep_kernel_side(scratch / name, conditions)
    return {name: (scratch / name).read_text() for name in names if name not in gone}


def keep_kernel_side(path: Path, conditions: list[str]) -> None:
    """Resolve the conditions of which the outcome is known in a kernel tree."""
    done = subprocess.run(["unifdef", "-m", *conditions, path],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or done.stderr:
        raise Error(f"unifdef {path.name}: {done.stderr}")


def wrappers(compat: str) -> dict[str, str]:
    """What compat.h is in a kernel tree: other names of the kernel's functions."""
    names = {}
    for line in re.findall(r"^#define (?!MC_COMPAT_H)(.*)$", compat, re.M):
        same = re.fullmatch(r"(\w+)(\([\w, ]+\))\s+(\w+)\2", line)
        if not same:
            raise Error(f"compat.h: more than another name of a function: {line}")
        names[same[1]] = same[3]
    return names


def headers(text: str, linux: Path) -> str:
    """The text with <linux/NAME.h> in place of an <asm/NAME.h> that it includes, as checkpatch
    wants it. Not every kernel that module/ is for has each of these."""
    def linux_first(block: re.Match[str]) -> str:
        lines = [re.sub(r"<asm/(.*)>", r"<linux/\1>", line) if includes(line) else line
                 for line in block[0].splitlines()]
        # linux comes before asm, both in the order of the alphabet.
        return "".join(f"{line}\n" for line in sorted(
            set(lines), key=lambda line: ("<linux/" not in line, line)))

    def includes(line: str) -> bool:
        name = re.fullmatch(r"#include <asm/(.*)>", line)
        path = linux / "include/linux" / name[1] if name else None
        return bool(path and path.is_file() and line in path.read_text())

    return re.sub(r"(?:^#include <.*>\n)+", lambda block: linux_first(block)
                  if any(map(includes, block[0].splitlines())) else block[0], text, flags=re.M)


def in_kernel(ours: Tree, linux: Path) -> Tree:
    """The same files at their places in the kernel tree LINUX."""
    names = wrappers(ours["module/platform/compat.h"])
    wrapper = re.compile(r"\b(" + "|".join(names) + r")\b")
    tree = {}
    for name, text in ours.items():
        place = next((to + name.removeprefix(start) for start, to in PLACES
                      if name.startswith(start)), None)
        if place is None or any(fnmatchcase(name, pattern) for pattern in NOT_THERE):
            continue
        text = text.replace('#include "platform/compat.h"\n', "")
        text = re.sub(r"^(Users:\t+).*", rf"\1{TESTS}", text, flags=re.M)
        text = text.replace('#include "uapi/memcache.h"', "#include <linux/memcache.h>")
        if name.startswith("module/"):  # lines that are gone may leave two empty ones
            text = re.sub(r"\n{3,}", "\n\n", text)
        if place.endswith((".c", ".h")):
            text = headers(text, linux)
        tree[place] = wrapper.sub(lambda found: names[found[1]], text)
    tree |= kunit_tests(ours)
    for name, text in tree.items():
        if word := FOREIGN.search(text):
            raise Error(f"{name}: still has {word[0]}")
    return tree


def kunit_tests(ours: Tree) -> Tree:
    """The native tests of module/core, for KUnit."""
    native = {name.removeprefix("selftests/core/"): text for name, text in ours.items()
              if name.startswith("selftests/core/")}
    headers = "".join(native[name] for name in kunit.HEADERS)
    tests = {name: name for name in kunit.HEADERS}
    tests |= {name: name.replace(".c", "_kunit.c") for name in kunit.FILES if name in native}
    return {f"{DRIVER}/tests/{place}": kunit.converted(name, native[name], headers)
            for name, place in tests.items()}


# --------------------------------------------------- files that follow from others

def insertion(name: str) -> str:
    """Our lines for a file that has others, too; its licence is that of the file."""
    return (HERE / name).read_text().split("\n", 1)[1]


def kbuild(variable: str, *settings: str) -> list[str]:
    """The words of a variable of module/Kbuild, with these settings of make."""
    src = TOP / "module"
    words = call("make", "-s", "-f", "-", f"src={src}", *settings, cwd=TOP,
                 text=f"all: ; @echo $({variable})\ninclude {src / 'Kbuild'}\n").split()
    return [word.replace(str(src), "$(src)") for word in words]


def makefile(paths: list[str]) -> str:
    """The driver's Makefile for these files, with the objects and flags of module/Kbuild."""
    there = {re.sub(r"\.[cS]$", ".o", path.removeprefix(f"{DRIVER}/")) for path in paths
             if path.startswith(DRIVER) and re.search(r"(?<!/macros)/[^/]*\.[cS]$", path)}
    usual = there & set(kbuild("memcache-y"))
    um = there & set(kbuild("memcache-y", "CONFIG_UML=y"))
    tests = {name for name in there if name.startswith("tests/")}
    if left := there - usual - um - tests:
        raise Error(f"module/Kbuild does not build {', '.join(sorted(left))}")
    flags = " ".join(word for word in kbuild("ccflags-y") if word.startswith("-I"))

    def assigned(names: set[str], to: str = "memcache-y") -> str:
        return f"{to} += " + " \\\n\t".join(sorted(names)) + "\n"

    return ("# SPDX-License-Identifier: GPL-2.0-only\n"
            f"obj-$(CONFIG_MEMCACHE) += memcache.o\n\n{assigned(usual & um)}"
            f"\nifdef CONFIG_UML\n{assigned(um - usual)}else\n{assigned(usual - um)}endif\n"
            + (f"\n{assigned(tests, 'memcache-$(CONFIG_MEMCACHE_KUNIT_TEST)')}" if tests else "")
            + "\n# Includes are relative to these directories: \"core/text.h\".\n"
            f"ccflags-y += {flags}\nasflags-y += {flags}\n")


def has_tests(paths: list[str]) -> bool:
    """Are the KUnit tests among these files?"""
    return any(path.startswith(f"{DRIVER}/tests/") for path in paths)


def kconfig(paths: list[str]) -> str:
    """The driver's options for these files."""
    text = (HERE / "tree" / DRIVER / "Kconfig").read_text()
    if f"{DRIVER}/kernel/target.c" in paths:  # User-Mode Linux has a file of its own for it
        text = before(text, "^\tdepends on DEBUG_FS$", "\tdepends on PCI || UML\n")
    return text + insertion("Kconfig.kunit") if has_tests(paths) else text


FOLLOWING = {f"{DRIVER}/Makefile": makefile, f"{DRIVER}/Kconfig": kconfig}


def before(text: str, pattern: str, line: str) -> str:
    """The text with a line before the first one that matches."""
    found = re.search(pattern, text, re.M)
    if not found or line in text:
        raise Error(f"no place for: {line.splitlines()[0]}")
    return text[:found.start()] + line + text[found.start():]


def maintained(text: str, who: str, uapi: bool) -> str:
    """MAINTAINERS with our entry, in the order of the alphabet."""
    entry = insertion("maintainers").replace("@MAINTAINER@", who)
    if not uapi:
        entry = entry.replace("F:\tinclude/uapi/linux/memcache.h\n", "")
    title = entry.splitlines()[0]
    later = [heading for heading in re.findall(r"^([A-Z0-9][^\t\n]*)\n[A-Z]:\t", text, re.M)
             if heading > title]
    return before(text, rf"^{re.escape(later[0])}\n[A-Z]:\t", entry)


def entries(linux: Path, tree: Tree, who: str) -> Tree:
    """The files of the kernel that name ours."""
    def edited(name: str, pattern: str, line: str) -> None:
        tree[name] = before((linux / name).read_text(), pattern, line)

    edited("drivers/misc/Kconfig", r'^source "drivers/misc/mei/Kconfig"$',
           'source "drivers/misc/memcache/Kconfig"\n')
    edited("drivers/misc/Makefile", r"^obj-y\t+\+= mei/$|^obj-\$\(CONFIG_INTEL_MEI\)",
           "obj-$(CONFIG_MEMCACHE)\t\t+= memcache/\n")
    edited("Documentation/misc-devices/index.rst", r"^   mrvl_cn10k_dpi$|^   oxsemi-tornado$",
           "   memcache\n")
    edited("tools/testing/selftests/Makefile", r"^TARGETS \+= memfd$", "TARGETS += memcache\n")
    tree["MAINTAINERS"] = maintained((linux / "MAINTAINERS").read_text(), who,
                                     "include/uapi/linux/memcache.h" in tree)
    return tree


# ------------------------------------------------------------------------ patches

def write(repository: Path, name: str, text: str) -> None:
    """Put a file there, which can be run if it is a script."""
    path = repository / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755 if text.startswith("#!") else 0o644)


def wrapped(body: str) -> str:
    """A message with lines of the usual length; lines that are indented stay as they are."""
    return "\n\n".join(part if part.startswith(" ") else textwrap.fill(part, 72)
                       for part in body.strip("\n").split("\n\n"))


def commit(repository: Path, now: Tree, tree: Tree, patch: dict[str, Any]) -> None:
    """The files of a patch, changed from NOW to what they are in TREE."""
    taken: list[str] = []
    paths = sorted(now.keys() | tree.keys())
    for pattern in patch["files"]:
        taken += matching(paths, pattern)
    for name in taken:
        if name in tree:
            now[name] = tree[name]
    for name, follows in FOLLOWING.items():
        if name in taken:
            now[name] = follows([path for path in now if path.startswith(DRIVER)])
    for name in taken:
        if name in now:
            write(repository, name, now[name])
    call("git", "add", "-A", cwd=repository)
    call("git", "commit", "-q", "-s", "-m", patch["subject"], "-m", wrapped(patch["body"]),
         cwd=repository)


def series_of(one: dict[str, Any], repository: Path, now: Tree, tree: Tree, out: Path) -> None:
    """Write the patches of one series."""
    start = call("git", "rev-parse", "HEAD", cwd=repository).strip()
    for patch in one["patches"]:
        commit(repository, now, tree, patch)
    left = [name for name in sorted(tree) if now.get(name) != tree[name] and name not in FOLLOWING]
    if left or now.keys() != tree.keys():
        raise Error(f"series.toml: no patch of {one['name']} has {', '.join(left)}")
    call("git", "config", "branch.main.description", f"{one['subject']}\n\n{wrapped(one['body'])}",
         cwd=repository)
    call("git", "format-patch", "-q", "--cover-letter", "--cover-from-description=subject",
         "--no-signature", "-o", out / one["name"], f"{start}..HEAD", cwd=repository)


def main(linux: Path, out: Path) -> None:
    """Write all series against the kernel tree LINUX below OUT."""
    who = re.sub(r" \d+ [-+]\d+$", "", call("git", "var", "GIT_AUTHOR_IDENT", cwd=TOP).strip())
    conditions = [*(f"-D{name}=1" for name in DEFINED), *features(linux)]
    table = tomllib.loads((HERE / "series.toml").read_text())
    added = [one["adds"] for one in table["series"] if "adds" in one]
    with tempfile.TemporaryDirectory() as scratch:
        repository = Path(scratch, "linux")
        repository.mkdir()
        call("git", "init", "-q", "-b", "main", cwd=repository)
        name, mail = re.fullmatch(r"(.*) <(.*)>", who).groups()  # type: ignore[union-attr]
        call("git", "config", "user.name", name, cwd=repository)
        call("git", "config", "user.email", mail, cwd=repository)
        now: Tree = {}
        for number, one in enumerate(table["series"]):
            without = added[number:][::-1]
            tree = in_kernel(sources(Path(scratch, one["name"]), conditions, without,
                                     table["parts"]), linux)
            tree = entries(linux, tree, who)
            if not now:
                now = {name: (linux / name).read_text() for name in tree if (linux / name).exists()}
                for name, text in now.items():
                    write(repository, name, text)
                call("git", "add", "-A", cwd=repository)
                call("git", "commit", "-q", "-m", "Linux", cwd=repository)
            tree |= {name: follows(list(tree)) for name, follows in FOLLOWING.items()}
            series_of(one, repository, now, tree, out)


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
    except (Error, ValueError) as error:
        sys.exit(f"memcache: {error}")
