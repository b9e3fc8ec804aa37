// SPDX-License-Identifier: GPL-2.0-only
/* A race in virtual time that a thread joins late: what counts, and what does not. */
#include "cmocka_all.h"

#include "platform/os.h"
#include "stub/point.h"

static void measure(void)
{
	assert_int_equal(mc_threads_run(threads, mc_measure, &meas), 0);
	if (sim.failed)
		fail_msg("%s", sim.failed);
}

static u64 late_by, late_from;
static unsigned int late_one;
static unsigned int times_late[THREADS_MOST], late_times;
static bool late[THREADS_MOST];
static unsigned int windows[THREADS_MOST];	/* that a thread has begun in the sample */

/* The first tries of sample 1. All begin at the same time. */
static int be_late(struct mc_worker *w, struct mc_sampler *one, u32 round)
{
	late[w->index] = sample_of(one) == 1 && times_late[w->index]++ < late_times;
	late_from = sim.now[w->index];
	windows[w->index] = 0;
	return 0;
}

/*
 * Another task has the CPU when a thread comes out of the barrier. Until the thread starts, the
 * others are twice as fast.
 */
static void start_late(struct mc_worker *w)
{
	unsigned int i = w->index;
	bool is_it = i == late_one;

	if (late[i] && is_it) {
		sim_spend(late_by);
		w->began = sim.now[i];
	}
	late[i] = late[i] && !is_it;
	speed[i] = late[i] && w->began < late_from + late_by ? NS / 2 : NS;
}

/* Another task has the CPU between the first window of a thread and its second one. */
static void pause_once(struct mc_worker *w)
{
	unsigned int i = w->index;

	if (!late[i] || i != late_one || windows[i]++ != 1)
		return;
	sim_spend(100 * MS);
	w->began = sim.now[i];
}

static void late_start(unsigned int n, unsigned int who, u64 by, unsigned int times)
{
	set_up(n, 8 << 20);
	memset(times_late, 0, sizeof(times_late));
	late_times = times;
	sim.opened = start_late;
	for (unsigned int i = 0; i < n; i++)
		sampler[i].settings.prepare = be_late;
	late_by = by;
	late_one = who;
	/* The core of a thread that was late is not warm, and its sample would not be kept. */
	meas.trial = true;
	measure();
	assert_int_equal(meas.done, 3);
	assert_in_range(samples[0], (8 << 20) * NS - 10, (8 << 20) * NS + 10);
	assert_in_range(samples[2], (8 << 20) * NS - 10, (8 << 20) * NS + 10);
}

/* A thread starts when the others are half done, or later, whichever thread it is. */
static void test_a_sample_without_overlap_is_left_out(void **state)
{
	static const u64 times[] = { 3 * MS, 4 * MS, 5 * MS, 100 * MS };

	for (unsigned int n = 2; n <= THREADS_MOST; n++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(times); i++) {
			for (unsigned int who = 0; who < n; who++) {
				late_start(n, who, times[i], 100);
				assert_true(samples[1] == MC_NO_SAMPLE);
				assert_int_equal(meas.left_out, MC_LEFT_NO_OVERLAP);
			}
		}
	}
}

/*
 * The others do two bytes a nanosecond until the thread starts. If it is late by a third of the
 * sample, they then have done two thirds, and all run together for the other third: for half
 * of the race.
 */
static void test_half_of_the_longest_race_is_enough(void **state)
{
	const u64 third = (8 << 20) * NS / 3;

	for (unsigned int n = 2; n <= THREADS_MOST; n++) {
		for (unsigned int who = 0; who < n; who++) {
			late_start(n, who, third - 50000 * NS, 100);
			assert_int_equal(meas.left_out, 0);
			late_start(n, who, third + 50000 * NS, 100);
			assert_int_equal(meas.left_out, MC_LEFT_NO_OVERLAP);
		}
	}
}

/* The thread began with the others, but did little until the first of them was done. */
static void test_a_thread_that_paused_did_not_overlap(void **state)
{
	for (unsigned int n = 2; n <= THREADS_MOST; n++) {
		for (late_one = 0; late_one < n; late_one++) {
			set_up(n, 8 << 20);
			memset(times_late, 0, sizeof(times_late));
			late_times = 100;
			meas.trial = true;
			sim.opened = pause_once;
			for (unsigned int i = 0; i < n; i++)
				sampler[i].settings.prepare = be_late;
			measure();
			assert_int_equal(meas.left_out, MC_LEFT_NO_OVERLAP);
			assert_true(samples[1] == MC_NO_SAMPLE);
		}
	}
}

static void test_a_sample_without_overlap_is_taken_again(void **state)
{
	for (unsigned int n = 2; n <= THREADS_MOST; n++) {
		late_start(n, n - 1, 100 * MS, 5);
		assert_int_equal(meas.left_out, 0);
		assert_int_equal(ticks, 3);
		assert_in_range(samples[1], (8 << 20) * NS - 10, (8 << 20) * NS + 10);
	}
}

static void test_nothing_counts_before_all_threads_run(void **state)
{
	for (unsigned int n = 2; n <= THREADS_MOST; n++) {
		for (unsigned int who = 0; who < n; who++) {
			/* Two windows. */
			late_start(n, who, (8 << 20) / 16 * NS, 1);
			assert_in_range(samples[1], (8 << 20) * NS - 10, (8 << 20) * NS + 10);
			assert_int_equal(meas.left_out, 0);
		}
	}
}

/* A rest comes before a race that it would come in, and the last race tells how long one takes. */
static void test_threads_rest_before_a_race(void **state)
{
	for (unsigned int n = 1; n <= THREADS_MOST; n++) {
		set_up(n, 8 << 20);
		measure();
		for (unsigned int i = 0; i < n; i++)
			assert_int_equal(sim.rests[i], n > 1 ? ticks : 0);
		assert_in_range(sim.ahead, n > 1 ? 8 * MS : 0, n > 1 ? 9 * MS : 0);
	}
}

/* The threads were apart at one of the trials only, and so they may be in any sample. */
static void test_the_largest_skew_counts(void **state)
{
	for (unsigned int n = 2; n <= THREADS_MOST; n++) {
		set_up(n, PAGE);
		sim.late = 3 * MS;
		sim.late_barriers = 1;
		measure();
		for (unsigned int i = 0; i < n; i++)
			assert_int_equal(sampler[i].cal.skew, 3 * MS);
		assert_true(sampler[0].cal.passes_a_sample * PAGE * NS >= 4 * 3 * MS);
	}
}

/* Under an emulator, threads that start at once are milliseconds apart. */
static void test_samples_last_long_against_the_skew_of_the_barrier(void **state)
{
	for (unsigned int n = 2; n <= THREADS_MOST; n++) {
		for (u64 late_us = 1; late_us <= 8000; late_us *= 20) {
			set_up(n, PAGE);
			sim.late = late_us * 1000 * NS;
			measure();
			assert_int_equal(meas.left_out, 0);
			assert_in_range(samples[0], PAGE * NS - 10, PAGE * NS + 10);
		}
	}
}

static void test_keep_keeps_what_did_not_overlap(void **state)
{
	for (unsigned int n = 2; n <= THREADS_MOST; n++) {
		set_up(n, PAGE);
		meas.keep_disturbed = true;
		sim.late = 100 * MS;
		measure();
		assert_int_equal(meas.left_out, 0);
		assert_in_range(samples[0], PAGE * NS - 10, PAGE * NS + 10);
	}
}
