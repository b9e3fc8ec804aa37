/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the system counts of the causes of long accesses, beside what the detector sees. Each
 * side has a file of its own: kernel/causes.c, kernel/um/causes.c and tools/user/causes.c.
 */
#ifndef MC_CAUSES_H
#define MC_CAUSES_H

#include "core/counter.h"
#include "core/tail.h"

u32 mc_causes_known(void);
void mc_causes_read(u32 known, u64 *count);
bool mc_smi_event(struct mc_counter *c);

#endif /* MC_CAUSES_H */
