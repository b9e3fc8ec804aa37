# SPDX-License-Identifier: GPL-2.0-only
"""The front end as a package of Python: installed by pip, without a network and without the
module, it compares, draws and reports the results of others."""

import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import fake

sys.path.insert(0, str(fake.TOP / "tools/packaging"))
import backend


class Version(fake.unittest.TestCase):
    def test_each_version_becomes_one_of_python(self):
        for version, wanted in (
                ("1.2", "1.2"), ("1.2-dirty", "1.2+dirty"), ("1.2-rc1", "1.2rc1"),
                ("1.0.0-rc2-5-gdeadbeef0123", "1.0.0rc2.post5+gdeadbeef0123"),
                ("1.2-34-gdeadbeef0123", "1.2.post34+gdeadbeef0123"),
                ("1.2-34-gdeadbeef0123-dirty", "1.2.post34+gdeadbeef0123.dirty"),
                ("0-747-gaa6fbe062754", "0.post747+gaa6fbe062754"), ("unknown", "0+unknown")):
            self.assertEqual(backend.python_version(version), wanted)


class Installed(fake.InDirectory):
    """In an environment that takes only matplotlib from the machine."""

    @classmethod
    def setUpClass(cls):
        directory = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.environment = Path(directory, "environment")
        # The sources as git has them, in another place: pip must not find what is built here.
        sources = Path(directory, "sources")
        sources.mkdir()
        subprocess.run("git -c safe.directory='*' ls-files -coz --exclude-standard | "
                       f"xargs -0 cp --parents -t {sources}",
                       shell=True, check=True, cwd=fake.TOP)
        Path(sources, "VERSION").write_text("1.2\n")
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", cls.environment],
                       check=True)
        cls.pip("install", "--no-index", "--no-deps", str(sources))
        subprocess.run(["rm", "-r", sources], check=True)

    @classmethod
    def pip(cls, *words: str) -> str:
        return subprocess.run([cls.environment / "bin/pip", *words], check=True, text=True,
                              stdout=subprocess.PIPE, env=os.environ | {
                                  "PIP_CONFIG_FILE": os.devnull,
                                  "PIP_DISABLE_PIP_VERSION_CHECK": "1"}).stdout

    def memcache(self, *words: str, status: int = 0) -> str:
        done = subprocess.run([self.environment / "bin/memcache", *words], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={"PATH": "/usr/bin:/bin", "HOME": os.getcwd()})
        self.assertEqual(done.returncode, status, done.stdout)
        self.assertNotIn("Traceback", done.stdout)
        return done.stdout

    def test_it_says_its_version(self):
        self.assertEqual(self.memcache("--version"), "memcache 1.2\n")
        self.assertIn("Version: 1.2\n", self.pip("show", "memcache-tools"))

    def test_results_of_others(self):
        for number, speed in enumerate((9000, 9010, 9020, 9005, 9015, 8000)):
            fake.save(f"host{number}.jsonl", *fake.records_of_rounds(
                "bandwidth size=4K", *fake.speeds_around(speed)))
        self.assertIn("4K", self.memcache("show", "host0.jsonl"))
        self.assertIn("slower", self.memcache("compare", "host0.jsonl", "host5.jsonl"))
        self.assertIn("host5", self.memcache("fleet", ".", status=125))
        self.memcache("plot", "host0.jsonl", "host2.jsonl", "-o", "plot.svg")
        self.assertIn("<svg", Path("plot.svg").read_text())
        self.memcache("report", "host0.jsonl", "host2.jsonl", "-o", "page.html")
        self.assertIn("<svg", Path("page.html").read_text())
        self.assertIn("mb_per_s", self.memcache("export", "--format", "csv", "host0.jsonl"))

    def test_its_schema_has_the_tests(self):
        schema = self.environment / backend.SCHEMA
        self.assertIn("ns_per_access", json.loads(schema.read_text())["$defs"]["tail"]["required"])

    def test_what_it_can_not_do_is_said(self):
        self.assertIn("\nmlc ", self.memcache("suites"))
        self.assertIn("there is no memcache-user: the package memcache-tools has it",
                      self.memcache("run", "--where", "user", "mlc-quick", status=1))
        said = self.memcache("doctor", status=1)
        self.assertNotRegex(said, r"make \w|tools/setup")

    def test_nothing_is_left_of_it(self):
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", "own"], check=True)
        wheel = backend.build_wheel(os.getcwd())
        before = self.files()
        self.pip("--python", "own", "install", "--no-index", "--no-deps", wheel)
        self.assertNotEqual(self.files(), before)
        self.pip("--python", "own", "uninstall", "-y", "memcache-tools")
        self.assertEqual(self.files(), before)

    @staticmethod
    def files() -> list[str]:
        return sorted(str(path) for path in Path("own").rglob("*")
                      if path.is_file() and path.suffix != ".pyc")

    def test_the_same_sources_give_the_same_bytes(self):
        os.mkdir("again")
        wheel = backend.build_wheel(os.getcwd())
        self.assertEqual(wheel, backend.build_wheel("again"))
        self.assertEqual(Path(wheel).read_bytes(), Path("again", wheel).read_bytes())
        archive = zipfile.ZipFile(wheel)
        metadata = archive.read(next(one for one in archive.namelist() if "METADATA" in one))
        self.assertIn(b"Description-Content-Type: text/markdown\n\n# memcache", metadata)
