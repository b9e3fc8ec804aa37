// SPDX-License-Identifier: GPL-2.0-only
/* Which cache holds a working set: of one thread, of several, of an unknown place. */
#include "cmocka_all.h"
#include "holds.h"

#define K	1024ULL
#define M	(1024 * K)

/* Two sockets of eight CPUs, an L3 of 32 MiB each. */
static const struct mc_hierarchy caches = {
	.bytes = { 48 * K, 1 * M, 32 * M }, .hit_ps = 1000, .miss_ps = 100000,
};

static enum mc_hit of(u64 bytes, u64 threads, u64 sharers)
{
	return mc_holder_of(&caches, &(struct mc_set){
		.bytes = bytes, .threads = threads, .sharers = sharers, .cpus = 16,
	});
}

static void test_one_thread(void **state)
{
	assert_int_equal(of(48 * K, 1, 8), MC_HIT_L1);
	assert_int_equal(of(48 * K + 64, 1, 8), MC_HIT_L2);
	assert_int_equal(of(1 * M + 64, 1, 8), MC_HIT_L3);
	assert_int_equal(of(32 * M, 1, 8), MC_HIT_L3);
	assert_int_equal(of(32 * M + 64, 1, 8), MC_HIT_MEMORY);
	assert_int_equal(of(1ULL << 46, 1, 8), MC_HIT_MEMORY);
}

static void test_threads_share(void **state)
{
	/* Of all CPUs eight share each: 4 MiB each fit, not a line more. */
	assert_int_equal(of(4 * M, 16, 8), MC_HIT_L3);
	assert_int_equal(of(4 * M + 64, 16, 8), MC_HIT_MEMORY);
	assert_int_equal(of(1 * M, 16, 8), MC_HIT_L2);
}

static void test_place_of_threads_decides(void **state)
{
	/* Eight of sixteen CPUs: on one L3 or on both. */
	assert_int_equal(of(4 * M, 8, 8), MC_HIT_L3);
	assert_int_equal(of(8 * M, 8, 8), MC_HIT_UNKNOWN);
	assert_int_equal(of(8 * M + 64, 8, 8), MC_HIT_MEMORY);
	/* Two can't be on more than two. */
	assert_int_equal(of(32 * M, 2, 8), MC_HIT_UNKNOWN);
	assert_int_equal(of(32 * M + 64, 2, 8), MC_HIT_MEMORY);
}

static void test_all_go_through_the_same(void **state)
{
	struct mc_set set = { .bytes = 32 * M, .threads = 16, .common = true, .sharers = 8,
			      .cpus = 16 };

	assert_int_equal(mc_holder_of(&caches, &set), MC_HIT_L3);
	set.bytes += 64;
	assert_int_equal(mc_holder_of(&caches, &set), MC_HIT_MEMORY);
	set.bytes = 48 * K;
	assert_int_equal(mc_holder_of(&caches, &set), MC_HIT_L1);
}

static void test_little_is_known(void **state)
{
	struct mc_hierarchy none = { .hit_ps = 1000, .miss_ps = 100000 };
	struct mc_hierarchy alike = caches;
	struct mc_set set = { .bytes = 1 * K, .threads = 1, .cpus = 1 };

	/* CPUID tells of no caches: nothing is claimed to fit. */
	assert_int_equal(mc_holder_of(&none, &set), MC_HIT_MEMORY);
	alike.miss_ps = 3999;
	assert_int_equal(mc_holder_of(&alike, &set), MC_HIT_UNKNOWN);
	alike.hit_ps = 0;
	assert_int_equal(mc_holder_of(&alike, &set), MC_HIT_UNKNOWN);
	/* Nor who shares: all may share one. */
	assert_int_equal(of(2 * M, 16, 0), MC_HIT_L3);
	assert_int_equal(of(2 * M + 64, 16, 0), MC_HIT_MEMORY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_thread),
		cmocka_unit_test(test_threads_share),
		cmocka_unit_test(test_place_of_threads_decides),
		cmocka_unit_test(test_all_go_through_the_same),
		cmocka_unit_test(test_little_is_known),
	};

	return cmocka_run_group_tests_name("holds", tests, NULL, NULL);
}
