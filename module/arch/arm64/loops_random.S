/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loops of random accesses: the generator is part of the loop, so a loop without the
 * access measures what the generator and the address cost. The module and user space
 * share them.
 *
 * Registers: x0 arguments, x1 eights of accesses left, x2 table of blocks, or the block,
 * x3 range, x4 sum, x5 value to write, or what the last load of a chase leaves: 0. x6 to
 * x9 are the generator's, x10 and x11 its factor and summand, x12 is 0, x13 the number,
 * x14 the word or byte that it selects, x15 to x17 are for the access.
 */
#include "arch/arm64/macros/function.S"
#include "arch/random.h"

	.text

/* ---- generators: put a number into x13 ---- */

.macro LCG x
	mov x13, \x
	madd \x, \x, x10, x11
.endm

/* The next number takes s0 from b and s1 from a: the two swap roles. */
.macro XORSHIFT a, b
	eor \a, \a, \a, lsl #23
	eor \a, \a, \a, lsr #18
	eor \a, \a, \b
	eor \a, \a, \b, lsr #5
	add x13, \a, \b
.endm

/* ---- an access at the place that x13 selects: at is x16, or in x16 without it ---- */

/* Load from, or compute, the address. */
.macro GET to, bare, bytes
	.if \bare && \bytes
	add \to, x2, x14
	.elseif \bare
	add \to, x16, x14, lsl #3
	.elseif \bytes
	ldr \to, [x2, x14]
	.else
	ldr \to, [x16, x14, lsl #3]
	.endif
.endm

.macro DO_READ bare, bytes
	GET x17, \bare, \bytes
	add x4, x4, x17
.endm

/*
 * AND with x12 gives 0, but the CPU does not know this before the load has completed, so
 * the next access waits for it. The generator does not wait: it runs ahead.
 */
.macro DO_CHASE bare, bytes
	GET x5, \bare, \bytes
	add x4, x4, x5
	and x5, x5, x12
.endm

.macro DO_WRITE bare, bytes
	.if \bare
	GET x13, \bare, \bytes
	.elseif \bytes
	str x15, [x2, x14]
	.else
	str x15, [x16, x14, lsl #3]
	.endif
.endm

.macro ACCESS do, bare, bytes
	umulh x14, x13, x3
	.ifc \do, DO_WRITE
	add x15, x5, x14
	.endif
	.if \bytes == 0
	lsr x16, x14, #MC_BLOCK_WORDS_LOG2
	and x14, x14, #(1 << MC_BLOCK_WORDS_LOG2) - 1
	ldr x16, [x2, x16, lsl #3]
	.endif
	.ifc \do, DO_CHASE
	add x14, x14, x5
	.endif
	\do \bare, \bytes
.endm

/* ---- four accesses, and code before and after the loop ---- */

/*
 * Four lanes, each of which advances four steps at a time: together they give the
 * sequence.
 */
.macro PREP_LCG
	CONSTANT x10, MC_LCG_A
	CONSTANT x11, MC_LCG_C
	ldr x6, [x0, #MC_RANDOM_STATE]
	madd x7, x6, x10, x11
	madd x8, x7, x10, x11
	madd x9, x8, x10, x11
	CONSTANT x10, MC_LCG_A4
	CONSTANT x11, MC_LCG_C4
.endm

.macro FOUR_LCG access:vararg
	.irp x, x6, x7, x8, x9
	LCG \x
	ACCESS \access
	.endr
.endm

.macro DONE_LCG
	str x6, [x0, #MC_RANDOM_STATE]
.endm

.macro PREP_XORSHIFT
	ldp x6, x7, [x0, #MC_RANDOM_STATE]
.endm

.macro FOUR_XORSHIFT access:vararg
	.rept 2
	XORSHIFT x6, x7
	ACCESS \access
	XORSHIFT x7, x6
	ACCESS \access
	.endr
.endm

.macro DONE_XORSHIFT
	stp x6, x7, [x0, #MC_RANDOM_STATE]
.endm

/* ---- the loop around the accesses ---- */

.macro LOOP name, generator, do, bare, bytes
FUNCTION_TYPED \name
	ldr x1, [x0, #MC_RANDOM_COUNT]
	lsr x1, x1, #3
	ldr x2, [x0, #MC_RANDOM_BLOCKS]
	.if \bytes
	ldr x2, [x2]
	.endif
	ldr x3, [x0, #MC_RANDOM_RANGE]
	ldr x4, [x0, #MC_RANDOM_SUM]
	ldr x5, [x0, #MC_RANDOM_VALUE]
	mov x12, #0
	.ifc \do, DO_CHASE
	mov x5, #0
	.endif
	PREP_\generator
	.balign 64
.Lnext\@:
	FOUR_\generator \do, \bare, \bytes
	FOUR_\generator \do, \bare, \bytes
	subs x1, x1, #1
	b.ne .Lnext\@
	DONE_\generator
	str x4, [x0, #MC_RANDOM_SUM]
FUNCTION_END \name
.endm

/* ---- the loops; arch/random_table.c has one row for each four ---- */

.macro LOOPS name, generator, do
LOOP mc_asm_\name\()_words, \generator, \do, 0, 0
LOOP mc_asm_\name\()_words_bare, \generator, \do, 1, 0
LOOP mc_asm_\name\()_bytes, \generator, \do, 0, 1
LOOP mc_asm_\name\()_bytes_bare, \generator, \do, 1, 1
.endm

LOOPS lcg_read, LCG, DO_READ
LOOPS lcg_chase, LCG, DO_CHASE
LOOPS lcg_write, LCG, DO_WRITE
LOOPS xorshift_read, XORSHIFT, DO_READ
LOOPS xorshift_chase, XORSHIFT, DO_CHASE
LOOPS xorshift_write, XORSHIFT, DO_WRITE

	.section .note.GNU-stack, "", @progbits
