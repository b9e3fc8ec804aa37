// SPDX-License-Identifier: GPL-2.0-only
/* When a loop has settled, so that its samples are kept, in virtual time. */
#include "cmocka_all.h"

#include "stub/point.h"

static struct mc_record rec;

static int settle(void)
{
	int err = measure_point();

	rec = (struct mc_record){ .has = 0 };
	rec.steady = mc_settling_verdict(&meas.settling, samples, meas.done, false);
	return err;
}

static u64 fast_at;		/* time at which the loop becomes twice as fast */
static bool slows;		/* each window takes 5 thousandths longer than the one before */
static u64 base_ps = 10;

static void set_speed(struct mc_worker *w)
{
	speed[w->index] = sim.now[w->index] < 1000 * MS + fast_at ? 2 * base_ps : base_ps;
	base_ps += slows ? base_ps * 5 / 1000 : 0;
}

/* @base: ps a byte of the fast loop */
static void set_up_sized(unsigned int n, u64 bytes, u64 base)
{
	set_up(n, bytes);
	sim.opened = set_speed;
	fast_at = 0;
	slows = false;
	base_ps = base;
	meas.settings.repeat = 10;
}

static void set_up_speeds(unsigned int n, u64 base)
{
	set_up_sized(n, 16 << 10, base);
}

/* However late the loop becomes faster, up to what a core takes, no sample is of before. */
static void test_a_core_is_waited_for(void **state)
{
	for (unsigned int n = 1; n <= 3; n++) {
		for (u64 at = 0; at < 20; at++) {
			u64 bytes = at < 10 ? 16 << 10 : 200 << 20;	/* 1 window, or 4 */

			set_up_sized(n, bytes, 10);
			fast_at = at % 10 * MS;
			/* These threads have slept for long. */
			for (unsigned int i = 0; i < n; i++)
				mc_threads_worker(threads, i)->left_off = 0;
			meas.settings.warmup = at % 2;
			assert_int_equal(settle(), 0);
			assert_samples_near(bytes * 10);
			assert_int_equal(ticks, 10 + at % 2);
			assert_int_equal(rec.steady, MC_STEADY_YES);
			assert_in_range(mc_ticks_to_ps(meas.settling.worked), 10 * MS, 20 * MS);
		}
	}
}

/* A core that has not rested is not waited for. */
static void test_a_warm_core_is_not_waited_for(void **state)
{
	set_up_speeds(1, 10);
	assert_int_equal(settle(), 0);
	assert_true(sim.now[0] < 1005 * MS);
	assert_int_equal(meas.settling.seen, MC_STEADY_SAMPLES);
	/* The loop is known: no sample is needed but the warm-up that was asked for. */
	meas.done = 0;
	meas.quota.enough = false;
	assert_int_equal(settle(), 0);
	assert_int_equal(meas.settling.seen, 1);
	assert_int_equal(rec.steady, MC_STEADY_YES);
	/* Warm-ups that were asked for are no wait, however long they take. */
	set_up_speeds(1, 10);
	meas.settings.warmup = 6000;
	assert_int_equal(settle(), 0);
	assert_true(sim.now[0] > 1100 * MS);
	assert_int_equal(meas.settling.seen, 6000);
	assert_int_equal(rec.steady, MC_STEADY_YES);
	/* It works while the sizes of windows and samples are found, however long it takes. */
	for (unsigned int i = 0; i < 2; i++) {
		set_up_sized(1, i ? 16 << 10 : 256 << 20, 10);
		mc_clock.cost_ps = i ? 1000 * NS : 20 * NS;
		assert_int_equal(settle(), 0);
		assert_int_equal(meas.settling.seen, 1);
	}
}

static void spend_time(struct mc_loop_args *args)
{
	sim_spend(args->bytes * base_ps);
}

/* A function of a test that does several things is as many loops. */
static void test_each_variant_is_a_loop(void **state)
{
	static const char variants[2];

	set_up_speeds(1, 10);
	sampler[0].pass.body = spend_time;
	for (unsigned int i = 0; i < 4; i++) {
		sampler[0].pass.variant = &variants[i / 2];
		meas.done = 0;
		meas.quota.enough = false;
		assert_int_equal(settle(), 0);
		assert_int_equal(meas.settling.seen, i % 2 ? 1 : MC_STEADY_SAMPLES);
	}
}

/* Faster from the third sample on that is thrown away, or that is kept. */
static int faster_from_warmup(struct mc_worker *w, struct mc_sampler *one, u32 round)
{
	base_ps = round < 3 ? 20 : 10;
	return 0;
}

static int faster_from_sample(struct mc_worker *w, struct mc_sampler *one, u32 round)
{
	base_ps = sample_of(one) < 5 ? 20 : 10;
	return 0;
}

/* A loop whose samples do not agree is waited for, even if its core is warm. */
static void test_samples_are_waited_for(void **state)
{
	set_up_speeds(1, 10000);
	meas.hooks.prepare = faster_from_warmup;
	assert_int_equal(settle(), 0);
	assert_samples_near((16 << 10) * 10);
	assert_int_equal(rec.steady, MC_STEADY_YES);
	/* If it changes during the samples, they say so. */
	set_up_speeds(1, 10000);
	meas.hooks.prepare = faster_from_sample;
	assert_int_equal(settle(), 0);
	assert_false(meas.settling.gave_up);
	assert_int_equal(rec.steady, MC_STEADY_NO);
	set_up_speeds(1, 400);
	slows = true;
	assert_int_equal(settle(), 0);
	assert_true(meas.settling.gave_up);
	assert_int_equal(rec.steady, MC_STEADY_NO);
	/* It has not waited for ever. */
	assert_true(sim.now[0] < 1300 * MS);
	assert_int_equal(meas.done, 10);
}

