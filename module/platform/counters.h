/* SPDX-License-Identifier: GPL-2.0-only */
/* Perf counters of DRAM traffic: the set that either side has, and how each is read. */
#ifndef MC_COUNTERS_H
#define MC_COUNTERS_H

#include "core/record.h"

/**
 * struct mc_reading - where a counter stands
 * @value: its count
 * @enabled: for how long it has been open, ns
 * @running: for how long of that it was on its PMU, ns
 */
struct mc_reading {
	u64 value;
	u64 enabled;
	u64 running;
};

/* What either side has: a set, and how its counters are read. */
struct mc_counter *mc_counters_copy(unsigned int *n);
void *mc_counter_open(const struct mc_counter *c, int *why);
void mc_counter_read(void *event, struct mc_reading *now);
void mc_counter_close(void *event);

#endif /* MC_COUNTERS_H */
