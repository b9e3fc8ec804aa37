// SPDX-License-Identifier: GPL-2.0-only
/*
 * Free memory, taken for a run that measures it region by region. It is taken from each
 * zone of each node, in the largest blocks that there are, until an eighth of the zone is
 * free, or its watermark is reached, which the kernel raises where memory is fragmented.
 * Nothing is reclaimed for it, and nobody else's page moves: an allocation that finds no
 * free block fails. Pages count as movable, so that they come from blocks of pages where
 * others are movable, too, and the kernel's own pages stay together elsewhere.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/pfn.h>
#include <linux/sizes.h>

#include "kernel/buffers.h"
#include "kernel/regions.h"
#include "measure/regions.h"
#include "measure/verdict.h"
#include "platform/os.h"
#include "platform/regions.h"

#define BLOCK_MOST	SZ_4M	/* on x86, the buddy allocator has no larger ones */
#define BLOCK_LEAST	SZ_64K	/* smaller ones would cost more calls of loops */
#define ZONE_LEAST	SZ_64M	/* the first 16 MiB are for devices that reach nothing else */

static void give_back(const struct mc_block *block)
{
	__free_pages(virt_to_page(block->addr), get_order(block->bytes));
}

static struct mc_held held = { .give_back = give_back };

/**
 * mc_memory_regions() - how many regions the machine's memory can have
 * @region: bytes of a region
 *
 * Return: the number, holes between memory included.
 */
u64 mc_memory_regions(u64 region)
{
	u64 n = 0;
	int node;

	/* A node may begin and end within a region. */
	for_each_online_node(node)
		n += ((u64)NODE_DATA(node)->node_spanned_pages << PAGE_SHIFT) / region + 2;
	return n;
}

/* Flags that allocate from this zone, or from those below it. */
static gfp_t flags_of(struct zone *zone)
{
	switch (zone_idx(zone)) {
#ifdef CONFIG_ZONE_DMA
	case ZONE_DMA:
		return __GFP_DMA;
#endif
#ifdef CONFIG_ZONE_DMA32
	case ZONE_DMA32:
		return __GFP_DMA32;
#endif
	case ZONE_MOVABLE:
		return __GFP_HIGHMEM;
	default:
		return 0;
	}
}

/* Return: a block of the zone, or NULL if it has none without reclaim. */
static struct page *alloc_in_zone(struct zone *zone, unsigned int order)
{
	gfp_t gfp = flags_of(zone) | __GFP_MOVABLE | __GFP_THISNODE | __GFP_NOWARN |
		    __GFP_NORETRY | __GFP_NOMEMALLOC | (order ? __GFP_COMP : 0);
	struct page *page = alloc_pages_node(zone_to_nid(zone), gfp, order);

	if (!page || page_zone(page) == zone)
		return page;
	__free_pages(page, order);
	return NULL;
}

static bool has_spare(struct zone *zone, u64 bytes)
{
	return zone_page_state(zone, NR_FREE_PAGES) >=
	       zone_managed_pages(zone) / MC_REGIONS_KEEP + (bytes >> PAGE_SHIFT);
}

static int hold(struct page *page, u64 bytes)
{
	struct mc_block block = {
		.at = PFN_PHYS(page_to_pfn(page)), .addr = page_address(page),
		.bytes = bytes, .node = page_to_nid(page),
		.zone = mc_zone_named(page_zone(page)->name),
	};
	int err = mc_held_add(&held, &block);

	if (err)
		give_back(&block);
	return err;
}

/*
 * Take blocks of a zone until it has none, or *@left is used up. Blocks lie at multiples of
 * their size, so none is in two regions. Return: 0, or the errno of the stop.
 */
static int take_zone(struct mc_run *run, struct zone *zone, u64 region, u64 *left)
{
	u64 bytes = min_t(u64, BLOCK_MOST, region);
	int err = 0;

	while (!err && bytes >= max_t(u64, BLOCK_LEAST, PAGE_SIZE)) {
		struct page *page = NULL;

		if (bytes <= *left && has_spare(zone, bytes))
			page = alloc_in_zone(zone, get_order(bytes));
		if (!page || hold(page, bytes)) {
			bytes /= 2;
			continue;
		}
		*left -= bytes;
		err = mc_threads_look(run->threads);
		cond_resched();
	}
	return err;
}

static int take_node(struct mc_run *run, int node, u64 region, u64 *left)
{
	pg_data_t *data = NODE_DATA(node);
	unsigned int i;
	int err = 0;

	for (i = 0; i < MAX_NR_ZONES && !err; i++) {
		struct zone *zone = &data->node_zones[i];

		if (zone_managed_pages(zone) >= ZONE_LEAST >> PAGE_SHIFT &&
		    (i <= ZONE_NORMAL || i == ZONE_MOVABLE))
			err = take_zone(run, zone, region, left);
	}
	return err;
}

static int take_all(struct mc_run *run, const struct mc_wanted *want)
{
	u64 left = want->bytes;
	int node, err = 0;

	held.physical = true;
	for_each_node_state(node, N_MEMORY) {
		if (!err && (want->wish.node < 0 || want->wish.node == node))
			err = take_node(run, node, want->region, &left);
	}
	if (!err && !held.n)
		err = mc_fail(&run->error, -ENOMEM,
			      "region: no memory is free beyond the eighth that scan leaves");
	return err;
}

/**
 * mc_regions_find() - a region of free memory
 * @run: the run
 * @want: which region; with the first one, memory is taken
 * @area: result, valid until the next call or mc_regions_drop(); without a view if there are
 *        no more regions
 *
 * Context: Process, may sleep; only the run calls this.
 * Return: 0, -ENOMEM or the errno of the stop, explained in @run->error.
 */
int mc_regions_find(struct mc_run *run, const struct mc_wanted *want, struct mc_area *area)
{
	u64 levels[MC_NLEVELS] = { 0 };
	struct mc_verdict verdict;
	unsigned int i;
	int err = 0;

	if (!want->index) {
		mc_regions_drop();
		err = take_all(run, want);
	}
	err = err ? err : mc_held_find(&held, want, area, &run->error);
	if (err || !area->view)
		return err;
	for (i = 0; i < area->view->n; i++)
		area->attribute = mc_attr_walk(area->view->spans[i].addr,
					       area->view->spans[i].bytes,
					       area->attribute, levels);
	area->page = MC_PAGE_DIRECT;
	area->page_bytes = mc_level_most(levels);
	mc_verdict_of(&verdict, MC_WB, area->view->spans->addr, 64);
	area->effective = verdict.effect;
	return 0;
}

/**
 * mc_regions_drop() - give all memory back that was taken
 *
 * Context: Process, may sleep; only the run calls this.
 */
void mc_regions_drop(void)
{
	mc_held_end(&held);
}
