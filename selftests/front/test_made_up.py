# SPDX-License-Identifier: GPL-2.0-only
"""The plan of every suite on every made-up machine, through both programs: it takes ten minutes at
most, reaches memory, and has every node as a row or a column."""

import json
import os
import shutil
import tempfile
import time
from pathlib import Path
from unittest import mock

import fake
import made_up
from mc.records import keys, shape, suite
from mc.running import plan, user

PLANS = fake.HERE / "machines-plans.txt"
REMARKS = {
    "epyc-guest": ["CPUs 0-4,6-69,71-126 are not for this process: no row has them"],
    "2990wx": ["node 1 has no memory: its CPUs 8-15,40-47 use node 0",
               "node 3 has no memory: its CPUs 24-31,56-63 use node 0"],
}


def row_of(machine: made_up.MadeUp, test: fake.unittest.TestCase) -> str:
    """What PLANS has of a machine, after each suite was looked at."""
    place = plan.Place([user.User()])
    check_nodes(machine, place.shape, test)
    asked = [(one, request) for one in map(suite.load, suite.names())
             for request in one.requests_for(place.shape)[0]]
    counts = user.count_records([request.line for _, request in asked])
    test.assertIsNotNone(counts)
    took: dict[str, float] = {}
    records: dict[str, int] = {}
    for (one, request), count in zip(asked, counts or []):
        both = 2 if one.where == "both" else 1
        took[one.name] = took.get(one.name, 0) + both * plan._request_s(request, count)
        records[one.name] = records.get(one.name, 0) + count
    for one in {one.name: one for one, _ in asked}.values():
        test.assertLessEqual(took[one.name], plan.LIMIT_S * 1.01, f"{machine.name}: {one.name}")
        took[one.name] *= plan.rounds_that_fit(one.rounds, took[one.name])
    longest = max(took, key=lambda name: took[name])
    lines = {one.name: request.line for one, request in asked}
    largest = lines["bandwidth-sweep"].partition("size=")[2].split()[0].split(",")[-1]
    last = max(kib for core in machine.cores for _, kib, _ in core.caches if core.cpus) << 10
    size = keys.bytes_of(largest)
    test.assertTrue(size >= 4 * last or 2 * size > place.shape.memory, machine.name)
    matrix = words_of(lines["latency-matrix"])
    cpus, nodes = (shape.numbers(matrix[key]) for key in ("cpu", "node"))
    return f"{machine.name:11} | {len(place.shape.cpus):3} | {len(cpus):2} x {len(nodes):<2} | " \
           f"{records.get('c2c', 0):4} | {largest:>4} | {records['memory-scan']:3} | " \
           f"{longest} {plan.duration(took[longest])}"


def words_of(line: str) -> dict[str, str]:
    return dict(word.split("=") for word in line.split()[1:])


def check_nodes(machine: made_up.MadeUp, found: shape.Shape, test: fake.unittest.TestCase) -> None:
    """Each node with CPUs is a row, each with memory is a column, and both programs agree."""
    granted = shape.numbers(machine.more.get("cpuset", "")) or list(machine.cpus)
    test.assertEqual(list(found.cpus), granted)
    test.assertEqual(list(found.remarks), REMARKS.get(machine.name, []))
    test.assertEqual(sorted(cpu for core in found.cores for cpu in core), granted)
    [request], _ = suite.load("latency-matrix").requests_for(found)
    words = words_of(request.line)
    of_cpu = {cpu: core.node for core in machine.cores for cpu in core.cpus}
    test.assertEqual({of_cpu[cpu] for cpu in shape.numbers(words["cpu"])},
                     {of_cpu[cpu] for cpu in granted})
    test.assertEqual(shape.numbers(words["node"]),
                     [node for node, size in machine.memory.items() if size])


class Plans(fake.unittest.TestCase):
    maxDiff = None

    def test_of_each_machine(self):
        rows = []
        for machine in made_up.machines().values():
            with tempfile.TemporaryDirectory() as root, \
                    mock.patch.dict(os.environ, MEMCACHE_SYSROOT=root):
                machine.write(Path(root))
                with self.subTest(machine.name):
                    rows.append(row_of(machine, self))
        lines = PLANS.read_text(encoding="ascii").splitlines()
        self.assertEqual(rows, [line for line in lines if not line.startswith("#")])


