/* SPDX-License-Identifier: GPL-2.0-only */
/* Perf counters: the set that a side has, and how to read a counter. */
#ifndef MC_COUNTERS_H
#define MC_COUNTERS_H

#include "core/record.h"

/**
 * struct mc_reading - reading of a counter
 * @value: its count
 * @enabled: time since it was opened, ns
 * @running: part of @enabled for which it was on its PMU, ns
 */
struct mc_reading {
	u64 value;
	u64 enabled;
	u64 running;
};

/* Is one of them an event of cores? Without @core: is one of them of DRAM traffic? */
static inline bool mc_counters_any(const struct mc_counter *set, unsigned int n, bool core)
{
	while (n && set[n - 1].core != core)
		n--;
	return n;
}

struct mc_counter *mc_counters_copy(unsigned int *n);
void *mc_counter_open(const struct mc_counter *c, int *why);
void *mc_event_open(const struct mc_counter *c, int *why);
void mc_counter_read(void *event, struct mc_reading *now);
bool mc_counter_peek(void *event, u64 *value);
void mc_counter_close(void *event);

#endif /* MC_COUNTERS_H */
