// SPDX-License-Identifier: GPL-2.0-only
/* The CPU's features and properties, as the kernel uses them. */
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

/* A feature is usable if the CPU has all of its bits and the kernel saves its states. */
static const struct {
	enum mc_feature feature;
	u32 bit;
	u64 states;
} feature_bits[] = {
	{ MC_CPU_BASE, X86_FEATURE_XMM2 },
	{ MC_CPU_SSE41, X86_FEATURE_XMM4_1 },
	{ MC_CPU_AVX, X86_FEATURE_AVX, STATES_AVX },
	{ MC_CPU_AVX2, X86_FEATURE_AVX2, STATES_AVX },
	{ MC_CPU_AVX2, X86_FEATURE_FMA },
	{ MC_CPU_AVX512F, X86_FEATURE_AVX512F, STATES_AVX512 },
	{ MC_CPU_CLFLUSHOPT, X86_FEATURE_CLFLUSHOPT },
	{ MC_CPU_CLWB, X86_FEATURE_CLWB },
	{ MC_CPU_MOVDIR64B, X86_FEATURE_MOVDIR64B },
	{ MC_CPU_PREFETCHW, X86_FEATURE_3DNOWPREFETCH },
	{ MC_CPU_CLDEMOTE, X86_FEATURE_CLDEMOTE },
};

/**
 * mc_cpu_has() - do all CPUs and the kernel support a feature?
 * @feature: what the loop needs
 *
 * The kernel decides, not CPUID: its command line can turn features off, and it ignores
 * features that only some CPUs have.
 *
 * Return: true if they do.
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
	return feature != MC_CPU_LLSC;
}

/**
 * mc_cpu_json() - append the CPU's model and properties as JSON members
 * @t: the text
 *
 * Context: Process, may sleep.
 */
void mc_cpu_json(struct mc_text *t)
{
	mc_cpu_describe(t, NULL);
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
 * mc_prefetchers() - the register that switches prefetchers off
 * @why_not: result: why there is none
 *
 * Return: the register, the same on all CPUs, or NULL.
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