class Kept(fake.InDirectory):
    """What a search found is kept until the next start of the machine, and trusted only if it is
    whole, of this start, of these caches, and of a file that nobody else can write."""

    def setUp(self):
        super().setUp()
        self.path = Path("root") / made_up.KEPT
        made_up.machines()["altra"].write(Path("root"))
        self.text = self.path.read_text()
        self.enterContext(mock.patch.dict(os.environ,
                                          MEMCACHE_SYSROOT=str(Path("root").absolute())))

    def last(self, change) -> tuple:
        shutil.rmtree(self.path.parent)
        self.path.parent.mkdir()
        self.path.write_text(self.text)
        change(self.path)
        found = user.User().machine()["last_cache"]
        return found["size_bytes"], found["by"], found["searched"]

    def test_auto_is_far_larger(self):
        records = user.User().run("bandwidth size=auto repeat=1 warmup=0").records
        self.assertEqual(json.loads(records.splitlines()[2])["size_bytes"], 128 << 20)

    def test_what_is_trusted(self):
        text = f"{made_up.BOOT} {1 << 20} {{}} 2026-11-29T10:00:00Z"
        soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

        def says(text: str):
            return lambda path: path.write_text(text + "\n")

        def moved(path: Path):
            path.rename(path.with_name("theirs"))
            os.symlink("theirs", path)
            os.chown(path, 65534, 65534, follow_symlinks=False)

        def piped(path: Path):
            path.unlink()
            os.mkfifo(path)

        small, date = (1 << 20, "cpu", None), "2026-11-29T10:00:00Z"
        for change, wanted in (
                (lambda path: None, (32 << 20, "search", date)),
                (says(text.format(1 << 20)), (1 << 20, "cpu", date)),
                *((change, small) for change in (
                    Path.unlink, piped, lambda path: path.chmod(0o666), says(""), says("\0"),
                    says(text.format(32 << 20).replace("0001 ", "0002 ")),
                    says(text.format(32 << 20).replace(" 1048576 ", " 2097152 ")),
                    says(text.format(32 << 20) + " more"), says(text.format(1 << 50)),
                    says(text.format(-1)), says(text.format("x")), says(text.format(0)),
                    says(text.format(32 << 20).replace("2026-", "yesterday-")),
                    says(f"{made_up.BOOT} {1 << 20} 0 {soon}"), says("x" * 100000))),
                *([] if os.geteuid() else ((change, small) for change in (
                    moved, lambda path: os.chown(path, 65534, 65534))))):
            with self.subTest(change):
                self.assertEqual(self.last(change), wanted)


class Leaves(fake.InDirectory):
    def test_cpuid_is_that_of_the_machine(self):
        """Its CPUs have this name and these kinds, and no hypervisor."""
        made_up.machines()["meteor-lake"].write(Path("root"))
        with mock.patch.dict(os.environ, MEMCACHE_SYSROOT=str(Path("root").absolute())):
            told = user.User().machine()
        self.assertEqual([told[key] for key in ("cpu", "cpu_vendor", "cpu_family", "cpu_model",
                                                "hypervisor")],
                         ["meteor-lake", "GenuineIntel", 6, 170, None])
        self.assertEqual([(kind["cpus"], kind["core_type"]) for kind in told["kinds"]],
                         [("0-11", "performance"), ("12-21", "efficiency")])


class Contradictions(fake.InDirectory):
    """Files that contradict each other: the sure part is used."""

    def check(self, changes: dict[str, str], cpus: str, records: list[int], said: str,
              machine: str = "cxl"):
        shutil.rmtree("root", ignore_errors=True)
        made_up.machines()[machine].write(Path("root"))
        for path, text in changes.items():
            for file in Path("root").glob(path):
                file.write_text(f"{text}\n")
        with mock.patch.dict(os.environ, MEMCACHE_SYSROOT=str(Path("root").absolute())):
            found = plan.Place([user.User()]).shape
            self.assertEqual(shape.cpu_list(found.cpus), cpus)
            self.assertRegex("; ".join(found.remarks), f"^{said}$")
            self.assertEqual(user.count_records(["c2c cpu=all state=hit pairs=1"]), records)
            for one in found, shape.machine_shape({}):      # with memcache-user, and without
                for name in ("c2c", "latency-matrix", "memory-scan"):
                    self.assertLess(len(suite.load(name).requests_for(one)[0]), 100)

    def test_of_one_kind_each(self):
        system = "sys/devices/system"
        caches = "caches of CPUs 0-127 have no bytes, or are not their own.*"
        for changes, cpus, records, said in (
                ({f"{system}/cpu/cpu*/cache/index*/shared_cpu_list": "9999"}, "0-127", [3],
                 caches),
                ({f"{system}/cpu/cpu*/cache/index*/size": "0K"}, "0-127", [4], caches),
                ({f"{system}/cpu/cpu*/topology/thread_siblings_list": "1"}, "0-127", [2], ".*"),
                ({f"{system}/node/node*/cpulist": "0-127"}, "0-127", [3],
                 "CPUs 0-127 are on several nodes.*"),
                ({f"{system}/node/node*/distance": "x"}, "0-127", [4], ""),
                ({f"{system}/node/online": "0-8191"}, "0-127", [4], ""),
                ({f"{system}/cpu/cpu*/cache/index*/level": "3-1"}, "0-127", [3], ""),
                ({f"{system}/{path}": f"MemTotal: {'1' * 5000} kB"[start:] for path, start in (
                    ("node/node*/meminfo", 0), ("node/node*/distance", 10),
                    ("cpu/cpu*/cache/index*/level", 10), ("cpu/cpu*/cache/index*/size", 10))},
                 "0-127", [6], ""),
                ({f"{system}/cpu/online": "0-1000000"}, "0-127", [4],
                 "the kernel's list of CPUs can't be read.*"),
                ({"proc/self/status": "Cpus_allowed_list:\t0-1000000"}, "0-127", [1], ".*")):
            with self.subTest(changes):
                self.check(changes, cpus, records, said)
        self.check({f"{system}/node/node*/distance": "x 1-3 -1 10"}, "0-63", [4],
                   "node 1 has no memory: .* use node 0; node 3 has no memory: .* use node 0",
                   "2990wx")
