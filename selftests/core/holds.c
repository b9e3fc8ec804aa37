// SPDX-License-Identifier: GPL-2.0-only
/* Which cache holds the working set of one thread, or of several that share caches. */
#include "cmocka_all.h"
#include "core/holds.h"

#define K	1024ULL
#define M	(1024 * K)

static const struct mc_hierarchy caches = {
	.bytes = { 48 * K, 1 * M, 32 * M }, .hit_ps = 1000, .miss_ps = 100000,
};

/* So many threads share the L3; each has an L1 and an L2 of its own. */
static enum mc_hit of(u64 bytes, u32 sharers)
{
	return mc_holder_of(&caches, &(struct mc_set){
		.bytes = bytes, .sharers = { 1, 1, sharers },
	});
}

static void test_one_thread(void **state)
{
	assert_int_equal(of(48 * K, 1), MC_HIT_L1);
	assert_int_equal(of(48 * K + 64, 1), MC_HIT_L2);
	assert_int_equal(of(1 * M + 64, 1), MC_HIT_L3);
	assert_int_equal(of(32 * M, 1), MC_HIT_L3);
	assert_int_equal(of(32 * M + 64, 1), MC_HIT_MEMORY);
	assert_int_equal(of(1ULL << 46, 1), MC_HIT_MEMORY);
}

static void test_threads_share(void **state)
{
	/* 4 MiB each fit, not a line more. */
	assert_int_equal(of(4 * M, 8), MC_HIT_L3);
	assert_int_equal(of(4 * M + 64, 8), MC_HIT_MEMORY);
	assert_int_equal(of(1 * M, 8), MC_HIT_L2);
	assert_int_equal(of(2 * M, 16), MC_HIT_L3);
	assert_int_equal(of(2 * M + 64, 16), MC_HIT_MEMORY);
}

/* Threads of a core, in a cluster whose cores share an L2. */
static void test_small_caches_are_shared(void **state)
{
	struct mc_set set = { .bytes = 24 * K, .sharers = { 2, 4, 8 } };

	assert_int_equal(mc_holder_of(&caches, &set), MC_HIT_L1);
	set.bytes += 64;
	assert_int_equal(mc_holder_of(&caches, &set), MC_HIT_L2);
	set.bytes = 256 * K;
	assert_int_equal(mc_holder_of(&caches, &set), MC_HIT_L2);
	set.bytes += 64;
	assert_int_equal(mc_holder_of(&caches, &set), MC_HIT_L3);
}

static void test_a_fourth_level(void **state)
{
	struct mc_hierarchy four = caches;
	struct mc_set set = { .bytes = 64 * M, .sharers = { 1, 1, 2, 2 } };

	four.bytes[3] = 128 * M;
	assert_int_equal(mc_holder_of(&four, &set), MC_HIT_L4);
	set.bytes += 64;
	assert_int_equal(mc_holder_of(&four, &set), MC_HIT_MEMORY);
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
	alike.miss_ps = 3999;
	assert_int_equal(mc_holder_of(&alike, &set), MC_HIT_UNKNOWN);
	alike.hit_ps = 0;
	assert_int_equal(mc_holder_of(&alike, &set), MC_HIT_UNKNOWN);
}
