/* SPDX-License-Identifier: GPL-2.0-only */
/* The level of the memory hierarchy to which a latency belongs. */
#ifndef MC_CORE_LEVEL_H
#define MC_CORE_LEVEL_H

#include "core/keys.h"

#define MC_CACHES	4	/* levels of cache */

enum mc_hit {
	MC_HIT_L1, MC_HIT_L2, MC_HIT_L3, MC_HIT_L4, MC_HIT_MEMORY, MC_HIT_UNKNOWN
};

/**
 * struct mc_hierarchy - sizes and times of a CPU's caches
 * @bytes: size of each level, as the CPU reports it; 0: no such cache
 * @hit_ps: measured time of a load that hits L1
 * @miss_ps: measured time of a load that misses all caches
 */
struct mc_hierarchy {
	u64 bytes[MC_CACHES];
	u64 hit_ps;
	u64 miss_ps;
};

extern const struct mc_name mc_hit_names[];

bool mc_level_timed(const struct mc_hierarchy *h);
enum mc_hit mc_level_beyond(const struct mc_hierarchy *h);
enum mc_hit mc_level_of(const struct mc_hierarchy *h, u64 bytes, u64 ps);

#endif /* MC_CORE_LEVEL_H */
