// SPDX-License-Identifier: GPL-2.0-only
/* Prefetchers while a point is measured: off, kept, and where off is not possible. */
#include <sched.h>
#include <sys/klog.h>

#include <sys/syscall.h>
#include <unistd.h>

#include "registers.h"

/* --------------------------------------------------------------- one run */

FIXTURE_BY(point, registers_setup(_metadata, NULL), registers_teardown(_metadata))

/* What a result says, how many CPUs were off, and how often a register was written. */
TEST_F(point, is_measured_as_asked_and_put_back)
{
	static const struct {
		const char *line, *says;
		int results, off, writes;
	} rows[] = {
		{ "bandwidth size=64K cpu=0-1", "\"prefetch\":\"keep\"", 1, 0, 0 },
		{ SHORT "keep cpu=any", "\"prefetch\":\"keep\"", 1, 0, 0 },
		{ SHORT "off cpu=0-1", "\"prefetch\":\"off\"", 1, 2, 4 },
		/* Only the CPUs of the run are written. */
		{ SHORT "off cpu=1", "\"prefetch\":\"off\"", 1, 1, 2 },
		{ SHORT "auto cpu=0-1", "\"prefetch\":\"off\"", 1, 2, 4 },
		/* These have the preset auto. CPUs take turns; the load keeps its own. */
		{ "latency size=16K cpu=0-1 repeat=2", "\"prefetch\":\"off\"", 2, 2, 4 },
		{ "loaded size=128K cpu=0-1 latency_cpu=1 delay=0 repeat=2",
		  "\"prefetch\":\"off\"", 1, 1, 2 },
	};
	int off = 0, writes = 0;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		TH_LOG("%s", rows[i].line);
		EXPECT_EQ(0, run(rows[i].line));
		EXPECT_EQ(rows[i].results, results_with(""));
		EXPECT_EQ(rows[i].results, results_with(rows[i].says));
		off += rows[i].off;
		writes += rows[i].writes;
		EXPECT_EQ(off, count("off"));
		EXPECT_EQ(writes, count("writes"));
		expect_untouched(_metadata);
	}
}

TEST_F(point, each_point_of_a_list_has_its_own)
{
	EXPECT_EQ(0, run(SHORT "keep,off,auto op=read,write cpu=0-1"));
	EXPECT_TRUE(file_has("run", " prefetch=keep,off,auto"));
	EXPECT_EQ(6, results_with(""));
	EXPECT_EQ(2, results_with("\"prefetch\":\"keep\""));
	EXPECT_EQ(4, results_with("\"prefetch\":\"off\""));
	EXPECT_EQ(4 * 2, count("off"));
}

TEST_F(point, those_that_were_off_stay_off)
{
	ASSERT_TRUE(msr_set("flip f 0"));
	EXPECT_EQ(0, run(SHORT "off cpu=0"));
	EXPECT_TRUE(said("off"));
	EXPECT_EQ(CPU0 | OURS, msr("cpu0"));
	EXPECT_EQ(0, count("writes"));
	ASSERT_TRUE(msr_set("flip f 0"));
}

TEST_F(point, a_thread_that_is_not_bound_has_none)
{
	EXPECT_EQ(-EINVAL, run(SHORT "off cpu=any"));
	EXPECT_TRUE(file_has("run", "\nerror: EINVAL prefetch: off needs bound threads"));
	EXPECT_EQ(0, run(SHORT "auto cpu=any"));
	EXPECT_TRUE(said("keep"));
	EXPECT_EQ(0, count("writes"));
}

TEST_F(point, a_register_of_siblings_is_put_back)
{
	ASSERT_TRUE(msr_set("group 2"));
	EXPECT_EQ(0, run(SHORT "off cpu=0-1"));
	EXPECT_TRUE(said("off"));
	EXPECT_EQ(CPU0, msr("cpu1"));
	ASSERT_TRUE(msr_set("group 1"));
}

TEST_F(point, bits_that_do_not_stick_are_no_effect)
{
	ASSERT_TRUE(msr_set("stick 0"));
	EXPECT_EQ(0, run(SHORT "off cpu=0-1"));
	EXPECT_TRUE(said("ineffective"));
	EXPECT_EQ(0, run(SHORT "auto cpu=0-1"));
	EXPECT_TRUE(said("ineffective"));
	ASSERT_TRUE(msr_set("stick 5"));
	EXPECT_EQ(0, run(SHORT "off cpu=0"));
	EXPECT_TRUE(said("ineffective"));
	expect_untouched(_metadata);
	EXPECT_EQ(0, run(SHORT "keep cpu=0-1"));
	EXPECT_TRUE(said("keep"));
}

