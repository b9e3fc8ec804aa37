// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that a run holds to measure it region by region. Nobody can ask for memory at a
 * chosen place, so all memory that is to be measured is taken first. Then regions follow
 * in order of their addresses, and each is given back when the next one is wanted.
 */
#include "measure/regions.h"
#include "platform/os.h"

#define ROOM_AT_FIRST	1024

/**
 * mc_held_add() - hold one more block
 * @held: the blocks
 * @block: the block; after an error it still belongs to the caller
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int mc_held_add(struct mc_held *held, const struct mc_block *block)
{
	u64 room = held->room ? 2 * held->room : ROOM_AT_FIRST;
	struct mc_block *more;

	if (held->n == held->room) {
		more = mc_alloc_array(room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		if (held->n)
			memcpy(more, held->blocks, held->n * sizeof(*more));
		mc_free(held->blocks);
		held->blocks = more;
		held->room = room;
	}
	held->blocks[held->n++] = *block;
	return 0;
}

/* Give the current region back. */
static void end_region(struct mc_held *held)
{
	u64 i;

	for (i = 0; i < held->count; i++) {
		held->give_back(&held->blocks[held->first + i]);
		mc_breathe();
	}
	held->first += held->count;
	held->count = 0;
	mc_free(held->spans);
	held->spans = NULL;
}

static int begin_region(struct mc_held *held, u64 region, struct mc_error *e)
{
	struct mc_block *mine = held->blocks + held->first;
	u64 count = mc_region_first(mine, held->n - held->first, region);

	if (!count)
		return 0;
	held->spans = mc_alloc_array(count, sizeof(*held->spans));
	if (!held->spans)
		return mc_fail(e, -ENOMEM, "region: no memory for the list of %llu blocks", count);
	held->count = count;
	held->view = (struct mc_view){ held->spans, mc_region_spans(mine, count, held->spans) };
	return 0;
}

/**
 * mc_held_find() - find a region
 * @held: all blocks; those of the last region are given back if the next one is wanted
 * @want: which region; the first one, the same as last time, or the next one
 * @area: result: its view, region, node and zone; its view is NULL if there are no more
 * @e: result: what is wrong
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int mc_held_find(struct mc_held *held, const struct mc_wanted *want, struct mc_area *area,
		 struct mc_error *e)
{
	const struct mc_block *mine;
	const struct mc_span *last;
	int err = 0;

	if (want->index != held->index)
		end_region(held);
	held->index = want->index;
	if (!held->count)
		err = begin_region(held, want->region, e);
	*area = (struct mc_area){ .memory_node = MC_NODE_NA };
	if (!held->count)
		return err;
	mine = held->blocks + held->first;
	last = &held->view.spans[held->view.n - 1];
	area->view = &held->view;
	area->region.at = mine->at / want->region * want->region;
	area->region.bytes = last->start + last->bytes;
	area->region.physical = held->physical;
	area->memory_node = mc_region_node(mine, held->count);
	area->memory_zone = mc_region_zone(mine, held->count);
	return 0;
}

/**
 * mc_held_end() - give everything back
 * @held: the blocks; from now on there are none
 *
 * Context: Process, may sleep.
 */
void mc_held_end(struct mc_held *held)
{
	end_region(held);
	held->count = held->n - held->first;
	end_region(held);
	mc_free(held->blocks);
	*held = (struct mc_held){ .give_back = held->give_back };
}
