/* SPDX-License-Identifier: GPL-2.0-only */
/* The level of the memory hierarchy that holds a working set, or that served loads. */
#ifndef MC_CORE_LEVEL_H
#define MC_CORE_LEVEL_H

#include "core/keys.h"

#define MC_CACHES	4	/* levels of cache */

/*
 * A set shows memory from so many times the last caches on that its CPUs reach: caches serve a part
 * of one that is smaller, so it is between.
 */
#define MC_BEYOND	4ULL

enum mc_hit {
	MC_HIT_L1, MC_HIT_L2, MC_HIT_L3, MC_HIT_L4, MC_HIT_MEMORY,
	MC_HIT_BETWEEN, MC_HIT_UNKNOWN
};

/**
 * struct mc_hierarchy - sizes and times of a CPU's caches
 * @bytes: size of each level, as the CPU reports it; 0: no such cache
 * @way: bytes of one way of each level; 0: not known
 * @hit_ps: measured time of a load that hits L1
 * @miss_ps: measured time of a load that misses all caches
 */
struct mc_hierarchy {
	u64 bytes[MC_CACHES];
	u64 way[MC_CACHES];
	u64 hit_ps;
	u64 miss_ps;
};

/**
 * struct mc_set - a thread's working set
 * @bytes: bytes of its lines
 * @stride: bytes from line to line; 0: no line is left out
 * @sharers: for each level, the number of threads with such a working set that share the
 *           thread's cache, this thread included; 0 if there is no such cache
 * @last: a thread's part of the last caches that all threads reach; 0: that of its own CPU
 * @unlisted: the same of a cache in front of memory that CPUs do not report; 0: none is known
 */
struct mc_set {
	u64 bytes;
	u64 stride;
	u32 sharers[MC_CACHES];
	u64 last;
	u64 unlisted;
};

extern const struct mc_name mc_hit_names[];

enum mc_hit mc_holder_of(const struct mc_hierarchy *h, const struct mc_set *set);
enum mc_hit mc_level_of(const struct mc_hierarchy *h, const struct mc_set *set, u64 ps,
			bool ordered);

#endif /* MC_CORE_LEVEL_H */
