/* SPDX-License-Identifier: GPL-2.0-only */
/* Which cache holds a working set. */
#ifndef MC_CORE_HOLDS_H
#define MC_CORE_HOLDS_H

#include "core/level.h"

/**
 * struct mc_set - what a thread goes through again and again
 * @bytes: of it
 * @sharers: threads, this one included, each of which goes through as much in the
 *           same cache, for each level; 0 where there is no such cache
 */
struct mc_set {
	u64 bytes;
	u32 sharers[MC_CACHES];
};

enum mc_hit mc_holder_of(const struct mc_hierarchy *h, const struct mc_set *set);

#endif /* MC_CORE_HOLDS_H */
