// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/benchmarks/ramp.c natively, with the real loops and threads in virtual time: how fast
 * a pass is depends on how long ago the core was idle, so each figure is known.
 */
#define TEST	mc_test_ramp
#include "stub/engine.h"

#define STEPS		40		/* the preset */
#define SIZE		(16ULL << 10)	/* the preset */
#define BYTES		(64ULL << 10)
#define PASS_PS		(100 * NS)	/* at full speed */
#define WINDOW_PASSES	128		/* so many take 12.8 us, and twice as many too long */
#define WINDOW_PS	(WINDOW_PASSES * PASS_PS)
#define READ_PS		(20 * NS)	/* the time counter, twice */
#define CLOCK_PS	(1032 * NS + 2 * READ_PS)	/* 96 and 4032 cycles at 4000 MHz */
#define COLD_PS		(3 * NS)		/* of code that has not run since a pause */
#define STEP_PS		(20 * WINDOW_PS + CLOCK_PS)	/* the least that is above 250 us */
#define FIRST_MIDDLE	1250		/* of a step of 250 us, in 100 ns */

/* ---------------------------------------------------------------- the machine */

static _Alignas(4096) u8 memory[BYTES];
static struct mc_span span;
static bool cold;
static u64 woke[THREADS_MOST];		/* when the core woke up */
static u64 slept;			/* ns for which all threads have slept */
static unsigned int sleeps;		/* how often */
static u64 passes_before;
static u64 (*pass_ps)(u64 awake_ps);
static void (*asleep)(void);
static void (*in_window)(struct mc_worker *w);

static u64 always_fast(u64 awake_ps)
{
	return PASS_PS;
}

static u64 slow_ps;

static u64 half_at_first(u64 awake_ps)
{
	return awake_ps < slow_ps ? 2 * PASS_PS : PASS_PS;
}

static u64 ever_faster(u64 awake_ps)
{
	return 3 * PASS_PS - min(awake_ps, 10 * MS) / 50000;
}

static u64 faster_rounds(u64 awake_ps)
{
	return sleeps < 6 ? PASS_PS / 8 * 9 : PASS_PS;
}

/* The job begins with its measurement. Only the timed pass counts its passes there. */
static u64 passes(void)
{
	return ((struct mc_measurement *)sim.arg)->each->pass.tally.passes;
}

static void opened(struct mc_worker *w)
{
	passes_before = passes();
	if (in_window)
		in_window(w);
}

static unsigned int drains;	/* of the last window with a timed pass */

static void closing(struct mc_worker *w)
{
	drains = passes() == passes_before ? drains : sim_drains;
	sim_drains = 0;
	sim_spend((passes() - passes_before) * pass_ps(w->began - woke[w->index]));
	/* There are more events before the second pause. */
	sim.event[0][0].value += (passes() - passes_before) * (sleeps < 2 ? 7 : 3);
}

static void on_sleep(u64 ns)
{
	slept += ns;
	sleeps++;
	cold = true;
	woke[sim_self()] = sim.now[sim_self()];
	if (asleep)
		asleep();
}

void mc_asm_clock(u64 cycles)
{
	sim_spend(cycles * 1000000 / 4000 + READ_PS + (cold ? COLD_PS : 0));
	cold = false;
}

static void costs(void)
{
	span = (struct mc_span){ memory, 0, BYTES };
	view = (struct mc_view){ &span, 1 };
	memset(woke, 0, sizeof(woke));
	slept = 0;
	sleeps = 0;
	pass_ps = always_fast;
	asleep = NULL;
	in_window = NULL;
	sim.opened = opened;
	sim.closing = closing;
	sim.slept = on_sleep;
	sim.events = 1;
}

/* --------------------------------------------------------------------- figures */

#define KB(ps)	mc_rounded(SIZE, 1000000000, ps)

/* All steps are at full speed, one after another. */
static void assert_flat(const struct mc_record *r, u64 idle_us)
{
	shows(r, "scope:0 step=null at_us=null mb_per_s:%llu first_mb_per_s:%llu core_mhz=4000; "
	      "first_core_mhz=4000 idle_us:%llu steady=yes payload_bytes=16384 verified=ok",
	      KB(PASS_PS), KB(PASS_PS), idle_us * 10);
	for (u64 k = 0; k < STEPS; k++) {
		const struct mc_record *one = r + 1 + k;

		shows(one, "scope:1 step:%llu at_us:%llu..%llu mb_per_s:%llu core_mhz=4000; "
		      "median_ns=100 verified=ok steady=null", k + 1,
		      FIRST_MIDDLE + k * STEP_PS / 100 / NS,
		      FIRST_MIDDLE + k * STEP_PS / 100 / NS + 1, KB(PASS_PS));
	}
}

