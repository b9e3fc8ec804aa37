# SPDX-License-Identifier: GPL-2.0-only
"""What the manual takes from the sources when it is built, so that it can't be
out of date: kernel-doc comments, the table of tests, the ABI file."""

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from docutils.statemachine import StringList
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.nodes import nested_parse_with_titles

import abi
import calls

TOP = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "tools/memcache"))
REFERENCES = "tools/memcache/mc/references.json"


class FromSource(Directive):
    """A directive whose content is made from files of the repository."""

    @property
    def env(self):
        return self.state.document.settings.env

    def parsed(self, text: str, *sources: Path) -> list[nodes.Node]:
        """reStructuredText as nodes; headings in it go below the current one."""
        for source in sources:
            self.env.note_dependency(str(source))
        lines = StringList(text.expandtabs().splitlines(), source=str(sources[0]))
        node = nodes.Element()
        node.document = self.state.document
        nested_parse_with_titles(self.state, lines, node)
        return node.children


class KernelDoc(FromSource):
    """.. kernel-doc:: FOLDER - the comments in it, a section for NAME.h and NAME.c."""
    required_arguments = 1

    def run(self):
        folder = self.arguments[0]
        files: dict[str, list[Path]] = {}
        for file in sorted((TOP / folder).glob("*.[hc]"), reverse=True):    # .h before .c
            if re.search(r"^/\*\*$", file.read_text(), re.M):
                files.setdefault(file.stem, []).append(file)
        found = []
        for stem in sorted(files):
            title = f"{folder}/{stem}"
            text = "\n".join(map(comments, files[stem]))
            found += self.parsed(f"{title}\n{'-' * len(title)}\n\n{text}", *files[stem])
        return found


def comments(file: Path) -> str:
    """The kernel-doc comments of a file, as reStructuredText."""
    made = subprocess.run([kernel_doc(), "-rst", "-sphinx-version", "5.3", file],
                          capture_output=True, text=True)
    for line in made.stderr.splitlines():
        logging.getLogger(__name__).warning(line)
    # Bold needs a space around it, be it one that is not seen: in @name[i], in 2^@name.
    return re.sub(r"(?<=\^)(?=\*\*\w)|(?<=\w\*\*)(?=\[)", r"\\ ", made.stdout)


@cache
def kernel_doc() -> str:
    """The kernel's script, from whichever linux-kbuild is installed, else from the kernel's source,
    which may have to be downloaded first."""
    found = sorted(Path("/usr/lib").glob("linux-kbuild-*/scripts/kernel-doc"))
    if found:
        return str(found[-1])
    source = subprocess.run([TOP / "tools/guest/source", "6.1"], stdout=subprocess.PIPE, text=True)
    if source.returncode:
        raise ExtensionError("no kernel-doc: tools/setup docs")
    return f"{source.stdout.strip()}/scripts/kernel-doc"


class Printed(FromSource):
    """.. printed:: COMMAND... - what it prints."""
    required_arguments = 1
    optional_arguments = 25

    def run(self):
        for file in (*TOP.glob("module/**/*.[ch]"), *TOP.glob("tools/memcache/mc/**/*.py")):
            self.env.note_dependency(str(file))
        text = subprocess.check_output(self.arguments, cwd=TOP, text=True)
        block = nodes.literal_block(text, text)
        block["language"] = "none"
        return [block]


class Rows(FromSource):
    """.. rows:: TABLE - the rows of one of TABLES, and where they come from."""
    required_arguments = 1

    def run(self):
        rows, widths, sources = TABLES[self.arguments[0]]
        lines = [".. list-table::", "   :header-rows: 1", f"   :widths: {widths}", ""]
        lines += [f"   {' ' if number else '*'} - {cell}"
                  for row in rows() for number, cell in enumerate(row)]
        return self.parsed("\n".join(lines), *TOP.glob(sources))


def exit_statuses() -> Iterator[tuple[str, ...]]:
    from mc import status
    yield "status", "meaning"
    for number, meaning in status.TABLE.items():
        yield str(number), meaning
        if number == status.FAILED:
            yield from ((f"{number}, ``{command}``", part)
                        for command, part in status.PARTS.items())


def suites() -> Iterator[tuple[str, ...]]:
    """Each suite and the comment that it begins with."""
    yield "suite", "what it measures"
    for file in sorted((TOP / "tools/suites").iterdir()):
        comment = re.findall(r"^# (?!SPDX)(.*)", file.read_text().partition("\n@")[0], re.M)
        if not file.name.endswith("-quick"):
            yield f"``{file.name}``", " ".join(comment).replace("`", "``")


def exhibits() -> Iterator[tuple[str, ...]]:
    sys.path.insert(0, str(TOP / "tools/museum"))
    import museum
    yield from museum.rows()


def sources_of_references() -> Iterator[tuple[str, ...]]:
    yield "source", "figures"
    for told in json.loads((TOP / REFERENCES).read_text())["sources"].values():
        yield f"`{told['title']} <{told['url']}>`__" if told["url"] else told["title"], \
            f"{told['method']} ({told['licence']})"


