// SPDX-License-Identifier: GPL-2.0-only
/*
 * A histogram whose bins are a quarter of an octave wide: bin 4 e + m, for e > 0, begins
 * at (4 + m) 2^(e - 1) ps.
 */
#include "core/histogram.h"

#define STEPS	MC_BINS_AN_OCTAVE

static u32 bin_of(u64 ps)
{
	u32 octave = 0;

	while (ps >> octave >= 2 * STEPS)
		octave++;
	return octave * STEPS + (ps >> octave);
}

/**
 * mc_histogram_from() - the lower bound of a bin
 * @bin: its number
 *
 * Return: picoseconds.
 */
u64 mc_histogram_from(u32 bin)
{
	u32 octave = bin < 2 * STEPS ? 0 : bin / STEPS - 1;

	return (u64)(bin - octave * STEPS) << octave;
}

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
	h->first = bin_of(sorted[0]);
	for (i = 0; i < n; i++) {
		u32 bin = bin_of(sorted[i]) - h->first;

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
		ps = mc_histogram_from(h->first + i);
		mc_textf(t, "%s[%llu.%03llu,%u]", comma, ps / 1000, ps % 1000, h->count[i]);
		comma = ",";
	}
	mc_textf(t, "]");
}
