// SPDX-License-Identifier: GPL-2.0-only
/* module/measure/samples.c in virtual time: exactly how a number is measured. */
#include "cmocka_all.h"

#include "platform/os.h"
#include "stub/point.h"

static void assert_samples(u64 ps)
{
	assert_int_equal(meas.done, meas.settings.repeat);
	for (u32 i = 0; i < meas.done; i++)
		assert_int_equal(samples[i], ps);
}

/* --------------------------------------------------------------- the tests */

static const u64 speeds[] = {
	100, 130, 250, 500, NS, 3 * NS, 10 * NS, 30 * NS, 77 * NS, 200 * NS
};

static const u64 sizes[] = {
	PAGE, 5 * PAGE, 64 << 10, 333 * PAGE, 4 << 20, 64 << 20
};

static void windows_of(u64 bytes, u64 ps)
{
	set_up(1, bytes);
	speed[0] = ps;
	assert_int_equal(measure_point(), 0);
	assert_samples(bytes * ps);
}

/* 1 us for each byte, like uncached memory: a page would take 4 ms. */
static void test_windows_of_bytes_are_short(void **state)
{
	set_up(1, 64 << 10);
	sampler[0].pass.loop = &bytewise;
	speed[0] = 1000 * NS;
	assert_int_equal(measure_point(), 0);
	assert_in_range(sim.longest, 1, 25 * MS / 10);
}

static void windows_of_threads(u64 bytes, u64 ps)
{
	set_up(3, bytes);
	for (unsigned int i = 0; i < 3; i++)
		speed[i] = ps;
	assert_int_equal(measure_point(), 0);
	/* Each thread has its own part; all parts together take the time of one. */
	assert_samples_near(bytes * ps);
}

static void windows_of_readback(u64 bytes, u64 ps)
{
	set_up(1, bytes);
	sampler[0].pass.readback = &check;
	speed[0] = 100;
	check_speed = ps;
	assert_int_equal(measure_point(), 0);
	assert_samples(bytes * (100 + ps));

	set_up(1, bytes);
	sampler[0].pass.readback = &check;
	speed[0] = ps;
	check_speed = 100;
	assert_int_equal(measure_point(), 0);
	assert_samples(bytes * (100 + ps));
}

static int slow_down(struct mc_worker *w, struct mc_sampler *one, u32 round)
{
	if (sample_of(one) >= 0)
		speed[w->index] *= 2;
	return 0;
}

static void test_windows_are_short_on_memory_that_gets_slower(void **state)
{
	for (u64 bytes = PAGE; bytes <= 64 << 20; bytes *= 4) {
		set_up(1, bytes);
		speed[0] = 50;
		meas.hooks.prepare = slow_down;
		meas.settings.repeat = 9;
		assert_int_equal(measure_point(), 0);
		assert_int_equal(samples[8], bytes * speed[0]);
	}
}

/* A page costs @speed, or a tenth of it if it is among the last 16 MiB touched. */
static void run_cached(struct mc_loop_args *args)
{
	static u64 touched[32 << 20 >> 12], now;

	EXPECT(args->bytes % PAGE == 0 || args->bytes < PAGE);
	for (u64 pass = 0; pass < args->passes; pass++) {
		for (u64 at = 0; at < args->bytes; at += PAGE) {
			u64 *page = &touched[((u8 *)args->a + at - (u8 *)place(0, PAGE)) / PAGE];
			bool hit = *page && now - *page < 16 << 20;

			sim_spend(min(args->bytes, PAGE) * speed[0] / (hit ? 10 : 1));
			*page = now += PAGE;
		}
	}
}

static const struct mc_loop cached = { MC_OP_WRITE, 8, 0, run_cached };

