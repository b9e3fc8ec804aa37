/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics of a set of samples. */
#ifndef MC_CORE_STATS_H
#define MC_CORE_STATS_H

#include "core/shim.h"

/* A sample that was left out, for example because the clock ran backwards. */
#define MC_NO_SAMPLE	(~0ULL)

/**
 * struct mc_stats - statistics of samples, times in picoseconds
 * @samples: number of samples used
 * @left_out: number of samples left out (MC_NO_SAMPLE)
 * @min_ps: smallest
 * @median_ps: median, the middle one or the mean of the two in the middle
 * @max_ps: largest
 * @mean_ps: arithmetic mean
 * @sd_ps: sample standard deviation (divided by n - 1)
 * @p50_ps: 50th percentile, nearest rank, so that it is one of the samples
 * @p99_ps: 99th percentile, nearest rank
 * @cv_ppm: coefficient of variation, @sd_ps / @mean_ps in millionths
 */
struct mc_stats {
	u32 samples;
	u32 left_out;
	u64 min_ps;
	u64 median_ps;
	u64 max_ps;
	u64 mean_ps;
	u64 sd_ps;
	u64 p50_ps;
	u64 p99_ps;
	u64 cv_ppm;
};

void mc_sort_times(u64 *times, size_t n);
u64 mc_median(u64 *samples, size_t n);
u32 mc_slower_group(const u64 *sorted, u32 n);
u64 mc_permille(const u64 *sorted, size_t n, unsigned int permille);
void mc_stats_of(struct mc_stats *st, u64 *samples, size_t n);

#endif /* MC_CORE_STATS_H */
