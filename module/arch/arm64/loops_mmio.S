/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Single accesses of each width, one behind the other: what a driver pays for a register of a
 * device. The module and user space share them.
 *
 * Registers: x0 address of the access, x1 accesses left, x2 value to store, x3 what was loaded,
 * x4 its differences from what was stored, x5 is 0, x6 is scratch. Of wider data v0 and v1 have
 * the value, v2 and v3 what was loaded, v4 the differences.
 */
#include "arch/arm64/macros/function.S"
#include "arch/mmio.h"

	.text

/* Pick the instruction for the width: W width, 1-, 2-, 4-, 8-, 16-, 32-byte form. */
.macro W w:req, i1, i2, i4, i8, i16, i32
	.if \w == 1
	\i1
	.elseif \w == 2
	\i2
	.elseif \w == 4
	\i4
	.elseif \w == 8
	\i8
	.elseif \w == 16
	\i16
	.else
	\i32
	.endif
.endm

.macro LOAD w
	W \w, "ldrb w3, [x0]", "ldrh w3, [x0]", "ldr w3, [x0]", "ldr x3, [x0]", \
		"ldr q2, [x0]", "ldp q2, q3, [x0]"
	W \w, i16="fmov x3, d2", i32="fmov x3, d2"
.endm

.macro STORE w, o
	W \w, "strb w2, [x0, #\o]", "strh w2, [x0, #\o]", "str w2, [x0, #\o]", \
		"str x2, [x0, #\o]", "str q0, [x0, #\o]", "stp q0, q1, [x0, #\o]"
.endm

/* Repeat the value in wide registers, and clear that of the differences. */
.macro SPREAD w
	.if \w > 8
	dup v0.2d, x2
	dup v1.2d, x2
	movi v4.2d, #0
	.endif
.endm

/* Collect differences between what was loaded and the value. */
.macro COMPARE w
	.if \w > 8
	eor v2.16b, v2.16b, v0.16b
	orr v4.16b, v4.16b, v2.16b
	.else
	eor x6, x3, x2
	W \w, "and x6, x6, #0xff", "and x6, x6, #0xffff", "and x6, x6, #0xffffffff"
	orr x4, x4, x6
	.endif
	.if \w == 32
	eor v3.16b, v3.16b, v1.16b
	orr v4.16b, v4.16b, v3.16b
	.endif
.endm

/* Put all differences into x0. */
.macro DIFFERENCES w
	.if \w > 8
	fmov x4, d4
	mov x6, v4.d[1]
	orr x4, x4, x6
	.endif
	mov x0, x4
.endm

/*
 * AND with x5 gives 0, but the CPU does not know this before the load has completed, so the
 * next access, which adds it to its address, waits.
 */
.macro WAIT_AND_ADVANCE w
	and x6, x3, x5
	add x0, x0, x6
	add x0, x0, #\w
.endm

.macro LOOPS w
FUNCTION_TYPED mc_asm_mmio_read\w
	mov x5, #0
1:
	LOAD \w
	WAIT_AND_ADVANCE \w
	subs x1, x1, #1
	b.ne 1b
	mov x0, x3
FUNCTION_END mc_asm_mmio_read\w

FUNCTION_TYPED mc_asm_mmio_write\w
	SPREAD \w
1:
	STORE \w, 0
	add x0, x0, #\w
	subs x1, x1, #1
	b.ne 1b
	mov x0, #0
FUNCTION_END mc_asm_mmio_write\w

FUNCTION_TYPED mc_asm_mmio_write_read\w
	SPREAD \w
	mov x4, #0
	mov x5, #0
1:
	STORE \w, 0
	LOAD \w
	COMPARE \w
	WAIT_AND_ADVANCE \w
	subs x1, x1, #1
	b.ne 1b
	DIFFERENCES \w
FUNCTION_END mc_asm_mmio_write_read\w

FUNCTION_TYPED mc_asm_mmio_burst\w
	SPREAD \w
1:
	.set offset, 0
	.rept MC_MMIO_LINE / \w
	STORE \w, offset
	.set offset, offset + \w
	.endr
	dsb st
	add x0, x0, #MC_MMIO_LINE
	subs x1, x1, #1
	b.ne 1b
	mov x0, #0
FUNCTION_END mc_asm_mmio_burst\w
.endm

LOOPS 1
LOOPS 2
LOOPS 4
LOOPS 8
LOOPS 16
LOOPS 32

/* Copies of a line: x0 where it goes, x1 the line. */
FUNCTION_TYPED mc_asm_line_st1
	ld1 {v0.16b-v3.16b}, [x1]
	st1 {v0.16b-v3.16b}, [x0]
FUNCTION_END mc_asm_line_st1

FUNCTION_TYPED mc_asm_line_st4
	ld4 {v0.4s-v3.4s}, [x1]
	st4 {v0.4s-v3.4s}, [x0]
FUNCTION_END mc_asm_line_st4

FUNCTION_TYPED mc_asm_line_dgh
	.irp o, 0, 8, 16, 24, 32, 40, 48, 56
	ldr x2, [x1, #\o]
	str x2, [x0, #\o]
	.endr
	hint #6
FUNCTION_END mc_asm_line_dgh

	.section .note.GNU-stack, "", @progbits
