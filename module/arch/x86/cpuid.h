/* SPDX-License-Identifier: GPL-2.0-only */
/* What CPUID says, wherever the code runs: kernel, User-Mode Linux, user space. */
#ifndef MC_CPUID_H
#define MC_CPUID_H

#include "../../core/text.h"
#include "../../loops.h"

bool mc_cpuid_has(enum mc_feature feature);
bool mc_cpuid_invariant_tsc(void);
void mc_cpuid_json(struct mc_text *t);

#endif /* MC_CPUID_H */
