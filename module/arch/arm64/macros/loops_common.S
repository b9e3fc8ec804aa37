/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The macros that all files of access loops use: the loop around a body. The module and
 * memcache-user build from the same files.
 *
 * An access of 8 bytes is one of a general register, one of 16 bytes is one of a vector
 * register, one of 32 bytes is that of a pair of vector registers.
 *
 * Registers: x0 arguments, x1 passes left, x2 to x5 running pointers into the arrays, x6
 * end of the 256-byte part, x7 end of all, x10 bytes, w11 the fence. Data number k (2 to
 * 5) is in x1k; in vk; or in vk and v2k. x8, v0 are the step of the counters for a round
 * of four numbers, v1 is the step for a line. x9, x16, x17, v6, v7 and v26 to v29 are for
 * the body. Loops over more than four arrays have accesses of vector registers only, and
 * also point with x12 to x17. x18 and the registers that a function must preserve stay
 * unchanged.
 *
 * The counters of timed loops advance once a pass (renew), so that each pass stores other
 * words, and those of a round are stored again and again during the pass. Loops that fill
 * arrays, and those that take lines in another order, count all words (count).
 */
#include "arch/arm64/macros/function.S"

/* A row of mc_data, offsets in it, and its size. */
#define MC_DATA_WORDS	16
#define MC_DATA_COPIES	2
#define MC_DATA_LANES	0
#define MC_DATA_STEP8	128
#define MC_DATA_STEP16	144
#define MC_DATA_BYTES	160
#include "arch/macros/accesses.S"

/*
 * ---- counters: four numbers hold the next 4 * w / 8 words ----
 *
 * With 8 and 16 bytes a line is a whole number of rounds, so only wider loops need the
 * step for a line.
 */

.macro ADD_ONE k, step
	add v\k\().2d, v\k\().2d, v\step\().2d
.endm

.macro ADD_PAIR k, step
	add v\k\().2d, v\k\().2d, v\step\().2d
	add v2\k\().2d, v2\k\().2d, v\step\().2d
.endm

.macro COUNTER_STEP w, vstep
	.irp k, 2, 3, 4, 5
	W \w, "add x1\k, x1\k, x8", "ADD_ONE \k, \vstep", "ADD_PAIR \k, \vstep"
	.endr
.endm

