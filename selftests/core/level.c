// SPDX-License-Identifier: GPL-2.0-only
/* The cache that holds the working set of one thread, or of several; the level of its loads. */
#include "cmocka_all.h"
#include "core/level.h"

static const struct mc_hierarchy caches = {
	.bytes = { 48 * K, 1 * M, 32 * M }, .way = { 4 * K, 64 * K, 2 * M },
	.hit_ps = 1000, .miss_ps = 120000,
};

static void test_sets_of_threads(void **state)
{
	static const struct {
		u64 bytes;
		u32 sharers[MC_CACHES];
		enum mc_hit level;
		u64 l4, last;
	} rows[] = {
		{ 48 * K, { 1, 1, 1 }, MC_HIT_L1 }, { 48 * K + 64, { 1, 1, 1 }, MC_HIT_L2 },
		{ 1 * M + 64, { 1, 1, 1 }, MC_HIT_L3 }, { 32 * M, { 1, 1, 1 }, MC_HIT_L3 },
		{ 32 * M + 64, { 1, 1, 1 }, MC_HIT_BETWEEN },
		{ 128 * M - 64, { 1, 1, 1 }, MC_HIT_BETWEEN },
		{ 128 * M, { 1, 1, 1 }, MC_HIT_MEMORY }, { 1ULL << 46, { 1, 1, 1 }, MC_HIT_MEMORY },
		/* Threads share the L3: 4 MiB each fit, not a line more. */
		{ 4 * M, { 1, 1, 8 }, MC_HIT_L3 }, { 4 * M + 64, { 1, 1, 8 }, MC_HIT_BETWEEN },
		{ 16 * M, { 1, 1, 8 }, MC_HIT_MEMORY }, { 1 * M, { 1, 1, 8 }, MC_HIT_L2 },
		{ 2 * M, { 1, 1, 16 }, MC_HIT_L3 }, { 2 * M + 64, { 1, 1, 16 }, MC_HIT_BETWEEN },
		/* Threads of a core, in a cluster whose cores share an L2. */
		{ 24 * K, { 2, 4, 8 }, MC_HIT_L1 }, { 24 * K + 64, { 2, 4, 8 }, MC_HIT_L2 },
		{ 256 * K, { 2, 4, 8 }, MC_HIT_L2 }, { 256 * K + 64, { 2, 4, 8 }, MC_HIT_L3 },
		/* A fourth level, or a cache behind it. */
		{ 64 * M, { 1, 1, 2, 2 }, MC_HIT_L4, .l4 = 128 * M },
		{ 64 * M + 64, { 1, 1, 2, 2 }, MC_HIT_BETWEEN, .l4 = 128 * M },
		{ 64 * M + 64, { 1, 1, 2, 2 }, MC_HIT_MEMORY, .l4 = 128 * M, .last = 16 * M },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mc_set set = { .bytes = rows[i].bytes, .last = rows[i].last };
		struct mc_hierarchy h = caches;

		memcpy(set.sharers, rows[i].sharers, sizeof(set.sharers));
		h.bytes[3] = rows[i].l4;
		if (mc_holder_of(&h, &set) != rows[i].level)
			fail_msg("row %zu: level %u", i, mc_holder_of(&h, &set));
	}
}

static void test_little_is_known(void **state)
{
	struct mc_hierarchy none = { .hit_ps = 1000, .miss_ps = 100000 };
	struct mc_hierarchy alike = caches;
	struct mc_set set = { .bytes = 1 * K };

	/* The CPU reports no caches, though it has some. */
	assert_int_equal(mc_holder_of(&none, &set), MC_HIT_UNKNOWN);
	set = (struct mc_set){ .bytes = 1ULL << 46, .sharers = { 1, 1, 1 } };
	assert_int_equal(mc_holder_of(&none, &set), MC_HIT_UNKNOWN);
	/* Only a time as long as that of a miss tells the level. */
	assert_int_equal(mc_level_of(&none, &set, 12000, false), MC_HIT_UNKNOWN);
	assert_int_equal(mc_level_of(&none, &set, 40000, false), MC_HIT_UNKNOWN);
	assert_int_equal(mc_level_of(&none, &set, 80000, false), MC_HIT_MEMORY);
	alike.miss_ps = 3999;
	assert_int_equal(mc_holder_of(&alike, &set), MC_HIT_UNKNOWN);
	assert_int_equal(mc_level_of(&alike, &set, 4000, false), MC_HIT_UNKNOWN);
	alike.hit_ps = 0;
	assert_int_equal(mc_holder_of(&alike, &set), MC_HIT_UNKNOWN);
	/* An L2 may be as slow as this, but two thirds of a miss are none of its hits. */
	alike = caches;
	alike.miss_ps = 15000;
	set.bytes = 1 * M;
	assert_int_equal(mc_level_of(&alike, &set, 9999, false), MC_HIT_L2);
	assert_int_equal(mc_level_of(&alike, &set, 10000, false), MC_HIT_UNKNOWN);
	assert_string_equal(mc_name_of(mc_hit_names, MC_HIT_MEMORY), "memory");
	assert_null(mc_name_of(mc_hit_names, MC_HIT_UNKNOWN));
}

