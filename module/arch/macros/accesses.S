/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The accesses of loops, and the data of their counters: the part that is the same on all
 * architectures. Each of them has its own COUNTER_INIT, COUNTER_STEP and bodies, and says how many
 * words a row of mc_data has (MC_DATA_WORDS), and how often it has a step (MC_DATA_COPIES).
 *
 * A loop is one line: LOOP name, width, and the body macro, which does one access of
 * that width at an offset. The loop does 256 bytes an iteration, and 64 bytes an
 * iteration for the rest. It has no call, and no load or store except the accesses
 * themselves. Code that runs once a line, after it ("behind"), is a macro, too.
 */
#include "arch/loops.h"

/* Pick the instruction for the width: W width, 8-, 16-, 32-, 64-byte form. */
.macro W w:req, i8, i16:req, i32:req, i64
	.if \w == 8
	\i8
	.elseif \w == 16
	\i16
	.elseif \w == 32
	\i32
	.else
	\i64
	.endif
.endm

/* ---- code before the first and after the last pass, and behind a line ---- */

.macro PREP_NONE w
.endm

.macro PREP_COUNT w
	COUNTER_INIT \w
.endm

.macro DONE_NONE w
.endm

.macro BEHIND_NONE w, k, o
.endm

/* ---- accesses ---- */

/*
 * One access, and the macro behind if it is the last access of its line. The offset has to
 * be a number, because the names of registers stand beside it.
 */
.macro ACCESS w, body, behind, k, o
	.set mc_at, \o
	\body \w, \k, mc_at
	.if (mc_at + \w) % 64 == 0
	.set mc_line, mc_at + \w - 64
	\behind \w, \k, mc_line
	.endif
.endm

/* Accesses for n bytes: four numbers in turn; the counters advance after each four. */
.macro ACCESSES n, w, body, behind, count
	.set mc_o, 0
	.rept \n / (4 * \w)
	ACCESS \w, \body, \behind, 2, mc_o
	ACCESS \w, \body, \behind, 3, mc_o+\w
	ACCESS \w, \body, \behind, 4, mc_o+2*\w
	ACCESS \w, \body, \behind, 5, mc_o+3*\w
	.set mc_o, mc_o + 4*\w
	.if \count
	COUNTER_STEP \w, 0
	.endif
	.endr
.endm

/*
 * Accesses for one line, which is line number at (0 to 2) of a round. If a line takes fewer
 * than four numbers, the counters of all four still advance by the eight integers of a
 * line.
 */
.macro LINE w, body, behind, count, at=0
	.if \w <= 16
	ACCESSES 64, \w, \body, \behind, \count
	.else
	.if \w == 32 && \at == 1
	ACCESS \w, \body, \behind, 4, 0
	ACCESS \w, \body, \behind, 5, 32
	.elseif \w == 32
	ACCESS \w, \body, \behind, 2, 0
	ACCESS \w, \body, \behind, 3, 32
	.elseif \at == 0
	ACCESS \w, \body, \behind, 2, 0
	.elseif \at == 1
	ACCESS \w, \body, \behind, 3, 0
	.else
	ACCESS \w, \body, \behind, 4, 0
	.endif
	.if \count
	COUNTER_STEP \w, 1
	.endif
	.endif
.endm

/* ---- the data of the counters ---- */

	.section .rodata
	.balign 64

/* A row: words from 0 on, and the step for 8, for 16 and, if there are so many, for 32 of them. */
.macro DATA step
	.set mc_word, 0
	.rept MC_DATA_WORDS
	.quad mc_word
	.set mc_word, mc_word + \step
	.endr
	.irp words, 8, 16, 32
	.if \words <= MC_DATA_WORDS
	.set mc_word, \words * \step
	.rept MC_DATA_COPIES
	.quad mc_word
	.endr
	.endif
	.endr
.endm

/* In the order of MC_DATA_*. */
mc_data:
	DATA 1
	DATA MC_RANDOM_STEP
	DATA 0

	.text
