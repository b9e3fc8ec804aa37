/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of the threads' cores, counted around each timed window. */
#ifndef MC_EVENTS_H
#define MC_EVENTS_H

#include "core/record.h"
#include "platform/counters.h"

struct mc_events;
struct mc_run;

/**
 * struct mc_events_tally - events counted in some windows
 * @why: why some event was not counted
 * @missing: bit for each event that some thread does not count, so that there is no sum
 * @sum: each event's count, and the time for which it was open and on its PMU
 */
struct mc_events_tally {
	enum mc_events_why why;
	u32 missing;
	struct mc_reading sum[MC_NEVENTS];
};

int mc_events_begin(struct mc_run *run);
void mc_events_end(struct mc_run *run);

void mc_events_start(struct mc_events *events);
void mc_events_stop(struct mc_events *events);

void mc_events_clear(struct mc_events *events);
void mc_events_take(const struct mc_events *events, struct mc_events_tally *tally);
void mc_events_add(struct mc_events_tally *sum, const struct mc_events_tally *one,
		   u64 pass, u64 done);
void mc_events_record(const struct mc_events_tally *tally, u64 passes,
		      struct mc_events_counted *rec);

#endif /* MC_EVENTS_H */
