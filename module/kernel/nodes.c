// SPDX-License-Identifier: GPL-2.0-only
/* The machine's NUMA nodes; tools/user/nodes.c is the counterpart in user space. */
#include <linux/nodemask.h>
#include <linux/topology.h>

#include "platform/workers.h"

/**
 * mc_cpu_own_node() - the node of a CPU, which may have no memory
 * @cpu: a CPU
 *
 * Return: its number; 0 without NUMA.
 */
int mc_cpu_own_node(unsigned int cpu)
{
	return max(cpu_to_node(cpu), 0);
}

/**
 * mc_node_distance() - the distance between two nodes
 * @a: a node
 * @b: a node
 *
 * Return: what the firmware says, 10 within a node; 0: not known.
 */
unsigned int mc_node_distance(int a, int b)
{
	return node_distance(a, b);
}

/**
 * mc_cpu_node() - the node whose memory is nearest to a CPU
 * @cpu: a CPU
 *
 * Return: its own node, or the nearest node with memory if that has none.
 */
int mc_cpu_node(unsigned int cpu)
{
	int own = cpu_to_node(cpu), nearest = -1, node;

	if (own < 0 || node_state(own, N_MEMORY))
		return own < 0 ? first_memory_node : own;
	for_each_node_state(node, N_MEMORY) {
		if (nearest < 0 || node_distance(own, node) < node_distance(own, nearest))
			nearest = node;
	}
	return nearest;
}
