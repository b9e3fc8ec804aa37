/* SPDX-License-Identifier: GPL-2.0-only */
/* The caches of each CPU, as the CPU describes them. */
#ifndef MC_CACHES_H
#define MC_CACHES_H

#include "core/shim.h"

int mc_core_next(int cpu);
u64 mc_cache_bytes(int cpu, unsigned int level);
u64 mc_cache_way(int cpu, unsigned int level);
bool mc_cache_shared(int a, int b, unsigned int level);

#endif /* MC_CACHES_H */
