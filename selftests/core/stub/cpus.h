/* SPDX-License-Identifier: GPL-2.0-only */
/* Machines with made-up CPUs: what CPUID returns on each of them. */
#ifndef MC_SELFTEST_CPUS_H
#define MC_SELFTEST_CPUS_H

#include "kernel/arch.h"
#include "arch/loops.h"
#include "arch/x86/cpuid.h"

/**
 * struct made_up_cache - a row of CPUID's leaf 4
 * @level: 1, 2, 3
 * @kind: data, instructions or both, as in the leaf
 * @bytes: size; the cache has 16 ways and lines of 64 bytes
 * @ids: number of APIC IDs reserved for the CPUs that share it
 */
struct made_up_cache {
	u32 level;
	enum mc_cache_kind kind;
	u64 bytes;
	u32 ids;
};

/**
 * struct made_up_cpu - a CPU
 * @apic: its APIC ID
 * @type: eax of leaf 0x1a: 0x40 or 0x20 in the highest byte; 0: not hybrid
 * @one_eax: eax of leaf 1: family, model and stepping
 * @seven_ebx: ebx of leaf 7: features
 * @caches: its caches; level 0 marks the end
 * @seven_one_eax: eax of its subleaf 1: more features
 * @avx10: version of AVX10; 0: it has none
 */
struct made_up_cpu {
	u32 apic;
	u32 type;
	u32 one_eax;
	u32 seven_ebx;
	const struct made_up_cache *caches;
	u32 seven_one_eax;
	u32 avx10;
};

/**
 * struct made_up_hypervisor - a leaf by which a hypervisor identifies itself
 * @leaf: its number; 0 marks the end
 * @letters: ebx, ecx and edx
 */
struct made_up_hypervisor {
	u32 leaf;
	char letters[12];
};

/* Not called, or with NULL: CPUID says that there is none. */
void made_up_hypervisor(const struct made_up_hypervisor *leaves);
void made_up_machine(const struct made_up_cpu *cpus, unsigned int n);

#endif /* MC_SELFTEST_CPUS_H */
