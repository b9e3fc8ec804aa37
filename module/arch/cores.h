/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CPUs as they describe themselves, in the kernel, in User-Mode Linux and in user space.
 * Each architecture has the functions that read it; cores.c has what all share.
 */
#ifndef MC_CORES_H
#define MC_CORES_H

#include "core/text.h"
#include "platform/cpus.h"

/* Sizes of names, terminator included. */
#define MC_CPU_NAME_BYTES	49
#define MC_HYPERVISOR_BYTES	13

/* Kinds of core of one CPU model. */
enum mc_core_type { MC_CORE_UNKNOWN, MC_CORE_PERFORMANCE, MC_CORE_EFFICIENCY };

/**
 * struct mc_cpu_model - model of a CPU
 * @vendor: at most twelve letters
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
 * @level: 1 to 4
 * @kind: what it caches
 * @line: bytes of a line; 0: not known
 * @ways: associativity; 0: not known
 * @bytes: size of the cache
 * @ids: number of CPUs' IDs set aside for the CPUs that share it; many of them belong to
 *       no CPU
 * @cpus: number of CPUs that share it, if the system says so; 0: use IDs
 * @first: if the system says so, the first CPU of those that share it
 */
struct mc_cache {
	u32 level;
	enum mc_cache_kind kind;
	u32 line;
	u32 ways;
	u64 bytes;
	u32 ids;
	u32 cpus;
	u32 first;
};

#define MC_CORE_CACHES	8
#define MC_CACHE_OF_ALL	0x80000000U	/* as @ids: all CPUs share it */

/**
 * struct mc_core - a CPU as it describes itself
 * @known: the CPU is online and was read; otherwise nothing here is valid
 * @model: its model
 * @features: enum mc_feature, a bit each
 * @id: number by which CPUs that share a cache are found: its APIC ID
 * @ncaches: number of caches
 * @caches: array of @ncaches caches
 */
struct mc_core {
	u32 known;
	struct mc_cpu_model model;
	u32 features;
	u32 id;
	u32 ncaches;
	struct mc_cache caches[MC_CORE_CACHES];
};

/* Of the architecture. */
void mc_core_read(struct mc_core *core);
bool mc_time_counter_steady(void);
bool mc_hypervisor(void);
void mc_cpu_name(char name[MC_CPU_NAME_BYTES]);
const char *mc_hypervisor_name(char id[MC_HYPERVISOR_BYTES]);

int mc_cores_init(unsigned int cpus);
void mc_cores_exit(void);
struct mc_core *mc_core_look(unsigned int cpu);
void mc_core_forget(unsigned int cpu);
const struct mc_core *mc_core_of(unsigned int cpu);
bool mc_cores_have(enum mc_feature feature);
void mc_cores_json(struct mc_text *t);
void mc_cpu_describe(struct mc_text *t, const char *hypervisor);

#endif /* MC_CORES_H */
