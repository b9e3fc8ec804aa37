/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mixes of reads and writes: after each line that is written, one line of each other
 * array is read. The sums are in x16 and x17, or in v26 to v29, separate from the
 * counters, so that no read waits for a write. More than four arrays need registers
 * that 8-byte words take, so these mixes have wider accesses only.
 */
#include "arch/arm64/macros/loops_common.S"
#include "arch/arm64/macros/loops_scatter.S"
#include "machine/widths.def"

	.text

/* Add up the line at o of the array that register r points into. */
.macro ADD_LINE w, k, o, r
	.set mc_from, \o
	.if \w == 8
	.rept 4
	ldr x9, [\r, #mc_from]
	add x16, x16, x9
	ldr x9, [\r, #mc_from + 8]
	add x17, x17, x9
	.set mc_from, mc_from + 16
	.endr
	.elseif \w == 16
	.irp sum, 26, 27, 28, 29
	ldr q6, [\r, #mc_from]
	ADD_ONE \sum, 6
	.set mc_from, mc_from + 16
	.endr
	.else
	ldp q6, q7, [\r, #mc_from]
	ADD_ONE 26, 6
	ADD_ONE 27, 7
	ldp q6, q7, [\r, #mc_from + 32]
	ADD_ONE 28, 6
	ADD_ONE 29, 7
	.endif
.endm

.macro ADD_LINES w, k, o, from:vararg
	.irp r, \from
	ADD_LINE \w, \k, \o, \r
	.endr
.endm

.macro READ_ONE w, k, o
	ADD_LINES \w, \k, \o, x3
.endm

.macro READ_TWO w, k, o
	ADD_LINES \w, \k, \o, x3, x4
.endm

.macro READ_THREE w, k, o
	ADD_LINES \w, \k, \o, x3, x4, x5
.endm

.macro READ_LAST_THREE w, k, o
	ADD_LINES \w, \k, \o, x4, x5, x12
.endm

.macro READ_FOUR w, k, o
	ADD_LINES \w, \k, \o, x3, x4, x5, x12
.endm

.macro READ_NINE w, k, o
	ADD_LINES \w, \k, \o, x3, x4, x5, x12, x13, x14, x15, x16, x17
.endm

/* The same words to two arrays. */
.macro DO_WRITE_TWICE w, k, o
	DO_WRITE \w, \k, \o
	DO_WRITE \w, \k, \o, x3
.endm

.macro DO_NTWRITE_TWICE w, k, o
	DO_NTWRITE \w, \k, \o
	DO_NTWRITE \w, \k, \o, x3
.endm

/* With 8 bytes these loops count by one whatever the data, as they do on x86. */
.macro PREP_MIX w
	.if \w == 8
	DATA_TABLE x16
	ldr x9, [x0, #MC_ARG_VALUE]
	COUNTER_FROM 8, x16
	mov x16, #0
	mov x17, #0
	.else
	COUNTER_INIT \w
	.irp sum, 26, 27, 28, 29
	CLEAR_ONE \sum
	.endr
	.endif
.endm

.macro DONE_MIX w
	add x9, x0, #MC_ARG_LANES
	.if \w == 8
	stp x16, x17, [x9]
	stp xzr, xzr, [x9, #16]
	.else
	stp q26, q27, [x9]
	stp q28, q29, [x9, #32]
	.if \w == 32
	.irp o, 64, 80, 96, 112
	stp xzr, xzr, [x9, #\o]
	.endr
	.endif
	.endif
.endm

/* With stores of this kind, and over lines in random order where there are few arrays. */
.macro MIX_OF store, name, w, arrays, behind, twice
LOOP mc_asm_\name\w, \w, \store\twice, arrays=\arrays, prep=PREP_MIX, done=DONE_MIX, \
	behind=\behind, renew=1
.if \w > 8 && \arrays <= MC_STREAM_ARRAYS
LOOP_SCATTER mc_asm_\name\()_scatter\w, \w, \store, arrays=\arrays, prep=PREP_MIX, \
	done=DONE_MIX, behind=\behind, count=1
.endif
.endm

.macro MIX name, w, arrays, behind, twice
MIX_OF DO_WRITE, \name, \w, \arrays, \behind, \twice
.if \w == 32
MIX_OF DO_NTWRITE, nt\name, \w, \arrays, \behind, \twice
.endif
.endm

#define LOOPS(...)
#define MIX(count, name, op, arrays, ...)	OF_##count(MAKE, name, arrays, __VA_ARGS__)
#define OF_FEW		OF_ALL
#define OF_MANY		OF_VECTORS
#define MAKE(bytes, feature, name, ...)	MIX name, bytes, __VA_ARGS__;
#include "arch/loops.def"

	.section .note.GNU-stack, "", @progbits
