// SPDX-License-Identifier: GPL-2.0-only
/* Statistics in 64-bit integers, since kernel code does not use floating point. */
#include "core/math.h"
#include "core/stats.h"

static int ascending(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/**
 * mc_sort_times() - sort times, the shortest first
 * @times: the times; those that were left out come last
 * @n: number of times
 *
 * Context: Any; O(n log n).
 */
void mc_sort_times(u64 *times, size_t n)
{
	mc_sort(times, n, sizeof(*times), ascending);
}

/**
 * mc_slower_group() - how many of some times are a group of their own, above the others
 * @sorted: the times, in ascending order
 * @n: number of times
 *
 * Two groups have a fifth of the times each, at least, and a gap between them: of a twelfth of the
 * times below it, and wider than most of either group is. An outlier is no group.
 *
 * Return: number of times above the gap; 0: there is one group, or fewer than ten times.
 */
u32 mc_slower_group(const u64 *sorted, u32 n)
{
	u32 i, at = n / 5, least = n / 5;
	u64 gap;

	if (n < 10)
		return 0;
	for (i = least; i <= n - least; i++) {
		if (sorted[i] - sorted[i - 1] > sorted[at] - sorted[at - 1])
			at = i;
	}
	gap = sorted[at] - sorted[at - 1];
	if (gap < sorted[at - 1] / 12 || gap <= sorted[at - 1] - sorted[at / 2] ||
	    gap <= sorted[(at + n - 1) / 2] - sorted[at])
		return 0;
	return n - at;
}

/* Quotients and remainders are added separately, so that no sum overflows. */
static u64 mean_of(const u64 *v, size_t n)
{
	u64 whole = 0, rest = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		whole += v[i] / n;
		rest += v[i] % n;
	}
	return whole + (rest + n / 2) / n;
}

static unsigned int bits_of(u64 x)
{
	unsigned int n = 0;

	for (; x; x >>= 1)
		n++;
	return n;
}

/*
 * Deviations are shifted down until the sum of n squares fits 64 bits. With a
 * million samples that still leaves 22 significant bits of the largest one.
 */
static u64 deviation_of(const u64 *v, size_t n, u64 mean)
{
	u64 low = mean - v[0], high = v[n - 1] - mean;
	u64 largest = low > high ? low : high, squares = 0;
	unsigned int room = (64 - bits_of(n)) / 2, shift = 0;
	size_t i;

	if (n < 2)
		return 0;
	if (bits_of(largest) > room)
		shift = bits_of(largest) - room;
	for (i = 0; i < n; i++) {
		u64 d = (v[i] > mean ? v[i] - mean : mean - v[i]) >> shift;

		squares += d * d;
	}
	return mc_sqrt(squares / (n - 1)) << shift;
}

static u64 median_of_sorted(const u64 *sorted, size_t n)
{
	return sorted[(n - 1) / 2] + (sorted[n / 2] - sorted[(n - 1) / 2]) / 2;
}

/**
 * mc_median() - the median, the middle sample or the mean of the two in the middle
 * @samples: samples, none of them left out; sorted in place
 * @n: number of samples, not 0
 *
 * Return: the median.
 */
u64 mc_median(u64 *samples, size_t n)
{
	mc_sort_times(samples, n);
	return median_of_sorted(samples, n);
}

/**
 * mc_permille() - a percentile in thousandths, nearest rank
 * @sorted: samples, ascending
 * @n: number of samples, not 0
 * @permille: 990 for the 99th percentile
 *
 * Return: the smallest sample that at least @permille thousandths of all do not exceed.
 */
u64 mc_permille(const u64 *sorted, size_t n, unsigned int permille)
{
	size_t rank = (n * permille + 999) / 1000;

	return sorted[rank ? rank - 1 : 0];
}

/**
 * mc_stats_of() - statistics of a set of samples
 * @st: result; all zero but @left_out if all samples are MC_NO_SAMPLE
 * @samples: picoseconds, or MC_NO_SAMPLE for a sample left out; sorted in place
 * @n: number of samples
 *
 * Context: Any; O(n log n).
 */
void mc_stats_of(struct mc_stats *st, u64 *samples, size_t n)
{
	size_t all = n;

	memset(st, 0, sizeof(*st));
	mc_sort_times(samples, n);
	while (n && samples[n - 1] == MC_NO_SAMPLE)
		n--;
	st->samples = n;
	st->left_out = all - n;
	if (!n)
		return;
	st->min_ps = samples[0];
	st->max_ps = samples[n - 1];
	st->median_ps = median_of_sorted(samples, n);
	st->mean_ps = mean_of(samples, n);
	st->sd_ps = deviation_of(samples, n, st->mean_ps);
	st->p50_ps = mc_permille(samples, n, 500);
	st->p99_ps = mc_permille(samples, n, 990);
	if (st->mean_ps)
		st->cv_ppm = mc_rounded(st->sd_ps, 1000000, st->mean_ps);
}
