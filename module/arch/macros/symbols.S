/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's macros for symbols of assembly files. */
#ifdef __KERNEL__
#include <linux/linkage.h>
#if __has_include(<linux/cfi_types.h>)
#include <linux/cfi_types.h>
#endif
#endif

/* User space, and kernels without typed symbols, get plain definitions. */
#ifndef SYM_START
#define SYM_L_GLOBAL(name)	.globl name
#define SYM_A_NONE
#define SYM_START(name, linkage, align)	linkage(name); name:
#define SYM_FUNC_END(name)	.type name, @function; .size name, . - name
#endif
#ifndef SYM_TYPED_START
#define SYM_TYPED_START(name, linkage, align)	SYM_START(name, linkage, align)
#endif
