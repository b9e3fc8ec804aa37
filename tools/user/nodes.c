// SPDX-License-Identifier: GPL-2.0-only
/* The machine's NUMA nodes, from sysfs; the counterpart of module/kernel/nodes.c. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/workers.h"
#include "user.h"

#define NODES	"/sys/devices/system/node"

#define POLICY_PREFERRED 1	/* MPOL_PREFERRED and MPOL_BIND in linux/mempolicy.h */
#define POLICY_BIND	2

/* Is a number in a list like 0-3,8? False if @list is not a list, of CPUs or nodes. */
bool mc_user_listed(const char *list, long number)
{
	bool found = false;
	char *end;
	long from, to;

	for (;; list = end + 1) {
		from = strtol(list, &end, 10);
		to = *end == '-' ? strtol(end + 1, &end, 10) : from;
		if (!isdigit(*list) || to < from || to >= MC_MAX_CPUS)
			return false;
		found |= number >= from && number <= to;
		if (*end != ',')
			return found && strchr("\n", *end);
	}
}

/**
 * mc_user_node_next() - next node that is online
 * @node: the node before it; -1: return the first one
 *
 * Return: its number, or -1 if there are no more, as in a kernel without NUMA.
 */
int mc_user_node_next(int node)
{
	static char online[4096];

	if (node < 0 && !mc_user_read_file(NODES "/online", online, sizeof(online)))
		*online = '\0';
	while (++node < MC_MAX_NODES) {
		if (mc_user_listed(online, node))
			return node;
	}
	return -1;
}

int mc_cpu_own_node(unsigned int cpu)
{
	static int known[MC_MAX_CPUS];	/* node + 1 */
	char cpus[16384];
	int node;

	if (known[cpu])
		return known[cpu] - 1;
	known[cpu] = 1;		/* in a kernel without NUMA, all memory is on node 0 */
	for (node = mc_user_node_next(-1); node >= 0; node = mc_user_node_next(node)) {
		if (mc_user_read_of(cpus, sizeof(cpus), NODES "/node%d/cpulist", node) &&
		    mc_user_listed(cpus, cpu)) {
			known[cpu] = node + 1;
			break;
		}
	}
	return known[cpu] - 1;
}

/* The file `distance` of a node has a number for each online node, in order. */
unsigned int mc_node_distance(int a, int b)
{
	static unsigned int row[MC_MAX_NODES];
	static int of = -1;	/* the node of the row */
	char text[8192], *at = text, *end;
	int node;

	if (a != of) {
		of = a;
		memset(row, 0, sizeof(row));
		if (!mc_user_read_of(text, sizeof(text), NODES "/node%d/distance", a))
			return 0;
		for (node = mc_user_node_next(-1); node >= 0; node = mc_user_node_next(node)) {
			row[node] = strtol(at, &end, 10);
			if (end == at)
				break;
			at = end;
		}
	}
	return row[b];
}

/* Has this node memory? All have, where the kernel does not say it. */
bool mc_user_node_has_memory(int node)
{
	char text[4096];

	return !mc_user_read_file(NODES "/has_memory", text, sizeof(text)) ||
	       mc_user_listed(text, node);
}

static int nearest_node(int own)
{
	unsigned int distance, least = 0;
	int node, best = own;

	for (node = 0; node < MC_MAX_NODES; node++) {
		distance = mc_node_distance(own, node);
		if (!distance || (least && distance >= least) || !mc_user_node_has_memory(node))
			continue;
		least = distance;
		best = node;
	}
	return best;
}

/* The same as mc_cpu_node() in the kernel; read from sysfs once for each CPU. */
int mc_cpu_node(unsigned int cpu)
{
	static int known[MC_MAX_CPUS];	/* node + 1 */
	int node;

	if (known[cpu])
		return known[cpu] - 1;
	node = mc_cpu_own_node(cpu);
	if (!mc_user_node_has_memory(node))
		node = nearest_node(node);
	known[cpu] = node + 1;
	return node;
}

/* Return: the loaded module's numa_node; -1 if it is not set or there is no module. */
int mc_user_module_node(void)
{
	char text[32];

	if (!mc_user_read_file("/sys/module/memcache/parameters/numa_node", text, sizeof(text)))
		return -1;
	return atoi(text);
}

/* The node of a page; MC_NODE_NA: the kernel does not tell, as for memory of a device. */
int mc_user_node_of(void *page)
{
	int node = -1;

	if (syscall(SYS_move_pages, 0, 1UL, &page, NULL, &node, 0) || node < 0)
		return MC_NODE_NA;
	return node;
}

/* If it fails, there is only one node, or memory_node shows the actual one. */
void mc_user_set_node(void *at, u64 bytes, int node, bool strict)
{
	unsigned long mask[MC_MAX_NODES / 64] = { 0 };

	if (node < 0)
		return;
	mask[node / 64] = 1UL << (node % 64);
	syscall(SYS_mbind, at, bytes, strict ? POLICY_BIND : POLICY_PREFERRED, mask,
		8 * sizeof(mask), 0);
}
