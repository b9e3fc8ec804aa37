// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers that switch prefetchers off, with a bit for each prefetcher. A model is
 * listed only if its maker has said which bits control all hardware data prefetchers of
 * the core. Hybrid models (Alder Lake and on) and the newer efficient cores (Tremont and
 * on) have prefetchers for which that is not known, so "off" would be wrong for them. So
 * it would be for AMD's family 17h (Zen 1 and 2): the bits that are known there are
 * only in firmware.
 */
#include "kernel/x86/prefetch.h"

/*
 * MSR_MISC_FEATURE_CONTROL: Intel SDM vol. 4, table "MSRs in Sandy Bridge" and
 * those after it that include it; Intel, "Disclosure of Hardware Prefetcher
 * Control on Some Intel Processors" (2014), for Nehalem to Broadwell; Intel's tool
 * pepc for newer models. Bit 11 is not a prefetcher.
 *   0 L2 stream  1 L2 adjacent line  2 L1 (DCU) next line  3 L1 (DCU) IP
 */
static const struct mc_prefetch_msr intel_core[] = { { 0x1a4, 0xf }, { } };

/*
 * The same register, with only two bits on Goldmont: Intel SDM vol. 4, table
 * "MSRs in Goldmont"; Linux, arch/x86/kernel/cpu/resctrl/pseudo_lock.c.
 *   0 L2 stream, shared by the cores of a module  2 L1 (DCU) next line
 */
static const struct mc_prefetch_msr intel_goldmont[] = { { 0x1a4, 0x5 }, { } };

/*
 * Golden Cove in servers has the same bits and more of them, also in a second register:
 * Intel's tool PerfSpect, "prefetcher.go" (2025), which switches them for SPR, EMR, GNR.
 * 0x1a4:  4 L1 (DCU) next page  5 L2 adaptive multipath (AMP)
 * 0x6d:  14 homeless, into L2 when L1 has no free entry  42 into the last-level cache
 */
static const struct mc_prefetch_msr intel_golden_cove[] = {
	{ 0x1a4, 0x3f }, { 0x6d, 1ULL << 14 | 1ULL << 42 }, { }
};

/* Redwood Cove, from the same source: also 6 last-level cache page, 7 array of pointers. */
static const struct mc_prefetch_msr intel_redwood_cove[] = {
	{ 0x1a4, 0xff }, { 0x6d, 1ULL << 14 | 1ULL << 42 }, { }
};

/*
 * Prefetch Control: AMD APM vol. 2, appendix A, MSRC000_0108; PPR of family 19h. Zen 3 has
 * it since a microcode update, and then the bit in CPUID.
 *   0 L1 stream  1 L1 stride  2 L1 region  3 L2 stream  5 L2 up/down
 */
static const struct mc_prefetch_msr amd[] = { { 0xc0000108, 0x2f }, { } };

/* Intel's family 6; the names are those of asm/intel-family.h. */
static const struct row {
	u8 model;
	const struct mc_prefetch_msr *prefetchers;
} intel_family_6[] = {
	{ 0x1a, intel_core },		/* Nehalem EP */
	{ 0x1e, intel_core },		/* Nehalem */
	{ 0x1f, intel_core },		/* Nehalem G */
	{ 0x2e, intel_core },		/* Nehalem EX */
	{ 0x25, intel_core },		/* Westmere */
	{ 0x2c, intel_core },		/* Westmere EP */
	{ 0x2f, intel_core },		/* Westmere EX */
	{ 0x2a, intel_core },		/* Sandy Bridge */
	{ 0x2d, intel_core },		/* Sandy Bridge X */
	{ 0x3a, intel_core },		/* Ivy Bridge */
	{ 0x3e, intel_core },		/* Ivy Bridge X */
	{ 0x3c, intel_core },		/* Haswell */
	{ 0x3f, intel_core },		/* Haswell X */
	{ 0x45, intel_core },		/* Haswell L */
	{ 0x46, intel_core },		/* Haswell G */
	{ 0x3d, intel_core },		/* Broadwell */
	{ 0x47, intel_core },		/* Broadwell G */
	{ 0x4f, intel_core },		/* Broadwell X */
	{ 0x56, intel_core },		/* Broadwell D */
	{ 0x4e, intel_core },		/* Skylake L */
	{ 0x5e, intel_core },		/* Skylake */
	{ 0x55, intel_core },		/* Skylake X, Cascade Lake X, Cooper Lake X */
	{ 0x8e, intel_core },		/* Kaby Lake L and its successors */
	{ 0x9e, intel_core },		/* Kaby Lake, Coffee Lake */
	{ 0x66, intel_core },		/* Cannon Lake L */
	{ 0xa5, intel_core },		/* Comet Lake */
	{ 0xa6, intel_core },		/* Comet Lake L */
	{ 0x6a, intel_core },		/* Ice Lake X */
	{ 0x6c, intel_core },		/* Ice Lake D */
	{ 0x7d, intel_core },		/* Ice Lake */
	{ 0x7e, intel_core },		/* Ice Lake L */
	{ 0x8c, intel_core },		/* Tiger Lake L */
	{ 0x8d, intel_core },		/* Tiger Lake */
	{ 0xa7, intel_core },		/* Rocket Lake */
	{ 0x8f, intel_golden_cove },	/* Sapphire Rapids X */
	{ 0xcf, intel_golden_cove },	/* Emerald Rapids X */
	{ 0xad, intel_redwood_cove },	/* Granite Rapids X */
	{ 0xae, intel_redwood_cove },	/* Granite Rapids D */
	{ 0x5c, intel_goldmont },	/* Goldmont */
	{ 0x5f, intel_goldmont },	/* Goldmont D */
	{ 0x7a, intel_goldmont },	/* Goldmont Plus */
};

/**
 * mc_prefetchers_of() - the registers that switch a CPU's prefetchers off
 * @cpu: the CPU
 *
 * Return: an array that ends with register 0; NULL: those of this CPU are not known.
 */
const struct mc_prefetch_msr *
mc_prefetchers_of(const struct mc_cpu_model *cpu)
{
	size_t i;

	if (!strcmp(cpu->vendor, "AuthenticAMD"))
		return cpu->prefetch_msr ? amd : NULL;
	if (strcmp(cpu->vendor, "GenuineIntel") || cpu->family != 6)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(intel_family_6); i++) {
		if (intel_family_6[i].model == cpu->model)
			return intel_family_6[i].prefetchers;
	}
	return NULL;
}
