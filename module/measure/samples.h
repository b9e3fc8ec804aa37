/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a number is made: passes over a working set, cut into windows, warmed up
 * and repeated. The same code measures in the kernel and in user space.
 */
#ifndef MC_SAMPLES_H
#define MC_SAMPLES_H

#include "core/record.h"
#include "measure/events.h"
#include "measure/pass.h"
#include "measure/steady.h"
#include "measure/traffic.h"
#include "platform/os.h"

/*
 * A sample lasts at least this many times the cost of reading the clock. Some counters
 * tick in steps as large as one such cost (25 TSC cycles on AMD), which would be 1 % of
 * a sample of 100 costs.
 */
#define MC_COSTS_A_SAMPLE	1000
#define MC_WINDOWS_AT_ONCE	16	/* windows of a sample of several threads */

/*
 * Samples without overlap are taken again: as often as samples are kept, and MC_TRIES_MORE times
 * more.
 */
#define MC_TRIES_MORE		8

#define MC_PER_SAMPLE_MOST	6	/* arrays that grow with the samples */

/* Passes at a position that are not timed, so that the caches hold what is there. */
#define MC_PASSES_A_POSITION	2

struct mc_sampler;

/**
 * struct mc_settings - how samples are taken
 * @irq_off: interrupts are off in timed windows
 * @warmup: least number of samples that are thrown away first
 * @repeat: least number of samples that are kept
 * @least: ticks that these take together, at least
 * @spread: ticks that all samples of a set in a cache last together, at least
 */
struct mc_settings {
	bool irq_off;
	u32 warmup;
	u32 repeat;
	u64 least;
	u64 spread;
};

/**
 * struct mc_calibration - how large windows and samples are
 * @quantum: bytes of an array that a window covers
 * @quantum_most: @quantum as calibrated, which it never exceeds
 * @passes_a_sample: number of passes in a sample
 * @passes_settled: the same once the loop has settled
 */
struct mc_calibration {
	u64 quantum;
	u64 quantum_most;
	u64 passes_a_sample;
	u64 passes_settled;
};

/**
 * struct mc_sample - what a thread's windows of the current sample add up to
 * @passes: number of passes, with those that are not timed
 * @counted_bytes: bytes of an array covered by the counted windows
 * @counted_ticks: duration of those windows
 * @disturbed_windows: disturbed windows, which do not count
 * @disturbed_bytes: bytes of an array covered by the disturbed windows
 * @disturbed_ticks: duration of the disturbed windows
 * @worked: ticks for which the core had worked before each of the windows; ~0: since the
 *          measurement began
 * @events: events of the thread's core in the windows
 * @seen: disturbances seen (enum mc_disturbance)
 * @in_time: the counted time includes the disturbed windows
 * @clock_bad: a window ended before it began
 * @no_overlap: the threads did not run at the same time for most of the sample
 * @stolen: whether time was stolen since the last check (enum mc_stolen)
 * @ps: its time, set by @take of struct mc_measurement
 */
struct mc_sample {
	u64 passes;
	u64 counted_bytes;
	u64 counted_ticks;
	u32 disturbed_windows;
	u64 disturbed_bytes;
	u64 disturbed_ticks;
	u64 worked;
	struct mc_events_tally events;
	u8 seen;
	bool in_time;
	bool clock_bad;
	bool no_overlap;
	u8 stolen;
	u64 ps;
};

/**
 * struct mc_lap - when a thread, one of several, worked in the current sample
 * @from: ticks at which its first timed window opened
 * @to: ticks at which its last timed window closed
 * @began: ticks at which the last window opened that did so before all threads had been timed
 * @until: ticks at which that one closed
 * @work: duration of all windows from @from to @until
 */
struct mc_lap {
	u64 from;
	u64 to;
	u64 began;
	u64 until;
	u64 work;
};

/**
 * struct mc_sampler - one thread's measurement of one point
 * @pass: the timed pass
 * @cal: how large they are
 * @sample: the current one
 * @lap: when the thread worked in it
 * @shared: the measurement of all threads
 * @position: where in memory the pass is, of the measurement's @positions
 * @mhz_first: the core's clock before the first sample that is kept; 0: not known
 * @mhz_last: the same before the current sample, at the end after the last one
 * @stolen_from: index of the first sample since it was last checked whether time was stolen
 * @window_max: longest window of all samples, ticks
 * @counted: events in all samples that were kept
 * @verified: what the thread has found of its data (mc_sampler_verified())
 */
struct mc_sampler {
	struct mc_pass pass;
	struct mc_calibration cal;
	struct mc_sample sample;
	struct mc_lap lap;
	struct mc_measurement *shared;
	u32 position;
	u64 mhz_first;
	u64 mhz_last;
	u32 stolen_from;
	u64 window_max;
	struct mc_events_tally counted;
	enum mc_verified verified;
};

/* The thread has looked at its data, once more. @right: they were what they must be */
static inline void mc_sampler_verified(struct mc_sampler *sampler, bool right)
{
	enum mc_verified now = right ? MC_VERIFIED_OK : MC_VERIFIED_FAILED;

	sampler->verified = max(sampler->verified, now);
}

