// SPDX-License-Identifier: GPL-2.0-only
/* module/measure/disturbed.c in virtual time: what is left out, and how it is counted. */
#include "cmocka_all.h"
#include "json.h"

#include "measure/disturbed.h"
#include "platform/os.h"
#include "stub/point.h"

#define KINDS	(MC_BY_INTERRUPT | MC_BY_MIGRATION | MC_BY_STEAL | MC_BY_PREEMPTION)
#define LONG	(10ULL << 20)	/* bytes of a sample of several windows: 1 ns each */
#define SHORT	(LONG / 10)	/* of one window */

static struct mc_record rec;
static bool others;
static struct mc_stats stats;
static unsigned int windows[THREADS_MOST];	/* of the current sample */
static int sample[THREADS_MOST];		/* -1: a warm-up, or none yet */
typedef u8 what_happens(unsigned int thread, int sample, unsigned int window);
static what_happens *happens;			/* NULL: nothing */

static int next_sample(struct mc_worker *w, struct mc_sampler *one, u32 round)
{
	sample[w->index] = sample_of(one);
	windows[w->index] = 0;
	return 0;
}

/* A disturbance makes a window 1 ms longer. */
static void disturb(struct mc_worker *w)
{
	unsigned int i = w->index;

	w->disturbed = sample[i] < 0 || !happens ? 0 : happens(i, sample[i], windows[i]++);
	if (w->disturbed)
		sim_spend(1 * MS);
}

static void begin(unsigned int n, u64 bytes, u32 repeat, what_happens *to_it)
{
	happens = to_it;
	set_up(n, bytes);
	memset(disturbed, 0, sizeof(disturbed));
	rec = (struct mc_record){ 0 };
	sim.kinds = KINDS;
	sim.closing = disturb;
	meas.hooks.prepare = next_sample;
	meas.settings.repeat = repeat;
	for (unsigned int i = 0; i < n; i++)
		sample[i] = -1;
}

static void measure(void)
{
	assert_int_equal(measure_point(), 0);
	mc_disturbed_record(&meas, &rec);
	others = mc_disturbed_by_others(&meas);
	mc_stats_of(&stats, samples, meas.done);
	assert_int_equal(stats.samples + stats.left_out, meas.settings.repeat);
	assert_int_equal(!!stats.left_out, !!(meas.left_out & MC_LEFT_DISTURBED));
}

static void assert_seen(u32 interrupts, u32 migrations, u32 steals)
{
	assert_int_equal(rec.watched, KINDS);
	assert_int_equal(rec.disturbed[0], interrupts);
	assert_int_equal(rec.disturbed[1], migrations);
	assert_int_equal(rec.disturbed[2], steals);
}

/* ------------------------------------------------------------------ windows */

/* In the windows of a sample, or in a sample: the kind of what happens, and where it does. */
static u8 second_window(unsigned int thread, int s, unsigned int window)
{
	return window == 1 ? MC_BY_INTERRUPT : 0;
}

static u8 all_but_first(unsigned int thread, int s, unsigned int window)
{
	return s == 1 && window != 0 ? MC_BY_MIGRATION : 0;
}

static u8 all_but_second(unsigned int thread, int s, unsigned int window)
{
	return s == 1 && window != 1 ? MC_BY_MIGRATION : 0;
}

static u8 last_thread(unsigned int thread, int s, unsigned int window)
{
	return s == 1 && thread == meas.n - 1 ? MC_BY_INTERRUPT : 0;
}

static u8 preempted(unsigned int thread, int s, unsigned int window)
{
	return s == 1 ? MC_BY_PREEMPTION : 0;
}

#define READBACK_PS	300	/* of a byte */

