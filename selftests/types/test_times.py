# SPDX-License-Identifier: GPL-2.0-only
"""For every operation, width and fence on UC and WC memory: the module executed the
accesses that the record's payload says, and they took the time that they cost."""

from fractions import Fraction

import accesses
import room

WIDTHS = (8, 16, 32)
FENCED = ("write", "ntwrite", "copy", "ntcopy", "rmw", "triad", "nttriad", "rw31", "rw21", "rw11",
          "rw32", "ntrw31", "ntrw91")
UNFENCED = ("read", "ntread")

# With these prices, a sample is one pass in one window, as it is without prices, so that
# both runs execute the same instructions. With the prices of a file that may differ.
KIND = {"uc_load_ns": 53, "uc_store_ns": 59, "wc_load_ns": 47, "wc_line_ns": 31, "wc_word_ns": 11}
ACCESSES = 9216     # accesses of an array: they last longer than the shortest sample
# Only UC and WC memory has a price, so everything else takes the same time in both runs.
CACHES_FREE = {key: 0 for key in ("l1_ns", "l2_ns", "l3_ns", "memory_ns", "flush_ns",
                                  "tlb_miss_ns")}


def widths(op: str) -> list[int]:
    return [width for width in WIDTHS if width > 8 or op not in accesses.WIDE]


class Cells(room.Tests):
    """Two runs, with and without prices; a cell is a type, operation, width and fence."""
    any_prices = True
    fences = "none", "sfence", "mfence", "uc"
    unfenced, fenced = UNFENCED, FENCED
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
        cls.cost = {}
        # The module stays loaded: its buffers lie where they are.
        for free in (False, True):
            cls.room.machine.prices(**(room.FREE if free else CACHES_FREE | (
                {} if room.FILE_GIVEN else KIND)))
            cls.cost[free] = dict(cls.room.machine.cost)
            for line in cls.lines():
                run = cls.room.ask(line)
                for number, result in enumerate(run.results):
                    key = (result["type"], result["op"], result["width_bytes"], result["fence"])
                    result["width_bytes"] = min(result["width_bytes"], cls.most)
                    cls.cells[free, *key] = (result, run.windows_of(number))

    def measured(self, op):
        """The result, and the windows of the sample, of each cell of an operation."""
        found = [(key, *cell) for key, cell in self.cells.items() if key[2] == op]
        self.assertEqual(len(found), 2 * 2 * len(widths(op)) *
                         (1 if op in self.unfenced else len(self.fences)))
        for (free, *key), result, windows in found:
            with self.subTest(cell=key, prices=not free):
                yield free, key, result, accesses.sample(result, windows)

    def counts(self, op):
        for _free, _key, result, windows in self.measured(op):
            self.assertEqual(accesses.differences(result, windows), [])

    def times(self, op):
        for free, _key, result, windows in self.measured(op):
            charged = accesses.cost_ns(accesses.of(result), result["type"], self.cost[free])
            ticks, of_memory = (room.total(windows, key) for key in ("ticks", "charged"))
            self.assertEqual(of_memory, charged)
            # The time in the record is that of its windows, to the picosecond.
            self.assertEqual(round(result["median_ns"] * 1000),
                             ticks * 1000 // result["passes_per_sample"])

    def differences(self, op):
        """The time with prices, minus the time without, minus accesses times price. This is 0
        if the sample has the same windows and passes in both runs. If not, the rest is the
        instructions of a window around its loop, some of which run once for each pass."""
        cells = {}
        for free, key, result, windows in self.measured(op):
            passes = result["passes_per_sample"]
            own = room.total(windows, "ticks") - room.total(windows, "charged")
            charged = accesses.cost_ns(accesses.of(result), result["type"], self.cost[free])
            cells.setdefault(tuple(key), {})[free] = (
                result["median_ns"], Fraction(own, passes), Fraction(charged, passes),
                (len(windows), passes))
        exact = 0
        for key, cell in cells.items():
            (on, own, charged, shape), (off, own_off, _, shape_off) = cell[False], cell[True]
            rest = round((on - off) * 1000) - round(charged * 1000)
            with self.subTest(key=key):
                # A record has three decimals, each rounded down.
                self.assertLessEqual(abs(rest - (own - own_off) * 1000), 1)
                if not room.FILE_GIVEN:
                    self.assertEqual(shape, shape_off)
                if shape == shape_off:
                    self.assertEqual(rest, 0)
            exact += rest == 0
        print(f"# {op}: {exact} of {len(cells)} cells to 0.0 ns as they are, the others with "
              "their windows' own instructions")


class Times(Cells):
    pass


class TimesArm64(Cells):
    """A loop of 32 bytes makes two accesses of 16 there."""
    kernel = "6.1-arm64"
    fences = "none", "dmb_ish", "dsb_sy", "uc"
    unfenced = ("read",)
    fenced = tuple(op for op in FENCED if not op.startswith("nt"))
    most = 16


def for_each(cells, name):
    for op in (*cells.unfenced, *cells.fenced):
        setattr(cells, f"test_{name}_{op}", lambda self, op=op: getattr(self, name)(op))


for cells in Times, TimesArm64:
    for name in "counts", "times", "differences":
        for_each(cells, name)
