// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which cache holds a working set, from what the CPU says of its caches. The time
 * tells nothing here: with many accesses at once a byte from memory takes no longer
 * than a single one from a cache.
 */
#include "holds.h"

/* L3 caches that so many CPUs come to, when @sharers of them share one. */
static u64 caches_of(u64 cpus, u64 sharers)
{
	return (cpus + sharers - 1) / sharers;
}

/**
 * mc_holder_of() - the smallest cache that holds a working set
 * @h: the caches
 * @set: the working set
 *
 * Each CPU has its own L1 and L2. Threads may share an L3, or have several among
 * them; who shares one with whom is not known, only how many can.
 *
 * Context: Any.
 * Return: the level; MC_HIT_MEMORY where all L3 caches that the threads can have
 * together do not hold it; MC_HIT_UNKNOWN where that depends on which CPUs they are
 * on, or hit and miss take about as long, as in an emulator.
 */
enum mc_hit mc_holder_of(const struct mc_hierarchy *h, const struct mc_set *set)
{
	u64 l3 = h->bytes[MC_CACHES - 1], sharers = set->sharers, most;
	unsigned int i;

	if (!h->hit_ps || h->miss_ps < 4 * h->hit_ps)
		return MC_HIT_UNKNOWN;
	for (i = 0; i < MC_CACHES - 1; i++) {
		if (set->bytes <= h->bytes[i])
			return (enum mc_hit)(MC_HIT_L1 + i);
	}
	if (set->common)
		return set->bytes <= l3 ? MC_HIT_L3 : MC_HIT_MEMORY;
	if (!sharers)
		sharers = set->cpus;
	if (sharers > set->threads)
		sharers = set->threads;
	if (set->bytes <= l3 / sharers)
		return MC_HIT_L3;
	most = caches_of(set->cpus, set->sharers ? set->sharers : set->cpus);
	if (most > set->threads)
		most = set->threads;
	/* Rounded down, so that it does not overflow: never more than it is. */
	return set->bytes / most > l3 / set->threads ? MC_HIT_MEMORY : MC_HIT_UNKNOWN;
}
