/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bodies of the loops in loops.S, loops_streams.S and loops_scatter.S, and the code
 * before the first and after the last pass. Non-temporal accesses are those of pairs: LDNP
 * and STNP.
 */
#include "arch/arm64/macros/loops_common.S"
#include "machine/widths.def"

/* ---- bodies: one access of width w at offset o with data number k ---- */

.macro DO_READ w, k, o
	W \w, "ldr x1\k, [x2, #\o]", "ldr q\k, [x2, #\o]", "ldp q\k, q2\k, [x2, #\o]"
.endm

/* Add the pair v6, v7 to data number k. */
.macro ADD_LOADED k
	ADD_ONE \k, 6
	ADD_ONE 2\k, 7
.endm

.macro DO_SUM w, k, o
	.if \w == 8
	ldr x9, [x2, #\o]
	add x1\k, x1\k, x9
	.elseif \w == 16
	ldr q6, [x2, #\o]
	ADD_ONE \k, 6
	.else
	ldp q6, q7, [x2, #\o]
	ADD_LOADED \k
	.endif
.endm

.macro DO_NTREAD w, k, o
	ldnp q6, q7, [x2, #\o]
	ADD_LOADED \k
.endm

/* The sum has the words of each line already. */
.macro ADD_LOADS w, k, o
.endm

.macro LOAD_SECOND w, k, o
	W \w, "ldr x1\k, [x3, #\o]", "ldr q\k, [x3, #\o]", "ldp q\k, q2\k, [x3, #\o]"
.endm

.macro DO_COPY w, k, o
	LOAD_SECOND \w, \k, \o
	DO_WRITE \w, \k, \o
.endm

.macro DO_NTCOPY w, k, o
	ldnp q\k, q2\k, [x3, #\o]
	DO_NTWRITE \w, \k, \o
.endm

/* v1 holds ones here. */
.macro DO_RMW w, k, o
	DO_READ \w, \k, \o
	W \w, "add x1\k, x1\k, #1", "ADD_ONE \k, 1", "ADD_PAIR \k, 1"
	DO_WRITE \w, \k, \o
.endm

/* Atomics: those of LSE. */
	.arch_extension lse

.macro DO_XADD w, k, o
	mov x1\k, #1
	add x9, x2, #\o
	ldaddal x1\k, x1\k, [x9]
.endm

.macro DO_CMPXCHG w, k, o
	add x9, x2, #\o
	ldr x1\k, [x9]
	add x8, x1\k, #1
	casal x1\k, x8, [x9]
.endm

.macro DO_XCHG w, k, o
	add x9, x2, #\o
	swpal x1\k, x9, [x9]
.endm

.macro DO_FETCH_OR w, k, o
	mov x1\k, #1
	add x9, x2, #\o
	ldsetal x1\k, x1\k, [x9]
.endm

/* The same by pairs of an exclusive load and store. */
.macro EXCLUSIVELY k, o, value, change:vararg
	add x9, x2, #\o
.Lagain\@:
	ldaxr x17, [x9]
	\change
	stlxr w16, \value, [x9]
	cbnz w16, .Lagain\@
.endm

.macro DO_XADD_LLSC w, k, o
	EXCLUSIVELY \k, \o, x17, add x17, x17, #1
.endm

.macro DO_CMPXCHG_LLSC w, k, o
	ldr x1\k, [x2, #\o]
	add x8, x1\k, #1
	add x9, x2, #\o
.Lagain\@:
	ldaxr x17, [x9]
	cmp x17, x1\k
	b.ne .Lother\@
	stlxr w16, x8, [x9]
	cbnz w16, .Lagain\@
.Lother\@:
.endm

.macro DO_XCHG_LLSC w, k, o
	EXCLUSIVELY \k, \o, x1\k
.endm

.macro DO_FETCH_OR_LLSC w, k, o
	EXCLUSIVELY \k, \o, x17, orr x17, x17, #1
.endm

/* v1 holds 2.0 here. */
.macro B_PLUS_2C w, k, o
	.if \w == 8
	ldr d\k, [x3, #\o]
	ldr d6, [x4, #\o]
	fmadd d\k, d6, d1, d\k
	.elseif \w == 16
	ldr q\k, [x3, #\o]
	ldr q6, [x4, #\o]
	fmla v\k\().2d, v6.2d, v1.2d
	.else
	ldp q\k, q2\k, [x3, #\o]
	ldp q6, q7, [x4, #\o]
	fmla v\k\().2d, v6.2d, v1.2d
	fmla v2\k\().2d, v7.2d, v1.2d
	.endif
.endm

.macro TWICE_B w, k, o
	.if \w == 8
	ldr d6, [x3, #\o]
	fmul d\k, d6, d1
	.elseif \w == 16
	ldr q6, [x3, #\o]
	fmul v\k\().2d, v6.2d, v1.2d
	.else
	ldp q6, q7, [x3, #\o]
	fmul v\k\().2d, v6.2d, v1.2d
	fmul v2\k\().2d, v7.2d, v1.2d
	.endif
.endm

/* Number k is b, number 6 is c. */
.macro LOAD_B_AND_C w, k, o
	W \w, "ldr d\k, [x3, #\o]", "ldr q\k, [x3, #\o]", "ldp q\k, q2\k, [x3, #\o]"
	W \w, "ldr d6, [x4, #\o]", "ldr q6, [x4, #\o]", "ldp q6, q7, [x4, #\o]"
.endm

.macro B_PLUS_C w, k, o
	LOAD_B_AND_C \w, \k, \o
	.if \w == 8
	fadd d\k, d\k, d6
	.else
	fadd v\k\().2d, v\k\().2d, v6.2d
	.endif
	.if \w == 32
	fadd v2\k\().2d, v2\k\().2d, v7.2d
	.endif
.endm

.macro B_PLUS_CD w, k, o
	LOAD_B_AND_C \w, \k, \o
	W \w, "ldr d28, [x5, #\o]", "ldr q28, [x5, #\o]", "ldp q28, q29, [x5, #\o]"
	.if \w == 8
	fmadd d\k, d6, d28, d\k
	.else
	fmla v\k\().2d, v6.2d, v28.2d
	.endif
	.if \w == 32
	fmla v2\k\().2d, v7.2d, v29.2d
	.endif
.endm

.macro STORE_DOUBLES w, k, o
	W \w, "str d\k, [x2, #\o]", "str q\k, [x2, #\o]", "stp q\k, q2\k, [x2, #\o]"
.endm

.macro STREAM_DOUBLES w, k, o
	DO_NTWRITE \w, \k, \o
.endm

/* v26 and v27 collect the differences; for 8 bytes x16 does. */
.macro DO_CHECK w, k, o
	.if \w == 8
	ldr x17, [x2, #\o]
	eor x17, x17, x1\k
	orr x16, x16, x17
	.elseif \w == 16
	ldr q6, [x2, #\o]
	eor v6.16b, v6.16b, v\k\().16b
	orr v26.16b, v26.16b, v6.16b
	.else
	ldp q6, q7, [x2, #\o]
	eor v6.16b, v6.16b, v\k\().16b
	eor v7.16b, v7.16b, v2\k\().16b
	orr v26.16b, v26.16b, v6.16b
	orr v27.16b, v27.16b, v7.16b
	.endif
.endm

/* ---- behind a line: a hint about a line that the loop will come to ---- */

.macro HINT_NTA w, k, o
	prfm pldl1strm, [x2, #\o + MC_HINT_AHEAD]
.endm

.macro HINT_WRITE w, k, o
	prfm pstl1keep, [x2, #\o + MC_HINT_AHEAD]
.endm

/* ---- code before the first and after the last pass ---- */

.macro PREP_SUM w
	.irp k, 2, 3, 4, 5
	W \w, "mov x1\k, #0", "CLEAR_ONE \k", "CLEAR_PAIR \k"
	.endr
.endm

.macro PREP_CHECK w
	COUNTER_INIT \w
	mov x16, #0
	CLEAR_ONE 26
	CLEAR_ONE 27
.endm

.macro PREP_ONES w
	mov x9, #1
	dup v1.2d, x9
.endm

.macro PREP_SCALAR w
	fmov v1.2d, #2.0
.endm

.macro DONE_SUM w
	add x9, x0, #MC_ARG_LANES
	.if \w == 8
	stp x12, x13, [x9]
	stp x14, x15, [x9, #16]
	.elseif \w == 16
	stp q2, q3, [x9]
	stp q4, q5, [x9, #32]
	.else
	stp q2, q22, [x9]
	stp q3, q23, [x9, #32]
	stp q4, q24, [x9, #64]
	stp q5, q25, [x9, #96]
	.endif
.endm

.macro DONE_CHECK w
	add x9, x0, #MC_ARG_LANES
	.if \w == 8
	stp x16, x16, [x9]
	stp x16, x16, [x9, #16]
	.else
	.irp o, 0, 32, 64, 96
	.if \o < 4 * \w
	stp q26, q27, [x9, #\o]
	.endif
	.endr
	.endif
.endm

#include "arch/macros/bodies.S"
