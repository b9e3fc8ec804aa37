/* SPDX-License-Identifier: GPL-2.0-only */
/* Placement of a point's memory: one rule for both sides. */
#ifndef MC_AREA_H
#define MC_AREA_H

#include "measure/test.h"

/**
 * struct mc_node_wish - where pages are to be
 * @node: NUMA node, or -1: any node
 * @strict: only this node; otherwise the nearest one with free memory
 */
struct mc_node_wish {
	int node;
	bool strict;
};

/**
 * struct mc_wanted - a buffer that a point asks for
 * @wish: its placement
 * @bytes: least size
 * @most: largest size that any point of this request asks for
 * @region: bytes of a region, of a test that measures memory region by region: no buffer is
 *          wanted but region @index of the memory that is free, and all regions together
 *          have at most @bytes. 0: a buffer is wanted
 * @index: number of the region; 0 comes first, and the others follow in order
 * @private: its pages must not be mapped by a process
 * @alone: the point's only buffer; otherwise there may be others on other nodes
 */
struct mc_wanted {
	struct mc_node_wish wish;
	u64 bytes;
	u64 most;
	u64 region;
	u64 index;
	bool private;
	bool alone;
};

int mc_area_begin(struct mc_run *run);
void mc_area_end(struct mc_run *run);
void mc_area_assign(struct mc_run *run, const struct mc_point *point);
int mc_area_find(struct mc_run *run, const struct mc_point *point);
bool mc_area_wanted(const struct mc_run *run, const struct mc_point *point,
		    unsigned int i, struct mc_wanted *want);

#endif /* MC_AREA_H */
