/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loops that wait: for each load, or for a number of cycles. The module and user space
 * share them.
 */
#include "arch/x86/macros/function.S"

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
 * void mc_asm_paced(void *at, u64 steps, u64 delay, u64 reads, u64 writes, u64 nt)
 * Each step reads some lines and then writes some, one after another. A countdown
 * from delay follows each line. The data written is not zero, because some CPUs treat
 * zeros specially.
 */
.macro PACE
	movq %rdx, %r11
	testq %r11, %r11
	jz .Lpaced\@
.Lpace\@:
	decq %r11
	jnz .Lpace\@
.Lpaced\@:
.endm

FUNCTION mc_asm_paced
	movq %rdi, %xmm0
	punpcklqdq %xmm0, %xmm0
.Lstep:
	movq %rcx, %r10
	testq %r10, %r10
	jz .Lwrites
.Lread:
	.irp o, 0, 16, 32, 48
	movdqa \o(%rdi), %xmm1
	.endr
	addq $64, %rdi
	PACE
	decq %r10
	jnz .Lread
.Lwrites:
	movq %r8, %r10
	testq %r10, %r10
	jz .Lstepped
.Lwrite:
	testq %r9, %r9
	jnz .Lstream
	.irp o, 0, 16, 32, 48
	movdqa %xmm0, \o(%rdi)
	.endr
	jmp .Lwritten
.Lstream:
	.irp o, 0, 16, 32, 48
	movntdq %xmm0, \o(%rdi)
	.endr
.Lwritten:
	addq $64, %rdi
	PACE
	decq %r10
	jnz .Lwrite
.Lstepped:
	decq %rsi
	jnz .Lstep
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