static void test_a_window_is_left_out_of_a_sample(void **state)
{
	static const struct {
		unsigned int threads;
		u64 bytes;
		what_happens *happens;
		bool keep, readback;
		u32 left_out, windows;		/* samples, and windows of others */
		bool longer;			/* samples by what happened */
		u32 seen[4];
	} rows[] = {
		{ 1, LONG, second_window, .windows = 3, .seen = { 3 } },
		{ 2, LONG, second_window, .windows = 6, .seen = { 3 } },
		{ 1, LONG, second_window, .keep = true, .longer = true, .seen = { 3 } },
		/*
		 * Windows of writing and of reading back differ, so none can stand for another: a
		 * pass of both is whole or not there at all.
		 */
		{ 1, LONG, second_window, .readback = true, .longer = true, .seen = { 3 } },
		/* One clean window of about six is too few: the sample is left out. */
		{ 1, LONG, all_but_first, .left_out = 1, .seen = { 0, 1 } },
		{ 1, LONG, all_but_second, .left_out = 1, .seen = { 0, 1 } },
		/* A sample is hit if one thread was. */
		{ 2, LONG, last_thread, .left_out = 1, .seen = { 1 } },
		{ 3, LONG, last_thread, .left_out = 1, .seen = { 1 } },
		{ 4, LONG, last_thread, .left_out = 1, .seen = { 1 } },
		{ 5, LONG, last_thread, .left_out = 1, .seen = { 1 } },
		{ 6, LONG, last_thread, .left_out = 1, .seen = { 1 } },
		{ 1, SHORT, preempted, .left_out = 1, .seen = { 0, 0, 0, 1 } },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 ps = rows[i].bytes * (NS + rows[i].readback * READBACK_PS) +
			 rows[i].longer * MS;
		/* The rates of several threads are rounded. */
		u64 off = rows[i].threads > 1 ? 10 : 0;

		print_message("row %u\n", i);
		begin(rows[i].threads, rows[i].bytes, 3, rows[i].happens);
		meas.disturbed.keep = rows[i].keep;
		sampler[0].pass.readback = rows[i].readback ? &check : NULL;
		check_speed = READBACK_PS;
		measure();
		assert_int_equal(stats.left_out, rows[i].left_out);
		assert_in_range(stats.min_ps, ps - off, ps + off);
		assert_in_range(stats.max_ps, ps - off, ps + off);
		assert_int_equal(rec.watched, KINDS);
		assert_memory_equal(rec.disturbed, rows[i].seen, sizeof(rows[i].seen));
		assert_int_equal(rec.windows_left_out, rows[i].windows);
	}
}

static void test_a_quarter_of_a_sample_can_stand_for_it(void **state)
{
	begin(1, SHORT, 1, NULL);
	for (u64 hit = 2999; hit <= 3001; hit++) {
		bool enough = hit <= 3000;

		sampler[0].sample.counted_bytes = 1000;
		sampler[0].sample.disturbed_bytes = hit;
		sampler[0].sample.disturbed_windows = 3;
		mc_disturbed_windows(&sampler[0]);
		assert_int_equal(sampler[0].sample.in_time, !enough);
		assert_int_equal(sampler[0].sample.counted_bytes, enough ? 1000 : 1000 + hit);
		assert_int_equal(sampler[0].sample.disturbed_windows, enough ? 3 : 0);
	}
}

/* ------------------------------------------------------------------ samples */

static int hit_samples;
static u8 hit_by = MC_BY_INTERRUPT;

static u8 first_samples(unsigned int thread, int s, unsigned int window)
{
	return s < hit_samples ? hit_by : 0;
}

static void test_samples_are_left_out_while_half_are_clean(void **state)
{
	for (hit_samples = 0; hit_samples <= 9; hit_samples++) {
		bool most = hit_samples > 4;

		begin(1, SHORT, 9, first_samples);
		measure();
		assert_int_equal(stats.left_out, most ? 0 : hit_samples);
		assert_int_equal(stats.max_ps, SHORT * NS + (most ? MS : 0));
		assert_seen(hit_samples, 0, 0);

		begin(1, SHORT, 9, first_samples);
		meas.disturbed.keep = true;
		measure();
		assert_int_equal(stats.left_out, 0);
		assert_seen(hit_samples, 0, 0);
	}
}

