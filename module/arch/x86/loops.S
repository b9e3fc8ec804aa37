/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The access loops that read, write, copy and compute, and the short ones that
 * the verdict needs.
 */
#define LOOPS_ATOMIC(widths, name, body, ...)				\
	LOOPS_ANY_ORDER(widths, name, body, __VA_ARGS__) ON_WORD name##_word, body;
#include "arch/x86/macros/loops_bodies.S"

/* Eight accesses to one word in an iteration. */
.macro ON_WORD name, body
FUNCTION_TYPED \name
	pushq %r12
	movq MC_ARG_A(%rdi), %rdx
	movq MC_ARG_BYTES(%rdi), %rcx
	movq MC_ARG_VALUE(%rdi), %r12
	shrq $6, %rcx
	.balign 64
.Lword\@:
	.rept 8
	\body 8, 2, 0
	.endr
	decq %rcx
	jnz .Lword\@
	popq %r12
FUNCTION_END \name
.endm

/* ---- the loops ---- */

#define COUNTS				renew=1
#define LOOPS_IN_ORDER			LOOPS_ANY_ORDER
#define MAKE(bytes, feature, name, ...)	LOOP name##bytes, bytes, __VA_ARGS__;
#include "arch/loops.def"
LOOP mc_asm_flush64, 64, DO_FLUSH, fence=0, vector=0
/* Flushes lines from the caches in parallel; all are gone when it ends. */
LOOP mc_asm_flushopt64, 64, FLUSH_LINE, done=DONE_FLUSH, fence=0, vector=0

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
