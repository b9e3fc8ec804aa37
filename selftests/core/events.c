// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/measure/events.c natively, with threads in virtual time: each operation costs a
 * known number of each event, so each figure is known.
 */

#define TEST	mc_test_overhead
#include "stub/engine.h"

#include "stub/passes.h"

#define BATCH		16384		/* operations of a pass */
#define OPERATION_PS	(3 * NS)

/* ---------------------------------------------------------------- the events */

/* Part of the time for which an event of a thread is on its PMU: 1/N; 0: never. */
static u64 share[THREADS_MOST][MC_NEVENTS];

/* Whatever happens between windows does not count. */
static void count(const struct mc_worker *w, u64 operations, u64 ps)
{
	for (unsigned int i = 0; i < MC_NEVENTS; i++) {
		struct mc_reading *event = &sim.event[w->index][i];

		u64 part = share[w->index][i];

		event->enabled += ps;
		event->running += part ? ps / part : 0;
		event->value += part ? operations * (i + 1) / part : 0;
	}
}

static void closing(struct mc_worker *w)
{
	u64 operations = passes_in_window(w) * BATCH;

	sim_spend(operations * OPERATION_PS);
	count(w, operations, operations * OPERATION_PS);
}

static void costs(void)
{
	sim.opened = note_passes;
	sim.closing = closing;
	sim.overhead = 1;
}

static void measure_events(unsigned int threads, unsigned int events, unsigned int refused, int err)
{
	reset(threads);
	sim.events = events;
	sim.refuses[refused] = err;
	measured("overhead item=loop repeat=4 warmup=1 cpu=1-%u", threads);
	assert_int_equal(n, 1);
	assert_int_equal(sim.closed, (events - !!err) * threads);
}

static void each_is_on_its_pmu(void)
{
	for (unsigned int i = 0; i < THREADS_MOST; i++) {
		for (unsigned int k = 0; k < MC_NEVENTS; k++)
			share[i][k] = 1;
	}
}

/* ----------------------------------------------------------------- the tests */

static void test_events_are_those_of_the_windows_of_all_threads(void **state)
{
	each_is_on_its_pmu();
	for (unsigned int threads = 1; threads <= 3; threads++) {
		measure_events(threads, MC_NEVENTS, 0, 0);
		shows(rec, "events_why=null");
		assert_int_equal(rec->events.counted, (1 << MC_NEVENTS) - 1);
		for (unsigned int i = 0; i < MC_NEVENTS; i++)
			assert_int_equal(rec->events.milli[i], 1000ULL * threads * BATCH * (i + 1));
		assert_int_equal(rec->events.timed, (1 << MC_NEVENTS) - 1);
		for (unsigned int i = 0; i < MC_NEVENTS; i++)
			assert_int_equal(rec->events.ran_ppm[i], 1000000);
	}
}

static void test_one_that_took_turns_is_scaled_up(void **state)
{
	each_is_on_its_pmu();
	share[0][1] = 2;
	share[1][1] = 2;
	measure_events(2, 2, 0, 0);
	assert_int_equal(rec->events.counted, 3);
	shows(rec, "cycles=32768 instructions=65536");
	assert_int_equal(rec->events.ran_ppm[0], 1000000);
	assert_int_equal(rec->events.ran_ppm[1], 500000);
}

static void test_each_thread_is_scaled_by_its_own_time(void **state)
{
	each_is_on_its_pmu();
	share[1][0] = 4;
	measure_events(3, 1, 0, 0);
	shows(rec, "cycles=49152 cycles_ran_percent=25 instructions_ran_percent=null");
	assert_int_equal(rec->events.ran_ppm[0], 250000);
}

