/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that time single accesses, and what they find out of the slow ones. */
#ifndef MC_WATCH_H
#define MC_WATCH_H

#include "arch/mmio.h"
#include "core/generator.h"
#include "core/tail.h"
#include "measure/load.h"
#include "measure/measurement.h"

#define MC_WATCH_SPIKES	4096U	/* kept at once: of a window, or of those before the samples */
#define MC_WATCH_APART_NS 500	/* what begins so soon after a spike is of the same event */

/**
 * struct mc_core_counts - what the events of a thread's core have counted so far
 * @at: ticks at which they were read
 * @walks: walks of page tables
 * @cycles: cycles of the core's clock
 * @walks_known: they could be read
 * @cycles_known: they could be read
 */
struct mc_core_counts {
	u64 at;
	u64 walks;
	u64 cycles;
	bool walks_known;
	bool cycles_known;
};

/**
 * struct mc_watch_memory - the memory that a thread accesses
 * @view: the memory
 * @start: offset of the thread's first line
 * @lines: number of its lines
 * @at: the line that was accessed last
 * @random: state of a generator
 * @value: what was stored last
 */
struct mc_watch_memory {
	const struct mc_view *view;
	u64 start;
	u64 lines;
	void *at;
	struct mc_random random;
	u64 value;
};

/**
 * struct mc_watch_plan - what a thread has found out before the samples
 * @usual: ticks of a usual access
 * @limit: an access of more ticks is a spike
 * @step: ticks from an access to the next, in the fastest window
 * @gap: as many ticks between two accesses are usual
 * @shifts: some accesses come later than they could
 * @known: causes that are counted, a bit each
 * @smis: the event that counts SMIs, if nothing else does; or NULL
 * @walk_events: the thread's events that count walks of page tables, a bit each; 0: none do, or
 *	most accesses have one
 * @cycle_events: the event that counts cycles, as a bit; 0: none does, or not as this CPU's clock
 * @clock_median: ticks of two readings of the clock, the median
 * @clock_p999: the same, what 99.9 % took at most
 * @resolution: the smallest difference between two such readings that is not 0
 */
struct mc_watch_plan {
	u64 usual;
	u64 limit;
	u64 step;
	u64 gap;
	bool shifts;
	u32 known;
	void *smis;
	u32 walk_events;
	u32 cycle_events;
	u64 clock_median;
	u64 clock_p999;
	u64 resolution;
};

/**
 * struct mc_watch_counts - what was counted when a thread looked last
 * @count: counts of causes
 * @before: what the core had counted before the access
 * @step_ticks: duration of the last step from an access to the next whose cycles are known
 * @step_cycles: its cycles
 * @steps: steps from an access to the next whose walks are known
 * @walked: those of them with a walk
 */
struct mc_watch_counts {
	u64 count[MC_NCAUSES];
	struct mc_core_counts before;
	u64 step_ticks;
	u64 step_cycles;
	u64 steps;
	u64 walked;
};

/**
 * struct mc_watch_tally - what a thread has timed
 * @window: number of windows so far
 * @n: number of spikes in @spikes
 * @spikes: array of MC_WATCH_SPIKES spikes
 * @ticks: time in windows of the current sample
 * @tail: times of the current sample
 */
struct mc_watch_tally {
	u32 window;
	u32 n;
	struct mc_spike *spikes;
	u64 ticks;
	struct mc_tail *tail;
};

/**
 * struct mc_watch - a thread that times accesses
 * @job: the point
 * @memory: what it accesses
 * @plan: what it has found out before the samples
 * @counts: what was counted when it looked last
 * @tally: what it has timed
 */
struct mc_watch {
	struct mc_watch_job *job;
	struct mc_watch_memory memory;
	struct mc_watch_plan plan;
	struct mc_watch_counts counts;
	struct mc_watch_tally tally;
};

/**
 * struct mc_watch_settings - what the request says of accesses
 * @count: accesses of each thread in a sample
 * @spike: an access that takes longer is a spike, ns; or MC_AUTO
 * @walk_events: events of a core that count walks for such an access, a bit each
 * @mask: bits of a word that an access stores and that are verified; 0: none are
 * @run: the access
 * @fenced: a fence ends it
 * @one: it is always to the same line
 * @flush: that line is flushed before
 * @delay: ticks between two accesses
 */
struct mc_watch_settings {
	u64 count;
	u64 spike;
	u32 walk_events;
	u64 mask;
	mc_mmio_run run;
	bool fenced;
	bool one;
	bool flush;
	u64 delay;
};

/**
 * struct mc_watch_record - what a point's record shows
 * @stopped: something else than the last sample ended it
 * @ticks: time in windows of all samples that were kept; before the first one, of warm-ups
 * @tail: times of all these samples
 */
struct mc_watch_record {
	bool stopped;
	u64 ticks;
	struct mc_tail *tail;
};

/**
 * struct mc_watch_job - a point
 * @meas: the measurement
 * @settings: what an access is
 * @threads: number of threads
 * @watchers: number of those that time accesses, the first ones; the others load the memory
 * @watch: array with a watch for each thread
 * @load: array with a load for each thread
 * @began: ticks at which the samples began, or, before, the windows before them
 * @over: the last sample was taken
 * @record: what was found
 */
struct mc_watch_job {
	struct mc_measurement meas;
	struct mc_watch_settings settings;
	unsigned int threads;
	unsigned int watchers;
	struct mc_watch *watch;
	struct mc_load *load;
	u64 began;
	u32 over;
	struct mc_watch_record record;
};

/* Open a timed window. Return: 0 or what stops the run, a negative errno. */
static inline int mc_watch_open(struct mc_worker *w, const struct mc_watch_job *job)
{
	return mc_window_open(w, job->meas.settings.irq_off);
}

/*
 * Close it. Disturbances are causes here, so no sample is left out for them, as
 * mc_measurement_window() would have it. Return: ticks, 0 if the clock ran backwards.
 */
static inline u64 mc_watch_close(struct mc_worker *w, struct mc_watch_job *job)
{
	struct mc_sampler *sampler = &job->meas.each[w->index];
	u64 ticks = mc_window_close(w);

	sampler->window_max = max(sampler->window_max, ticks);
	return ticks;
}

int mc_watch_window(struct mc_worker *w, struct mc_watch *t, struct mc_bins *bins, u64 *left,
		    u64 *ticks);
int mc_watch_prepare(struct mc_worker *w, struct mc_watch *t);

#endif /* MC_WATCH_H */
