/* SPDX-License-Identifier: GPL-2.0-only */
/* DRAM traffic, counted around each sample. */
#ifndef MC_COUNTING_H
#define MC_COUNTING_H

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

struct mc_counting *mc_counting_begin(struct mc_error *e);
void mc_counting_start(struct mc_counting *c);
void mc_counting_stop(struct mc_counting *c, struct mc_tally *tally);
const struct mc_tally *mc_counting_idle(const struct mc_counting *c);
enum mc_dram_why mc_counting_why(const struct mc_counting *c);
void mc_counting_end(struct mc_counting *c);

#endif /* MC_COUNTING_H */
