// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether a series of samples is steady: its two halves are compared.
 *
 * Each half is cut into five batches, and the median stands for a batch. The halves differ
 * if each batch of one is below each of the other, which is the rank test of Mann and
 * Whitney ("On a test of whether one of two random variables is stochastically larger than
 * the other", 1947) with U = 0: for five and five, chance does that in 2 of 252 series. A
 * difference counts only if it is large enough to matter, too.
 */
#include "core/stats.h"
#include "core/steady.h"

#define HALF	(MC_STEADY_SAMPLES / 2)

/* Move the samples that were left out behind the others. Return: number of the others. */
static u32 gather(u64 *samples, u32 n)
{
	u32 i, used = 0;

	for (i = 0; i < n; i++) {
		u64 one = samples[i];

		if (one == MC_NO_SAMPLE)
			continue;
		samples[i] = MC_NO_SAMPLE;
		samples[used++] = one;
	}
	return used;
}

/**
 * mc_steady_of() - compare the halves of a series
 * @samples: array of @n samples in the order in which they were taken; MC_NO_SAMPLE is left
 *           out. The order changes
 * @n: number of samples
 * @permille: the least difference that matters, in thousandths of the smaller half
 *
 * Return: MC_STEADY_NOT_KNOWN if there are fewer than MC_STEADY_SAMPLES.
 */
enum mc_steady mc_steady_of(u64 *samples, u32 n, u32 permille)
{
	u64 median[MC_STEADY_SAMPLES], low, high;
	u32 i;

	n = gather(samples, n);
	if (n < MC_STEADY_SAMPLES)
		return MC_STEADY_NOT_KNOWN;
	for (i = 0; i < MC_STEADY_SAMPLES; i++) {
		u64 *from = samples + (u64)n * i / MC_STEADY_SAMPLES;
		u64 *to = samples + (u64)n * (i + 1) / MC_STEADY_SAMPLES;

		median[i] = mc_median(from, to - from);
	}
	low = mc_median(median, HALF);
	high = mc_median(median + HALF, HALF);
	/* mc_median() has sorted the halves. */
	if (median[HALF - 1] >= median[HALF] && median[MC_STEADY_SAMPLES - 1] >= median[0])
		return MC_STEADY_YES;
	if (low > high) {
		u64 other = low;

		low = high;
		high = other;
	}
	return high - low > low / 1000 * permille + low % 1000 * permille / 1000 ?
	       MC_STEADY_NO : MC_STEADY_YES;
}
