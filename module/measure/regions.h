/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that a run holds to measure it region by region: what both sides share. */
#ifndef MC_REGIONS_H
#define MC_REGIONS_H

#include "measure/area.h"

/*
 * So much of the memory stays free: an eighth. Whoever needs memory during a scan finds it
 * without reclaim.
 */
#define MC_REGIONS_KEEP	8

/**
 * struct mc_held - blocks that are held
 * @give_back: frees a block
 * @physical: blocks are known by their physical addresses
 * @blocks: array of blocks; those before @first have been given back
 * @n: number of blocks
 * @room: number of blocks for which @blocks has room
 * @first: index of the first block of the current region
 * @count: number of blocks of the current region; 0: there is none
 * @index: number of the current region
 * @spans: the spans of @view
 * @view: the current region as a buffer
 */
struct mc_held {
	void (*give_back)(const struct mc_block *block);
	bool physical;
	struct mc_block *blocks;
	u64 n;
	u64 room;
	u64 first;
	u64 count;
	u64 index;
	struct mc_span *spans;
	struct mc_view view;
};

int mc_held_add(struct mc_held *held, const struct mc_block *block);
int mc_held_find(struct mc_held *held, const struct mc_wanted *want, struct mc_area *area,
		 struct mc_error *e);
void mc_held_end(struct mc_held *held);

#endif /* MC_REGIONS_H */
