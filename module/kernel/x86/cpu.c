// SPDX-License-Identifier: GPL-2.0-only
/* The CPU as the kernel lets it be used. */
#include <linux/kernel.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/processor.h>
#include <asm/tsc.h>

#include "arch/caches.h"
#include "arch/x86/cpuid.h"
#include "kernel/arch.h"
#include "kernel/x86/prefetch.h"
#include "platform/cpus.h"

#define STATES_AVX	(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM)
#define STATES_AVX512	(STATES_AVX | XFEATURE_MASK_AVX512)

/* A feature is there if each of its bits is, and its states are saved. */
static const struct {
	enum mc_feature feature;
	u32 bit;
	u64 states;
} feature_bits[] = {
	{ MC_CPU_SSE2, X86_FEATURE_XMM2 },
	{ MC_CPU_SSE41, X86_FEATURE_XMM4_1 },
	{ MC_CPU_AVX, X86_FEATURE_AVX, STATES_AVX },
	{ MC_CPU_AVX2, X86_FEATURE_AVX2, STATES_AVX },
	{ MC_CPU_AVX2, X86_FEATURE_FMA },
	{ MC_CPU_AVX512F, X86_FEATURE_AVX512F, STATES_AVX512 },
	{ MC_CPU_CLFLUSHOPT, X86_FEATURE_CLFLUSHOPT },
	{ MC_CPU_CLWB, X86_FEATURE_CLWB },
	{ MC_CPU_MOVDIR64B, X86_FEATURE_MOVDIR64B },
};

/**
 * mc_cpu_has() - can all CPUs, and the kernel on them, run such a loop?
 * @feature: what the loop needs
 *
 * The kernel's word counts: its command line can turn features off. What only some
 * CPUs have, it leaves out.
 *
 * Return: true if they can.
 */
bool mc_cpu_has(enum mc_feature feature)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(feature_bits); i++) {
		u64 states = feature_bits[i].states;

		if (feature_bits[i].feature == feature &&
		    (!boot_cpu_has(feature_bits[i].bit) ||
		     (states && !cpu_has_xfeatures(states, NULL))))
			return false;
	}
	return true;
}

/**
 * mc_cpu_json() - append what the CPU is as JSON members
 * @t: the text
 *
 * Context: Process, may sleep.
 */
void mc_cpu_json(struct mc_text *t)
{
	mc_cpuid_json(t, NULL);
	mc_textf(t, ",\"microcode\":\"0x%x\"", boot_cpu_data.microcode);
}

/**
 * mc_cpu_tsc_khz() - rate of the time stamp counter
 *
 * Return: kHz, 0 if the counter is not invariant or the kernel found it unstable.
 */
u64 mc_cpu_tsc_khz(void)
{
	if (!boot_cpu_has(X86_FEATURE_CONSTANT_TSC) ||
	    !boot_cpu_has(X86_FEATURE_NONSTOP_TSC) || check_tsc_unstable())
		return 0;
	return tsc_khz;
}

/**
 * mc_prefetchers() - how the CPUs' prefetchers are switched off, all alike
 * @why_not: why that is not possible
 *
 * Return: the register, or NULL.
 */
const struct mc_prefetch_msr *mc_prefetchers(const char **why_not)
{
	const struct mc_prefetch_msr *first = NULL, *msr;
	int cpu;

	*why_not = "those of this CPU model are not known";
	for (cpu = mc_core_next(-1); cpu >= 0; cpu = mc_core_next(cpu)) {
		msr = mc_prefetchers_of(&mc_core_of(cpu)->model);
		if (!msr || (first && msr != first))
			return NULL;
		first = msr;
	}
	return first;
}
