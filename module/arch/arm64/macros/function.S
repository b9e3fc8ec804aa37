/* SPDX-License-Identifier: GPL-2.0-only */
/* Macros for assembly files: functions that C calls. */
#include "arch/macros/symbols.S"

/* With kCFI the type of a function, 4 bytes, precedes it. */
#if defined(CONFIG_CFI_CLANG) || defined(CONFIG_CFI)
#define BEFORE_TYPED	4
#else
#define BEFORE_TYPED	0
#endif

/*
 * A function that C calls by its name. The entry is aligned here, not by the kernel's
 * macros, so that the loops are the same bytes everywhere and are aligned alike. bti c
 * lets kernels with branch target identification call it by a pointer.
 */
.macro FUNCTION name
	.balign 64
SYM_START(\name, SYM_L_GLOBAL, SYM_A_NONE)
	hint #34			/* bti c */
.endm

/* A function that C calls by a pointer: a kernel with kCFI compares its type. */
.macro FUNCTION_TYPED name
	.balign 64
	.fill (-BEFORE_TYPED & 63) / 4, 4, 0xd503201f
SYM_TYPED_START(\name, SYM_L_GLOBAL, SYM_A_NONE)
	hint #34
.endm

.macro FUNCTION_END name
	ret
SYM_FUNC_END(\name)
.endm

/* Load a constant of 64 bits. */
.macro CONSTANT r, value
	movz \r, #(\value) & 0xffff
	movk \r, #((\value) >> 16) & 0xffff, lsl #16
	movk \r, #((\value) >> 32) & 0xffff, lsl #32
	movk \r, #((\value) >> 48) & 0xffff, lsl #48
.endm
