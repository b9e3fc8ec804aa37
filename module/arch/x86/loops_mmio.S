/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Single accesses of each width, one behind the other: what a driver pays for a register of a
 * device. The module and user space share them.
 *
 * Registers: rdi address of the access, rsi accesses left, rdx value to store, rax what was
 * loaded, rcx its differences from what was stored. Of wider data xmm0 has the value, xmm1 what
 * was loaded and xmm2 the differences.
 */
#include "arch/x86/macros/function.S"
#include "arch/mmio.h"

	.text

/* Pick the instruction for the width: W width, 1-, 2-, 4-, 8-, 16-, 32-, 64-byte form. */
.macro W w:req, i1, i2, i4, i8, i16, i32, i64
	.if \w == 1
	\i1
	.elseif \w == 2
	\i2
	.elseif \w == 4
	\i4
	.elseif \w == 8
	\i8
	.elseif \w == 16
	\i16
	.elseif \w == 32
	\i32
	.else
	\i64
	.endif
.endm

.macro LOAD w
	W \w, "movzbl (%rdi), %eax", "movzwl (%rdi), %eax", "movl (%rdi), %eax", \
		"movq (%rdi), %rax", "movdqa (%rdi), %xmm1", "vmovdqa (%rdi), %ymm1", \
		"vmovdqa64 (%rdi), %zmm1"
	W \w, i16="movq %xmm1, %rax", i32="vmovq %xmm1, %rax", i64="vmovq %xmm1, %rax"
.endm

.macro STORE w, o
	W \w, "movb %dl, \o(%rdi)", "movw %dx, \o(%rdi)", "movl %edx, \o(%rdi)", \
		"movq %rdx, \o(%rdi)", "movdqa %xmm0, \o(%rdi)", "vmovdqa %ymm0, \o(%rdi)", \
		"vmovdqa64 %zmm0, \o(%rdi)"
.endm

/* Repeat the value in all of a wide register, and clear that of the differences. */
.macro SPREAD w
	W \w, i16="movq %rdx, %xmm0", i32="vmovq %rdx, %xmm0", i64="vmovq %rdx, %xmm0"
	W \w, i16="punpcklqdq %xmm0, %xmm0", i32="vpbroadcastq %xmm0, %ymm0", \
		i64="vpbroadcastq %xmm0, %zmm0"
	W \w, i16="pxor %xmm2, %xmm2", i32="vpxor %ymm2, %ymm2, %ymm2", \
		i64="vpxorq %zmm2, %zmm2, %zmm2"
.endm

/* Collect differences between what was loaded and the value. */
.macro COMPARE w
	W \w, "xorb %dl, %al", "xorw %dx, %ax", "xorl %edx, %eax", "xorq %rdx, %rax", \
		"pxor %xmm0, %xmm1", "vpxor %ymm0, %ymm1, %ymm1", "vpxorq %zmm0, %zmm1, %zmm1"
	W \w, "orq %rax, %rcx", "orq %rax, %rcx", "orq %rax, %rcx", "orq %rax, %rcx", \
		"por %xmm1, %xmm2", "vpor %ymm1, %ymm2, %ymm2", "vporq %zmm1, %zmm2, %zmm2"
.endm

/* Put all differences into rax. */
.macro DIFFERENCES w
	.if \w == 64
	vextracti64x4 $1, %zmm2, %ymm1
	vpor %ymm1, %ymm2, %ymm2
	.endif
	.if \w >= 32
	vextracti128 $1, %ymm2, %xmm1
	vpor %xmm1, %xmm2, %xmm2
	.endif
	.if \w >= 32
	vpsrldq $8, %xmm2, %xmm1
	vpor %xmm1, %xmm2, %xmm2
	vmovq %xmm2, %rcx
	.elseif \w == 16
	movdqa %xmm2, %xmm1
	psrldq $8, %xmm1
	por %xmm1, %xmm2
	movq %xmm2, %rcx
	.endif
	movq %rcx, %rax
.endm

/* The upper halves of wide registers must be empty, or other code gets slow. */
.macro END name, w
	.if \w >= 32
	vzeroupper
	.endif
FUNCTION_END \name
.endm

/*
 * AND with 0 gives 0, but the CPU does not know this before the load has completed, so the
 * next access, which adds it to its address, waits.
 */
.macro WAIT_AND_ADVANCE w
	movq %rax, %r8
	andl $0, %r8d
	leaq \w(%rdi,%r8), %rdi
.endm

.macro LOOPS w
FUNCTION_TYPED mc_asm_mmio_read\w
1:
	LOAD \w
	WAIT_AND_ADVANCE \w
	decq %rsi
	jnz 1b
END mc_asm_mmio_read\w, \w

FUNCTION_TYPED mc_asm_mmio_write\w
	SPREAD \w
1:
	STORE \w, 0
	addq $\w, %rdi
	decq %rsi
	jnz 1b
	xorl %eax, %eax
END mc_asm_mmio_write\w, \w

FUNCTION_TYPED mc_asm_mmio_write_read\w
	SPREAD \w
	xorl %ecx, %ecx
1:
	STORE \w, 0
	LOAD \w
	COMPARE \w
	WAIT_AND_ADVANCE \w
	decq %rsi
	jnz 1b
	DIFFERENCES \w
END mc_asm_mmio_write_read\w, \w

FUNCTION_TYPED mc_asm_mmio_burst\w
	SPREAD \w
1:
	.set offset, 0
	.rept MC_MMIO_LINE / \w
	STORE \w, offset
	.set offset, offset + \w
	.endr
	sfence
	addq $MC_MMIO_LINE, %rdi
	decq %rsi
	jnz 1b
	xorl %eax, %eax
END mc_asm_mmio_burst\w, \w
.endm

LOOPS 1
LOOPS 2
LOOPS 4
LOOPS 8
LOOPS 16
LOOPS 32
LOOPS 64

/* Copies of a line: rdi where it goes, rsi the line. */
FUNCTION_TYPED mc_asm_line_movdir64b
	movdir64b (%rsi), %rdi
FUNCTION_END mc_asm_line_movdir64b

FUNCTION_TYPED mc_asm_line_rep_movsb
	movl $MC_MMIO_LINE, %ecx
	rep movsb
FUNCTION_END mc_asm_line_rep_movsb

	.section .note.GNU-stack, "", @progbits