static void test_windows_are_short_although_probed_from_a_cache(void **state)
{
	for (unsigned int k = 0; k < ARRAY_SIZE(speeds); k++) {
		set_up(1, 32 << 20);
		speed[0] = speeds[k];
		sampler[0].pass.loop = &cached;
		assert_int_equal(measure_point(), 0);
		assert_samples((32 << 20) * speeds[k]);
	}
}

static void steal(struct mc_worker *w)
{
	if (sim.windows % 16 == 0)
		sim_spend(4 * MS);
}

static void test_windows_grow_back_when_a_hypervisor_stole_time(void **state)
{
	u64 windows;

	set_up(1, 64 << 20);
	assert_int_equal(measure_point(), 0);
	windows = sim.windows;
	set_up(1, 64 << 20);
	sim.closing = steal;
	mc_threads_run(threads, mc_measure, &meas);
	assert_in_range(sim.windows, windows, 3 * windows);
}

static void run_whole(struct mc_loop_args *args)
{
	EXPECT(args->bytes == sampler[sim_self()].pass.bytes);
	loop.run(args);
}

static const struct mc_loop string = { MC_OP_REP_STOSB, 1, 0, run_whole };

static void strings_of(u64 bytes, u64 ps)
{
	for (unsigned int n = 1; n <= 3; n += 2) {
		set_up(n, bytes);
		for (unsigned int i = 0; i < n; i++) {
			sampler[i].pass.loop = &string;
			sampler[i].pass.whole = true;
			speed[i] = ps;
		}
		assert_int_equal(mc_threads_run(threads, mc_measure, &meas), 0);
		assert_null(sim.failed);
		assert_samples_near(bytes * ps);
	}
}

static u64 cost_ps;

static int assert_long(struct mc_worker *w, struct mc_sampler *one, u32 round)
{
	EXPECT(one->sample.counted_ticks >= 100 * cost_ps);
	return 0;
}

static void long_samples(unsigned int n, u64 bytes, bool slowest_first)
{
	set_up(n, bytes);
	mc_clock.cost_ps = cost_ps;
	sim.overhead = cost_ps;
	meas.hooks.verify = assert_long;
	for (unsigned int i = 0; i < n; i++) {
		speed[i] = 100 << (slowest_first ? n - 1 - i : i);
		/* So that none but the warm-up is thrown away. */
		mc_threads_worker(threads, i)->agreed = &loop;
	}
	assert_int_equal(measure_point(), 0);
}

/*
 * Clocks from a time stamp counter to one that a hypervisor emulates. The first thread says how
 * much all do. If it is the fastest of many, that takes the others seconds of a slow clock.
 */
static void test_samples_last_100_clock_costs(void **state)
{
	for (cost_ps = 7 * NS; cost_ps <= 50000 * NS; cost_ps *= 3) {
		for (u64 bytes = 64; bytes <= 64 << 20; bytes *= 5) {
			for (unsigned int n = 1; n <= THREADS_MOST; n++) {
				long_samples(n, bytes, true);
				if (cost_ps < 1000 * NS || n == 2)
					long_samples(n, bytes, false);
			}
		}
	}
}

static u64 steal_at;

static void steal_once(struct mc_worker *w)
{
	if (sim.windows == steal_at)
		sim_spend(1 * MS);
}

