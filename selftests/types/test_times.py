# SPDX-License-Identifier: GPL-2.0-only
"""For every width and fence on UC and WC memory: the module executed the accesses that the record's
payload says, and they took the time that they cost. The native test `accesses` decodes all loops of
x86; those of arm64 are here."""

import accesses
import room

WIDTHS = (8, 16, 32)

# With these prices, a sample is one pass in one window.
KIND = {"uc_load_ns": 53, "uc_store_ns": 59, "wc_load_ns": 47, "wc_line_ns": 31, "wc_word_ns": 11}
ACCESSES = 9216     # accesses of an array: they last longer than the shortest sample
# Only UC and WC memory has a price.
CACHES_FREE = {key: 0 for key in ("l1_ns", "l2_ns", "l3_ns", "memory_ns", "flush_ns",
                                  "tlb_miss_ns")}


def widths(op: str) -> list[int]:
    return [width for width in WIDTHS if width > 8 or op not in accesses.WIDE]


class Cells(room.Tests):
    """A cell is a type, operation, width and fence."""
    any_prices = True
    fences = "none", "sfence", "mfence", "uc"
    unfenced, fenced = ("read", "ntread"), ("write", "ntwrite", "ntcopy", "rmw", "rw31")
    most = 32       # bytes that an instruction accesses at once

    @classmethod
    def lines(cls) -> list[str]:
        common = "type=uc,wc irq=off verify=off warmup=0 repeat=1 disturbed=keep"
        fences = f"fence={','.join(cls.fences)}"
        return [f"bandwidth op={','.join(op for op in ops if width in widths(op))} width={width} "
                f"{more} size={ACCESSES * min(width, cls.most)} {common}"
                for width in WIDTHS for ops, more in ((cls.unfenced, ""), (cls.fenced, fences))]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cells = {}
        cls.room.machine.prices(**CACHES_FREE | ({} if room.FILE_GIVEN else KIND))
        for line in cls.lines():
            run = cls.room.ask(line)
            for number, result in enumerate(run.results):
                key = result["type"], result["op"], result["width_bytes"], result["fence"]
                result["width_bytes"] = min(result["width_bytes"], cls.most)
                cls.cells[key] = (result, run.windows_of(number))

    def check(self, op):
        """The machine saw the accesses of the payload, and these took what they cost."""
        found = [(key, *cell) for key, cell in self.cells.items() if key[1] == op]
        self.assertEqual(len(found), 2 * len(widths(op)) *
                         (1 if op in self.unfenced else len(self.fences)))
        for key, result, all_windows in found:
            with self.subTest(cell=key):
                windows = accesses.sample(result, all_windows)
                self.assertEqual(accesses.differences(result, windows), [])
                # The comparison sees a loop that does too little.
                more = result | {"payload_bytes": 2 * result["payload_bytes"]}
                self.assertNotEqual(accesses.differences(more, windows), [])
                charged = accesses.cost_ns(accesses.of(result), result["type"],
                                           self.room.machine.cost)
                ticks, of_memory = (room.total(windows, key) for key in ("ticks", "charged"))
                self.assertEqual(of_memory, charged)
                # The time in the record is that of its windows, to the picosecond.
                self.assertEqual(round(result["median_ns"] * 1000),
                                 ticks * 1000 // result["passes_per_sample"])


class Times(Cells):
    pass


class TimesArm64(Cells):
    """A loop of 32 bytes makes two accesses of 16 there."""
    kernel = "6.1-arm64"
    fences = "none", "dmb_ish", "dsb_sy", "uc"
    unfenced = ("read",)
    fenced = ("write", "copy", "rmw", "triad", "rw31", "rw21", "rw11", "rw32")
    most = 16


for cells in Times, TimesArm64:
    for op in (*cells.unfenced, *cells.fenced):
        setattr(cells, f"test_{op}", lambda self, op=op: self.check(op))
