// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cycles of pointers for a pointer chase.
 *
 * A random cycle grows by one element at a time: the new element is inserted behind a
 * random element of the cycle. There are (n - 1)! ways to choose, and each
 * gives another cycle, so all cycles are equally likely, as with Sattolo's
 * algorithm (Information Processing Letters 22, 1986), of which this is the
 * inside-out form.
 */
#include "core/chase.h"

/**
 * mc_chase_offset() - offset of an element
 * @c: the cycle
 * @i: index of the element, less than @c->n
 *
 * Return: its offset in the buffer.
 */
u64 mc_chase_offset(const struct mc_chase *c, u64 i)
{
	u64 skew = c->skews ? (i + i / c->skews) % c->skews * c->skew : 0;

	return c->offset + i * c->stride + skew;
}

/**
 * mc_chase_at() - address of an element
 * @c: the cycle
 * @i: index of the element, less than @c->n
 *
 * Return: its address.
 */
void **mc_chase_at(const struct mc_chase *c, u64 i)
{
	return mc_view_at(c->view, mc_chase_offset(c, i), NULL);
}

/* Where the address of the element behind this one is kept. */
static void **link_of(const struct mc_chase *c, u64 i)
{
	return c->links ? &c->links[i] : mc_chase_at(c, i);
}

static u64 random_below(struct mc_chase *c, u64 range)
{
	return mc_random_below(mc_random_next(&c->random, MC_XORSHIFT), range);
}

static void insert(const struct mc_chase *c, u64 i, u64 behind)
{
	void **old = link_of(c, behind);

	*link_of(c, i) = *old;
	*old = mc_chase_at(c, i);
}

/* Return: elements on a page of MC_CHASE_PAGE_BYTES. */
static u64 elements_per_page(const struct mc_chase *c)
{
	return c->stride < MC_CHASE_PAGE_BYTES ? MC_CHASE_PAGE_BYTES / c->stride : 1;
}

/*
 * The first elements of all pages make a cycle. Then each other element is inserted
 * behind one of its own page, so that it stays before the first one of the next page.
 */
static void link_by_page(struct mc_chase *c, u64 k)
{
	u64 each = elements_per_page(c), pages = (c->n + each - 1) / each, page, i;

	if (k < pages) {
		insert(c, k * each, random_below(c, k) * each);
		return;
	}
	/* The remaining elements, page by page; the last page may have fewer. */
	page = (k - pages) / (each - 1);
	i = (k - pages) % (each - 1) + 1;
	insert(c, page * each + i, page * each + random_below(c, i));
}

static void link_one(struct mc_chase *c, u64 k)
{
	switch (c->order) {
	case MC_CHASE_RANDOM:
		insert(c, k, random_below(c, k));
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
 * mc_chase_build() - add elements to a cycle
 * @c: the cycle; before the first call, @linked is 0 and @random is seeded
 * @most: elements to add in this call
 *
 * Each element takes two accesses at random addresses.
 *
 * Return: elements still to be added; the cycle is complete when it is 0.
 */
u64 mc_chase_build(struct mc_chase *c, u64 most)
{
	if (!c->linked && most) {
		*link_of(c, 0) = mc_chase_at(c, 0);
		c->linked = 1;
		most--;
	}
	for (; most && c->linked < c->n; most--)
		link_one(c, c->linked++);
	return c->n - c->linked;
}