static void test_a_core_that_is_always_fast(void **state)
{
	reset(1);
	pass_ps = always_fast;
	measured("ramp idle=0,20ms op=write warmup=1 repeat=10");
	assert_int_equal(n, 2 * (1 + STEPS));
	assert_int_equal(done, 2 * 11);
	assert_flat(rec, 0);
	assert_flat(rec + 1 + STEPS, 20000);
	all_show("samples=10");
	/* Each round of the second point has slept once. */
	assert_int_equal(sleeps, 11);
	assert_int_equal(slept, 11 * 20000000);
	assert_int_equal(sim.longest, WINDOW_PS);
	/* Those of the first round are not kept. */
	shows(&rec[1 + STEPS], "cycles=3");
	shows(&rec[2 + STEPS], "cycles=3");
}

/*
 * In a window at half the speed, a pass takes twice as long. Step 12 begins before the core is
 * fast: seven of its windows are slow, and six are not.
 */
static void test_a_core_at_half_speed_at_first(void **state)
{
	u64 mixed, k, from;

	reset(1);
	from = sim.now[0];
	pass_ps = half_at_first;
	slow_ps = 3 * MS;
	measured("ramp idle=5ms op=write warmup=0 repeat=3");
	/* A round is 10 ms of work, 5 of rest, and the steps. */
	assert_in_range(sim.now[0] - from, 3 * (15 * MS + STEPS * STEP_PS),
			3 * (16 * MS + STEPS * STEP_PS));
	assert_int_equal(n, 1 + STEPS);
	for (k = 0; k < 11; k++)
		shows(&rec[1 + k], "median_ns=200");
	mixed = (7 * 2 + 6) * WINDOW_PS / (13 * WINDOW_PASSES);
	shows(&rec[12], "median_ns:%llu", mixed);
	for (k = 12; k < STEPS; k++)
		shows(&rec[1 + k], "median_ns=100");
	shows(rec, "first_mb_per_s:%llu mb_per_s:%llu steady=yes idle_us=5000", KB(2 * PASS_PS),
	      KB(PASS_PS));
	/* Without a pause, the core has been awake for long. */
	measured("ramp idle=0 op=write warmup=0 repeat=3");
	assert_flat(rec, 0);
	/* All steps but those of the last quarter, and most of its first one. */
	slow_ps = 7900000 * NS;
	measured("ramp idle=5ms op=write warmup=0 repeat=3");
	shows(&rec[30], "median_ns=200");
	shows(&rec[31], "median_ns=100.001..200");
	shows(&rec[32], "median_ns=100");
	shows(rec, "mb_per_s:%llu", KB(PASS_PS));
}

static void test_a_core_that_never_settles(void **state)
{
	reset(1);
	pass_ps = ever_faster;
	measured("ramp idle=1ms op=write warmup=0 repeat=3");
	shows(rec, "steady=no");
	assert_true(figure(rec, "first_mb_per_s") < figure(rec, "mb_per_s"));
	/* All steps of a round are alike, but rounds are not. */
	reset(1);
	pass_ps = faster_rounds;
	measured("ramp idle=1ms op=write warmup=0 repeat=10");
	shows(rec, "steady=no");
	/* So few steps do not show it. */
	pass_ps = ever_faster;
	measured("ramp idle=1ms op=write steps=8 warmup=0 repeat=3");
	assert_int_equal(n, 1 + 8);
	shows(rec, "steady=null");
}

/* A window of the second round is disturbed, and lasts 1 ms longer. */
static unsigned int at_window, disturbed_window;

static void disturb(struct mc_worker *w)
{
	if (woke[0] && ++at_window == disturbed_window && sleeps == 2) {
		w->disturbed = MC_BY_INTERRUPT;
		sim_spend(1 * MS);
	}
}

static void awake(void)
{
	at_window = 0;
}

/* The last steps of the second round: each has a window for the clock, and one that is too long. */
static unsigned int late_steps, late_windows;

static void disturb_late(struct mc_worker *w)
{
	if (sleeps == 2 && w->began - woke[0] > (8 - late_steps) * STEP_PS &&
	    late_windows++ < 2 * late_steps) {
		w->disturbed = MC_BY_INTERRUPT;
		sim_spend(1 * MS);
	}
}

/* The last quarter is two steps, of which one will do. */
static void test_a_disturbed_end_is_left_out(void **state)
{
	for (late_steps = 1; late_steps <= 2; late_steps++) {
		reset(1);
		sim.kinds = MC_BY_INTERRUPT;
		in_window = disturb_late;
		late_windows = 0;
		measured("ramp idle=1ms op=write warmup=0 repeat=3 steps=8");
		shows(rec, "samples=%u max_ns=100 disturbed_interrupt=1", 4 - late_steps);
		shows(&rec[8], "left_out=1");
	}
}

