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

/**
 * mc_detector_init() - find out which disturbances can be detected
 *
 * Context: Process, once at load, after mc_clock_init().
 */
void mc_detector_init(void)
{
	if (mc_mark_works(mc_ns_to_ticks(PROBE_NS)))
		kinds |= MC_BY_INTERRUPT;
	if (mc_cpuid_rdtscp())
		kinds |= MC_BY_MIGRATION;
}

/**
 * mc_detector_kinds() - the disturbances that can be detected
 * @cpu: ignored, since no thread is bound to a CPU of the host
 *
 * Return: bits of enum mc_disturbance.
 */
u8 mc_detector_kinds(int cpu)
{
	return kinds;
}

/**
 * mc_detector_begin() - a timed window is about to begin
 * @v: the thread's detector
 */
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

/**
 * mc_detector_end() - a timed window has ended
 * @v: the thread's detector
 *
 * Return: the disturbances in it, bits of enum mc_disturbance; a migration if the last
 * window ended on another CPU.
 */
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

/**
 * mc_detector_stolen() - was time stolen from the CPU since the last look?
 * @v: the thread's detector
 * @cpu: the thread's CPU
 * @at_once: look even if the last look was a moment ago
 *
 * Return: MC_NOT_LOOKED, since the host's steal time can't be read from here.
 */
enum mc_stolen mc_detector_stolen(struct mc_detector *v, int cpu, bool at_once)
{
	return MC_NOT_LOOKED;
}