/* The levels of loads in random order, that in memory without an L3, and that without a time. */
static void test_time_and_sets(void **state)
{
	static const struct {
		u64 bytes, stride, ps;
		enum mc_hit level, without_l3, untimed;
	} rows[] = {
		{ 32 * K, 64, 2000, MC_HIT_L1, MC_HIT_L1, MC_HIT_L1 },
		{ 48 * K, 64, 2001, MC_HIT_UNKNOWN, MC_HIT_UNKNOWN, MC_HIT_L1 },
		{ 48 * K + 64, 64, 1100, MC_HIT_L2, MC_HIT_L2, MC_HIT_L2 },
		{ 1 * M, 64, 11999, MC_HIT_L2, MC_HIT_L2, MC_HIT_L2 },
		{ 1 * M, 64, 12000, MC_HIT_UNKNOWN, MC_HIT_UNKNOWN, MC_HIT_L2 },
		{ 8 * M, 64, 6000, MC_HIT_UNKNOWN, MC_HIT_UNKNOWN, MC_HIT_L3 },
		{ 8 * M, 64, 12000, MC_HIT_L3, MC_HIT_UNKNOWN, MC_HIT_L3 },
		{ 8 * M, 64, 39999, MC_HIT_L3, MC_HIT_UNKNOWN, MC_HIT_L3 },
		{ 8 * M, 64, 79999, MC_HIT_L3, MC_HIT_MEMORY, MC_HIT_L3 },
		{ 36 * M, 64, 79999, MC_HIT_BETWEEN, MC_HIT_MEMORY, MC_HIT_BETWEEN },
		{ 36 * M, 64, 120000, MC_HIT_MEMORY, MC_HIT_MEMORY, MC_HIT_BETWEEN },
		/* A slow L3, or the guest shares the L3 that is reported with others. */
		{ 8 * M, 64, 80000, MC_HIT_UNKNOWN, MC_HIT_MEMORY, MC_HIT_L3 },
		{ 8 * M, 64, 120000, MC_HIT_MEMORY, MC_HIT_MEMORY, MC_HIT_L3 },
		{ 256 * M, 64, 40000, MC_HIT_MEMORY, MC_HIT_MEMORY, MC_HIT_MEMORY },
		/* The CPU has an L3 that it does not report. */
		{ 256 * M, 64, 39999, MC_HIT_UNKNOWN, MC_HIT_UNKNOWN, MC_HIT_MEMORY },
		/* A line in each page: 12 in L1, 256 in L2. The L3 mixes addresses. */
		{ 12 * 64, 4 * K, 1000, MC_HIT_L1, MC_HIT_L1, MC_HIT_L1 },
		{ 13 * 64, 4 * K, 4000, MC_HIT_L2, MC_HIT_L2, MC_HIT_L2 },
		{ 256 * 64, 4 * K, 4000, MC_HIT_L2, MC_HIT_L2, MC_HIT_L2 },
		{ 257 * 64, 4 * K, 13700, MC_HIT_L3, MC_HIT_UNKNOWN, MC_HIT_L3 },
		{ 8192 * 64, 4 * K, 13700, MC_HIT_L3, MC_HIT_UNKNOWN, MC_HIT_L3 },
		{ 8193 * 64, 4 * K, 13700, MC_HIT_L3, MC_HIT_UNKNOWN, MC_HIT_UNKNOWN },
		{ 8193 * 64, 4 * K, 90000, MC_HIT_BETWEEN, MC_HIT_MEMORY, MC_HIT_UNKNOWN },
		{ 32768 * 64, 4 * K, 90000, MC_HIT_MEMORY, MC_HIT_MEMORY, MC_HIT_UNKNOWN },
		/* In memory, pages may be anywhere: 16 to 256 of these lines are in L2. */
		{ 16 * 64, 64 * K, 4000, MC_HIT_L2, MC_HIT_L2, MC_HIT_L2 },
		{ 17 * 64, 64 * K, 6000, MC_HIT_L2, MC_HIT_L2, MC_HIT_UNKNOWN },
		{ 17 * 64, 64 * K, 8000, MC_HIT_UNKNOWN, MC_HIT_L2, MC_HIT_UNKNOWN },
		{ 17 * 64, 64 * K, 12000, MC_HIT_L3, MC_HIT_UNKNOWN, MC_HIT_UNKNOWN },
		/* Strides whose lines are in all sets. */
		{ 48 * K, 320, 1000, MC_HIT_L1, MC_HIT_L1, MC_HIT_L1 },
		{ 1 * M, 4 * K + 64, 4000, MC_HIT_L2, MC_HIT_L2, MC_HIT_L2 },
		{ 24 * K, 128, 1000, MC_HIT_L1, MC_HIT_L1, MC_HIT_L1 },
		{ 24 * K + 64, 128, 4000, MC_HIT_L2, MC_HIT_L2, MC_HIT_L2 },
	};
	struct mc_hierarchy no_l3 = caches, unknown = caches;
	struct mc_set set;

	no_l3.bytes[2] = 0;
	unknown.way[0] = 0;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		set = (struct mc_set){ rows[i].bytes, rows[i].stride, { 1, 1, 1, 1 } };
		assert_int_equal(mc_level_of(&caches, &set, rows[i].ps, false), rows[i].level);
		assert_int_equal(mc_level_of(&no_l3, &set, rows[i].ps, false), rows[i].without_l3);
		assert_int_equal(mc_holder_of(&caches, &set), rows[i].untimed);
	}
	/* Prefetchers help loads in order. */
	set = (struct mc_set){ 8 * M, 64, { 1, 1, 1, 1 } };
	assert_int_equal(mc_level_of(&caches, &set, 2000, true), MC_HIT_L3);
	set.bytes = 256 * M;
	assert_int_equal(mc_level_of(&caches, &set, 5000, true), MC_HIT_MEMORY);
	/* Ways that the CPU does not tell: only a time tells the level. */
	set = (struct mc_set){ 4 * 64, 4 * K, { 1, 1, 1, 1 } };
	assert_int_equal(mc_holder_of(&unknown, &set), MC_HIT_UNKNOWN);
	assert_int_equal(mc_level_of(&unknown, &set, 1000, false), MC_HIT_UNKNOWN);
	assert_int_equal(mc_level_of(&unknown, &set, 4000, false), MC_HIT_L2);
}
