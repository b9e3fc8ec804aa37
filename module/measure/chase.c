// SPDX-License-Identifier: GPL-2.0-only
/* What the tests with pointer chases share. */
#include "measure/chase.h"
#include "measure/team.h"
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

static int build(struct mc_worker *w, struct mc_chase *c)
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

/* Called behind element @i. Return: 0, or the errno of the stop. */
static int look(struct mc_worker *w, u64 i)
{
	if (i % STEPS_AT_ONCE)
		return 0;
	mc_breathe();
	return mc_team_stopped(w->team);
}

/* No cache keeps an element: where two of them are one in memory, the first one is lost. */
static int store_links(struct mc_worker *w, const struct mc_chase *c)
{
	int err = 0;
	u64 i;

	for (i = 0; i < c->n && !err; i++) {
		WRITE_ONCE(*mc_chase_at(c, i), c->links[i]);
		mc_flush(mc_chase_at(c, i));
		err = look(w, i);
	}
	return err;
}

/* Element by element, and none is followed. A prefetcher may have brought some into a cache. */
static int compare_links(struct mc_worker *w, const struct mc_chase *c)
{
	int err = 0;
	u64 i;

	for (i = 0; i < c->n && !err; i++) {
		mc_flush(mc_chase_at(c, i));
		if (READ_ONCE(*mc_chase_at(c, i)) == c->links[i]) {
			err = look(w, i);
			continue;
		}
		err = -EOPNOTSUPP;
		if (mc_team_claim_error(w->team))
			mc_fail(w->team->error, err,
				"target: 0x%llx does not keep the pointer that was written to it, so none is followed",
				c->view->foreign->start + mc_chase_offset(c, i));
	}
	return err;
}

static int link_foreign(struct mc_worker *w, struct mc_chase *c)
{
	int err;

	c->links = mc_alloc_array(c->n, sizeof(*c->links));
	if (!c->links) {
		if (mc_team_claim_error(w->team))
			mc_fail(w->team->error, -ENOMEM,
				"size: no memory to compare %llu pointers with", c->n);
		return -ENOMEM;
	}
	err = build(w, c);
	err = err ? err : store_links(w, c);
	err = err ? err : compare_links(w, c);
	mc_free(c->links);
	c->links = NULL;
	return err;
}

/**
 * mc_chase_link() - link the elements into one cycle
 * @w: the thread; its CPU touches all of the memory
 * @c: the cycle, of which nothing is linked yet
 *
 * Elements in memory that nobody vouches for are compared with what they must hold, so that
 * whoever follows them stays in it.
 *
 * Context: Worker thread, may sleep.
 * Return: 0, the errno of the stop, or -EOPNOTSUPP (an element does not hold its pointer) or
 * -ENOMEM, explained in the team's error.
 */
int mc_chase_link(struct mc_worker *w, struct mc_chase *c)
{
	return c->view->foreign ? link_foreign(w, c) : build(w, c);
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
	int err;

	for (i = 1; i <= c->n; i++) {
		at = *at;
		back += at == first;
		err = look(w, i);
		if (err)
			return err;
	}
	*whole = at == first && back == 1;
	return 0;
}
