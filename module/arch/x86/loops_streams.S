/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The access loops over several streams. Streams are places far apart in the same
 * array, and each covers 256 bytes in turn. A CPU's prefetchers follow one page each,
 * so with several streams they have more than one page to follow.
 *
 * Registers are as in macros/loops_common.S, with these differences: rdi stays the arguments;
 * rcx is the position in the table of the streams' addresses, and rbx its end; r11 is
 * the number of bytes that each stream has covered. Beside the accesses, only a row of
 * this table is loaded for each 256 bytes, from L1.
 */
#include "arch/x86/macros/loops_bodies.S"

.macro AT_STREAM arrays
	EACH \arrays, movq 8*mc_n(%rcx)
	EACH \arrays, addq %r11
.endm

.macro LOOP_STREAMS name, w, body, arrays=1, prep=PREP_NONE, done=DONE_NONE, \
	behind=BEHIND_NONE, count=0
FUNCTION_TYPED \name
	SAVE
	movq MC_ARG_PASSES(%rdi), %rsi
	\prep \w
	movq MC_ARG_STREAMS(%rdi), %rbx
	shlq $5, %rbx			/* MC_ARRAYS_MAX pointers a row */
	addq MC_ARG_AT(%rdi), %rbx
.Lpass\@:
	xorl %r11d, %r11d
.Lround\@:
	movq MC_ARG_AT(%rdi), %rcx
	.balign 64
.Lstream\@:
	AT_STREAM \arrays
	ACCESSES 256, \w, \body, \behind, \count
	addq $32, %rcx
	cmpq %rbx, %rcx
	jne .Lstream\@
	addq $256, %r11
	cmpq MC_ARG_BYTES(%rdi), %r11
	jne .Lround\@
	movl MC_ARG_FENCE(%rdi), %eax
	FENCE eax, %rdi
	decq %rsi
	jnz .Lpass\@
	\done \w
	.if \w > 16
	vzeroupper
	.endif
	RESTORE
FUNCTION_END \name
.endm

/* ---- the loops ---- */

#define COUNTS				count=1
#define LOOPS_IN_ORDER(...)
#define MAKE(bytes, feature, name, ...)	LOOP_STREAMS name##_streams##bytes, bytes, __VA_ARGS__;
#include "arch/loops.def"

	.section .note.GNU-stack, "", @progbits
