/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the system counts of the causes of long accesses, beside what the detector sees. Each
 * side has a file of its own: kernel/causes.c, kernel/um/causes.c and tools/user/causes.c.
 */
#ifndef MC_CAUSES_H
#define MC_CAUSES_H

#include "core/tail.h"

/**
 * mc_causes_known() - the causes that are counted
 *
 * Context: The CPU whose causes are meant.
 * Return: a bit for each (enum mc_cause).
 */
u32 mc_causes_known(void);

/**
 * mc_causes_read() - read the counts of the CPU
 * @known: what mc_causes_known() returned
 * @count: array of MC_NCAUSES; result: the counts of the causes in @known. The others stay
 *
 * Context: Worker thread, in a window.
 */
void mc_causes_read(u32 known, u64 *count);

#endif /* MC_CAUSES_H */
