// SPDX-License-Identifier: GPL-2.0-only
/* Sets of CPUs, as the words of other programs name them: a list, a mask, likwid's N, S0, M0. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/math.h"
#include "platform/cpus.h"
#include "user.h"

static bool is_in(const char *set, unsigned int cpu)
{
	const char *list = set + (*set && strchr("NSM", *set));
	int of = *set == 'S' ? max(mc_cpu_socket(cpu), 0) :
		 *set == 'M' ? mc_cpu_own_node(cpu) : (int)cpu;

	if (!strncmp(set, "0x", 2))
		return cpu < 64 && strtoull(set, NULL, 16) >> cpu & 1;
	return !strcmp(set, "N") || !strcmp(list, "all") || mc_user_listed(list, of);
}

/* Put the CPUs of two sets in order, or core by core. Return: how many they have in common. */
static unsigned int sort(const char *within, const char *domain, bool by_core,
			 unsigned int *order)
{
	u64 usable[MC_MAX_CPUS / 64];
	unsigned int cpu, n = 0, at;

	mc_cpus_usable(usable);
	for (cpu = 0; cpu < MC_MAX_CPUS; cpu++) {
		/* Only a list names CPUs that this process may not use. */
		if ((!isdigit(*within) && !mc_bit(usable, cpu)) || !is_in(within, cpu) ||
		    !is_in(domain, cpu))
			continue;
		for (at = n++; by_core && at && mc_cpu_core(order[at - 1]) > mc_cpu_core(cpu); at--)
			order[at] = order[at - 1];
		order[at] = cpu;
	}
	return n;
}

/*
 * Append the first CPUs @within a set, so many, 0: all; or those @on domains of likwid that are
 * within it: DOMAIN:[THREADS]:[CHUNK:STRIDE], with an @ between them, as many on each, and if
 * @one_node on one node each. Return: why that can't be, or NULL.
 */
const char *mc_user_choose(struct mc_text *t, const char *within, const char *on, bool one_node,
			   unsigned int threads)
{
	unsigned int order[MC_MAX_CPUS], n, i, first = 0, taken, before = 0;
	char *rest = strdupa(on ?: "N"), *domain, *how;
	u64 cpus[MC_MAX_CPUS / 64] = { 0 };

	while ((how = strsep(&rest, "@"))) {
		unsigned int wanted = threads, chunk = 1, stride = 1;

		domain = strsep(&how, ":");
		if (how)
			sscanf(how, "%9u:%9u:%9u", &wanted, &chunk, &stride);
		if (stride < chunk)
			return "has a stride of fewer CPUs than its chunk";
		n = sort(within, domain, on, order);
		for (i = taken = 0; i < n && (!wanted || taken < wanted); i++) {
			if (i % stride >= chunk)
				continue;
			if (mc_bit(cpus, order[i]))
				return "has a CPU twice";
			cpus[order[i] / 64] |= 1ULL << order[i] % 64;
			first = taken++ ? first : order[i];
			if (one_node && mc_cpu_node(order[i]) != mc_cpu_node(first))
				return "has its memory on the node of its first CPU only";
		}
		if (!taken)
			return "names no CPUs";
		if (taken < wanted)
			return "is more than these CPUs";
		if (before && taken != before)
			return "has another number of CPUs than the workgroup before it";
		before = taken;
	}
	mc_text_list(t, cpus, MC_MAX_CPUS);
	return NULL;
}