static void expect_refused(struct __test_metadata *_metadata, const char *why)
{
	EXPECT_EQ(-EOPNOTSUPP, run(SHORT "off cpu=0-1"));
	EXPECT_TRUE(file_has("run", "\nstate: refused\nerror: EOPNOTSUPP prefetch: off "));
	EXPECT_TRUE(file_has("run", why));
	EXPECT_EQ(0, run(SHORT "auto cpu=0-1"));
	EXPECT_TRUE(said("keep"));
	EXPECT_EQ(0, count("off"));
}

static bool may_run_on(unsigned long cpus)
{
	return !syscall(SYS_sched_setaffinity, 0, sizeof(cpus), &cpus);
}

/* Reading a register interrupts its CPU, which may be isolated from the reader's CPU. */
TEST_F(point, registers_are_read_where_the_reader_may_run)
{
	int reads = count("reads");

	EXPECT_TRUE(file_has("machine", KNOWN "\"state\":\"mixed\"}"));
	EXPECT_EQ(reads + 2, count("reads"));
	ASSERT_TRUE(may_run_on(1));
	EXPECT_TRUE(file_has("machine", KNOWN "\"state\":\"on\"}"));
	EXPECT_EQ(reads + 3, count("reads"));
	ASSERT_TRUE(may_run_on(3));
	EXPECT_TRUE(file_has("machine", KNOWN "\"state\":\"mixed\"}"));
}

TEST_F(point, registers_that_fault_are_not_possible)
{
	ASSERT_TRUE(msr_set("reads 0"));
	expect_refused(_metadata, "as under most hypervisors");
	EXPECT_TRUE(file_has("machine", KNOWN "\"state\":\"unreadable\"}"));
	ASSERT_TRUE(msr_set("reads ffffffffffffffff"));
	ASSERT_TRUE(msr_set("writes 0"));
	expect_refused(_metadata, "as under most hypervisors");
	ASSERT_TRUE(msr_set("writes ffffffffffffffff"));
}

/* The check tries this CPU, which says nothing about the other one. */
TEST_F(point, one_cpu_that_faults_is_enough)
{
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(0, &here);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(here), &here));
	ASSERT_TRUE(msr_set("writes 0 1"));
	EXPECT_EQ(-EOPNOTSUPP, run(SHORT "off cpu=0-1"));
	EXPECT_TRUE(file_has("run", "prefetch: off is not possible: the register of one CPU"));
	EXPECT_EQ(2, count("writes"));
	expect_untouched(_metadata);
	EXPECT_EQ(0, run(SHORT "auto cpu=0-1"));
	EXPECT_TRUE(said("keep"));
	ASSERT_TRUE(msr_set("writes ffffffffffffffff"));
}

/* Two writes for the points' checks, one before the first point, two to switch CPUs off. */
#define THEN_STUCK "writes 5"

static void get_stuck(struct __test_metadata *_metadata)
{
	ASSERT_TRUE(msr_set(THEN_STUCK));
	EXPECT_EQ(-EIO, run(SHORT "off,off cpu=0-1"));
	EXPECT_TRUE(file_has("run", "\nstate: failed\nerror: EIO prefetch: can't be put back"));
	EXPECT_TRUE(said("off"));
	expect_all_off(_metadata);
	/* Even a request that does not ask for prefetch=off is refused. */
	EXPECT_EQ(-EIO, run(SHORT "keep cpu=0"));
	EXPECT_EQ(-EIO, run(SHORT "auto cpu=0"));
	ASSERT_TRUE(msr_set("writes ffffffffffffffff"));
}

TEST_F(point, what_was_stuck_is_put_back_by_the_next_run)
{
	get_stuck(_metadata);
	EXPECT_EQ(0, run(SHORT "keep cpu=0"));
	expect_untouched(_metadata);
	EXPECT_EQ(0, run(SHORT "off cpu=0-1"));
}

TEST_F(point, what_was_stuck_is_put_back_by_unloading)
{
	const char *words = "CPU 0: prefetchers can't be put back; "
			    "MSR 0x1a4 should have 0x0 in its bits 0xf\n";
	static char log[1 << 18];
	char *once;

	ASSERT_LE(0, klogctl(5 /* clear */, NULL, 0));
	get_stuck(_metadata);
	EXPECT_EQ(0, module_unload());
	expect_untouched(_metadata);
	ASSERT_LT(0, klogctl(3 /* read all */, log, sizeof(log) - 1));
	once = strstr(log, words);
	ASSERT_NE(NULL, once);
	EXPECT_EQ(NULL, strstr(once + strlen(words), "can't be put back"));
	ASSERT_EQ(0, module_load("size_mb=2"));
}

