// SPDX-License-Identifier: GPL-2.0-only
/* The instructions behind cpuid.c: native tests put other CPUs in their place. */
#include "arch/x86/cpuid.h"

/**
 * mc_cpuid_leaf() - what the CPU that executes this says of itself
 * @leaf: leaf of CPUID
 * @sub: its subleaf
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
 * mc_xcr0() - which register states the system saves
 *
 * Context: Any, where CPUID says OSXSAVE.
 * Return: a bit each.
 */
u64 mc_xcr0(void)
{
	u32 low, high;

	asm volatile("xgetbv" : "=a" (low), "=d" (high) : "c" (0));
	return (u64)high << 32 | low;
}
