// SPDX-License-Identifier: GPL-2.0-only
/* module/core/steady.c: which series of samples are steady. */
#include "cmocka_all.h"

#include "core/stats.h"
#include "core/steady.h"

#define MOST	1000

static u64 samples[MOST];

/* A series, and whether it is steady. */
static const struct row {
	u32 n, permille;
	enum mc_steady steady;
	u64 first, slope, noise;	/* of the first sample, from one to the next, and of each */
	u32 from;			/* from this sample on */
	u64 later;			/* all are so much more, modulo 2^64, */
	u64 odd;			/* or one of ten is this one; 0: none */
	bool gaps;			/* each second sample was left out */
} rows[] = {
	{ 10, 10, MC_STEADY_YES, 1000 },
	{ MOST, 10, MC_STEADY_YES, 900, .noise = 200 },
	{ MOST, 10, MC_STEADY_YES, 1000, .noise = 3, .odd = 100000 },
	{ 10, 50, MC_STEADY_YES, 1000, .from = 5, .later = -20 },
	/* The first of a batch or a later one becomes slower. */
	{ 100, 50, MC_STEADY_YES, 1000, .from = 50, .odd = 2000 },
	{ 10, 10, MC_STEADY_NO, 1000, .slope = 10 },
	{ MOST, 50, MC_STEADY_NO, 1000, .slope = 10 },
	{ 10, 50, MC_STEADY_NO, 1000, .from = 5, .later = -60 },
	{ 10, 10, MC_STEADY_NO, 1000, .from = 5, .later = -20 },
	{ MOST, 50, MC_STEADY_NO, 1200, .noise = 200, .from = MOST / 2, .later = -300 },
	/* Times of days in picoseconds, and times of nothing. */
	{ 10, 50, MC_STEADY_NO, 1ULL << 62, .from = 5, .later = 1ULL << 60 },
	{ 10, 50, MC_STEADY_YES, 0 },
	{ 18, 10, MC_STEADY_NOT_KNOWN, 1000, .slope = 10, .gaps = true },
	{ 20, 10, MC_STEADY_NO, 1000, .slope = 10, .gaps = true },
};

/* @tenth: which one of ten is odd */
static u64 sample(const struct row *row, u32 i, u32 tenth)
{
	/* A generator of no quality, but always the same. */
	u64 noise = row->noise ? (i * 2654435761U >> 16) % row->noise : 0;

	if (row->gaps && i % 2)
		return MC_NO_SAMPLE;
	if (row->odd && i >= row->from && i % 10 == tenth)
		return row->odd;
	return row->first + i * row->slope + noise + (i >= row->from ? row->later : 0);
}

static enum mc_steady of(const struct row *row, u32 n, u32 tenth)
{
	for (u32 i = 0; i < n; i++)
		samples[i] = sample(row, i, tenth);
	return mc_steady_of(samples, n, row->permille);
}

static void test_what_is_steady(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		/* So few samples tell nobody, and of ten each may be the odd one. */
		for (u32 k = 0; k < 10; k++) {
			assert_int_equal(of(&rows[i], k, 0), MC_STEADY_NOT_KNOWN);
			if (of(&rows[i], rows[i].n, k) != rows[i].steady)
				fail_msg("row %zu, odd ones %u", i, k);
		}
	}
}

/* Samples that were left out are none, and stay where mc_stats_of() counts them. */
static void test_samples_left_out(void **state)
{
	struct mc_stats stats;

	of(&rows[ARRAY_SIZE(rows) - 1], 20, 0);
	mc_stats_of(&stats, samples, 20);
	assert_int_equal(stats.samples, 10);
	assert_int_equal(stats.left_out, 10);
	assert_int_equal(stats.min_ps, 1000);
	assert_int_equal(stats.max_ps, 1180);
}
