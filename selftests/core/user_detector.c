// SPDX-License-Identifier: GPL-2.0-only
/*
 * The detector of user space: stolen time is found for any CPU, however long /proc/stat is, and
 * the thread's involuntary switches are preemptions.
 */
#include "cmocka_all.h"
#include <sys/resource.h>
#include <sys/types.h>

#include "platform/clock.h"
#include "platform/detector.h"

#define CPUS	4096

struct mc_clock mc_clock;
static unsigned int listed = CPUS;
static unsigned long stolen_of_last = 7, stolen_of_all = 8;
static bool is_guest = true;

u64 mc_clock_raw_ns(void)
{
	static u64 now;

	return now += 1000000;
}

bool mc_hypervisor(void)
{
	return is_guest;
}

/* The file of a machine with so many CPUs. */
ssize_t pread(int fd, void *to, size_t size, off_t from)
{
	char *text = malloc(CPUS * 128);
	size_t n = sprintf(text, "cpu  1 2 3 4 5 6 7 %lu 9 0\n", stolen_of_all);

	for (unsigned int cpu = 0; cpu < listed; cpu++)
		n += sprintf(text + n, "cpu%u 12345678 12345678 12345678 12345678 5 6 7 %lu 0 0\n",
			     cpu, cpu + 1 < CPUS ? 0 : stolen_of_last);
	n = n < size ? n : size;
	memcpy(to, text, n);
	free(text);
	return n;
}

static void test_of_the_last_cpu(void **state)
{
	struct mc_detector v = { 0 };

	mc_detector_init();
	assert_true(mc_detector_kinds(CPUS - 1) & MC_BY_STEAL);
	assert_int_equal(mc_detector_stolen(&v, CPUS - 1, true), MC_NOT_LOOKED);
	assert_int_equal(mc_detector_stolen(&v, CPUS - 1, true), MC_NOT_STOLEN);
	stolen_of_last++;
	assert_int_equal(mc_detector_stolen(&v, CPUS - 1, true), MC_STOLEN);
	/* It takes a call 1 ms here, and the file changes every 10 ms. */
	mc_clock.khz = 1000000;
	v = (struct mc_detector){ 0 };
	for (unsigned int i = 0; i <= 10; i++)
		assert_int_equal(mc_detector_stolen(&v, 0, false),
				 i < 10 ? MC_NOT_LOOKED : MC_NOT_STOLEN);
}

/* A guest in which nothing was ever stolen may have a hypervisor that says nothing. */
static void test_who_reports_stolen_time(void **state)
{
	for (unsigned int i = 0; i < 4; i++) {
		struct mc_detector v = { 0 };

		stolen_of_all = i / 2 * 8;
		is_guest = i % 2;
		mc_detector_init();
		assert_int_equal(!!(mc_detector_kinds(1) & MC_BY_STEAL), i != 1);
		mc_detector_stolen(&v, 1, true);
		assert_int_equal(mc_detector_stolen(&v, 1, true) != MC_NOT_LOOKED, i != 1);
	}
}

/* Stolen time that is not known must not look like none. */
static void test_of_a_cpu_that_is_not_there(void **state)
{
	listed = 2;
	assert_false(mc_detector_kinds(CPUS - 1) & MC_BY_STEAL);
	assert_true(mc_detector_kinds(1) & MC_BY_STEAL);
	listed = CPUS;
}

static long switches[2];	/* voluntary ones, involuntary ones */

int getrusage(__rusage_who_t who, struct rusage *usage)
{
	assert_int_equal(who, RUSAGE_THREAD);
	*usage = (struct rusage){ .ru_nvcsw = switches[0], .ru_nivcsw = switches[1] };
	return 0;
}

static bool preempted(struct mc_detector *v)
{
	mc_detector_begin(v);
	return mc_detector_end(v) & MC_BY_PREEMPTION;
}

/* A switch before the first window is not one of the windows, and a sleep is none at all. */
static void test_of_switches(void **state)
{
	struct mc_detector v = { 0 };

	switches[1] = 5;
	mc_detector_init();
	assert_true(mc_detector_kinds(-1) & MC_BY_PREEMPTION);
	assert_false(preempted(&v));
	assert_false(preempted(&v));
	switches[1]++;
	assert_true(preempted(&v));
	assert_false(preempted(&v));
	switches[0]++;
	assert_false(preempted(&v));
}