/* Put the first words of the counters, from x9 on, into their registers. */
.macro COUNTER_FROM w, row
	.if \w == 8
	ldp x12, x13, [\row]
	ldp x14, x15, [\row, #16]
	ldr x8, [\row, #32]
	.irp k, 2, 3, 4, 5
	add x1\k, x1\k, x9
	.endr
	.elseif \w == 16
	dup v6.2d, x9
	ldp q2, q3, [\row]
	ldp q4, q5, [\row, #32]
	ldr q0, [\row, #MC_DATA_STEP8]
	.irp k, 2, 3, 4, 5
	ADD_ONE \k, 6
	.endr
	.else
	dup v6.2d, x9
	ldp q2, q22, [\row]
	ldp q3, q23, [\row, #32]
	ldp q4, q24, [\row, #64]
	ldp q5, q25, [\row, #96]
	ldr q0, [\row, #MC_DATA_STEP16]
	ldr q1, [\row, #MC_DATA_STEP8]
	.irp k, 2, 3, 4, 5
	ADD_PAIR \k, 6
	.endr
	.endif
.endm

.macro DATA_TABLE r
	adrp \r, mc_data
	add \r, \r, :lo12:mc_data
.endm

.macro COUNTER_INIT w
	DATA_TABLE x16
	ldr x9, [x0, #MC_ARG_DATA]
	mov x17, #MC_DATA_BYTES
	madd x16, x9, x17, x16
	ldr x9, [x0, #MC_ARG_VALUE]
	COUNTER_FROM \w, x16
.endm

/* ---- bodies that several files use ---- */

.macro DO_WRITE w, k, o, to=x2
	W \w, "str x1\k, [\to, #\o]", "str q\k, [\to, #\o]", "stp q\k, q2\k, [\to, #\o]"
.endm

.macro DO_NTWRITE w, k, o, to=x2
	stnp q\k, q2\k, [\to, #\o]
.endm

/* ---- code before the first and after the last pass ---- */

.macro CLEAR_ONE k
	movi v\k\().2d, #0
.endm

.macro CLEAR_PAIR k
	CLEAR_ONE \k
	CLEAR_ONE 2\k
.endm

/* ---- the loop around a body ---- */

/* Do an instruction, or a macro, with each pointer: EACH arrays, what, operands behind. */
.macro EACH arrays, what, behind:vararg
	.set mc_n, 0
	.irp r, x2, x3, x4, x5, x12, x13, x14, x15, x16, x17
	.if mc_n < \arrays
	\what \r, \behind
	.endif
	.set mc_n, mc_n + 1
	.endr
.endm

.macro START_ONE r, nothing
	.if mc_n >= mc_first
	ldr \r, [x0, #MC_ARG_A + 8 * mc_n]
	.endif
.endm

.macro START arrays
	.set mc_first, 0
	.if \arrays > 4
	EACH 4, START_ONE
	.else
	EACH \arrays, START_ONE
	.endif
.endm

/* The arrays from the fifth on, whose registers the code before the first pass uses. */
.macro START_MORE arrays
	.set mc_first, 4
	EACH \arrays, START_ONE
.endm

.macro ADD_TO r, n
	add \r, \r, \n
.endm

.macro SUB_FROM r, n
	sub \r, \r, \n
.endm

.macro ADVANCE n, arrays
	EACH \arrays, ADD_TO, #\n
.endm

/* Move the pointers from the ends of their arrays back to the starts. */
.macro REWIND arrays
	EACH \arrays, SUB_FROM, x10
.endm

/* The fence of this number; none for those that only x86 has. */
.macro FENCE_RUN fence
	.if \fence == MC_FENCE_UC
	ldr x9, [x0, #MC_ARG_UC_WORD]
	str x1, [x9]
	ldr x9, [x9]
	.elseif \fence == MC_FENCE_DMB_SY
	dmb sy
	.elseif \fence == MC_FENCE_DMB_ISH
	dmb ish
	.elseif \fence == MC_FENCE_DMB_ISHLD
	dmb ishld
	.elseif \fence == MC_FENCE_DMB_ISHST
	dmb ishst
	.elseif \fence == MC_FENCE_DMB_OSH
	dmb osh
	.elseif \fence == MC_FENCE_DMB_OSHLD
	dmb oshld
	.elseif \fence == MC_FENCE_DMB_OSHST
	dmb oshst
	.elseif \fence == MC_FENCE_DSB_SY
	dsb sy
	.elseif \fence == MC_FENCE_DSB_LD
	dsb ld
	.elseif \fence == MC_FENCE_DSB_ST
	dsb st
	.elseif \fence == MC_FENCE_DSB_ISH
	dsb ish
	.elseif \fence == MC_FENCE_DSB_ISHST
	dsb ishst
	.endif
.endm

/* Of the fences from a number on, that which the lowest bits of w11 say, bits 0 to bit. */
.macro FENCE_AMONG bit, from, passed
	.if \bit < 0
	FENCE_RUN \from
	b \passed
	.else
	tbnz w11, #\bit, .Lset\@
	FENCE_AMONG (\bit-1), \from, \passed
.Lset\@:
	FENCE_AMONG (\bit-1), (\from+(1<<\bit)), \passed
	.endif
.endm

/*
 * The fence after a pass; w11 holds MC_FENCE_*. Each fence is behind the same number of
 * branches, so that none has a head start.
 */
.macro FENCE
	cbz w11, .Lpassed\@
	FENCE_AMONG 3, 0, .Lpassed\@
.Lpassed\@:
.endm

	.if MC_NFENCES > 16
	.error "FENCE looks at four bits"
	.endif

.macro LOOP name, w, body, arrays=1, prep=PREP_NONE, done=DONE_NONE, \
	behind=BEHIND_NONE, count=0, renew=0, fence=1
FUNCTION_TYPED \name
	START \arrays
	ldr x1, [x0, #MC_ARG_PASSES]
	ldr x10, [x0, #MC_ARG_BYTES]
	ldr w11, [x0, #MC_ARG_FENCE]
	\prep \w
	START_MORE \arrays
	add x7, x2, x10
	and x6, x10, #-256
	add x6, x2, x6
.Lpass\@:
	cmp x2, x6
	b.eq .Llines\@
	.balign 64
.Lmain\@:
	ACCESSES 256, \w, \body, \behind, \count
	ADVANCE 256, \arrays
	cmp x2, x6
	b.ne .Lmain\@
.Llines\@:
	cmp x2, x7
	b.eq .Ldone\@
.Lline\@:
	LINE \w, \body, \behind, \count
	ADVANCE 64, \arrays
	cmp x2, x7
	.if \renew && \w > 16
	b.eq .Ldone\@
	LINE \w, \body, \behind, 0, 1
	ADVANCE 64, \arrays
	cmp x2, x7
	.endif
	b.ne .Lline\@
.Ldone\@:
	REWIND \arrays
	.if \fence
	FENCE
	.endif
	.if \renew
	COUNTER_STEP \w, 0
	.endif
	subs x1, x1, #1
	b.ne .Lpass\@
	\done \w
FUNCTION_END \name
.endm
