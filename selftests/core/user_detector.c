// SPDX-License-Identifier: GPL-2.0-only
/*
 * The detector of user space: stolen time is found for any CPU, however long /proc/stat is, and
 * the thread's involuntary switches are preemptions.
 */
#include "cmocka_all.h"
#include <sys/resource.h>
#include <sys/types.h>

#include "platform/clock.h"
#include "measure/disturbed.h"
#include "platform/detector.h"

#define CPUS	4096

struct mc_clock mc_clock;
static unsigned int listed = CPUS;
static unsigned long stolen_of_last = 7;

u64 mc_clock_raw_ns(void)
{
	static u64 now;

	return now += 1000000;
}

bool mc_hypervisor(void)
{
	return true;
}

/* The file of a machine with so many CPUs. */
ssize_t pread(int fd, void *to, size_t size, off_t from)
{
	char *text = malloc(CPUS * 128);
	size_t n = sprintf(text, "cpu  1 2 3 4 5 6 7 8 9 0\n");

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
