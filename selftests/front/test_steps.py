# SPDX-License-Identifier: GPL-2.0-only
"""Finding steps: curves that are made up, with noise, and published ones."""

import math
import random
from collections import Counter

import fake
from mc.analysis import steps

K = 1024
OCTAVES = [4 * K << i for i in range(17)]
HALVES = [int(4 * K * 2 ** (i / 2)) for i in range(33)]
# Caches, and what a load takes in each and in memory.
MACHINES = (
    ((32 * K, 256 * K, 3 * K * K), (1.34, 4.0, 11.0, 80.0)),
    ((48 * K, K * K, 32 * K * K), (0.94, 3.3, 15.0, 110.0)),
    ((48 * K, 2 * K * K, 16 * K * K), (1.7, 6.0, 36.0, 150.0)),
    ((32 * K, 512 * K), (1.0, 4.0, 90.0)),
)


def hits(part: float) -> float:
    """How many loads of a random cycle hit a cache that the set is so many times
    as large as, if a random line makes room for a new one."""
    found = 0.5
    for _ in range(60):
        found = math.exp((found - 1) * part) if part > 1 else 1.0
    return found


def curve(caches, times, sizes, noise=0.0, outliers=0.0, seed=1):
    """Noise only slows down; an outlier takes four times as long."""
    rng = random.Random(seed)
    points = []
    for size in sizes:
        found, time = 0.0, 0.0
        for cache, ns in zip(caches, times):
            more = max(hits(size / cache), found)
            time, found = time + (more - found) * ns, more
        time += (1 - found) * times[-1]
        time *= 1 + abs(rng.gauss(0, noise))
        points.append((size, time * (4 if rng.random() < outliers and size < sizes[-3] else 1)))
    return points


def published(stride):
    return [(int(row["buffer_kib"]), float(row[stride]))
            for row in fake.rows_of("latency_sweep.csv") if row[stride]]


class Curves(fake.unittest.TestCase):
    def near(self, value, wanted, factor):
        self.assertLess(value, wanted * factor)
        self.assertGreater(value, wanted / factor)

    def test_each_level_has_its_time_and_its_end(self):
        for caches, times in MACHINES:
            for sizes in (OCTAVES, HALVES):
                for noise in (0, 0.03, 0.1):
                    with self.subTest((caches, len(sizes), noise)):
                        found = steps.levels(curve(caches, times, sizes, noise))
                        self.assertEqual(len(found), len(times))
                        for level, time in zip(found, times):
                            self.near(level.time, time, 1.25)
                        for level, cache in zip(found, caches):
                            self.near(level.limit, cache, 1.6)
                            self.assertLessEqual(level.last, level.limit)
                        self.assertIsNone(found[-1].limit)

    def test_disturbances_do_not_make_levels(self):
        for caches, times in MACHINES:
            for sizes, most in ((HALVES, 0.03), (OCTAVES, 0.1)):
                with self.subTest((caches, len(sizes))):
                    wrong = Counter(len(steps.levels(curve(caches, times, sizes, 0.05, 0.05, seed)))
                                    != len(times) for seed in range(200))
                    self.assertLessEqual(wrong[True] / 200, most)

    def test_the_order_does_not_matter(self):
        points = curve(*MACHINES[0], HALVES, 0.05)
        shuffled = random.Random(7).sample(points, len(points))
        self.assertEqual(steps.levels(points), steps.levels(shuffled))

    def test_published_ones(self):
        # An i5-2520M: L1 of 32K, L2 of 256K, L3 of 3072K. Pages apart, its
        # prefetchers help no more, and the levels show.
        found = steps.levels(published("4096"))
        self.assertEqual([round(level.time, 1) for level in found], [1.3, 4.0, 9.8, 52.7])
        for level, kib in zip(found, (32, 256, 3072)):
            self.near(level.limit, kib, 1.3)
        # At 64 bytes they hide all but L1.
        self.assertEqual([round(level.time, 1) for level in steps.levels(published("64"))],
                         [1.3, 4.4])

    def test_a_measured_one_with_a_slope_in_l3(self):
        # 4 KiB pages on a virtual machine: L3 rises with the TLBs' misses.
        sizes = [16 * K << i for i in range(13)]
        times = [1.7, 1.7, 6.0, 6.0, 6.0, 6.1, 6.6, 14.2, 30.1, 38.5, 61.0, 120.0, 150.0]
        found = steps.levels(list(zip(sizes, times)))
        self.assertEqual([level.first for level in found], [16 * K, 64 * K, 4096 * K, 32768 * K])
        self.assertEqual([level.last for level in found], [32 * K, 1024 * K, 8192 * K, 65536 * K])

    def test_entries_of_tlbs(self):
        # Pages and time of a load, measured on a CPU with 96 and 4096 entries.
        extra = {16: 0.0, 32: 0.0, 64: 0.0, 96: 0.01, 128: 1.63, 256: 1.64, 512: 1.64, 1024: 1.65,
                 2048: 1.69, 3072: 5.58, 4096: 2.27, 6144: 9.41, 8192: 14.51, 12288: 15.3}
        found = steps.levels([(pages, 0.93 + ns) for pages, ns in extra.items()])
        self.assertEqual([level.last for level in found], [96, 4096, 12288])


class Edges(fake.unittest.TestCase):
    def test_what_is_no_curve(self):
        self.assertEqual(steps.levels([]), [])
        self.assertEqual(steps.levels([(0, 1.0), (1024, 0.0)]), [])
        self.assertEqual(steps.levels([(1024, 2.0)]), [steps.Level(1024, 1024, 2.0)])

    def test_a_level_ends_where_its_time_has_doubled(self):
        """Or half-way to the next level, if that is less."""
        for climb, top, end in (3.0, 3.0, 45.25), (4.0, 16.0, 45.25), (8.0, 64.0, 40.32):
            points = [(16, 1.0), (32, 1.0), (64, climb), (128, top), (256, top), (512, top)]
            self.assertAlmostEqual(steps.levels(points)[0].limit, end, delta=0.05)

    def test_medians_of_levels_differ(self):
        """The first size of the level is faster than the others, the last one slower."""
        points = [(16, 1.0), (32, 1.25), (64, 1.25), (128, 1.25), (256, 1.8)]
        self.assertEqual([level.time for level in steps.levels(points)], [1.25])

    def test_a_median(self):
        self.assertEqual([steps.median(v) for v in ([7], [3, 1, 2], [4, 1, 3, 9])], [7, 2, 3.5])

    def test_a_flat_one(self):
        rng = random.Random(3)
        points = [(size, 100 * (1 + abs(rng.gauss(0, 0.2)))) for size in HALVES]
        self.assertEqual(len(steps.levels(points)), 1)

    def test_an_even_slope_has_no_steps(self):
        found = steps.levels([(size, 2.0 ** i) for i, size in enumerate(OCTAVES)])
        self.assertTrue(all(level.first == level.last for level in found), found)

    def test_times_fall_nowhere(self):
        found = steps.envelope([(1, 5.0), (2, 9.0), (4, 6.0), (8, 30.0), (8, 7.0)])
        self.assertEqual(found, [(1, 5.0), (2, 6.0), (4, 6.0), (8, 7.0)])