static void test_one_that_never_ran_on_a_thread_has_no_sum(void **state)
{
	for (unsigned int i = 0; i < 3; i++) {
		unsigned int idle = i / 2, threads = 1 + (i > 0);

		each_is_on_its_pmu();
		share[idle][0] = 0;
		measure_events(threads, 2, 0, 0);
		assert_int_equal(rec->events.counted, 2);
		shows(rec, "events_why=did_not_run");
		assert_int_equal(rec->events.ran_ppm[0], 0);
		shows(rec, "instructions:%llu", 1000ULL * threads * BATCH * 2);
	}
}

/* A thread with this many cycles, of which those in @running of @enabled ns were counted. */
static struct mc_events_tally counted(u64 cycles, u64 enabled, u64 running)
{
	return (struct mc_events_tally){
		.why = MC_EVENTS_COUNTED, .missing = ~1U,
		.sum[0] = { cycles * running / enabled, enabled, running },
	};
}

static struct mc_events_total all;	/* threads that have joined */

static void join(struct mc_events_tally one)
{
	mc_events_join(&all, &one);
}

/* Make the record of so many samples of all of them, and forget them. */
static void record(u32 samples)
{
	rec->events = (struct mc_events_counted){ 0 };
	mc_events_record(&all, samples, &rec->events);
	all = (struct mc_events_total){ 0 };
}

/* Two threads that had 11,000 cycles together, in one pass. */
static void count_11000(u64 running)
{
	join(counted(7000, 10000, 10000));
	join(counted(4000, 10000, running));
	record(1);
}

static void test_no_thread_is_extrapolated_from_others(void **state)
{
	count_11000(0);
	assert_int_equal(rec->events.counted, 0);
	shows(rec, "events_why=did_not_run");
	count_11000(10000 / 3);
	shows(rec, "cycles=10998..11000");
	assert_int_equal(rec->events.ran_ppm[0] / 100, 3333);
	count_11000(10000);
	shows(rec, "cycles=11000");
	assert_int_equal(rec->events.ran_ppm[0], 1000000);
}

/* Of short samples, an event that takes turns is in some only. */
static void test_a_sample_without_the_event_counts_as_others_of_its_thread(void **state)
{
	const struct mc_events_tally with = counted(3000, 100, 100),
				     without = counted(3000, 100, 0);
	struct mc_events_tally thread = { 0 };

	mc_events_add(&thread, &with, 1, 1);
	mc_events_add(&thread, &without, 1, 1);
	mc_events_add(&thread, &without, 1, 1);
	join(thread);
	record(3);
	shows(rec, "cycles=3000");
	assert_int_equal(rec->events.ran_ppm[0] / 100, 3333);
}

/* A sample does the work of four passes, so a quarter of its counts is that of a pass. */
static void test_counts_are_scaled_to_a_pass(void **state)
{
	const struct mc_events_tally one = counted(6000, 100, 100);
	struct mc_events_tally thread = { 0 };

	mc_events_add(&thread, &one, 64, 256);
	mc_events_add(&thread, &one, 64, 256);
	join(thread);
	record(2);
	shows(rec, "cycles=1500");
}

/* The clock of perf can be too coarse for a short sample. */
static void test_a_clock_that_stands_still_leaves_the_count(void **state)
{
	struct mc_events_tally one = counted(5, 1, 1);

	one.sum[0].enabled = 0;
	one.sum[0].running = 0;
	join(one);
	record(1);
	shows(rec, "cycles=5");
	assert_int_equal(rec->events.timed, 0);
}

static void test_one_that_no_pmu_has_leaves_the_others(void **state)
{
	each_is_on_its_pmu();
	measure_events(2, 3, 1, ENOENT);
	assert_int_equal(rec->events.counted, 5);
	shows(rec, "events_why=no_pmu");
	measure_events(2, 3, 2, EACCES);
	assert_int_equal(rec->events.counted, 3);
	shows(rec, "events_why=not_opened");
}

static void test_nothing_is_counted_unasked(void **state)
{
	each_is_on_its_pmu();
	measure_events(1, 0, 0, 0);
	shows(rec, "events_why=no_counters cycles=null instructions=null");
}
