/* SPDX-License-Identifier: GPL-2.0-only */
/* Histograms of times. */
#ifndef MC_CORE_HISTOGRAM_H
#define MC_CORE_HISTOGRAM_H

#include "core/text.h"

#define MC_BINS_LOG2	2	/* a bin is a quarter of an octave */
#define MC_BINS		64	/* up to 65536 times the shortest time */

/**
 * struct mc_histogram - how many times fell into which bin
 * @first: number of the first bin, which has the shortest time
 * @count: number of times in each bin from @first on; the last bin has all longer times
 */
struct mc_histogram {
	u32 first;
	u32 count[MC_BINS];
};

void mc_histogram_of(struct mc_histogram *h, const u64 *sorted, size_t n);
void mc_histogram_json(struct mc_text *t, const struct mc_histogram *h);

#endif /* MC_CORE_HISTOGRAM_H */
