# SPDX-License-Identifier: GPL-2.0-only
"""The build system that pyproject.toml names: `pipx install .` and `pip install .` install the
front end without the module, for those who look at results. It needs nothing but Python.

A wheel has the files of the part `tools` in tools/packaging/files that no compiler builds, below
share/memcache as in the packages, and a program `memcache` that starts the front end there.
"""

import base64
import hashlib
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
VERSION = "share/memcache/VERSION"
SCHEMA = "share/memcache/Documentation/results.schema.json"
PROGRAM = '''\
#!python
# SPDX-License-Identifier: GPL-2.0-only
"""The front end of memcache, which lies in share/memcache."""

import runpy
import sys
from pathlib import Path

front = Path(__file__).resolve().parent.parent / "share/memcache/tools/memcache"
sys.path[0] = str(front)
runpy.run_path(str(front / "memcache"), run_name="__main__")
'''


class UnsupportedOperation(Exception):
    """This build system makes no source distribution. pip expects an exception of this name."""


def build_sdist(directory: str, settings: dict | None = None) -> str:
    raise UnsupportedOperation("make dist writes the sources as a release")


def build_wheel(directory: str, settings: dict | None = None, metadata: str | None = None) -> str:
    """Write a wheel into this directory, and return its name."""
    version = subprocess.check_output([TOP / "tools/version"], text=True).strip()
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name = f"{project['name'].replace('-', '_')}-{python_version(version)}"
    wheel = f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(Path(directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        record = []
        for path, content, mode in contents(name, project, version):
            member = zipfile.ZipInfo(path)      # its time is always the same
            member.external_attr = (0o100000 | mode) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()
            record.append(f"{path},sha256={digest.rstrip('=')},{len(content)}\n")
        path = f"{name}.dist-info/RECORD"
        archive.writestr(zipfile.ZipInfo(path), "".join([*record, f"{path},,\n"]))
    return wheel


def python_version(version: str) -> str:
    """The version as Python has it: `1.2-3-gabc-dirty` is 1.2.post3+gabc.dirty, `1.2-rc1` 1.2rc1.
    What is no version, such as `unknown`, becomes 0+unknown."""
    match = re.fullmatch(r"(\d+(?:\.\d+)*(?:-rc\d+)?)(?:-(\d+))?(?:-(\w.*))?", version)
    release, after, rest = match.groups() if match else ("0", None, version)
    release = release.replace("-", "")
    local = re.sub(r"[^a-z0-9]+", ".", (rest or "").lower()).strip(".")
    return f"{release}{f'.post{after}' if after else ''}{f'+{local}' if local else ''}"


def contents(name: str, project: dict, version: str) -> Iterator[tuple[str, bytes, int]]:
    """The path, the content and the mode of each file of the wheel."""
    for source, target in installed_files():
        yield f"{name}.data/data/{target}", source.read_bytes(), source.stat().st_mode & 0o755
    yield f"{name}.data/data/{VERSION}", f"{version}\n".encode(), 0o644
    schema = subprocess.check_output([sys.executable, TOP / "tools/describe", "schema"])
    yield f"{name}.data/data/{SCHEMA}", schema, 0o644
    yield f"{name}.data/scripts/memcache", PROGRAM.encode(), 0o755
    yield f"{name}.dist-info/METADATA", metadata_text(project, version).encode(), 0o644
    yield f"{name}.dist-info/WHEEL", (b"Wheel-Version: 1.0\nGenerator: memcache\n"
                                      b"Root-Is-Purelib: true\nTag: py3-none-any\n"), 0o644
    for file in sorted((TOP / "LICENSES").iterdir()):
        yield f"{name}.dist-info/licenses/LICENSES/{file.name}", file.read_bytes(), 0o644


def installed_files() -> Iterator[tuple[Path, str]]:
    """The files of the part `tools` below share/memcache that lie in the sources, and their
    places."""
    for line in (TOP / "tools/packaging/files").read_text(encoding="utf-8").splitlines():
        _, source, target = line.split() if line.startswith("tools ") else ("", "", "")
        if not target.startswith("share/memcache/") or source.startswith(("->", "build/")):
            continue
        path = TOP / source
        if path.is_file():
            yield path, target
        for file in sorted(path.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                yield file, f"{target}/{file.relative_to(path)}"


def metadata_text(project: dict, version: str) -> str:
    extras = project["optional-dependencies"]
    return "\n".join([
        "Metadata-Version: 2.1", f"Name: {project['name']}",
        f"Version: {python_version(version)}", f"Summary: {project['description']}",
        f"License: {project['license']}", f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {one}" for one in project["dependencies"]),
        *(f"Provides-Extra: {extra}" for extra in extras),
        *(f'Requires-Dist: {one}; extra == "{extra}"' for extra in extras for one in extras[extra]),
        "Description-Content-Type: text/markdown", "",
        (TOP / project["readme"]).read_text(encoding="utf-8")])
