// SPDX-License-Identifier: GPL-2.0-only
/* module/core/histogram.c, and percentiles of stats.c. */
#include "cmocka_all.h"
#include "json.h"

#include "core/histogram.h"
#include "core/math.h"
#include "core/stats.h"

/* Each time falls into the bin that begins at or below it, and no later one. */
static void times_fall_into_their_bins(void **state)
{
	static const u64 times[] = {
		0, 1, 7, 8, 9, 10, 1000, 1023, 1024, 999999, 1ULL << 40,
		(1ULL << 63) - 1, 1ULL << 63, ~0ULL
	};
	struct mc_histogram h;

	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		mc_histogram_of(&h, &times[i], 1);
		assert_int_equal(h.count[0], 1);
		assert_true(mc_bin_from(h.first, MC_BINS_LOG2) <= times[i]);
		if (h.first < 251)
			assert_true(mc_bin_from(h.first + 1, MC_BINS_LOG2) > times[i]);
	}
}

static void none_is_lost(void **state)
{
	static u64 times[5000];
	struct mc_histogram h;
	u64 sum = 0;

	for (u32 i = 0; i < 5000; i++)
		times[i] = 100 + (u64)i * i * i * i * i * i;	/* 67 octaves' worth */
	mc_histogram_of(&h, times, 5000);
	for (u32 i = 0; i < MC_BINS; i++)
		sum += h.count[i];
	assert_int_equal(sum, 5000);
	assert_true(h.count[MC_BINS - 1] > 1000);	/* all longer times */
}

static void as_json(void **state)
{
	static const u64 times[] = { 3000, 3001, 3072, 900000 };
	struct mc_histogram h;

	mc_histogram_of(&h, times, 4);
	assert_string_equal(WRITTEN(mc_histogram_json, &h), "[[2.560,2],[3.072,1],[786.432,1]]");
}

static void percentiles_by_rank(void **state)
{
	static u64 v[1000];

	for (int i = 0; i < 1000; i++)
		v[i] = i + 1;
	assert_int_equal(mc_permille(v, 1000, 500), 500);
	assert_int_equal(mc_permille(v, 1000, 990), 990);
	assert_int_equal(mc_permille(v, 1000, 999), 999);
	assert_int_equal(mc_permille(v, 1000, 1000), 1000);
	assert_int_equal(mc_permille(v, 1000, 0), 1);
	assert_int_equal(mc_permille(v, 100, 999), 100);
	assert_int_equal(mc_permille(v, 1, 500), 1);
}
