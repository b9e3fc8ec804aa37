/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that follow pointers, or load memory, all at once. */
#ifndef MC_TOGETHER_H
#define MC_TOGETHER_H

#include "measure/chase.h"
#include "measure/load.h"
#include "measure/test.h"

/**
 * struct mc_work_tally - what a thread has done in a sample
 * @bytes: bytes moved; a pointer that is followed is a line
 * @ticks: duration of its windows
 * @inside: ticks for which it is known to have worked: windows in which it kept its CPU, with
 *          short gaps between them
 * @from: ticks at the end of its last window before the sample
 * @to: ticks at the end of its last window in the sample
 * @seen: what disturbed its windows (enum mc_disturbance)
 * @clock_bad: a window ended before it began
 * @events: events of its core
 */
struct mc_work_tally {
	u64 bytes;
	u64 ticks;
	u64 inside;
	u64 from;
	u64 to;
	u8 seen;
	bool clock_bad;
	struct mc_events_tally events;
};

/**
 * struct mc_together_thread - one of the threads
 * @chases: it follows pointers
 * @chase: these pointers
 * @loads: the most pointers that it follows in a window
 * @load: what it does otherwise
 * @reached: one more than the number of the sample in which it has moved something
 * @done: what it has done in the last two samples, each at its number modulo 2
 */
struct mc_together_thread {
	bool chases;
	struct mc_chase chase;
	u64 loads;
	struct mc_load load;
	u32 reached;
	struct mc_work_tally done[2];
};

/**
 * struct mc_together - threads that work at once
 * @meas: the measurement
 * @n: number of threads
 * @each: array of @n threads
 * @leader: index of the thread that ends samples
 * @least_bytes: bytes that it moves in a sample, at least
 * @least_ticks: duration of a sample, at least
 * @now: number of the current sample; MC_TOGETHER_OVER: it is the end
 * @ended: called by the leader once all threads have done their part of a sample, and are at work
 *         on the next one. Return: true if that one is the last. Samples begin with number 1
 * @arg: for the test's own use
 */
struct mc_together {
	struct mc_measurement *meas;
	unsigned int n;
	struct mc_together_thread *each;
	unsigned int leader;
	u64 least_bytes;
	u64 least_ticks;
	u32 now;
	bool (*ended)(struct mc_together *t, u32 sample);
	void *arg;
};

#define MC_TOGETHER_OVER	(~0U)

int mc_together_begin(struct mc_together *t, struct mc_run *run, struct mc_measurement *meas);
int mc_together_work(struct mc_worker *w, struct mc_together *t, struct mc_walk *walk);
const struct mc_work_tally *mc_together_done(const struct mc_together *t,
					     unsigned int thread, u32 sample);
void mc_together_end(struct mc_together *t);

#endif /* MC_TOGETHER_H */