def peers() -> Iterator[tuple[str, ...]]:
    """The tools that no package of Debian has: their homes, programs and tests."""
    yield "tool", "program", "compared"
    homes: dict[str, tuple[dict, dict, dict]] = {}
    for tool in tomllib.loads((TOP / "tools/bench/peers.toml").read_text())["tool"]:
        for peer in (tool | one for one in tool.get("peers", [{}]) if "source" in tool):
            programs, ops, notes = homes.setdefault(peer["source"], ({}, {}, {}))
            programs[f"``{peer.get('program', peer['command'].split()[0])}``"] = None
            ops[peer["op"]], notes[peer.get("note", "")] = None, None
    for home, (programs, ops, notes) in homes.items():
        yield f"`{home.partition('.com/')[2]} <{home}>`__", ", ".join(programs), ": ".join(
            filter(None, (", ".join(ops), *notes)))


TABLES = {
    "exit-statuses": (exit_statuses, "20 80", "tools/memcache/mc/status.py"),
    "suites": (suites, "24 76", "tools/suites/*"),
    "sources-of-references": (sources_of_references, "40 60", REFERENCES),
    "peers": (peers, "20 30 50", "tools/bench/peers.toml"),
    "exhibits": (exhibits, "30 18 26 26", "tools/museum/museum.py"),
}


class Calls(FromSource):
    """.. calls:: PROGRAM... - the table of their calls, and what each is here."""
    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        return self.parsed(calls.table(self.arguments[0].split()), calls.TABLE)


class Drawn(FromSource):
    """.. drawn:: FILE... - the pictures of these results files, as the front end draws them."""
    required_arguments = 1
    optional_arguments = 25

    def run(self):
        from mc.output import charts, draw, page
        from mc.output.captions import captions
        from mc.parts import Picture
        from mc.records import rounds
        for source in (*self.arguments, *TOP.glob("tools/memcache/mc/*/*.py")):
            self.env.note_dependency(str(TOP / source))
        files = rounds.load_all([str(TOP / file) for file in self.arguments])
        found = charts.charts(files)
        texts = captions(files)
        parts = [Picture(chart.title, draw.inline(chart, str(self.env.new_serialno("drawn"))),
                         texts if chart is found[-1] else []) for chart in found]
        return [nodes.raw("", "\n".join(page.body(parts)), format="html")]


class ManPages(FromSource):
    """.. man-pages:: - those that are installed with the programs, a section each."""

    def run(self):
        sources = [TOP / "tools/packaging/man", *TOP.glob("tools/memcache/mc/commands/*.py")]
        with tempfile.TemporaryDirectory() as made:
            subprocess.run([TOP / "tools/packaging/man", made], check=True)
            pages = {f"{page.stem}({page.suffix[1:]})": plain(page)
                     for page in sorted(Path(made).iterdir(), key=lambda page: page.stem)}
        return self.parsed("\n".join(f"{title}\n{'-' * len(title)}\n\n::\n\n{text}\n"
                                     for title, text in pages.items()), *sources)


def plain(page: Path) -> str:
    """A man page as indented text of 78 columns, without overstrikes."""
    text = subprocess.run(["groff", "-man", "-Tascii", "-P-cbou", "-rLL=78n", page], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return "".join(f"    {line}\n" for line in text.strip().splitlines())


class Abi(FromSource):
    """.. abi:: FILE COMMAND... - its entries, a section each, as the command prints it if there is
    one."""
    required_arguments = 1
    optional_arguments = 2

    def run(self):
        file, command = TOP / self.arguments[0], self.arguments[1:]
        tables = TOP / "tools/memcache/mc/tests.json"
        text = subprocess.check_output(command, cwd=TOP, text=True) if command else None
        return [node for entry in abi.parse(file, text)
                for node in self.parsed(section(entry), file, tables)]


def section(entry: dict[str, str]) -> str:
    """An entry as reStructuredText."""
    name = entry["What"].rpartition("/")[2]
    out = [f".. _file-{name.replace('.', '-')}:", "", name, "-" * len(name), "",
           f"``{entry['What']}``", "", entry["Description"], ""]
    facts = ", ".join(f"{field}: {text}" for field, text in entry.items()
                      if field not in ("What", "Description"))
    out += [f"*{facts}.*"]
    return "\n".join(out) + "\n"


def write_schema(app, exception):
    """The schema of results beside the pages."""
    Path(app.outdir, "results.schema.json").write_bytes(
        subprocess.check_output([TOP / "tools/describe", "schema"]))


def setup(app):
    app.connect("build-finished", write_schema)
    directives.register_directive("kernel-doc", KernelDoc)
    directives.register_directive("printed", Printed)
    directives.register_directive("rows", Rows)
    directives.register_directive("calls", Calls)
    directives.register_directive("drawn", Drawn)
    directives.register_directive("man-pages", ManPages)
    directives.register_directive("abi", Abi)
    return {"parallel_read_safe": True}
