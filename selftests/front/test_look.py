# SPDX-License-Identifier: GPL-2.0-only
"""`memcache look`: what it concludes from made-up answers of the module, and from the kernel's
files of a made-up machine."""

import errno
import json
import random
import struct
from pathlib import Path
from unittest import mock

import fake
from mc import Failure
from mc.analysis import mapped
from mc.commands import look
from mc.records.mapped import Mapping
from mc.running import debugfs, mappings
from mc.running.machine import Machine
from test_mmio import ADDRESS, Sysfs, relink

PAGE = mappings.PAGE
BAR = 0xfc000000        # BAR 2, 4 MiB, prefetchable
RAM = 0x40000000


def row(start, size=PAGE, area="vmalloc", attribute="wc", **more):
    """A record of the module. The type is what the page tables say, UC for UC-."""
    return {"record": "mapping", "area": area, "number": start // PAGE, "pid": None,
            "address": None, "bytes": size, "physical_range": f"0x{start:x}+{size // 1024}K",
            "page_bytes": PAGE, "attr_index": 1, "writable": True, "attribute": attribute,
            "mtrr": "wb", "memory_type": {"uc-": "uc"}.get(attribute, attribute)} | more


def user(start, pid=42, **more):
    return row(start, area="user", pid=pid, number=None, address="0x7f0000001000", **more)


HEAD = {"record": "mappings", "line": "not_wb", "state": "done", "errno": 0, "error": None,
        "more": 0, "changed": 0, "changed_bytes": 0, "unmapped_bytes": 0, "unseen_bytes": 0}


class Case(Sysfs):
    """Sysfs has a device with a BAR of registers and one of memory."""

    def setUp(self):
        super().setUp()
        self.answers = {}
        self.enterContext(mock.patch.object(debugfs.Debugfs, "look", self.answer))
        self.enterContext(mock.patch.object(debugfs.Debugfs, "check"))
        fake.put({"proc/iomem": f"{RAM:08x}-7fffffff : System RAM\n"
                  "fc000000-fe0fffff : PCI Bus 0000:00\n  fc000000-fc3fffff : 0000:00:05.0\n"
                  "fed00000-fed003ff : HPET 0"})

    def answer(self, line):
        rows = self.answers.get(line, [])
        return (rows, [HEAD | {"errno": rows, "error": "pid: why not"}]) if isinstance(rows, int) \
            else (0, [HEAD | {"line": line}, *rows])

    def driver(self, name, module):
        Path("sys/module", module).mkdir(parents=True)
        relink(f"sys/bus/pci/drivers/{name}/module", Path("sys/module", module).absolute())
        relink(Path("sys/bus/pci/devices", ADDRESS, "driver"),
               Path("sys/bus/pci/drivers", name).absolute())

    def told(self, *rows):
        known = mappings.Known(Machine(module={}))
        found = [Mapping(one) for one in rows]
        for one in found:
            known.tell(one)
        return found

    def conflicts(self, *rows, arm=False, nopat=False):
        return mapped.conflicts(self.told(*rows), arm, nopat)


