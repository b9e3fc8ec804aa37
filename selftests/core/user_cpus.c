// SPDX-License-Identifier: GPL-2.0-only
/* Which CPUs share a cache in memcache-user: sysfs tells, in lists of any order and length. */
#include <stdio.h>

#include "cmocka_all.h"

#include "arch/caches.h"
#include "arch/cores.h"
#include "platform/cpus.h"
#include "platform/workers.h"
#include "user.h"

#define CPUS	20

/* The CPUs that share the L1 and the L3 of this one; no L3, no list. */
static const char *l1 = "%u", *l3_low, *l3_high;

/* A CPU that describes no caches, as on arm64. */
void mc_core_read(struct mc_core *core)
{
	core->id = 0;
	core->ncaches = 0;
}

void mc_cpu_name(char name[MC_CPU_NAME_BYTES])
{
}

const char *mc_hypervisor_name(char id[MC_HYPERVISOR_BYTES])
{
	return NULL;
}

/* This process has CPUs 0 to 19. */
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	CPU_ZERO_S(size, set);
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		CPU_SET_S(cpu, size, set);
	return 0;
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	return 0;
}

static const struct { const char *name, *l1, *l3; } facts[] = {
	{ "type", "Data", "Unified" }, { "level", "1", "3" }, { "size", "64K", "32768K" },
	{ "coherency_line_size", "64", "64" }, { "ways_of_associativity", "4", "" },
};

bool mc_user_read_file(const char *path, char *text, size_t size)
{
	unsigned int cpu, i;
	char name[40];

	if (sscanf(path, "/sys/devices/system/cpu/cpu%u/cache/index%u/%39s", &cpu, &i, name) != 3 ||
	    i > (l3_low ? 1 : 0))
		return false;
	for (unsigned int k = 0; k < ARRAY_SIZE(facts); k++) {
		if (!strcmp(name, facts[k].name)) {
			snprintf(text, size, "%s", i ? facts[k].l3 : facts[k].l1);
			return *text;
		}
	}
	assert_string_equal(name, "shared_cpu_list");
	snprintf(text, size, i ? cpu % CPUS < 10 ? l3_low : l3_high : l1, cpu);
	return true;
}

static void look(const char *of_l1, const char *low, const char *high)
{
	l1 = of_l1;
	l3_low = low;
	l3_high = high;
	mc_cpus_exit();
	assert_int_equal(mc_cpus_init(), 0);
}

/* Twice ten: neither is a power of two, and the second begins at none. */
static void test_ten_share(void **state)
{
	static char line[4096];
	struct mc_text t = MC_TEXT(line);

	look("%u", "0-9", "10-19");
	assert_int_equal(mc_cache_bytes(0, 1), 64 << 10);
	assert_int_equal(mc_cache_bytes(19, 3), 32 << 20);
	assert_true(mc_cache_shared(0, 9, 3));
	assert_false(mc_cache_shared(9, 10, 3));
	assert_true(mc_cache_shared(10, 19, 3));
	assert_false(mc_cache_shared(8, 9, 1));
	mc_cores_json(&t);
	assert_non_null(strstr(line, "{\"cpus\":\"0-19\",\"level\":3,\"kind\":\"unified\","));
	assert_non_null(strstr(line, "\"ways\":null,\"shared_by_cpus\":10}"));
}

/* Siblings have numbers far apart, and a list may name CPUs that this process has not. */
static void test_lists_with_gaps(void **state)
{
	look("%u", "0-9,40-49", "10-19,50-59");
	assert_true(mc_cache_shared(0, 9, 3));
	assert_false(mc_cache_shared(9, 10, 3));
	look("0,2,4,6,8,10,12,14,16,18", NULL, NULL);
	assert_true(mc_cache_shared(0, 18, 1));
	assert_int_equal(mc_cache_bytes(0, 3), 0);
	/* A list without the CPU itself is wrong. */
	look("%u", "10-19", "10-19");
	assert_false(mc_cache_shared(0, 9, 3));
	assert_false(mc_cache_shared(0, 10, 3));
	assert_true(mc_cache_shared(10, 19, 3));
}
