# SPDX-License-Identifier: GPL-2.0-only
"""Memory modules, from what dmidecode prints on real machines, and the peak that follows; memory
errors that came during a run."""

import os
from pathlib import Path
from unittest import mock

import fake
from mc.analysis import hardware as judged
from mc.output import report
from mc.records import results
from mc.running import hardware, module
from mc.running.machine import Machine

SERVER = ("CPU1_DIMM_A1", "CPU1_DIMM_A2", "CPU1_DIMM_B1", "CPU1_DIMM_B2")
LINE = "bandwidth op=read,write size=1G repeat=10"


def device(slot, bank="Not Specified", size="16 GB", kind="DDR4", width="64 bits", rated="3200",
           speed="2933", unit="MT/s", configured="Configured Memory Speed", form="DIMM"):
    """A block of dmidecode."""
    return f"""
Handle 0x0011, DMI type 17, 92 bytes
Memory Device
\tTotal Width: 72 bits
\tData Width: {width}
\tSize: {size}
\tForm Factor: {form}
\tLocator: {slot}
\tBank Locator: {bank}
\tType: {kind}
\tSpeed: {rated} {unit}
\t{configured}: {speed} {unit}
"""


def empty(slot, bank="Not Specified"):
    return device(slot, bank, "No Module Installed", "Unknown", "Unknown", rated="Unknown",
                  speed="Unknown").replace("Unknown MT/s", "Unknown")


def machine(*blocks):
    return {"modules": {"slots": hardware.modules("# dmidecode 3.4\n" + "".join(blocks)),
                        "why": None}}


def peak(*blocks):
    return judged.peak(fake.BARE | machine(*blocks))


def written(*blocks, rates=(30000.0, 20000.0), level="memory", wide=False, **more):
    """The report on a machine of these modules, in which reads and writes had these rates."""
    found = [fake.result(f"bandwidth op={op} size=1G repeat=10", rate) | {"level": level}
             for op, rate in zip(("read", "write"), rates)]
    about = (machine(*blocks) if blocks else {}) | more
    runs = fake.runs_of(fake.BARE, (LINE, found), **about)
    return fake.one_line(report.lines(runs, wide))


