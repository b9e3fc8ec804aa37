/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cycles of pointers for a pointer chase: each element holds the address of the next
 * one, and all elements make one cycle.
 */
#ifndef MC_CORE_CHASE_H
#define MC_CORE_CHASE_H

#include "core/generator.h"
#include "core/view.h"

enum mc_chase_order {
	MC_CHASE_RANDOM,	/* any element may follow any */
	MC_CHASE_PAGE,		/* page by page; pages and their elements in random order */
	MC_CHASE_STRIDE,	/* in order of address */
};

#define MC_CHASE_PAGE_BYTES	4096

/**
 * struct mc_chase - a cycle, complete or not
 * @view: the buffer
 * @offset: offset of the first element in the buffer
 * @stride: bytes from element to element, a multiple of 8
 * @skew: bytes; element i is moved by (i + i / @skews) % @skews times this, so that the
 *        elements of different pages use all sets of a cache. With i % @skews alone, the
 *        offset would repeat with the page number, and elements would share @skews sets
 * @skews: see @skew; 0 or 1: no skew
 * @n: number of elements, not 0
 * @order: the order of the elements in the cycle
 * @links: array of @n that gets what the elements are to hold, and the buffer is not touched;
 *         NULL: the elements get it
 * @linked: number of elements in the cycle so far
 * @random: state of the generator
 */
struct mc_chase {
	const struct mc_view *view;
	u64 offset;
	u64 stride;
	u64 skew;
	u64 skews;
	u64 n;
	enum mc_chase_order order;
	void **links;
	u64 linked;
	struct mc_random random;
};

u64 mc_chase_offset(const struct mc_chase *c, u64 i);
void **mc_chase_at(const struct mc_chase *c, u64 i);
u64 mc_chase_build(struct mc_chase *c, u64 most);

#endif /* MC_CORE_CHASE_H */
