// SPDX-License-Identifier: GPL-2.0-only
/* The CPUs that threads can be bound to. */
#include <linux/cpumask.h>
#include <linux/topology.h>

#include "workers.h"

/**
 * mc_cpu_usable() - can a thread be bound to this CPU?
 * @cpu: its number
 *
 * Context: Any.
 * Return: true if it is there and online.
 */
bool mc_cpu_usable(unsigned int cpu)
{
	return cpu < nr_cpu_ids && cpu_online(cpu);
}

/**
 * mc_cpu_core() - which core a CPU is a thread of
 * @cpu: a usable CPU
 *
 * Context: Any.
 * Return: the lowest number among the core's CPUs.
 */
unsigned int mc_cpu_core(unsigned int cpu)
{
	return cpumask_first(topology_sibling_cpumask(cpu));
}
