/* SPDX-License-Identifier: GPL-2.0-only */
/* Which cache holds a working set. */
#ifndef MC_CORE_HOLDS_H
#define MC_CORE_HOLDS_H

#include "level.h"

/**
 * struct mc_set - what threads go through again and again
 * @bytes: of each thread
 * @threads: how many there are
 * @common: they all go through the same bytes
 * @sharers: CPUs that share one L3, at most; 0: not known
 * @cpus: of the machine
 */
struct mc_set {
	u64 bytes;
	u64 threads;
	bool common;
	u64 sharers;
	u64 cpus;
};

enum mc_hit mc_holder_of(const struct mc_hierarchy *h, const struct mc_set *set);

#endif /* MC_CORE_HOLDS_H */
