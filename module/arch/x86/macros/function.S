/* SPDX-License-Identifier: GPL-2.0-only */
/* Macros for assembly files: functions that C calls. */
#include "arch/macros/symbols.S"

#ifndef RET
#define RET	ret
#endif

/* Some kernels reserve room before a function for instructions that they insert later. */
#ifdef CONFIG_FUNCTION_PADDING_BYTES
#define PADDING		CONFIG_FUNCTION_PADDING_BYTES
#else
#define PADDING		0
#endif

/*
 * With kCFI this room precedes the type, which takes 5 bytes. Without the room, 11
 * bytes precede the type.
 */
#if !defined(CONFIG_CFI_CLANG) && !defined(CONFIG_CFI)
#define BEFORE_TYPED	0
#elif PADDING
#define BEFORE_TYPED	(PADDING + 5)
#else
#define BEFORE_TYPED	16
#endif

/*
 * A function that C calls by its name. The entry is aligned here, not by the kernel's
 * macros, so that the loops are the same bytes everywhere and are aligned alike.
 */
.macro FUNCTION name
	.fill PADDING, 1, 0x90
	.balign 64, 0x90
SYM_START(\name, SYM_L_GLOBAL, SYM_A_NONE)
	endbr64
.endm

/*
 * A function that C calls by a pointer. A kernel with kCFI compares the function's type
 * with the pointer's. The compiler emits that type only where C takes the address.
 */
.macro FUNCTION_TYPED name
	.fill PADDING, 1, 0x90
	.balign 64, 0x90
	.fill -BEFORE_TYPED & 63, 1, 0x90
SYM_TYPED_START(\name, SYM_L_GLOBAL, SYM_A_NONE)
	endbr64
.endm

.macro FUNCTION_END name
	RET
SYM_FUNC_END(\name)
.endm

/* Registers that a function must preserve, except rbp, which the loops do not touch. */
.macro SAVE
	.irp r, rbx, r12, r13, r14, r15
	pushq %\r
	.endr
.endm

.macro RESTORE
	.irp r, r15, r14, r13, r12, rbx
	popq %\r
	.endr
.endm
