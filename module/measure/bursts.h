/* SPDX-License-Identifier: GPL-2.0-only */
/* How many bursts of write-combining memory leave the CPU whole. */
#ifndef MC_BURSTS_H
#define MC_BURSTS_H

#include "arch/mmio.h"
#include "core/share.h"
#include "core/view.h"

/*
 * Kinds of stores that are timed one by one; the last two are examples of known transactions. Many
 * at a time are those of enum mc_line_kind.
 */
enum mc_burst_kind { MC_BURST, MC_ONE_TRANSACTION, MC_TWO_TRANSACTIONS, MC_BURST_KINDS };

/**
 * struct mc_bursts - bursts that are timed, in turn with examples of known transactions
 * @view: the memory
 * @bytes: how much of it, whole lines
 * @at: offset of the next line
 * @loops: loops of the width of a store
 * @value: what is stored: all of its bytes are equal
 * @way: way to store a line; without a copy: by stores of @loops
 * @cached: a line that is no part of the memory
 * @source: the line that @way copies
 * @vectors: registers of vectors may be used
 * @by_rate: many bursts are timed at a time, since single ones told nothing
 * @room: bursts that there is memory for
 * @times: their times, of each kind
 * @share: what they say
 */
struct mc_bursts {
	const struct mc_view *view;
	u64 bytes;
	u64 at;
	const struct mc_mmio_loop *loops;
	u64 value;
	struct mc_mmio_copy way;
	void *cached;
	void *source;
	bool vectors;
	bool by_rate;
	size_t room;
	struct mc_times times[MC_LINE_KINDS];
	struct mc_share share;
};

/* Words of memory for the times of so many bursts, and for two lines. */
#define MC_BURSTS_WORDS(room)	(MC_LINE_KINDS * (room) + 3 * MC_LINE / sizeof(u64))

void mc_bursts_begin(struct mc_bursts *b, u64 *memory, size_t room);
void mc_bursts_time(struct mc_bursts *b);
bool mc_bursts_done(struct mc_bursts *b);

#endif /* MC_BURSTS_H */
