// SPDX-License-Identifier: GPL-2.0-only
/* Threads that work at once, in virtual time: one comes late or pauses, and what counts then. */
#include "cmocka_all.h"

#include "stub/point.h"

#define BYTES	(8ULL << 20)
#define HALF	(BYTES * NS / 2)	/* of the time of a sample */

static u64 away_for;
static unsigned int who, at_window, times;
static unsigned int tries[THREADS_MOST], windows[THREADS_MOST];	/* of the sample */
static bool goes[THREADS_MOST];

/* Sample 1 begins. */
static int begin_window(struct mc_worker *w, struct mc_sampler *one, u32 round)
{
	goes[w->index] = w->index == who && sample_of(one) == 1 && tries[w->index]++ < times;
	windows[w->index] = 0;
	return 0;
}

/* Another task has the CPU before a window of the thread. */
static void go_away(struct mc_worker *w)
{
	if (!goes[w->index] || windows[w->index]++ != at_window)
		return;
	sim_spend(away_for);
	w->began = sim.now[w->index];
	/* As if its core had stayed warm. */
	w->left_off = w->began;
}

/* Thread @i is away for @ps before window @window in the first @n tries of a sample. */
static void away(unsigned int i, unsigned int window, u64 ps, unsigned int n)
{
	memset(tries, 0, sizeof(tries));
	who = i;
	at_window = window;
	away_for = ps;
	times = n;
	sim.opened = go_away;
	meas.hooks.prepare = begin_window;
	assert_int_equal(measure_point(), 0);
	assert_int_equal(meas.done, 3);
	assert_true((samples[1] == MC_NO_SAMPLE) == (meas.left_out == MC_LEFT_NO_OVERLAP));
	for (unsigned int k = 0; k < 3; k++)
		if (samples[k] != MC_NO_SAMPLE)
			assert_in_range(samples[k], BYTES * NS - 10, BYTES * NS + 10);
}

/* Whichever thread it is, and whether it comes late or pauses. */
static void test_a_thread_may_be_away_for_half_of_the_time(void **state)
{
	static const u64 rows[] = { HALF - 50000 * NS, HALF + 50000 * NS, 3 * HALF, 100 * MS };

	for (unsigned int n = 2; n <= THREADS_MOST; n++) {
		for (unsigned int i = 0; i < n * ARRAY_SIZE(rows) * 2; i++) {
			set_up(n, BYTES);
			away(i % n, i / n % 2, rows[i / n / 2], 100);
			assert_int_equal(meas.left_out, i / n / 2 ? MC_LEFT_NO_OVERLAP : 0);
		}
	}
}

/* A slow thread that comes late: the others work for longer than that, but were timed before. */
static void test_all_must_begin_before_a_fast_one_is_half_done(void **state)
{
	for (unsigned int i = 0; i < 2; i++) {
		set_up(2, BYTES);
		speed[1] = 10 * NS;
		who = 1;
		times = 100;
		at_window = 0;
		memset(tries, 0, sizeof(tries));
		away_for = i ? HALF + 50000 * NS : HALF - 50000 * NS;
		sim.opened = go_away;
		meas.hooks.prepare = begin_window;
		assert_int_equal(measure_point(), 0);
		assert_int_equal(meas.left_out, i ? MC_LEFT_NO_OVERLAP : 0);
	}
}

static void test_a_sample_without_overlap_is_taken_again(void **state)
{
	for (unsigned int n = 2; n <= THREADS_MOST; n++) {
		set_up(n, BYTES);
		away(n - 1, 0, 100 * MS, 5);
		assert_int_equal(meas.left_out, 0);
		assert_int_equal(ticks, 4);
	}
}

/* Each sample is away at its first try, also those that are taken because there is time. */
static int begin_any_window(struct mc_worker *w, struct mc_sampler *one, u32 round)
{
	u32 sample = sample_of(one);

	if (w->index == who) {
		goes[who] = tries[who] <= sample;
		tries[who] += goes[who];
	}
	windows[w->index] = 0;
	return 0;
}

static void test_each_sample_has_a_try_more(void **state)
{
	memset(tries, 0, sizeof(tries));
	set_up(2, BYTES);
	who = 1;
	at_window = 0;
	away_for = 100 * MS;
	sim.opened = go_away;
	meas.hooks.prepare = begin_any_window;
	meas.settings.least = mc_ns_to_ticks(40 * 110 * MS / NS);
	meas.arrays.room = MOST;
	assert_int_equal(measure_point(), 0);
	assert_in_range(meas.done, 25, 50);
	assert_int_equal(meas.left_out, 0);
}

/* A rest comes before a sample that it would come in; the last sample tells how long one takes. */
static void test_threads_rest_before_a_sample(void **state)
{
	for (unsigned int n = 1; n <= THREADS_MOST; n++) {
		set_up(n, BYTES);
		assert_int_equal(measure_point(), 0);
		for (unsigned int i = 0; i < n; i++)
			assert_int_equal(sim.rests[i], n > 1 ? ticks : 0);
		assert_in_range(sim.ahead, n > 1 ? 8 * MS : 0, n > 1 ? 9 * MS : 0);
	}
}

static void test_keep_keeps_what_did_not_overlap(void **state)
{
	for (unsigned int n = 2; n <= THREADS_MOST; n++) {
		set_up(n, PAGE);
		meas.disturbed.keep = true;
		sim.late = 100 * MS;
		assert_int_equal(measure_point(), 0);
		assert_int_equal(meas.left_out, 0);
		assert_in_range(samples[0], PAGE * NS - 10, PAGE * NS + 10);
	}
}

static u64 stop_at;

static void stop(struct mc_worker *w)
{
	if (sim.windows == stop_at)
		mc_threads_stop(w->threads, -EINTR);
}

/* Whenever the run is stopped: some work, some work on, and some wait. */
static void test_a_stop_leaves_nobody_waiting(void **state)
{
	for (stop_at = 0; stop_at < 300; stop_at += 7) {
		set_up(3, BYTES);
		speed[1] = 3 * NS;
		speed[2] = NS / 2;
		sim.opened = stop;
		assert_int_equal(mc_threads_run(threads, mc_measure, &meas), -EINTR);
	}
}
