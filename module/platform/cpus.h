/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPUs: their features, which of them may be used, their cores and nodes, hotplug. */
#ifndef MC_CPUS_H
#define MC_CPUS_H

#include "core/shim.h"

/* CPU features that loops need. */
enum mc_feature {
	MC_CPU_BASE,	/* what every 64-bit CPU has: SSE2; on arm64 Advanced SIMD */
	MC_CPU_SSE41,
	MC_CPU_AVX,
	MC_CPU_AVX2,	/* and FMA, which only op=own may use */
	MC_CPU_AVX512F,
	MC_CPU_CLFLUSHOPT,
	MC_CPU_CLWB,
	MC_CPU_MOVDIR64B,
	MC_CPU_STRINGS,	/* rep movsb, rep stosb: every x86 CPU has them */
	MC_CPU_ATOMICS,	/* every x86 CPU; on arm64 LSE */
	MC_CPU_LLSC,	/* loads and stores that are exclusive: every arm64 CPU has them */
	MC_CPU_PREFETCHW,	/* every arm64 CPU has a hint like it */
	MC_CPU_CLDEMOTE,
	MC_CPU_MOVRS,
	MC_CPU_AVX10_2,	/* needed by vectors of MOVRS; other loads of AVX10 are AVX-512's */
	MC_NFEATURES,
};

/* The kernel's answer to a process whose locked access lies in two lines. */
enum mc_split {
	MC_SPLIT_UNKNOWN,
	MC_SPLIT_FREE,
	MC_SPLIT_SLOWED,
	MC_SPLIT_KILLED,
};

int mc_cpus_init(void);
void mc_cpus_exit(void);
bool mc_cpu_has(enum mc_feature feature);
enum mc_split mc_cpu_split(void);	/* of processes alone */
void mc_cpus_usable(u64 *cpus);
unsigned int mc_cpu_core(unsigned int cpu);
int mc_cpu_node(unsigned int cpu);
int mc_cpu_own_node(unsigned int cpu);
int mc_cpu_socket(unsigned int cpu);
unsigned int mc_node_distance(int a, int b);

#ifdef __KERNEL__
static inline bool mc_cpu_made_up(u32 leaf, u32 sub, u32 *regs)
{
	return false;
}
#else
bool mc_cpu_made_up(u32 leaf, u32 sub, u32 *regs);
#endif

#endif /* MC_CPUS_H */