class Modules(fake.unittest.TestCase):
    def channels(self, *slots):
        return [slot["channel"] for slot in hardware.modules("".join(
            device(*slot) for slot in slots))]

    def test_a_module(self):
        self.assertEqual(hardware.modules(device(SERVER[0])), [{
            "slot": SERVER[0], "channel": "CPU1_DIMM_A", "channel_source": "smbios",
            "size_bytes": 16 << 30, "width_bits": 64, "rated_mt_per_s": 3200, "mt_per_s": 2933,
            "generation": "DDR4"}])

    def test_what_follows_from_what_is_printed(self):
        """Generation, width of data, and speeds: no module has some, and some are clocks."""
        for given, found in (
                *(({"kind": kind}, {"generation": generation}) for kind, generation in (
                    ("DDR5", "DDR5"), ("DDR3 SDRAM", "DDR3"), ("LPDDR4", "LPDDR4"),
                    ("<OUT OF SPEC>", None), ("Other", None), ("DDR", "DDR"))),
                ({"size": "8192 MB", "unit": "MHz", "configured": "Configured Clock Speed"},
                 {"size_bytes": 8 << 30, "mt_per_s": 2933}),
                *(({"kind": kind, "width": width}, {"width_bits": bits}) for kind, width, bits in (
                    ("DDR4", "64 bits", 64), ("DDR4", "72 bits", 64), ("DDR5", "32 bits", 64),
                    ("DDR5", "80 bits", 64), ("<OUT OF SPEC>", "40 bits", 64),
                    ("DDR3", "2244 bits", 64), ("LPDDR5", "16 bits", 16),
                    ("LPDDR4", "32 bits", 32), ("DDR4", "Unknown", None))),
                *(({"form": form, "width": width}, {"width_bits": bits}) for form, width, bits in (
                    ("Row Of Chips", "16 bits", 16), ("CAMM", "128 bits", 128),
                    ("Row Of Chips", "72 bits", 64), ("SODIMM", "72 bits", 64))),
                *(({"kind": kind, "rated": rated, "speed": speed},
                   {"rated_mt_per_s": of_module, "mt_per_s": now})
                  for kind, rated, speed, of_module, now in (
                    ("DDR4", "2667", "1333", 2667, 2667), ("DDR4", "2133", "1067", 2133, 2133),
                    ("DDR3", "1333", "667", 1333, 1333), ("DDR5", "4800", "2400", 4800, 4800),
                    ("DDR5", "5600", "2800", 5600, 5600), ("DDR2 FB-DIMM", "667", "333", 667, 667),
                    ("DDR3", "667", "533", 1334, 1066), ("DDR3", "800", "667", 1600, 1334),
                    ("DDR4", "1333", "1333", 2666, 2666), ("DDR4", "1200", "Unknown", 2400, None),
                    # These may be true.
                    ("DDR4", "3200", "1600", 3200, 1600), ("DDR3", "1600", "800", 1600, 800),
                    ("DDR4", "2133", "1333", 2133, 1333), ("DDR4", "3200", "2400", 3200, 2400),
                    ("<OUT OF SPEC>", "4800", "2400", 4800, 2400),
                    ("LPDDR5", "6400", "3200", 6400, 3200))),
                *(({"speed": speed}, {"mt_per_s": known}) for speed, known in (
                    ("6", None), ("32768", None), ("333", 333), ("8800", 8800)))):
            with self.subTest(given):
                [slot] = hardware.modules(device(SERVER[0], **given))
                self.assertEqual({key: slot[key] for key in found}, found)

    def test_blocks_may_follow_each_other_without_a_blank_line(self):
        text = (device("DIMM_A1") + device("DIMM_B1")).replace("\n\n", "\n")
        self.assertEqual([slot["slot"] for slot in hardware.modules(text)], ["DIMM_A1", "DIMM_B1"])

    def test_an_empty_slot(self):
        [slot] = hardware.modules(empty(SERVER[0]))
        self.assertEqual({slot[key] for key in ("size_bytes", "mt_per_s", "rated_mt_per_s",
                                                "width_bits")}, {None})

    def test_memory_is_what_is_not_said_to_be_storage(self):
        for kind, count in (("Other", 1), ("Unknown", 1), ("<OUT OF SPEC>", 1), ("Reserved", 1),
                            ("SDRAM", 1), ("Flash", 0), ("ROM", 0), ("EEPROM", 0),
                            ("Logical non-volatile device", 0)):
            with self.subTest(kind):
                self.assertEqual(len(hardware.modules(device(SERVER[0], kind=kind))), count)
        self.assertEqual(len(hardware.modules(device(SERVER[0]).replace("\tType: DDR4\n", ""))), 1)
        self.assertEqual(hardware.modules(empty("ROM").replace("Type: Unknown", "Type: Flash")), [])

    def test_garbage(self):
        for text in ("", "\x00\xff", "Memory Device", "Memory Device\n\tSize: 1 XB\n",
                     device("A", speed="x", rated=""), device("", size="99999999999999999 GB")):
            hardware.modules(text)

    def test_the_peak_is_that_of_channels(self):
        """None is made up; nor is the width of soldered chips believed."""
        one = 2933 * 8
        for wanted, *blocks in (
                (2 * one, *map(device, SERVER)), (one, device(SERVER[0]), *map(empty, SERVER[1:])),
                (2133 * 8, device(SERVER[0]), device(SERVER[1], speed="2133")),
                (2 * one, device("PROC 1 DIMM 1"), device("PROC 1 DIMM 2")),
                *((None, *(device(f"P0 CHANNEL {name}", width=f"{bits} bits", kind="LPDDR5",
                                  speed="6400") for name in "ABCD")) for bits in (16, 32, 64)),
                (None,), (None, *map(empty, SERVER)), (None, device(SERVER[0], speed="Unknown")),
                (None, device(SERVER[0], width="Unknown"))):
            with self.subTest(blocks):
                self.assertEqual(peak(*blocks), wanted)
        self.assertIsNone(judged.peak({}))

    def test_one_sentence_for_all_of_a_kind(self):
        def slot(channel, gib, **more):
            return fake.slot(f"{channel}1", channel, gib, **more)
        about = {"hypervisor": None} | fake.modules(
            *(slot(f"P0_Node0_Channel{n}", 1, mt_per_s=2400) for n in range(9)),
            slot("P0_Node0_Channel9", 0), *(slot(f"P1_Node1_Channel{n}", 0) for n in range(8)))
        slow = "9 modules (P0_Node0_Channel01, {}, ...) run at 2400 MT/s; they are rated for 3200."
        slow = slow.format(", ".join(f"P0_Node0_Channel{n}1" for n in range(1, 8)))
        empty = ", ".join(f"P1_Node1_Channel{n}" for n in range(7))
        for nodes, said in ((1, "Channel P0_Node0_Channel9 has no module."),
                            (2, f"9 channels (P0_Node0_Channel9, {empty}, ...) have no module.")):
            machine = about | {"nodes": [{"node": n, "cpus": str(n)} for n in range(nodes)]}
            self.assertEqual(judged.remarks(machine), [said, slow])

