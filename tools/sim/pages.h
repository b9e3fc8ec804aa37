/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the addresses of the guest lie, and of which type they are: walks of its page tables. */
#ifndef SIM_PAGES_H
#define SIM_PAGES_H

#include "types.h"

#define MSR_PREFETCHERS	0x1a4

/* Counts that the guest reads, with COUNT_VALID: lines that the memory controller of node N has
 * read (TRAFFIC + 2N) and written (TRAFFIC + 2N + 1); accesses of the CPU that reads it whose
 * translation no TLB had (WALKS), and nanoseconds in which its clock did not stand still (CYCLES).
 * On x86 these are MSRs: no CPU has any from 0x40000000 to
 * 0x400000ff (Intel SDM vol. 4, 2.1). On arm64 they are in CCSIDR_EL1 while CSSELR_EL1 has these
 * numbers. A real CPU ignores their upper bits and may fault, so only the simulated machine may be
 * asked. selftests/modules/mc_pmu.c reads them.
 */
#define TRAFFIC		0x400000e0
#define WALKS		(TRAFFIC + 2 * NODES_MOST)
#define CYCLES		(WALKS + 1)
#define COUNT_VALID	0x8000000000000000ULL

void pages_begin(unsigned int cpu, bool is_x86);
uint64_t pages_register(unsigned int cpu, unsigned int number);
struct mapping pages_find(unsigned int cpu, uint64_t address);
void pages_forget(unsigned int cpu);
void pages_write_msr(unsigned int cpu);
uint64_t pages_prefetchers(unsigned int cpu);

#endif /* SIM_PAGES_H */
