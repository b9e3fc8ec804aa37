// SPDX-License-Identifier: GPL-2.0-only
/* module/core/stats.c against the textbook in long double. */
#include "cmocka_all.h"
#include "fixture.h"
#include "core/stats.h"

#define MOST	5000

/* Equal to one part in so many, plus one for the rounding of integers. */
static bool near(long double got, long double want, long double parts)
{
	long double off = got > want ? got - want : want - got;

	return off <= want / parts + 1;
}

/* A deviation is right if its square is about the variance: this needs no libm. */
static bool is_root(u64 sd, long double variance)
{
	long double low = sd ? (sd - 1) * 0.9995L : 0;
	long double high = (sd + 1) * 1.0005L;

	return low * low <= variance && variance <= high * high;
}

/* Nearest rank: the number of values that are at most @value, and that are less. */
static bool is_percentile(u64 value, const u64 *v, size_t n, unsigned int percent)
{
	size_t i, less = 0, most = 0;

	for (i = 0; i < n; i++) {
		less += v[i] < value;
		most += v[i] <= value;
	}
	return most > less && 100 * less < n * percent && 100 * most >= n * percent;
}

static void two_groups(void **state)
{
	static const struct {
		u64 v[12];
		u32 n, slower;
	} rows[] = {
		{ { 100, 101, 101, 102, 102, 102, 103, 103, 104, 105 }, 10, 0 },
		{ { 100, 101, 101, 102, 102, 142, 143, 143, 144, 145 }, 10, 5 },
		{ { 100, 101, 101, 102, 102, 102, 102, 102, 144, 145 }, 10, 2 },
		{ { 100, 101, 144, 144, 145, 145, 145, 145, 145, 145 }, 10, 8 },
		/* An outlier, a gap that is too small, one no wider than a group, and too few. */
		{ { 100, 101, 101, 102, 102, 102, 102, 102, 103, 145 }, 10, 0 },
		{ { 100, 101, 101, 102, 102, 109, 109, 109, 110, 110 }, 10, 0 },
		{ { 100, 101, 101, 101, 120, 140, 170, 170, 180, 180 }, 10, 0 },
		/* The upper group alone is wider than the gap. */
		{ { 100, 100, 101, 101, 102, 142, 160, 190, 200, 200 }, 10, 0 },
		/* Of four, the lower two tell how wide most are. */
		{ { 100, 101, 101, 102, 102, 102, 142, 162, 187, 190 }, 10, 4 },
		{ { 100, 101, 101, 102, 140, 141, 141, 142, 142 }, 9, 0 },
		{ { 100, 101, 101, 102, 102, 142, 143, 143, 144, 999 }, 10, 5 },
		{ { 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7 }, 12, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(mc_slower_group(rows[i].v, rows[i].n), rows[i].slower);
}

static void check(const u64 *given, size_t all)
{
	long double sum = 0, squares = 0, mean;
	static u64 left[MOST], sampler[MOST];
	struct mc_stats st;
	size_t i, n = 0, less = 0, most = 0;
	u64 min = ~0ULL, max = 0;

	for (i = 0; i < all; i++) {
		sampler[i] = given[i];
		if (given[i] == MC_NO_SAMPLE)
			continue;
		left[n++] = given[i];
		sum += given[i];
		min = given[i] < min ? given[i] : min;
		max = given[i] > max ? given[i] : max;
	}
	mean = sum / n;
	for (i = 0; i < n; i++)
		squares += (left[i] - mean) * (left[i] - mean);

	mc_stats_of(&st, sampler, all);
	assert_int_equal(st.samples, n);
	assert_int_equal(st.left_out, all - n);
	assert_int_equal(st.min_ps, min);
	assert_int_equal(st.max_ps, max);
	assert_true(near(st.mean_ps, mean, 1e15L));
	assert_true(is_percentile(st.p50_ps, left, n, 50));
	assert_true(is_percentile(st.p99_ps, left, n, 99));
	assert_true(is_root(st.sd_ps, n > 1 ? squares / (n - 1) : 0));
	if (st.mean_ps)
		assert_true(near(st.cv_ppm, 1e6L * st.sd_ps / st.mean_ps, 1e15L));

	/* The median has at most half of all on either side. */
	for (i = 0; i < n; i++) {
		less += left[i] < st.median_ps;
		most += left[i] <= st.median_ps;
	}
	assert_true(2 * less <= n && 2 * most >= n);
}

static void of_known_sets(void **state)
{
	static const struct {
		u64 v[8];
		size_t n;
		struct mc_stats want;
	} rows[] = {
		{ { 0 }, 0, { 0 } },
		{ { MC_NO_SAMPLE, MC_NO_SAMPLE }, 2, { .left_out = 2 } },
		{ { 5 }, 1, { 1, 0, 5, 5, 5, 5, 0, 5, 5, 0 } },
		{ { 7, 3 }, 2, { 2, 0, 3, 5, 7, 5, 2, 3, 7, 400000 } },
		{ { 3, MC_NO_SAMPLE, 7 }, 3,
		  { 2, 1, 3, 5, 7, 5, 2, 3, 7, 400000 } },
		{ { 4, 4, 4, 4 }, 4, { 4, 0, 4, 4, 4, 4, 0, 4, 4, 0 } },
		/* Variance 32 / 7, its root 2.138. */
		{ { 2, 4, 4, 4, 5, 5, 7, 9 }, 8,
		  { 8, 0, 2, 4, 9, 5, 2, 4, 9, 400000 } },
		{ { 2000, 4000, 4000, 4000, 5000, 5000, 7000, 9000 }, 8,
		  { 8, 0, 2000, 4500, 9000, 5000, 2138, 4000, 9000, 427600 } },
		{ { 0, 0 }, 2, { 2, 0 } },
		{ { ~0ULL - 1, ~0ULL - 1 }, 2,
		  { 2, 0, ~0ULL - 1, ~0ULL - 1, ~0ULL - 1, ~0ULL - 1, 0,
		    ~0ULL - 1, ~0ULL - 1, 0 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mc_stats st;
		u64 v[8];

		memcpy(v, rows[i].v, sizeof(v));
		mc_stats_of(&st, v, rows[i].n);
		assert_memory_equal(&st, &rows[i].want, sizeof(st));
	}
}

static void percentiles_are_the_nearest_rank(void **state)
{
	struct mc_stats st;
	u64 v[200];

	for (size_t n = 1; n <= ARRAY_SIZE(v); n++) {
		for (size_t i = 0; i < n; i++)
			v[i] = n - i;	/* n to 1: a value is its rank */
		mc_stats_of(&st, v, n);
		assert_int_equal(st.p50_ps, (n + 1) / 2);
		assert_int_equal(st.p99_ps, n - n / 100);
	}
}

static void of_random_sets(void **state)
{
	static const u64 bases[] = { 0, 1000000, 1ULL << 40, 1ULL << 62 };
	static const u64 spreads[] = { 1, 2, 1000, 1ULL << 32, 1ULL << 61 };
	static u64 v[MOST];
	u64 seed = 3;

	for (size_t b = 0; b < ARRAY_SIZE(bases); b++) {
		for (size_t s = 0; s < ARRAY_SIZE(spreads); s++) {
			for (size_t n = 1; n <= MOST; n = n * 3 / 2 + 1) {
				for (size_t i = 0; i < n; i++)
					v[i] = bases[b] + random_u64(&seed) % spreads[s];
				v[n / 2] = n > 1 && n % 2 ? MC_NO_SAMPLE : v[n / 2];
				check(v, n);
			}
		}
	}
}

/* Real sets have outliers: most samples are alike, and one is far off. */
static void of_sets_with_an_outlier(void **state)
{
	static u64 v[MOST];
	u64 seed = 4;

	for (int bits = 1; bits < 64; bits++) {
		for (size_t i = 0; i < MOST; i++)
			v[i] = 1000000 + random_u64(&seed) % 1000;
		v[random_u64(&seed) % MOST] = 1ULL << bits;
		check(v, MOST);
	}
}

static void of_all_there_can_be(void **state)
{
	const size_t n = 1000000;
	u64 *v = malloc(n * sizeof(*v));
	struct mc_stats st;

	/* Half are 0, half the largest value: then the sum of squares is largest. */
	for (size_t i = 0; i < n; i++)
		v[i] = i & 1 ? ~0ULL - 1 : 0;
	mc_stats_of(&st, v, n);
	assert_true(near(st.mean_ps, 0x1p63L, 1e9L));
	assert_true(near(st.sd_ps, 0x1p63L, 1e5L));
	assert_true(near(st.cv_ppm, 1e6L, 1e5L));
	free(v);
}
