// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cycles of pointers, built where they will be followed.
 *
 * A random cycle grows by one element at a time: it goes behind one that is
 * chosen among those in the cycle. There are (n - 1)! ways to choose, and each
 * gives another cycle, so all cycles are equally likely, as with Sattolo's
 * algorithm (Information Processing Letters 22, 1986), of which this is the
 * inside-out form.
 */
#include "core/chase.h"

/**
 * mc_chase_at() - where an element lies
 * @c: the cycle
 * @i: the element, less than @c->n
 *
 * Return: its address.
 */
void **mc_chase_at(const struct mc_chase *c, u64 i)
{
	u64 skew = c->skews ? (i + i / c->skews) % c->skews * c->skew : 0;

	return mc_view_at(c->view, c->offset + i * c->stride + skew, NULL);
}

static u64 below(struct mc_chase *c, u64 range)
{
	return mc_random_below(mc_random_next(&c->random, MC_XORSHIFT), range);
}

static void insert(const struct mc_chase *c, u64 i, u64 behind)
{
	void **new = mc_chase_at(c, i), **old = mc_chase_at(c, behind);

	*new = *old;
	*old = new;
}

/* Elements on a page of MC_CHASE_PAGE_BYTES. */
static u64 on_a_page(const struct mc_chase *c)
{
	return c->stride < MC_CHASE_PAGE_BYTES ? MC_CHASE_PAGE_BYTES / c->stride : 1;
}

/*
 * First a cycle of one element of each page, then the others of a page behind
 * one of their own: they stay between this page's first and the next page's.
 */
static void link_by_page(struct mc_chase *c, u64 k)
{
	u64 each = on_a_page(c), pages = (c->n + each - 1) / each, page, i;

	if (k < pages) {
		insert(c, k * each, below(c, k) * each);
		return;
	}
	/* The k-th of those left, page by page; the last page may be short. */
	page = (k - pages) / (each - 1);
	i = (k - pages) % (each - 1) + 1;
	insert(c, page * each + i, page * each + below(c, i));
}

static void link_one(struct mc_chase *c, u64 k)
{
	switch (c->order) {
	case MC_CHASE_RANDOM:
		insert(c, k, below(c, k));
		break;
	case MC_CHASE_PAGE:
		link_by_page(c, k);
		break;
	case MC_CHASE_STRIDE:
		insert(c, k, k - 1);
		break;
	}
}

/**
 * mc_chase_build() - go on building a cycle
 * @c: the cycle; its @linked and @random are as the last call left them, at
 *     first 0 and seeded
 * @most: elements to add in this call
 *
 * Context: Any; takes two accesses at random places for each element.
 * Return: elements that are still missing; the cycle is ready when it is 0.
 */
u64 mc_chase_build(struct mc_chase *c, u64 most)
{
	if (!c->linked && most) {
		void **first = mc_chase_at(c, 0);

		*first = first;
		c->linked = 1;
		most--;
	}
	for (; most && c->linked < c->n; most--)
		link_one(c, c->linked++);
	return c->n - c->linked;
}
