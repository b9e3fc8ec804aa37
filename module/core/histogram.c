// SPDX-License-Identifier: GPL-2.0-only
/* Histograms of times. */
#include "core/histogram.h"
#include "core/math.h"

/**
 * mc_histogram_of() - sort times into bins
 * @h: result
 * @sorted: picoseconds, ascending
 * @n: number of times, not 0
 */
void mc_histogram_of(struct mc_histogram *h, const u64 *sorted, size_t n)
{
	size_t i;

	memset(h, 0, sizeof(*h));
	h->first = mc_bin_of(sorted[0], MC_BINS_LOG2);
	for (i = 0; i < n; i++) {
		u32 bin = mc_bin_of(sorted[i], MC_BINS_LOG2) - h->first;

		h->count[bin < MC_BINS ? bin : MC_BINS - 1]++;
	}
}

/**
 * mc_histogram_json() - append a histogram as pairs of ns and count
 * @t: the text
 * @h: the histogram; empty bins are left out
 */
void mc_histogram_json(struct mc_text *t, const struct mc_histogram *h)
{
	const char *comma = "";
	u64 ps;
	u32 i;

	mc_textf(t, "[");
	for (i = 0; i < MC_BINS; i++) {
		if (!h->count[i])
			continue;
		ps = mc_bin_from(h->first + i, MC_BINS_LOG2);
		mc_textf(t, "%s[%llu.%03llu,%u]", comma, ps / 1000, ps % 1000, h->count[i]);
		comma = ",";
	}
	mc_textf(t, "]");
}
