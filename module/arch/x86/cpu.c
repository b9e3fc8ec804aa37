// SPDX-License-Identifier: GPL-2.0-only
/* The CPU as the kernel lets it be used. */
#include <linux/kernel.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/processor.h>
#include <asm/tsc.h>

#include "../../arch.h"
#include "cpuid.h"

/**
 * mc_cpu_has() - can this CPU, and the kernel on it, run such a loop?
 * @feature: what the loop needs
 *
 * The kernel's word counts: its command line can turn features off.
 *
 * Context: Any.
 * Return: true if it can.
 */
bool mc_cpu_has(enum mc_feature feature)
{
	switch (feature) {
	case MC_CPU_SSE2:
		return boot_cpu_has(X86_FEATURE_XMM2);
	case MC_CPU_SSE41:
		return boot_cpu_has(X86_FEATURE_XMM4_1);
	case MC_CPU_AVX2:
		return boot_cpu_has(X86_FEATURE_AVX2) &&
		       boot_cpu_has(X86_FEATURE_FMA) &&
		       cpu_has_xfeatures(XFEATURE_MASK_SSE |
					 XFEATURE_MASK_YMM, NULL);
	case MC_CPU_AVX512F:
		return boot_cpu_has(X86_FEATURE_AVX512F) &&
		       cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM |
					 XFEATURE_MASK_AVX512, NULL);
	}
	return false;
}

/**
 * mc_cpu_json() - append what the CPU is as JSON members
 * @t: the text
 *
 * Context: Any.
 */
void mc_cpu_json(struct mc_text *t)
{
	mc_cpuid_json(t);
	mc_textf(t, ",\"microcode\":\"0x%x\"", boot_cpu_data.microcode);
}

/**
 * mc_cpu_tsc_khz() - rate of the time stamp counter
 *
 * Context: Any.
 * Return: kHz, 0 if the counter is not invariant or the kernel found it unstable.
 */
u64 mc_cpu_tsc_khz(void)
{
	if (!boot_cpu_has(X86_FEATURE_CONSTANT_TSC) ||
	    !boot_cpu_has(X86_FEATURE_NONSTOP_TSC) || check_tsc_unstable())
		return 0;
	return tsc_khz;
}
