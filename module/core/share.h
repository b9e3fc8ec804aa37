/* SPDX-License-Identifier: GPL-2.0-only */
/* How many of many times are of one kind, where the times of both kinds overlap. */
#ifndef MC_CORE_SHARE_H
#define MC_CORE_SHARE_H

#include "core/shim.h"

#define MC_SHARE_WHOLE	1000000		/* all, in millionths */

/**
 * struct mc_share - a share, and the interval that has the true one in 99 of 100 cases
 * @known: the two kinds can be told apart, so that the rest of this means something
 * @limit_ps: times up to this one count as those of the first kind
 * @one_figure: @ppm means something as well; else only the interval does
 * @ppm: the share of the first kind, in millionths
 * @low_ppm: lower end of the interval
 * @high_ppm: upper end of the interval
 */
struct mc_share {
	bool known;
	bool one_figure;
	u64 limit_ps;
	u32 ppm;
	u32 low_ppm;
	u32 high_ppm;
};

/**
 * struct mc_times - times in picoseconds
 * @ps: the times
 * @n: how many there are
 */
struct mc_times {
	u64 *ps;
	size_t n;
};

/* Lines that are stored many at a time: those in question, whole ones, and those in pieces. */
enum mc_line_kind {
	MC_LINES_MIXED, MC_LINES_WHOLE, MC_LINES_TWO, MC_LINES_EIGHT, MC_LINE_KINDS,
};

void mc_share_of_rates(struct mc_share *s, const struct mc_times *kinds, unsigned int pieces);
void mc_share_of(struct mc_share *s, const struct mc_times *mixed, struct mc_times *first,
		 struct mc_times *second);

#endif /* MC_CORE_SHARE_H */
