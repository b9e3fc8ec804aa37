/* SPDX-License-Identifier: GPL-2.0-only */
/* Regions of the machine's memory, and the blocks of them that a run holds. */
#ifndef MC_CORE_REGION_H
#define MC_CORE_REGION_H

#include "core/view.h"

#define MC_REGION_LEAST	(2ULL << 20)	/* the smallest region */

/**
 * struct mc_block - contiguous physical memory, within one region
 * @at: its physical address; if that is not known, its place in virtual memory
 * @addr: its address
 * @bytes: length
 * @node: NUMA node, or MC_NODE_NA
 * @zone: the kernel's zone (enum mc_zone)
 */
struct mc_block {
	u64 at;
	void *addr;
	u64 bytes;
	int node;
	u8 zone;
};

/**
 * struct mc_region - a part of the machine's memory
 * @at: where it begins
 * @bytes: bytes of it that can be measured
 * @physical: @at is a physical address
 */
struct mc_region {
	u64 at;
	u64 bytes;
	bool physical;
};

u64 mc_region_first(struct mc_block *blocks, u64 n, u64 region);
unsigned int mc_region_spans(const struct mc_block *blocks, u64 n, struct mc_span *spans);
int mc_region_node(const struct mc_block *blocks, u64 n);
u8 mc_region_zone(const struct mc_block *blocks, u64 n);

#endif /* MC_CORE_REGION_H */
