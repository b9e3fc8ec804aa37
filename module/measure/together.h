/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that follow pointers, or load memory, all at once: how they take samples. */
#ifndef MC_TOGETHER_H
#define MC_TOGETHER_H

#include "measure/chase.h"
#include "measure/load.h"
#include "measure/test.h"

/**
 * struct mc_together_thread - one of the threads
 * @load: what it does, and where; its @mix is NULL: it follows pointers
 * @walk: how far it has come in that. Its address stays, since the load may store it
 * @at: the next pointer
 * @loads: number of pointers that it follows in a timed window
 * @chase: the pointers
 * @group: the group of the request that it belongs to, counted from 0
 * @pass: bytes of a pass: its slice, if the test says nothing else
 * @now: events of its core in the current sample
 * @events: the same in a pass, times the number of samples that were kept
 * @bytes: bytes that it has moved in these samples
 * @ticks: time that it took for them
 */
struct mc_together_thread {
	struct mc_load load;
	struct mc_walk walk;
	void **at;
	u64 loads;
	struct mc_chase chase;
	unsigned int group;
	u64 pass;
	struct mc_events_tally now;
	struct mc_events_tally events;
	u64 bytes;
	u64 ticks;
};

/**
 * struct mc_together - threads that work at once
 * @n: number of threads
 * @each: array of @n threads
 * @leader: index of the thread that ends samples
 * @least_bytes: bytes that it moves in a sample, at least
 * @least_ticks: duration of a sample, at least
 * @begun: number of threads that are at work on the current sample
 * @moved: number of them that have moved something in it
 * @over: number of samples that the leader has ended
 */
struct mc_together {
	unsigned int n;
	struct mc_together_thread *each;
	unsigned int leader;
	u64 least_bytes;
	u64 least_ticks;
	atomic_t begun;
	atomic_t moved;
	u32 over;
};

/* Does the thread follow pointers? */
static inline bool mc_together_chases(const struct mc_together_thread *thread)
{
	return !thread->load.mix;
}

int mc_together_begin(struct mc_together *t, struct mc_run *run, struct mc_measurement *meas);
int mc_together_set(struct mc_measurement *meas, unsigned int thread, const struct mc_load *load,
		    struct mc_error *e);
int mc_together_measure(struct mc_worker *w, struct mc_measurement *meas);

#endif /* MC_TOGETHER_H */