static u64 rest_ps;

/* Between two samples the core rests. */
static int rest(struct mc_worker *w, struct mc_sampler *one, u32 round)
{
	sim_spend(rest_ps);
	return 0;
}

/* The loop runs again for as long, but for a short rest. */
static void test_a_rest_between_samples_is_made_up_for(void **state)
{
	for (unsigned int k = 0; k < 3; k++) {
		unsigned int n = 1 + k % 2;
		u64 began;

		rest_ps = k < 2 ? 2 * MS : MS * 4 / 10;
		set_up_speeds(n, 10);
		/* In all, these take longer than the longest wait. */
		meas.settings.repeat = 50;
		meas.hooks.verify = rest;
		began = sim.now[0];
		assert_int_equal(settle(), 0);
		assert_int_equal(rec.steady, MC_STEADY_YES);
		assert_false(meas.settling.gave_up);
		assert_in_range(sim.now[0] - began, (k < 2 ? 99 : 50) * rest_ps,
				(k < 2 ? 125 : 75) * rest_ps);
	}
}

/* Other threads have the CPU for most of each window. */
static void preempt(struct mc_worker *w)
{
	w->disturbed = MC_BY_PREEMPTION;
	sim_spend(2 * MS);
}

/* Time that others had is not work of the loop, so the core does not become warm. */
static void test_time_of_others_is_no_work(void **state)
{
	set_up_speeds(1, 10);
	mc_threads_worker(threads, 0)->left_off = 0;
	sim.preemptible = true;
	sim.closing = preempt;
	assert_int_equal(settle(), 0);
	assert_true(meas.settling.gave_up);
	assert_int_equal(rec.steady, MC_STEADY_NOT_KNOWN);
	assert_int_equal(meas.settling.worked, 0);
	/* In the kernel they had it between two windows, and the window itself is work. */
	set_up_speeds(1, 10);
	mc_threads_worker(threads, 0)->left_off = 0;
	sim.closing = preempt;
	assert_int_equal(settle(), 0);
	assert_false(meas.settling.gave_up);
	assert_in_range(mc_ticks_to_ps(meas.settling.worked), 10 * MS, 20 * MS);
}

static unsigned int hindered;

/* Others had the CPU of one thread for a part of the window that nobody knows. */
static void preempt_one(struct mc_worker *w)
{
	if (w->index == hindered)
		w->disturbed = MC_BY_PREEMPTION;
}

/* All cores have to become warm, whichever thread it is whose core does not. */
static void test_one_cold_core_is_enough(void **state)
{
	for (unsigned int n = 2; n <= 3; n++) {
		for (hindered = 0; hindered < n; hindered++) {
			set_up_speeds(n, 10);
			mc_threads_worker(threads, hindered)->left_off = 0;
			sim.preemptible = true;
			sim.closing = preempt_one;
			meas.disturbed.keep = true;
			assert_int_equal(settle(), 0);
			assert_true(meas.settling.gave_up);
			assert_int_equal(rec.steady, MC_STEADY_NOT_KNOWN);
		}
	}
}

static u64 hit_from, hit_to;	/* from when to when others have a part in each window */
static u8 hit_by = MC_BY_PREEMPTION;

static void hit_by_time(struct mc_worker *w)
{
	if (sim.now[0] >= 1000 * MS + hit_from && sim.now[0] < 1000 * MS + hit_to)
		w->disturbed = hit_by;
}

/* Another core has not worked yet. */
static void test_a_migration_begins_anew(void **state)
{
	set_up_speeds(1, 10);
	mc_threads_worker(threads, 0)->left_off = 0;
	hit_from = 5 * MS;
	hit_to = 6 * MS;
	hit_by = MC_BY_MIGRATION;
	sim.closing = hit_by_time;
	assert_int_equal(settle(), 0);
	assert_true(sim.now[0] >= 1015 * MS);
	assert_in_range(mc_ticks_to_ps(meas.settling.worked), 10 * MS, 12 * MS);
	hit_by = MC_BY_PREEMPTION;
}

static enum mc_stolen always_stolen(int cpu, bool at_once)
{
	return MC_STOLEN;
}

/* Only others in the last samples make it unknown whether it is the loop that still changes. */
static void test_others_are_no_change_of_the_loop(void **state)
{
	static const struct {
		u64 from, to;
		int steady;
		u64 rest;	/* before each sample */
	} rows[] = {
		{ 0, 0, MC_STEADY_NO },
		{ 0, 20 * MS, MC_STEADY_NO },
		{ 50 * MS, 1000 * MS, MC_STEADY_NOT_KNOWN },
		{ 200 * MS, 1000 * MS, MC_STEADY_NO },		/* when the wait is over */
		{ 0, 20 * MS, MC_STEADY_NOT_KNOWN, 2 * MS },	/* no core becomes warm */
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		set_up_speeds(1, 400);
		slows = true;
		hit_from = rows[i].from;
		hit_to = rows[i].to;
		rest_ps = rows[i].rest;
		meas.hooks.prepare = rest;
		sim.closing = hit_by_time;
		assert_int_equal(settle(), 0);
		assert_true(meas.settling.gave_up);
		assert_int_equal(rec.steady, rows[i].steady);
	}
	set_up_speeds(1, 400);
	slows = true;
	sim.stolen = always_stolen;
	assert_int_equal(settle(), 0);
	assert_int_equal(rec.steady, MC_STEADY_NOT_KNOWN);
	/* Others that had a part in samples that were kept. */
	set_up_speeds(1, 10000);
	meas.hooks.prepare = faster_from_sample;
	assert_int_equal(settle(), 0);
	assert_int_equal(mc_settling_verdict(&meas.settling, samples, meas.done, true),
			 MC_STEADY_NOT_KNOWN);
}
