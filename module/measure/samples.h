/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a number is made: passes over a working set, cut into windows, warmed up
 * and repeated. The same code measures in the kernel and in user space.
 */
#ifndef MC_SAMPLES_H
#define MC_SAMPLES_H

#include "core/record.h"
#include "measure/traffic.h"
#include "measure/pass.h"

/*
 * A sample lasts this many clock costs: some counters tick in steps as large as
 * one cost (25 TSC cycles on AMD), which would be 1 % of a sample of 100.
 */
#define MC_COSTS_A_SAMPLE	1000
#define MC_WINDOWS_A_RACE	16	/* of several threads, each cuts a sample so */

/*
 * A race lasts so many times what its threads were at most apart behind the gate in
 * some trials. More than that it does not follow: it was a preemption then.
 */
#define MC_SKEWS_A_RACE		4
#define MC_SKEW_TRIALS		5
#define MC_SKEW_MAX_NS		10000000

/* Samples without overlap are taken again: as often as there are samples, and so often. */
#define MC_TRIES_MORE		8

/**
 * struct mc_sampler - one thread's measurement of one point
 * @pass: what is timed
 * @irq_off: interrupts off in timed windows
 * @warmup: samples not kept
 * @repeat: samples kept
 * @prepare: before each sample, not timed; NULL: nothing
 * @verify: after each sample, not timed; NULL: nothing
 * @shared: of all threads
 * @quantum: bytes of a pass that a window takes
 * @quantum_most: what it was calibrated to
 * @passes_a_sample: passes that a sample is made of
 * @counted_bytes: bytes of an array done in the counted windows of a sample
 * @counted_ticks: their time
 * @hit_windows: windows of the sample that were disturbed and do not count
 * @hit_bytes: bytes of an array done in those that were disturbed
 * @hit_ticks: their time
 * @seen: what disturbed them (enum mc_disturbance)
 * @in_time: and it is in the time that counts
 * @stolen: time was stolen since the last look (enum mc_stolen)
 * @stolen_from: index of the first sample since then
 * @skew: ticks that threads are apart behind the gate
 * @race_from: ticks at which the thread began the sample
 * @racing: and it has begun it
 * @race_last: ticks at which the last one of all began it, once that is known
 * @race_ticks: in its windows until the first thread had finished
 * @race_together: of those, while all threads were at it
 * @window_max: longest window of all samples, ticks
 * @clock_bad: a window of the sample ended before it began
 */
struct mc_sampler {
	struct mc_pass pass;
	bool irq_off;
	u32 warmup;
	u32 repeat;
	int (*prepare)(struct mc_worker *w, struct mc_sampler *sampler, u32 round);
	int (*verify)(struct mc_worker *w, struct mc_sampler *sampler, u32 round);
	struct mc_measurement *shared;
	u64 quantum;
	u64 quantum_most;
	u64 passes_a_sample;
	u64 counted_bytes;
	u64 counted_ticks;
	u32 hit_windows;
	u64 hit_bytes;
	u64 hit_ticks;
	u8 seen;
	bool in_time;
	u8 stolen;
	u32 stolen_from;
	u64 skew;
	u64 race_from;
	u32 racing;
	u64 race_last;
	u64 race_ticks;
	u64 race_together;
	u64 window_max;
	bool clock_bad;
};

/**
 * struct mc_measurement - the measurement of one point by all threads
 * @n: threads that measure; one may be any of the team, several are all of it
 * @each: a work for each, by worker index; one thread takes the first
 * @samples: picoseconds a pass over the whole working set; @repeat of them
 * @done: samples in @samples
 * @again: the last sample is not kept, but taken again
 * @tries_left: so many more may be
 * @left_out: why samples are MC_NO_SAMPLE
 * @disturbed: what each sample saw; NULL: nobody is interested
 * @watched: what is looked for (enum mc_disturbance)
 * @unwatched: the test's windows sleep: what disturbs them can't be told
 * @keep_disturbed: nothing is left out for having been disturbed
 * @windows_left_out: windows that were, of all samples
 * @counting: DRAM traffic is counted in each sample; NULL: it is not
 * @tally: sum over the samples kept
 * @tick: called by the first thread after each sample, warm-ups included; NULL: nobody
 *        counts them
 * @run: its argument
 * @arg: for the test's own use
 */
struct mc_measurement {
	unsigned int n;
	struct mc_sampler *each;
	u64 *samples;
	u32 done;
	bool again;
	u32 tries_left;
	u8 left_out;
	u8 *disturbed;
	u8 watched;
	bool unwatched;
	bool keep_disturbed;
	u32 windows_left_out;
	struct mc_traffic_count *counting;
	struct mc_tally tally;
	void (*tick)(void *run);
	void *run;
	void *arg;
};

int mc_measure(struct mc_worker *w, void *meas);
void mc_measurement_tally(struct mc_measurement *meas, const struct mc_tally *one);
u64 mc_sum_of_run(u64 first, u64 n);

#endif /* MC_SAMPLES_H */
