/* SPDX-License-Identifier: GPL-2.0-only */
/* op=arrive of mmio: when does another CPU see a store? */
#ifndef MC_ARRIVE_H
#define MC_ARRIVE_H

#include "arch/mmio.h"
#include "measure/measurement.h"

#define MC_ARRIVE_STORES	32U	/* of a sample, and as many with a flag behind them */

/* A word that one CPU writes and the other one waits for, in a line of its own. */
struct mc_arrive_word {
	u32 turn;
	u32 rest[31];
};

/**
 * struct mc_arrive_counts - what happened to stores
 * @stores: stores that the other CPU has polled for
 * @late: of them, those that had to be driven out
 * @lost: of them, those that it has never seen
 * @flags: stores with a flag behind them
 * @overtakes: of them, those that the other CPU did not see when it saw the flag
 * @looks: how often it has polled
 * @polled: ticks for which it has polled
 */
struct mc_arrive_counts {
	u64 stores;
	u64 late;
	u64 lost;
	u64 flags;
	u64 overtakes;
	u64 looks;
	u64 polled;
};

/**
 * struct mc_arrive - a point, on a pair of CPUs
 * @run: loops of the width (enum mc_mmio_op)
 * @at: where the stores go
 * @mask: what a load of the width shows
 * @fence: fence behind each store (MC_FENCE_*)
 * @storer: index of the thread that stores
 * @irq_off: interrupts are off in windows
 * @base: what the memory had, so that the first store differs from it
 * @window: number of the current window, as each of the two counts
 * @given_up: number of a window in which nobody waits any more, since one of them was away
 * @grown: how often the time that a window may last has doubled, as each of the two counts
 * @turn: number of the current store, as each of the two counts
 * @ready: the other CPU waits for this store
 * @flag: what is set behind a store
 * @seen: the other CPU has finished with this store
 * @over: nobody waits for this store any more
 * @seen_at: ticks at which it was seen
 * @disturbed: what has disturbed the other CPU's window
 * @sample: counts of the current sample
 * @all: counts of the samples that are kept
 */
struct mc_arrive {
	const mc_mmio_run *run;
	void *at;
	u64 mask;
	u64 fence;
	unsigned int storer;
	bool irq_off;
	u64 base;
	u32 window[2];
	u32 given_up;
	u32 grown[2];
	u32 turn[2];
	struct mc_arrive_word ready, flag, seen, over;
	u64 seen_at;
	u8 disturbed;
	struct mc_arrive_counts sample, all;
};

void mc_arrive_set_up(struct mc_arrive *a, struct mc_measurement *meas);
int mc_arrive_job(struct mc_worker *w, struct mc_arrive *a, struct mc_measurement *meas);

#endif /* MC_ARRIVE_H */
