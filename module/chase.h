/* SPDX-License-Identifier: GPL-2.0-only */
/* Following a chain of pointers, and what the core's clock does meanwhile. */
#ifndef MC_CHASE_H
#define MC_CHASE_H

#include "core/chase.h"
#include "workers.h"

/* From loops_chase.S. */
void **mc_asm_chase(void **at, u64 loads);
void mc_asm_clock(u64 cycles);
void **mc_asm_dirty(void **at, u64 n, u64 value);
void mc_asm_paced(void *at, u64 steps, u64 delay, u64 reads, u64 writes, u64 nt);

int mc_chase_link(struct mc_worker *w, struct mc_chase *c);
int mc_chase_walk(struct mc_worker *w, const struct mc_chase *c, bool *whole);
int mc_core_mhz(struct mc_worker *w, u64 *mhz);

#endif /* MC_CHASE_H */
