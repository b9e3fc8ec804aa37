/* SPDX-License-Identifier: GPL-2.0-only */
/* Single accesses of an arm64 CPU, which may fault. The file of this name of x86 describes them. */
#ifndef MC_MACHINE_ACCESS_H
#define MC_MACHINE_ACCESS_H

#include "core/shim.h"

#ifdef __KERNEL__
#include <asm/asm-extable.h>
#define MC_CATCH(from, to)	_ASM_EXTABLE_KACCESS_ERR_ZERO(from, to, w11, wzr)
#else
#define MC_CATCH(from, to)	""	/* a signal is caught elsewhere */
#endif

/* In the kernel, a fault goes to 3, and err_ is then not 0. */
#define MC_ACCESS(load, store) ({					\
	register long err_ asm("x11") = 0;				\
									\
	asm volatile(".arch_extension fp\n\t"				\
		     ".arch_extension simd\n"				\
		     "1:\t" load "\n"					\
		     "\tcbz %w2, 3f\n"					\
		     "2:\t" store "\n"					\
		     "3:\n"						\
		     MC_CATCH(1b, 3b) MC_CATCH(2b, 3b)			\
		     : "+&r" (err_) : "r" (at), "r" ((int)stores)	\
		     : "memory", "x9", "v6", "v7");			\
	(int)err_;							\
})

static inline int mc_access(void *at, unsigned int width, bool stores)
{
	switch (width) {
	case 1:
		return MC_ACCESS("ldrb w9, [%1]", "strb w9, [%1]");
	case 2:
		return MC_ACCESS("ldrh w9, [%1]", "strh w9, [%1]");
	case 4:
		return MC_ACCESS("ldr w9, [%1]", "str w9, [%1]");
	case 8:
		return MC_ACCESS("ldr x9, [%1]", "str x9, [%1]");
	case 16:
		return MC_ACCESS("ldr q6, [%1]", "str q6, [%1]");
	case 32:
		return MC_ACCESS("ldp q6, q7, [%1]", "stp q6, q7, [%1]");
	default:
		return 1;
	}
}

#endif /* MC_MACHINE_ACCESS_H */
