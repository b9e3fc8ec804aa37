/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stores as drivers do them: of a line at once, and string instructions.
 */
#include "arch/x86/macros/loops_common.S"

	.text

/* ---- one line per access; the address must be in a register ---- */

.macro DO_MOVDIR64B w, k, o
	leaq \o(%rdx), %rax
	movdir64b \o(%r9), %rax
.endm

LOOP mc_asm_movdir64b64, 64, DO_MOVDIR64B, arrays=2, vector=0

/*
 * ---- one instruction per pass, which uses rdi and rsi until the fence ----
 *
 * The byte in al grows by r9 in each pass: by one, or by nothing with MC_DATA_ZERO. A
 * copy ignores it.
 */

.macro STRING_LOOP name, instruction
FUNCTION_TYPED \name
	movq %rdi, %r8
	movq MC_ARG_PASSES(%rdi), %rdx
	movq MC_ARG_VALUE(%rdi), %rax
	movl MC_ARG_FENCE(%rdi), %r10d
	xorl %r9d, %r9d
	cmpq $MC_DATA_ZERO, MC_ARG_DATA(%rdi)
	setne %r9b
1:
	movq MC_ARG_BYTES(%r8), %rcx
	movq MC_ARG_B(%r8), %rsi
	movq MC_ARG_A(%r8), %rdi
	rep \instruction
	movq %rdx, %rsi
	FENCE r10d, %r8
	addq %r9, %rax
	decq %rdx
	jnz 1b
FUNCTION_END \name
.endm

STRING_LOOP mc_asm_rep_movsb1, movsb
STRING_LOOP mc_asm_rep_stosb1, stosb

	.section .note.GNU-stack, "", @progbits
