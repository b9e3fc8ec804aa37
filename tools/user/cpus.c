// SPDX-License-Identifier: GPL-2.0-only
/* The CPUs that this process may use; the counterpart of module/kernel/cpus.c. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/cores.h"
#include "core/math.h"
#include "platform/cpus.h"
#include "platform/workers.h"
#include "user.h"

#define CPUS	"\nCpus_allowed_list:"
#define TOPOLOGY	"/sys/devices/system/cpu/cpu%u/topology/%s"
#define CACHE	"/sys/devices/system/cpu/cpu%u/cache/index%u/%s"

/* The list of CPUs that a made-up machine grants this process; NULL: the kernel grants them. */
static const char *made_up(void)
{
	static char text[16384], *list;

	if (!list && getenv(MC_USER_ROOT) &&
	    mc_user_read_file("/proc/self/status", text, sizeof(text)))
		list = strstr(text, CPUS);
	return list ? list + strlen(CPUS) : NULL;
}

static unsigned int looked_at;	/* the CPU that describes itself now */

/*
 * Read a leaf of CPUID of a made-up machine: eax to edx, or 0 where it has none. A CPU may have a
 * file of them, as `cpuid -1 -r` prints them. Return: false if it has not.
 */
bool mc_cpu_made_up(u32 leaf, u32 sub, u32 *regs)
{
	static char text[32768];
	static unsigned int of = ~0U;
	u32 at, i, r[4];
	char *line;

	if (made_up() && of != looked_at) {
		of = looked_at;
		if (!mc_user_read_of(text, sizeof(text), "/dev/cpu/%u/cpuid", of))
			*text = '\0';
	}
	memset(regs, 0, sizeof(r));
	for (line = *text ? text : NULL; line; line = strchr(line + 1, '\n')) {
		if (sscanf(line, " %x %x: eax=%x ebx=%x ecx=%x edx=%x", &at, &i,
			   &r[0], &r[1], &r[2], &r[3]) == 6 && at == leaf && i == sub)
			memcpy(regs, r, sizeof(r));
	}
	return *text;
}

/* The CPUs that this process may use. @cpus: all zeros. Return: 0, or a negative errno. */
static int affinity(u64 *cpus)
{
	const char *list = made_up();
	long from, to;
	char *end;

	if (!list)
		return sched_getaffinity(0, MC_MAX_CPUS / 8, (cpu_set_t *)cpus) ? -errno : 0;
	for (;; list = end + 1) {
		from = strtol(list, &end, 10);
		to = *end == '-' ? strtol(end + 1, &end, 10) : from;
		for (; from <= to && to < MC_MAX_CPUS; from++)
			cpus[from / 64] |= 1ULL << from % 64;
		if (*end != ',')
			return 0;
	}
}

static bool read_cache(unsigned int cpu, unsigned int i, const char *name, char *text, size_t size)
{
	return mc_user_read_of(text, size, CACHE, cpu, i, name);
}

/*
 * Take the CPUs that share a cache from a list like 0-3,8. No number, no sharers. A list without
 * the CPU itself is wrong: then only that one is sure.
 */
static void take_sharers(struct mc_cache *c, unsigned int cpu, const char *list)
{
	bool itself = false;
	char *end;
	long from, to;

	c->cpus = 0;
	c->first = strtol(list, NULL, 10);
	for (;; list = end + 1) {
		from = strtol(list, &end, 10);
		if (end == list)
			return;
		to = *end == '-' ? strtol(end + 1, &end, 10) : from;
		c->cpus += to - from + 1;
		itself |= from <= cpu && cpu <= to;
		if (*end != ',')
			break;
	}
	if (!itself) {
		c->first = cpu;
		c->cpus = 1;
	}
}

static u64 read_number(unsigned int cpu, unsigned int i, const char *name)
{
	char text[64];

	return read_cache(cpu, i, name, text, sizeof(text)) ? strtoull(text, NULL, 10) : 0;
}

/* A cache as sysfs describes it. Return: false if there is none of this number. */
static bool find_cache(struct mc_cache *c, unsigned int cpu, unsigned int i)
{
	static const char letters[MC_NCACHE_KINDS] = {
		[MC_CACHE_DATA] = 'D', [MC_CACHE_CODE] = 'I', [MC_CACHE_UNIFIED] = 'U',
	};
	char type[32];

	if (!read_cache(cpu, i, "type", type, sizeof(type)))
		return false;
	*c = (struct mc_cache){
		.level = read_number(cpu, i, "level"),
		.line = read_number(cpu, i, "coherency_line_size"),
		.ways = read_number(cpu, i, "ways_of_associativity"),
		.bytes = read_number(cpu, i, "size") << 10,	/* "32K" */
		.ids = 1,
	};
	for (c->kind = MC_CACHE_DATA; c->kind < MC_CACHE_UNIFIED; c->kind++)
		if (letters[c->kind] == *type)
			break;
	return true;
}

