/* SPDX-License-Identifier: GPL-2.0-only */
/* Single accesses of an x86 CPU, which may fault. Each architecture has a file of this name. */
#ifndef MC_MACHINE_ACCESS_H
#define MC_MACHINE_ACCESS_H

#include "core/shim.h"

#ifdef __KERNEL__
#include <asm/asm.h>
#define MC_CATCH(from, to)	_ASM_EXTABLE(from, to)
#else
#define MC_CATCH(from, to)	""	/* a signal is caught elsewhere */
#endif

/* In the kernel, a fault goes to 4, where err_ is still not 0. */
#define MC_ACCESS(load, store) ({					\
	int err_ = 1;							\
									\
	asm volatile("1:\t" load "\n"					\
		     "\ttestl %2, %2\n"					\
		     "\tjz 3f\n"					\
		     "2:\t" store "\n"					\
		     "3:\txorl %0, %0\n"				\
		     "4:\n"						\
		     MC_CATCH(1b, 4b) MC_CATCH(2b, 4b)			\
		     : "+&r" (err_) : "r" (at), "r" ((int)stores)	\
		     : "memory", "cc", "rax");				\
	err_;								\
})

/**
 * mc_access() - load, and store what was loaded
 * @at: the address
 * @width: bytes of the access
 * @stores: whether to store
 *
 * Context: In the kernel: between mc_fpu_begin() and mc_fpu_end(). In a process: vector
 * registers 0 are lost, as at a call.
 * Return: 0; not 0: there is no such access; or, in the kernel, it faulted.
 */
static inline int mc_access(void *at, unsigned int width, bool stores)
{
	switch (width) {
	case 1:
		return MC_ACCESS("movb (%1), %%al", "movb %%al, (%1)");
	case 2:
		return MC_ACCESS("movw (%1), %%ax", "movw %%ax, (%1)");
	case 4:
		return MC_ACCESS("movl (%1), %%eax", "movl %%eax, (%1)");
	case 8:
		return MC_ACCESS("movq (%1), %%rax", "movq %%rax, (%1)");
	case 16:
		return MC_ACCESS("movdqa (%1), %%xmm0", "movdqa %%xmm0, (%1)");
	case 32:
		return MC_ACCESS("vmovdqa (%1), %%ymm0", "vmovdqa %%ymm0, (%1)");
	case 64:
		return MC_ACCESS("vmovdqa64 (%1), %%zmm0", "vmovdqa64 %%zmm0, (%1)");
	default:
		return 1;
	}
}

#endif /* MC_MACHINE_ACCESS_H */
