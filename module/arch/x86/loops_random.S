/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loops that access random words of 8 bytes. The module and user space share them; the
 * loops in loops.S traverse memory in order.
 *
 * The generator runs within the loop. A bare loop differs in one instruction, lea in
 * place of mov, so it measures the cost of everything except the access.
 *
 * Registers: rdi arguments, rsi rounds left, r8 blocks, or the first block for byte
 * offsets, r9 range, r10 and r11 constants of the LCG, rbx, rdi, r12, r13 state (while
 * the arguments are on the stack), r14 sum, r15 value, or for a chase a 0 that depends
 * on the last load. rax, rcx, rdx are for the access. rbp stays unchanged: see
 * macros/loops_common.S.
 */
#include "arch/x86/macros/function.S"
#include "arch/random.h"

	.text

/* ---- generators: put a number into rax, clobber rcx ---- */

.macro LCG x
	movq \x, %rax
	imulq %r10, \x
	addq %r11, \x
.endm

/* The next number takes s0 from b and s1 from a: the two swap roles. */
.macro XORSHIFT a, b
	movq \a, %rcx
	shlq $23, %rcx
	xorq %rcx, \a
	movq \a, %rcx
	shrq $18, %rcx
	xorq %rcx, \a
	movq \b, %rcx
	xorq \b, \a
	shrq $5, %rcx
	xorq %rcx, \a
	leaq (\a,\b), %rax
.endm

/* ---- an access at the place that rax selects ---- */

.macro DO_READ mov, at:vararg
	\mov \at, %rax
	addq %rax, %r14
.endm

/*
 * AND with 0 gives 0, but the CPU does not know this before the load has completed, so
 * the next access waits for it. The generator does not wait: it runs ahead.
 */
.macro DO_CHASE mov, at:vararg
	\mov \at, %r15
	addq %r15, %r14
	andl $0, %r15d
.endm

.macro DO_WRITE mov, at:vararg
	.ifc \mov, movq
	movq %rcx, \at
	.else
	leaq \at, %rax
	.endif
.endm

.macro ACCESS do, mov, bytes
	mulq %r9
	.ifc \do, DO_WRITE
	leaq (%r15,%rdx), %rcx
	.endif
	.if \bytes == 0
	movq %rdx, %rax
	shrq $MC_BLOCK_WORDS_LOG2, %rax
	andl $((1 << MC_BLOCK_WORDS_LOG2) - 1), %edx
	movq (%r8,%rax,8), %rax
	.endif
	.ifc \do, DO_CHASE
	addq %r15, %rdx
	.endif
	.if \bytes
	\do \mov, (%r8,%rdx)
	.else
	\do \mov, (%rax,%rdx,8)
	.endif
.endm

/* ---- four accesses, and code before and after the loop ---- */

/*
 * Four lanes, each of which advances four steps at a time: together they give the
 * sequence.
 */
.macro PREP_LCG
	movabsq $MC_LCG_A, %r10
	movabsq $MC_LCG_C, %r11
	movq MC_RANDOM_STATE(%rdi), %rbx
	pushq %rdi
	movq %rbx, %rdi
	imulq %r10, %rdi
	addq %r11, %rdi
	movq %rdi, %r12
	imulq %r10, %r12
	addq %r11, %r12
	movq %r12, %r13
	imulq %r10, %r13
	addq %r11, %r13
	movabsq $MC_LCG_A4, %r10
	movabsq $MC_LCG_C4, %r11
.endm

.macro FOUR_LCG access:vararg
	.irp x, %rbx, %rdi, %r12, %r13
	LCG \x
	ACCESS \access
	.endr
.endm

.macro DONE_LCG
	popq %rdi
	movq %rbx, MC_RANDOM_STATE(%rdi)
.endm

.macro PREP_XORSHIFT
	movq MC_RANDOM_STATE(%rdi), %rbx
	pushq %rdi
	movq MC_RANDOM_STATE+8(%rdi), %rdi
.endm

.macro FOUR_XORSHIFT access:vararg
	.rept 2
	XORSHIFT %rbx, %rdi
	ACCESS \access
	XORSHIFT %rdi, %rbx
	ACCESS \access
	.endr
.endm

.macro DONE_XORSHIFT
	movq %rdi, %rax
	popq %rdi
	movq %rbx, MC_RANDOM_STATE(%rdi)
	movq %rax, MC_RANDOM_STATE+8(%rdi)
.endm

/* ---- the loop around the accesses ---- */

.macro LOOP name, generator, do, mov, bytes
FUNCTION_TYPED \name
	SAVE
	movq MC_RANDOM_COUNT(%rdi), %rsi
	shrq $3, %rsi
	movq MC_RANDOM_BLOCKS(%rdi), %r8
	.if \bytes
	movq (%r8), %r8
	.endif
	movq MC_RANDOM_RANGE(%rdi), %r9
	movq MC_RANDOM_SUM(%rdi), %r14
	movq MC_RANDOM_VALUE(%rdi), %r15
	.ifc \do, DO_CHASE
	xorl %r15d, %r15d
	.endif
	PREP_\generator
	.balign 64
.Lnext\@:
	FOUR_\generator \do, \mov, \bytes
	FOUR_\generator \do, \mov, \bytes
	decq %rsi
	jnz .Lnext\@
	DONE_\generator
	movq %r14, MC_RANDOM_SUM(%rdi)
	RESTORE
FUNCTION_END \name
.endm

/* ---- the loops; random_table.c has one row for each four ---- */

.macro LOOPS name, generator, do
LOOP mc_asm_\name\()_words, \generator, \do, movq, 0
LOOP mc_asm_\name\()_words_bare, \generator, \do, leaq, 0
LOOP mc_asm_\name\()_bytes, \generator, \do, movq, 1
LOOP mc_asm_\name\()_bytes_bare, \generator, \do, leaq, 1
.endm

LOOPS lcg_read, LCG, DO_READ
LOOPS lcg_chase, LCG, DO_CHASE
LOOPS lcg_write, LCG, DO_WRITE
LOOPS xorshift_read, XORSHIFT, DO_READ
LOOPS xorshift_chase, XORSHIFT, DO_CHASE
LOOPS xorshift_write, XORSHIFT, DO_WRITE

	.section .note.GNU-stack, "", @progbits
