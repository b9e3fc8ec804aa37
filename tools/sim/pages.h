/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the addresses of the guest lie, and of which type they are: walks of its page tables. */
#ifndef SIM_PAGES_H
#define SIM_PAGES_H

#include "types.h"

#define MSR_PREFETCHERS	0x1a4

/* Lines that the memory controller of node N has read (2N) and written (2N + 1). No CPU has
 * registers from 0x40000000 to 0x400000ff (Intel SDM vol. 4, 2.1). selftests/modules/mc_pmu.c reads
 * these.
 */
#define MSR_TRAFFIC	0x400000e0

/* Accesses of the CPU that reads it whose translation no TLB had; for mc_pmu.c, too. */
#define MSR_WALKS	0x400000d0

void pages_begin(unsigned int cpu, bool is_x86);
uint64_t pages_register(unsigned int cpu, unsigned int number);
struct mapping pages_find(unsigned int cpu, uint64_t address);
void pages_forget(unsigned int cpu);
void pages_write_msr(unsigned int cpu);
uint64_t pages_prefetchers(unsigned int cpu);

#endif /* SIM_PAGES_H */
