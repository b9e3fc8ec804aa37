/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loop around instructions of one's own, for a file that `memcache loop` makes. It
 * defines OWN_NAME, OWN_ARRAYS, OWN_TURN, OWN_PAYLOAD, OWN_WIDTH, OWN_STORES, OWN_FEATURE,
 * OWN_NEEDS and OWN_FLAGS, as in struct mc_own, includes this file, and goes on:
 *
 *   OWN_START, instructions to run once before the first pass,
 *   OWN_LOOP, instructions of a turn, OWN_END.
 *
 * Registers: rdi, rsi, rdx and rcx point to the turn of each array, r8 is the end of the
 * first one, r9 passes left, r10 bytes of an array, r11 the fence. The arguments are on the
 * stack. rbp stays unchanged, because an interrupt may unwind the stack. All others are for
 * the instructions.
 */
#include "arch/x86/macros/function.S"
#include "arch/loops.h"
#include "arch/own.h"

	.section .rodata
	.balign 64
	.globl mc_own
	.type mc_own, @object
mc_own:
	.long MC_OWN_ABI, MC_ARG_LANES
.Lname:
	.asciz OWN_NAME
	.fill MC_OWN_NAME_MAX - (. - .Lname), 1, 0
	.long OWN_ARRAYS, OWN_TURN, OWN_PAYLOAD, OWN_WIDTH
	.long OWN_STORES, OWN_FEATURE, OWN_NEEDS, OWN_FLAGS
#ifdef __KERNEL__
	.quad 0		/* the module passes the function's address */
#else
	.quad mc_own_run - mc_own
#endif
	.size mc_own, . - mc_own
	.text

/* Do an instruction with the pointer to each array. */
.macro OWN_EACH what:vararg
	.set mc_n, 0
	.irp r, rdi, rsi, rdx, rcx
	.if mc_n < OWN_ARRAYS
	\what, %\r
	.endif
	.set mc_n, mc_n + 1
	.endr
.endm

.macro OWN_START
FUNCTION_TYPED mc_own_run
	SAVE
	pushq %rdi
.endm

.macro OWN_LOOP
	movq (%rsp), %rdi
	movq MC_ARG_PASSES(%rdi), %r9
	movq MC_ARG_BYTES(%rdi), %r10
	movl MC_ARG_FENCE(%rdi), %r11d
	.if OWN_ARRAYS > 1
	movq MC_ARG_B(%rdi), %rsi
	.endif
	.if OWN_ARRAYS > 2
	movq MC_ARG_C(%rdi), %rdx
	.endif
	.if OWN_ARRAYS > 3
	movq MC_ARG_D(%rdi), %rcx
	.endif
	movq MC_ARG_A(%rdi), %rdi
	leaq (%rdi,%r10), %r8
	.balign 64
mc_own_turn:
.endm

.macro OWN_END
mc_own_turn_end:
	OWN_EACH addq $OWN_TURN
	cmpq %r8, %rdi
	jb mc_own_turn
	OWN_EACH subq %r10
	testl %r11d, %r11d
	jnz .Lown_fence
.Lown_pass:
	decq %r9
	jnz mc_own_turn
	popq %rdi
	.if OWN_FEATURE >= MC_OWN_AVX2
	vzeroupper
	.endif
	RESTORE
	jmp .Lown_return
.Lown_fence:
	cmpl $MC_FENCE_MFENCE, %r11d
	je .Lown_mfence
	ja .Lown_uc
	sfence
	jmp .Lown_pass
.Lown_mfence:
	mfence
	jmp .Lown_pass
.Lown_uc:
	pushq %rax
	movq 8(%rsp), %rax
	movq MC_ARG_UC_WORD(%rax), %rax
	movq %r9, (%rax)
	movq (%rax), %rax
	popq %rax
	jmp .Lown_pass
.Lown_return:
FUNCTION_END mc_own_run
.endm

	.section .note.GNU-stack, "", @progbits
	.text