/**
 * struct mc_hooks - what a test does in its own way; each may be NULL
 * @move: points a thread's pass at position @position of the memory, whose contents are undefined;
 *        NULL: there is one position
 * @prepare: untimed work of a thread before each sample. Samples have numbers (@round), also those
 *           that are not kept
 * @verify: untimed work of a thread after each sample that is kept
 * @verify_all: after the others, too
 * @refill: brings a thread's set back into the caches, untimed work before each window, which is a
 *          small part of a sample; NULL: what the loop leaves there is what it finds
 * @clock: measures the clock of a thread's core (mc_core_mhz())
 * @take: takes a thread's part of a sample; NULL: a sample is passes in windows
 * @time: time of the sample that all threads have taken, ps; NULL: @ps of the first one's sample
 * @ended: called once it is decided whether a sample is kept
 * @beside: what a second thread does for each sample that one thread takes (mc_measure_beside())
 * @tick: called by the first thread after each sample that is kept and each warm-up that was
 *        asked for; @more: so many samples more are to come than was said before
 * @run: argument of @tick
 */
struct mc_hooks {
	int (*move)(struct mc_worker *w, struct mc_sampler *sampler, u32 round);
	int (*prepare)(struct mc_worker *w, struct mc_sampler *sampler, u32 round);
	int (*verify)(struct mc_worker *w, struct mc_sampler *sampler, u32 round);
	bool verify_all;
	void (*refill)(struct mc_worker *w, struct mc_sampler *sampler);
	int (*clock)(struct mc_worker *w, u64 *mhz);
	int (*take)(struct mc_worker *w, struct mc_sampler *sampler, u32 round);
	u64 (*time)(struct mc_measurement *meas);
	void (*ended)(struct mc_measurement *meas);
	int (*beside)(struct mc_worker *w, struct mc_measurement *meas, u32 round);
	void (*tick)(void *run, u64 more);
	void *run;
};

/**
 * struct mc_per_sample - an array with an element for each sample, which grows with them
 * @where: the pointer to it
 * @size: bytes of an element
 */
struct mc_per_sample {
	void *where;
	size_t size;
};

/**
 * struct mc_arrays - memory of a measurement
 * @list: list of the arrays that mc_measurement_end() frees (mc_measurement_array())
 * @room: number of elements of each of @per_sample
 * @n: number of arrays in @per_sample
 * @per_sample: arrays that grow (mc_measurement_per_sample())
 */
struct mc_arrays {
	void *list;
	u32 room;
	unsigned int n;
	struct mc_per_sample per_sample[MC_PER_SAMPLE_MOST];
};

/**
 * struct mc_quota - how many samples are still to come
 * @tries_left: how many more may be dropped
 * @began: ticks at which the first one began that was kept
 * @enough: no further one is taken
 * @foreseen: number of all that are expected
 */
struct mc_quota {
	u32 tries_left;
	u64 began;
	bool enough;
	u64 foreseen;
};

/**
 * struct mc_disturbed - what disturbed the samples
 * @watched: kinds of disturbance that can be seen (enum mc_disturbance)
 * @unwatched: the test's windows sleep, so nobody can tell whether they were disturbed
 * @keep: disturbed windows and samples are kept
 * @seen: disturbances that each sample saw; NULL: they are not recorded
 * @windows_left_out: number of disturbed windows left out of all samples
 */
struct mc_disturbed {
	u8 watched;
	bool unwatched;
	bool keep;
	u8 *seen;
	u32 windows_left_out;
};

/**
 * struct mc_dram_traffic - DRAM traffic of the samples
 * @counters: read around each sample, or NULL
 * @sum: traffic of all samples that were kept
 * @passes: number of passes of all threads in that time
 */
struct mc_dram_traffic {
	struct mc_traffic_count *counters;
	struct mc_tally sum;
	u64 passes;
};

/**
 * struct mc_measurement - the measurement of one point by all threads
 * @n: number of measuring threads: one (any of them), or all of the run
 * @each: array of @n samplers by worker index; a lone thread uses the first
 * @settings: what the request says of samples
 * @hooks: the test's own steps
 * @arg: for the test's own use
 * @positions: number of positions in memory that the samples take in turn
 * @settling: whether the loop has settled
 * @timed: number of threads whose part of the current sample has been timed
 * @kept: the last sample was kept
 * @quota: how many samples are still to come
 * @samples: array of samples, picoseconds a pass over the whole working set
 * @done: number of samples in @samples
 * @left_out: why samples are MC_NO_SAMPLE (enum mc_left_out)
 * @cycles: array of numbers, thousandths of a cycle of a core's clock a pass; 0: not
 *          known. NULL: the clock is not measured
 * @median_cycles: their median, once the record has been made; 0: not known
 * @disturbed: what disturbed the samples
 * @traffic: their DRAM traffic
 * @events: events of threads that a test adds up by itself
 * @arrays: their memory, and that of the test
 */
struct mc_measurement {
	unsigned int n;
	struct mc_sampler *each;

	struct mc_settings settings;
	struct mc_hooks hooks;
	void *arg;
	u32 positions;

	struct mc_settling settling;
	atomic_t timed;
	bool kept;
	struct mc_quota quota;

	u64 *samples;
	u32 done;
	u8 left_out;
	u64 *cycles;
	u64 median_cycles;
	struct mc_disturbed disturbed;
	struct mc_dram_traffic traffic;
	struct mc_events_total events;
	struct mc_arrays arrays;
};

int mc_measure(struct mc_worker *w, void *meas);
int mc_measure_beside(struct mc_worker *w, struct mc_measurement *meas);
void mc_sample_begin(struct mc_worker *w, struct mc_sampler *sampler);
void mc_sample_window(const struct mc_worker *w, struct mc_sampler *sampler,
		      const struct mc_progress *at);
void mc_measurement_append(struct mc_measurement *meas, u64 ps);
u64 mc_measurement_mhz(const struct mc_measurement *meas, bool last);

/* Is another sample taken? Any thread may ask while none keeps a sample. */
static inline bool mc_measurement_wants(const struct mc_measurement *meas)
{
	return !meas->quota.enough;
}

#endif /* MC_SAMPLES_H */
