/* SPDX-License-Identifier: GPL-2.0-only */
/* What CPUID says, wherever the code runs: kernel, User-Mode Linux, user space. */
#ifndef MC_CPUID_H
#define MC_CPUID_H

#include "../../core/text.h"
#include "../../loops.h"

/**
 * struct mc_cpu_model - which CPU this is
 * @vendor: twelve letters
 * @family: with its extension, as Linux counts
 * @model: the same
 * @stepping: the stepping
 * @prefetch_msr: AMD: there is an MSR that switches prefetchers
 */
struct mc_cpu_model {
	char vendor[13];
	u32 family;
	u32 model;
	u32 stepping;
	bool prefetch_msr;
};

void mc_cpuid_model(struct mc_cpu_model *cpu);
bool mc_cpuid_has(enum mc_feature feature);
bool mc_cpuid_invariant_tsc(void);
bool mc_cpuid_rdtscp(void);
bool mc_cpuid_hypervisor(void);
void mc_cpuid_json(struct mc_text *t, const char *hypervisor);

#endif /* MC_CPUID_H */