/* The caches of a CPU that does not describe them itself. */
static void find_caches(struct mc_core *core, unsigned int cpu)
{
	while (core->ncaches < MC_CORE_CACHES &&
	       find_cache(&core->caches[core->ncaches], cpu, core->ncaches))
		core->ncaches++;
}

/* The other CPUs of a cache come from sysfs: this process may not use all of them. */
static void find_sharers(struct mc_core *core, unsigned int cpu)
{
	char text[4096];
	unsigned int i;

	if (made_up())		/* CPUID is that of this machine */
		core->ncaches = 0;
	if (!core->ncaches)
		find_caches(core, cpu);
	for (i = 0; i < core->ncaches; i++) {
		struct mc_cache *c = &core->caches[i];

		if (read_cache(cpu, i, "level", text, sizeof(text)) &&
		    atoi(text) == (int)c->level &&
		    read_cache(cpu, i, "shared_cpu_list", text, sizeof(text)))
			take_sharers(c, cpu, text);
	}
}

/* Move the calling thread to a CPU. Return: 0, or -1 and errno. */
int mc_user_move(unsigned int cpu)
{
	u64 cpus[MC_MAX_CPUS / 64] = { 0 };

	cpus[cpu / 64] = 1ULL << cpu % 64;
	return sched_setaffinity(0, sizeof(cpus), (cpu_set_t *)cpus);
}

/* A CPU describes itself only, so this thread moves to each in turn. */
static void look_at_each(const u64 *all)
{
	unsigned int cpu;

	for (cpu = 0; cpu < MC_MAX_CPUS; cpu++) {
		if (!mc_bit(all, cpu))
			continue;
		looked_at = cpu;
		if (made_up() || !mc_user_move(cpu))
			find_sharers(mc_core_look(cpu), cpu);
	}
	if (!made_up())
		sched_setaffinity(0, MC_MAX_CPUS / 8, (const cpu_set_t *)all);
}

int mc_cpus_init(void)
{
	u64 all[MC_MAX_CPUS / 64] = { 0 };
	int err = mc_cores_init(MC_MAX_CPUS);

	err = err ? err : affinity(all);
	if (!err)
		look_at_each(all);
	return err;
}

void mc_cpus_exit(void)
{
	mc_cores_exit();
}

void mc_cpus_usable(u64 *cpus)
{
	memset(cpus, 0, MC_MAX_CPUS / 8);
	affinity(cpus);
}

/* The first number of a file, which is read once; @known: the numbers of all CPUs, plus 2. */
static int first_number(unsigned int cpu, const char *name, int otherwise, int *known)
{
	char text[1024];
	int first;

	if (known[cpu])
		return known[cpu] - 2;
	first = mc_user_read_of(text, sizeof(text), TOPOLOGY, cpu, name) && *text ? atoi(text) :
										   otherwise;
	known[cpu] = first + 2;
	return first;
}

/* The file lists the core's CPUs in ascending order. */
unsigned int mc_cpu_core(unsigned int cpu)
{
	static int known[MC_MAX_CPUS];

	return first_number(cpu, "thread_siblings_list", cpu, known);
}

int mc_cpu_socket(unsigned int cpu)
{
	static int known[MC_MAX_CPUS];

	return first_number(cpu, "physical_package_id", -1, known);
}

/**
 * mc_cpu_split() - the kernel's answer to a locked access that lies in two lines
 *
 * Return: as its flags of the CPU and its parameter say. Without flags, it is no x86: there such
 * an atomic is an alignment fault.
 */
enum mc_split mc_cpu_split(void)
{
	char text[8192], *at;

	if (!mc_user_read_file("/proc/cpuinfo", text, sizeof(text)))
		return MC_SPLIT_UNKNOWN;
	if (!strstr(text, "\nflags"))
		return MC_SPLIT_KILLED;
	if (!strstr(text, " split_lock_detect") && !strstr(text, " bus_lock_detect"))
		return MC_SPLIT_FREE;
	at = mc_user_read_file("/proc/cmdline", text, sizeof(text)) ?
	     strstr(text, "split_lock_detect=") : NULL;
	if (at && !strncmp(strchr(at, '=') + 1, "off", 3))
		return MC_SPLIT_FREE;
	return at && !strncmp(strchr(at, '=') + 1, "fatal", 5) ? MC_SPLIT_KILLED : MC_SPLIT_SLOWED;
}
