/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The access loops that read, write, copy and compute, and the short ones that
 * the verdict needs.
 */
#define LOOPS_ATOMIC(widths, name, body, ...)				\
	LOOPS_ANY_ORDER(widths, name, body, __VA_ARGS__) ON_WORD name##_word, body;
#define LOOPS_EXCLUSIVE		LOOPS_ATOMIC
#include "arch/arm64/macros/loops_bodies.S"

/* Eight accesses to one word in an iteration. */
.macro ON_WORD name, body
FUNCTION_TYPED \name
	ldr x2, [x0, #MC_ARG_A]
	ldr x10, [x0, #MC_ARG_BYTES]
	ldr x12, [x0, #MC_ARG_VALUE]
.Lword\@:
	.rept 8
	\body 8, 2, 0
	.endr
	subs x10, x10, #64
	b.ne .Lword\@
FUNCTION_END \name
.endm

/* ---- the loops ---- */

#define COUNTS				renew=1
#define LOOPS_IN_ORDER			LOOPS_ANY_ORDER
#define MAKE(bytes, feature, name, ...)	LOOP name##bytes, bytes, __VA_ARGS__;
#include "arch/loops.def"

/* ---- flushes lines from the caches in parallel; all are gone when it ends ---- */

FUNCTION_TYPED mc_asm_flush64
	ldr x2, [x0, #MC_ARG_A]
	ldr x1, [x0, #MC_ARG_PASSES]
	ldr x10, [x0, #MC_ARG_BYTES]
.Lflush:
	add x7, x2, x10
	mov x3, x2
.Lflush_line:
	dc civac, x3
	add x3, x3, #64
	cmp x3, x7
	b.ne .Lflush_line
	subs x1, x1, #1
	b.ne .Lflush
	dsb sy
FUNCTION_END mc_asm_flush64

/* ---- for loops that are not assembly: the fence after a pass ---- */

FUNCTION mc_asm_fence
	ldr w11, [x0, #MC_ARG_FENCE]
	mov x1, #1
	FENCE
FUNCTION_END mc_asm_fence

/* ---- for the test overhead: an empty loop of count iterations ---- */

FUNCTION mc_asm_count
1:
	subs x0, x0, #1
	b.ne 1b
FUNCTION_END mc_asm_count

/* ---- for the verdict: accesses to one line ---- */

/*
 * count x 8 loads of one byte. Each address depends on the byte loaded before, which is
 * 0. A process may write to the line meanwhile; a byte leads no further than the page
 * of the line.
 */
FUNCTION_TYPED mc_asm_reload
	mov x2, #0
1:
	.rept 8
	ldrb w2, [x0, x2]
	.endr
	subs x1, x1, #1
	b.ne 1b
FUNCTION_END mc_asm_reload

/* The same, but the line is flushed from the caches before each load. */
FUNCTION_TYPED mc_asm_flush_reload
	mov x2, #0
1:
	.rept 8
	dc civac, x0
	dsb sy
	ldrb w2, [x0, x2]
	.endr
	subs x1, x1, #1
	b.ne 1b
FUNCTION_END mc_asm_flush_reload

/*
 * count x eight 8-byte stores that fill a line, and a dsb: memory that gathers stores
 * sends one burst, other uncached memory eight writes. Stores 0.
 */
FUNCTION_TYPED mc_asm_combine
1:
	.irp o, 0, 8, 16, 24, 32, 40, 48, 56
	str xzr, [x0, #\o]
	.endr
	dsb st
	subs x1, x1, #1
	b.ne 1b
FUNCTION_END mc_asm_combine

	.section .note.GNU-stack, "", @progbits
