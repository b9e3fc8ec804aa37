/* SPDX-License-Identifier: GPL-2.0-only */
/* DRAM traffic, counted around each sample. */
#ifndef MC_TRAFFIC_H
#define MC_TRAFFIC_H

#include "core/record.h"
#include "platform/counters.h"

/**
 * struct mc_tally - DRAM traffic between a start and a stop
 * @counted: bit for each kind of traffic whose counters all ran
 * @bytes: bytes of each kind, scaled up where counters took turns
 * @ps: time between start and stop
 */
struct mc_tally {
	u32 counted;
	u64 bytes[MC_NTRAFFIC];
	u64 ps;
};

/*
 * An open counter, its reading at the start, and the length of the samples for which
 * its clock has stood still.
 */
struct mc_open_counter {
	void *event;
	enum mc_traffic traffic;
	u64 scale;
	struct mc_reading from;
	u64 stalled_ps;
};

/**
 * struct mc_traffic_count - the counters of a run
 * @began: ticks at the last start
 * @why: why something was not counted
 * @idle: traffic of the idle machine, before the run
 * @n: number of open counters
 * @each: array of @n counters
 */
struct mc_traffic_count {
	u64 began;
	enum mc_dram_why why;
	struct mc_tally idle;
	unsigned int n;
	struct mc_open_counter each[MC_MAX_COUNTERS];
};

int mc_counters_try(const struct mc_counter *set, unsigned int n, struct mc_error *e);
struct mc_traffic_count *mc_traffic_begin(struct mc_error *e);
void mc_traffic_start(struct mc_traffic_count *c);
void mc_traffic_stop(struct mc_traffic_count *c, struct mc_tally *tally);
void mc_traffic_end(struct mc_traffic_count *c);

#endif /* MC_TRAFFIC_H */
