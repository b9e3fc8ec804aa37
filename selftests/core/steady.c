// SPDX-License-Identifier: GPL-2.0-only
/* module/core/steady.c: which series of samples are steady. */
#include "cmocka_all.h"

#include "core/stats.h"
#include "core/steady.h"

#define MOST	1000

static u64 samples[MOST];

static enum mc_steady of(u32 n, u64 (*one)(u32 i), u32 permille)
{
	for (u32 i = 0; i < n; i++)
		samples[i] = one(i);
	return mc_steady_of(samples, n, permille);
}

static u64 always(u32 i)
{
	return 1000;
}

/* A generator of no quality, but always the same. */
static u64 noise(u32 i)
{
	return 900 + (i * 2654435761U >> 16) % 200;
}

static u64 climbs(u32 i)
{
	return 1000 + 10 * i;
}

static u64 halves(u32 i)
{
	return i < 5 ? 1000 : 940;
}

static u64 halves_by_little(u32 i)
{
	return i < 5 ? 1000 : 980;
}

static u64 slow_once(u32 i)
{
	return i % 10 == 3 ? 100000 : 1000 + i % 3;
}

static u32 odd;

/* One of ten samples, the first of a batch or a later one, becomes slower. */
static u64 one_jumps(u32 i)
{
	return i % 10 == odd && i >= 50 ? 2000 : 1000;
}

static u64 jumps_in_the_middle(u32 i)
{
	return noise(i) + (i < MOST / 2 ? 300 : 0);
}

static void test_what_is_steady(void **state)
{
	assert_int_equal(of(10, always, 10), MC_STEADY_YES);
	assert_int_equal(of(MOST, noise, 10), MC_STEADY_YES);
	assert_int_equal(of(MOST, slow_once, 10), MC_STEADY_YES);
	assert_int_equal(of(10, halves_by_little, 50), MC_STEADY_YES);
	for (odd = 0; odd < 10; odd++)
		assert_int_equal(of(100, one_jumps, 50), MC_STEADY_YES);
}

static void test_what_is_not(void **state)
{
	assert_int_equal(of(10, climbs, 10), MC_STEADY_NO);
	assert_int_equal(of(MOST, climbs, 50), MC_STEADY_NO);
	assert_int_equal(of(10, halves, 50), MC_STEADY_NO);
	assert_int_equal(of(10, halves_by_little, 10), MC_STEADY_NO);
	assert_int_equal(of(MOST, jumps_in_the_middle, 50), MC_STEADY_NO);
}

static void test_what_nobody_can_tell(void **state)
{
	for (u32 n = 0; n < MC_STEADY_SAMPLES; n++)
		assert_int_equal(of(n, climbs, 10), MC_STEADY_NOT_KNOWN);
}

static u64 half_missing(u32 i)
{
	return i % 2 ? MC_NO_SAMPLE : climbs(i);
}

/* Samples that were left out are none, and stay where mc_stats_of() counts them. */
static void test_samples_left_out(void **state)
{
	struct mc_stats stats;

	assert_int_equal(of(18, half_missing, 10), MC_STEADY_NOT_KNOWN);
	assert_int_equal(of(20, half_missing, 10), MC_STEADY_NO);
	mc_stats_of(&stats, samples, 20);
	assert_int_equal(stats.samples, 10);
	assert_int_equal(stats.left_out, 10);
	assert_int_equal(stats.min_ps, 1000);
	assert_int_equal(stats.max_ps, 1180);
}

/* Times of days in picoseconds, and times of nothing. */
static u64 huge(u32 i)
{
	return (1ULL << 62) + (i < 5 ? 0 : 1ULL << 60);
}

static u64 none(u32 i)
{
	return 0;
}

static void test_extremes(void **state)
{
	assert_int_equal(of(10, huge, 50), MC_STEADY_NO);
	assert_int_equal(of(10, none, 50), MC_STEADY_YES);
}
