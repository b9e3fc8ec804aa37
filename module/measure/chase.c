// SPDX-License-Identifier: GPL-2.0-only
/* What the tests with pointer chases share. */
#include "measure/chase.h"
#include "measure/threads.h"
#include "platform/os.h"

#define STEPS_AT_ONCE	4096	/* uncached, these take some milliseconds */
#define WALKS		32	/* more than a core can have misses in flight */
#define WALK_LEAST	1024	/* elements of a walk */
#define BEGINS		1UL

/**
 * mc_chase_body() - follow a line's pointer for each line of a pass (@body of struct mc_pass)
 * @args: @arg points to the current element
 *
 * Context: An open window.
 */
void mc_chase_body(struct mc_loop_args *args)
{
	void ***at = args->arg;

	*at = mc_asm_chase(*at, args->bytes / 64);
}

static int build(struct mc_worker *w, struct mc_chase *c)
{
	int err = mc_threads_stopped(w->threads);

	c->linked = 0;
	mc_random_seed(&c->random, 1);
	while (!err && mc_chase_build(c, STEPS_AT_ONCE))
		err = mc_threads_pause(w, 0);
	return err;
}

/* No cache keeps an element: where two of them are one in memory, the first one is lost. */
static int store_links(struct mc_worker *w, const struct mc_chase *c)
{
	int err = 0;
	u64 i;

	for (i = 0; i < c->n && !err; i++) {
		WRITE_ONCE(*mc_chase_at(c, i), c->links[i]);
		mc_flush(mc_chase_at(c, i));
		err = mc_threads_pause(w, i % STEPS_AT_ONCE);
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
			err = mc_threads_pause(w, i % STEPS_AT_ONCE);
			continue;
		}
		err = -EOPNOTSUPP;
		if (mc_threads_claim_error(w->threads))
			mc_fail(w->threads->error, err,
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
		if (mc_threads_claim_error(w->threads))
			mc_fail(w->threads->error, -ENOMEM,
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
 * Elements in memory that nobody vouches for are compared with the pointers that they must hold,
 * so that a chase does not leave the memory.
 *
 * Context: Worker thread, may sleep.
 * Return: 0, the errno of the stop, or -EOPNOTSUPP (an element does not hold its pointer) or
 * -ENOMEM, explained in the run's error.
 */
int mc_chase_link(struct mc_worker *w, struct mc_chase *c)
{
	return c->view->foreign ? link_foreign(w, c) : build(w, c);
}

/**
 * struct walk - walks along a cycle, which take a step each in turn, so that their loads overlap
 * @first: where each walk began
 * @at: where those walks are that have not reached the beginning of one
 * @of: number of each of them
 * @to: number of the walk whose beginning a walk has reached
 * @n: number of walks
 * @left: number of them that have not ended
 * @steps: of all walks
 */
struct walk {
	void **first[WALKS];
	void **at[WALKS];
	u8 of[WALKS];
	u8 to[WALKS];
	unsigned int n;
	unsigned int left;
	u64 steps;
};

/* The elements at which walks begin have this bit in their pointers, which are aligned. */
static void mark(void **first)
{
	*first = (void *)((unsigned long)*first ^ BEGINS);
}

static void begin_walks(struct walk *walk, const struct mc_chase *c)
{
	unsigned int i;

	walk->n = min(c->n / WALK_LEAST + 1, (u64)WALKS);
	walk->left = walk->n;
	walk->steps = walk->n;
	for (i = 0; i < walk->n; i++) {
		walk->first[i] = mc_chase_at(c, i * (c->n / walk->n));
		walk->at[i] = *walk->first[i];
		walk->of[i] = i;
	}
	for (i = 0; i < walk->n; i++)
		mark(walk->first[i]);
}

/* The walk at place @i has reached an element at which one began. */
static void end_walk(struct walk *walk, unsigned int i)
{
	u8 to = 0;

	while (to + 1U < walk->n && walk->first[to] != walk->at[i])
		to++;
	walk->to[walk->of[i]] = to;
	walk->left--;
	walk->at[i] = walk->at[walk->left];
	walk->of[i] = walk->of[walk->left];
}

static void step_walks(struct walk *walk)
{
	unsigned int i = 0;

	while (i < walk->left) {
		unsigned long next = (unsigned long)*walk->at[i];

		if (next & BEGINS) {
			end_walk(walk, i);
			continue;
		}
		walk->at[i++] = (void **)next;
		walk->steps++;
	}
}

/* Do the walks, one behind the other, come back to the first only after all others? */
static bool walks_meet(const struct walk *walk)
{
	unsigned int i, at = 0;

	for (i = 1; i < walk->n; i++) {
		at = walk->to[at];
		if (!at)
			return false;
	}
	return !walk->to[at];
}

/**
 * mc_chase_walk() - test whether the chase is one cycle of all elements
 * @w: the thread
 * @c: the cycle
 * @sampler: is told whether the walk returns to its start after as many steps as there are
 *           elements, and not before
 *
 * Several walks begin at elements far apart, and each ends where one began. If they are one
 * cycle together, and have taken as many steps as there are elements, then so would a single
 * walk, in many times the time.
 *
 * Context: Worker thread, may sleep.
 * Return: 0, or the errno of the stop.
 */
int mc_chase_walk(struct mc_worker *w, const struct mc_chase *c, struct mc_sampler *sampler)
{
	struct walk walk;
	unsigned int i;
	u64 asked = 0;
	int err = 0;

	begin_walks(&walk, c);
	while (!err && walk.left && walk.steps <= c->n) {
		step_walks(&walk);
		if (walk.steps - asked < STEPS_AT_ONCE)
			continue;
		asked = walk.steps;
		err = mc_threads_pause(w, 0);
	}
	for (i = 0; i < walk.n; i++)
		mark(walk.first[i]);
	if (!err)
		mc_sampler_verified(sampler, !walk.left && walk.steps == c->n && walks_meet(&walk));
	return err;
}
