// SPDX-License-Identifier: GPL-2.0-only
/*
 * The level that holds a working set follows from the cache sizes that the CPU reports. Lines far
 * apart share few sets of a cache, which then holds fewer of them. How few is not always known: the
 * bits of an address above those of a page may be others in memory, and an L3 mixes them.
 *
 * Where loads wait for each other, their time must fit the level, too: a hypervisor reports an L3
 * of which a guest gets only a share. With many accesses in flight it tells nothing: a byte from
 * memory then takes no longer than a single access to a cache.
 */
#include "core/level.h"
#include "core/view.h"
#include "core/math.h"

#define PAGE_BYTES	4096ULL
/*
 * In the time of an L1 hit, an L2 takes 3 to 6 on CPUs of the last ten years, and an L3 8 (small
 * client CPUs) to 50. So one of more than the first and less than the second may be either.
 */
#define L3_LEAST	6
#define L2_MOST		12

const struct mc_name mc_hit_names[] = {
	{ "l1", MC_HIT_L1 }, { "l2", MC_HIT_L2 }, { "l3", MC_HIT_L3 },
	{ "l4", MC_HIT_L4 }, { "memory", MC_HIT_MEMORY }, { "between", MC_HIT_BETWEEN }, { }
};

/* Do times tell a hit from a miss? They take about the same time in an emulator. */
static bool is_timed(const struct mc_hierarchy *h)
{
	return h->hit_ps && h->miss_ps >= 4 * h->hit_ps;
}

/* A CPU that reports no cache at all has one nevertheless. */
static bool has_caches(const struct mc_hierarchy *h)
{
	return h->bytes[0] || h->bytes[1] || h->bytes[2] || h->bytes[3];
}

/* Bytes of lines that a cache surely holds; at most: that it holds if addresses are lucky. */
static u64 room_of(const struct mc_hierarchy *h, const struct mc_set *set, unsigned int i,
		   bool at_most)
{
	u64 room = set->sharers[i] ? h->bytes[i] / set->sharers[i] : 0, way = h->way[i], apart;

	if (set->stride <= MC_LINE || (at_most && (!way || i >= MC_HIT_L3)))
		return room;
	if (!way)
		return 0;
	if (at_most && way > PAGE_BYTES)
		way = PAGE_BYTES;
	apart = mc_gcd(set->stride, way) / MC_LINE;
	return apart ? room / apart : room;
}

/* Memory, or between, of a set that no cache has room for. */
static enum mc_hit memory_or_between(const struct mc_hierarchy *h, const struct mc_set *set)
{
	unsigned int i = MC_CACHES - 1;
	u64 last;

	while (i && !h->bytes[i])
		i--;
	last = set->last ? set->last : room_of(h, set, i, false);
	if (last < set->unlisted)
		last = set->unlisted;
	return set->bytes < MC_BEYOND * last ? MC_HIT_BETWEEN : MC_HIT_MEMORY;
}

/* Can loads of @ps be of the level? @ordered: prefetchers make some of them faster. */
static bool fits(const struct mc_hierarchy *h, unsigned int i, u64 ps, bool ordered)
{
	bool is_miss = ps >= h->miss_ps / 3 * 2;

	switch (i) {
	case MC_HIT_L1:
		return ps <= 2 * h->hit_ps;
	case MC_HIT_L2:
		return ps < L2_MOST * h->hit_ps && !is_miss;
	case MC_HIT_MEMORY:
		return is_miss || (has_caches(h) && (ordered || 3 * ps >= h->miss_ps));
	default:
		return !is_miss && (ordered || ps > L3_LEAST * h->hit_ps);
	}
}

/* The only level that may hold the set, and that loads of @ps fit; 0: there are no such loads. */
static enum mc_hit only_level(const struct mc_hierarchy *h, const struct mc_set *set, u64 ps,
			      bool ordered)
{
	enum mc_hit found = MC_HIT_UNKNOWN;
	unsigned int i;

	for (i = MC_HIT_L1; i <= MC_HIT_MEMORY; i++) {
		if (i < MC_CACHES && (!h->bytes[i] || set->bytes > room_of(h, set, i, true)))
			continue;
		if (ps ? fits(h, i, ps, ordered) : i < MC_CACHES || has_caches(h)) {
			if (found != MC_HIT_UNKNOWN)
				return MC_HIT_UNKNOWN;
			found = i == MC_HIT_MEMORY ? memory_or_between(h, set) : i;
		}
		if (i < MC_CACHES && set->bytes <= room_of(h, set, i, false))
			break;
	}
	return found;
}

/**
 * mc_holder_of() - the smallest cache that holds a working set
 * @h: the caches of the thread's CPU
 * @set: the working set
 *
 * Return: the level; if no cache has room for it and for the working sets of the threads that share
 * the cache, MC_HIT_MEMORY or, below MC_BEYOND times the last caches, MC_HIT_BETWEEN;
 * MC_HIT_UNKNOWN if more than one may be the smallest, if the CPU reports no caches, or if hits and
 * misses take about the same time, as in an emulator.
 */
enum mc_hit mc_holder_of(const struct mc_hierarchy *h, const struct mc_set *set)
{
	return is_timed(h) ? only_level(h, set, 0, false) : MC_HIT_UNKNOWN;
}

/**
 * mc_level_of() - the level that loads hit
 * @h: the caches
 * @set: the lines that were loaded in turn
 * @ps: time of a load that waits for the one before it, not 0
 * @ordered: the loads have an order that prefetchers follow
 *
 * Return: the smallest level that holds the lines, if the time fits it, and memory for loads as
 * slow as a miss; MC_HIT_UNKNOWN where sizes and time tell no level, or not the same.
 */
enum mc_hit mc_level_of(const struct mc_hierarchy *h, const struct mc_set *set, u64 ps,
			bool ordered)
{
	if (!is_timed(h))
		return MC_HIT_UNKNOWN;
	return ps >= h->miss_ps ? MC_HIT_MEMORY : only_level(h, set, ps, ordered);
}
