// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPUID instructions of cpuid.c, in a file of their own so that native tests can
 * simulate other CPUs.
 */
#include "arch/x86/cpuid.h"
#include "platform/cpus.h"

#define GUEST	0x80000000	/* in ecx of leaf 1: there is a hypervisor */
#define PREFETCHW	0x100		/* in ecx of leaf 0x80000001 */

/**
 * mc_cpuid_leaf() - execute CPUID on the current CPU, or read it of a made-up one
 * @leaf: leaf
 * @sub: subleaf
 *
 * Return: the registers.
 */
struct mc_leaf mc_cpuid_leaf(u32 leaf, u32 sub)
{
	struct mc_leaf l = { .a = leaf, .c = sub }, other;

	asm volatile("cpuid" : "+a" (l.a), "=b" (l.b), "+c" (l.c), "=d" (l.d));
	/* The features that loops need are those of this CPU. */
	if (leaf == 7 || leaf == 0x24 || !mc_cpu_made_up(leaf, sub, &other.a))
		return l;
	if (!leaf && other.a < l.a)
		other.a = l.a;
	if (leaf == 1)
		other.c = (other.c & GUEST) | (l.c & ~GUEST);
	if (leaf == 1 || leaf == 0x80000001)
		other.d = l.d;
	if (leaf == 0x80000001)
		other.c = (other.c & ~PREFETCHW) | (l.c & PREFETCHW);
	return other;
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