class Report(fake.unittest.TestCase):
    def test_what_is_said(self):
        """Of modules, rates and machines: what, and what not."""
        first, slow = device(SERVER[0]), device(SERVER[0], rated="3200", speed="1600")
        guest = {"modules": {"slots": [], "why": "a virtual machine (kvm)"}}
        for blocks, more, said, unsaid in (
                ([first, device(SERVER[2])], {}, [
                    "2 modules, 32G, at 2933 MT/s, on 2 channels: 46928 MB/s at most.",
                    "Most that was measured: 30000 MB/s, 64 % of that (bandwidth op=read size=1G)."
                 ], ""),
                ([first, *map(empty, SERVER[1:])], {}, [
                    "Channel CPU1_DIMM_B has no module.",
                    "CPU1_DIMM_A1 runs at 2933 MT/s; it is rated for 3200."], ""),
                ([*(device(slot, speed="3200") for slot in SERVER[:3]), empty(SERVER[3])], {},
                 ["Channel CPU1_DIMM_B has 1 of the 2 modules that others have."], "rated"),
                ([device(SERVER[0], rated="2934", speed="2933")], {}, [], "rated"),
                # More than the memory can deliver is no fact.
                ([first], {}, [
                    "read ?30000.0", "write 20000.0",
                    "IMPLAUSIBLE: bandwidth op=read size=1G: 30000 MB/s is 128 %",
                    "Most that is plausible: 20000 MB/s, 85 %"], ""),
                # The peak is one of modules that may be on channels of their own.
                ([device("DIMM1"), device("DIMM2")], {"rates": (50000.0, 20000.0)}, [
                    "2 modules, 32G, at 2933 MT/s (which of them share a channel is not said, so "
                    "each counts as one): 46928 MB/s at most.",
                    "Most that was measured: 50000 MB/s (bandwidth op=read size=1G). That is more:"
                 ], r"\?|IMPLAUSIBLE"),
                # Half of the rated speed may be a clock.
                ([slow], {"rates": (20000.0,)}, [], "IMPLAUSIBLE"),
                ([slow], {"rates": (30000.0, 10000.0)}, [
                    "CPU1_DIMM_A1 runs at 1600 MT/s, or at twice that if the firmware gives the "
                    "clock; it is rated for 3200.",
                    "IMPLAUSIBLE: bandwidth op=read size=1G: 30000 MB/s"], ""),
                # There is no remark on channels that are not known.
                ([*map(device, ("P1_DIMMA1", "P1_DIMMB1")), empty("NO DIMM", "NO DIMM")], {},
                 ["on 2 channels"], "has no module"),
                ([device(f"DIMM_{c}{n}") if n < 5 else empty(f"DIMM_{c}{n}")
                  for c in "AB" for n in range(1, 13)], {}, [], "Channel"),
                *(([first], {"hypervisor": name, "wide": True}, [
                    f"Peak of the memory modules: na (a hypervisor: {name or 'unknown'})."],
                   "IMPLAUSIBLE") for name in ("kvm", "unknown", "")),
                ([first], {"level": "l3"}, [], r"\?|Memory modules"),       # may be faster
                ([], guest | {"wide": True}, [
                    "Peak of the memory modules: na (a virtual machine (kvm))."], ""),
                ([], guest, [], "modules")):
            with self.subTest(more, said=said):
                text = written(*blocks, **more)
                for words in said:
                    self.assertIn(words, text)
                self.assertNotRegex(text, unsaid or "$^")

    def test_what_an_older_version_took_for_channels(self):
        """It took the letters of DIMM_A1 to DIMM_A4, which are CPUs."""
        about = machine(*(device(f"DIMM{n}") for n in range(4)))
        for slot in about["modules"]["slots"]:
            slot["channel"] = "DIMM_A"
        self.assertEqual(judged.peak(about | {"hypervisor": None}), 4 * 2933 * 8)

    def test_errors_are_loud(self):
        found = [fake.result(LINE.replace(",write", ""), 1000.0)]
        runs = fake.runs_of(fake.BARE, (LINE, found))
        self.assertNotIn("ERRORS", " ".join(report.lines(runs)))
        runs[0].request["memory_errors"] = {"corrected": 3, "uncorrected": 0}
        text = fake.one_line(report.lines(runs))
        self.assertIn("*** MEMORY ERRORS WERE COUNTED DURING THE RUN. ***", text)
        self.assertIn("3 corrected, 0 uncorrected", text)


