// SPDX-License-Identifier: GPL-2.0-only
/* Sets of CPUs, as the words of other programs name them. */
#include <stdio.h>
#include <string.h>

#include "measure/engine.h"
#include "platform/cpus.h"
#include "user.h"

/* The CPUs of a list, or of likwid's N, S0, M0, where M takes a list. Return: are there any? */
bool mc_user_cpus(u64 *cpus, const char *value)
{
	char kind = *value && strchr("NSM", *value) ? *value : '\0', line[MC_LINE_MAX];
	u64 usable[MC_MAX_CPUS / 64];
	static struct mc_request req;
	struct mc_error e = { 0 };
	struct mc_text t = MC_TEXT(line);
	unsigned int cpu, n = 0;
	int of;

	mc_textf(&t, "latency cpu=%s", value + !!kind);
	if (!strcmp(value, "N"))
		mc_textf(&t, "all");
	if (mc_request_parse(&req, line, t.len, mc_specs, &e))
		return false;
	mc_cpus_usable(usable);
	for (cpu = 0; cpu < MC_MAX_CPUS; cpu++) {
		if ((kind || req.all_cpus) && !(usable[cpu / 64] >> cpu % 64 & 1))
			continue;
		of = kind == 'S' ? max(mc_cpu_socket(cpu), 0) :
		     kind == 'M' ? mc_cpu_own_node(cpu) : (int)cpu;
		if (!req.all_cpus && !(req.cpus[of / 64] >> of % 64 & 1))
			continue;
		cpus[cpu / 64] |= 1ULL << cpu % 64;
		n++;
	}
	return n;
}

/*
 * Append so many CPUs of a list, 0: all; of every @stride the first @chunk, taken core by core if
 * @by_core. Return: why that can't be, or NULL.
 */
const char *mc_user_choose(struct mc_text *t, const char *list, unsigned int threads,
			   unsigned int chunk, unsigned int stride, bool by_core)
{
	u64 from[MC_MAX_CPUS / 64] = { 0 }, cpus[MC_MAX_CPUS / 64] = { 0 };
	unsigned int cpu, at, n = 0, number = 0, taken = 0;

	if (!mc_user_cpus(from, list))
		return "names no CPUs";
	if (stride < chunk)
		return "has a stride of fewer CPUs than its chunk";
	for (cpu = 0; cpu < MC_MAX_CPUS; cpu++)
		n = from[cpu / 64] >> cpu % 64 & 1 ? cpu + 1 : n;
	for (at = 0; at < n; at++) {
		for (cpu = 0; cpu < n; cpu++) {
			if (!(from[cpu / 64] >> cpu % 64 & 1) ||
			    (by_core ? mc_cpu_core(cpu) : cpu) != at ||
			    number++ % stride >= chunk || (threads && taken == threads))
				continue;
			cpus[cpu / 64] |= 1ULL << cpu % 64;
			taken++;
		}
	}
	mc_text_list(t, cpus, MC_MAX_CPUS);
	return taken < threads ? "is more than these CPUs" : NULL;
}
