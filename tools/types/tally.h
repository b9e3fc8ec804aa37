/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts of what the machine does, in all and in each timed window. */
#ifndef TYPES_TALLY_H
#define TYPES_TALLY_H

#include "../sim/widths.h"
#include "model.h"

enum fence { SFENCE, MFENCE, LFENCE, NFENCES };

/**
 * struct tally - counts; all of its fields are uint64_t
 * @ticks: time, counted in windows only
 * @charged: part of @ticks that memory cost
 * @interrupts: interrupts of devices and timers that were delivered
 * @accesses: accesses by memory type, kind, and log2 of the width
 * @streaming: stores among these by non-temporal instructions
 * @fences: fences by kind
 * @flushes: CLFLUSH and CLFLUSHOPT instructions
 * @clwbs: CLWB instructions
 * @happened: what the caches, buffers and the TLB did
 */
struct tally {
	uint64_t ticks;
	uint64_t charged;
	uint64_t interrupts;
	uint64_t accesses[NTYPES][NACCESSES][NWIDTHS];
	uint64_t streaming[NTYPES][NWIDTHS];
	uint64_t fences[NFENCES];
	uint64_t flushes;
	uint64_t clwbs;
	struct happened happened;
};

extern struct tally tally;

void tally_window_begin(uint64_t now);
void tally_window_end(uint64_t now);
void tally_mark(void);
void tally_report(int file);
void tally_clear(void);

#endif /* TYPES_TALLY_H */
