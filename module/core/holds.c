// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cache that holds a working set, from the sizes that the CPU reports. Times do not
 * help here: with many accesses in flight, a byte from memory takes no longer than a
 * single access to a cache.
 */
#include "core/holds.h"

/**
 * mc_holder_of() - the smallest cache that holds a working set
 * @h: the caches of the thread's CPU
 * @set: the working set
 *
 * Return: the level; MC_HIT_MEMORY if no cache has room for it and for the working sets
 * of the threads that share the cache; MC_HIT_UNKNOWN if the CPU reports no caches, or if
 * hits and misses take about the same time, as in an emulator.
 */
enum mc_hit mc_holder_of(const struct mc_hierarchy *h, const struct mc_set *set)
{
	unsigned int i;

	if (!mc_level_timed(h))
		return MC_HIT_UNKNOWN;
	for (i = 0; i < MC_CACHES; i++) {
		if (set->sharers[i] && set->bytes <= h->bytes[i] / set->sharers[i])
			return (enum mc_hit)(MC_HIT_L1 + i);
	}
	return mc_level_beyond(h);
}