class Machines(fake.unittest.TestCase):
    """Reports on whole machines: what their modules can deliver, and no wrong remark."""
    UNSAID = "(which of them share a channel is not said, so each counts as one)"

    def test_machines(self):
        both = [f"{cpu}{n}" for cpu in "AB" for n in range(1, 13)]
        for what, blocks, said in (
                ("the letter of a slot is its CPU",
                 [device(f"DIMM_{one}", kind="DDR3", rated="1600", speed="1600")
                  if int(one[1:]) < 5 else empty(f"DIMM_{one}") for one in both],
                 f"8 modules, 128G, at 1600 MT/s {self.UNSAID}: 102400 MB/s"),
                ("empty slots without a bank",
                 [block for cpu in (0, 1) for i, c in enumerate("ABCDEF") for block in (
                     device(f"P{cpu + 1}-DIMM{c}1", f"P{cpu}_Node{i // 3}_Channel{i % 3}_Dimm0",
                            rated="2666", speed="2666"),
                     empty(f"P{cpu + 1}-DIMM{c}2", "NO DIMM"))],
                 "12 modules, 192G, at 2666 MT/s, on 12 channels: 255936 MB/s"),
                ("DDR5 that dmidecode does not know",
                 [device(f"Controller{i}-ChannelA-DIMM0", "BANK 0", kind="<OUT OF SPEC>",
                         rated="4800", speed="4800") for i in (0, 1)],
                 "2 modules, 32G, at 4800 MT/s, on 2 channels: 76800 MB/s"),
                ("types that firmware does not know",
                 [device(f"CPU{cpu}_DIMM_{c}1", f"NODE {cpu}", rated="2400", speed="2400",
                         kind="Other" if c == "B" else "DDR4") for cpu in (1, 2) for c in "ABCD"],
                 "8 modules, 128G, at 2400 MT/s, on 8 channels: 153600 MB/s"),
                ("an empty slot beside one of another type",
                 [device("CPU0_DIMM_A1", "NODE 0", kind="Other", rated="2400", speed="2400"),
                  empty("CPU0_DIMM_A2", "NODE 0")],
                 "1 module, 16G, at 2400 MT/s, on 1 channel: 19200 MB/s"),
                ("a width with ECC",
                 [device(f"P{cpu}-DIMM{c}1", f"P{cpu - 1}_Node0_Channel{i}_Dimm0", rated="2400",
                         speed="2400", width="72 bits") for cpu in (1, 2)
                  for i, c in enumerate("ABCD")],
                 "8 modules, 128G, at 2400 MT/s, on 8 channels: 153600 MB/s"),
                ("two slots of one name",
                 [device("Channel-0-DIMM-0", "BANK 0", speed="3200")] * 2,
                 f"2 modules, 32G, at 3200 MT/s {self.UNSAID}: 51200 MB/s"),
                ("a bank that begins with the slot",
                 [device(f"CPU_{cpu}_DIMM_{c}_{k}", f"{c}{k}_Node{cpu}_Channel{i}_Dimm{k}",
                         rated="2400", speed="2400") for cpu in (0, 1)
                  for i, c in enumerate("GHJ" if cpu else "ABC") for k in (0, 1)],
                 "12 modules, 192G, at 2400 MT/s, on 6 channels: 115200 MB/s"),
                ("a clock for transfers",
                 [device(f"DIMM_{c}2", "BANK 1", rated="2667", speed="1333") for c in "AB"],
                 "2 modules, 32G, at 2667 MT/s, on 2 channels: 42672 MB/s")):
            with self.subTest(what):
                text = written(*blocks, rates=(15000.0, 10000.0))
                self.assertIn(f"- {said} at most. - Most that was measured: 15000 MB/s", text)
                for word in "IMPLAUSIBLE", "Channel ", "rated", "?":
                    self.assertNotIn(word, text)


