// SPDX-License-Identifier: GPL-2.0-only
/* What the tests with pointer chases share. */
#include "measure/chase.h"
#include "platform/clock.h"
#include "platform/os.h"

#define STEPS_AT_ONCE	4096	/* uncached, these take some milliseconds */
#define CLOCK_CYCLES	24000
#define CLOCK_ROUNDS	4

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

/**
 * mc_core_mhz() - current frequency of the thread's core
 * @w: the thread
 * @mhz: result; from the fastest of some rounds, as any disturbance only adds time
 *
 * Context: Worker thread.
 * Return: 0, or a negative errno as of mc_window_open().
 */
int mc_core_mhz(struct mc_worker *w, u64 *mhz)
{
	u64 best = ~0ULL;
	int i;

	for (i = 0; i < CLOCK_ROUNDS; i++) {
		int err = mc_window_open(w, false);
		u64 ticks;

		if (err)
			return err;
		mc_asm_clock(CLOCK_CYCLES);
		ticks = mc_window_close(w);
		if (ticks)
			best = min(best, ticks);
	}
	*mhz = best == ~0ULL ? 0 :
	       mc_muldiv(CLOCK_CYCLES, 1000000, max(mc_ticks_to_ps(best), 1ULL));
	return 0;
}
