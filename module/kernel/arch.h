/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that each architecture provides: x86/, where their kernel-doc is, arm64/, or um/ for
 * User-Mode Linux.
 */
#ifndef MC_ARCH_H
#define MC_ARCH_H

#include "core/record.h"
#include "kernel/look.h"

void mc_cpu_json(struct mc_text *t);
u64 mc_cpu_tsc_khz(void);
u32 mc_interrupt_count(void);
bool mc_nmi_count(u64 *count);
bool mc_smi_count(u64 *count);

bool mc_attr_settable(enum mc_type type);
bool mc_attr_direct(enum mc_type type);
const char *mc_attr_try(void *line);
int mc_attr_set(void *addr, unsigned int pages, enum mc_type type);
enum mc_attr mc_attr_read(const void *addr, u64 *mapping_bytes);
void __iomem *mc_attr_map(u64 start, u64 bytes, enum mc_type type);
void mc_attr_leave(void *addr, u64 bytes, enum mc_type type);
enum mc_attr mc_attr_of(enum mc_type type);
void mc_attr_json(struct mc_text *t);

const char *mc_tables_begin(struct mc_tables *t, struct mc_range *areas, struct mc_look *look);
unsigned int mc_tables_address_bits(void);
void mc_tables_bits_json(struct mc_text *t, u8 bits);

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
