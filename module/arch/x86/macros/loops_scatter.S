/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loop over lines in random order. The place of a line is computed, so that no table
 * of places takes part in the traffic: a linear congruential generator modulo a power of
 * two gives the line in a region (Knuth, The Art of Computer Programming 2, 3.2.1.2), with
 * the upper half of its bits added to the lower half, which alone has a short period. The
 * regions take turns.
 *
 * Registers are as in loops_common.S, with these differences: rdi is the struct
 * mc_scatter, and the arguments are on the stack; r11 is the generator's state, rsi the
 * region. rax is the place in each array; rbx and rcx are scratch.
 */
#include "arch/random.h"

.macro SCATTER_PLACE
	movq %r11, %rax
	andq MC_SCATTER_MASK(%rdi), %rax
	movl MC_SCATTER_SHIFT(%rdi), %ecx
	movq %rax, %rbx
	shrq %cl, %rbx
	xorq %rbx, %rax
	shlq $6, %rax
	addq %rsi, %rax
	imulq $1664525, %r11, %r11
	addq $1013904223, %r11
	addq MC_SCATTER_STEP(%rdi), %rsi
	movq %rsi, %rbx
	subq MC_SCATTER_SPAN(%rdi), %rbx
	cmovaeq %rbx, %rsi
	movq MC_SCATTER_BLOCKS(%rdi), %rbx
.endm

/* Point each array's register to the line at rax. */
.macro SCATTER_POINT arrays
	.set mc_n, 0
	.irp r, rdx, r9, r10, r8
	.if mc_n < \arrays
	movq MC_SCATTER_OFFSET+8*mc_n(%rdi), %\r
	addq %rax, %\r
	movq %\r, %rcx
	shrq $(MC_BLOCK_WORDS_LOG2 + 3), %rcx
	andq $((8 << MC_BLOCK_WORDS_LOG2) - 1), %\r
	addq (%rbx,%rcx,8), %\r
	.endif
	.set mc_n, mc_n + 1
	.endr
.endm

.macro LOOP_SCATTER name, w, body, arrays=1, prep=PREP_NONE, done=DONE_NONE, \
	behind=BEHIND_NONE, count=0
FUNCTION_TYPED \name
	SAVE
	\prep \w
	pushq %rdi
	movq MC_ARG_SCATTER(%rdi), %rdi
	movq MC_SCATTER_STATE(%rdi), %r11
	movq MC_SCATTER_REGION(%rdi), %rsi
	.balign 64
.Lscatter\@:
	SCATTER_PLACE
	SCATTER_POINT \arrays
	LINE \w, \body, \behind, \count
	decq MC_SCATTER_LEFT(%rdi)
	jnz .Lscatter\@
	movq %r11, MC_SCATTER_STATE(%rdi)
	movq %rsi, MC_SCATTER_REGION(%rdi)
	popq %rdi
	movl $1, %esi	/* the word that the fence stores: passes left */
	movl MC_ARG_FENCE(%rdi), %eax
	FENCE eax, %rdi
	\done \w
	.if \w > 16
	vzeroupper
	.endif
	RESTORE
FUNCTION_END \name
.endm