/* Those that are kept, together, in windows of an eighth each; those before them stay short. */
static void test_samples_of_caches_are_stretched(void **state)
{
	static const struct {
		unsigned int threads;
		u64 bytes, spread, least, most;	/* least, most: ms of a sample */
	} rows[] = {
		{ 1, PAGE, 30 * MS, 3, 4 }, { 1, PAGE, 0, 0, 1 }, { 1, 256 << 10, 30 * MS, 3, 4 },
		{ 2, PAGE, 30 * MS, 3, 4 }, { 1, 4 << 20, 300 * MS, 4, 5 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 sample, from;

		set_up(rows[i].threads, rows[i].bytes);
		from = sim.now[0];
		speed[0] = NS;
		speed[1] = NS;
		meas.settings.repeat = 10;
		meas.settings.spread = rows[i].spread;
		assert_int_equal(measure_point(), 0);
		sample = sampler[0].cal.passes_a_sample * sampler[0].pass.bytes * NS;
		assert_in_range(sample, rows[i].least * MS, rows[i].most * MS);
		assert_in_range(sim.now[0] - from, 10 * sample, 10 * sample + 30 * MS);
		if (rows[i].bytes == PAGE && rows[i].spread)
			assert_in_range(sim.longest, 1, sample / 8);
	}
}

/* A hypervisor may have made any of the windows long. */
static void test_samples_last_although_time_was_stolen(void **state)
{
	cost_ps = 20 * NS;
	for (steal_at = 0; steal_at < 12; steal_at++) {
		set_up(1, 64);
		speed[0] = 10;
		meas.hooks.verify = assert_long;
		sim.closing = steal_once;
		assert_int_equal(measure_point(), 0);
	}
}

static void test_only_time_in_windows_counts(void **state)
{
	set_up(1, 10 << 20);
	sim.gap = 7 * MS;
	assert_int_equal(measure_point(), 0);
	assert_true(sim.windows > 4 * 5);
	assert_samples((10 << 20) * NS);

	set_up(2, 10 << 20);
	sim.gap = 7 * MS;
	assert_int_equal(measure_point(), 0);
	assert_samples((10 << 20) * NS);
}

static int speed_of_round(struct mc_worker *w, struct mc_sampler *one, u32 round)
{
	speed[0] = (round + 1) * NS;
	return 0;
}

static void test_warmups_are_not_kept(void **state)
{
	set_up(1, 1 << 20);
	meas.hooks.prepare = speed_of_round;
	meas.settings.warmup = 4;
	meas.settings.repeat = 7;
	assert_int_equal(measure_point(), 0);
	assert_int_equal(meas.done, 7);
	assert_int_equal(ticks, 11);
	for (u64 i = 0; i < 7; i++)
		assert_int_equal(samples[i], (4 + i + 1) * NS << 20);

	set_up(1, 1 << 20);
	meas.settings.warmup = 0;
	meas.settings.repeat = 1;
	assert_int_equal(measure_point(), 0);
	assert_int_equal(meas.done, 1);
	assert_int_equal(ticks, 1);
}

/* ------------------------------------------------------ each byte, once a pass */

static void trace(unsigned int n, const struct mc_loop *l, u64 bytes, u64 ps)
{
	unsigned int arrays = mc_ops[l->op].arrays;

	for (unsigned int i = 0; i < n; i++) {
		speed[i] = ps * (i + 1);
		sampler[i].pass.loop = l;
		sampler[i].pass.bytes = bytes;
		for (unsigned int k = 0; k < arrays; k++)
			sampler[i].pass.offset[k] = (i * arrays + k) * bytes;
		sampler[i].pass.fence = MC_FENCE_UC;
		sampler[i].pass.uc_word = &meas;
	}
	meas.hooks.prepare = begin_trail;
	meas.hooks.verify = end_trail;
	assert_int_equal(measure_point(), 0);
}

static void traces_of(u64 bytes, u64 ps)
{
	if (bytes > 4 << 20)
		return;
	for (unsigned int n = 1; n <= 2; n++) {
		set_up(n, bytes);
		trace(n, &loop, bytes, ps);
		set_up(n, bytes);
		odd_spans(n * bytes);
		trace(n, &loop, bytes, ps);
		/* Arrays of whole lines, which begin and end inside pages. */
		set_up(n, bytes);
		odd_spans(n * bytes);
		trace(n, &triad, bytes / 3 & ~63ULL, ps);
		set_up(n, bytes);
		odd_spans(n * bytes);
		sampler[0].pass.readback = &check;
		check_speed = 300;
		trace(n, &loop, bytes - 64, ps);
	}
}

static void test_every_size_and_speed(void **state)
{
	static const struct {
		const char *what;
		void (*test)(u64 bytes, u64 ps);
	} rows[] = {
		{ "windows are short", windows_of },
		{ "windows of threads are short", windows_of_threads },
		/* Writes are combined; the read back is not cached, and 2000 times as slow. */
		{ "windows are short if the read back is slow", windows_of_readback },
		{ "no window cuts a string instruction", strings_of },
		{ "each byte once a pass", traces_of },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		print_message("%s\n", rows[i].what);
		for (unsigned int k = 0; k < ARRAY_SIZE(sizes); k++)
			for (unsigned int j = 0; j < ARRAY_SIZE(speeds); j++)
				rows[i].test(sizes[k], speeds[j]);
	}
}

static struct mc_scatter scatter;
static u64 scattered_bytes;
static unsigned int fences;

static void scattered(struct mc_loop_args *args)
{
	EXPECT(args->value == 1 + scattered_bytes / 8);
	fences += args->fence != MC_FENCE_NONE;
	scattered_bytes += args->scatter->left * 64;
	sim_spend(args->scatter->left * 64 * speed[0]);
}

static int one_untimed_pass(struct mc_worker *w, void *arg)
{
	return mc_pass_untimed(w, &sampler[0].pass);
}

/* Parts of a pass in random order go on where the last one ended; the last has the fence. */
static void test_lines_in_random_order_once_a_pass(void **state)
{
	struct mc_loop random = loop;

	for (unsigned int k = 0; k < ARRAY_SIZE(speeds); k++) {
		set_up(1, 3 << 20);
		speed[0] = speeds[k];
		random.run_scatter = scattered;
		sampler[0].pass.loop = &random;
		sampler[0].pass.scatter = &scatter;
		sampler[0].pass.value = 1;
		sampler[0].pass.fence = MC_FENCE_SFENCE;
		scattered_bytes = 0;
		fences = 0;
		assert_int_equal(mc_threads_run(threads, one_untimed_pass, NULL), 0);
		assert_null(sim.failed);
		assert_int_equal(scattered_bytes, 3 << 20);
		assert_int_equal(fences, 1);
	}
}

static int untimed(struct mc_worker *w, void *arg)
{
	struct mc_pass *p = &sampler[0].pass;

	begin_trail(w, &sampler[0], 0);
	EXPECT(!mc_pass_untimed(w, p));
	EXPECT(trail_is_one_pass() && p->tally.passes == 1);
	return 0;
}

static void test_an_untimed_pass(void **state)
{
	for (unsigned int k = 0; k < ARRAY_SIZE(speeds); k++) {
		set_up(1, 3 << 20);
		odd_spans(3 << 20);
		speed[0] = speeds[k];
		assert_int_equal(mc_threads_run(threads, untimed, NULL), 0);
		assert_null(sim.failed);
		assert_true(sim.longest <= 5 * MS);
	}
}

/* ------------------------------------------------------- what can go wrong */

static u64 stop_at;

static void stop(struct mc_worker *w)
{
	if (sim.windows == stop_at)
		mc_threads_stop(w->threads, -ETIME);
}

static void test_a_stop_keeps_the_samples_before(void **state)
{
	for (unsigned int n = 1; n <= 3; n++) {
		u64 windows;
		u32 most = 0;

		set_up(n, 8 << 20);
		assert_int_equal(measure_point(), 0);
		windows = sim.windows;
		for (stop_at = 0; stop_at < windows; stop_at++) {
			set_up(n, 8 << 20);
			sim.opened = stop;
			assert_int_equal(measure_point(), -ETIME);
			assert_in_range(meas.done, most, 2);
			most = meas.done;
			for (u32 i = 0; i < meas.done; i++)
				assert_int_equal(samples[i], (8 << 20) * NS);
		}
		assert_int_equal(most, 2);
	}
}

/* Before the second sample that is kept, and after it. */
static int fail_before(struct mc_worker *w, struct mc_sampler *one, u32 round)
{
	return sample_of(one) == 1 && w->index == sim.n - 1 ? -ENODEV : 0;
}

static int fail_after(struct mc_worker *w, struct mc_sampler *one, u32 round)
{
	return sample_of(one) == 2 && w->index == sim.n - 1 ? -ENODEV : 0;
}

static void test_what_a_thread_fails_with_stops_all(void **state)
{
	for (unsigned int n = 1; n <= 3; n++) {
		set_up(n, PAGE);
		meas.hooks.prepare = fail_before;
		assert_int_equal(measure_point(), -ENODEV);
		assert_int_equal(meas.done, 1);
		set_up(n, PAGE);
		meas.hooks.verify = fail_after;
		assert_int_equal(measure_point(), -ENODEV);
		assert_int_equal(meas.done, 2);
	}
}

static bool backwards[THREADS_MOST];

static int step_back(struct mc_worker *w, struct mc_sampler *one, u32 round)
{
	backwards[w->index] = sample_of(one) == 1 && w->index == sim.n - 1;
	return 0;
}

static void run_backwards(struct mc_worker *w)
{
	if (backwards[w->index])
		sim.now[w->index] = w->began - 5;
	backwards[w->index] = false;
}

static void test_a_clock_that_runs_backwards(void **state)
{
	for (unsigned int n = 1; n <= 2; n++) {
		set_up(n, 8 << 20);
		meas.hooks.prepare = step_back;
		sim.closing = run_backwards;
		assert_int_equal(measure_point(), 0);
		assert_int_equal(meas.left_out, MC_LEFT_CLOCK);
		assert_int_equal(meas.done, 3);
		assert_int_equal(samples[0], (8 << 20) * NS);
		assert_true(samples[1] == MC_NO_SAMPLE);
		assert_int_equal(samples[2], (8 << 20) * NS);
	}
}

/* ------------------------------------------------------------ several threads */

/* While a thread waits, the others have the memory to themselves. */
static void faster_alone(struct mc_worker *w)
{
	bool alone = false;

	for (unsigned int i = 0; i < THREADS_MOST; i++)
		alone |= sim.now[i] < sim.now[w->index];
	speed[w->index] = (w->index + 1) * (alone ? NS / 10 : NS);
}

static void test_no_thread_is_timed_while_another_waits(void **state)
{
	double rate = 0;

	set_up(THREADS_MOST, 8 << 20);
	sim.opened = faster_alone;
	assert_int_equal(measure_point(), 0);
	for (unsigned int i = 0; i < THREADS_MOST; i++)
		rate += 1.0 / ((i + 1) * NS);
	for (u32 i = 0; i < meas.done; i++)
		assert_float_equal(samples[i] * rate, THREADS_MOST * (8 << 20), 100);
}

/* The slow one has not even closed its first window when the fast one ends. */
static void test_a_thread_far_behind_counts_too(void **state)
{
	set_up(2, PAGE);
	speed[1] = 1000 * NS;
	assert_int_equal(measure_point(), 0);
	assert_float_equal(samples[0] * (1.0 / NS + 0.001 / NS), 2 * PAGE, 1);
}

static void test_sum_of_run(void **state)
{
	static const u64 firsts[] = { 0, 1, 77, 1ULL << 40, ~0ULL - 5, 0x400ULL << 52 };

	static const u64 steps[] = { 0, 1, 0x9e3779b97f4a7c15 };

	for (unsigned int i = 0; i < ARRAY_SIZE(firsts) * ARRAY_SIZE(steps); i++) {
		u64 first = firsts[i / ARRAY_SIZE(steps)];
		u64 step = steps[i % ARRAY_SIZE(steps)], sum = 0;

		for (u64 n = 0; n < 3000; n++) {
			assert_int_equal(mc_sum_of_run(first, step, n), sum);
			sum += first + n * step;
		}
	}
}