class Owners(Case):
    def vmallocinfo(self, *lines):
        hashed = "0x00000000b2f63dff-0x0000000053e9dd4f"
        fake.put({"proc/vmallocinfo": "".join(
            f"{hashed} {size + PAGE:7} {caller} phys={at:#018x} ioremap\n"
            for at, size, caller in lines)
            + f"{hashed}   20480 load_module+0x1/0x2 pages=4 vmalloc N0=4"})

    def owner(self, start, **more):
        [one] = self.told(row(start, **more))
        return one.owner, one.source, one.caller

    def test_the_driver_bound_to_the_bar_stands_behind_its_helpers(self):
        self.vmallocinfo((BAR, PAGE, "vp_modern_map_capability+0x1/0x2 [virtio_pci_modern_dev]"),
                         (BAR + PAGE, PAGE, "pci_iomap_range+0x5e/0x80"),
                         (BAR + 2 * PAGE, PAGE, "probe+0x1/0x2 [other]"))
        self.driver("virtio-pci", "virtio_pci")
        fake.put({"sys/module/virtio_pci_modern_dev/holders/virtio_pci": ""})
        self.assertEqual(self.owner(BAR)[:2], ("virtio-pci", "driver_bound"))
        self.assertEqual(self.owner(BAR + PAGE), (
            "virtio-pci", "driver_bound", "pci_iomap_range+0x5e/0x80"))
        self.assertEqual(self.owner(BAR + 2 * PAGE)[:2], ("other", "vmallocinfo"))
        self.assertEqual(self.owner(BAR + 3 * PAGE), ("virtio-pci", "driver_bound", ""))

    def test_without_a_driver_the_caller_or_the_name_of_the_range(self):
        self.vmallocinfo((0xfed00000, PAGE, "hpet_enable+0x1/0x2"), (0x1000, 4 * PAGE, "a+0x1/0x2"),
                         (0x2000, PAGE, "b+0x1/0x2"))
        self.assertEqual(self.owner(0xfed00000)[:2], ("hpet_enable", "vmallocinfo"))
        self.vmallocinfo((0xfed00000, PAGE, "__devm_ioremap_resource+0x1/0x2"),
                         (RAM, PAGE, "memremap+0x1/0x2"), (0x1000, 4 * PAGE, "a+0x1/0x2"),
                         (0x2000, PAGE, "b+0x1/0x2"))
        self.assertEqual(self.owner(0xfed00000)[:2], ("HPET 0", "iomem"))
        self.assertEqual(self.owner(RAM)[:2], ("memremap", "vmallocinfo"))
        self.assertEqual(self.owner(0x1000)[2], "a+0x1/0x2")
        self.assertEqual(self.owner(0x1000, size=4 * PAGE)[2], "a+0x1/0x2")
        self.assertEqual(self.owner(0x2000)[2], "b+0x1/0x2")    # its range is the very same
        self.vmallocinfo((0x1000, 4 * PAGE, "a+0x1/0x2"), (0x1000, 8 * PAGE, "b+0x1/0x2"))
        self.assertEqual(self.owner(0x1000)[2], "a+0x1/0x2 or b+0x1/0x2")
        # The code of a module's start is gone, and its name with it.
        self.vmallocinfo((0xfed00000, PAGE, "0xffffd349e8b58078"))
        self.assertEqual(self.owner(0xfed00000), ("HPET 0", "iomem", ""))
        self.assertEqual(self.owner(RAM), ("", "", ""))
        self.assertEqual(self.owner(RAM, area="direct")[0], "the direct map")

    def test_processes(self):
        fake.put({"proc/42/comm": "spdk",
                  "proc/42/maps": "7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n"
                  "7f0000001000-7f0000002000 rw-s 00000000 00:0d 9  /dev/vfio/1",
                  "proc/43/maps": "7f0000000000-7f0000001000 rw-p 00000000 00:00 0  /dev/shm/x"})
        [one] = self.told(user(BAR))
        self.assertEqual((one.owner, one.source, one.caller), (
            "spdk (42)", "proc_maps", "/dev/vfio/1"))
        self.assertEqual(mappings.Known(Machine(module={})).processes(), [42])
        with mock.patch.object(Machine, "read", autospec=True, side_effect=Machine.read) as read:
            self.told(*[user(BAR + n * PAGE) for n in range(9)])
        files = [call.args[1] for call in read.call_args_list]
        self.assertEqual((len(files), len({*files})), (3, 3))       # each once, for all of them

    def test_the_ranges_around_addresses(self):
        some = random.Random(1)
        for _ in range(300):
            found = [(start := some.randrange(30), start + some.randrange(9), str(n))
                     for n in range(some.randrange(9))]
            first = some.randrange(35)
            last = first + some.randrange(4)
            self.assertEqual(mappings.Ranges(found).around(first, last), [
                one for one in sorted(found, key=lambda one: (one[0], -one[1]))
                if one[0] <= first and last <= one[1]])
        ranges = mappings.Ranges([(n, n, "") for n in range(10000)])
        ranges.ranges = mock.MagicMock(**{"__getitem__.return_value": (7000, 7000, "")})
        ranges.around(7000, 7000)
        self.assertLess(ranges.ranges.__getitem__.call_count, 5)    # not all of them


