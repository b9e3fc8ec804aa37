// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPUID instructions of cpuid.c, in a file of their own so that native tests can
 * simulate other CPUs.
 */
#include "arch/x86/cpuid.h"

/**
 * mc_cpuid_leaf() - execute CPUID on the current CPU
 * @leaf: leaf
 * @sub: subleaf
 *
 * Return: the registers.
 */
struct mc_leaf mc_cpuid_leaf(u32 leaf, u32 sub)
{
	struct mc_leaf l = { .a = leaf, .c = sub };

	asm volatile("cpuid" : "+a" (l.a), "=b" (l.b), "+c" (l.c), "=d" (l.d));
	return l;
}

/**
 * mc_xcr0() - register states that the system saves
 *
 * Context: Any, where CPUID says OSXSAVE.
 * Return: the states, a bit each.
 */
u64 mc_xcr0(void)
{
	u32 low, high;

	asm volatile("xgetbv" : "=a" (low), "=d" (high) : "c" (0));
	return (u64)high << 32 | low;
}
