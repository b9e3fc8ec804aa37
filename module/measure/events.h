/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of the threads' cores, counted around each timed window. */
#ifndef MC_EVENTS_H
#define MC_EVENTS_H

#include "core/record.h"
#include "platform/counters.h"

struct mc_events;
struct mc_run;

/**
 * struct mc_events_tally - events of a thread, counted in some windows
 * @why: why some event was not counted
 * @missing: bit for each event that the thread does not count
 * @sum: each event's count, and the time for which it was open and on its PMU
 */
struct mc_events_tally {
	enum mc_events_why why;
	u32 missing;
	struct mc_reading sum[MC_NEVENTS];
};

/**
 * struct mc_events_total - events of several threads, each scaled up by itself
 * @why: why some event was not counted
 * @missing: bit for each event that some thread does not count, so that there is no sum
 * @idle: bit for each event that was never on its PMU while some thread worked
 * @timed: bit for each event of which it is known for how long it was open
 * @value: each event's count, of all threads
 * @off_ppm: the largest share of a thread's time for which each event was not on its PMU
 */
struct mc_events_total {
	enum mc_events_why why;
	u32 missing;
	u32 idle;
	u32 timed;
	u64 value[MC_NEVENTS];
	u32 off_ppm[MC_NEVENTS];
};

int mc_events_begin(struct mc_run *run);
void mc_events_end(struct mc_run *run);

void mc_events_start(struct mc_events *events);
void mc_events_stop(struct mc_events *events);
bool mc_events_peek(const struct mc_events *events, u32 which, u64 *count);

void mc_events_clear(struct mc_events *events);
void mc_events_take(const struct mc_events *events, struct mc_events_tally *tally);
void mc_events_add(struct mc_events_tally *sum, const struct mc_events_tally *one,
		   u64 pass, u64 done);
void mc_events_join(struct mc_events_total *all, const struct mc_events_tally *one);
void mc_events_record(const struct mc_events_total *all, u64 passes, struct mc_events_counted *rec);

#endif /* MC_EVENTS_H */
