// SPDX-License-Identifier: GPL-2.0-only
/*
 * The level follows from the cache sizes that the CPU reports, unless the time
 * contradicts it: a hypervisor reports an L3 of which a guest gets only a share, and
 * elements far apart compete for a few sets.
 */
#include "core/level.h"

const struct mc_name mc_hit_names[] = {
	{ "l1", MC_HIT_L1 }, { "l2", MC_HIT_L2 }, { "l3", MC_HIT_L3 },
	{ "l4", MC_HIT_L4 }, { "memory", MC_HIT_MEMORY }, { }
};

/**
 * mc_level_timed() - do times tell a hit from a miss?
 * @h: the caches
 *
 * Return: false if the two take about the same time, as in an emulator.
 */
bool mc_level_timed(const struct mc_hierarchy *h)
{
	return h->hit_ps && h->miss_ps >= 4 * h->hit_ps;
}

/**
 * mc_level_beyond() - the level of what no cache holds, by the sizes that the CPU reports
 * @h: the caches
 *
 * Return: MC_HIT_MEMORY; MC_HIT_UNKNOWN if the CPU reports no cache at all, because every CPU
 * has one.
 */
enum mc_hit mc_level_beyond(const struct mc_hierarchy *h)
{
	unsigned int i;

	for (i = 0; i < MC_CACHES; i++) {
		if (h->bytes[i])
			return MC_HIT_MEMORY;
	}
	return MC_HIT_UNKNOWN;
}

/**
 * mc_level_of() - the level that loads hit
 * @h: the caches
 * @bytes: total size of the lines that were loaded in turn
 * @ps: time of a load
 *
 * This is the smallest cache that holds @bytes. However, a load that took more than
 * twice as long as a hit did not hit L1, and a load that took at least two thirds of a
 * miss went to memory.
 *
 * Return: the level; MC_HIT_UNKNOWN where neither sizes nor times tell it.
 */
enum mc_hit mc_level_of(const struct mc_hierarchy *h, u64 bytes, u64 ps)
{
	unsigned int i;

	if (!mc_level_timed(h))
		return MC_HIT_UNKNOWN;
	if (ps >= h->miss_ps / 3 * 2)
		return MC_HIT_MEMORY;
	for (i = ps > 2 * h->hit_ps ? 1 : 0; i < MC_CACHES; i++) {
		if (bytes <= h->bytes[i])
			return (enum mc_hit)(MC_HIT_L1 + i);
	}
	return mc_level_beyond(h);
}
