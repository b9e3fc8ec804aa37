// SPDX-License-Identifier: GPL-2.0-only
/* The witness in user space: a selector for interrupts, /proc/stat for stolen time. */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "arch/x86/cpuid.h"
#include "arch/x86/selector.h"
#include "witness.h"

#define PROBE_NS	20000000	/* two ticks of the slowest system */
#define LOOK_NS		10000000	/* what /proc/stat counts in */
#define STAT_MAX	65536		/* bytes of its lines of CPUs */

static u8 kinds;
static int stat_file = -1;

/* Of a CPU, or with -1 of all of them. Return: false if it does not say. */
static bool read_stolen(int cpu, u64 *stolen)
{
	char name[16], *text = malloc(STAT_MAX), *line;
	ssize_t n = text ? pread(stat_file, text, STAT_MAX - 1, 0) : -1;
	bool told = false;

	snprintf(name, sizeof(name), cpu < 0 ? "cpu " : "\ncpu%d ", cpu);
	if (n > 0) {
		text[n] = '\0';
		line = strstr(text, name);
		/* user nice system idle iowait irq softirq steal */
		told = line && sscanf(line + strlen(name),
				      "%*u %*u %*u %*u %*u %*u %*u %llu", stolen) == 1;
	}
	free(text);
	return told;
}

void mc_witness_init(void)
{
	u64 stolen = 0;

	if (mc_selector_works(mc_ns_to_ticks(PROBE_NS)))
		kinds |= MC_BY_INTERRUPT;
	if (sched_getcpu() >= 0)
		kinds |= MC_BY_MIGRATION;
	stat_file = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	/* A guest whose counter is still 0 may be one to whom nobody tells. */
	if (read_stolen(-1, &stolen) && (stolen || !mc_cpuid_hypervisor()))
		kinds |= MC_BY_STEAL;
}

u8 mc_witness_kinds(int cpu)
{
	return cpu < 0 ? kinds & ~MC_BY_STEAL : kinds;
}

void mc_witness_begin(struct mc_witness *v)
{
	if (kinds & MC_BY_INTERRUPT)
		mc_selector_set();
}

u8 mc_witness_end(struct mc_witness *v)
{
	u8 seen = kinds & MC_BY_INTERRUPT && mc_selector_cleared() ? MC_BY_INTERRUPT : 0;
	u32 last = v->cpu;

	v->cpu = sched_getcpu() + 1;
	return last && last != v->cpu ? seen | MC_BY_MIGRATION : seen;
}

/* No sooner than it can have changed: a look takes microseconds. */
enum mc_stolen mc_witness_stolen(struct mc_witness *v, int cpu, bool at_once)
{
	u64 now = mc_ticks(), before = v->stolen, looked = v->looked;

	if (cpu < 0 || !(kinds & MC_BY_STEAL) ||
	    (!at_once && now - looked < mc_ns_to_ticks(LOOK_NS)) ||
	    !read_stolen(cpu, &v->stolen))
		return MC_NOT_LOOKED;
	v->looked = now;
	if (!looked)
		return MC_NOT_LOOKED;
	return v->stolen != before ? MC_STOLEN : MC_NOT_STOLEN;
}