static void test_a_disturbed_window_is_left_out(void **state)
{
	/*
	 * The first window measures the clock. A step of one window that is disturbed is left
	 * out, and one with another window is that one.
	 */
	for (disturbed_window = 2; disturbed_window <= 3; disturbed_window++) {
		bool alone = disturbed_window == 2;

		reset(1);
		sim.kinds = MC_BY_INTERRUPT;
		in_window = disturb;
		asleep = awake;
		measured("ramp idle=1ms op=write warmup=0 repeat=3");
		shows(&rec[1], "samples=%u left_out=%u windows_left_out=%u disturbed_interrupt=1; "
		      "max_ns=100", alone ? 2 : 3, alone, !alone);
		shows(&rec[2], "samples=3 disturbed_interrupt=0");
	}
}

/* ------------------------------------------------------------------- the contents */

static void test_each_operation_is_verified(void **state)
{
	static const char *const ops[] = { "read", "write", "copy", "triad" };
	static const unsigned int arrays[] = { 1, 1, 2, 3 };

	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++) {
		u64 bytes = SIZE / arrays[i] & ~63ULL;

		measured_on(1, "ramp idle=1ms op=%s width=8 steps=4 repeat=1", ops[i]);
		all_show("verified=ok");
		shows(rec, "payload_bytes=%llu", bytes * arrays[i]);
		assert_int_equal(rec->point.v[MC_KEY_FIRST + 2], 8);
	}
}

static void corrupt(struct mc_worker *w)
{
	((u64 *)memory)[7] = 0;
}

static void test_wrong_data_is_found(void **state)
{
	reset(1);
	in_window = corrupt;
	assert_int_equal(measure("ramp idle=1ms op=read steps=4 repeat=1"), -EBADMSG);
	assert_int_equal(n, 5);
	shows(rec, "verified=failed");
}

/* Stores that the caches do not take are waited for in the window. */
static void test_uncached_stores_are_waited_for(void **state)
{
	measured_on(1, "ramp idle=0 op=write steps=4 repeat=1 type=wc");
	assert_int_equal(drains, 1);
	measured("ramp idle=0 op=write steps=4 repeat=1");
	assert_int_equal(drains, 0);
	measured("ramp idle=0 op=read steps=4 repeat=1 type=wc");
	assert_int_equal(drains, 0);
}

/* --------------------------------------------------------------- who, and where */

static void test_cpus_take_turns(void **state)
{
	measured_on(3, "ramp idle=1ms op=write steps=8 cpu=0-2 repeat=2");
	assert_int_equal(n, 3 * 9);
	assert_int_equal(found, 3);
	for (unsigned int i = 0; i < n; i++) {
		assert_int_equal(rec[i].cpu, i / 9);
		shows(&rec[i], "threads=1 memory_node=%u mb_per_s:%llu", i / 9 / 2, KB(PASS_PS));
	}
}

/* ------------------------------------------------------- what can go wrong */

static void test_what_cant_be_run_is_refused(void **state)
{
	reset(1);
	assert_refused("ramp idle=0 op=triad size=2K", -EINVAL, "size");
	assert_refused("ramp idle=0 op=read,copy size=1K steps=4", -EINVAL, "size");
	sim.hide = 1U << MC_CPU_AVX | 1U << MC_CPU_AVX2;
	assert_refused("ramp idle=0 width=32", -EOPNOTSUPP, "width");
}

static void test_a_stop_keeps_what_there_is(void **state)
{
	assert_stopped(1, 3, "ramp idle=1ms op=write warmup=1 repeat=10 steps=4", 5);
	all_show("samples=2 verified=off");
}

/* A thread that sleeps for 200 ms looks after 50. */
static void stop_asleep(void)
{
	if (sleeps == 6)
		mc_threads_stop(run.threads, -ECANCELED);
}

static void test_a_stop_ends_a_pause(void **state)
{
	reset(1);
	asleep = stop_asleep;
	assert_int_equal(measure("ramp idle=200ms op=write warmup=0 repeat=10 steps=4"),
			 -ECANCELED);
	assert_int_equal(sleeps, 6);
	assert_int_equal(n, 5);
	shows(rec, "samples=1 idle_us=200000");
	/* Nothing is kept of the first round. */
	reset(1);
	sim.stop_at = 2;
	assert_int_equal(measure("ramp idle=200ms op=write warmup=0 steps=4"), -ECANCELED);
	assert_int_equal(sleeps, 1);
	assert_int_equal(n, 0);
}