class Conflicts(Case):
    def test_a_page_with_two_types(self):
        rows = row(RAM, area="direct", attribute="wb"), row(RAM), row(RAM + PAGE, attribute="wb")
        [one] = self.conflicts(*rows)
        self.assertEqual(one.id, "two_types")
        self.assertRegex(one.text, "^0x40000000.4K has two types: WB .the direct map. and WC "
                         r".nobody knows who.\. set_memory_wc\(\) or")
        self.assertEqual(self.conflicts(*rows, arm=True), [])
        # No direct map: arm64, too. UC- and UC are one type, and parts of a range are enough.
        [one] = self.conflicts(row(BAR, 4 * PAGE), row(BAR + PAGE, 8 * PAGE, attribute="nc"),
                               arm=True)
        self.assertRegex(one.text, r"^0xfc001000\+12K .*WC .* Normal-NC")
        self.assertEqual(self.conflicts(row(RAM, attribute="uc"), row(RAM, attribute="uc-")), [])
        self.assertEqual(self.conflicts(row(RAM), row(RAM, memory_type=None, attribute=None)), [])

    def test_a_prefetchable_bar_that_is_uncached(self):
        def text(*rows, **more):
            [one] = self.conflicts(*rows, **more)
            self.assertEqual(one.id, "prefetchable_uncached")
            return one.text

        self.assertRegex(text(row(BAR, attribute="uc-")), "^BAR 2 of 0000:00:05.0 is prefetchable, "
                         r"and .* UC- .*Nothing records .*ioremap_wc\(\)")
        self.assertRegex(text(row(BAR, attribute="uc-"), nopat=True), r"PAT is off \(nopat\)")
        self.assertRegex(text(row(BAR + PAGE, attribute="uc-"), row(BAR, attribute="uc-")),
                         r"UC- \(0xfc000000.4K and 1 more\)")
        self.assertRegex(text(row(BAR, attribute="nGnRE"), nopat=True, arm=True), "ioremap_wc")
        fake.put({"proc/42/maps": "7f0000001000-7f0000002000 rw-s 00000000 00:0d 9  "
                  "/sys/devices/x/resource2"})
        self.assertRegex(text(user(BAR, attribute="uc-")), "pgprot_writecombine")
        fake.put({f"sys/bus/pci/devices/{ADDRESS}/resource2_wc": ""})
        self.assertRegex(text(user(BAR, attribute="uc-")), "/resource2_wc maps it WC")
        fake.put({"proc/42/maps": "7f0000001000-7f0000002000 rw-s 00000000 00:0d 9  /dev/mem"})
        self.assertRegex(text(user(BAR, attribute="uc-")), "/dev/mem can't")
        for fine in (row(BAR), row(0xfe000000, attribute="uc-"),
                     row(BAR + (4 << 20), attribute="uc-")):
            self.assertEqual(self.conflicts(fine), [])

    def test_without_pat_wc_is_uncached(self):
        rows = row(RAM, attribute="uc-"), row(BAR, attribute="uc-"), row(RAM + PAGE)
        one, other = self.conflicts(*rows, nopat=True)
        self.assertEqual((one.id, one.json()["mappings"]), ("pat_off", ["0x40000000+4K"]))
        self.assertRegex(one.text, r"^PAT is off \(nopat\), so .* gets UC-.* in 1 mapping of UC-: ")
        self.assertEqual(other.id, "prefetchable_uncached")
        self.assertEqual(self.conflicts(rows[0]), [])
        self.assertEqual(self.conflicts(rows[0], nopat=True, arm=True), [])

    def test_an_mtrr_has_the_last_word(self):
        [one] = self.conflicts(row(RAM, attribute="wb", memory_type="uc"))
        self.assertRegex(one.text, "is mapped WB .* an MTRR makes it UC.$")
        self.assertEqual(self.conflicts(row(0xa0000, attribute="wb", memory_type="uc")), [])
        [one] = self.conflicts(row(BAR, attribute="uc-", memory_type="wc"))
        self.assertRegex(one.text, r"makes it WC, as arch_phys_wc_add\(\) does.$")

    def test_free_memory_that_is_not_write_back(self):
        flags = [1 << 10, 1 << 10, 0, 1 << 3]
        Path("proc/kpageflags").touch()
        with open("proc/kpageflags", "r+b") as file:
            file.seek(RAM // PAGE * 8)
            file.write(struct.pack("4Q", *flags))
        rows = [row(RAM, 4 * PAGE, area="direct", attribute="uc-")]
        for second, conflicts in ((rows, 1), ([], 0), (
                [row(RAM, 4 * PAGE, area="direct")], 0), ([row(RAM, 2 * PAGE, area="direct",
                                                               attribute="uc-")], 0)):
            with mock.patch.object(debugfs.Debugfs, "look", side_effect=[
                    (0, [HEAD, *rows]), (0, [HEAD, *second]), (0, [HEAD])]):
                found = look.Look([], None).conflicts
            self.assertEqual([one.id for one in found], ["free_not_wb"] * conflicts)
        with mock.patch.object(debugfs.Debugfs, "look", return_value=(0, [HEAD, *rows])):
            self.assertRegex(look.Look([], None).conflicts[0].text,
                             "UC- in the direct map, and 8K of")


    def test_large_pages_that_are_split_for_nothing(self):
        m, g = 1 << 20, 1 << 30

        def split(*sizes, start=g):
            """(length, page, more of its row) of neighbours in the direct map."""
            rows = []
            for size, page, more in sizes:
                if page:
                    rows.append(row(start, size, area="direct", attribute="wb",
                                    **({"page_bytes": page} | more)))
                start += size
            return [(one.text.split(" of the direct")[0], one.json()["mappings"])
                    for one in mapped.split(self.told(*reversed(rows)))]

        large, small, code = (2 * m, 2 * m, {}), (2 * m, PAGE, {}), {"writable": False}
        self.assertEqual(split(large, small, large), [("2M", ["0x40200000+2048K"])])
        self.assertEqual(split(large, (4 * m, PAGE, {}), large, small, large),
                         [("6M", ["0x40200000+4096K", "0x40800000+2048K"])])
        # It is needed: a part is of another type, or read only.
        for part in {"memory_type": "uc"}, code:
            self.assertEqual(split(large, (m, PAGE, {}), (m, PAGE, part), large), [])
        self.assertEqual(split(large, (3 * m, PAGE, {}), (m, PAGE, code), large),
                         [("2M", ["0x40200000+2048K"])])
        # Nobody knows of what has no such neighbour, or a hole.
        for sizes in (small, large), (large, small), (small,), \
                (large, (PAGE, 0, {}), (2 * m - PAGE, PAGE, {}), large):
            self.assertEqual(split(*sizes), [])
        self.assertEqual(split((g, g, {}), (512 * m, 2 * m, {}), small, (510 * m, 2 * m, {}),
                               (g, g, {})),
                         [("2M", ["0xa0000000+2048K"]), ("1G", ["0x80000000+1048576K"])])
        self.answers["direct"] = [row(at, 2 * m, area="direct", attribute="wb", page_bytes=page)
                                  for at, page in ((0, 2 * m), (2 * m, PAGE), (4 * m, 2 * m))]
        self.assertEqual([one.id for one in look.Look([], None).conflicts], ["split"])


class Command(Case):
    def shown(self, *words):
        with mock.patch.dict("os.environ", COLUMNS="200"):
            return fake.front("look", *words)

    def test_ranges(self):
        for text, want in (("0xfc000000-0xfc000fff", (BAR, PAGE)), ("0xfc000000+4K", (BAR, PAGE)),
                           ("0XFC000010-0xfc001000", (BAR, 2 * PAGE)), ("0x0-0x0", (0, PAGE)),
                           ("0xfc000000+0x2000", (BAR, 2 * PAGE)),
                           ("0x1000+1G", (0x1000, 1 << 30))):
            self.assertEqual(mappings.ranges_of(text), [want], text)
        self.assertEqual(mappings.ranges_of("00:05.0"), [(0xfe000000, PAGE), (BAR, 4 << 20)])
        self.assertEqual(mappings.ranges_of("00:05.0/2"), [(BAR, 4 << 20)])
        for text, why in (("0x2000-0x1000", "no range"), ("0x1000", "no range"),
                          ("0x1+0K", "no range"), ("0x0+99999999999G", "no range"),
                          ("", "not the address"), ("00:05.0/3", "no such BAR"),
                          ("00:06.0", "has no BAR"), ("x", "not the address"),
                          ("1M-2M", "no range"), ("5+4K", "no range")):
            fake.refused(self, why, mappings.ranges_of, text)

    def test_a_device_and_the_processes_that_have_it(self):
        maps = "7f0000001000-7f0000002000 rw-s 00000000 00:0d 9  /dev/vfio/1"
        fake.put({"proc/42/comm": "spdk", "proc/42/maps": maps, "proc/44/maps": maps})
        where = "phys=0xfe000000+4K,0xfc000000+4096K"
        self.answers = {where: [row(BAR, 4 << 20)], f"pid=42 {where}": [user(BAR, attribute="uc-")],
                        f"pid=44 {where}": errno.ESRCH}
        done = self.shown("00:05.0")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], "^- 0xfc000000.4K has two types: WC .* and UC .spdk .42")
        self.assertIn("spdk (42)", done.stdout)
        data = json.loads(self.shown("--json", "00:05.0").stdout)
        self.assertEqual([one["owner_source"] for one in data["mappings"]], ["iomem", "proc_maps"])
        self.assertEqual({one["id"] for one in data["conflicts"]},
                         {"two_types", "prefetchable_uncached"})

    def test_no_way_without_the_module_is_named(self):
        debugfs.Debugfs.check.side_effect = Failure(f"no module; {debugfs.WITHOUT}")
        self.assertEqual(self.shown().stderr, "memcache: no module\n")

    def test_many_mappings_and_none(self):
        self.assertIn("All that the kernel maps is write-back.", self.shown().stdout)
        self.assertIn("Nobody has mapped this.", self.shown("0x1000+4K").stdout)
        self.assertIn("No driver has mapped anything for process 7.",
                      self.shown("--pid", "7").stdout)
        self.answers["not_wb"] = [row(0x1000000 + 2 * i * PAGE) for i in range(10000)]
        done = self.shown()
        self.assertIn("9940 more mappings: --json has all.", done.stdout)
        self.assertEqual(len(json.loads(self.shown("--json").stdout)["mappings"]), 10000)

    def test_what_is_not_known_is_said(self):
        found = mapped.notes(HEAD | {"changed": 2, "changed_bytes": 1 << 21, "more": 3,
                                     "unmapped_bytes": 4096, "unseen_bytes": 1 << 30}, True)
        for text, why in zip(found, ("2M changed while", "3 more mappings", "4K of", "1G of",
                                     "`memcache mmio` measures"), strict=True):
            self.assertIn(why, text)
        self.assertEqual(mapped.notes(HEAD, False), [])
        self.answers["phys=0x40000000+4K"] = [row(RAM, area="direct", attribute="wb")]
        self.assertIn("RAM, which the kernel owns", self.shown("0x40000000+4K").stdout)

    def test_errors(self):
        self.answers = {"pid=1": errno.EPERM, "pid=2": errno.EINVAL, "not_wb": errno.EBUSY}
        for words, status, text in ((["--pid", "1"], 1, "why not"), (["--pid", "2"], 2, "why not"),
                                    (["--pid", "0"], 2, "--pid 0: no number of a process"),
                                    (["--pid", "99999999999"], 2, "--pid 99999999999: no number"),
                                    ([], 1, "another look is on"),
                                    (["--watch", "0"], 2, "above 0"), ([""], 2, "not the address"),
                                    (["--watch", "inf"], 2, "above 0"),
                                    (["--watch", "--json"], 2, "no --json")):
            done = self.shown(*words)
            self.assertEqual((done.returncode, text in done.stderr), (status, True), done.stderr)

    def test_watch_prints_the_new_and_the_gone(self):
        first, second = row(BAR), row(BAR, attribute="uc-")
        looks = [[first], [], [first], [], [second], [], [], []]    # the direct map is well
        shown = []
        with mock.patch.object(debugfs.Debugfs, "look",
                               side_effect=[(0, [HEAD, *some]) for some in looks]), \
                mock.patch("time.sleep"), \
                mock.patch.object(look, "emit", lambda lines: shown.extend(lines)), \
                self.assertRaises(StopIteration):
            look.watch(look.Look([], None), 1)
        words = [line.split()[:1] for line in shown]
        self.assertEqual([word[0] for word in words if word and word[0] in ("new", "gone")],
                         ["new", "gone", "gone"])
        self.assertTrue(any("is prefetchable" in line for line in shown))
