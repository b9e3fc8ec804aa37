/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loop over lines in random order. The place of a line is computed, so that no table
 * of places takes part in the traffic: a linear congruential generator modulo a power of
 * two gives the line in a region (Knuth, The Art of Computer Programming 2, 3.2.1.2), with
 * the upper half of its bits added to the lower half, which alone has a short period. The
 * regions take turns.
 *
 * Registers are as in loops_common.S, with these differences: x1 is the struct mc_scatter,
 * x6 the generator's state, x7 the region, x10 the place in each array; x16 and x17 are
 * the generator's factor and summand, x9 and x11 are scratch.
 */
#include "arch/random.h"

.macro SCATTER_PLACE
	ldr x9, [x1, #MC_SCATTER_MASK]
	and x10, x6, x9
	ldr x9, [x1, #MC_SCATTER_SHIFT]
	lsr x9, x10, x9
	eor x10, x10, x9
	add x10, x7, x10, lsl #6
	madd x6, x6, x16, x17
	ldr x9, [x1, #MC_SCATTER_STEP]
	add x7, x7, x9
	ldr x9, [x1, #MC_SCATTER_SPAN]
	subs x9, x7, x9
	csel x7, x9, x7, hs
	ldr x9, [x1, #MC_SCATTER_BLOCKS]
.endm

/* Point an array's register to the line at x10. */
.macro SCATTER_POINT r, nothing
	ldr \r, [x1, #MC_SCATTER_OFFSET + 8 * mc_n]
	add \r, \r, x10
	lsr x11, \r, #MC_BLOCK_WORDS_LOG2 + 3
	and \r, \r, #(8 << MC_BLOCK_WORDS_LOG2) - 1
	ldr x11, [x9, x11, lsl #3]
	add \r, \r, x11
.endm

.macro LOOP_SCATTER name, w, body, arrays=1, prep=PREP_NONE, done=DONE_NONE, \
	behind=BEHIND_NONE, count=0
FUNCTION_TYPED \name
	\prep \w
	ldr x1, [x0, #MC_ARG_SCATTER]
	ldr x6, [x1, #MC_SCATTER_STATE]
	ldr x7, [x1, #MC_SCATTER_REGION]
	CONSTANT x16, 1664525
	CONSTANT x17, 1013904223
	.balign 64
.Lscatter\@:
	SCATTER_PLACE
	EACH \arrays, SCATTER_POINT
	LINE \w, \body, \behind, \count
	ldr x9, [x1, #MC_SCATTER_LEFT]
	subs x9, x9, #1
	str x9, [x1, #MC_SCATTER_LEFT]
	b.ne .Lscatter\@
	str x6, [x1, #MC_SCATTER_STATE]
	str x7, [x1, #MC_SCATTER_REGION]
	mov x1, #1		/* the word that the fence stores: passes left */
	ldr w11, [x0, #MC_ARG_FENCE]
	FENCE
	\done \w
FUNCTION_END \name
.endm
