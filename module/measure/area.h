/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a point's memory is to lie, by one rule on either side. */
#ifndef MC_AREA_H
#define MC_AREA_H

#include "measure/test.h"

/**
 * struct mc_place - where pages should lie
 * @node: NUMA node, or -1: anywhere
 * @strict: nowhere else, else the nearest that has room
 */
struct mc_place {
	int node;
	bool strict;
};

/**
 * struct mc_wanted - a buffer that a point asks for
 * @place: where
 * @bytes: at least
 * @most: bytes that points of this request will ask for at most
 * @private: of no pages that a process can map
 * @alone: the only one of the point; else there is one on each of several nodes
 */
struct mc_wanted {
	struct mc_place place;
	u64 bytes;
	u64 most;
	bool private;
	bool alone;
};

int mc_area_begin(struct mc_run *run);
void mc_area_end(struct mc_run *run);
int mc_area_find(struct mc_run *run, const struct mc_point *point);
bool mc_area_wanted(const struct mc_run *run, const struct mc_point *point,
		    unsigned int i, struct mc_wanted *want);

#endif /* MC_AREA_H */
