// SPDX-License-Identifier: GPL-2.0-only
/* The CPUs that threads can be bound to. */
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/topology.h>

#include "arch/cores.h"
#include "platform/cpus.h"
#include "platform/workers.h"

static int cpus_state = -1;

static int cpu_comes(unsigned int cpu)
{
	mc_core_look(cpu);
	return 0;
}

static int cpu_goes(unsigned int cpu)
{
	mc_core_forget(cpu);
	return 0;
}

/**
 * mc_cpus_init() - read the description of each CPU, now or when it comes online
 *
 * This interrupts each CPU once, as loading a module does in any case, so that later
 * readers need not interrupt any.
 *
 * Context: Process, may sleep, once, before any other use of CPUs' properties.
 * Return: 0 or a negative errno.
 */
int mc_cpus_init(void)
{
	int err = mc_cores_init(nr_cpu_ids);

	if (err)
		return err;
	cpus_state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "memcache:cpus", cpu_comes, cpu_goes);
	if (cpus_state >= 0)
		return 0;
	mc_cores_exit();
	return cpus_state;
}

/**
 * mc_cpus_exit() - stop watching CPUs, and forget them
 *
 * Context: Process, may sleep.
 */
void mc_cpus_exit(void)
{
	cpuhp_remove_state_nocalls(cpus_state);
	mc_cores_exit();
}

/**
 * mc_cpus_usable() - the CPUs that threads can be bound to now
 * @cpus: result: bitmap of MC_MAX_CPUS
 *
 * They may change at any time, so a loop over them takes one such bitmap.
 */
void mc_cpus_usable(u64 *cpus)
{
	unsigned int cpu;

	memset(cpus, 0, MC_MAX_CPUS / 8);
	for (cpu = 0; cpu < nr_cpu_ids && cpu < MC_MAX_CPUS; cpu++)
		cpus[cpu / 64] |= (u64)cpu_online(cpu) << (cpu % 64);
}

/**
 * mc_cpu_core() - the core of a CPU
 * @cpu: a usable CPU
 *
 * Return: the lowest number of the core's CPUs.
 */
unsigned int mc_cpu_core(unsigned int cpu)
{
	return cpumask_first(topology_sibling_cpumask(cpu));
}

/**
 * mc_cpu_socket() - the socket of a CPU
 * @cpu: a usable CPU
 *
 * Return: its number; -1: not known.
 */
int mc_cpu_socket(unsigned int cpu)
{
	return topology_physical_package_id(cpu);
}
