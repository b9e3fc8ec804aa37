// SPDX-License-Identifier: GPL-2.0-only
/* Sets of CPUs, as the words of other programs name them. */
#include <stdio.h>
#include <string.h>

#include "measure/engine.h"
#include "platform/cpus.h"
#include "user.h"

/* The CPUs of a list, or of likwid's N, S0, M0, where M takes a list. Return: are there any? */
bool mc_user_cpus(u64 *cpus, const char *value, size_t len)
{
	char kind = len && memchr("NSM", *value, 3) ? *value : '\0', line[MC_LINE_MAX];
	static struct mc_request req;
	struct mc_error e = { 0 };
	struct mc_text t = MC_TEXT(line);
	unsigned int cpu, n = 0;
	int of;

	mc_textf(&t, "latency cpu=%.*s", (int)len - !!kind, value + !!kind);
	if (kind == 'N' && len == 1)
		mc_textf(&t, "all");
	if (mc_request_parse(&req, line, t.len, mc_specs, &e))
		return false;
	for (cpu = 0; cpu < MC_MAX_CPUS; cpu++) {
		if ((kind || req.all_cpus) && !mc_cpu_usable(cpu))
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
 * Keep so many CPUs, 0: all, of every @stride the first @chunk, taken core by core if @by_core.
 * Return: were there as many?
 */
bool mc_user_choose(u64 *cpus, unsigned int threads, unsigned int chunk, unsigned int stride,
		    bool by_core)
{
	static unsigned int list[MC_MAX_CPUS];
	unsigned int cpu, at, i, n = 0, number = 0, taken = 0;

	for (cpu = 0; cpu < MC_MAX_CPUS; cpu++) {
		if (cpus[cpu / 64] >> cpu % 64 & 1)
			list[n++] = cpu;
	}
	memset(cpus, 0, MC_MAX_CPUS / 8);
	threads = threads ? threads : n;
	for (at = 0; at < MC_MAX_CPUS; at++) {
		for (i = 0; i < n; i++) {
			cpu = list[i];
			if ((by_core ? mc_cpu_core(cpu) : cpu) != at ||
			    number++ % stride >= chunk || taken == threads)
				continue;
			cpus[cpu / 64] |= 1ULL << cpu % 64;
			taken++;
		}
	}
	return taken == threads;
}
