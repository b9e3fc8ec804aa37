// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the times of a curve go from one level to another: at the place that puts the fewest of
 * them on the wrong side. A time that was disturbed then does not pass for the step, as it would
 * if the first change counted.
 */
#include "core/step.h"

#define MOST_WRONG	1	/* times on the wrong side: with more, the curve is no step */

/* Is a time nearer to the level after the step, as ratios? One in the middle is a fast one. */
static bool is_after(u64 ps, u64 before, u64 after)
{
	return (ps * ps > before * after) == (after > before);
}

/**
 * mc_step_at() - the step of a curve
 * @ps: times, each below 2^32 ps
 * @n: number of times
 * @before: the level before the step, not that after it
 * @after: the level after the step
 *
 * Return: the number of times before the step; 0 if there is no step, or if nobody can tell where
 * it is, because another place is as good or MOST_WRONG is exceeded.
 */
unsigned int mc_step_at(const u64 *ps, unsigned int n, u64 before, u64 after)
{
	unsigned int wrong = 0, least, at = 0, i;

	for (i = 0; i < n; i++)
		wrong += !is_after(ps[i], before, after);
	least = wrong;
	for (i = 1; i <= n; i++) {
		wrong = is_after(ps[i - 1], before, after) ? wrong + 1 : wrong - 1;
		if (wrong == least)
			at = 0;
		if (wrong < least) {
			least = wrong;
			at = i;
		}
	}
	return least > MOST_WRONG || at == n ? 0 : at;
}
