/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts of what the machine does, in all and in each timed window. */
#ifndef SIM_TALLY_H
#define SIM_TALLY_H

#include <stdio.h>

#include "model.h"

#define NWIDTHS	8	/* 1, 2, 4 … 64 bytes, and the rest */

enum fence { FENCE_SFENCE, FENCE_MFENCE, FENCE_DSB, NFENCES };

/**
 * struct tally - counts of a CPU; all of its fields are uint64_t
 * @ns: time, counted in windows only
 * @charged: part of @ns that memory cost
 * @accesses: loads and stores by memory type, operation and log2 of the width
 * @streaming: stores among these by non-temporal instructions
 * @fences: fences that drain the write-combining buffers, by kind
 * @flushes: flushes of a line
 * @cleans: lines cleaned by CLWB or DC CVAC
 * @hints: prefetches, and CLDEMOTE
 * @interrupts: returns from interrupts and exceptions
 * @happened: what the caches, buffers and TLBs did
 */
struct tally {
	uint64_t ns;
	uint64_t charged;
	uint64_t accesses[NTYPES][2][NWIDTHS];
	uint64_t streaming[NTYPES][NWIDTHS];
	uint64_t fences[NFENCES];
	uint64_t flushes;
	uint64_t cleans;
	uint64_t hints;
	uint64_t interrupts;
	struct happened happened;
};

void tally_fence(unsigned int cpu, enum fence fence);
void tally_access(unsigned int cpu, const struct access *a);
void tally_window_begin(unsigned int cpu, int64_t now);
void tally_window_end(unsigned int cpu, int64_t now);
void tally_mark(void);
void tally_report(FILE *to);
void tally_clear(void);

#endif /* SIM_TALLY_H */
