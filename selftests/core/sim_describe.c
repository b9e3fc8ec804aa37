// SPDX-License-Identifier: GPL-2.0-only
/* The registers in which the simulated machine (tools/sim) describes its caches and its clock. */
#include "cmocka_all.h"
#include "../../tools/sim/describe.h"

static const struct {
	unsigned int l1, l1_ways, l2, l2_ways, l3, l3_ways, l3_cpus;
} all[] = {
	{ 32 * K, 8, M, 16, 0, 16, 1 },
	{ 32 * K, 8, 0, 16, 0, 16, 1 },
	{ 48 * K, 12, 2 * M, 16, 30 * M, 20, 4 },
	{ 64, 1, 1024 * M, 1, 1024 * M, 1024, 8 },	/* 16 Mi sets, and 1024 ways */
	{ 8 * M, 2, 3 * M, 3, 4 * M + 64, 1, 8 },	/* 65536, 16384 and 65537 sets */
};

static struct prices prices_of(size_t i)
{
	return (struct prices){
		.l1_bytes = all[i].l1, .l1_ways = all[i].l1_ways, .l2_bytes = all[i].l2,
		.l2_ways = all[i].l2_ways, .l3_bytes = all[i].l3, .l3_ways = all[i].l3_ways,
		.l3_cpus = all[i].l3_cpus,
	};
}

static void test_x86(void **state)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const struct prices p = prices_of(i);
		const unsigned int found[4][5] = {
			{ 1, 1, all[i].l1, all[i].l1_ways, 1 }, { 2, 1, 32 * K, 8, 1 },
			{ 3, 2, all[i].l2, all[i].l2_ways, 1 },
			{ 3, 3, all[i].l3, all[i].l3_ways, all[i].l3_cpus },
		};

		for (size_t at = 0; at < 6; at++) {
			unsigned int r[4] = { 0x0c000001, ~0U, ~0U, ~0U };

			describe_x86_cache(&p, at, r);
			if (at > 3 || !found[at][2]) {
				assert_int_equal(r[0], 0);	/* the list ends */
				break;
			}
			assert_int_equal(r[0] & 31, found[at][0]);
			assert_int_equal(r[0] >> 5 & 7, found[at][1]);
			assert_int_equal((r[1] >> 22) + 1, found[at][3]);
			assert_int_equal((r[1] & 4095) + 1, 64);
			assert_int_equal(64 * ((r[1] >> 22) + 1UL) * (r[2] + 1UL), found[at][2]);
			assert_int_equal((r[0] >> 14 & 4095) + 1, found[at][4]);
			assert_int_equal(r[0] >> 26, 3);
		}
	}
}

/* Linux takes the clocks' rate from leaf 0x15, whatever highest leaf QEMU has. */
static void test_x86_clock(void **state)
{
	static const unsigned int highest[] = { 0xd, 0x14, 0x15, 0x1f };

	for (unsigned int i = 0; i < sizeof(highest) / sizeof(*highest); i++) {
		for (unsigned int leaf = 0; leaf <= 0x20; leaf++) {
			unsigned int r[4] = { highest[i], 2, 3, 4 };
			bool empty = leaf > highest[i] && leaf < 0x15;

			describe_x86_clock(highest[i], leaf, r);
			if (leaf == 0x15) {
				assert_int_equal(r[2] / r[0] * r[1], 1000000000);
				assert_int_equal(r[2], 1000000000);
				continue;
			}
			if (leaf)
				assert_int_equal(r[0], empty ? 0 : highest[i]);
			else
				assert_int_equal(r[0], highest[i] < 0x15 ? 0x15 : highest[i]);
			assert_int_equal(r[1], empty ? 0 : 2);
			assert_int_equal(r[2], empty ? 0 : 3);
			assert_int_equal(r[3], empty ? 0 : 4);
		}
	}
}

static void test_arm64(void **state)
{
	static const unsigned long QEMUS = 0x2200000023;	/* L1, L2, and bits besides them */

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const struct prices p = prices_of(i);
		const unsigned int found[3][2] = {
			{ all[i].l1, all[i].l1_ways }, { all[i].l2, all[i].l2_ways },
			{ all[i].l3, all[i].l3_ways },
		};
		unsigned long list = describe_arm64_list(&p, QEMUS), r;

		assert_int_equal(list >> 27, QEMUS >> 27);
		assert_int_equal(list & 7, 3);
		assert_int_equal(list >> 9 & 07777, 0);
		assert_int_equal(list >> 24 & 7, 1 + !!all[i].l2 + !!all[i].l3);
		for (size_t level = 0; level < 3; level++) {
			if (level)
				assert_int_equal(list >> 3 * level & 7, found[level][0] ? 4 : 0);
			if (!found[level][0])
				continue;
			r = describe_arm64_cache(&p, 2 * level);
			assert_int_equal(r & 7, 2);
			assert_int_equal((r >> 3 & 0x1fffff) + 1, found[level][1]);
			assert_int_equal(((r >> 3 & 0x1fffff) + 1) * ((r >> 32) + 1) * 64,
					 found[level][0]);
		}
		assert_int_equal(describe_arm64_cache(&p, 1), 63ULL << 32 | 7 << 3 | 2);
		assert_int_equal(describe_arm64_cache(&p, 3), 0);
		assert_int_equal(describe_arm64_cache(&p, 6), 0);
		if (!all[i].l2)
			assert_int_equal(describe_arm64_cache(&p, 2), 0);
	}
}
