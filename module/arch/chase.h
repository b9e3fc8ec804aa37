/* SPDX-License-Identifier: GPL-2.0-only */
/* Loops that follow pointers, load memory at a pace, or last a number of core cycles. */
#ifndef MC_ARCH_CHASE_H
#define MC_ARCH_CHASE_H

#include "arch/random.h"

/* Offsets in struct mc_paced, for loops_chase.S. */
#define MC_PACED_STEPS		0
#define MC_PACED_DELAY		8
#define MC_PACED_READS		16
#define MC_PACED_END		24
#define MC_PACED_NT		32
#define MC_PACED_COMBINE	40
#define MC_PACED_STRIDE		48
#define MC_PACED_BLOCKS		56
#define MC_PACED_START		64
#define MC_PACED_LINES		72
#define MC_PACED_STATE		80
#define MC_PACED_PLACE		88

#define MC_PACED_MOST		10	/* lines of a step */

#ifndef __ASSEMBLER__
#include "core/shim.h"

/**
 * struct mc_paced - arguments of mc_asm_paced()
 * @steps: number of steps, not 0
 * @delay: countdown after each line; a count takes about a cycle
 * @reads: lines that a step reads first
 * @end: lines of a step, at most MC_PACED_MOST; those from @reads on are written
 * @nt: they are written by non-temporal stores
 * @combine: what is written is the line that was read last, plus two times the sum of
 *           those before it, as integers; it computes a = b and a = b + 2 c
 * @stride: bytes from a line to the same line of the next step
 * @blocks: random lines: addresses of the buffer's blocks of MC_BLOCK_BYTES
 * @start: random lines: offset in the buffer of the first one
 * @lines: random lines: number of lines to choose from; 0: lines are in order
 * @state: random lines: state of the generator, updated
 * @place: lines in order: address of each line of the first step
 */
struct mc_paced {
	u64 steps;
	u64 delay;
	u64 reads;
	u64 end;
	u64 nt;
	u64 combine;
	u64 stride;
	void *const *blocks;
	u64 start;
	u64 lines;
	u64 state;
	void *place[MC_PACED_MOST];
};

void **mc_asm_chase(void **at, u64 loads);
void mc_asm_clock(u64 cycles);
void **mc_asm_dirty(void **at, u64 n, u64 value);
u64 mc_asm_turns(u64 *word, u64 from, u64 turns, u64 tries);
void mc_asm_paced(struct mc_paced *args);

#endif /* __ASSEMBLER__ */
#endif /* MC_ARCH_CHASE_H */
