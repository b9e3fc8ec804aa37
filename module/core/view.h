/* SPDX-License-Identifier: GPL-2.0-only */
/* A buffer that may consist of several pieces. */
#ifndef MC_CORE_VIEW_H
#define MC_CORE_VIEW_H

#include "core/target.h"

#define MC_LINE	64ULL	/* bytes of a cache line */

/**
 * struct mc_span - a contiguous part of a buffer
 * @addr: its address
 * @start: offset in the buffer
 * @bytes: length
 */
struct mc_span {
	void *addr;
	u64 start;
	u64 bytes;
};

/**
 * struct mc_view - a buffer as an array of spans
 * @spans: the spans, in order of their offsets and without gaps
 * @n: number of spans
 * @foreign: physical addresses of memory that no allocator gave, so that nobody vouches for it;
 *           NULL: it is RAM
 */
struct mc_view {
	const struct mc_span *spans;
	unsigned int n;
	const struct mc_range *foreign;
};

void *mc_view_at(const struct mc_view *v, u64 at, u64 *left);

bool mc_view_blocks(const struct mc_view *view, u64 from, u64 to, u64 block, void **blocks);

#endif /* MC_CORE_VIEW_H */
