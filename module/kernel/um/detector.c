// SPDX-License-Identifier: GPL-2.0-only
/*
 * The detector in User-Mode Linux. To the host, this kernel is a process, so the detector
 * sees the host's interrupts and the host's CPUs. When the host preempts this process can't
 * be read from here.
 */
#include "arch/x86/cpuid.h"
#include "arch/interrupts.h"
#include "platform/clock.h"
#include "platform/detector.h"

#define PROBE_NS	20000000	/* two ticks of the slowest host */
#define CPU_BITS	0xfff		/* the CPU in TSC_AUX, as Linux sets it */

static u8 kinds;

void mc_detector_init(void)
{
	if (mc_mark_works(mc_ns_to_ticks(PROBE_NS)))
		kinds |= MC_BY_INTERRUPT;
	if (mc_cpuid_rdtscp())
		kinds |= MC_BY_MIGRATION;
}

/* No thread is bound to a CPU of the host, whatever @cpu is. */
u8 mc_detector_kinds(int cpu)
{
	return kinds;
}

void mc_detector_begin(struct mc_detector *v)
{
	if (kinds & MC_BY_INTERRUPT)
		mc_mark_set();
}

static u32 host_cpu(void)
{
	u32 low, high, aux;

	asm volatile("rdtscp" : "=a" (low), "=d" (high), "=c" (aux));
	return aux & CPU_BITS;
}

/* A migration: the last window ended on another CPU. */
u8 mc_detector_end(struct mc_detector *v)
{
	u32 last = v->cpu;
	u8 seen = 0;

	if (kinds & MC_BY_INTERRUPT && mc_mark_lost())
		seen |= MC_BY_INTERRUPT;
	if (!(kinds & MC_BY_MIGRATION))
		return seen;
	v->cpu = host_cpu() + 1;
	return last && last != v->cpu ? seen | MC_BY_MIGRATION : seen;
}

/* The host's steal time can't be read from here. */
enum mc_stolen mc_detector_stolen(struct mc_detector *v, int cpu, bool at_once)
{
	return MC_NOT_LOOKED;
}
