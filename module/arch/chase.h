/* SPDX-License-Identifier: GPL-2.0-only */
/* Loops that follow pointers, or last a number of core cycles: loops_chase.S. */
#ifndef MC_ARCH_CHASE_H
#define MC_ARCH_CHASE_H

#include "core/shim.h"

void **mc_asm_chase(void **at, u64 loads);
void mc_asm_clock(u64 cycles);
void **mc_asm_dirty(void **at, u64 n, u64 value);
void mc_asm_paced(void *at, u64 steps, u64 delay, u64 reads, u64 writes, u64 nt);

#endif /* MC_ARCH_CHASE_H */
