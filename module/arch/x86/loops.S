/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The access loops that read, write, copy and compute, and the short ones that
 * the verdict needs.
 */
#include "arch/x86/macros/loops_bodies.S"

/* ---- the loops ---- */

#define COUNTS				renew=1
#define LOOPS_IN_ORDER			LOOPS_ANY_ORDER
#define MAKE(bytes, feature, name, ...)	LOOP name##bytes, bytes, __VA_ARGS__;
#include "arch/loops.def"
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
