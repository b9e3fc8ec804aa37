/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loops that wait: for each load, or for a number of cycles. The module and user space
 * share them.
 */
#include "arch/arm64/macros/function.S"
#include "arch/chase.h"

	.text

/*
 * void **mc_asm_chase(void **at, u64 loads)
 * Follow a chain of pointers, and return its current element. Each load waits for the
 * one before it, so the loop around them costs nothing.
 */
FUNCTION mc_asm_chase
	ands x2, x1, #7
	b.eq .Leights
.Lone:
	ldr x0, [x0]
	subs x2, x2, #1
	b.ne .Lone
.Leights:
	lsr x1, x1, #3
	cbz x1, .Lchased
	.balign 64
.Leight:
	.rept 8
	ldr x0, [x0]
	.endr
	subs x1, x1, #1
	b.ne .Leight
.Lchased:
FUNCTION_END mc_asm_chase

/*
 * void **mc_asm_dirty(void **at, u64 n, u64 value)
 * Follow a chain of pointers, store value beside each, and return the current element.
 */
FUNCTION mc_asm_dirty
.Ldirty:
	str x2, [x0, #8]
	ldr x0, [x0]
	subs x1, x1, #1
	b.ne .Ldirty
FUNCTION_END mc_asm_dirty

	.arch_extension lse

/*
 * u64 mc_asm_turns(u64 *word, u64 from, u64 turns, u64 tries)
 * Wait until the word is from, make it one more by compare and swap, and do so for every second
 * number. End after so many turns, or failed tries, and return the turns that are left.
 */
FUNCTION mc_asm_turns
.Lturn:
	mov x4, x1
	add x5, x1, #1
	casal x4, x5, [x0]
	cmp x4, x1
	b.ne .Lnot_yet
	add x1, x1, #2
	subs x2, x2, #1
	b.ne .Lturn
	b .Lturned
.Lnot_yet:
	subs x3, x3, #1
	b.ne .Lturn
.Lturned:
	mov x0, x2
FUNCTION_END mc_asm_turns

/*
 * void mc_asm_paced(struct mc_paced *args)
 * Each step reads some lines and then writes some, one after another. A countdown from
 * delay follows each line. Without combine the data written is not zero, because some
 * CPUs treat zeros specially. With combine it is the line that was read last, plus two
 * times the sum of those before it.
 *
 * Registers: x0 arguments, x1 steps left, x2 offset of the step, x3 number of the line in
 * the step, x4 state of the generator, x5 its factor, x6 address of the line, x9 to x16
 * arguments, x17 is 1, x7 and x8 are scratch. v0 to v3 are what is written, v4 to v7
 * scratch.
 */
.macro PACE
	cbz x13, .Lpaced\@
	mov x7, x13
.Lpace\@:
	subs x7, x7, #1
	b.ne .Lpace\@
.Lpaced\@:
.endm

/* Put the address of the next line into x6. */
.macro PLACE random
	.if \random
	umulh x7, x4, x14
	madd x4, x4, x5, x17
	add x7, x16, x7, lsl #6
	lsr x8, x7, #MC_BLOCK_WORDS_LOG2 + 3
	and x7, x7, #(8 << MC_BLOCK_WORDS_LOG2) - 1
	ldr x8, [x15, x8, lsl #3]
	add x6, x8, x7
	.else
	add x6, x0, #MC_PACED_PLACE
	ldr x6, [x6, x3, lsl #3]
	add x6, x6, x2
	.endif
	add x3, x3, #1
.endm

.macro PACED random
.Lstep\@:
	mov x3, #0
	cbz x9, .Lreads\@
	movi v0.2d, #0
	movi v1.2d, #0
	movi v2.2d, #0
	movi v3.2d, #0
.Lreads\@:
	cmp x3, x10
	b.hs .Lwrites\@
	PLACE \random
	ldp q4, q5, [x6]
	ldp q6, q7, [x6, #32]
	cbz x9, .Lread\@
	add v0.2d, v0.2d, v0.2d
	add v1.2d, v1.2d, v1.2d
	add v2.2d, v2.2d, v2.2d
	add v3.2d, v3.2d, v3.2d
	add v0.2d, v0.2d, v4.2d
	add v1.2d, v1.2d, v5.2d
	add v2.2d, v2.2d, v6.2d
	add v3.2d, v3.2d, v7.2d
.Lread\@:
	PACE
	b .Lreads\@
.Lwrites\@:
	cmp x3, x11
	b.hs .Lstepped\@
	PLACE \random
	cbnz x12, .Lstream\@
	stp q0, q1, [x6]
	stp q2, q3, [x6, #32]
	b .Lwritten\@
.Lstream\@:
	stnp q0, q1, [x6]
	stnp q2, q3, [x6, #32]
.Lwritten\@:
	PACE
	b .Lwrites\@
.Lstepped\@:
	ldr x7, [x0, #MC_PACED_STRIDE]
	add x2, x2, x7
	subs x1, x1, #1
	b.ne .Lstep\@
.endm

FUNCTION mc_asm_paced
	ldr x1, [x0, #MC_PACED_STEPS]
	ldr x13, [x0, #MC_PACED_DELAY]
	ldr x10, [x0, #MC_PACED_READS]
	ldr x11, [x0, #MC_PACED_END]
	ldr x12, [x0, #MC_PACED_NT]
	ldr x9, [x0, #MC_PACED_COMBINE]
	ldr x15, [x0, #MC_PACED_BLOCKS]
	ldr x16, [x0, #MC_PACED_START]
	ldr x14, [x0, #MC_PACED_LINES]
	ldr x4, [x0, #MC_PACED_STATE]
	CONSTANT x5, MC_LCG_A
	mov x17, #1
	mov x2, #0
	dup v0.2d, x0
	dup v1.2d, x0
	dup v2.2d, x0
	dup v3.2d, x0
	cbnz x14, .Lrandom
	PACED 0
	ret
.Lrandom:
	PACED 1
	str x4, [x0, #MC_PACED_STATE]
FUNCTION_END mc_asm_paced

/*
 * void mc_asm_clock(u64 cycles)
 * Last a number of core cycles, a multiple of 96. An addition waits one cycle for the
 * one before it (Arm, software optimization guides: "Arithmetic, basic": latency 1).
 */
FUNCTION mc_asm_clock
	mov x1, #96
	udiv x0, x0, x1
	mov x2, #0
	cbz x0, .Ltold
	.balign 64
.Lcycles:
	.rept 96
	add x2, x2, x1
	.endr
	subs x0, x0, #1
	b.ne .Lcycles
.Ltold:
FUNCTION_END mc_asm_clock

	.section .note.GNU-stack, "", @progbits
