/* SPDX-License-Identifier: GPL-2.0-only */
/* What the architecture provides: x86/, or um/ for User-Mode Linux. */
#ifndef MC_ARCH_H
#define MC_ARCH_H

#include "core/record.h"

void mc_cpu_json(struct mc_text *t);
u64 mc_cpu_tsc_khz(void);

bool mc_attr_settable(enum mc_type type);
int mc_attr_set(void *addr, unsigned int pages, enum mc_type type);
enum mc_attr mc_attr_read(const void *addr, u64 *mapping_bytes);
void mc_attr_json(struct mc_text *t);

/**
 * struct mc_prefetch_msr - the register that switches a CPU's prefetchers off
 * @msr: its number
 * @mask: the prefetchers' bits; a set bit switches one off
 */
struct mc_prefetch_msr {
	u32 msr;
	u64 mask;
};

const struct mc_prefetch_msr *mc_prefetchers(const char **why_not);
int mc_msr_read(u32 msr, u64 *value);
int mc_msr_write(u32 msr, u64 value);

#endif /* MC_ARCH_H */
