/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPU as CPUID describes it, in the kernel, in User-Mode Linux and in user space. */
#ifndef MC_CPUID_H
#define MC_CPUID_H

#include "arch/loops.h"
#include "core/text.h"

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

/* Sizes of names, terminator included. */
#define MC_CPUID_NAME	49
#define MC_CPUID_ID	13

struct mc_leaf mc_cpuid_leaf(u32 leaf, u32 sub);
u64 mc_xcr0(void);

/* Kinds of core of one CPU model. */
enum mc_core_type { MC_CORE_UNKNOWN, MC_CORE_PERFORMANCE, MC_CORE_EFFICIENCY };

/**
 * struct mc_cpu_model - model of a CPU
 * @vendor: twelve letters
 * @family: family with its extension, as Linux counts
 * @model: model, the same way
 * @stepping: the stepping
 * @type: kind of core, if the model has several
 * @prefetch_msr: AMD: the CPU has an MSR that switches prefetchers
 */
struct mc_cpu_model {
	char vendor[13];
	u32 family;
	u32 model;
	u32 stepping;
	enum mc_core_type type;
	bool prefetch_msr;
};

enum mc_cache_kind {
	MC_CACHE_NONE, MC_CACHE_DATA, MC_CACHE_CODE, MC_CACHE_UNIFIED, MC_NCACHE_KINDS
};

/**
 * struct mc_cache - a cache of a CPU
 * @level: 1, 2 or 3
 * @kind: what it caches
 * @line: bytes of a line
 * @ways: associativity
 * @bytes: size of the cache
 * @ids: number of APIC IDs set aside for the CPUs that share it; many of them belong to
 *       no CPU
 * @cpus: number of CPUs that share it, if the system says so; 0: use APIC IDs
 */
struct mc_cache {
	u32 level;
	enum mc_cache_kind kind;
	u32 line;
	u32 ways;
	u64 bytes;
	u32 ids;
	u32 cpus;
};

#define MC_CORE_CACHES	8

/**
 * struct mc_core - a CPU as CPUID describes it there
 * @known: the CPU is online and was read; otherwise nothing here is valid
 * @model: its model
 * @features: enum mc_feature, a bit each
 * @apic: its APIC ID
 * @ncaches: number of caches
 * @caches: array of @ncaches caches
 */
struct mc_core {
	u32 known;
	struct mc_cpu_model model;
	u32 features;
	u32 apic;
	u32 ncaches;
	struct mc_cache caches[MC_CORE_CACHES];
};

void mc_cpuid_core(struct mc_core *core);
bool mc_cpuid_invariant_tsc(void);
bool mc_cpuid_rdtscp(void);
bool mc_cpuid_hypervisor(void);
void mc_cpuid_name(char name[MC_CPUID_NAME]);
const char *mc_cpuid_hypervisor_name(char id[MC_CPUID_ID]);
void mc_cpuid_json(struct mc_text *t, const char *hypervisor);

int mc_cores_init(unsigned int cpus);
void mc_cores_exit(void);
struct mc_core *mc_core_look(unsigned int cpu);
void mc_core_forget(unsigned int cpu);
const struct mc_core *mc_core_of(unsigned int cpu);
bool mc_cores_have(enum mc_feature feature);
void mc_cores_json(struct mc_text *t);

#endif /* MC_CPUID_H */
