// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/benchmarks/overhead.c natively, with threads in virtual time: each figure is
 * that of one operation, and the test never asks for memory.
 */

#define TEST	mc_test_overhead
#include "stub/engine.h"

#include "stub/passes.h"

#define BATCH		16384		/* operations of a pass */
#define OPERATION_PS	(3 * NS)

/* ------------------------------------------------------------- virtual time */

/* The time of a pass is spent at its end. */
static void closing(struct mc_worker *w)
{
	sim_spend(passes_in_window(w) * BATCH * OPERATION_PS);
}

/* The threads fall asleep meanwhile, which is none of the time that they take to wake. */
int nanosleep(const struct timespec *time, struct timespec *left)
{
	for (unsigned int i = 0; i < sim.n; i++)
		sim.now[i] += 1000 * time->tv_nsec;
	return 0;
}

static void costs(void)
{
	sim.opened = note_passes;
	sim.closing = closing;
	sim.overhead = 1;	/* parts of a pass must take some time, too */
}

/* --------------------------------------------------------------- the figures */

static void test_short_items_are_those_of_one_operation(void **state)
{
	for (unsigned int threads = 1; threads <= 3; threads++) {
		measured_on(threads, "overhead item=loop,clock,call repeat=4 warmup=1 cpu=1-%u",
			    threads);
		assert_int_equal(n, 3);
		assert_int_equal(done, 15);
		for (u64 i = 0; i < n; i++) {
			shows(&rec[i], "samples=4 median_ns=2.999..3.001 max_ns=2.999..3.001");
			assert_true(figure(&rec[i], "operations_per_sample") * OPERATION_PS >=
				    1000 * mc_clock.cost_ps);
			assert_true(rec[i].window_max_ps <= 5 * MS);
		}
	}
}

static void test_records_say_nothing_of_memory(void **state)
{
	measured_on(1, "overhead item=loop size=64G type=uc page=4k");
	assert_int_equal(found, 0);
	shows(rec, "attribute=null memory_node=null effective=unknown verified=off");
}

static void spread(void)
{
	for (unsigned int i = 0; i < sim.n; i++)
		sim.now[i] = sim.now[0] + i * 700 * NS;
}

static void test_wake_up_is_that_of_the_last_thread(void **state)
{
	reset(3);
	spread();
	measured("overhead item=wakeup repeat=5 irq=off cpu=0-2");
	shows(rec, "samples=5 min_ns=1400 max_ns=1400 operations_per_sample=1 irq=on");
	/* It takes time until the first one is awake, too. */
	reset(1);
	sim.look = 600 * NS;
	measured("overhead item=wakeup repeat=5");
	shows(rec, "median_ns=600");
}

static void test_a_thread_once_a_sample(void **state)
{
	reset(1);
	sim.look = 600 * NS;
	measured("overhead item=thread repeat=5 irq=off");
	shows(rec, "samples=5 median_ns=600 operations_per_sample=1");
	assert_int_equal(done, 7);
	shows(rec, "irq=on");
}

/* The virtual barrier opens for all at once. */
static void test_the_barrier(void **state)
{
	reset(4);
	spread();
	measured("overhead item=barrier repeat=5 cpu=0-3");
	shows(rec, "samples=5 max_ns=0");
	assert_int_equal(done, 7);
}

static void test_by_default_all_that_there_is(void **state)
{
	measured_on(2, "overhead cpu=0,1");
	assert_int_equal(n, 4);
	assert_int_equal(found, 0);
	all_show("samples=10");
}

static void test_one_cpu_has_no_barrier(void **state)
{
	measured_on(1, "overhead repeat=7");
	assert_int_equal(n, 4);
	shows(&rec[2], "samples=0 item=barrier left_out=7 left_out_why=one_cpu median_ns=null; "
	      "operations_per_sample=null");
}

/* ------------------------------------------------------- what can go wrong */

static void test_what_cant_be_run_is_refused(void **state)
{
	reset(1);
	assert_refused("overhead item=barrier", -EINVAL, "cpu");
	assert_refused("overhead item=loop,gate", -EINVAL, "cpu");
	assert_refused("overhead item=irq", -EOPNOTSUPP, "item");
	assert_refused("overhead item=clock,fpu", -EOPNOTSUPP, "item");
	assert_non_null(strstr(run.error.text, "fpu"));
	assert_refused("overhead item=getpid", -EOPNOTSUPP, "item");
}

/* A thread of the kernel has no vector registers that would have to be saved. */
static void test_help_claims_no_saving_of_registers(void **state)
{
	assert_non_null(strstr(mc_test_overhead.spec.keys[0].help, "fpu saves nothing"));
}

static void test_a_stop_keeps_the_samples_before(void **state)
{
	static const char *const items[] = { "loop", "barrier", "wakeup", "thread" };
	char line[60];

	for (unsigned int i = 0; i < ARRAY_SIZE(items); i++) {
		snprintf(line, sizeof(line), "overhead item=%s repeat=50 cpu=0,1", items[i]);
		assert_stopped(2, 4, line, 1);
		shows(rec, "samples=2");
	}
}
