/* SPDX-License-Identifier: GPL-2.0-only */
/* The cache that holds a working set. */
#ifndef MC_CORE_HOLDS_H
#define MC_CORE_HOLDS_H

#include "core/level.h"

/**
 * struct mc_set - a thread's working set
 * @bytes: its size
 * @sharers: for each level, the number of threads with such a working set that share the
 *           thread's cache, this thread included; 0 if there is no such cache
 */
struct mc_set {
	u64 bytes;
	u32 sharers[MC_CACHES];
};

enum mc_hit mc_holder_of(const struct mc_hierarchy *h, const struct mc_set *set);

#endif /* MC_CORE_HOLDS_H */
