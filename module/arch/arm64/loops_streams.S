/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The access loops over several streams. Streams are places far apart in the same
 * array, and each covers 256 bytes in turn. A CPU's prefetchers follow one page each,
 * so with several streams they have more than one page to follow.
 *
 * Registers are as in macros/loops_common.S, with these differences: x6 is the position
 * in the table of the streams' addresses, and x7 its end; x10 is the number of bytes that
 * each stream has covered. Beside the accesses, only a row of this table is loaded for
 * each 256 bytes, from L1.
 */
#include "arch/arm64/macros/loops_bodies.S"

.macro AT_STREAM r, nothing
	ldr \r, [x6, #8 * mc_n]
	add \r, \r, x10
.endm

.macro LOOP_STREAMS name, w, body, arrays=1, prep=PREP_NONE, done=DONE_NONE, \
	behind=BEHIND_NONE, count=0
FUNCTION_TYPED \name
	ldr x1, [x0, #MC_ARG_PASSES]
	ldr w11, [x0, #MC_ARG_FENCE]
	\prep \w
	ldr x6, [x0, #MC_ARG_AT]
	ldr x7, [x0, #MC_ARG_STREAMS]
	add x7, x6, x7, lsl #5		/* MC_ARRAYS_MAX pointers a row */
.Lpass\@:
	mov x10, #0
.Lround\@:
	ldr x6, [x0, #MC_ARG_AT]
	.balign 64
.Lstream\@:
	EACH \arrays, AT_STREAM
	ACCESSES 256, \w, \body, \behind, \count
	add x6, x6, #32
	cmp x6, x7
	b.ne .Lstream\@
	add x10, x10, #256
	ldr x9, [x0, #MC_ARG_BYTES]
	cmp x10, x9
	b.ne .Lround\@
	FENCE
	subs x1, x1, #1
	b.ne .Lpass\@
	\done \w
FUNCTION_END \name
.endm

/* ---- the loops ---- */

#define COUNTS				count=1
#define LOOPS_IN_ORDER(...)
#define MAKE(bytes, feature, name, ...)	LOOP_STREAMS name##_streams##bytes, bytes, __VA_ARGS__;
#include "arch/loops.def"

	.section .note.GNU-stack, "", @progbits
