/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPU models whose prefetchers can be switched off. */
#ifndef MC_PREFETCHERS_H
#define MC_PREFETCHERS_H

#include "arch/x86/cpuid.h"
#include "kernel/arch.h"

const struct mc_prefetch_msr *
mc_prefetchers_of(const struct mc_cpu_model *cpu);

#endif /* MC_PREFETCHERS_H */
