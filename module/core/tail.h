/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The distribution of the times of single accesses, in fixed memory, and what made some of them
 * long.
 */
#ifndef MC_CORE_TAIL_H
#define MC_CORE_TAIL_H

#include "core/keys.h"
#include "core/math.h"

#define MC_TAIL_LOG2	6	/* the middle of a bin differs from its times by less than 1 % */
#define MC_TAIL_BINS	2048	/* up to 2^37 ticks; the last has the rest */

#define MC_TAIL_WORST	10
#define MC_TAIL_SLOTS	32	/* stretches of time, of each of which some spikes are kept */
#define MC_TRACE	3072U	/* spikes that are kept one by one */
#define MC_TRACE_BEFORE	2048U	/* of these, from before the samples */

/* What made an access long. The first of those that were seen is taken. */
enum mc_cause {
	MC_CAUSE_PREEMPTION,
	MC_CAUSE_MIGRATION,
	MC_CAUSE_SMI,
	MC_CAUSE_NMI,
	MC_CAUSE_SOFTIRQ,
	MC_CAUSE_INTERRUPT,
	MC_CAUSE_TAKEN,		/* an interrupt or a preemption, which can't be told apart */
	MC_CAUSE_STEAL,
	MC_CAUSE_REFRESH,	/* only the reader of a record can tell */
	MC_CAUSE_WALK,
	MC_CAUSE_FREQUENCY,
	MC_CAUSE_UNKNOWN,
	MC_NCAUSES,
};

extern const struct mc_name mc_cause_names[];

/**
 * struct mc_bins - a histogram
 * @n: number of times
 * @max: the longest
 * @count: number of times in each bin
 */
struct mc_bins {
	u64 n;
	u64 max;
	u64 count[MC_TAIL_BINS];
};

/**
 * struct mc_spike - a long access
 * @at: ticks at which it began, from the begin of the measurement on
 * @ticks: how long it took
 * @window: number of the window that it was in
 * @cause: enum mc_cause
 */
struct mc_spike {
	u64 at;
	u64 ticks;
	u32 window;
	u32 cause;
};

/**
 * struct mc_cause_sum - all spikes of a cause
 * @count: number of them
 * @excess: ticks by which they exceeded the median
 * @longest: ticks of the longest
 */
struct mc_cause_sum {
	u64 count;
	u64 excess;
	u64 longest;
};

/**
 * struct mc_trace - spikes one by one: those of no known cause that no other one came right before
 * @before: number of those from before the samples
 * @n: number of all; the others are from the first windows of samples
 * @unknown: spikes without a known cause in these windows, whatever came before them
 * @spike: the spikes, in the order of their times
 *
 * Spikes that end at equal distances are of the memory's refresh, which the reader of a record
 * finds out.
 */
struct mc_trace {
	u32 before;
	u32 n;
	u32 unknown;
	struct {
		u64 at;
		u32 ticks;
		u32 window;
	} spike[MC_TRACE];
};

/**
 * struct mc_tail - a distribution and its spikes
 * @khz: ticks per millisecond
 * @clock: ticks of each time that are those of reading the clock
 * @median: ticks from which on the time of a spike is in excess
 * @known: a bit for each cause that could be seen
 * @bins: all times
 * @cause: the spikes of each cause
 * @nworst: number of spikes in @worst
 * @worst: the longest spikes, the longest first
 * @slot_ticks: length of a slot, ticks; 0: there was no spike yet
 * @slot: of each cause and stretch of time the longest spike; no ticks: there was none
 * @trace: the first thread's spikes, or NULL
 */
struct mc_tail {
	u64 khz;
	u64 clock;
	u64 median;
	u32 known;
	struct mc_bins bins;
	struct mc_cause_sum cause[MC_NCAUSES];
	u32 nworst;
	struct mc_spike worst[MC_TAIL_WORST];
	u64 slot_ticks;
	struct mc_spike slot[MC_NCAUSES][MC_TAIL_SLOTS];
	struct mc_trace *trace;
};

/* Count a time. */
static inline void mc_bins_add(struct mc_bins *b, u64 ticks)
{
	u32 bin = mc_bin_of(ticks, MC_TAIL_LOG2);

	b->n++;
	if (ticks > b->max)
		b->max = ticks;
	b->count[bin < MC_TAIL_BINS ? bin : MC_TAIL_BINS - 1]++;
}

u64 mc_bins_at(const struct mc_bins *b, u32 ppb);

void mc_tail_clear(struct mc_tail *t);
void mc_tail_spike(struct mc_tail *t, const struct mc_spike *spike);
void mc_tail_join(struct mc_tail *t, const struct mc_tail *more);
u64 mc_tail_ps(const struct mc_tail *t, u64 ticks);
u64 mc_tail_excess(const struct mc_tail *t);
void mc_trace_add(struct mc_trace *trace, const struct mc_spike *spikes, u32 n, u64 apart,
		  bool before);
void mc_tail_json(struct mc_text *text, const struct mc_tail *t);

#endif /* MC_CORE_TAIL_H */
