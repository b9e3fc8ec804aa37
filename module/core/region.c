// SPDX-License-Identifier: GPL-2.0-only
/* Regions of the machine's memory, and the blocks of them that a run holds. */
#include "core/record.h"
#include "core/region.h"

static void swap_blocks(struct mc_block *a, struct mc_block *b)
{
	struct mc_block both = *a;

	*a = *b;
	*b = both;
}

static int by_address(const void *a, const void *b)
{
	const struct mc_block *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/**
 * mc_region_first() - find the blocks of the first region
 * @blocks: array of blocks; those of the region become its first ones, in ascending order
 * @n: number of blocks
 * @region: bytes of a region
 *
 * Each call looks at all blocks that are left, which takes far less time than it takes to
 * measure one region.
 *
 * Return: number of blocks in the region, 0 if there are no blocks.
 */
u64 mc_region_first(struct mc_block *blocks, u64 n, u64 region)
{
	u64 i, first = ~0ULL, count = 0;

	for (i = 0; i < n; i++) {
		u64 own = blocks[i].at / region;

		if (own < first) {
			first = own;
			count = 0;
		}
		if (own == first)
			swap_blocks(&blocks[i], &blocks[count++]);
	}
	mc_sort(blocks, count, sizeof(*blocks), by_address);
	return count;
}

/**
 * mc_region_spans() - describe blocks as a buffer
 * @blocks: the blocks
 * @n: number of blocks
 * @spans: result: room for @n spans. Blocks whose addresses follow each other are one
 *
 * Return: number of spans.
 */
unsigned int mc_region_spans(const struct mc_block *blocks, u64 n, struct mc_span *spans)
{
	struct mc_span *s = NULL;
	unsigned int count = 0;
	u64 i, start = 0;

	for (i = 0; i < n; i++) {
		if (s && (u8 *)s->addr + s->bytes == blocks[i].addr) {
			s->bytes += blocks[i].bytes;
		} else {
			s = &spans[count++];
			*s = (struct mc_span){ blocks[i].addr, start, blocks[i].bytes };
		}
		start += blocks[i].bytes;
	}
	return count;
}

/**
 * mc_region_node() - the node of blocks
 * @blocks: the blocks
 * @n: number of blocks, not 0
 *
 * Return: the node, MC_NODE_MIXED if there are several, MC_NODE_NA if one is not known.
 */
int mc_region_node(const struct mc_block *blocks, u64 n)
{
	int node = blocks->node;
	u64 i;

	for (i = 0; i < n; i++) {
		if (blocks[i].node < 0)
			return MC_NODE_NA;
		if (blocks[i].node != node)
			node = MC_NODE_MIXED;
	}
	return node;
}

/**
 * mc_region_zone() - the kernel's zone of blocks
 * @blocks: the blocks
 * @n: number of blocks, not 0
 *
 * Return: the zone (enum mc_zone), MC_ZONE_MIXED if there are several.
 */
u8 mc_region_zone(const struct mc_block *blocks, u64 n)
{
	u64 i;

	for (i = 1; i < n; i++) {
		if (blocks[i].zone != blocks->zone)
			return MC_ZONE_MIXED;
	}
	return blocks->zone;
}
