// SPDX-License-Identifier: GPL-2.0-only
/* What the tests with pointer chases share. */
#include "measure/chase.h"
#include "platform/clock.h"
#include "platform/os.h"

#define STEPS_AT_ONCE	4096	/* uncached, these take some milliseconds */

/**
 * mc_chase_fit() - adjust the number of loads of the next window
 * @loads: number of loads of the last one
 * @most: largest number
 * @ticks: duration of the last one
 *
 * Return: the number.
 */
u64 mc_chase_fit(u64 loads, u64 most, u64 ticks)
{
	if (ticks > mc_ns_to_ticks(2 * MC_CHASE_WINDOW_NS))
		return max(loads / 2, MC_CHASE_LEAST);
	if (ticks < mc_ns_to_ticks(MC_CHASE_WINDOW_NS / 2))
		return min(loads * 2, most);
	return loads;
}

/**
 * mc_chase_link() - link the elements into one cycle
 * @w: the thread; its CPU touches all of the memory
 * @c: the cycle, of which nothing is linked yet
 *
 * Context: Worker thread, may sleep.
 * Return: 0, or the errno of the stop.
 */
int mc_chase_link(struct mc_worker *w, struct mc_chase *c)
{
	int err = mc_team_stopped(w->team);

	c->linked = 0;
	mc_random_seed(&c->random, 1);
	while (!err && mc_chase_build(c, STEPS_AT_ONCE)) {
		mc_breathe();
		err = mc_team_stopped(w->team);
	}
	return err;
}

/**
 * mc_chase_walk() - test whether the chase is one cycle of all elements
 * @w: the thread
 * @c: the cycle
 * @whole: result: the walk returns to its start after as many steps as there are
 *         elements, and not before
 *
 * Context: Worker thread, may sleep.
 * Return: 0, or the errno of the stop.
 */
int mc_chase_walk(struct mc_worker *w, const struct mc_chase *c, bool *whole)
{
	void **first = mc_chase_at(c, 0), **at = first;
	u64 i, back = 0;

	for (i = 1; i <= c->n; i++) {
		at = *at;
		back += at == first;
		if (i % STEPS_AT_ONCE)
			continue;
		mc_breathe();
		if (mc_team_stopped(w->team))
			return mc_team_stopped(w->team);
	}
	*whole = at == first && back == 1;
	return 0;
}
