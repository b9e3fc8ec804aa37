/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Perf counters of DRAM traffic, read around each sample. counting.c is for both
 * sides; counters.c has the kernel's set.
 */
#ifndef MC_COUNTERS_H
#define MC_COUNTERS_H

#include "core/record.h"

struct mc_counting;

/**
 * struct mc_tally - what was counted between a start and a stop
 * @counted: bit for each kind of traffic of which every counter counted
 * @bytes: of each kind, scaled up where counters took turns
 * @ps: how long that was
 */
struct mc_tally {
	u32 counted;
	u64 bytes[MC_NTRAFFIC];
	u64 ps;
};

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

struct mc_counting *mc_counting_begin(struct mc_error *e);
void mc_counting_start(struct mc_counting *c);
void mc_counting_stop(struct mc_counting *c, struct mc_tally *tally);
const struct mc_tally *mc_counting_idle(const struct mc_counting *c);
enum mc_dram_why mc_counting_why(const struct mc_counting *c);
void mc_counting_end(struct mc_counting *c);

/* The file `counters`, in the kernel. */
int mc_counters_write(const char *text, size_t len, bool replace);
void mc_counters_show(struct mc_text *t);
void mc_counters_exit(void);

#endif /* MC_COUNTERS_H */
