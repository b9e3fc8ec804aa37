/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The access loops that read, write, copy and compute, and the short ones that
 * the verdict needs.
 */
#include "arch/x86/macros/loops_bodies.S"

/* ---- the loops; loop_table.c has one row for each ---- */

.macro LOOPS w
LOOP mc_asm_read\w, \w, DO_READ, prep=PREP_SUM, done=DONE_SUM
LOOP mc_asm_sum\w, \w, DO_SUM, prep=PREP_SUM, done=DONE_SUM
.if \w > 8
LOOP mc_asm_ntread\w, \w, DO_NTREAD, prep=PREP_SUM, done=DONE_SUM, behind=ADD_LOADS
.endif
LOOP mc_asm_fill\w, \w, DO_WRITE, prep=PREP_COUNT, count=1
LOOP mc_asm_write\w, \w, DO_WRITE, prep=PREP_COUNT, renew=1
LOOP mc_asm_ntwrite\w, \w, DO_NTWRITE, prep=PREP_COUNT, renew=1
LOOP mc_asm_copy\w, \w, DO_COPY, arrays=2
LOOP mc_asm_ntcopy\w, \w, DO_NTCOPY, arrays=2
LOOP mc_asm_rmw\w, \w, DO_RMW, prep=PREP_ONES
LOOP mc_asm_triad\w, \w, DO_TRIAD, arrays=3, prep=PREP_SCALAR
LOOP mc_asm_nttriad\w, \w, DO_NTTRIAD, arrays=3, prep=PREP_SCALAR
LOOP mc_asm_check\w, \w, DO_CHECK, prep=PREP_CHECK, done=DONE_CHECK, renew=1, fence=0
.endm

LOOPS 8
LOOPS 16
LOOPS 32
LOOPS 64
LOOP mc_asm_flush64, 64, DO_FLUSH, fence=0, vector=0

/* ---- for the test overhead: an empty loop of count iterations ---- */

FUNCTION mc_asm_count
1:
	decq %rdi
	jnz 1b
FUNCTION_END mc_asm_count

/* ---- for the verdict: accesses to one line ---- */

/*
 * count x 8 loads of one byte. Each address depends on the byte loaded before, which is
 * 0. A process may write to the line meanwhile; a byte leads no further than the page
 * of the line.
 */
FUNCTION_TYPED mc_asm_reload
	xorl %eax, %eax
1:
	.rept 8
	movzbl (%rdi,%rax), %eax
	.endr
	decq %rsi
	jnz 1b
FUNCTION_END mc_asm_reload

/* The same, but the line is flushed from the caches before each load. */
FUNCTION_TYPED mc_asm_flush_reload
	xorl %eax, %eax
1:
	.rept 8
	clflush (%rdi)
	mfence
	movzbl (%rdi,%rax), %eax
	.endr
	decq %rsi
	jnz 1b
FUNCTION_END mc_asm_flush_reload

/*
 * count x eight 8-byte stores that fill a line, and an sfence: write-combining
 * memory sends one burst, uncached memory eight writes. Stores 0.
 */
FUNCTION_TYPED mc_asm_combine
	xorl %eax, %eax
1:
	.irp o, 0, 8, 16, 24, 32, 40, 48, 56
	movq %rax, \o(%rdi)
	.endr
	sfence
	decq %rsi
	jnz 1b
FUNCTION_END mc_asm_combine

	.section .note.GNU-stack, "", @progbits
