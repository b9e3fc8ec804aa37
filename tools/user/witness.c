// SPDX-License-Identifier: GPL-2.0-only
/* The witness in user space: a selector for interrupts, /proc/stat for stolen time. */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "arch/x86/cpuid.h"
#include "arch/x86/selector.h"
#include "platform/witness.h"

#define PROBE_NS	20000000	/* two ticks of the slowest system */
#define LOOK_NS		10000000	/* what /proc/stat counts in */
#define STAT_LEAST	65536		/* bytes of its lines of CPUs: room for some hundred */
#define STAT_MOST	(4U << 20)	/* more than for 8192 */

static u8 kinds;
static int stat_file = -1;

/* All of it; in one go, for a part is of another moment. To be freed. */
static char *read_stat(ssize_t *n)
{
	static _Atomic size_t room = STAT_LEAST;	/* grows once */
	size_t size;
	char *text;

	for (;;) {
		size = room;
		text = malloc(size);
		*n = text ? pread(stat_file, text, size - 1, 0) : -1;
		if (*n < (ssize_t)size - 1 || size >= STAT_MOST)
			return text;
		free(text);
		room = 2 * size;
	}
}

/* Of a CPU, or with -1 of all of them. Return: false if it does not say. */
static bool read_stolen(int cpu, u64 *stolen)
{
	char name[16], *text, *line;
	bool told = false;
	ssize_t n;

	text = read_stat(&n);
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

/* Of a CPU that /proc/stat does not have, nothing is known. */
u8 mc_witness_kinds(int cpu)
{
	u64 stolen;

	return cpu < 0 || !read_stolen(cpu, &stolen) ? kinds & ~MC_BY_STEAL : kinds;
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