TEST_F(point, what_was_stuck_is_put_back_when_its_cpu_comes_again)
{
	get_stuck(_metadata);
	ASSERT_TRUE(msr_set("writes 0 1"));
	ASSERT_EQ(0, cpu1_online("0"));
	EXPECT_EQ(CPU1 | OURS, msr("cpu1"));
	ASSERT_TRUE(msr_set("writes ffffffffffffffff"));
	ASSERT_EQ(0, cpu1_online("1"));
	EXPECT_EQ(CPU1, msr("cpu1"));
	EXPECT_EQ(0, run(SHORT "keep cpu=0"));
}

TEST_F(point, lockdown_forbids_it)
{
	ASSERT_TRUE(msr_set("locked 1"));
	expect_refused(_metadata, "the kernel is locked down");
	EXPECT_EQ(0, count("writes"));
	ASSERT_TRUE(msr_set("locked 0"));
	EXPECT_EQ(0, run(SHORT "off"));
}

TEST_F(point, the_machine_knows_the_state)
{
	EXPECT_TRUE(file_has("machine", KNOWN "\"state\":\"mixed\"}"));
	ASSERT_TRUE(msr_set("flip 2 1"));
	EXPECT_TRUE(file_has("machine", "\"state\":\"on\"}"));
	ASSERT_TRUE(msr_set("flip f 0"));
	EXPECT_TRUE(file_has("machine", "\"state\":\"mixed\"}"));
	ASSERT_TRUE(msr_set("flip f 1"));
	EXPECT_TRUE(file_has("machine", "\"state\":\"off\"}"));
	ASSERT_TRUE(msr_set("flip f 0"));
	ASSERT_TRUE(msr_set("flip d 1"));
}

/* -------------------------------------------------------- an unknown model */

FIXTURE_BY(unknown, registers_setup(_metadata, "unknown 1"), registers_teardown(_metadata))

TEST_F(unknown, model_is_never_asked)
{
	expect_refused(_metadata, "those of this CPU model are not known");
	EXPECT_TRUE(file_has("machine", "\"prefetch\":{\"known\":false,"));
	EXPECT_TRUE(file_has("machine", "\"msr\":null,\"mask\":null,\"state\":null}"));
	EXPECT_EQ(0, count("reads"));
	EXPECT_EQ(0, count("writes"));
}

/* ---------------------------------------- a model with two registers a CPU */

FIXTURE_BY(two, registers_setup(_metadata, "two 1"), registers_teardown(_metadata))

static void expect_both_off(struct __test_metadata *_metadata)
{
	expect_all_off(_metadata);
	EXPECT_EQ(SECOND0 | SECOND_OURS, msr("second0"));
	EXPECT_EQ(SECOND1 | SECOND_OURS, msr("second1"));
}

TEST_F(two, registers_are_in_the_machine)
{
	EXPECT_TRUE(file_has("machine", KNOWN KNOWN_2 "\"state\":\"mixed\"}"));
}

TEST_F(two, registers_are_off_and_then_as_before)
{
	EXPECT_EQ(0, run(SHORT "off cpu=0-1"));
	EXPECT_TRUE(said("off"));
	EXPECT_EQ(2 * 2, count("off"));
	EXPECT_EQ(2 * 4, count("writes"));
	expect_untouched(_metadata);
}

/* The prefetchers of the second register alone are enough for an honest answer. */
TEST_F(two, registers_are_off_only_if_both_are)
{
	pid_t pid = run_start(ENDLESS " size=64K prefetch=off cpu=0-1");

	ASSERT_TRUE(run_gets_to(5));
	expect_both_off(_metadata);
	ASSERT_TRUE(msr_set("second 8000000000004041 0"));
	EXPECT_EQ(-ECANCELED, run_stop(pid));
	EXPECT_TRUE(said("ineffective"));
}

/*
 * Writes that succeed: two for each of the two points' checks, two before the first point,
 * four to switch both CPUs off, and one that puts back the first register of CPU 0.
 */
TEST_F(two, registers_are_put_back_each_on_its_own)
{
	ASSERT_TRUE(msr_set("writes b"));
	EXPECT_EQ(-EIO, run(SHORT "off,off cpu=0-1"));
	EXPECT_TRUE(file_has("run", "\nstate: failed\nerror: EIO prefetch: can't be put back"));
	EXPECT_EQ(CPU0, msr("cpu0"));
	EXPECT_EQ(SECOND0 | SECOND_OURS, msr("second0"));
	EXPECT_EQ(CPU1 | OURS, msr("cpu1"));
	EXPECT_EQ(SECOND1 | SECOND_OURS, msr("second1"));
	ASSERT_TRUE(msr_set("writes ffffffffffffffff"));
	EXPECT_EQ(0, run(SHORT "keep cpu=0"));
	expect_untouched(_metadata);
}

TEST_HARNESS_MAIN