class Firmware(fake.Measured):
    """dmidecode as this machine may have it."""
    def described(self, script=None, guest=None, uid=0):
        if script is not None:
            fake.program("dmidecode", f"#!/bin/sh\n{script}\n")
        with mock.patch.object(hardware, "hypervisor", return_value=guest), \
                mock.patch.object(hardware, "is_present", return_value=guest == "kvm"), \
                mock.patch.object(module, "SBIN", ""), \
                mock.patch.object(os, "geteuid", return_value=uid), \
                mock.patch.dict(os.environ, {"PATH": f"{Path.cwd()}"}):
            return hardware.describe()

    def test_it_is_asked(self):
        Path("text").write_text(device(SERVER[0]))
        found = self.described("exec /bin/cat text")
        self.assertEqual((found["slots"][0]["slot"], found["why"]), (SERVER[0], None))

    def test_why_it_says_nothing(self):
        Path("unsized").write_text(device("A", size="Unknown") + device("B"))
        for why, arguments in {
                "a virtual machine (kvm)": {"guest": "kvm"},
                "not known whether this is a virtual machine": {"guest": "unknown"},
                "dmidecode is not installed": {},
                "dmidecode lists no memory modules: No SMBIOS": {"script": "echo No SMBIOS >&2"},
                "dmidecode does not say the size of A": {"script": "exec /bin/cat unsized"},
                "dmidecode needs root": {"script": "exit 1", "uid": 1000}}.items():
            with self.subTest(why):
                self.assertEqual(self.described(**arguments), {"slots": [], "why": why})

    def edac(self, *units, size=16384, top=""):
        """What is read of units of EDAC: unit, label, location; `size` in MiB."""
        for unit, label, location in units:
            fake.put({"dimm_label": label, "dimm_location": f"{location} ",
                      "dimm_mem_type": "Registered-DDR4", "size": size},
                     f"{top}{hardware.EDAC}/{unit}")
        with mock.patch.dict(os.environ, MEMCACHE_SYSROOT=f"{Path.cwd()}/{top}"):
            return hardware.controllers(Machine(module={}))

    def test_what_the_driver_of_memory_controllers_lists(self):
        self.assertEqual(self.edac(), [])
        found = self.edac(("mc10/dimm0", "B", "branch 0 channel 1 slot 0"),
                          ("mc2/dimm10", "A", "channel 10 slot 1"), ("mc2/dimm9", "", "memory 9"),
                          ("mc3/rank3", "mc#3csrow#1channel#1", "csrow 1 channel 1"))
        self.assertEqual([(one["unit"], one["label"], one["channel"]) for one in found], [
            ("mc2/dimm9", None, None), ("mc2/dimm10", "A", "mc2 channel 10"),
            ("mc3/rank3", "mc#3csrow#1channel#1", "mc3 channel 1"),
            ("mc10/dimm0", "B", "mc10 branch 0 channel 1")])
        self.assertEqual({one["size_bytes"] for one in found}, {16 << 30})
        # Old kernels have rows alone, newer ones have them beside the others.
        for mc in 2, 99:
            Path(hardware.EDAC, f"mc{mc}/csrow0").mkdir(parents=True)
        for text, size in (("8192\n", 8 << 30), ("x", None), ("0", None), ("9" * 30, None)):
            Path(hardware.EDAC, "mc99/csrow0/size_mb").write_text(text)
            self.assertEqual([(one["unit"], one["size_bytes"]) for one in self.edac()[4:]],
                             [("mc99/csrow0", size)])

    def test_channels_by_labels(self):
        """Somebody has written the names of slots into sysfs, all ranks of a module alike."""
        Path("text").write_text("".join(device(f"DIMM{n}") for n in (0, 1, 2, 3, 3)))
        self.edac(*((f"mc0/rank{n}", label, f"csrow 0 channel {channel}") for n, (label, channel)
                    in enumerate((("DIMM_0", 0), ("dimm1", 1), ("DIMM 0", 0), ("DIMM2", 1),
                                  ("DIMM2", 2), ("DIMM3", 2)))))
        found = self.described("exec /bin/cat text")
        self.assertEqual([(one["channel"], one["channel_source"]) for one in found["slots"]], [
            ("mc0 channel 0", "edac"), ("mc0 channel 1", "edac"), *[(None, None)] * 3])
        self.assertEqual(found["edac"][1]["label"], "dimm1")
        # The names of slots say it themselves.
        Path("text").write_text(device(SERVER[0]))
        self.assertEqual(self.described()["slots"][0]["channel_source"], "smbios")
        self.assertEqual(self.described("exit 1", uid=1000)["edac"], found["edac"])
        self.assertNotIn("edac", self.described(guest="kvm"))

    def test_what_both_lists_say(self):
        unsaid, known = [device(f"DIMM{n}") for n in range(4)], [*map(device, SERVER)]
        on_two, other = "on 2 channels (by EDAC): 46928 MB/s", device("DIMM3", speed="2400")
        for case, (slots, kind, channels, each, gib, said) in enumerate((
                (unsaid, "dimm", 4, 1, 16, "4 modules, 64G, at 2933 MT/s, on 4 channels (by EDAC): "
                 "93856 MB/s at most."),
                (unsaid, "dimm", 2, 2, 16, on_two), (unsaid, "rank", 2, 4, 8, on_two),
                ([*unsaid[:3], other], "dimm", 2, 2, 16, on_two),
                (known, "dimm", 2, 2, 16, "on 2 channels: 46928 MB/s at most."),
                (known, "rank", 4, 1, 16, "SMBIOS and EDAC contradict each other, so nobody knows "
                 "which modules share a channel: 4 modules, 64G, on 2 channels by SMBIOS; 4 ranks, "
                 "64G, on 4 channels by EDAC."),
                (unsaid, "dimm", 4, 1, 8, "4 modules, 64G by SMBIOS; 4 modules, 32G, on 4 ch"),
                (unsaid, "dimm", 4, 2, 8, "4 modules, 64G by SMBIOS; 8 modules, 64G,"),
                (unsaid, "rank", 2, 1, 32, "64G by SMBIOS; 2 ranks, 64G, on 2"),
                (unsaid, "rank", 8, 1, 8, "64G by SMBIOS; 8 ranks, 64G, on 8"))):
            with self.subTest(said):
                location = "csrow {} channel {}" if kind == "rank" else "channel {1} slot {0}"
                edac = self.edac(*((f"mc{n // 2}/{kind}{n % 2 + 2 * i}", "",
                                    location.format(i, n % 2))
                                   for n in range(channels) for i in range(each)),
                                 size=gib << 10, top=f"{case}/")
                about = machine(*slots)
                about["modules"]["edac"] = edac
                text = written(wide=True, **about)
                self.assertIn(said, text)
                self.assertIn("EDAC lists mc0/", text)
                wrong = "by SMBIOS" in said
                self.assertEqual(["contradict" in text, "each counts as one" in text,
                                  judged.channel_count(fake.BARE | about) is None], [wrong] * 3)
        # Memory of another kind is listed elsewhere, or nowhere.
        edac[0]["memory_type"] = "High-bandwidth-memory-Gen2"
        edac[1]["location"] = "memory 1"
        self.assertEqual(len(judged.edac_units(fake.BARE | about)), 6)
        self.assertEqual(judged.edac_units(about | {"hypervisor": "kvm"}), [])
        text = written(wide=True, modules={"slots": [], "why": "needs root", "edac": edac})
        self.assertIn("na (needs root). - EDAC lists mc0/rank0 (csrow 0 channel 0): 8G", text)

    def count(self, corrected, uncorrected):
        for number in range(2):
            fake.put({"ce_count": corrected, "ue_count": uncorrected},
                     f"{hardware.EDAC}/mc{number}")

    def test_errors_of_all_controllers(self):
        self.assertIsNone(hardware.errors())
        self.count(2, 1)
        before = hardware.errors()
        self.assertEqual(before, {"corrected": 4, "uncorrected": 2})
        self.assertEqual(hardware.new_errors(before, before), {})
        self.assertEqual(hardware.new_errors(None, before), {})
        self.count(5, 1)
        self.assertEqual(hardware.new_errors(before, hardware.errors()),
                         {"corrected": 6, "uncorrected": 0})

    def test_a_run_has_both_in_its_records(self):
        self.count(0, 0)
        kernel = fake.Kernel()
        ran = kernel.run

        def run(line):
            self.count(1, 0)
            return ran(line)

        told = {"slots": hardware.modules(device(SERVER[0])), "why": None}
        with mock.patch.object(hardware, "describe", return_value=told), \
                mock.patch.object(kernel, "run", run):
            self.run_("bandwidth size=4K", kernel=kernel)
        [found] = results.load("out")
        self.assertEqual(found.machine["modules"], told)
        self.assertEqual(found.request["memory_errors"], {"corrected": 2, "uncorrected": 0})
