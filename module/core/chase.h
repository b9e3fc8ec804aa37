/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chains of pointers for a chase: each element holds the address of the next
 * one, and all of them make one cycle.
 */
#ifndef MC_CORE_CHASE_H
#define MC_CORE_CHASE_H

#include "core/generator.h"
#include "core/view.h"

enum mc_chase_order {
	MC_CHASE_RANDOM,	/* any element may follow any */
	MC_CHASE_PAGE,		/* all of a page, at random, before the next page */
	MC_CHASE_STRIDE,	/* in order of address */
};

#define MC_CHASE_PAGE_BYTES	4096

/**
 * struct mc_chase - a cycle, being built or ready
 * @view: the buffer
 * @offset: of the first element in the buffer
 * @stride: bytes from element to element, a multiple of 8
 * @skew: element i lies (i + i / @skews) % @skews times this further on; so that
 *        lines of pages spread over all sets of a cache. i % @skews alone repeats
 *        with the number of the page: the lines then have @skews sets to share
 * @skews: see @skew; 0 or 1: no skew
 * @n: elements, not 0
 * @order: in which they follow each other
 * @linked: elements that are part of the cycle so far
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
	u64 linked;
	struct mc_random random;
};

void **mc_chase_at(const struct mc_chase *c, u64 i);
u64 mc_chase_build(struct mc_chase *c, u64 most);

#endif /* MC_CORE_CHASE_H */
