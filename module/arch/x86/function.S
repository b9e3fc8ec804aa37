/* SPDX-License-Identifier: GPL-2.0-only */
/* For the files of assembly to include. */
#ifdef __KERNEL__
#include <linux/linkage.h>
#endif

#ifndef RET
#define RET	ret
#endif

.macro FUNCTION name
	.balign 64
	.globl \name
	.type \name, @function
\name:
	endbr64
.endm

.macro FUNCTION_END name
	RET
	.size \name, . - \name
.endm

/* What a function has to give back as it was; but rbp, which loops leave alone. */
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
