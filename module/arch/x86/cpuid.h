/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUID, in the kernel, in User-Mode Linux and in user space. */
#ifndef MC_CPUID_H
#define MC_CPUID_H

#include "arch/cores.h"

/**
 * struct mc_leaf - registers that CPUID returns
 * @a: eax
 * @b: ebx
 * @c: ecx
 * @d: edx
 */
struct mc_leaf {
	u32 a;
	u32 b;
	u32 c;
	u32 d;
};

struct mc_leaf mc_cpuid_leaf(u32 leaf, u32 sub);
u64 mc_xcr0(void);
bool mc_cpuid_rdtscp(void);

#endif /* MC_CPUID_H */
