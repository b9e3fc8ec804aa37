/* SPDX-License-Identifier: GPL-2.0-only */
/* Pauses of the memory that come at equal distances, as those for its refresh do. */
#ifndef MC_CORE_PERIOD_H
#define MC_CORE_PERIOD_H

#include "core/tail.h"

#define MC_PERIOD_LEAST_NS	1000U		/* periods that are looked for */
#define MC_PERIOD_MOST_NS	32000U
#define MC_PERIOD_SPIKES	100U		/* with fewer spikes nothing is known */
#define MC_PERIOD_SINES		256U	/* numbers of a turn */

/**
 * struct mc_period - what is known of the period of spikes
 * @khz: ticks per millisecond
 * @limit: an access of more ticks is a spike
 * @spikes: number of spikes that were looked at
 * @found: they have a period
 * @turns: its frequency: turns a tick, in units of 2^-64
 * @tolerance: how far the end of a spike may be from that of a pause, in the same units
 * @length: ticks of a pause; 0: not known
 * @coherence: share of the spikes' ends that is at one place of the period, in thousandths: the
 *             length of the mean of their directions
 * @sine: a full turn, 2^14 for 1
 */
struct mc_period {
	u64 khz;
	u64 limit;
	u32 spikes;
	bool found;
	u64 turns;
	u64 tolerance;
	u64 length;
	u32 coherence;
	s16 sine[MC_PERIOD_SINES];
};

bool mc_period_find(struct mc_period *p, struct mc_spike *spikes, u32 n, u64 median,
		    u64 *room, void (*rest)(void));
void mc_period_mark(const struct mc_period *p, struct mc_spike *spikes, u32 n);
u64 mc_period_ps(const struct mc_period *p);

#endif /* MC_CORE_PERIOD_H */