/* Those of samples that are left out have no part in the figures; an interrupt is no thread. */
static void test_others_have_a_part_in_the_time(void **state)
{
	for (hit_by = MC_BY_INTERRUPT; hit_by <= MC_BY_PREEMPTION; hit_by *= 2)
		for (hit_samples = 0; hit_samples <= 9; hit_samples++) {
			begin(1, SHORT, 9, first_samples);
			measure();
			assert_int_equal(others, hit_samples > 4 && hit_by != MC_BY_INTERRUPT);
		}
	hit_by = MC_BY_INTERRUPT;
}

static void test_warmups_are_not_counted(void **state)
{
	begin(1, SHORT, 5, first_samples);
	hit_samples = 5;
	meas.settings.warmup = 0;
	measure();
	assert_seen(5, 0, 0);
	begin(1, SHORT, 5, first_samples);
	hit_samples = 0;
	meas.settings.warmup = 4;
	measure();
	assert_seen(0, 0, 0);
	assert_int_equal(stats.left_out, 0);
}

static void run_backwards(struct mc_worker *w)
{
	disturb(w);
	if (sample[w->index] == 1)
		sim.now[w->index] = w->began - 5;
}

/* A sample that the clock discards is neither hit nor clean: 2 of 5 are clean, 2 were hit. */
static void test_a_bad_clock_is_another_reason(void **state)
{
	begin(1, SHORT, 5, first_samples);
	hit_samples = 3;
	sim.closing = run_backwards;
	measure();
	assert_int_equal(stats.samples, 2);
	assert_int_equal(meas.left_out, MC_LEFT_CLOCK | MC_LEFT_DISTURBED);
}

/* -------------------------------------------------------------- stolen time */

static int looks, theft;

/* It looks before the samples, and then has time to look once in three. */
static enum mc_stolen look(int cpu, bool at_once)
{
	EXPECT(at_once || looks >= 0);
	looks = max(looks, 0);
	if (!at_once && (sample[cpu] < 0 || ++looks % 3))
		return MC_NOT_LOOKED;
	return sample[cpu] == theft ? MC_STOLEN : MC_NOT_STOLEN;
}

/* @s: sample of @repeat in which time is stolen */
static void steal_in(int s, u32 repeat)
{
	begin(1, SHORT, repeat, NULL);
	meas.settings.warmup = 0;
	looks = -1;
	theft = s;
	sim.stolen = look;
	measure();
}

static void test_all_samples_since_the_last_look_are_suspects(void **state)
{
	steal_in(5, 9);
	assert_seen(0, 0, 3);
	assert_int_equal(stats.left_out, 3);
	steal_in(4, 9);	/* the detector has not looked */
	assert_seen(0, 0, 0);
	assert_int_equal(stats.left_out, 0);
}

static void test_the_last_samples_are_looked_at_too(void **state)
{
	steal_in(7, 8);
	assert_seen(0, 0, 2);
}

/* -------------------------------------------------------------- what is reported */

static void test_what_is_not_watched_is_not_known(void **state)
{
	begin(1, SHORT, 3, first_samples);
	hit_samples = 1;
	meas.disturbed.unwatched = true;
	measure();
	assert_int_equal(rec.watched, 0);
	assert_int_equal(stats.samples, 3);
}

static void test_what_is_recognised_is_told(void **state)
{
	static const char clock[] =
		"\"clock\":\"monotonic_raw\",\"clock_khz\":1000000000,\"clock_cost_ns\":20.000,";

	begin(1, SHORT, 1, NULL);
	assert_memory_equal(WRITTEN(mc_times_json), clock, strlen(clock));
	assert_string_equal(WRITTEN(mc_times_json) + strlen(clock),
			    "\"recognised\":[\"interrupt\",\"migration\",\"steal\",\"preemption\"]");
	sim.kinds = MC_BY_MIGRATION;
	assert_non_null(strstr(WRITTEN(mc_times_json), "\"recognised\":[\"migration\"]"));
	sim.kinds = 0;
	assert_non_null(strstr(WRITTEN(mc_times_json), "\"recognised\":[]"));
}
