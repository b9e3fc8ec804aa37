/* SPDX-License-Identifier: GPL-2.0-only */
/* A buffer that need not be contiguous. */
#ifndef MC_CORE_VIEW_H
#define MC_CORE_VIEW_H

#include "core/shim.h"

/**
 * struct mc_span - contiguous memory that is a part of a buffer
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
 * struct mc_view - a buffer as its spans, in order of offset, without gaps
 * @spans: the spans
 * @n: how many
 */
struct mc_view {
	const struct mc_span *spans;
	unsigned int n;
};

void *mc_view_at(const struct mc_view *v, u64 at, u64 *left);

#endif /* MC_CORE_VIEW_H */
