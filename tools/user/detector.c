// SPDX-License-Identifier: GPL-2.0-only
/*
 * The detector in user space: a mark shows interrupts, the thread's involuntary switches
 * preemptions, /proc/stat stolen time.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "arch/cores.h"
#include "arch/interrupts.h"
#include "platform/detector.h"

#define PROBE_NS	20000000	/* two ticks of the slowest system */
#define LOOK_NS		10000000	/* resolution of /proc/stat */
#define STAT_LEAST	65536		/* bytes of /proc/stat read at first: some hundred CPUs */
#define STAT_MOST	(4U << 20)	/* and at most: more than 8192 CPUs */

static u8 kinds;
static int stat_file = -1;

/*
 * Read all of /proc/stat with one call, since the parts of several calls are not of the
 * same moment. Return: the text, to be freed.
 */
static char *read_stat(ssize_t *n)
{
	static _Atomic size_t room = STAT_LEAST;	/* grows to what is needed */
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

/* Steal time of a CPU, or with -1 of all CPUs. Return: false if the file has none. */
static bool read_stolen(int cpu, u64 *stolen)
{
	char name[16], *text, *line;
	bool found = false;
	ssize_t n;

	text = read_stat(&n);
	snprintf(name, sizeof(name), cpu < 0 ? "cpu " : "\ncpu%d ", cpu);
	if (n > 0) {
		text[n] = '\0';
		line = strstr(text, name);
		/* user nice system idle iowait irq softirq steal */
		found = line && sscanf(line + strlen(name),
				       "%*u %*u %*u %*u %*u %*u %*u %llu", stolen) == 1;
	}
	free(text);
	return found;
}

/* How often other threads have taken the CPU away, plus 1; 0: not known. */
static u64 read_switches(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_nivcsw + 1;
}

void mc_detector_init(void)
{
	u64 stolen = 0;

	kinds = mc_mark_works(mc_ns_to_ticks(PROBE_NS)) ? MC_BY_INTERRUPT : 0;
	if (sched_getcpu() >= 0)
		kinds |= MC_BY_MIGRATION;
	if (read_switches())
		kinds |= MC_BY_PREEMPTION;
	stat_file = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	/* If a guest's counter is 0, its hypervisor may not report steal time. */
	if (read_stolen(-1, &stolen) && (stolen || !mc_hypervisor()))
		kinds |= MC_BY_STEAL;
}

/* No steal time for a CPU that /proc/stat does not list. */
u8 mc_detector_kinds(int cpu)
{
	u64 stolen;

	return cpu < 0 || !read_stolen(cpu, &stolen) ? kinds & ~MC_BY_STEAL : kinds;
}

void mc_detector_begin(struct mc_detector *v)
{
	if (kinds & MC_BY_INTERRUPT)
		mc_mark_set();
}

u8 mc_detector_end(struct mc_detector *v)
{
	u8 seen = kinds & MC_BY_INTERRUPT && mc_mark_lost() ? MC_BY_INTERRUPT : 0;
	u64 switches = v->switches;
	u32 last = v->cpu;

	v->cpu = sched_getcpu() + 1;
	v->switches = read_switches();
	if (last && last != v->cpu)
		seen |= MC_BY_MIGRATION;
	if (switches && switches != v->switches)
		seen |= MC_BY_PREEMPTION;
	return seen;
}

/* Reading /proc/stat takes microseconds, so it is not read before it can have changed. */
enum mc_stolen mc_detector_stolen(struct mc_detector *v, int cpu, bool at_once)
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
