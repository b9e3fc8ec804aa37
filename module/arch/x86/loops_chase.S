/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loops that wait: for each load, or for a number of cycles. The module and user space
 * share them.
 */
#include "arch/x86/macros/function.S"
#include "arch/chase.h"

	.text

/*
 * void **mc_asm_chase(void **at, u64 loads)
 * Follow a chain of pointers, and return its current element. Each load waits for the
 * one before it, so the loop around them costs nothing.
 */
FUNCTION mc_asm_chase
	movq %rdi, %rax
	movq %rsi, %rcx
	andl $7, %ecx
	jz .Leights
.Lone:
	movq (%rax), %rax
	decl %ecx
	jnz .Lone
.Leights:
	shrq $3, %rsi
	jz .Lchased
	.balign 64
.Leight:
	.rept 8
	movq (%rax), %rax
	.endr
	decq %rsi
	jnz .Leight
.Lchased:
FUNCTION_END mc_asm_chase

/*
 * void **mc_asm_dirty(void **at, u64 n, u64 value)
 * Follow a chain of pointers, store value beside each, and return the current element.
 */
FUNCTION mc_asm_dirty
.Ldirty:
	movq %rdx, 8(%rdi)
	movq (%rdi), %rdi
	decq %rsi
	jnz .Ldirty
	movq %rdi, %rax
FUNCTION_END mc_asm_dirty

/*
 * u64 mc_asm_turns(u64 *word, u64 from, u64 turns, u64 tries)
 * Wait until the word is from, make it one more by compare and swap, and do so for every second
 * number. End after so many turns, or failed tries, and return the turns that are left.
 */
FUNCTION mc_asm_turns
.Lturn:
	movq %rsi, %rax
	leaq 1(%rsi), %r8
	lock cmpxchgq %r8, (%rdi)
	jne .Lnot_yet
	addq $2, %rsi
	decq %rdx
	jnz .Lturn
	jmp .Lturned
.Lnot_yet:
	decq %rcx
	jnz .Lturn
.Lturned:
	movq %rdx, %rax
FUNCTION_END mc_asm_turns

/*
 * void mc_asm_paced(struct mc_paced *args)
 * Each step reads some lines and then writes some, one after another. A countdown from
 * delay follows each line. Without combine the data written is not zero, because some
 * CPUs treat zeros specially. With combine it is the line that was read last, plus two
 * times the sum of those before it.
 *
 * Registers: rdi arguments, rsi steps left, r9 offset of the step, r10 number of the line
 * in the step, r11 state of the generator, r8 its factor, rax address of the line. rcx
 * and rdx are scratch. xmm0 to xmm3 are what is written, xmm4 to xmm7 scratch.
 */
.macro PACE
	movq MC_PACED_DELAY(%rdi), %rcx
	testq %rcx, %rcx
	jz .Lpaced\@
.Lpace\@:
	decq %rcx
	jnz .Lpace\@
.Lpaced\@:
.endm

/* Put the address of the next line into rax. */
.macro PLACE random
	.if \random
	movq %r11, %rax
	imulq %r8, %r11
	incq %r11
	mulq MC_PACED_LINES(%rdi)
	shlq $6, %rdx
	addq MC_PACED_START(%rdi), %rdx
	movq %rdx, %rcx
	shrq $(MC_BLOCK_WORDS_LOG2 + 3), %rcx
	andl $((8 << MC_BLOCK_WORDS_LOG2) - 1), %edx
	movq MC_PACED_BLOCKS(%rdi), %rax
	movq (%rax,%rcx,8), %rax
	addq %rdx, %rax
	.else
	movq MC_PACED_PLACE(%rdi,%r10,8), %rax
	addq %r9, %rax
	.endif
	incq %r10
.endm

.macro PACED random
.Lstep\@:
	xorl %r10d, %r10d
	cmpq $0, MC_PACED_COMBINE(%rdi)
	je .Lreads\@
	.irp x, 0, 1, 2, 3
	pxor %xmm\x, %xmm\x
	.endr
.Lreads\@:
	cmpq MC_PACED_READS(%rdi), %r10
	jae .Lwrites\@
	PLACE \random
	.irp x, 4, 5, 6, 7
	movdqa 16*(\x-4)(%rax), %xmm\x
	.endr
	cmpq $0, MC_PACED_COMBINE(%rdi)
	je .Lread\@
	.irp x, 0, 1, 2, 3
	paddq %xmm\x, %xmm\x
	.endr
	paddq %xmm4, %xmm0
	paddq %xmm5, %xmm1
	paddq %xmm6, %xmm2
	paddq %xmm7, %xmm3
.Lread\@:
	PACE
	jmp .Lreads\@
.Lwrites\@:
	cmpq MC_PACED_END(%rdi), %r10
	jae .Lstepped\@
	PLACE \random
	cmpq $0, MC_PACED_NT(%rdi)
	jne .Lstream\@
	.irp x, 0, 1, 2, 3
	movdqa %xmm\x, 16*\x(%rax)
	.endr
	jmp .Lwritten\@
.Lstream\@:
	.irp x, 0, 1, 2, 3
	movntdq %xmm\x, 16*\x(%rax)
	.endr
.Lwritten\@:
	PACE
	jmp .Lwrites\@
.Lstepped\@:
	addq MC_PACED_STRIDE(%rdi), %r9
	decq %rsi
	jnz .Lstep\@
.endm

FUNCTION mc_asm_paced
	movq MC_PACED_STEPS(%rdi), %rsi
	movq MC_PACED_STATE(%rdi), %r11
	movabsq $MC_LCG_A, %r8
	xorl %r9d, %r9d
	.irp x, 0, 1, 2, 3
	movq %rdi, %xmm\x
	punpcklqdq %xmm\x, %xmm\x
	.endr
	cmpq $0, MC_PACED_LINES(%rdi)
	jne .Lrandom
	PACED 0
	jmp .Lended
.Lrandom:
	PACED 1
.Lended:
	movq %r11, MC_PACED_STATE(%rdi)
FUNCTION_END mc_asm_paced

/*
 * void mc_asm_clock(u64 cycles)
 * Last a number of core cycles, a multiple of 96. An addition waits one cycle for the
 * one before it, on every core (Agner Fog, Instruction tables). Some cores eliminate
 * the addition of a constant, and a multiplication takes 3 to 5 cycles.
 */
FUNCTION mc_asm_clock
	movq %rdi, %rax
	xorl %edx, %edx
	movl $96, %ecx
	divq %rcx
	testq %rax, %rax
	jz .Ltold
	.balign 64
.Lcycles:
	.rept 96
	addq %rcx, %rdx
	.endr
	decq %rax
	jnz .Lcycles
.Ltold:
FUNCTION_END mc_asm_clock

	.section .note.GNU-stack, "", @progbits
