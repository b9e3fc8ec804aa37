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
