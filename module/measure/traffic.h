/* SPDX-License-Identifier: GPL-2.0-only */
/* DRAM traffic, counted around each sample. */
#ifndef MC_TRAFFIC_H
#define MC_TRAFFIC_H

#include "core/record.h"

struct mc_traffic_count;

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

struct mc_traffic_count *mc_traffic_begin(struct mc_error *e);
void mc_traffic_start(struct mc_traffic_count *c);
void mc_traffic_stop(struct mc_traffic_count *c, struct mc_tally *tally);
const struct mc_tally *mc_traffic_idle(const struct mc_traffic_count *c);
enum mc_dram_why mc_traffic_why(const struct mc_traffic_count *c);
void mc_traffic_end(struct mc_traffic_count *c);

#endif /* MC_TRAFFIC_H */
