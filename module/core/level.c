// SPDX-License-Identifier: GPL-2.0-only
/*
 * A level is named from what the CPU says of its caches, unless the time
 * speaks against it: a hypervisor reports an L3 of which a guest gets a share,
 * and elements far apart compete for a few sets.
 */
#include "core/level.h"

const struct mc_name mc_hit_names[] = {
	{ "l1", MC_HIT_L1 }, { "l2", MC_HIT_L2 }, { "l3", MC_HIT_L3 },
	{ "memory", MC_HIT_MEMORY }, { }
};

/**
 * mc_level_of() - where loads were served from
 * @h: the caches
 * @bytes: lines that were loaded in turn, in bytes
 * @ps: what a load took
 *
 * The smallest cache that holds @bytes; but a load that took more than twice a
 * hit did not come from L1, and one that took two thirds of a miss, or more,
 * came from memory.
 *
 * Return: the level; MC_HIT_UNKNOWN where hit and miss take about as long, so
 * times say nothing, as in an emulator.
 */
enum mc_hit mc_level_of(const struct mc_hierarchy *h, u64 bytes, u64 ps)
{
	unsigned int i;

	if (!h->hit_ps || h->miss_ps < 4 * h->hit_ps)
		return MC_HIT_UNKNOWN;
	if (ps >= h->miss_ps / 3 * 2)
		return MC_HIT_MEMORY;
	for (i = ps > 2 * h->hit_ps ? 1 : 0; i < MC_CACHES; i++) {
		if (bytes <= h->bytes[i])
			return (enum mc_hit)(MC_HIT_L1 + i);
	}
	return MC_HIT_MEMORY;
}
